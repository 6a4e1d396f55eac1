"""Canonical subproblems over any field: angles by which points come to points, planes and spheres.

Paden 1986 and Kahan stated them; the forms here are those of Elias and Wen 2022: a solution always comes out, the exact
one where there is one, else the nearest. An angle is the pair (sine, cosine). What has no effect (a vector along the
axis) leaves its angle free: then it is the one that is preferred, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...rings.algebra import Mat, Vec, add, cross, dot, matvec, minus, mul, plus, scale, sub
from ...rings.ring import Field, Scalar
from .screw_chain import Screw

Value = tuple[Scalar, Scalar]
"""Where a joint is: (sine, cosine) of one that turns, (length, 1) of one that slides."""
FREE = 1e-7
"""Below this (parts of the arm's length) an angle is free."""
LOST = 100.0
"""In place of the number of free angles: a way that fails at a pose, and says nothing of it."""
ROUND = 1e-14


def number(field: Field, value: float) -> Scalar:
    """A constant; what only rounding keeps from 0 or 1 is that."""
    near = round(float(value))
    return field.number(Fraction(near) if abs(float(value) - near) < ROUND else Fraction(float(value)))


def vector(field: Field, values: Any) -> Vec:
    """A constant vector."""
    x, y, z = (number(field, float(v)) for v in values)
    return x, y, z


def matrix(field: Field, values: Any) -> Mat:
    """A constant matrix."""
    a, b, c = (vector(field, row) for row in values)
    return a, b, c


@dataclass(frozen=True)
class JointAxis:
    """A screw over the field, with the value that is preferred where it is free."""

    h: Vec
    p: Vec
    revolute: bool
    joint: int
    preferred: Value

    @classmethod
    def of(cls, field: Field, screw: Screw, preferred: Sequence[Value]) -> JointAxis:
        """The screw in numbers of the field; a joint that the arm does not have is preferred at zero."""
        value = preferred[screw.joint] if screw.joint >= 0 else (0, 1)
        return cls(vector(field, screw.direction), vector(field, screw.point), screw.revolute, screw.joint, value)

    def placed(self, turn: Mat, shift: Vec) -> JointAxis:
        """The axis after a displacement."""
        return JointAxis(
            matvec(turn, self.h), plus(matvec(turn, self.p), shift), self.revolute, self.joint, self.preferred
        )

    def turned(self, value: Value, v: Vec) -> Vec:
        """The direction ``v`` after the motion (Rodrigues)."""
        if not self.revolute:
            return v
        sin, cos = value
        along = dot(self.h, v)
        return plus(plus(scale(cos, v), scale(sin, cross(self.h, v))), scale(mul(sub(1, cos), along), self.h))

    def moved(self, value: Value, point: Vec) -> Vec:
        """The point after the motion."""
        if not self.revolute:
            return plus(point, scale(value[0], self.h))
        return plus(self.p, self.turned(value, minus(point, self.p)))


def undone(value: Value) -> Value:
    """The motion undone."""
    return (mul(-1, value[0]), value[1])


def positive(field: Field, a: Scalar) -> Scalar:
    """a where it is above zero, else 0."""
    if type(a) is int:
        return max(a, 0)
    return mul(number(field, 0.5), mul(a, add(1, field.sign(a))))


def _present(field: Field, size: Scalar) -> Scalar:
    """1 where a length is above ``FREE``, else 0."""
    twice = add(1, field.sign(sub(size, number(field, FREE))))
    return mul(number(field, 0.5), mul(twice, sub(number(field, 3.0), twice)))


def _chosen(field: Field, sin: Scalar, cos: Scalar, size: Scalar, preferred: Value) -> tuple[Value, Scalar]:
    """(sin, cos) of length 1 where ``size`` says that they mean something, else what is preferred; and 1 where free."""
    present = _present(field, size)
    free = sub(1, present)
    length = add(mul(present, field.sqrt(add(mul(sin, sin), mul(cos, cos)))), free)
    per = field.divide(present, length)
    return (add(mul(per, sin), mul(free, preferred[0])), add(mul(per, cos), mul(free, preferred[1]))), free


def onto(field: Field, axis: JointAxis, a: Vec, b: Vec) -> tuple[Value, Scalar]:
    """Subproblem 1: the angle that turns the direction a towards b about the axis."""
    sin = dot(axis.h, cross(a, b))
    cos = sub(dot(a, b), mul(dot(axis.h, a), dot(axis.h, b)))
    size = field.sqrt(field.sqrt(add(mul(sin, sin), mul(cos, cos))))
    return _chosen(field, sin, cos, size, axis.preferred)


def balanced(field: Field, a: Scalar, b: Scalar, c: Scalar, preferred: Value) -> list[tuple[Value, Scalar]]:
    """The two angles with a cos + b sin = c, or the one that comes nearest to it, twice."""
    square = add(mul(a, a), mul(b, b))
    root = field.sqrt(positive(field, sub(square, mul(c, c))))
    size = field.sqrt(square)
    angles = []
    for sign in (1, -1):
        w = mul(sign, root)
        cos, sin = sub(mul(a, c), mul(b, w)), add(mul(b, c), mul(a, w))
        angles.append(_chosen(field, sin, cos, size, preferred))
    return angles


def to_plane(field: Field, axis: JointAxis, normal: Vec, v: Vec, height: Scalar) -> list[tuple[Value, Scalar]]:
    """Subproblem 4: the angles with normal . R v = height."""
    along, across = dot(axis.h, v), dot(axis.h, normal)
    a = sub(dot(normal, v), mul(along, across))
    b = dot(normal, cross(axis.h, v))
    return balanced(field, a, b, sub(height, mul(along, across)), axis.preferred)


def to_sphere(field: Field, axis: JointAxis, center: Vec, point: Vec, square: Scalar) -> list[tuple[Value, Scalar]]:
    """Subproblem 3: where the axis brings the point to a squared distance from a center."""
    if not axis.revolute:
        offset = minus(point, center)
        half = dot(axis.h, offset)
        root = field.sqrt(positive(field, add(sub(mul(half, half), dot(offset, offset)), square)))
        return [((sub(mul(sign, root), half), 1), 0) for sign in (1, -1)]
    arm, to_center = minus(point, axis.p), minus(center, axis.p)
    # |R arm - to_center|^2 = |arm|^2 + |to_center|^2 - 2 to_center . R arm
    twice = sub(add(dot(arm, arm), dot(to_center, to_center)), square)
    return to_plane(field, axis, to_center, arm, mul(number(field, 0.5), twice))


def to_height(field: Field, axis: JointAxis, normal: Vec, point: Vec, height: Scalar) -> list[tuple[Value, Scalar]]:
    """Where the axis brings the point to normal . x = height."""
    if not axis.revolute:
        remaining = sub(height, dot(normal, point))
        return [((field.divide(remaining, dot(normal, axis.h)), 1), 0)]
    return to_plane(field, axis, normal, minus(point, axis.p), sub(height, dot(normal, axis.p)))


def finite(values: Any) -> Any:
    """Arrays without what is not a number: such a candidate is judged by its pose, and fails."""
    return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
