"""The fastest way along a path under limits that are linear in s'' and s'^2 (Pham and Pham 2018, TOPP-RA).

With x = s'^2 and u = s'' constant over a step, x_{i+1} = x_i + 2 d_i u_i, and limits are rows

    low <= a u + b x <= high

at both ends of each step. Backwards, the interval of x from which the end can still be reached is found step by step;
forwards, the largest u that stays within these intervals is taken. Both are linear programs in two unknowns, here
solved exactly by eliminating u.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FLAT = 1e-12
"""Coefficients of u below this share of the largest do not bound it."""


@dataclass(frozen=True)
class PathLimits:
    """Rows ``a``, ``b``, ``low``, ``high`` ``(places, rows)`` and the largest x ``(places,)`` at places ``s``.

    ``jumps`` are steps, as short as one likes, in which the rows jump: u need not keep those of both sides at once.
    """

    s: Array
    a: Array
    b: Array
    low: Array
    high: Array
    largest_x: Array
    jumps: NDArray[np.bool_]


class NoSpeed(Exception):
    """At this place no speed keeps the limits."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def fastest(limits: PathLimits, first: float, last: float) -> tuple[Array, Array]:
    """x ``(places,)`` and u ``(places - 1,)`` of the fastest motion between these x at the ends."""
    rows = [_step_rows(limits, i) for i in range(len(limits.s) - 1)]
    reach = np.empty((len(limits.s), 2))
    reach[-1] = last, last
    if last > limits.largest_x[-1]:
        raise NoSpeed(len(limits.s) - 1)
    for i in reversed(range(len(limits.s) - 1)):
        reach[i] = _reachable(*rows[i], 2 * (limits.s[i + 1] - limits.s[i]), reach[i + 1], limits.largest_x[i])
        if not reach[i, 0] <= reach[i, 1]:
            raise NoSpeed(i)
    if not reach[0, 0] - 1e-12 <= first <= reach[0, 1] + 1e-12:
        raise NoSpeed(0)
    x, u = np.empty(len(limits.s)), np.empty(len(limits.s) - 1)
    x[0] = first
    for i in range(len(u)):
        double = 2 * (limits.s[i + 1] - limits.s[i])
        a, b, c = rows[i]
        slack = c - b * x[i]
        up = a > FLAT * np.abs(a).max(initial=1e-300)
        u_max = np.min(slack[up] / a[up], initial=np.inf)
        u_max = min(u_max, (reach[i + 1, 1] - x[i]) / double)
        x[i + 1] = np.clip(x[i] + double * u_max, reach[i + 1, 0], reach[i + 1, 1])
        u[i] = (x[i + 1] - x[i]) / double
    return x, u


def _step_rows(limits: PathLimits, i: int) -> tuple[Array, Array, Array]:
    """Rows a u + b x <= c of the limits at both ends of a step; of one in which they jump, at its beginning."""
    double = 2 * (limits.s[i + 1] - limits.s[i])
    rows = []
    for k in (i,) if limits.jumps[i] else (i, i + 1):
        a = limits.a[k] + (double * limits.b[k] if k > i else 0.0)
        for sign, bound in ((1.0, limits.high[k]), (-1.0, -limits.low[k])):
            finite = np.isfinite(bound)
            rows.append((sign * a[finite], sign * limits.b[k][finite], bound[finite]))
    a, b, c = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    return a, b, c


def _reachable(a: Array, b: Array, c: Array, double: float, target: Array, largest_x: float) -> tuple[float, float]:
    """The interval of x for which some u keeps the rows and leads into ``target``."""
    a, b, c = (np.append(x, y) for x, y in ((a, (double, -double)), (b, (1.0, -1.0)), (c, (target[1], -target[0]))))
    size = FLAT * np.abs(a).max()
    up, down, flat = a > size, a < -size, np.abs(a) <= size
    # (c - b x) / a is an upper bound of u where a > 0 and a lower one where a < 0; every pair leaves room for a u
    slope = (b[up] / a[up])[:, None] - (b[down] / a[down])[None, :]
    room = (c[up] / a[up])[:, None] - (c[down] / a[down])[None, :]
    slopes, rooms = np.append(slope.ravel(), b[flat]), np.append(room.ravel(), c[flat])
    scale = 1e-12 * np.maximum(np.abs(slopes).max(initial=0.0), 1e-300)
    above, below, none = slopes > scale, slopes < -scale, np.abs(slopes) <= scale
    if (rooms[none] < -1e-9 * (1 + np.abs(rooms).max(initial=0.0))).any():
        return 1.0, 0.0
    high = np.min(rooms[above] / slopes[above], initial=largest_x)
    low = np.max(rooms[below] / slopes[below], initial=0.0)
    if high < low <= high + 1e-9 * (1 + abs(high)):  # rounding where the interval is one point
        low = high
    return low, high
