"""Functions of the joint positions as files write them: ``"80*joint1 + 4*sin(joint2 + pi/6)"``.

A formula is a tree of ``+ - * /``, ``sin``, ``cos`` and ``sqrt`` over joint positions (rad or m) and exact numbers. It
is data: it can be compared, written back, and evaluated over any ring; it is read by ``arm/io/formula_text.py`` and
never executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .expression import Quantity

MOST_MULTIPLE = 8
"""Sines of whole multiples of joint angles up to this one are written in the sines of the joints alone."""

Position = tuple[Any, Any]
"""A placement over a ring: the rows of its rotation, and where its origin is."""


@dataclass(frozen=True)
class JointPosition:
    """The position of a joint, by its place among those that move."""

    joint: int


@dataclass(frozen=True)
class Operation:
    """``+ - * /`` of two terms, or ``sin``, ``cos``, ``sqrt`` of one."""

    name: str
    terms: tuple[Term, ...]


Term = Quantity | JointPosition | Operation


@dataclass(frozen=True)
class Formula:
    """A function of the joint positions: called with a ring and the positions of the ``joints``, in their order."""

    text: str
    joints: tuple[str, ...]
    term: Term = field(compare=False, repr=False)

    def __call__(self, ring: Any, q: Sequence[Any]) -> Any:
        """The value over ``ring``."""
        return _value(self.term, ring, q)


@dataclass(frozen=True)
class Formulas:
    """Several formulas, called together: the positions of all motors."""

    each: tuple[Formula, ...]

    @property
    def text(self) -> str:
        """The formulas, one a line."""
        return "\n".join(formula.text for formula in self.each)

    def __call__(self, ring: Any, q: Sequence[Any]) -> list[Any]:
        """Their values over ``ring``."""
        return [formula(ring, q) for formula in self.each]


@dataclass(frozen=True)
class Turn:
    """A rotation about the x, y or z axis, by an angle or by its sine and cosine (two formulas)."""

    axis: str
    angle: tuple[Formula, ...]

    def pair(self, ring: Any, q: Sequence[Any]) -> tuple[Any, Any]:
        """Sine and cosine over ``ring``."""
        if len(self.angle) == 1:
            return _sincos(self.angle[0].term, ring, q)
        return self.angle[0](ring, q), self.angle[1](ring, q)

    def rows(self, ring: Any, q: Sequence[Any]) -> Any:
        """The rotation matrix over ``ring``."""
        sin, cos = self.pair(ring, q)
        return {
            "x": ((1, 0, 0), (0, cos, -sin), (0, sin, cos)),
            "y": ((cos, 0, sin), (0, 1, 0), (-sin, 0, cos)),
            "z": ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)),
        }[self.axis]


@dataclass(frozen=True)
class FormulaPlacement:
    """A placement T(q): a position of three formulas, then turns about the axes that the ones before have turned."""

    position: tuple[Formula, Formula, Formula]
    turns: tuple[Turn, ...] = ()

    @property
    def text(self) -> str:
        """The formulas of the position and of the turns, one a line."""
        turned = [f"{turn.axis}: {formula.text}" for turn in self.turns for formula in turn.angle]
        return "\n".join([*(formula.text for formula in self.position), *turned])

    def __call__(self, ring: Any, q: Sequence[Any]) -> Position:
        """Rows of the rotation, and the position, over ``ring``."""
        rows: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        for turn in self.turns:
            columns = tuple(zip(*turn.rows(ring, q), strict=True))
            rows = tuple(tuple(_dot(row, column) for column in columns) for row in rows)
        return rows, tuple(formula(ring, q) for formula in self.position)


def _dot(u: Sequence[Any], v: Sequence[Any]) -> Any:
    total: Any = 0
    for a, b in zip(u, v, strict=True):
        total = _sum(total, _product(a, b))
    return total


def _sum(a: Any, b: Any) -> Any:
    """a + b; a structural zero stays none, as in ``rings/algebra.py``, which this room does not see."""
    if type(a) is int and not a:
        return b
    return a if type(b) is int and not b else a + b


def _product(a: Any, b: Any) -> Any:
    if type(a) is int and a in (0, 1, -1):
        return 0 if not a else b if a > 0 else -b
    return _product(b, a) if type(b) is int and b in (0, 1, -1) else a * b


def _value(term: Term, ring: Any, q: Sequence[Any]) -> Any:
    if isinstance(term, Quantity):
        return ring.number(term.rational)
    if isinstance(term, JointPosition):
        return q[term.joint]
    if term.name in ("sin", "cos"):
        return _sincos(term.terms[0], ring, q)[term.name == "cos"]
    values = [_value(operand, ring, q) for operand in term.terms]
    if term.name == "sqrt":
        return ring.sqrt(values[0])
    a, b = values
    if term.name == "/":
        # a constant denominator is no division: rings without one can take it
        if isinstance(term.terms[1], Quantity):
            return _product(a, ring.number(1 / term.terms[1].rational))
        return ring.divide(a, b)
    if term.name == "*":
        return _product(a, b)
    return _sum(a, b) if term.name == "+" else _sum(a, _product(-1, b))


def _sincos(term: Term, ring: Any, q: Sequence[Any]) -> tuple[Any, Any]:
    """Sine and cosine of a term; of a sum of joint angles by the addition theorem, which every ring can follow."""
    combination = linear(term)
    if combination is None or not all(x.denominator == 1 and abs(x) <= MOST_MULTIPLE for x in combination[0].values()):
        sin, cos = ring.sincos(_value(term, ring, q))
        return sin, cos
    multiples, constant = combination
    sin, cos = ring.number(constant.angle.sin), ring.number(constant.angle.cos)
    for joint, multiple in multiples.items():
        s, c = ring.sincos(q[joint])
        if multiple < 0:
            s = -s
        for _ in range(abs(int(multiple))):
            sin, cos = (
                _sum(_product(sin, c), _product(cos, s)),
                _sum(_product(cos, c), _product(-1, _product(sin, s))),
            )
    return sin, cos


def linear(term: Term) -> tuple[dict[int, Fraction], Quantity] | None:
    """The term as a sum of multiples of joint positions and a constant angle, or None if it is none."""
    if isinstance(term, Quantity):
        return {}, term
    if isinstance(term, JointPosition):
        return {term.joint: Fraction(1)}, Quantity(Fraction(0))
    if term.name not in ("+", "-", "*", "/"):
        return None
    parts = [linear(operand) for operand in term.terms]
    if parts[0] is None or parts[1] is None:
        return None
    (a, constant_a), (b, constant_b) = parts[0], parts[1]
    if term.name in ("+", "-"):
        sign = 1 if term.name == "+" else -1
        total = {joint: a.get(joint, Fraction(0)) + sign * b.get(joint, Fraction(0)) for joint in (*a, *b)}
        constant = Quantity(constant_a.plain + sign * constant_b.plain, constant_a.turns + sign * constant_b.turns)
        return {joint: factor for joint, factor in total.items() if factor}, constant
    if term.name == "*" and not a:
        a, constant_a, b, constant_b = b, constant_b, a, constant_a
    if b or constant_b.turns:
        return None
    factor = constant_b.plain if term.name == "*" else 1 / constant_b.plain
    scaled = {joint: x * factor for joint, x in a.items() if x * factor}
    return scaled, Quantity(constant_a.plain * factor, constant_a.turns * factor)
