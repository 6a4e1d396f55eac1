"""Certified ranges of a ratio N/D of two functions, D of one sign.

N/D <= t for all states exactly if N - t D <= 0 for all states: a question about a trigonometric polynomial. With t
the best ratio found by search, the certified maximum of N - t D is a small number e >= 0, and N/D <= t + e / min|D|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..arm.errors import ArmError
from .bounds import Bounder
from .box import Box
from .ranges import MOST_BOXES, Range, least, range_of
from .waves import Wave

WORK = 1.0e7
"""Boxes times terms for the proof of one end."""


def ratio_range(
    top: Wave, bottom: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "",
    most_boxes: int = MOST_BOXES, work: float = WORK, floor: float | None = None,
) -> Range:  # fmt: skip
    """The certified range of ``top / bottom``; refused where ``bottom`` may vanish inside the box.

    ``work`` (boxes times terms) limits the proof of each end. ``floor`` is a proved lower bound above zero of
    ``bottom``, where one is known already.
    """
    if floor is None:
        top, bottom, floor = positive(top, bottom, box, name, most_boxes, work)
    starts = box.samples(512, 1)
    values = top(starts) / bottom(starts)
    if gap is None:
        gap = 1e-3 * max(float(values.max() - values.min()), 1e-9)
    joints = tuple(sorted(set(top.joints) | set(bottom.joints)))
    ends: list[tuple[float, NDArray[np.float64], float, int]] = []
    for sign in (1.0, -1.0):
        numerator = top if sign > 0 else -top
        at = search(numerator, bottom, box, starts[np.argsort(sign * values)[:4]])
        value = float(numerator(at) / bottom(at))
        difference = numerator - bottom.times(value)
        if difference.joints:
            found = least(difference, box, gap * floor, at[None], most_boxes, work, False)
            lowest, boxes = found.bound, found.boxes
        else:
            lowest, boxes = float(difference.c.real.sum()) - difference.slack, 0
        ends.append((sign * value, at, sign * (value + min(lowest, 0.0) / floor), boxes))
    (low, at_low, below, a), (high, at_high, above, b) = ends
    return Range(name, unit, low, high, at_low, at_high, below, above, gap * (1 + 1e-6), a + b, joints)


def positive(
    top: Wave, bottom: Wave, box: Box, name: str, most_boxes: int, work: float
) -> tuple[Wave, Wave, float]:  # fmt: skip
    """The same ratio with a denominator above zero, and what it is proved to stay above."""
    under = range_of(bottom, box, None, most_boxes=most_boxes, work=work)
    if under.lower <= 0 <= under.upper:
        sure = under.minimum <= 0 <= under.maximum
        why = "so it is not bounded" if sure else "as far as is proved, so no bound of it is"
        raise ArmError(
            f"{name or 'this ratio'} has a denominator between {under.lower:g} and {under.upper:g}, {why}; "
            "take a ratio to a quantity of one sign, or a smaller box"
        )
    if under.upper < 0:
        return -top, -bottom, -under.upper
    return top, bottom, under.lower


def search(top: Wave, bottom: Wave, box: Box, starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The position with the least ratio that local searches find."""
    above, below = Bounder(top, box.reach), Bounder(bottom, box.reach)
    bounds = [(None, None) if box.circle[j] else (box.lower[j], box.upper[j]) for j in range(len(box.lower))]

    def ratio(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        t, slope_t = above.value_and_gradient(x[above.joints])
        b, slope_b = below.value_and_gradient(x[below.joints])
        slope = np.zeros(len(x))
        slope[above.joints] += slope_t / b
        slope[below.joints] -= slope_b * (t / b**2)
        return t / b, slope

    best, least_value = starts[0], np.inf
    for start in starts:
        found = minimize(ratio, start, jac=True, method="L-BFGS-B", bounds=bounds)
        x = np.where(box.circle, (found.x + np.pi) % (2 * np.pi) - np.pi, np.clip(found.x, box.lower, box.upper))
        value = float(top(x) / bottom(x))
        if value < least_value:
            best, least_value = x, value
    return best
