"""A motion as states: positions, speeds and accelerations of the joints, with their times where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..systems.protocol import System

Array: TypeAlias = NDArray[np.float64]
Moved: TypeAlias = ArmDescription | System
"""What moves: an arm, or any system in its coordinates."""


@dataclass(frozen=True, eq=False)
class MotionSamples:
    """Positions, speeds and accelerations (m, n) at the times ``t`` (m,); ``t`` is None where only states are given."""

    name: str
    q: Array
    qd: Array
    qdd: Array
    t: Array | None = None

    @property
    def weights(self) -> Array:
        """The share of each moment in a mean over time; even where there are no times."""
        count = len(self.q)
        if self.t is None or count < 2:
            return np.full(count, 1.0 / max(count, 1))
        step = np.diff(self.t)
        weights = np.zeros(count)
        weights[:-1] += step / 2
        weights[1:] += step / 2
        return weights / weights.sum()


def checked(arm: Moved, motion: MotionSamples) -> MotionSamples:
    """The same with its arrays as (m, n), all finite."""
    shapes = {motion.q.shape, motion.qd.shape, motion.qdd.shape}
    if len(shapes) != 1 or motion.q.shape[-1:] != (arm.n,):
        raise ArmError(
            f"{arm.name}: q, qd and qdd of a motion must have one shape that ends in {arm.n}, got {sorted(shapes)}"
        )
    parts = [x.reshape(-1, arm.n) for x in (motion.q, motion.qd, motion.qdd)]
    if not len(parts[0]):
        raise ArmError(f"{arm.name}: {motion.name} has no moment in it")
    if not all(np.isfinite(x).all() for x in parts):
        raise ArmError(f"{arm.name}: {motion.name} has values that are not finite")
    return MotionSamples(motion.name, parts[0], parts[1], parts[2], motion.t)
