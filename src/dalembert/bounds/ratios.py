"""Certified ranges of a ratio N/D of two functions, D of one sign.

N/D <= t for all states exactly if N - t D <= 0 for all states: a question about a trigonometric polynomial. With t
the best ratio found by local search, the certified maximum of N - t D is a small number e >= 0, and
N/D <= t + e / min|D| (the parametric function of Dinkelbach 1967, used for a bound).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .box import Box
from .ranges import Range, least, range_of
from .search import descended_from
from .waves import OUTWARD, Wave

RATIO_WORK = 1.0e9
"""Work limit (control values) of the proof of one end of a ratio."""
MOST_RATIOS = 6
"""Most ratios that are proved in turn for one end."""
GAP = 1e-3
"""The default gap, as a share of the spread of sampled ratios: proofs of ratios cost more than those of ranges."""


def ratio_range(
    top: Wave, bottom: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "",
    work: float = RATIO_WORK, floor: float | None = None,
) -> Range:  # fmt: skip
    """The certified range of ``top / bottom``; refused where ``bottom`` may vanish inside the box.

    ``gap`` is a share of the spread of the ratio (1e-3 by default), ``work`` (control values) limits the proof of each
    end. ``floor`` is a proved lower bound above zero of ``bottom``, where one is known already.
    """
    if floor is None:
        top, bottom, floor = positive(top, bottom, box, name, work)
    starts = box.samples(512, 1)
    values = top(starts) / bottom(starts)
    gap = GAP if gap is None else gap
    if not gap > 0:
        raise ArmError(f"the gap of a range must be above zero, not {gap!r}")
    gap *= max(float(values.max() - values.min()), 1e-9)
    joints = tuple(sorted(set(top.joints) | set(bottom.joints)))
    ends: list[tuple[float, NDArray[np.float64], float, float]] = []
    for sign in (1.0, -1.0):
        numerator = top if sign > 0 else -top
        at = search(numerator, bottom, box, starts[np.argsort(sign * values)[:4]])
        ends.append(_end(numerator, bottom, box, at, gap, floor, work, sign))
    (low, at_low, below, a), (high, at_high, above, b) = ends
    return Range(name, unit, low, high, at_low, at_high, below, above, gap * (1 + 1e-6), a + b, joints)


def _end(
    top: Wave, bottom: Wave, box: Box, at: NDArray[np.float64], gap: float, floor: float, work: float, sign: float
) -> tuple[float, NDArray[np.float64], float, float]:
    """The least ratio attained, where, what is proved of it, and the work; the first and the third times ``sign``.

    The proof may meet a position of smaller ratio than the search did. N - t D is then proved again with the t of that
    position, as in the iteration of Dinkelbach (1967): each bound holds by itself, and the best of them is kept.
    """
    best, used = -np.inf, 0.0
    value = float(top(at) / bottom(at))
    for _ in range(MOST_RATIOS):
        difference = top - bottom.times(value)
        if not difference.joints:
            off = OUTWARD * difference.slack * difference.stretch(box.reach)
            best = max(best, value + min(float(difference.c.real.sum()) - off, 0.0) / floor)
            break
        end = least(difference, box, gap * floor, at[None], work, False)
        used += end.work
        best = max(best, value + min(end.bound, 0.0) / floor)
        better = float(top(end.at) / bottom(end.at))
        if value - best <= gap or not better < value:
            break
        at, value = end.at, better
        descended = search(top, bottom, box, at[None])
        if (lower := float(top(descended) / bottom(descended))) < value:
            at, value = descended, lower
    return sign * value, at, sign * best, used


def positive(top: Wave, bottom: Wave, box: Box, name: str, work: float) -> tuple[Wave, Wave, float]:
    """The same ratio with a positive denominator, and a proved positive lower bound of the denominator."""
    denominator = range_of(bottom, box, work=work)
    if denominator.lower <= 0 <= denominator.upper:
        vanishes = denominator.minimum <= 0 <= denominator.maximum
        why = "so it is not bounded" if vanishes else "as far as is proved, so no bound of it is"
        raise ArmError(
            f"{name or 'this ratio'} has a denominator between {denominator.lower:g} and {denominator.upper:g}, {why}; "
            "take a ratio to a quantity of one sign, or a smaller box"
        )
    if denominator.upper < 0:
        return -top, -bottom, -denominator.upper
    return top, bottom, denominator.lower


def search(top: Wave, bottom: Wave, box: Box, starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The position with the least ratio found by local searches from ``starts``."""

    def ratio(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        (t, up), (b, down) = ((v[0], slope[0]) for v, slope in (top.gradients(x[None]), bottom.gradients(x[None])))
        return float(t / b), up / b - down * (t / b**2)

    return descended_from(ratio, box, starts)[1]
