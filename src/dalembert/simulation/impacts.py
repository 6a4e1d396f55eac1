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


def after_impact(
    mass: Array, qd: Array, sides: Mapping[int, int], restitution: float, slow: Array | float = SLOW
) -> Array:
    """qd+ of joints that touch their stops at these ``sides`` (-1 lower, 1 upper).

    A joint that is leaving its stop takes no part; ``slow`` touches do not bounce.
    """
    approaching = {joint: side for joint, side in sides.items() if side * qd[joint] >= 0}
    if not approaching:
        return qd
    rows, momentum = stop_rows(approaching, len(qd)), mass @ qd
    high = finite(np.full(len(rows), np.inf), momentum)
    approach = rows @ qd
    slow = slow[list(approaching)] if isinstance(slow, np.ndarray) else slow
    rebound = np.where(approach < -slow, restitution * approach, 0.0)
    impulse, _ = contact_forces(mass, momentum, rows, np.zeros(len(rows)), high, rebound)
    after = qd + np.linalg.solve(mass, rows.T @ impulse)
    for joint in approaching:
        if abs(after[joint]) <= 1e-14 * (1.0 + np.abs(qd).max()):
            after[joint] = 0.0
    return np.asarray(after, dtype=np.float64)
