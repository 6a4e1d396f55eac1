"""Friction of one shaft, as data; its law over any ring is in ``formulations/friction.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import ArmError
from .friction_models import COULOMB, FrictionModel


@dataclass(frozen=True)
class Friction:
    """Friction on one shaft (Szkodny 1995, eqs 17 and 18): N m and N m s/rad, or N and N s/m.

    ``starting`` holds the shaft while it stands, ``moving`` (forward, backward) resists it while it moves, both as
    magnitudes; ``starting`` is the larger of the two where nothing else is known. ``viscous`` times the speed
    comes on top. ``model`` says how the one passes into the other as the shaft speeds up: at once (``Coulomb``), or by
    the law of a model with parameters of its own (``friction_models``).
    """

    moving: tuple[float, float] = (0.0, 0.0)
    starting: float | None = None
    viscous: float = 0.0
    model: FrictionModel = COULOMB

    @classmethod
    def of(
        cls,
        coulomb: float | Sequence[float] = 0.0,
        starting: float | None = None,
        viscous: float = 0.0,
        model: FrictionModel = COULOMB,
    ) -> Friction:
        """The same Coulomb friction both ways, or (forward, backward)."""
        pair = (coulomb, coulomb) if isinstance(coulomb, int | float) else tuple(coulomb)
        if len(pair) != 2:
            raise ArmError(f"Coulomb friction is one number, or one forward and one backward; got {coulomb!r}")
        magnitudes = (abs(float(pair[0])), abs(float(pair[1]))) if pair[1] < 0 <= pair[0] else pair
        return cls(magnitudes, starting, viscous, model)

    @property
    def hold(self) -> float:
        """The load the shaft holds while it stands."""
        return max(self.moving) if self.starting is None else self.starting

    def __bool__(self) -> bool:
        return bool(self.hold or self.viscous)

    @property
    def coulomb(self) -> bool:
        """True if there is friction at rest or independent of speed."""
        return bool(self.hold or max(self.moving))

    def check(self, where: str) -> None:
        """Refuse friction that is negative or not finite, and starting friction below moving friction."""
        values = {"moving, forward": self.moving[0], "moving, backward": self.moving[1], "viscous": self.viscous}
        if self.starting is not None:
            values["starting"] = self.starting
        for name, value in values.items():
            if not math.isfinite(value) or value < 0:
                raise ArmError(f"{where}: friction ({name}) is {value:g}; give a magnitude of at least zero")
        if self.starting is not None and self.starting < max(self.moving):
            raise ArmError(
                f"{where}: starting friction {self.starting:g} is below moving friction {max(self.moving):g}; "
                f"a shaft that starts cannot be held by less than what brakes it"
            )
        self.model.check(where)
        if self.model.varies and self.hold == min(self.moving):
            raise ArmError(
                f"{where}: the friction model {self.model.name!r} leads from starting to moving friction, and they are "
                f"both {self.hold:g}; give starting friction above the moving"
            )


NO_FRICTION = Friction()
