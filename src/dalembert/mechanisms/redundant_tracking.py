"""A path of the hand followed by a redundant mechanism, open or closed (Freeman 1985, ch. IV, Fig. 4-4).

Each step is resolved in rates of the coordinates (4-65) to (4-70), carried to the joints by phi' = X q', put back onto
the closures, and corrected until the frame is there. What the hand leaves free follows wanted rates, or goes down the
slope of a criterion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arrays import one_state
from . import position
from .batch import Array

if TYPE_CHECKING:
    from .redundant import Redundant

Criterion = Callable[[Array], float]
"""What is to become small, as a function of the joints phi."""
CORRECTIONS = 12
THERE = 1e-12
STEP = 1e-5
"""Of the differences of a criterion (rad or m)."""


@dataclass(frozen=True)
class Resolved:
    """A motion along a path of the hand: times, joints, their rates, and how far the hand is off at most."""

    t: Array
    phi: Array
    rate: Array
    error: float


def track(
    redundant: Redundant,
    t: ArrayLike,
    poses: ArrayLike,
    phi: ArrayLike,
    secondary: ArrayLike | None,
    limits: bool,
    criterion: Criterion | None,
    gain: float,
) -> Resolved:
    """See ``Redundant.track``."""
    mechanism = redundant.mechanism
    times, targets = np.asarray(t, dtype=float), np.asarray(poses, dtype=float)
    if targets.shape != (len(times), 4, 4):
        raise ArmError(f"poses of the hand are ({len(times)}, 4, 4), one for each time; got shape {targets.shape}")
    wish = np.zeros((len(times), mechanism.n))
    if secondary is not None:
        wish = wish + np.broadcast_to(np.asarray(secondary, dtype=float), wish.shape)
    configuration = mechanism.closed_near(one_state(mechanism.m, "phi", phi))
    worst = 0.0
    joints, speeds = [], []
    for k, target in enumerate(targets):
        dt = times[k] - times[k - 1] if k else 1.0
        before = configuration
        for turn in range(CORRECTIONS):
            lack = redundant.error(configuration, target)
            if turn and np.abs(lack).max() < THERE:
                break
            push = None
            if k and not turn:
                push = wish[k] if criterion is None else wish[k] - gain * _slope(redundant, criterion, configuration)
            rates = redundant.rates(configuration, lack / dt, push, dt if limits else None)
            configuration = _moved(redundant, configuration, rates * dt, k)
        worst = max(worst, float(np.abs(redundant.error(configuration, target)).max()))
        joints.append(configuration)
        speeds.append((configuration - before) / dt if k else np.zeros_like(configuration))
    return Resolved(times, np.array(joints), np.array(speeds), worst)


def _moved(redundant: Redundant, phi: Array, step: Array, index: int) -> Array:
    """The joints after a step of the coordinates, closed again."""
    mechanism = redundant.mechanism
    ahead = phi + mechanism.influence(phi).first @ step
    solution, residual = position.newton(mechanism.assembly, ahead[None], None)
    if not position.closed(residual)[0] or np.abs(solution[0] - ahead).max() > position.LARGEST_STEP:
        raise ArmError(
            f"{mechanism.name}: the loops do not close on the way to pose {index}; take shorter steps, or keep away "
            f"from the edge of its reach"
        )
    return solution[0]


def _slope(redundant: Redundant, criterion: Criterion, phi: Array) -> Array:
    """Slope of the criterion along each coordinate, by differences along closed motions."""
    mechanism = redundant.mechanism
    directions = mechanism.influence(phi).first
    values = [
        [float(criterion(mechanism.closed_near(phi + sign * STEP * direction))) for sign in (1, -1)]
        for direction in directions.T
    ]
    slope = np.array([(ahead - behind) / (2 * STEP) for ahead, behind in values])
    if not np.isfinite(slope).all():
        raise ArmError("the criterion gave a value that is not finite; let it give numbers")
    return slope
