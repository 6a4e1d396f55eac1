"""Small motions about a motion or a rest: derivatives of the loads of a mechanism in its coordinates, exact.

    dT = I* dq'' + (dT/dq') dq' + (dT/dq) dq,

from the derivatives of the open chains' torques (Freeman 1985, eqs 2-201 ff), those of outer forces (2-206) to (2-208),
and the influence coefficients of first to third order (3-47), since T_q = X^T T_phi, phi' = X q' and
phi'' = X q'' + q'.X2 q'. A coordinate that turns has no position: its deviation is a small rotation, the one along its
column of X, and X2 and X3 are not symmetric then; their first index is that of the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arm.force import Force
from . import transfer
from .assembly import CoordinateTransfer
from .batch import Array

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class JointSlopes:
    """Loads of the open chains at a motion of the joints, ``(b, m)``, with their slopes to phi, phi' and phi''."""

    load: Array
    by_position: Array
    by_rate: Array
    by_acceleration: Array


def joint_slopes(
    mechanism: Mechanism, phi: Array, rate: Array, rate2: Array, loads: Sequence[Sequence[Force]]
) -> JointSlopes:
    """The loads of the chains under outer forces ``loads``, and their slopes, each ``(b, m, m)``."""
    by_position, by_rate, by_acceleration = np.zeros((3, len(phi), mechanism.m, mechanism.m))
    chains = mechanism.chains
    for numbers, joints, forces in zip(chains.numbers, chains.slices, loads, strict=True):
        slopes = numbers.torque_slopes(phi[:, joints], rate[:, joints], rate2[:, joints], forces)
        for total, slope in zip((by_position, by_rate, by_acceleration), slopes, strict=True):
            total[:, joints, joints] = slope
    if mechanism.elements:
        moved, rubbed = mechanism.elements.slopes(phi, rate, rate2)
        by_position, by_rate = by_position - moved, by_rate - rubbed
        by_acceleration = by_acceleration + mechanism.elements.inertia(phi)
    return JointSlopes(mechanism.joint_loads(phi, rate, rate2, loads), by_position, by_rate, by_acceleration)


def transferred(carried: CoordinateTransfer, qd: Array, qdd: Array, slopes: JointSlopes) -> tuple[Array, Array, Array]:
    """dT/dq, dT/dq' and dT/dq'' of T_q = X^T T_phi, each ``(b, n, n)``."""
    x, x2, x3 = carried.x, carried.x2, carried.x3
    assert x3 is not None
    turned = transfer.transposed(x)
    bend, turning = rate_slopes(carried, qd)
    bend2 = np.einsum("bmij,bj->bmi", x2, qdd) + np.einsum("bmijk,bj,bk->bmi", x3, qd, qd)
    lever = np.einsum("bmij,bm->bji", x2, slopes.load)
    moved = slopes.by_position @ x + slopes.by_rate @ bend + slopes.by_acceleration @ bend2
    damped = slopes.by_rate @ x + slopes.by_acceleration @ (bend + turning)
    return lever + turned @ moved, turned @ damped, turned @ slopes.by_acceleration @ x


def rate_slopes(carried: CoordinateTransfer, qd: Array) -> tuple[Array, Array]:
    """d(X q')/dq, and dX/dt; the same where coordinates have positions."""
    return np.einsum("bmij,bj->bmi", carried.x2, qd), np.einsum("bmij,bi->bmj", carried.x2, qd)


def derivatives(
    mechanism: Mechanism, phi: Array, qd: Array, qdd: Array, loads: Sequence[Sequence[Force]]
) -> tuple[Array, Array, Array]:
    """dT/dq, dT/dq' and dT/dq'' at joints ``phi`` ``(b, m)``, rates and accelerations of the coordinates."""
    carried = mechanism.assembly.carried(phi, 3)
    rate, rate2 = carried.joint_motion(qd, qdd)
    return transferred(carried, qd, qdd, joint_slopes(mechanism, phi, rate, rate2, loads))
