"""The explicit formulas of the sources, put through the verifier.

``tests/data/errata/*.toml`` holds the formulas as printed, and for each wrong one the correct form. Run this file
(``python tests/equations/errata.py``) to write ``docs/errata.md`` anew.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.equations.closed_form import Equations
from dalembert.equations.polynomial import TrigPolynomial, as_polynomial
from dalembert.equations.restricted import restricted
from dalembert.equations.verify import Verdict, compare
from dalembert.formulations import generalized_dalembert, kinematics
from dalembert.formulations.chain import chain
from dalembert.rings.algebra import matvec, minus, plus

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "errata"
FILES = ("bejczy", "bejczy-u", "lee", "freeman")
PI = "3.14159265358979323846"
WIDTH = 120

BEJCZY = {
    "b1": "m1*kk122 + m2*kk233 + m2*d2*(2*y2 + d2) + (m3 + m4 + m5)*d2^2",
    "b2": "m3*kk322",
    "b3": "2*(m3*z3 - m4*y4)",
    "b4": "m3 + m4 + m5 + m6",
    "b5": "2*m5*z5 + 2*m6*(z6 + d6)",
    "b6": "m6*(d6 + z6)",
    "b7": "m4*z4",
    "b8": "m5*z5",
    "b9": "m6*d6*(d6 + 2*z6)",
    "b10": "2*d2*(m5*z5 + m6*z6 + m6*d6)",
    "b11": "2*m4*z4*d2",
    "b12": "m6*d2^2",
    "b13": "m2*kk222 + m3*kk311",
    "b14": "m4*kk422",
    "b15": "m5*kk511 + m6*kk611 + m6*d6*(d6 + 2*z6)",
    "b16": "m5*kk533 + m6*kk633",
    "b17": "m5*kk522",
    "b18": "m6*kk611 + m6*d6*(d6 + 2*z6)",
    "b20": "m6*kk633",
    "d1": "m2*z2 + m3*z3 - m4*y4",
    "d3": "m5*z5 + m6*(z6 + d6)",
    "d4": "m4*z4",
}
"""The constants of Bejczy's eqs (119) to (132), without the inertias of the drives."""


@dataclass(frozen=True)
class Case:
    """One printed formula, or one entry of a printed matrix."""

    file: str
    eq: str
    printed: str
    corrected: str | None
    note: str
    exact: TrigPolynomial
    aliases: dict[str, Any]
    reconstructed: bool = False

    @property
    def verdict(self) -> Verdict:
        return compare(self.eq, self.exact, self.printed, self.aliases)

    @property
    def repaired(self) -> Verdict:
        assert self.corrected is not None
        return compare(self.eq, self.exact, self.corrected, self.aliases)


def data(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def cases(name: str) -> tuple[Case, ...]:
    """All formulas of a file with what they must equal."""
    whole = data(name)
    arm = arm_of(whole)
    aliases = dict(whole.get("aliases", {}))
    found = []
    for entry in whole.get("formula", ()):
        if entry["of"] == "words":
            continue
        exact, more = target(name, arm, whole, entry)
        found.append(
            Case(
                name,
                entry["eq"],
                entry["printed"],
                entry.get("corrected"),
                entry.get("note", ""),
                exact,
                aliases | more,
                entry.get("reconstructed", False),
            )
        )
    for entry in whole.get("matrix", ()):
        table = matrix(name, arm, whole, entry["of"])
        fixes, notes = entry.get("corrected", {}), entry.get("notes", {})
        assert set(notes) == set(fixes), f"{name} {entry['eq']}: a note is on an entry that is wrong"
        for i, row in enumerate(entry["printed"]):
            for j, printed in enumerate(row):
                place = f"{i + 1},{j + 1}"
                found.append(
                    Case(
                        name,
                        f"{entry['eq']}, entry ({place})",
                        printed,
                        fixes.get(place),
                        notes.get(place, ""),
                        table[i][j],
                        aliases,
                    )
                )
    return tuple(found)


def arm_of(whole: dict[str, Any]) -> ArmDescription:
    if "arm" in whole:
        return da.load(whole["arm"], physical="ignore")
    rows = [
        {key: angle(value) if isinstance(value, str) else value for key, value in row.items()} for row in whole["rows"]
    ]
    arm = da.Arm.from_dh(rows)
    return arm.with_gravity(whole["gravity"]) if "gravity" in whole else arm


def angle(text: str) -> da.Angle:
    return da.Angle.quarters({"pi/2": 1, "-pi/2": -1}[text])


@cache
def equations(name: str, model: str) -> Equations:
    whole = data(name)
    arm = arm_of(whole)
    if model == "restricted":
        return restricted(arm, whole["parameters"], joints=[0, 1, 2])
    if model == "offset":
        return Equations(arm, [*whole["parameters"].split("+"), "x6", "y6"])
    return Equations(arm, whole["parameters"])


def target(
    name: str, arm: ArmDescription, whole: dict[str, Any], entry: dict[str, Any]
) -> tuple[TrigPolynomial, dict[str, Any]]:
    """What a printed formula must equal, and further names it uses."""
    model = entry.get("model", "")
    eq = equations(name, model)
    of = entry["of"]
    if name == "lee":
        return lee(eq, of)
    sign = -1 if of.startswith("-") else 1
    label, _, links = of.lstrip("-").partition(":")
    exact = eq[label]
    if links:
        shares = eq.by_link(label)
        exact = sum((shares[int(link)] for link in links.split(",")), start=as_polynomial(eq.space, 0))
    if model == "offset":
        exact = exact - exact.substitute({"x6": 0, "y6": 0})
    if model == "without small moments":
        zeros = [f"kk{link}{k}{k}" for link in (4, 5, 6) for k in (1, 2, 3)] + ["kk333"]
        exact = exact.substitute({**dict.fromkeys(zeros, 0), "kk211": symbol(eq, "kk233")})
    if model == "symmetric hand":
        exact = exact.substitute({"kk622": symbol(eq, "kk611")})
    names = {key: value for key, value in BEJCZY.items() if known(value, eq)}
    return exact * sign, names | entry.get("names", {})


def known(formula: str, eq: Equations) -> bool:
    import re

    return all(word in eq.space.symbols for word in re.findall(r"[a-z]+\d+", formula))


def symbol(eq: Equations, name: str) -> TrigPolynomial:
    return as_polynomial(eq.space, eq.space.ring.symbol(name))


def matrix(name: str, arm: ArmDescription, whole: dict[str, Any], of: str) -> list[list[TrigPolynomial]]:
    """The matrix a printed one must equal."""
    eq = equations(name, "")
    if name == "bejczy-u":
        return [list(row) for row in eq.transformation_derivative(int(of[1]) - 1, int(of[2]) - 1)[:3]]
    if of == "G":
        return [list(eq.jacobian[k]) for k in range(3)]
    plane = int(of[1]) - 1
    return [[eq.jacobian[plane, n].diff(m) for n in range(3)] for m in range(3)]


def lee(eq: Equations, of: str) -> tuple[TrigPolynomial, dict[str, Any]]:
    """Lee's vectors in base axes as names, and D, G, or the sums H of the speeds."""
    model, wide = eq.model, eq.moving_space
    ring = model.ring
    frames = kinematics.frames(model.chain, ring, ring.positions)
    origins = [(0, 0, 0)] + [shift for _, shift in kinematics.link_frames(model.chain, ring, ring.positions)]
    aliases: dict[str, Any] = {}
    for s, (turn, shift) in enumerate(frames):
        centre = plus(shift, matvec(turn, model.chain.segments[s].com))
        for axis, r, c in zip("xyz", centre, minus(centre, origins[s]), strict=True):
            aliases[f"r{axis}{s + 1}"] = as_polynomial(eq.space, r).over(wide)
            aliases[f"c{axis}{s + 1}"] = as_polynomial(eq.space, c).over(wide)
    for axis, p in zip("xyz", origins[2], strict=True):
        aliases[f"p{axis}2"] = as_polynomial(eq.space, p).over(wide)
    if of.startswith("A:"):
        return as_polynomial(wide, drift_of_link_3(eq)["xyz".index(of[2])]), aliases
    if not of.startswith("H"):
        return eq[of].over(wide), aliases
    head, *rest = of.split(":")
    part = eq.translational if head.endswith("tran") else eq.rotational
    total = as_polynomial(wide, 0)
    pairs = [tuple(pair) for pair in rest[1].split(",")] if len(rest) > 1 else None
    for j in (1, 2, 3):
        for k in range(j, 4):
            if pairs is None or (str(j), str(k)) in pairs:
                speeds = wide.ring.symbol(f"qd{j}").poly * wide.ring.symbol(f"qd{k}").poly
                weight = TrigPolynomial(wide, speeds) * (1 if j == k else 2)
                total = total + part(f"C{head[1]}{j}{k}").over(wide) * weight
    if rest:
        others = {f"m{i}": 0 for i in (1, 2, 3) if str(i) != rest[0]}
        total = total.substitute(others)
    return total, aliases


def drift_of_link_3(eq: Equations) -> Any:
    """The acceleration of the mass centre of link 3 that the speeds alone give it, in base axes."""
    ring = eq.moving_space.ring
    links = chain(eq.arm, ring, eq.model.selection.ring_parameters(ring))
    placed = kinematics.frames(links, ring, ring.positions)
    speeds = [ring.symbol(f"qd{i + 1}") for i in range(eq.n)]
    drift = generalized_dalembert.drifts(links, placed, speeds)[2]
    return drift.of_point(generalized_dalembert.centred_bodies(links, placed)[2].centre)


# -- the document ----------------------------------------------------------------------------------


def wrapped(blocks: Iterable[str]) -> Iterator[str]:
    """Prose in lines of 120 characters, no operator first or last in one; formulas stay as they are."""
    in_formula = False
    for block in blocks:
        in_formula ^= block == "```"
        yield block if in_formula else "\n\n".join(map(_filled, block.split("\n\n")))


def _filled(paragraph: str) -> str:
    if paragraph.startswith("#") or max(map(len, paragraph.split("\n"))) <= WIDTH:
        return paragraph
    glued = re.sub(r" ([-+=*/<>]+) ", "\0\\1\0", " ".join(paragraph.split()))
    return textwrap.fill(glued, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def document() -> str:
    """docs/errata.md."""
    lines = [
        "# Errata of the sources",
        "",
        "The formulas named below were read as printed, brought to normal form and compared with the exact",
        "coefficient, which follows from the geometry alone; `dalembert verify` does the same with any formula. What",
        "is named and not listed as wrong is an identity. The formulas as printed are in `tests/data/errata`; a test",
        "repeats the comparison, and this page is written from it by `python tests/equations/errata.py`.",
        "",
        "The sources are read from scans. Where a slip may be the scanner's and not the author's, the note says so.",
        "",
    ]
    for name in FILES:
        whole = data(name)
        found = cases(name)
        wrong = [case for case in found if not case.verdict]
        words = [entry for entry in whole.get("formula", ()) if entry["of"] == "words"]
        lines += [f"## {whole['title']}", "", whole["about"].strip(), ""]
        lines += [
            f"Checked: {len(found)} formulas and entries. Identical: {len(found) - len(wrong)}. Wrong: {len(wrong)}.",
            "",
        ]
        for entry in words:
            lines += [f"### {entry['eq']}", "", entry["note"], ""]
        for case in wrong:
            lines += [f"### {case.eq}", ""]
            lines += ["Printed:", "", "```", case.printed, "```", ""]
            assert case.corrected is not None, f"{name} {case.eq} has no corrected form"
            lines += ["Correct:", "", "```", case.corrected, "```", ""]
            excess = case.verdict.difference
            size = excess.text() if len(excess) <= 12 else f"{len(excess)} terms"
            lines += [f"The printed formula exceeds the exact one by {size}.", ""]
            if case.note:
                lines += [case.note, ""]
        notes = [case for case in found if case.verdict and case.note]
        for case in notes:
            lines += [f"{case.eq}: {case.note}", ""]
        right = [case for case in found if case.verdict and ", entry (" not in case.eq]
        printed = [case.eq for case in right if not case.reconstructed]
        if printed:
            lines += [f"Identities as printed: {', '.join(printed)}.", ""]
        guessed = [case.eq for case in right if case.reconstructed]
        if guessed:
            lines += [f"Right as reconstructed from a scan that lost parts of them: {', '.join(guessed)}.", ""]
        tables: dict[str, list[bool]] = {}
        for case in found:
            if ", entry (" in case.eq:
                tables.setdefault(case.eq.split(", entry (")[0], []).append(bool(case.verdict))
        if tables:
            good = [label for label, flags in tables.items() if all(flags)]
            lines += [f"Matrices right in every entry: {', '.join(good)}.", ""]
    return "\n".join(wrapped(lines)).rstrip() + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "errata.md").write_text(document(), encoding="utf-8")
