"""Local search for the least value of a wave inside a box: attained values, never a proof.

L-BFGS-B (Byrd, Lu, Nocedal and Zhu 1995) after a batch of projected gradient steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .box import Box
from .waves import Array, Wave

ROUNDS = 30
"""Projected gradient steps of every start."""


def search(wave: Wave, box: Box, starts: Array, polish: bool = True) -> Array:
    """The best position of local searches from ``starts`` inside the box; ``polish`` refines it to full precision."""
    low, high = np.where(box.circle, -np.inf, box.lower), np.where(box.circle, np.inf, box.upper)
    scale = max(float(wave.size.max(initial=0.0)), 1e-300)
    rows = descended(wave, np.clip(starts, low, high), low, high, scale)
    best: Array = rows[int(np.argmin(wave(rows)))]
    if polish:
        from scipy.optimize import minimize  # SciPy takes its time: imported where it is used

        def scaled(x: Array) -> tuple[float, Array]:
            value, slope = wave.gradients(x[None])
            return float(value[0]) / scale, slope[0] / scale

        ends = [(None if np.isinf(a) else a, None if np.isinf(b) else b) for a, b in zip(low, high, strict=True)]
        end = minimize(scaled, best, jac=True, method="L-BFGS-B", bounds=ends, options={"ftol": 1e-15, "gtol": 1e-10})
        best = end.x if wave(end.x) <= wave(best) else best
    return inside(box, best)


def descended_from(function: Callable[[Array], tuple[float, Array]], box: Box, starts: Array) -> tuple[float, Array]:
    """The least value reached by descents from ``starts``, and its position; ``function`` gives value and gradient."""
    from scipy.optimize import minimize  # SciPy takes its time: imported where it is used

    ends = [(None, None) if box.circle[j] else (box.lower[j], box.upper[j]) for j in range(len(box.lower))]
    least, at = np.inf, starts[0]
    for start in starts:
        x = inside(box, minimize(function, start, jac=True, method="L-BFGS-B", bounds=ends).x)
        value = function(x)[0]
        if value < least:
            least, at = value, x
    return float(least), at


def inside(box: Box, x: Array) -> Array:
    """The same position with circular angles wrapped to [-pi, pi) and the others clipped to the box."""
    return np.where(box.circle, (x + np.pi) % (2 * np.pi) - np.pi, np.clip(x, box.lower, box.upper))


def descended(wave: Wave, x: Array, low: Array, high: Array, scale: float) -> Array:
    """Projected gradient descent of all rows of ``x``; a step grows after success and shrinks after failure."""
    x = x.copy()
    (value, slope), step = wave.gradients(x), np.full(len(x), 0.3)
    for _ in range(ROUNDS):
        trial = np.clip(x - step[:, None] * slope / scale, low, high)
        values, slopes = wave.gradients(trial)
        better = values < value
        x[better], value[better], slope[better] = trial[better], values[better], slopes[better]
        step = np.where(better, 1.7 * step, 0.35 * step)
    return x
