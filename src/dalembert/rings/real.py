"""The real ring: a number is a float or a NumPy array that holds one value per state of a batch."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .ring import Scalar, structural


class Real:
    """Reference values, everywhere. A field: it also divides and takes roots."""

    def number(self, value: Fraction) -> Scalar:
        known = structural(value)
        return float(value) if known is None else known

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        if isinstance(angle, float):
            return math.sin(angle), math.cos(angle)
        return np.sin(angle), np.cos(angle)

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        return np.divide(a, b)  # infinite, not an exception, where b is zero: the caller names the joint

    def sqrt(self, a: Scalar) -> Scalar:
        return np.sqrt(a)

    def sign(self, a: Scalar) -> Scalar:
        return np.sign(a)


REAL = Real()
