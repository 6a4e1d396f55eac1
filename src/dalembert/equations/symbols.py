"""Selection of the numbers of an arm that become symbols, and the meaning of each symbol.

Inertia has three parametrisations, all polynomial in their symbols:

    moments    m, mx, my, mz, Ixx, ... about the link frame; the torques are linear in these
    centre     m, x, y, z, Cxx, ...: mass centre and tensor about it; mx = m x, Ixx = Cxx + m (y^2 + z^2), ...
    gyration   m, x, y, z, kk11, kk12, ...: squared radii of gyration about the link frame (Bejczy 1974, eqs 10,
               11); Ixx = m kk11, and Ixy = -m kk12, since kk12 = k12^2 is the integral of x y dm over m

Bodies count from 1; "L" is the load in the hand. The number of the body follows the name ("m3", "Ixx3"); in a
radius of gyration it comes first, as Bejczy writes it: kk322 is k_322^2, of body 3 about its second axis. A
parameter that is zero in the arm stays zero unless it is requested by its own name or by "full".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.exact import Angle, exact
from ..arm.inertia import ENTRIES, PARAMETERS, Inertia
from ..arm.placement import Step
from ..formulations.chain import CENTRAL
from ..rings.trig import TrigRing
from .step_names import check_step_name

GYRATION = ("m", "x", "y", "z", "kk11", "kk12", "kk13", "kk22", "kk23", "kk33")
STYLES = {"moments": PARAMETERS, "centre": CENTRAL, "gyration": GYRATION}
GROUPS = ("symbols", "numbers", "inertial", "full", "centre", "gyration", "lengths", "twists", "gravity", "load")

Request: TypeAlias = "str | Iterable[str] | Mapping[str, object]"


@dataclass(frozen=True)
class Symbol:
    """A symbol of the equations: its name, its value in the arm, and the link it belongs to.

    ``link`` counts bodies from 1; it is None for lengths, twists and gravity, and "L" for the load.
    ``value`` is None for joint speeds and accelerations.
    """

    name: str
    value: Fraction | None
    kind: str
    link: int | str | None = None


@dataclass(frozen=True)
class Selection:
    """The symbols chosen for an arm, and the conversion of its numbers to a ring."""

    arm: ArmDescription
    symbols: tuple[Symbol, ...]
    twists: Mapping[str, Angle]
    styles: Mapping[str, str]
    fixed_values: Mapping[str, Fraction] = field(default_factory=dict)
    stars: frozenset[str] = frozenset()
    """Bodies whose inertia includes bodies at rest relative to them: starred symbols (Bejczy 1974, section V)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the symbols."""
        return tuple(symbol.name for symbol in self.symbols)

    def ring_parameters(self, ring: TrigRing) -> dict[str, Any]:
        """The parameters for ``formulations.chain``: numbers of the arm as elements of the ring, by name."""
        elements = {symbol.name: ring.symbol(symbol.name) for symbol in self.symbols}
        elements |= {name: ring.number(value) for name, value in self.fixed_values.items()}
        parameters: dict[str, Any] = {}
        for tag, style in self.styles.items():
            star = "*" if tag in self.stars else ""
            if any(named(name, tag) + star in elements for name in STYLES[style]):
                inertia = inertia_of(self.arm, tag, self.load)
                body_elements = {
                    named(name, tag): elements[named(name, tag) + star]
                    for name in STYLES[style]
                    if named(name, tag) + star in elements
                }
                parameters |= over_ring(tag, style, inertia, ring, body_elements, self.load and tag == self.hand)
        for step in steps(self.arm):
            if step.stem in self.twists:
                parameters[step.stem] = ring.fixed(step.stem)
            elif step.stem in elements:
                parameters[step.stem] = elements[step.stem]
        for axis, name in enumerate(("gx", "gy", "gz")):
            if "g" in elements and self.arm.gravity[axis]:
                parameters[name] = elements["g"] if self.arm.gravity[axis] > 0 else -elements["g"]
            elif name in elements:
                parameters[name] = elements[name]
        return parameters

    @property
    def hand(self) -> str:
        """The number of the body that carries the tool."""
        return str(self.arm.body_of[self.arm.tool_link][0] + 1)

    @property
    def load(self) -> bool:
        """Whether the payload has its own symbols."""
        return any(symbol.kind == "load" for symbol in self.symbols)


def named(name: str, tag: str) -> str:
    """The full name of parameter ``name`` of body ``tag``."""
    return f"kk{tag}{name[2:]}" if name.startswith("kk") else f"{name}{tag}"


def over_ring(
    tag: str, style: str, inertia: Inertia, ring: TrigRing, elements: Mapping[str, Any], loaded: bool
) -> dict[str, Any]:
    """The ten parameters of one body over the ring, about the mass centre unless the style is "moments".

    A body that also carries a load with symbols is given about its frame, where the two add.
    """
    values = dict(zip(STYLES[style], style_values(style, inertia), strict=True))
    p = {name: elements.get(named(name, tag), ring.number(value)) for name, value in values.items()}
    if style == "gyration":
        p |= about_frame(p)
        p |= {f"C{key}": p[f"I{key}"] - steiner for key, steiner in parallel_axes(p).items()}
    elif style == "centre":
        p |= {f"I{key}": p[f"C{key}"] + steiner for key, steiner in parallel_axes(p).items()}
        p |= {f"m{axis}": p["m"] * p[axis] for axis in "xyz"}
    names = PARAMETERS if style == "moments" or loaded or tag == "L" else CENTRAL
    return {f"{name}{tag}": p[name] for name in names}


def parallel_axes(p: Mapping[str, Any]) -> dict[str, Any]:
    """m (|c|^2 E - c c^T), entry by entry."""
    r = p["x"], p["y"], p["z"]
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    return {key: p["m"] * ((square if i == j else 0) - r[i] * r[j]) for key, i, j in ENTRIES}


def about_frame(p: Mapping[str, Any]) -> dict[str, Any]:
    """First moments and tensor about the frame from squared radii of gyration (Bejczy 1974, eqs 10, 11)."""
    parameters = {f"m{axis}": p["m"] * p[axis] for axis in "xyz"}
    for key, i, j in ENTRIES:
        moment = p["m"] * p[f"kk{i + 1}{j + 1}"]
        parameters[f"I{key}"] = moment if i == j else -moment
    return parameters


def style_values(style: str, inertia: Inertia) -> tuple[Fraction, ...]:
    """The numbers of a body in a parametrisation."""
    if style == "moments":
        return inertia.parameters
    if style == "centre":
        return (inertia.mass, *inertia.com, *(inertia.central[i][j] for _, i, j in ENTRIES))
    mass = inertia.mass or Fraction(1)
    squares = [inertia.tensor[i][j] / mass * (1 if i == j else -1) for _, i, j in ENTRIES]
    return (inertia.mass, *inertia.com, *squares)


def inertia_of(arm: ArmDescription, tag: str, load: bool) -> Inertia:
    """The inertia of body ``tag`` about its link frame, or of the load ("L") about the tool frame."""
    if tag == "L":
        payload = dict(arm.loads).get(arm.tool_link)
        return payload.body if payload is not None else Inertia()
    return (arm.holding(None) if load else arm).bodies[int(tag) - 1].inertia


def steps(arm: ArmDescription) -> list[Step]:
    """All named elementary steps of the arm's fixed placements."""
    placements = [p for body in arm.bodies for p in (body.before, body.after)] + [arm.tool]
    return [step for placement in placements for step in placement.steps if step.name]


def select(arm: ArmDescription, request: Request = "symbols", stars: frozenset[str] = frozenset()) -> Selection:
    """The symbols of ``request``: groups, single names, or both; a mapping may give values to names.

    Inertial symbols of bodies in ``stars`` are starred.
    """
    values: dict[str, Fraction] = {}
    if isinstance(request, Mapping):
        words = [str(key) for key, value in request.items() if value is None]
        values = {str(key): exact(value, f"parameter {key}") for key, value in request.items() if value is not None}
    elif isinstance(request, str):
        words = [word for part in request.split("+") for word in part.replace(",", " ").split()]
    else:
        words = [str(word) for word in request]
    groups = {word for word in words if word in GROUPS}
    if "symbols" in groups:
        groups |= {"inertial", "lengths", "gravity"}
    style = "gyration" if "gyration" in groups else "centre" if "centre" in groups else "moments"
    singles = set(words) - set(GROUPS)
    choice = _Choice(arm, groups, singles, values, style, stars)
    unknown = (singles | set(values)) - choice.recognised
    if unknown:
        raise ArmError(
            f"{arm.where}{arm.name} has no parameter {listed(sorted(unknown))}; its parameters are such as "
            f"{listed(choice.examples)}, and the groups are {listed(GROUPS)}"
        )
    return Selection(arm, tuple(choice.symbols), choice.twists, choice.styles, choice.numbers, stars)


class _Choice:
    """One pass over the parameters of an arm, which collects the requested ones."""

    def __init__(
        self,
        arm: ArmDescription,
        groups: set[str],
        singles: set[str],
        values: Mapping[str, Fraction],
        style: str,
        stars: frozenset[str],
    ) -> None:
        self.stars = stars
        self.arm, self.groups, self.singles, self.values = arm, groups, singles, values
        self.symbols: list[Symbol] = []
        self.twists: dict[str, Angle] = {}
        self.styles: dict[str, str] = {}
        self.numbers: dict[str, Fraction] = {}
        self.recognised: set[str] = set()
        tags = [str(i + 1) for i in range(len(arm.bodies))]
        of_load = {named(name, "L") for name in {*PARAMETERS, *CENTRAL, *GYRATION}}
        load = "load" in groups or bool(of_load & (singles | set(values)))
        self.examples = [f"{PARAMETERS[0]}1", f"{PARAMETERS[4]}1"]
        for tag in [*tags, *(["L"] if load else [])]:
            self._body(tag, style, load)
        self._geometry()
        self._gravity()

    def _take(self, symbol: Symbol, requested: bool) -> None:
        """Registers a parameter, and makes it a symbol if it is requested."""
        self.recognised.add(symbol.name)
        if symbol.name in self.values:
            self.numbers[symbol.name] = self.values[symbol.name]
        elif symbol.name in self.singles or (requested and symbol.value):
            self.symbols.append(symbol)

    def _body(self, tag: str, style: str, load: bool) -> None:
        """The inertial parameters of one body."""
        requested = self.singles | set(self.values)
        for alternative in ("centre", "gyration"):
            if any(named(name, tag) in requested for name in STYLES[alternative][1:]):
                style = alternative
        inertia = inertia_of(self.arm, tag, load)
        if not inertia.mass and inertia and tag != "L":
            # Published arms have massless bodies with moments, which have no mass centre or radius of gyration.
            style = "moments" if style == "gyration" or any(inertia.moment) else style
        self.styles[tag] = style
        kind, link = ("load", "L") if tag == "L" else ("inertial", int(tag))
        group = bool(self.groups & {"inertial", "full", "centre", "gyration"}) if tag != "L" else "load" in self.groups
        zeros_too = "full" in self.groups or tag == "L"
        for name, value in zip(STYLES[style], style_values(style, inertia), strict=True):
            symbol = Symbol(named(name, tag) + ("*" if tag in self.stars else ""), value, kind, link)
            if zeros_too and group and symbol.name not in self.values:
                self.recognised.add(symbol.name)
                self.symbols.append(symbol)
            else:
                self._take(symbol, group)
        for names in STYLES.values():
            # Names of another parametrisation are valid, but one body has only one.
            if names is not STYLES[style] and any(
                named(name, tag) in requested for name in names[1:] if name not in "xyz"
            ):
                raise ArmError(
                    f"{self.arm.where}body {tag}: parameters of two styles are mixed; use one of "
                    f"{listed(' '.join(n) for n in STYLES.values())}"
                )

    def _geometry(self) -> None:
        """Lengths and twists."""
        geometry: dict[str, object] = {}
        for step in steps(self.arm):
            name, amount = step.stem, -step.amount if step.is_opposite else step.amount
            if name in geometry:
                registered = {*self.numbers, *self.twists, *(symbol.name for symbol in self.symbols)}
                if name in registered and geometry[name] != amount:
                    raise ArmError(
                        f"{self.arm.where}{self.arm.name}: two lengths or angles that differ are named {name!r}, which "
                        "cannot be one symbol; name one of them otherwise"
                    )
                continue
            geometry[name] = amount
            check_step_name(self.arm, name, {part for names in STYLES.values() for part in names})
            self.examples.append(name)
            if isinstance(amount, Angle):
                self.recognised.add(name)
                general = amount.cos and amount.sin
                if name in self.singles or ("twists" in self.groups and general):
                    self.twists[name] = amount
            else:
                self._take(Symbol(name, amount, "length"), "lengths" in self.groups)

    def _gravity(self) -> None:
        """Gravity: one symbol g where it has one component, else gx, gy, gz."""
        vector = self.arm.gravity
        components = [value for value in vector if value]
        requested = "gravity" in self.groups
        if len(components) == 1 and not {"gx", "gy", "gz"} & (self.singles | set(self.values)):
            self._take(Symbol("g", abs(components[0]), "gravity"), requested)
        else:
            for name, value in zip(("gx", "gy", "gz"), vector, strict=True):
                self._take(Symbol(name, value, "gravity"), requested)
