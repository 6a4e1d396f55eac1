"""Where to begin: positions all over the ranges of the joints, those nearest to the pose asked for first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.joint_ranges import finite_ranges
from ..systems.arm_kinematics import MovingArm

Array = NDArray[np.float64]
TABLE = 256
"""Positions in the table."""
STREAM = 0x5747
"""Keeps the table apart from the positions that ``default_rng(seed)`` gives whoever tries poses within the limits."""
PIECE = 2048
"""Poses that are compared with the table at once."""


def ranges(arm: MovingArm, length: float, limits: bool) -> tuple[Array, Array]:
    """Where starts are looked for: the limits, a whole turn or twice the arm's length where there are none."""
    reach = np.array([np.pi if joint.kind == "revolute" else 2 * length for joint in arm.moving])
    if not limits:
        return -reach, reach
    return finite_ranges(arm.lower, arm.upper, reach)


@dataclass(frozen=True)
class Starts:
    """Random positions within ``lower`` and ``upper``, the same for the same ``seed``, and their poses."""

    arm: MovingArm
    lower: Array
    upper: Array
    seed: int

    @cached_property
    def positions(self) -> Array:
        """``(TABLE, n)``."""
        rng = np.random.default_rng((STREAM, self.seed))
        return rng.uniform(self.lower, self.upper, (TABLE, len(self.lower)))

    @cached_property
    def poses(self) -> Array:
        """``(TABLE, 4, 4)``."""
        return self.arm.forward_kinematics(self.positions)

    def nearest(self, target: Array, weights: Array, first: int, last: int) -> Array:
        """Positions ``(poses, last - first, n)``: the nearest of the table from the ``first`` to before the ``last``.

        ``weights`` are those of positions and of rotations; a pose is as far as its matrix differs.
        """
        features = _features(self.poses, weights)
        size = (features**2).sum(axis=1)
        positions = np.empty((len(target), last - first, len(self.lower)))
        for begin in range(0, len(target), PIECE):
            chunk = slice(begin, begin + PIECE)
            distance = size - 2 * (_features(target[chunk], weights) @ features.T)
            order = np.argpartition(distance, last - 1, axis=1)[:, :last]
            rank = np.argsort(np.take_along_axis(distance, order, axis=1), axis=1)
            chosen = np.take_along_axis(order, rank, axis=1)[:, first:last]
            positions[chunk] = self.positions[chosen]
        return positions


def _features(pose: Array, weights: Array) -> Array:
    """Positions and rotations as rows of twelve numbers, by the root of their weights."""
    near, turn = np.sqrt(weights)
    flat = pose[:, :3, :].copy()
    flat[:, :, 3] *= near
    flat[:, :, :3] *= turn * np.sqrt(0.5)
    return flat.reshape(len(pose), 12)
