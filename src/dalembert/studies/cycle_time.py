"""The shortest time in which each design goes through a path within the limits of its joints and motors."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError, PhysicalWarning
from ..drives.motor_limits import motor_limits

if TYPE_CHECKING:
    from .design_numbers import Designed
    from .evaluator import DesignEvaluator
    from .outputs import Columns, Output

Array = NDArray[np.float64]

FASTEST, SLOWEST = 1e3, 1e-3
"""Paces of a motion between which its cycle time is looked for, as multiples of the pace that is given."""
HALVINGS = 50
BLOCK = 1 << 20
"""States at which torques of motors are worked out at once."""


def cycle_columns(output: Output, system: Designed) -> Columns:
    """One column; refused where nothing ends the pace of a joint."""
    motors = motor_limits(system)
    by_motors = motors is not None and motors.known.all()
    if not by_motors and not (np.isfinite(system.effort_limits) | np.isfinite(system.velocity_limits)).all():
        raise ArmError(
            f"output {output.name!r}: a joint has no limit of effort, nor of velocity; give one in the arm's file"
        )
    return (("", "s"),)


def cycle_time(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """The shortest time (s) of the path of the motion, all of it sped up or slowed down alike, within the limits.

    At pace k speeds are k qd and accelerations k^2 qdd; the largest pace at which no torque and no speed exceeds its
    limit, and no motor its own limits (``drives/motor_limits.py``), is bracketed by doublings and found by
    halving the bracket.
    """
    effort, speed = study.limits(values)
    motors = MotorsOfDesigns(study, values)
    motion = study.motion
    fastest = np.abs(motion.qd).max(axis=0)

    def fits(pace: Array) -> NDArray[np.bool_]:
        within = (study.reduced("inverse_dynamics", "peak", values, pace=pace) <= effort).all(axis=1)
        return within & (pace[:, None] * fastest <= speed).all(axis=1) & motors.within(pace)

    low, high = np.full(len(values), SLOWEST), np.ones(len(values))
    possible = fits(low)
    for _ in range(math.ceil(math.log2(FASTEST))):
        faster = fits(high)
        low, high = np.where(faster, high, low), np.where(faster, 2 * high, high)
    possible &= ~fits(high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        within_limits = fits(middle)
        low, high = np.where(within_limits, middle, low), np.where(within_limits, high, middle)
    return np.where(possible, study.duration / low, np.nan)[:, None]


class MotorsOfDesigns:
    """Limits and speeds of the motors of many designs, along a motion."""

    def __init__(self, study: DesignEvaluator, values: Array) -> None:
        self.study, self.values = study, values
        self.limited = motor_limits(study.system) is not None
        if not self.limited:
            return
        # Of an arm motors turn by their ratios; of a mechanism by all that its loops depend on.
        names = study.factors.names
        shaping = [not study.is_arm or name.startswith("motor.") or name.endswith(".multiplier") for name in names]
        _, first, self.kind = np.unique(values[:, shaping], axis=0, return_index=True, return_inverse=True)
        self.kind = self.kind.reshape(-1)  # some versions of NumPy give a column
        tables = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicalWarning)
            for value in values[first]:
                system = study.design(value)
                limits = motor_limits(system)
                assert limits is not None, "no number of a description makes a limit unknown"
                speeds = system.motor_velocities(study.motion.q, study.motion.qd)
                pace = _largest_pace(limits.speed, speeds)
                tables.append((limits.torque, limits.supply, limits.drag * speeds, pace))
        self.torque, self.supply, self.drag, self.pace = (np.stack(parts) for parts in zip(*tables, strict=True))

    def within(self, pace: Array) -> NDArray[np.bool_]:
        """Whether no motor exceeds its torque, its supply or its speed at a pace for each design."""
        if not self.limited:
            return np.ones(len(pace), dtype=bool)
        size = max(1, BLOCK // len(self.study.motion.q))
        blocks = [slice(first, first + size) for first in range(0, len(pace), size)]
        return np.concatenate([self._block(pace[block], block) for block in blocks])

    def _block(self, pace: Array, block: slice) -> NDArray[np.bool_]:
        kind = self.kind[block]
        torque = self.study.paced("motor_torques", self.values[block], pace)
        by_torque = np.abs(torque).max(axis=1) <= self.torque[kind]
        by_supply = np.abs(torque + pace[:, None, None] * self.drag[kind]).max(axis=1) <= self.supply[kind]
        return np.asarray((by_torque & by_supply).all(axis=1) & (pace <= self.pace[kind]))


def _largest_pace(largest: Array, speeds: Array) -> float:
    """The pace at which the first motor comes to its largest speed, from speeds ``(moments, motors)``."""
    with np.errstate(divide="ignore"):
        return float((largest / np.abs(speeds).max(axis=0)).min())
