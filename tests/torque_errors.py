"""Errors of reduced models at random states."""

from __future__ import annotations

import numpy as np


def errors(model, count: int, seed: int = 0) -> np.ndarray:
    """The largest differences from what the system itself says, friction on both sides."""
    worst = np.zeros(model.n)
    exact = model.system.inverse_dynamics
    for part in range(max(1, count // 100_000)):
        q, qd, qdd = model.states.samples(min(count, 100_000), seed + part)
        worst = np.maximum(worst, np.abs(model.inverse_dynamics(q, qd, qdd) - exact(q, qd, qdd)).max(axis=0))
    return worst
