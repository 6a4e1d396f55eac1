"""The real ring: a number is a float or a NumPy array that holds one value per state of a batch."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .ring import Scalar, structural


class Real:
    """The field of floats and of arrays with one value for each state of a batch: the reference implementation."""

    def number(self, value: Fraction) -> Scalar:
        """A constant as a float; 0, 1 and -1 stay structural."""
        integer = structural(value)
        return float(value) if integer is None else integer

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of an angle (rad)."""
        if isinstance(angle, float):
            return math.sin(angle), math.cos(angle)
        return np.sin(angle), np.cos(angle)

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """a / b, infinite where b is zero."""
        return np.divide(a, b)  # no exception where b is zero: the caller reports which joint is singular

    def sqrt(self, a: Scalar) -> Scalar:
        """The square root."""
        return np.sqrt(a)

    def sign(self, a: Scalar) -> Scalar:
        """-1, 0 or 1."""
        return np.sign(a)


REAL = Real()
"""The real field; it has no state."""
