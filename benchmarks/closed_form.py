"""How fast closed forms are derived: named arms, SymPy in the same run, and growth from 2 to 9 joints.

    python benchmarks/closed_form.py [--no-sympy] [--plot growth.svg] [--check]

Each time is the best of several runs in a warm process, from the description of the arm to all of D, all
Christoffel symbols and G. ``--check`` ends with code 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.equations.closed_form import Equations
from dalembert.equations.derive import EquationsModel
from dalembert.formulations import composite_body
from dalembert.formulations.chain import chain
from dalembert.rings.ring import structural

LIMITS = (
    ("puma560, symbols", "puma560", "symbols", 50.0),
    ("puma560, all 60 inertial parameters", "puma560", "full+lengths+gravity", 50.0),
    ("panda, 70 inertial parameters and lengths", "panda", "full+lengths+gravity", 150.0),
    ("jpl-rrp, symbols", "jpl-rrp", "symbols", 20.0),
)
LEAST_RATIO = 200.0
GENERAL_LIMIT = 1000.0


def best(work: Callable[[], object], runs: int) -> float:
    """The shortest of several runs, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def everything(arm: ArmDescription, parameters: str) -> Equations:
    """All of D, all Christoffel symbols and G."""
    equations = Equations(arm, parameters)
    _ = equations.mass_matrix, equations.christoffel, equations.gravity
    return equations


def terms(equations: Equations) -> tuple[int, int, int]:
    """Terms in the independent entries of D, C and G."""
    n = equations.n
    d = sum(len(equations.mass_matrix[i, j]) for i in range(n) for j in range(i, n))
    c = sum(len(equations.christoffel[i, j, k]) for i in range(n) for j in range(n) for k in range(j, n))
    return d, c, sum(len(g) for g in equations.gravity)


class SymPyRing:
    """SymPy expressions as a ring of the library, so that it runs the same page with the same few operations."""

    def __init__(self) -> None:
        import sympy

        self.sympy = sympy

    def number(self, value: Fraction) -> Any:
        known = structural(value)
        return self.sympy.Rational(value.numerator, value.denominator) if known is None else known

    def sincos(self, angle: Any) -> tuple[Any, Any]:
        return self.sympy.sin(angle), self.sympy.cos(angle)


def sympy_mass_matrix(arm: ArmDescription) -> list[list[Any]]:
    """D of the arm with the same symbols, by the same formulation, expanded and not simplified."""
    import sympy

    ring = SymPyRing()
    names = [symbol.name for symbol in EquationsModel(arm).selection.symbols]
    given: dict[str, Any] = {name: sympy.Symbol(name) for name in names}
    gravity = given.pop("g", None)
    if gravity is not None:
        given["gz"] = -gravity
    q = [sympy.Symbol(f"q{i + 1}") for i in range(arm.n)]
    matrix = composite_body.mass_matrix(chain(arm, ring, given), ring, q)
    return [[sympy.expand(entry) for entry in row] for row in matrix]


def sympy_textbook(arm: ArmDescription) -> list[list[Any]]:
    """D as textbooks and SymPy-based tools derive it: sum of J^T M J over the links, expanded and not simplified."""
    import sympy

    ring = SymPyRing()
    names = [symbol.name for symbol in EquationsModel(arm).selection.symbols]
    given: dict[str, Any] = {name: sympy.Symbol(name) for name in names if name != "g"}
    q = [sympy.Symbol(f"q{i + 1}") for i in range(arm.n)]
    links = chain(arm, ring, given)
    total = sympy.zeros(arm.n, arm.n)
    turn, place = sympy.eye(3), sympy.zeros(3, 1)
    axes: list[Any] = []
    for i, segment in enumerate(links.segments):
        spin = sympy.Matrix([[sympy.cos(q[i]), -sympy.sin(q[i]), 0], [sympy.sin(q[i]), sympy.cos(q[i]), 0], [0, 0, 1]])
        place = place + turn * sympy.Matrix(segment.position)
        turn = turn * sympy.Matrix(segment.rotation) * spin
        axes.append(turn[:, 2])
        speed = place.jacobian(q)
        turning = sympy.Matrix.hstack(*axes, *[sympy.zeros(3, 1)] * (arm.n - i - 1))
        moment, tensor = turn * sympy.Matrix(segment.moment), turn * sympy.Matrix(segment.tensor) * turn.T
        skew = sympy.Matrix([[0, -moment[2], moment[1]], [moment[2], 0, -moment[0]], [-moment[1], moment[0], 0]])
        mixed = speed.T * skew * turning
        total += segment.mass * speed.T * speed - mixed - mixed.T + turning.T * tensor * turning
    return [[sympy.expand(total[i, j]) for j in range(i, arm.n)] for i in range(arm.n)]


def general_position(joints: int) -> da.Arm:
    """An arm with arbitrary twists and lengths."""
    rows = [
        {
            "alpha": 0.3 + 0.37 * i,
            "a": 0.2 + 0.01 * i,
            "d": 0.1,
            "mass": 1 + i,
            "com": (0.1, 0.02, 0.03),
            "inertia": (0.2, 0.3, 0.25),
        }
        for i in range(joints)
    ]
    return da.Arm.from_dh(rows)


def alternating(joints: int) -> da.Arm:
    """Axes in turn perpendicular, with offsets: as dense as arms with right angles get."""
    rows = [{"alpha": da.Angle.quarters(1 if i % 2 else -1), "a": 0.1, "d": 0.3, "mass": 1} for i in range(joints)]
    return da.Arm.from_dh(rows)


def growth(largest: int) -> list[tuple[int, float, int]]:
    """Joints, milliseconds, terms of D and C: all inertial parameters and lengths symbolic."""
    found = []
    for n in range(2, largest + 1):
        arm = alternating(n)
        runs = 5 if n < 8 else 2
        found.append(
            (
                n,
                best(lambda arm=arm: everything(arm, "full+lengths+gravity"), runs),
                sum(terms(everything(arm, "full+lengths+gravity"))),
            )
        )
    return found


def plot(rows: list[tuple[int, float, int]]) -> str:
    """An SVG with two logarithmic curves over the number of joints: time and terms."""
    width, height, left, bottom = 640, 400, 70, 50
    low, high = -1, math.ceil(math.log10(max(t for *_, t in rows)))

    def x(n: float) -> float:
        return left + (n - 2) / (rows[-1][0] - 2) * (width - 2 * left)

    def y(value: float) -> float:
        return height - bottom - (math.log10(value) - low) / (high - low) * (height - 2 * bottom)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12">'
    ]
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<line x1="{left}" x2="{width - left}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for n, *_ in rows:
        parts.append(f'<text x="{x(n):.1f}" y="{height - bottom + 18}" text-anchor="middle">{n}</text>')
    for column, colour, label in ((1, "#1f77b4", "time (ms)"), (2, "#d62728", "terms of D, C and G")):
        points = " ".join(f"{x(row[0]):.1f},{y(row[column]):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(r[0]):.1f}" cy="{y(r[column]):.1f}" r="3" fill="{colour}"/>' for r in rows]
        last = rows[-1]
        spot = f'x="{x(last[0]) - 6:.1f}" y="{y(last[column]) + 52:.1f}"'
        parts.append(f'<text {spot} fill="{colour}" text-anchor="end">{label}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">joints</text>')
    title = "Closed form, all inertial parameters and lengths symbolic"
    parts.append(f'<text x="{width / 2}" y="22" text-anchor="middle">{title}</text></svg>')
    return "\n".join(parts)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--no-sympy", action="store_true")
    options.add_argument("--plot", type=Path)
    options.add_argument("--joints", type=int, default=9)
    options.add_argument("--check", action="store_true")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    missed = []
    print(f"{'arm':44} {'ms':>8} {'limit':>7}   terms of D, C, G")
    for label, name, parameters, limit in LIMITS:
        arm = da.load(name, physical="ignore")
        spent = best(lambda arm=arm, parameters=parameters: everything(arm, parameters), 9)
        print(f"{label:44} {spent:8.1f} {limit:7.0f}   {terms(everything(arm, parameters))}")
        if spent > limit:
            missed.append(label)
    spent = best(lambda: Equations(general_position(6), "numbers").mass_matrix, 3)
    print(f"{'six joints in general position, numbers, D':44} {spent:8.1f} {GENERAL_LIMIT:7.0f}")
    if spent > GENERAL_LIMIT:
        missed.append("general position")
    if not chosen.no_sympy:
        arm = da.load("puma560", physical="ignore")
        ours = best(lambda: EquationsModel(arm).mass_matrix(), 9)
        same, theirs = best(lambda: sympy_mass_matrix(arm), 1), best(lambda: sympy_textbook(arm), 1)
        print(f"\nD of puma560, same symbols: ours {ours:.1f} ms")
        print(
            f"  SymPy, sum of J^T M J, expanded:                  {theirs:9.0f} ms, {theirs / ours:6.0f} times slower"
        )
        print(f"  SymPy, our composite-body page, expanded:         {same:9.0f} ms, {same / ours:6.0f} times slower")
        print("  (neither is a normal form: squares of sines are left beside squares of cosines)")
        if theirs / ours < LEAST_RATIO:
            missed.append("SymPy ratio")
    rows = growth(chosen.joints)
    print(f"\n{'joints':>6} {'ms':>9} {'terms':>9}")
    for n, spent, count in rows:
        print(f"{n:6} {spent:9.1f} {count:9}")
    if chosen.plot:
        chosen.plot.write_text(plot(rows), encoding="utf-8")
    if missed:
        print(f"\nmissed: {', '.join(missed)}")
    return 1 if missed and chosen.check else 0


if __name__ == "__main__":
    sys.exit(main())
