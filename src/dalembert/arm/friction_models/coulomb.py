"""Coulomb friction: once a shaft moves its friction is the same at every speed (Szkodny 1995, eq. 17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .model import Quotients


@dataclass(frozen=True)
class Coulomb:
    """w(s) = 0: starting friction is gone as soon as the shaft moves."""

    name: ClassVar[str] = "coulomb"
    varies: ClassVar[bool] = False

    def weight(self, field: Quotients, speed: Any) -> Any:
        """Zero."""
        return 0

    def check(self, where: str) -> None:
        """There is nothing to check."""


COULOMB = Coulomb()
