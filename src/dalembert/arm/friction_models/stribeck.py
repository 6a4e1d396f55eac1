"""Stribeck friction: lubrication builds up as a shaft speeds up, and its friction falls from starting to moving.

The form of Hess and Soom 1990 is a quotient and so runs over any field; it is among those that
Armstrong-Helouvry et al. 1994 compare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..errors import ArmError
from ..exact import exact
from .model import Quotients


@dataclass(frozen=True)
class Stribeck:
    """w(s) = 1 / (1 + (s/v)^2), with the Stribeck speed v (rad/s or m/s) of the shaft."""

    speed: float

    name: ClassVar[str] = "stribeck"
    varies: ClassVar[bool] = True

    def weight(self, field: Quotients, speed: Any) -> Any:
        """1 / (1 + (s/v)^2)."""
        ratio = speed * field.number(1 / exact(self.speed))
        return field.divide(field.number(Fraction(1)), ratio * ratio + 1)

    def check(self, where: str) -> None:
        """Raises ArmError unless v is above zero."""
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise ArmError(f"{where}: the Stribeck speed is {self.speed:g}; give a speed above zero")
