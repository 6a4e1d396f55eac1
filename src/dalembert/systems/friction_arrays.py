"""Friction on shafts (Szkodny 1995, eqs 17 and 18), and smooth stand-ins for optimisation.

Szkodny's (17) compares the driving force of a standing motor with its starting friction and leaves the load out,
so that under gravity a motor whose own force is small would not be held. Here the load is in: a standing shaft
stays while the *difference* between what drives it and what loads it is within its starting friction
(``systems/sticking.py``). In motion the two laws agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.drives import Friction
from ..arm.errors import ArmError

Array = NDArray[np.float64]

SMOOTH = ("tanh", "root", "arctan")


class Shafts:
    """The friction of several shafts as arrays: forward and backward magnitudes, starting, viscous."""

    def __init__(self, frictions: Sequence[Friction]) -> None:
        self.forward = np.array([f.moving[0] for f in frictions], dtype=float)
        self.backward = np.array([f.moving[1] for f in frictions], dtype=float)
        self.starting = np.array([f.hold for f in frictions], dtype=float)
        self.viscous = np.array([f.viscous for f in frictions], dtype=float)

    def coulomb(self, direction: Array) -> Array:
        """What resists a shaft that moves in ``direction`` (-1, 0, 1)."""
        return np.where(direction > 0, self.forward, self.backward) * np.sign(direction)

    def moving(self, speed: Array) -> Array:
        """Coulomb and viscous friction of turning shafts, (17) third case and (18); zero at rest."""
        return self.coulomb(speed) + self.viscous * speed

    def smooth(self, speed: Array, width: float, law: str = "tanh") -> Array:
        """The same with the jump at zero speed spread over ``width`` (rad/s or m/s): differentiable everywhere."""
        if law not in SMOOTH:
            raise ArmError(f"no smooth friction law {law!r}; there are {listed(SMOOTH)}")
        if not width > 0:
            raise ArmError(f"the width of smooth friction is {width:g}; give a speed above zero")
        x = speed / width
        if law == "tanh":
            step = np.tanh(x)
        elif law == "root":
            step = x / np.sqrt(1 + x * x)
        else:
            step = 2 / np.pi * np.arctan(np.pi / 2 * x)
        mean, half = (self.forward + self.backward) / 2, (self.forward - self.backward) / 2
        # the odd part takes the mean of both directions, the even part makes up the difference
        return mean * step + half * step * step + self.viscous * speed

    def smooth_slope(self, speed: Array, width: float) -> Array:
        """Derivative of ``smooth`` with the law "tanh" to speed."""
        step = np.tanh(speed / width)
        slope = (1 - step * step) / width
        mean, half = (self.forward + self.backward) / 2, (self.forward - self.backward) / 2
        return mean * slope + half * 2 * step * slope + self.viscous


def resultant(driving: Array, speed: Array, shafts: Shafts, load: Array | float = 0.0) -> Array:
    """F_aire of uncoupled motors: (17), with the load that a standing motor carries, and (18).

    With ``load`` zero this is the printed law. The resultant of a motor that is held equals its load.
    """
    excess = driving - load
    held = load * np.ones_like(driving)
    breaking = driving - shafts.starting * np.sign(excess)
    standing = np.where(np.abs(excess) <= shafts.starting, held, breaking)
    moving = driving - shafts.coulomb(speed) - shafts.viscous * speed
    return np.where(speed == 0, standing, moving)
