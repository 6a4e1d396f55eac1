"""Certified ranges of a ratio N/D of two functions, D of one sign.

N/D <= t for all states exactly if N - t D <= 0 for all states: a question about a trigonometric polynomial. With t
the best ratio found by local search, the certified maximum of N - t D is a small number e >= 0, and
N/D <= t + e / min|D| (the parametric function of Dinkelbach 1967, used for a bound). Where the search for e takes too
much, t is moved by the gap, and the sign of N - t D is shown on grids (``grid_sign.py``).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .box import Box
from .grid_sign import FEWEST, never_negative
from .ranges import End, Range, least, range_of
from .search import descended_from
from .waves import OUTWARD, Wave

RATIO_WORK = 1.0e9
"""Work limit (control values) of the proof of one end of a ratio."""
QUICK = 1.0e8
"""Work of the boxes after which grids are tried where there are many joints."""
MOST_RATIOS = 6
"""Most ratios that are proved in turn for one end."""
WORTH = 0.25
"""Part of the gap by which a ratio has to be smaller for another proof."""
WIDER = (1.0, 4.0)
"""Multiples of the gap that grids are to show, in turn."""
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
    with np.errstate(over="ignore"):
        values = top(starts) / bottom(starts)
    if not np.isfinite(values).all():
        raise ArmError(f"{name or 'this ratio'} is beyond a computer's numbers; give the arm masses and lengths of SI")
    gap = GAP if gap is None else gap
    if not gap > 0:
        raise ArmError(f"the gap of a range must be above zero, not {gap!r}")
    gap *= max(float(values.max() - values.min()), 1e-9)
    joints = tuple(sorted(set(top.joints) | set(bottom.joints)))
    descents = 4
    if len(joints) >= FEWEST:  # a search that ends at another than the least ratio costs a proof
        starts, descents = box.samples(4096, 1), 12
        values = top(starts) / bottom(starts)
    ends: list[tuple[float, NDArray[np.float64], float, float]] = []
    for sign in (1.0, -1.0):
        numerator = top if sign > 0 else -top
        at = search(numerator, bottom, box, starts[np.argsort(sign * values)[:descents]])
        ends.append(_end(numerator, bottom, box, at, gap, floor, work, sign))
    (low, at_low, below, a), (high, at_high, above, b) = ends
    return Range(name, unit, low, high, at_low, at_high, below, above, gap * (1 + 1e-6), a + b, joints)


def _end(
    top: Wave, bottom: Wave, box: Box, at: NDArray[np.float64], gap: float, floor: float, work: float, sign: float
) -> tuple[float, NDArray[np.float64], float, float]:
    """The least ratio attained, where, what is proved of it, and the work; the first and the third times ``sign``.

    A proof may meet a position of smaller ratio than the search did. It is then tried again with the t of that
    position, as in the iteration of Dinkelbach (1967): each bound holds by itself, and the best of them is kept. Boxes
    come first. With many joints, what they leave open is left to grids, and what these leave open to more boxes.
    """
    best, used = -np.inf, 0.0
    value = float(top(at) / bottom(at))
    proofs = [partial(by_boxes, top, bottom, box, gap=gap, floor=floor, work=work)]
    if len(set(top.joints) | set(bottom.joints)) >= FEWEST and work > QUICK:
        quick = partial(by_boxes, top, bottom, box, gap=gap, floor=floor, work=QUICK)
        proofs = [
            quick,
            *(partial(by_grids, top, bottom, box, gap=factor * gap, work=work) for factor in WIDER),
            *proofs,
        ]
    for proof in proofs:
        for _ in range(MOST_RATIOS):
            end = proof(at, value)
            best, used = max(best, end.bound), used + end.work
            better, previous = float(top(end.at) / bottom(end.at)), value
            if better < value:
                at, value = end.at, better
            if value - best <= gap or previous - better < WORTH * gap:
                break
            descended = search(top, bottom, box, at[None])
            if (lower := float(top(descended) / bottom(descended))) < value:
                at, value = descended, lower
        if value - best <= gap:
            break
    return sign * value, at, sign * best, used


def by_boxes(
    top: Wave, bottom: Wave, box: Box, at: NDArray[np.float64], value: float, gap: float, floor: float, work: float
) -> End:
    """N/D >= t + min(N - t D) / min D with t = ``value``, and the position of the least N - t D met."""
    difference = top - bottom.times(value)
    if not difference.joints:
        off = OUTWARD * difference.slack * difference.stretch(box.reach)
        return End(value, at, lowered(value, float(difference.c.real.sum()) - off, floor), 0.0)
    end = least(difference, box, gap * floor, at[None], work, False)
    return End(value, end.at, lowered(value, end.bound, floor), end.work)


def by_grids(
    top: Wave, bottom: Wave, box: Box, at: NDArray[np.float64], value: float, gap: float, work: float
) -> End:  # fmt: skip
    """N/D >= t with t = ``value`` - ``gap`` where grids show N - t D >= 0; there is room for it where D is large."""
    ratio = value - gap
    sign = never_negative(top - bottom.times(ratio), box, at, work)
    return End(value, at if sign.below is None else sign.below, ratio if sign.shown else -np.inf, sign.work)


def lowered(value: float, end: float, floor: float) -> float:
    """A lower bound of N/D where N - value D >= ``end`` and D >= ``floor``."""
    return float(np.nextafter(value + OUTWARD * end / floor, -np.inf)) if end < 0 else value


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
