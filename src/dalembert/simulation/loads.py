"""A load gripped or dropped while the arm moves (Szkodny 1995, eqs 16a-c, and the impulse of the grip)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.inertia import Load

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LoadChange:
    """At ``time`` (s) the hand holds ``load``, or nothing (None).

    ``object_moves`` says what a gripped object did before: True, it already moved with the hand (as on a conveyor),
    and no velocity jumps; False, it stood still, and momentum is shared: D_new qd_after = D_old qd_before.
    """

    time: float
    load: Load | None
    object_moves: bool = False


def velocity_after(change: LoadChange, before: Array, after: Array, qd: Array, picked: bool) -> Array:
    """Joint velocities after the change; ``before`` and ``after`` are the mass matrices."""
    if change.object_moves or not picked:
        return qd
    return np.asarray(np.linalg.solve(after, before @ qd), dtype=np.float64)
