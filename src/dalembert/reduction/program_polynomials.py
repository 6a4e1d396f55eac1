"""A graph of torques taken back to exact polynomials: what a program computes, not what it was meant to compute.

Torques are 1, qdd_j and qd_j qd_k times functions of q. The coefficients come out of running the graph over
polynomials in speeds and accelerations whose coefficients are numbers of the trigonometric ring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
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
    weights: dict[int, int] = {}
    if node.op == MUL:
        times, angle = sorted(node.operands, key=lambda operand: operand.index in angles)
        if times.op != CONST or Fraction(times.value).denominator != 1:
            raise ValueError(f"an angle is taken {times.value} times, which is no whole multiple")
        return {joint: int(times.value) * weight for joint, weight in angles[angle.index].items()}
    for slot, operand in enumerate(node.operands):
        sign = -1 if node.op == NEG or (node.op == SUB and slot) else 1
        for joint, weight in angles[operand.index].items():
            weights[joint] = weights.get(joint, 0) + sign * weight
    return weights


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


class MotionNumber:
    """A polynomial in speeds and accelerations: monomial -> number of the ring.

    A monomial is the sorted tuple of its factors, speed j as j and acceleration j as n + j. One pass through a program
    gives all its coefficients, where runs at unit motions would go through what they share once for each.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: dict[tuple[int, ...], Any]) -> None:
        self.parts = parts

    def __add__(self, other: Any) -> MotionNumber:
        parts = dict(self.parts)
        for key, value in parts_of(other).items():
            present = parts.pop(key, None)
            total = value if present is None else present + value
            if present is None or not _is_zero(total):
                parts[key] = total
        return MotionNumber(parts)

    __radd__ = __add__

    def __neg__(self) -> MotionNumber:
        return MotionNumber({key: -value for key, value in self.parts.items()})

    def __sub__(self, other: Any) -> MotionNumber:
        return self + -other

    def __rsub__(self, other: Any) -> MotionNumber:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, MotionNumber):
            return 0 if _is_zero(other) else MotionNumber({key: value * other for key, value in self.parts.items()})
        product: Any = MotionNumber({})
        for key, value in self.parts.items():
            product += MotionNumber({tuple(sorted(key + more)): value * x for more, x in other.parts.items()})
        return product

    __rmul__ = __mul__


def _is_zero(number: Any) -> bool:
    return isinstance(number, int | Fraction) and not number


def parts_of(number: Any) -> dict[tuple[int, ...], Any]:
    """A number by its monomials."""
    if isinstance(number, MotionNumber):
        return number.parts
    return {} if _is_zero(number) else {(): number}


def coefficients(outputs: Sequence[Node], space: Space, constants: Mapping[str, Any]) -> dict[Key, TrigPolynomial]:
    """The coefficients of torques that depend on q, qd and qdd; D for all i and j, C for j <= k.

    ``constants`` are exact numbers, or numbers of the ring of ``space``.
    """
    n, ring, half = len(outputs), space.ring, Fraction(1, 2)
    values: dict[str, Any] = {name: ring.number(x) if isinstance(x, Fraction) else x for name, x in constants.items()}
    values |= {
        f"{name}_{i}": MotionNumber({(i + n * block,): 1}) for block, name in enumerate(("qd", "qdd")) for i in range(n)
    }
    torques = [dict(parts_of(number)) for number in polynomials(outputs, values, space)]

    def taken(key: tuple[int, ...]) -> list[TrigPolynomial]:
        return [as_polynomial(space, monomials.pop(key, 0)) for monomials in torques]

    table: dict[Key, TrigPolynomial] = {("G", (i,)): poly for i, poly in enumerate(taken(()))}
    for j in range(n):
        table |= {("D", (i, j)): poly for i, poly in enumerate(taken((n + j,)))}
        table |= {("C", (i, j, j)): poly for i, poly in enumerate(taken((j, j)))}
    for j, k in combinations(range(n), 2):
        table |= {("C", (i, j, k)): poly * half for i, poly in enumerate(taken((j, k)))}
    for i, monomials in enumerate(torques):
        if monomials:
            raise ValueError(f"torque {i + 1} of a program has products of speeds and accelerations that no arm has")
    return table
