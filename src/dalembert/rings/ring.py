"""The ring protocol: the operations that formulations need, ``+ - *`` and the sine and cosine of a joint angle.

A ring converts exact rationals to its own constants and provides sine and cosine. A plain Python ``0``, ``1``
or ``-1`` is a structural constant in every ring: the vector algebra (``rings/algebra.py``) folds it,
so zeros of the geometry cost nothing, whatever a number is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, TypeAlias

Scalar: TypeAlias = Any
"""A number of the ring at hand, or a structural 0, 1 or -1."""


class Ring(Protocol):
    """Constants, sine and cosine; ``+ - *`` are operators of the numbers themselves."""

    def number(self, value: Fraction) -> Scalar:
        """The constant ``value``; structural constants come back as plain integers."""
        ...

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of a joint angle."""
        ...


class Field(Ring, Protocol):
    """A ring with division, square roots and signs, which articulated bodies, springs and friction need."""

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """a / b."""
        ...

    def sqrt(self, a: Scalar) -> Scalar:
        """The square root of a."""
        ...

    def sign(self, a: Scalar) -> Scalar:
        """-1, 0 or 1, as a is below, at or above zero."""
        ...


def structural(value: Fraction) -> int | None:
    """``value`` as a structural constant, if it is one."""
    return int(value) if value in (0, 1, -1) else None
