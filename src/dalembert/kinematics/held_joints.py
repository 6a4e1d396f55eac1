"""Joints that are held while the others reach a pose: an arm with joints to spare as one without."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.arm_kinematics import MovingArm
from .joint_solutions import JointSolutions

Array = NDArray[np.float64]
KEPT = 32
"""Arms with held joints that are kept for the next call."""


@dataclass(frozen=True, eq=False)
class HeldJoints:
    """The arm, which of its joints are free, where the others are held, and the arm of the free ones alone."""

    arm: MovingArm
    free: tuple[int, ...]
    positions: Array
    reduced: MovingArm

    @classmethod
    def of(cls, arm: MovingArm, fixed: Mapping[str, float], limits: bool) -> HeldJoints:
        """Checked: names of joints that move by themselves, numbers, within the limits where these count."""
        if not isinstance(fixed, Mapping):
            raise ArmError(f'{arm.where}fixed are joints with positions, as in {{"joint3": 0.2}}; got {fixed!r}')
        positions = np.zeros(arm.n)
        for name, value in fixed.items():
            if name not in arm.joint_names:
                arm.locked({name: value})  # says what such a joint is
                raise ArmError(f"{arm.where}no joint {name!r} moves by itself; these do: {listed(arm.joint_names)}")
            k = arm.joint_names.index(name)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
                raise ArmError(f"{arm.where}joint {name!r} is held at a number (rad or m), not {value!r}")
            if limits and not arm.lower[k] <= value <= arm.upper[k]:
                raise ArmError(
                    f"{arm.where}joint {name!r} cannot be held at {value:g}, beyond its limits {arm.lower[k]:g} to "
                    f"{arm.upper[k]:g}; choose a position within them, or limits=False"
                )
            positions[k] = value
        free = tuple(k for k, name in enumerate(arm.joint_names) if name not in fixed)
        cache: dict[tuple[tuple[str, float], ...], MovingArm] = arm.kept("held joints", dict)
        key = tuple(sorted((name, float(value)) for name, value in fixed.items()))
        if key not in cache:
            if len(cache) >= KEPT:
                cache.pop(next(iter(cache)))
            cache[key] = arm.framed(None).locked(dict(fixed))
        return cls(arm, free, positions, cache[key])

    def free_joints(self, q: Array) -> Array:
        """The free joints of positions of all."""
        return np.asarray(q[..., list(self.free)])

    def all_joints(self, q: Array) -> Array:
        """Positions of all joints from those of the free ones."""
        positions = np.broadcast_to(self.positions, (*q.shape[:-1], self.arm.n)).copy()
        positions[..., list(self.free)] = q
        return positions

    def completed(self, reduced: JointSolutions) -> JointSolutions:
        """The solutions of the free joints as those of the whole arm."""
        at_limit = np.zeros((*reduced.at_limit.shape[:-1], self.arm.n), bool)
        at_limit[..., list(self.free)] = reduced.at_limit
        return replace(
            reduced, q=self.all_joints(reduced.q), at_limit=at_limit, joint_names=self.arm.joint_names,
            solutions=tuple(self.all_joints(part) for part in reduced.solutions),
        )  # fmt: skip
