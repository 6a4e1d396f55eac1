"""Angles of joints beside the trigonometric ring, which has only their sines and cosines.

A function of joint angles that is written for any ring adds, multiplies and differentiates the angles themselves; what
can stand in a sine is a sum of whole multiples of them and a fixed angle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from ..arm.exact import exact
from .ring import Scalar, structural

FLOATS = (float, np.floating)
CONSTANTS = (int, Fraction, fmpq, *FLOATS)
"""What sums and products take for a constant; other kinds of number (dual ones, angles) use their own operators."""


def constant(value: Any) -> Any:
    """A rational number as flint's ``fmpq``; a float is the decimal it spells, as everywhere (``arm/exact.py``)."""
    if isinstance(value, FLOATS):
        value = exact(value)
    return fmpq(value.numerator, value.denominator) if isinstance(value, Fraction) else value


class NotTrigonometric(TypeError):
    """A function is no polynomial in sines and cosines of joint angles and positions of slides; it says why."""


class NoPolynomial:
    """A number that is no polynomial of the ring, such as an angle itself.

    It comes through sums and products, so that a function of angles can be differentiated: 50 q1 + sin q2 is none, and
    its derivatives 50 and cos q2 are.
    """

    def __add__(self, other: object) -> Scalar:
        return NO_POLYNOMIAL

    def __radd__(self, other: object) -> Scalar:
        return self + other

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __rsub__(self, other: object) -> Scalar:
        return (-self) + other

    def __mul__(self, other: object) -> Scalar:
        return NO_POLYNOMIAL

    def __rmul__(self, other: object) -> Scalar:
        return self * other

    def __neg__(self) -> NoPolynomial:
        return NO_POLYNOMIAL


NO_POLYNOMIAL = NoPolynomial()


@dataclass(frozen=True)
class JointAngle(NoPolynomial):
    """sum of k_j q_j + offset: integer multiples of revolute joints, of which the ring has only the sine and cosine."""

    times: tuple[tuple[int, int], ...]
    """Joints (counted from 0) with their multiples, none of which is zero."""
    offset: Fraction = Fraction(0)
    """A fixed angle (rad)."""

    def __add__(self, other: object) -> Scalar:
        if isinstance(other, JointAngle):
            times = dict(self.times)
            for joint, count in other.times:
                times[joint] = times.get(joint, 0) + count
            return _angle(times, self.offset + other.offset)
        value = constant_of(other)
        return NO_POLYNOMIAL if value is None else JointAngle(self.times, self.offset + value)

    def __neg__(self) -> JointAngle:
        return JointAngle(tuple((joint, -count) for joint, count in self.times), -self.offset)

    def __mul__(self, other: object) -> Scalar:
        """An integer multiple; anything else is no angle of which the ring has the sine."""
        value = constant_of(other)
        if value is None or value.denominator != 1:
            return NO_POLYNOMIAL
        return _angle({joint: int(value) * count for joint, count in self.times}, value * self.offset)


def _angle(times: Mapping[int, int], offset: Fraction) -> Scalar:
    """The angle with these multiples of joints, or the number ``offset`` where none is left."""
    left = tuple((joint, count) for joint, count in times.items() if count)
    if left:
        return JointAngle(left, offset)
    known = structural(offset)
    return offset if known is None else known


def constant_of(number: object) -> Fraction | None:
    """The value of a number that is a constant, or None."""
    value = getattr(number, "constant_value", number)  # polynomials know theirs
    if isinstance(value, fmpq):
        return Fraction(int(value.p), int(value.q))
    return exact(value) if isinstance(value, CONSTANTS) else None
