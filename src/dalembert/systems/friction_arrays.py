"""Friction on shafts (Szkodny 1995, eqs 17 and 18), and smooth stand-ins for optimisation.

Szkodny's (17) compares the driving force of a standing motor with its starting friction and leaves the load out,
so that under gravity a motor whose own force is small would not be held. Here the load is in: a standing shaft
stays while the *difference* between what drives it and what loads it is within its starting friction
(``systems/sticking.py``). In motion the two laws agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.friction_models import FrictionModel
from ..arm.friction_models.model import Quotients
from ..arm.shaft_friction import Friction
from ..formulations.friction import ShaftFriction, sliding
from ..rings.algebra import add, mul
from ..rings.dual import Dual, Duals, slope_of, value_of
from ..rings.real import REAL
from ..rings.ring import Scalar

Array = NDArray[np.float64]

SMOOTH: dict[str, Callable[[Array], tuple[Array, Array]]] = {
    "tanh": lambda x: (np.tanh(x), 1 - np.tanh(x) ** 2),
    "root": lambda x: (x / np.sqrt(1 + x * x), (1 + x * x) ** -1.5),
    "arctan": lambda x: (2 / np.pi * np.arctan(np.pi / 2 * x), 1 / (1 + (np.pi / 2 * x) ** 2)),
}
"""Smooth stand-ins for the sign: value and slope, the slope 1 at zero and the value within -1 and 1."""


def check_smoothing(width: float | None, law: str) -> None:
    """Refuse a law that is none, and a width that is no speed; without a width friction jumps at zero speed."""
    if law not in SMOOTH:
        raise ArmError(f"no smooth friction law {law!r}; there are {listed(SMOOTH)}")
    if width is not None and not width > 0:
        raise ArmError(f"the width of smooth friction is {width:g}; give a speed above zero")


class LawOfShafts:
    """The friction models of several shafts as one law over arrays: each on the shafts that have it."""

    def __init__(self, models: Sequence[FrictionModel]) -> None:
        distinct = [model for model in dict.fromkeys(models) if model.varies]
        self.models = [(model, np.array([float(shaft_model == model) for shaft_model in models])) for model in distinct]

    def weight(self, field: Quotients, speed: Any) -> Any:
        """w(s) of each shaft."""
        total: Scalar = 0
        for model, has in self.models:
            total = add(total, mul(has, model.weight(field, speed)))
        return total


class Shafts:
    """The friction of several shafts as arrays: forward and backward magnitudes, starting, viscous."""

    def __init__(self, frictions: Sequence[Friction]) -> None:
        self.forward = np.array([f.moving[0] for f in frictions], dtype=float)
        self.backward = np.array([f.moving[1] for f in frictions], dtype=float)
        self.starting = np.array([f.hold for f in frictions], dtype=float)
        self.viscous = np.array([f.viscous for f in frictions], dtype=float)
        mean, half = (self.forward + self.backward) / 2, (self.forward - self.backward) / 2
        self.law = ShaftFriction(mean, half, self.starting, self.viscous, LawOfShafts([f.model for f in frictions]))

    def moving(self, speed: Array) -> Array:
        """Coulomb and viscous friction of turning shafts, (17) third case and (18); zero at rest."""
        return np.asarray(sliding(REAL, self.law, np.sign(speed), speed), dtype=np.float64)

    def smooth(self, speed: Array, width: float, law: str = "tanh") -> Array:
        """The same with the jump at zero speed spread over ``width`` (rad/s or m/s): differentiable everywhere."""
        return np.asarray(value_of(self._smooth(speed, width, law)), dtype=np.float64)

    def smooth_slope(self, speed: Array, width: float, law: str = "tanh") -> Array:
        """Derivative of ``smooth`` to speed."""
        return np.asarray(slope_of(self._smooth(speed, width, law), 0), dtype=np.float64)

    def _smooth(self, speed: Array, width: float, law: str) -> Scalar:
        check_smoothing(width, law)
        direction, slope = SMOOTH[law](speed / width)
        return sliding(Duals(REAL), self.law, Dual(direction, {0: slope / width}), Dual(speed, {0: 1}))
