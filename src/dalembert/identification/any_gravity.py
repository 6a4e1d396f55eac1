"""An arm under a gravity that is not known yet."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..systems.arm_system import ArmSystem
from .log import Array


class AnyGravity:
    """The regressor of an arm under any gravity g: Y = Y_0 + g_x Y_x + g_y Y_y + g_z Y_z, one kernel for each part."""

    def __init__(self, arm: ArmSystem, gravity: Array) -> None:
        self._arm, self.gravity = arm, gravity
        self._axes = [arm.with_gravity(axis) for axis in np.eye(3).tolist()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arm, name)

    def under(self, gravity: Array) -> AnyGravity:
        """The same arm under another gravity."""
        turned = object.__new__(AnyGravity)
        turned._arm, turned.gravity, turned._axes = self._arm, gravity, self._axes
        return turned

    def regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y, as that of an arm."""
        still = np.zeros_like(q)
        weights = [axis.regressor(q, still, still) for axis in self._axes]
        moving = self._axes[2].regressor(q, qd, qdd) - weights[2]
        return np.asarray(moving + sum(g * part for g, part in zip(self.gravity, weights, strict=True)))

    def turned(self, q: Array, axis: Array, inertial: Array) -> Array:
        """d tau = sum_k (axis x g)_k Y_k pi, the change of the torques for a unit turn of gravity about ``axis``."""
        still, change = np.zeros_like(q), np.cross(axis, self.gravity)
        parts = zip(change, self._axes, strict=True)
        return np.asarray(sum(c * (axis_arm.regressor(q, still, still) @ inertial) for c, axis_arm in parts))


Regressed: TypeAlias = ArmSystem | AnyGravity
"""What equations are made of."""
