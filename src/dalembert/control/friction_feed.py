"""What of a model's friction a controller feeds forward, and by which speed.

    "reference"   Coulomb and viscous friction at the *reference* speed; that of the plant then damps the error
    "smooth"      both at the measured speed, the jump at zero speed spread over ``width``
    "none"        nothing: friction is left to the feedback

The sign of a measured speed is never fed: about rest it is a relay, which cancels the very friction that would keep
the shaft at rest, and the loop chatters. A smooth law never feeds more than the friction there is. Starting friction is
left to the feedback too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.protocol import System

Array = NDArray[np.float64]

FRICTION = ("reference", "smooth", "none")
REST = 1e-9
"""A reference slower than this (rad/s or m/s) stands: where a motion ends its sign is rounding."""
WIDTH = 0.05
"""Speed (rad/s or m/s) of a shaft over which "smooth" spreads the jump."""


@dataclass(frozen=True)
class FrictionFeed:
    """The friction that a controller with this ``model`` feeds forward, and the model without any."""

    model: System
    friction: str = "reference"
    width: float = WIDTH

    def __post_init__(self) -> None:
        if self.friction not in FRICTION:
            raise ArmError(f"no way {self.friction!r} to feed friction forward; there are {listed(FRICTION)}")
        if not self.width > 0:
            raise ArmError(f"the width of smooth friction is {self.width:g}; give a speed above zero")

    @cached_property
    def rigid(self) -> System:
        """The model without friction."""
        return self.model.frictionless() if self.model.has_friction else self.model

    def __call__(self, q: Array, qd: Array, reference: Array) -> Array | float:
        """Friction at the joints (N m or N) at speeds ``qd`` where the speeds wanted are ``reference``."""
        if not self.model.has_friction or self.friction == "none":
            return 0.0
        if self.friction == "smooth":
            return self.model.friction_torque(q, qd, self.width)
        return self.model.friction_torque(q, np.where(np.abs(reference) > REST, reference, 0.0))
