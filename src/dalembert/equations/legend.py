"""The legend of printed equations: what the symbols in them are, with units and values, and how the coefficients count.

It names what occurs in the formulas as they are printed, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from . import names
from .meanings import joint_unit, meaning
from .printing.form import MOTION, PrintedForm
from .printing.printed_terms import Sym

if TYPE_CHECKING:
    from ..markup.elements import Html
    from .closed_form import Equations
    from .polynomial import TrigPolynomial
    from .starred_parameters import Definition

Words: TypeAlias = "tuple[str | Sym, ...]"
"""A sentence with variables in it, which every format writes its own way."""
KINDS = {
    "D": "inertia matrix",
    "C": "centrifugal and Coriolis coefficients",
    "D_ijp": "factors of two speeds, both orders in one term (Bejczy 1974)",
    "U": "derivatives of the transformation from the base to a link, row and column in brackets",
    "G": "gravity load",
    "tau": "torque of the joint",
    "K": "kinetic energy",
    "V": "potential energy, zero with all first moments at the height of the base",
}
MOST_NAMES = 4
"""Left-hand sides that are listed in one row; of more, the first and the last stand for all."""


@dataclass(frozen=True)
class LegendEntry:
    """One row: the variables, what they are, their unit and their value where they have one."""

    variables: tuple[str, ...]
    words: Words
    unit: str = ""
    value: str = ""
    definition: Definition | None = None
    """What a starred symbol stands for (Bejczy 1974, section V)."""


@dataclass(frozen=True)
class Legend:
    """Rows on symbols, and sentences on how the coefficients enter the torques."""

    entries: tuple[LegendEntry, ...]
    notes: tuple[Words, ...]

    def text(self, width: int = 80) -> str:
        """Plain text, ``width`` columns wide."""
        from .printing.legend_formats import text

        return text(self, width)

    def markdown(self) -> str:
        """A Markdown table with LaTeX between dollar signs."""
        from .printing.legend_formats import markdown

        return markdown(self)

    def latex(self) -> str:
        """A LaTeX longtable."""
        from .printing.legend_formats import latex

        return latex(self)

    def html(self) -> Html:
        """An HTML table."""
        from .printing.legend_formats import html

        return html(self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Legend of {sum(len(entry.variables) for entry in self.entries)} symbols>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed

        return framed(self.html())


def legend(equations: Equations, printed: Mapping[str, TrigPolynomial]) -> Legend:
    """The legend of these polynomials, by their printed names."""
    forms = [PrintedForm(polynomial) for polynomial in printed.values()]
    variables: dict[str, PrintedForm] = {}
    for form in forms:
        variables |= {name: form for name in form.variables if name not in variables}
    angles = {name: angle for name, form in variables.items() if (angle := form.angle(name)) is not None}
    entries = [*left_sides(equations, list(printed)), *positions(equations, variables, angles)]
    entries += rates(equations, variables)
    entries += angle_entries(angles)
    entries += parameters(equations, variables, angles)
    return Legend(tuple(entries), tuple(notes(equations, list(printed))))


Angle: TypeAlias = "str | tuple[tuple[int, int], ...]"


def left_sides(equations: Equations, printed: Sequence[str]) -> Iterable[LegendEntry]:
    """What D, C, G, tau, K and V are, one row for each unit."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in printed:
        unit = names.coefficient_unit(equations.arm, name).replace("^2", "²")
        groups.setdefault((names.kind_of(name), unit), []).append(name)
    for (kind, unit), members in groups.items():
        listed_names = members if len(members) <= MOST_NAMES else [members[0], "...", members[-1]]
        description = "force of the joint" if (kind, unit) == ("tau", "N") else KINDS[kind]
        yield LegendEntry(tuple(listed_names), (description,), unit)


def positions(
    equations: Equations, variables: Mapping[str, PrintedForm], angles: Mapping[str, Angle]
) -> Iterable[LegendEntry]:
    """The joint positions, alone or in an angle."""
    arm = equations.arm
    used = {joint for angle in angles.values() if not isinstance(angle, str) for joint, _ in angle}
    for joint, name in enumerate(arm.joint_names):
        if joint in used or f"q{joint + 1}" in variables:
            yield LegendEntry((f"q{joint + 1}",), (f"position of {name}",), joint_unit(arm, joint))


def rates(equations: Equations, variables: Mapping[str, PrintedForm]) -> Iterable[LegendEntry]:
    """The joint speeds and accelerations, one row for each unit."""
    groups: dict[tuple[int, str], list[str]] = {}
    for order, mark in ((1, "qd"), (2, "qdd")):
        for joint in range(equations.n):
            if (name := f"{mark}{joint + 1}") in variables:
                groups.setdefault((order, joint_unit(equations.arm, joint, order)), []).append(name)
    for (order, unit), members in groups.items():
        yield LegendEntry(tuple(members), ("joint speed" if order == 1 else "joint acceleration",), unit)


def angle_entries(angles: Mapping[str, Angle]) -> Iterable[LegendEntry]:
    """The cosines and sines, one row for each angle."""
    groups: dict[Angle, list[str]] = {}
    for name, angle in angles.items():
        groups.setdefault(angle, []).append(name)
    for angle, members in groups.items():
        functions = " and ".join("cosine" if name[0] == "c" else "sine" for name in members)
        yield LegendEntry(tuple(members), (f"{functions} of ", *written_angle(angle)))


def written_angle(angle: Angle) -> Words:
    """An angle in words."""
    if isinstance(angle, str):
        return (Sym(angle),)
    words: list[str | Sym] = []
    for position, (joint, sign) in enumerate(angle):
        words.append(("-" if sign < 0 else "") if position == 0 else (" - " if sign < 0 else " + "))
        words.append(Sym(f"q{joint + 1}"))
    return tuple(word for word in words if word)


def parameters(
    equations: Equations, variables: Mapping[str, PrintedForm], angles: Mapping[str, Angle]
) -> Iterable[LegendEntry]:
    """The parameters of the arm: masses, moments, lengths, gravity, twists."""
    symbols = {name: symbol for form in variables.values() for name, symbol in form.space.symbols.items()}
    for name, symbol in symbols.items():
        if name in variables and symbol.kind not in MOTION:
            description, unit = meaning(equations.arm, symbol)
            value = "" if symbol.value is None else f"{float(symbol.value):.6g}"
            yield LegendEntry((name,), (description,), unit, value, equations.starred.get(name))
    for name in dict.fromkeys(angle for angle in angles.values() if isinstance(angle, str)):
        yield LegendEntry((name,), ("fixed angle",), "rad", f"{equations.space.twists[name].radians:.6g}")


def notes(equations: Equations, printed: Sequence[str]) -> Iterable[Words]:
    """How the coefficients enter the torques, what is in them, and how their numbers are written."""
    kinds = {names.kind_of(name) for name in printed}
    if kinds & {"D", "C", "G"}:
        yield (
            Sym("tau_i"), " = sum over j of ", Sym("D_ij"), " ", Sym("qdd_j"), " + sum over j and k of ", Sym("C_ijk"),
            " ", Sym("qd_j"), " ", Sym("qd_k"), " + ", Sym("G_i"), "; joints and links count from 1.",
        )  # fmt: skip
    indexed = [(name, *names.parse(name, equations.n)) for name in printed if names.kind_of(name) in ("D", "C")]
    for name, kind, index in indexed:
        if kind == "D" and index[0] != index[1]:
            yield Sym(name), " = ", Sym(names.name("D", index[::-1])), "."
            break
    for name, kind, index in indexed:
        if kind == "C" and index[1] != index[2]:
            i, j, k = index
            yield (
                Sym(name), " counts twice, since ", Sym(name), " = ", Sym(names.name("C", (i, k, j))), ": ",
                Sym(f"tau{i + 1}"), " = ... + 2 ", Sym(name), " ", Sym(f"qd{j + 1}"), " ", Sym(f"qd{k + 1}"),
                " + ...; so does every ", Sym("C_ijk"), " of two different speeds. Bejczy 1974 writes ",
                Sym(names.name("D", index)), " for 2 ", Sym(name), ".",
            )  # fmt: skip
            break
    if "D_ijp" in kinds:
        yield (
            "The torque of joint i has one term ", Sym("D_ijp"), " ", Sym("qd_j"), " ", Sym("qd_p"), " for each pair ",
            "of speeds: ", Sym("D_ijp"), " = 2 ", Sym("C_ijp"), " where j and p differ, ", Sym("D_ijj"), " = ",
            Sym("C_ijj"), ". The matrix of joint i (Bejczy 1974, eq. 22) has ", Sym("D_ijp"), " beside its diagonal ",
            "and 2 ", Sym("D_ijj"), " on it.",
        )  # fmt: skip
    for joint in equations.arm.followers:
        yield (f"Joint {joint.name} follows: it stands at {joint.follows}.",)
    if equations.arm.counts_drives:
        yield ("The rotors of the drives are counted; friction, which is no polynomial, is not in these equations.",)
    if not equations.symbols:
        yield ("Numbers of more than six digits are rounded to six; as JSON they are exact.",)
