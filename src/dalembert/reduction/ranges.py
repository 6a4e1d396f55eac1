"""Certified ranges: the least and the greatest value of a function over a box, by branch and bound.

Boxes whose lower bound is above the best value found so far cannot hold the minimum; boxes on which a derivative
does not change sign hold it at most on a face of the whole box. What remains is halved. A local search gives the
attained end, the boxes the proved end, and the two differ by at most the gap that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..arm.errors import ArmError
from .bounds import Bounder
from .box import Box
from .grids import grid_bound
from .merge import merged
from .waves import Array, Wave

MOST_BOXES = 400_000
MOST_WORK = 3.0e7
"""Boxes times terms after which branch and bound stops, and a grid of ``FINE`` points is tried."""
MANY, LESS_WORK = 100, 4.0e6
"""Terms beyond which a proof seldom closes, and the work then spent on each end: about a second."""
FINE = 4_000_000
GAP = 1e-4


@dataclass(frozen=True, eq=False)
class Range:
    """The range of a function over a box.

    ``minimum`` and ``maximum`` are attained, at ``at_minimum`` and ``at_maximum`` (joints the function does not
    depend on rest at the middle of the box). ``lower`` and ``upper`` are proved: no state lies outside them.
    ``certified`` says that both gaps are at most ``tolerance``.
    """

    name: str
    unit: str
    minimum: float
    maximum: float
    at_minimum: NDArray[np.float64]
    at_maximum: NDArray[np.float64]
    lower: float
    upper: float
    tolerance: float
    boxes: int
    joints: tuple[int, ...]

    @property
    def gap(self) -> float:
        """The larger distance between a proved and an attained end."""
        return max(self.minimum - self.lower, self.upper - self.maximum)

    @property
    def certified(self) -> bool:
        return bool(self.gap <= self.tolerance)

    @property
    def largest(self) -> float:
        """The largest magnitude, attained."""
        return max(abs(self.minimum), abs(self.maximum))

    @property
    def bound(self) -> float:
        """The largest magnitude, proved."""
        return max(abs(self.lower), abs(self.upper))

    @property
    def relative(self) -> float:
        """Maximum over minimum, as in Bejczy 1974, Table 1; infinite where the minimum is not above zero."""
        return self.maximum / self.minimum if self.minimum > 0 else float("inf")


@dataclass(frozen=True)
class End:
    """One end: the least value found, where, and the proved bound below it."""

    value: float
    at: NDArray[np.float64]
    bound: float
    boxes: int


def range_of(
    wave: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "",
    most_boxes: int = MOST_BOXES, work: float | None = None, polish: bool = True,
) -> Range:  # fmt: skip
    """The certified range of a wave; ``gap`` is the tolerance (1e-4 of the spread of values by default).

    ``work`` (boxes times terms, for each end) limits the proof; see ``allowance``. What stays open then shows in
    ``gap``, and ``certified`` is False.
    """
    work = allowance(wave) if work is None else work
    if gap is not None and not gap > 0:
        raise ArmError(f"the gap of a range must be above zero, not {gap!r}")
    if not wave.joints:
        value = float(wave.c.real.sum()) if len(wave) else 0.0
        return Range(name, unit, value, value, box.centre, box.centre, value - wave.slack, value + wave.slack,
                     gap or max(wave.slack, 1e-12 * abs(value)), 0, ())  # fmt: skip
    depends, one = wave.joints, merged(wave, box)
    wave, box = one.wave, one.box
    starts = box.samples(512)
    values = wave(starts)
    if gap is None:
        gap = GAP * max(float(values.max() - values.min()), 1e-9 * wave.most(box.reach), 10 * wave.slack)
    low = least(wave, box, gap, starts[np.argsort(values)[:10]], most_boxes, work, polish)
    high = least(-wave, box, gap, starts[np.argsort(-values)[:10]], most_boxes, work, polish)
    if max(low.value - low.bound, high.value - high.bound) > gap:
        low, high = by_grid(wave, box, low, high)
    return Range(
        name, unit, low.value, -high.value, one.lifted(low.at), one.lifted(high.at), low.bound, -high.bound, gap,
        low.boxes + high.boxes, depends,
    )  # fmt: skip


def allowance(wave: Wave) -> float:
    """The work for one end of a range when nobody says: little for many terms, where more would not close the gap."""
    return MOST_WORK if len(wave) <= MANY else LESS_WORK


def by_grid(wave: Wave, box: Box, low: End, high: End) -> tuple[End, End]:
    """Ends that branch and bound did not reach, improved by values on a grid where that proves more."""
    middle = (low.value - high.value) / 2
    half, _ = grid_bound(wave - middle, box, FINE)
    lower, upper = max(low.bound, middle - half), max(high.bound, -middle - half)
    return End(low.value, low.at, lower, low.boxes), End(high.value, high.at, upper, high.boxes)


def least(
    wave: Wave, box: Box, gap: float, starts: Array, most_boxes: int = MOST_BOXES, work: float = MOST_WORK,
    polish: bool = True,
) -> End:  # fmt: skip
    """The least value with proof."""
    main, rest = trimmed(wave, box, gap / 8)
    if not main.joints:
        value = float(main.c.real.sum())
        at = search(wave, box, starts, polish)
        return End(float(wave(at)), at, value - rest - wave.slack, 0)
    bounder = Bounder(main, box.reach)
    joints = bounder.joints
    best_at = search(wave, box, starts, polish)
    # The search is on the whole wave; what was trimmed is accounted for in the bound.
    best = float(wave(best_at))
    target = float(main(best_at))
    lower, upper, circle = box.lower[joints], box.upper[joints], box.circle[joints]
    centre, half = ((lower + upper) / 2)[None], ((upper - lower) / 2)[None]
    done, used = np.inf, 0
    tolerance = gap - 2 * rest
    while len(centre):
        used += len(centre)
        found = bounder(centre, half, target - tolerance)
        index = int(np.argmin(found.value))
        if found.value[index] < target - 0.05 * tolerance:
            start = box.centre.copy()
            start[joints] = centre[index]
            at = search(wave, box, start[None], polish)
            if wave(at) < best:
                best, best_at = float(wave(at)), at
            target = min(target, float(main(at)), float(found.value[index]))
        floor = target - tolerance
        enough = found.lower >= floor
        if np.any(enough):
            done = min(done, float(found.lower[enough].min()))
        keep = ~enough
        if used > most_boxes or used * len(main) > work:
            done = min(done, float(found.lower.min()))
            break
        centre, half = centre[keep], half[keep]
        centre, half = monotone(centre, half, found.slope[keep], found.spread[keep], lower, upper, circle)
        if not len(centre):
            break
        centre, half = halved(centre, half, bounder)
    return End(best, best_at, min(done, target) - rest - wave.slack, used)


def trimmed(wave: Wave, box: Box, amount: float) -> tuple[Wave, float]:
    """The wave without its smallest terms, and a bound (at most ``amount``) on what they add up to."""
    reach = np.where(wave.p.any(axis=0), box.reach, 1.0)
    weight = wave.size * np.prod(reach[None] ** wave.p, axis=1)
    order = np.argsort(weight)
    dropped = np.cumsum(weight[order]) <= amount
    dropped &= np.asarray(wave.k.any(axis=1) | wave.p.any(axis=1))[order]
    if not dropped.any():
        return wave, 0.0
    keep = np.ones(len(wave), bool)
    keep[order[dropped]] = False
    return wave.kept(keep), float(weight[~keep].sum()) * (1 + 1e-9)


def monotone(
    centre: Array, half: Array, slope: Array, spread: Array, lower: Array, upper: Array, circle: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Boxes on which a derivative keeps its sign: dropped inside the whole box, reduced to its face at the edge."""
    keep = np.ones(len(centre), bool)
    centre, half = centre.copy(), half.copy()
    for j in range(centre.shape[1]):
        rising = (slope[:, j] > spread[:, j]) & (half[:, j] > 0)
        falling = (slope[:, j] < -spread[:, j]) & (half[:, j] > 0)
        for moving, edge, side in ((rising, lower[j], -1), (falling, upper[j], 1)):
            at_edge = moving & ~circle[j] & (np.abs(centre[:, j] + side * half[:, j] - edge) <= 1e-12 * (1 + abs(edge)))
            keep &= ~moving | at_edge
            centre[at_edge, j], half[at_edge, j] = edge, 0.0
    return centre[keep], half[keep]


def halved(centre: Array, half: Array, bounder: Bounder) -> tuple[Array, Array]:
    """Each box cut in two across the joint that matters most for its bound."""
    weight = bounder.wave.size @ (bounder.absolute + bounder.wave.p)
    curve = half @ (bounder.absolute.T + bounder.wave.p.T) * bounder.wave.size
    score = half * (curve @ (bounder.absolute + bounder.wave.p)) + 1e-30 * half * weight
    cut = np.argmax(score, axis=1)
    rows = np.arange(len(centre))
    half = half.copy()
    half[rows, cut] /= 2
    left, right = centre.copy(), centre.copy()
    left[rows, cut] -= half[rows, cut]
    right[rows, cut] += half[rows, cut]
    return np.concatenate([left, right]), np.concatenate([half, half])


def search(wave: Wave, box: Box, starts: Array, polish: bool = True) -> NDArray[np.float64]:
    """The best of local searches from these positions, inside the box; ``polish`` takes it to the last digits."""
    bounder = Bounder(wave, box.reach)
    joints = bounder.joints
    low, high = np.where(box.circle, -np.inf, box.lower)[joints], np.where(box.circle, np.inf, box.upper)[joints]
    scale = max(float(wave.size.max(initial=0.0)), 1e-300)
    rows = descended(bounder, starts[:, joints], low, high, scale)
    y = rows[int(np.argmin(bounder.values(rows)))]
    if polish:
        found = minimize(
            lambda x: float(bounder.values(x)) / scale,
            y,
            jac=lambda x: bounder.gradient(x) / scale,
            method="L-BFGS-B",
            bounds=[(None if np.isinf(a) else a, None if np.isinf(b) else b) for a, b in zip(low, high, strict=True)],
            options={"ftol": 1e-15, "gtol": 1e-10},
        )
        y = found.x if bounder.values(found.x) <= bounder.values(y) else y
    best = box.centre.copy()
    best[joints] = y
    return np.where(box.circle, (best + np.pi) % (2 * np.pi) - np.pi, np.clip(best, box.lower, box.upper))


def descended(bounder: Bounder, x: Array, low: Array, high: Array, scale: float, rounds: int = 30) -> Array:
    """All rows of ``x`` down the slope at once: steps as long as they help, longer after success, shorter after not."""
    x = x.copy()
    value, step = bounder.values(x), np.full(len(x), 0.3)
    for _ in range(rounds):
        slope = bounder.gradients(x) / scale
        trial = np.clip(x - step[:, None] * slope, low, high)
        found = bounder.values(trial)
        better = found < value
        x[better], value[better] = trial[better], found[better]
        step = np.where(better, 1.7 * step, 0.35 * step)
    return x
