"""Certified ranges of a ratio N/D of two functions, D of one sign.

N/D <= t for all states exactly if N - t D <= 0 for all states: a question about a trigonometric polynomial. With t
the best ratio found by search, the certified maximum of N - t D is a small number e >= 0, and N/D <= t + e / min|D|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..arm.errors import ArmError
from .box import Box
from .ranges import MOST_BOXES, Range, least, range_of
from .waves import Wave


def ratio_range(
    top: Wave, bottom: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "",
    most_boxes: int = MOST_BOXES, work: float = 1.0e7,
) -> Range:  # fmt: skip
    """The certified range of ``top / bottom``; refused where ``bottom`` may vanish inside the box."""
    under = range_of(bottom, box, None, most_boxes=most_boxes, work=work)
    if under.lower <= 0 <= under.upper:
        raise ArmError(
            f"{name or 'this ratio'} has a denominator between {under.lower:g} and {under.upper:g}, "
            "so it is not bounded; "
            "take a ratio to a quantity of one sign, or a smaller box"
        )
    if under.upper < 0:
        top, bottom = -top, -bottom
    small = min(abs(under.lower), abs(under.upper))
    starts = box.samples(512, 1)
    values = top(starts) / bottom(starts)
    if gap is None:
        gap = 1e-3 * max(float(values.max() - values.min()), 1e-9)
    joints = tuple(sorted(set(top.joints) | set(bottom.joints)))
    ends: list[tuple[float, NDArray[np.float64], float, int]] = []
    for sign in (1.0, -1.0):
        numerator = top if sign > 0 else -top
        order = np.argsort(sign * values)[:6]
        at = search(numerator, bottom, box, starts[order])
        value = float(numerator(at) / bottom(at))
        difference = numerator - bottom.times(value)
        if difference.joints:
            found = least(difference, box, gap * small, np.concatenate([at[None], starts[order[:2]]]), most_boxes, work)
            lowest, boxes = found.bound, found.boxes
        else:
            lowest, boxes = float(difference.c.real.sum()) - difference.slack, 0
        ends.append((sign * value, at, sign * (value + min(lowest, 0.0) / small), boxes))
    (low, at_low, below, a), (high, at_high, above, b) = ends
    return Range(name, unit, low, high, at_low, at_high, below, above, gap * (1 + 1e-6), a + b, joints)


def search(top: Wave, bottom: Wave, box: Box, starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The position with the least ratio that local searches find."""
    bounds = [(None, None) if box.circle[j] else (box.lower[j], box.upper[j]) for j in range(len(box.lower))]
    best, least_value = starts[0], np.inf
    for start in starts:
        found = minimize(lambda x: float(top(x) / bottom(x)), start, method="L-BFGS-B", bounds=bounds)
        x = np.where(box.circle, (found.x + np.pi) % (2 * np.pi) - np.pi, np.clip(found.x, box.lower, box.upper))
        value = float(top(x) / bottom(x))
        if value < least_value:
            best, least_value = x, value
    return best
