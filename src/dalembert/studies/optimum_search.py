"""The search for a best design: a peak as the least s with f_k(x) <= s for all of its pieces k.

Pieces far below the peak wait outside of that problem (``least_peak.py``) until they matter. A worst case over all
poses has endlessly many: the certified range of each best design so far names the pose that is missing (the exchange
method of Blankenship and Falk 1976), until the proved bound meets the value. A search whose ends all exceed the limits
begins again where the limits are exceeded least: an optimizer of an objective within limits that contradict each other
about its start stops anywhere, and that of the excess is never without a point that is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..bounds.ranges import Range
from ..design.analysis import Analysis
from .least_peak import STILL, LeastPeak, least_peak
from .optimum_terms import SMOOTH, TORQUES, DesignTerms, ImpossibleDesign, Pieces, Smooth
from .search_course import Progress, SearchCourse

Array = NDArray[np.float64]
Limit = tuple[str, Sequence[str], float | Sequence[float]]
"""Kind, joints (all where none is named) and the most that is allowed: one number, or for peaks one for each joint."""

NEAR = 0.5
"""Pieces below this share of the peak are left out of a round."""
ROUNDS = 30
SCREENED = 6
"""Two to this power points are tried before the best of them are starts."""
NEARLY = 2
"""Points of these that exceed the limits least are tried where no search has ended within them."""
CLOSE = 1e-6
"""How near, relatively, a proved worst case has to come to the value of the optimum."""
ROUNDING = 1e-12
"""Share of the largest objective met that rounding may make of zero."""


class SearchEnd(NamedTuple):
    """Where a search ended: a point of the cube, its objective, and the certified range."""

    unit: NDArray[np.float64]
    value: float
    feasible: bool
    """Whether it keeps the limits."""
    met: bool
    """Whether no step betters it."""
    bound: Range | None


class DesignSearch:
    """One problem: the objective as pieces or as a smooth function, and the limits as smooth constraints."""

    def __init__(
        self, terms: DesignTerms, objective: str, joints: Sequence[str], weights: Sequence[float] | None,
        coefficient: str, box: Mapping[str | int, tuple[float, float]] | None, limits: Sequence[Limit],
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self.terms, self.objective, self.coefficient, self.box = terms, objective, coefficient, box
        if objective == "range":
            terms.parsed(coefficient)
            Analysis(terms.system, box)
        elif objective != "mass":
            _ = terms.motion  # refused where there is none
        self.rows = terms.rows(objective, joints)
        self.weighted = weights is not None
        self.weights = terms.weights(objective, weights, self.rows)
        factors = terms.factors.factors
        high = np.array([factor.high for factor in factors], dtype=float)
        low, least = np.array([factor.low for factor in factors], dtype=float), terms.factors.least
        self.low = np.where(high > least, np.maximum(low, least), low)
        self.wide = high - self.low
        self.poses = np.empty((0, terms.system.n))
        self.limits = [(limit[0], self._limit(*limit)) for limit in limits]
        self.rounds = 0
        self.course = SearchCourse(progress)
        self.least: SearchEnd | None = None
        """The best design met so far that keeps the limits; of a worst case, of those whose range is certified."""
        self.largest = 0.0
        """The largest objective of an end of a search."""
        self.spread = np.empty((0, len(factors)))
        """Points of the cube, spread over it, that may be starts."""
        self.chosen: set[int] = set()
        """Pieces of the objective that the optimizer sees."""

    @property
    def unit(self) -> str:
        """Unit of the objective: "1" where it is set against weights, none where joints have different ones."""
        if self.weighted:
            return "1"
        return self.terms.unit(self.objective, self.rows)

    def _limit(self, kind: str, joints: Sequence[str], largest: float | Sequence[float]) -> Callable[[Array], Pieces]:
        """g(x) <= 0 as pieces, each a share of what is allowed."""
        if kind not in (*TORQUES, *SMOOTH):
            raise ArmError(f"no limit {kind!r:.60}; there are {', '.join((*TORQUES, *SMOOTH))}")
        terms, rows = self.terms, self.terms.rows(kind, joints)
        if kind != "mass":
            _ = terms.motion  # refused where there is none
        if kind in TORQUES:
            largest_of = np.array(largest, dtype=float)
            if largest_of.shape not in ((), (len(rows),)) or not (np.isfinite(largest_of) & (largest_of > 0)).all():
                raise ArmError(
                    f"the most that is allowed of {kind} is one number above zero, or one for each of {len(rows)}, "
                    f"not {largest!r:.60}"
                )
            allowed = np.broadcast_to(largest_of, (len(rows),))

            def peaks(x: Array) -> Pieces:
                values, slopes = terms.peak(x, kind, rows, allowed)
                return values - 1, slopes

            return peaks
        if np.ndim(largest) or not np.isfinite(scale := float(np.asarray(largest, dtype=float))) or scale <= 0:
            raise ArmError(f"the most that is allowed of {kind} is one number above zero, not {largest!r:.60}")

        def smooth(x: Array) -> Pieces:
            value, slope = self._smooth(kind, x, rows)
            return np.array([value / scale - 1]), slope[None] / scale

        return smooth

    def _smooth(self, kind: str, x: Array, rows: Sequence[int], weights: Array | None = None) -> Smooth:
        if kind == "energy":
            return self.terms.energy(x, rows)
        if kind == "mass":
            return self.terms.mass(x)
        return self.terms.rms_torque(x, rows, np.ones(len(rows)) if weights is None else weights)

    def pieces(self, x: Array) -> Pieces:
        """What the objective is the largest of."""
        self._report()
        if self.objective == "range":
            return self.terms.coefficient(x, self.coefficient, self.poses)
        if self.objective in TORQUES:
            pieces = self.terms.peak(x, self.objective, self.rows, self.weights)
        else:
            value, slope = self._smooth(self.objective, x, self.rows, self.weights)
            pieces = np.array([value]), slope[None]
        self._met(x, float(pieces[0].max()))
        return pieces

    def _met(self, x: Array, value: float, bound: Range | None = None) -> None:
        """Keep this design if it is the best so far that keeps the limits: an interrupt ends with it."""
        unit = (x - self.low) / self.wide
        within = bool((np.abs(unit - 0.5) <= 0.5 + STILL).all())
        if within and value < (np.inf if self.least is None else self.least.value) and self.excess(x) <= CLOSE:
            self.least = SearchEnd(np.clip(unit, 0, 1), value, True, False, bound)

    def _report(self) -> None:
        if self.least is None:
            self.course.tell()
            return
        unit = self.unit if self.least.bound is None else self.least.bound.unit
        self.course.tell(f", best so far {self.least.value:.4g} {unit if unit != '1' else ''}".rstrip())

    def starts(self, count: int, seed: int) -> list[Array]:
        """The present design, and the best of points spread over the cube between the ends.

        A weight of zero mass is a place where no gradient says to where it should be moved; points inside know better.
        """
        from scipy.stats import qmc

        unit = np.clip((self.present - self.low) / self.wide, 0, 1)
        self.spread = qmc.Sobol(len(unit), rng=np.random.default_rng(seed)).random_base2(SCREENED)
        if count == 1:
            return [unit]
        self.course.begin("designs all over", 1 / (count + 1))
        if self.objective == "range":
            self.poses = Analysis(self.terms.system, self.box).samples
        best = self._least_of_spread(lambda x: self.pieces(x)[0].max() * (1 + max(self.excess(x), 0.0)), count - 1)
        self.poses = self.poses[:0]
        return [unit, *best]

    def _least_of_spread(self, judge: Callable[[Array], float], count: int) -> list[Array]:
        """Of the points spread over the cube those that can be, and are least by this judge."""
        values = []
        for x in self.low + self.wide * self.spread:
            try:
                values.append(float(judge(x)))
            except ImpossibleDesign:
                values.append(np.inf)
        order = [k for k in np.argsort(values, kind="stable") if np.isfinite(values[k])]
        return list(self.spread[order[:count]])

    def best(self, starts: Sequence[Array]) -> SearchEnd:
        """The best end of searches from all starts that can be; refused where none can.

        Where none keeps the limits, searches begin again where the limits are exceeded least.
        """
        ends, fault = self._ends(starts)
        if not ends:
            raise ArmError(f"{fault}; no design to start from can be: widen or shift the ends of the factors")
        if not any(end.feasible for end in ends):
            self.course.begin("designs that exceed the limits least", 1 / 2)
            limits = [self._in_cube(self._reporting(limit)) for _, limit in self.limits]
            near = [min(ends, key=self._rank).unit, *self._least_of_spread(self.excess, NEARLY)]
            ends += self._ends([least_peak(limits, (), unit).at for unit in near])[0]
        best = min(ends, key=self._rank)
        alike = [end for end in ends if end.met and end.value <= best.value + self._slack(best.value)]
        return min(alike, key=self._rank) if alike else best

    def _reporting(self, limit: Callable[[Array], Pieces]) -> Callable[[Array], Pieces]:
        """The same, reporting each design."""

        def reporting(x: Array) -> Pieces:
            self._report()
            return limit(x)

        return reporting

    def _ends(self, starts: Sequence[Array]) -> tuple[list[SearchEnd], ImpossibleDesign | None]:
        """Ends of the searches from all starts that can be, and why the first other one cannot."""
        ends, fault = [], None
        for k, start in enumerate(starts):
            self.course.begin(f"search {k + 1} of {len(starts)}", 1 / (len(starts) - k + 1))
            try:
                ends.append(self.run(start))
            except ImpossibleDesign as reason:
                fault = fault or reason
        return ends, fault

    def _rank(self, end: SearchEnd) -> tuple[bool, float]:
        """Ends that keep the limits come first, the best of them before; of others the one that is nearest to it."""
        return (False, end.value) if end.feasible else (True, self.excess(self.low + self.wide * end.unit))

    @cached_property
    def present(self) -> Array:
        """The factors as they are now."""
        present_values = {number.name: float(number.value) for number in self.terms.factors.numbers}
        factors = self.terms.factors.factors
        return np.array([1.0 if factor.relative else present_values[factor.numbers[0]] for factor in factors])

    def run(self, start: Array) -> SearchEnd:
        """From a point of the cube: the best one, with its objective and the proof."""
        unit, met = start, False
        self.chosen = set()
        ends = [self._end(unit)]
        for _ in range(ROUNDS):
            self.rounds += 1
            previous = unit
            unit, peak, met, reach = self._round(unit)
            end = self._end(unit)
            ends.append(end)
            slack = max(self._slack(end.value), end.bound.gap if end.bound is not None else 0.0)
            ended = reach >= 1 or np.abs(unit - previous).max() < STILL
            if ended and end.value <= peak + slack:
                break
        else:
            met = False
        last, best = ends[-1], min(ends, key=self._rank)
        bettered = best.value < last.value - self._slack(last.value) if last.feasible else best is not last
        # A local search need not end at its best design.
        return best if bettered else last._replace(met=met and last.feasible)

    def _end(self, unit: Array) -> SearchEnd:
        """A point with its objective, whether it keeps the limits, and of a worst case the certified range."""
        x, bound = self.low + self.wide * unit, None
        if self.objective == "range":
            bound = self._learn(unit)
            worst = max(bound.maximum, -bound.minimum)
            self._met(x, worst, bound)
        else:
            worst = float(self.pieces(x)[0].max())
        self.largest = max(self.largest, abs(worst))
        return SearchEnd(unit, worst, self.excess(x) <= CLOSE, False, bound)

    def _slack(self, value: float) -> float:
        """What tells no values apart: a balance that is exact leaves nothing but rounding of what it balances."""
        return max(CLOSE * abs(value), ROUNDING * self.largest)

    def _learn(self, unit: Array) -> Range:
        """The certified range of the coefficient for this design; the poses of its ends are pieces from now on."""
        self.course.tell(f", range of {self.coefficient} over all poses")
        certified = Analysis(self.terms.design(self.low + self.wide * unit), self.box).range_of(self.coefficient)
        self.poses = np.vstack([self.poses, certified.at_maximum, certified.at_minimum])
        return certified

    def excess(self, x: Array) -> float:
        """By which share of what is allowed the design exceeds a limit; below zero where it keeps all."""
        return max((float(limit(x)[0].max()) for _, limit in self.limits), default=-np.inf)

    def _round(self, unit: Array) -> LeastPeak:
        """The least s above all pieces that are near the peak, within the limits."""
        start, _ = self.pieces(self.low + self.wide * unit)
        scale = max(float(np.abs(start).max()), 1e-12)
        # Of a worst case all poses count: there are few, and each has been the worst of some design.
        near = (start >= NEAR * start.max() - 1e-12) | (self.objective == "range")
        # A piece that has been near the peak of some round stays: rounds that forget it could go in circles.
        self.chosen |= set(np.flatnonzero(near).tolist())
        chosen = sorted(self.chosen)

        def objective(x: Array) -> Pieces:
            values, slopes = self.pieces(x)
            return values[chosen] / scale, slopes[chosen] / scale

        limits = [self._in_cube(limit) for _, limit in self.limits]
        solution = least_peak([self._in_cube(objective)], limits, unit)
        return solution._replace(peak=scale * solution.peak)

    def _in_cube(self, function: Callable[[Array], Pieces]) -> Callable[[Array], Pieces]:
        """The same of the unit cube between the ends of the factors, with gradients to its points."""

        def of_unit(unit: Array) -> Pieces:
            values, slopes = function(self.low + self.wide * unit)
            return values, slopes * self.wide

        return of_unit
