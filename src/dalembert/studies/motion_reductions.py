"""What is left of a result along a motion: numbers of each design, of all its moments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..design.motion_samples import MotionSamples

Array = NDArray[np.float64]


def peak(values: Array, motion: MotionSamples) -> Array:
    """max over the moments of the magnitude, without an array of all magnitudes."""
    return np.asarray(np.maximum(values.max(axis=1), -values.min(axis=1)))


def largest(values: Array, motion: MotionSamples) -> Array:
    """max over the moments."""
    return np.asarray(values.max(axis=1))


def square(values: Array, motion: MotionSamples) -> Array:
    """The mean of the square over the time of the motion."""
    return np.asarray(np.einsum("btj,t->bj", values * values, motion.weights))


def work(values: Array, motion: MotionSamples) -> Array:
    """The mean of max(y qd, 0) over the time of the motion."""
    return np.asarray(np.einsum("btj,t->bj", np.maximum(values * motion.qd, 0.0), motion.weights))


REDUCTIONS: dict[str, Callable[[Array, MotionSamples], Array]] = {
    "peak": peak, "largest": largest, "square": square, "work": work,
}  # fmt: skip
"""The reductions by name; ``compile/cuda/motion_kernel.py`` has the same."""
