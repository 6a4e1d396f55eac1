"""Impacts on stops: impulses at all stops that are touched at one instant, together.

With C the rows of the touched stops (C qd is the speed away from them) and impulses p >= 0,

    qd+ = qd- + D^-1 C^T p,    C qd+ + e C qd- >= 0,  and = 0 where p > 0

(Moreau 1988; Newton's restitution e). Bounded friction has no impulse. With one e for all, energy is never gained, and
a joint that leans on its stop while another hits one is held in the same instant: nothing is left to hit again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..systems.sticking import contact_forces
from .modes import finite

Array = NDArray[np.float64]

SLOW = 1e-6
"""A touch below this speed (rad/s or m/s) is no bounce: bounces that follow each other ever faster end here."""


def stop_rows(sides: Mapping[int, int], n: int) -> Array:
    """C: -1 for an upper, 1 for a lower stop, joints in the order of ``sides``."""
    rows = np.zeros((len(sides), n))
    for k, (joint, side) in enumerate(sides.items()):
        rows[k, joint] = -side
    return rows


def rebound(rows: Array, qd: Array, restitution: float, slow: Array | float = SLOW) -> Array:
    """e C qd-, nothing for ``slow`` touches."""
    approach = rows @ qd
    return np.where(approach < -slow, restitution * approach, 0.0)


def after_impact(mass: Array, qd: Array, sides: Mapping[int, int], restitution: float) -> Array:
    """qd+ of joints that touch their stops at these ``sides`` (-1 lower, 1 upper)."""
    rows, momentum = stop_rows(sides, len(qd)), mass @ qd
    high = finite(np.full(len(rows), np.inf), momentum)
    impulse, _ = contact_forces(mass, momentum, rows, np.zeros(len(rows)), high, rebound(rows, qd, restitution))
    after = qd + np.linalg.solve(mass, rows.T @ impulse)
    for joint in sides:
        if abs(after[joint]) <= 1e-14 * (1.0 + np.abs(qd).max()):
            after[joint] = 0.0
    return np.asarray(after, dtype=np.float64)
