"""Numbers of another library: CasADi ``SX``, JAX and Torch arrays run through the formulations as they are."""

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
        known = structural(value)
        return float(value) if known is None else known

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        return self.module.sin(angle), self.module.cos(angle)

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        return a / b

    def sqrt(self, a: Scalar) -> Scalar:
        return self.module.sqrt(a)

    def sign(self, a: Scalar) -> Scalar:
        return self.module.sign(a)
