"""A graph of torques taken back to exact polynomials: what a program computes, not what it was meant to compute.

Torques are 1, qdd_j and qd_j qd_k times functions of q. The coefficients come out of running the graph over the
trigonometric ring at speeds and accelerations of zero and one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..equations.polynomial import TrigPolynomial, as_polynomial
from ..equations.space import Space
from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Node, reachable
from .certify import Key


def polynomials(outputs: Sequence[Node], values: Mapping[str, Any], space: Space) -> list[Any]:
    """The outputs over the ring of ``space``; inputs q_0, q_1, ... are its joints, the others take ``values``."""
    ring = space.ring
    done: dict[int, Any] = {}
    angles: dict[int, dict[int, int]] = {}
    pairs: dict[int, tuple[Any, Any]] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            done[node.index] = ring.number(node.value)
        elif node.op == INPUT:
            name = str(node.value)
            if name.startswith("q_"):
                joint = int(name[2:])
                angles[node.index] = {joint: 1}
                done[node.index] = None if ring.angles.axes[joint].revolute else ring.position(joint)
            else:
                done[node.index] = values[name]
        elif node.op in (SIN, COS):
            assert node.a is not None
            if node.a.index not in pairs:
                pairs[node.a.index] = turned(angles[node.a.index], ring)
            done[node.index] = pairs[node.a.index][node.op == COS]
        else:
            args = [done[x.index] for x in node.operands]
            if any(arg is None for arg in args):
                angles[node.index] = combined(node, angles)
                done[node.index] = None
            else:
                done[node.index] = _ARITHMETIC[node.op](*args)
    return [done[node.index] for node in outputs]


_ARITHMETIC: dict[str, Any] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    NEG: lambda a: -a,
}


def combined(node: Node, angles: Mapping[int, dict[int, int]]) -> dict[int, int]:
    """A sum of whole multiples of joint angles, as joint -> multiple; a joint may follow another by 2, 3, ..."""
    found: dict[int, int] = {}
    if node.op == MUL:
        times, angle = sorted(node.operands, key=lambda operand: operand.index in angles)
        if times.op != CONST or Fraction(times.value).denominator != 1:
            raise ValueError(f"an angle is taken {times.value} times, which is no whole multiple")
        return {joint: int(times.value) * weight for joint, weight in angles[angle.index].items()}
    for slot, operand in enumerate(node.operands):
        sign = -1 if node.op == NEG or (node.op == SUB and slot) else 1
        for joint, weight in angles[operand.index].items():
            found[joint] = found.get(joint, 0) + sign * weight
    return found


def turned(sums: Mapping[int, int], ring: Any) -> tuple[Any, Any]:
    """Sine and cosine of a sum of joint angles over the ring."""
    sin: Any = 0
    cos: Any = 1
    for joint, weight in sums.items():
        s, c = ring.sincos(ring.position(joint))
        for _ in range(abs(weight)):
            turn = s if weight > 0 else -s
            sin, cos = sin * c + cos * turn, cos * c - sin * turn
    return sin, cos


def coefficients(outputs: Sequence[Node], space: Space, constants: Mapping[str, Any]) -> dict[Key, TrigPolynomial]:
    """The coefficients of torques that depend on q, qd and qdd; D for all i and j, C for j <= k.

    ``constants`` are exact numbers, or numbers of the ring of ``space``.
    """
    n = len(outputs)
    ring = space.ring
    known = {name: ring.number(x) if isinstance(x, Fraction) else x for name, x in constants.items()}

    def run(qd: Mapping[int, int], qdd: Mapping[int, int]) -> list[TrigPolynomial]:
        values = dict(known)
        values |= {f"qd_{i}": qd.get(i, 0) for i in range(n)}
        values |= {f"qdd_{i}": qdd.get(i, 0) for i in range(n)}
        return [as_polynomial(space, x) for x in polynomials(outputs, values, space)]

    found: dict[Key, TrigPolynomial] = {}
    rest = run({}, {})
    for i in range(n):
        found["G", (i,)] = rest[i]
    squares = []
    for j in range(n):
        column, square = run({}, {j: 1}), run({j: 1}, {})
        squares.append([square[i] - rest[i] for i in range(n)])
        for i in range(n):
            found["D", (i, j)] = column[i] - rest[i]
            found["C", (i, j, j)] = squares[j][i]
    half = Fraction(1, 2)
    for j in range(n):
        for k in range(j + 1, n):
            both = run({j: 1, k: 1}, {})
            for i in range(n):
                found["C", (i, j, k)] = (both[i] - rest[i] - squares[j][i] - squares[k][i]) * half
    return found
