"""Payloads gripped or released during motion (Szkodny 1995, eqs 16a-c, and the impulse of the grip)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.inertia import Load

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LoadChange:
    """At ``time`` (s) the hand holds ``load``, or nothing (None).

    ``object_moves`` is the prior motion of a gripped object: True if it already moved with the hand (as on a conveyor),
    so that velocities are continuous; False if it was at rest, so that momentum is conserved, D_new qd_after = D_old
    qd_before.
    """

    time: float
    load: Load | None
    object_moves: bool = False


def velocity_after(change: LoadChange, before: Array, after: Array, qd: Array, picked: bool) -> Array:
    """Joint velocities after the change; ``before`` and ``after`` are the mass matrices."""
    if change.object_moves or not picked:
        return qd
    return np.asarray(np.linalg.solve(after, before @ qd), dtype=np.float64)
