"""Numbers of another library: CasADi ``SX``, JAX and Torch arrays are evaluated by the formulations unchanged."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .ring import Scalar, structural


class Library:
    """The field of a library: its module has ``sin``, ``cos``, ``sqrt``, ``sign``, its numbers ``+ - * /``.

    ``Library(casadi)``, ``Library(jax.numpy)``, ``Library(torch)``.
    """

    def __init__(self, module: Any) -> None:
        self.module = module

    def number(self, value: Fraction) -> Scalar:
        """A constant as a float; 0, 1 and -1 stay structural."""
        integer = structural(value)
        return float(value) if integer is None else integer

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine by the library."""
        return self.module.sin(angle), self.module.cos(angle)

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """a / b."""
        return a / b

    def sqrt(self, a: Scalar) -> Scalar:
        """The square root by the library."""
        return self.module.sqrt(a)

    def sign(self, a: Scalar) -> Scalar:
        """-1, 0 or 1 by the library."""
        return self.module.sign(a)
