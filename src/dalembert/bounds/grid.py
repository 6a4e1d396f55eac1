"""The largest value of a sum of magnitudes f = sum_j |w_j| over a box, by values on grids.

Joint by joint, the largest value of a function is at most that of a raised one at the points of a grid and a small part
of its moduli (``grid_axis.py``), and a sum of magnitudes is the largest of such functions. This costs little with six
joints or more, where boxes (``branch.py``) are too many; with few joints, boxes come closer. Where the waves have
factors that are not free of each other (``products.py``), f is the largest |sum_j y_j w_j| over these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .bernstein import degree
from .box import Box
from .branch import ProofError
from .compiled_grid import searched, to_real
from .grid_axis import GridAxis
from .grid_search import Grid, GridSearch
from .products import Single, SpeedProducts
from .waves import OUTWARD, Array, Complex, Wave, monomials, rescaled

UNIT = 2.0**-23
"""Twice the rounding unit of float32, in which the values on the grid are computed."""
FAR = 2.0**-50
"""More than a point of a grid and a multiple of it are off by, as a part of their magnitude (rad)."""
VANISHING = 2.0**-60
"""More than a coefficient can lose where its square is below the numbers of float32."""
FAULT = 1e-9
"""Part of the sum of all moduli by which a value computed in floats may be above a bound that holds."""
LARGEST = 20_000_000
"""Most coefficients of all waves together (4 bytes each, twice while they are laid out)."""
COARSEST, FINER, DEARER = 0.12, 2.0, 2.0
"""Gap that is shown first, as a part of the largest value met, how much smaller the next one is, and about how much
more work that one takes."""
MORE = 0.3
"""Part of the work that may be added for a bound where a goal cannot be shown."""
SURE = 0.02
"""Gap that is taken to be within reach of every sum."""
CLOSE, HOPE = 0.06, 1.5
"""Gap of a goal, as a part of the largest value met, below which larger gaps are shown first, and the multiple of the
work allowed that the goal may be expected to take from what these took."""
LEAST_GAP = 0.002
"""Least gap above the largest value met at which a goal is tried."""
CURVATURE_COST = 100.0
"""About how much work the bounds of second derivatives take, for each coefficient."""
BENT, BENT_WORK = (1.0, 2.0, 4.0), 0.5
"""Gaps for second derivatives, tried in turn, and the part of the work that all of them may take."""
BENT_AXES = 4
"""Axes whose second derivatives are bounded beforehand; along the others what is left of the waves tells enough."""
BENT_CLIMB = 2
"""Nets that go on from joint to joint where a large second derivative is looked for."""


class TooMuch(ArithmeticError):
    """The grid would take more work than is allowed."""


class SumOfMagnitudes:
    """sum_j |w_j| over a box, as one real tensor in the basis functions of all joints; with ``products`` the largest
    |sum_j y_j w_j|.
    """

    def __init__(
        self, waves: Sequence[Wave], box: Box, products: SpeedProducts | None = None, interpolated: bool = False
    ) -> None:
        joints = sorted({j for wave in waves for j in wave.joints})
        self.box, self.products, self.interpolated, self.used = box, products, interpolated, 0.0
        # positions of sliding joints are counted in their reach, so that every basis function is at most one
        self.reach = np.where(np.isfinite(box.reach) & (box.reach > 0), box.reach, 1.0)
        weights = [wave.size * monomials(self.reach[None], wave.p)[0] for wave in waves]
        moving = {j: sum(float(w[_moves(wave, j)].sum()) for w, wave in zip(weights, waves, strict=True))
                  for j in joints}  # fmt: skip
        self.axes = [self._axis(j, waves) for j in sorted(joints, key=lambda j: -moving[j])]
        if len(waves) * prod(axis.size for axis in self.axes) > LARGEST:
            raise TooMuch("the waves have too many coefficients for a grid")
        self.tensor = self._tensor(waves)
        slack = sum(wave.slack * wave.stretch(box.reach) for wave in waves)
        # each step is a sum of a few products of numbers below one, whatever is in the tensor
        steps = sum(axis.size + 4 for axis in self.axes)
        # points far from zero, and the multiples of them whose sines are taken, are off by their last digits
        largest_angles = sum(axis.degree * self.reach[axis.joint] for axis in self.axes if not axis.slides)
        self.rounding = (
            OUTWARD * slack
            + (UNIT * (steps + 4) + FAR * float(largest_angles)) * float(np.abs(self.tensor).sum(dtype=np.float64))
            + VANISHING * self.tensor.size
        )
        terms = 0 if products is None else len(products.lane)
        self.relative = 1 + UNIT * (len(waves) + steps + terms + 16)

    def _axis(self, j: int, waves: Sequence[Wave]) -> GridAxis:
        slides = any(bool(wave.p[:, j].any()) for wave in waves)
        highest = max(degree(wave, j) for wave in waves)
        low, high, scale = float(self.box.lower[j]), float(self.box.upper[j]), float(self.reach[j])
        if slides:
            return GridAxis(j, highest, True, low / scale, high / scale, False)
        return GridAxis(j, highest, False, low, high, bool(self.box.circle[j]), self.interpolated)

    def _tensor(self, waves: Sequence[Wave]) -> Single:
        """Coefficients by basis functions, one axis for each joint, the waves last."""
        shape = [axis.size for axis in self.axes]
        degrees = [None if axis.slides else axis.degree for axis in self.axes]
        real = np.empty((len(waves), *shape), np.float32)
        for number, wave in enumerate(waves):  # one after the other: complex numbers take four times as much memory
            dense = np.zeros(shape, np.complex128)
            c: Complex = wave.c * monomials(self.reach[None], wave.p)[0]
            for sign, half in ((1, c / 2), (-1, np.conj(c) / 2)):
                index = tuple(
                    wave.p[:, axis.joint] if axis.slides else sign * wave.k[:, axis.joint] + axis.degree
                    for axis in self.axes
                )
                np.add.at(dense, index, half)
            real[number] = to_real(dense[None], degrees)[0]
        return np.ascontiguousarray(np.moveaxis(real, 0, -1))

    def position(self, at: Array) -> Array:
        """The position of all joints, given one number for each axis; joints without an axis are at the centre."""
        position = self.box.centre.copy()
        for axis, x in zip(self.axes, at, strict=True):
            position[axis.joint] = x * (self.reach[axis.joint] if axis.slides else 1.0)
        return position

    def grid(self) -> Grid:
        """The sum as it is searched."""
        unknown = np.full(len(self.axes), np.inf)
        return Grid(self.axes, self.tensor, self.rounding, self.relative, unknown, self.products)

    def curvature(self, work: float) -> Array:
        """Bounds of sum |d^2 w / dx^2| along the first interpolated axes; infinity along the others, and where they
        take too much work.
        """
        bounds = np.full(len(self.axes), np.inf)
        for number, axis in enumerate(self.axes[:BENT_AXES] if self.interpolated and len(self.axes) > 2 else ()):
            bent = np.moveaxis(self.tensor, number, -2) * axis.bend.astype(np.float32)[:, None]
            if axis.slides:  # the second derivative of x^p has the power p - 2
                bent = np.roll(bent, -2, axis=-2)
            # this axis comes last: its pairs are bounded whatever its position
            axes = [*self.axes[:number], *self.axes[number + 1 :], axis]
            largest_bend, unknown = float(axis.bend.max(initial=0.0)), np.full(len(axes), np.inf)
            search = searched(Grid(axes, bent, largest_bend * self.rounding, self.relative, unknown, self.products))
            search.climb(BENT_CLIMB)
            limit = search.used + work * BENT_WORK / BENT_AXES
            for gap in BENT:
                bound = _bound_shown(search, gap, limit)
                if bound is not None:
                    bounds[number] = bound
                    break
            self.used += search.used
        return bounds


def _bound_shown(search: GridSearch, gap: float, limit: float) -> float | None:
    """A number that the sum is shown not to exceed, above the largest value met by ``gap`` at most; None where that
    takes too much work.
    """
    while search.used <= limit:
        most = (1 + gap) * search.best
        if search.show(most, limit):
            return OUTWARD * most
        if search.best <= most:  # no value above it was met: the grids there are do not show it
            return None
    return None


@dataclass(frozen=True)
class LargestSum:
    """A proved bound, the work (numbers computed), whether a grid was gone through at all, the largest value attained,
    where, if it is above the one that was known, and the least bound that the work allowed is likely to come to.

    Attained is with the factors of the waves as they are counted: of more than seven speeds some are free, and what the
    speeds themselves attain may be less.
    """

    bound: float
    work: float
    searched: bool
    attained: float
    at: Array | None = None
    within_reach: float = 0.0

    def scaled(self, exponent: int) -> LargestSum:
        """The same for the function times 2^exponent."""
        attained, reach = (float(np.ldexp(x, exponent)) for x in (self.attained, self.within_reach))
        return LargestSum(rescaled(self.bound, exponent, np.inf), self.work, self.searched, attained, self.at, reach)


def largest_sum(
    waves: Sequence[Wave], box: Box, known: float, gap: float, work: float, goal: float = np.inf,
    products: SpeedProducts | None = None,
) -> LargestSum:  # fmt: skip
    """The largest sum of magnitudes, or the largest |sum_j y_j w_j| with the factors of ``products``; ``known`` is
    attained, by these waves or with others beside them, ``gap`` relative to it, ``work`` a limit.

    Where there is a ``goal``, that alone is to be shown. Else, or where it cannot be, what is shown is above the
    largest value met by a gap that gets smaller until it is ``gap`` or the next one would take too much work; where a
    value above the goal is met, the first gap will do.
    """
    bound = OUTWARD * sum(wave.most(box.reach) for wave in waves)
    if not np.isfinite(bound):
        raise ArmError("a coefficient to be bounded is not a finite number; give the arm masses and lengths of SI")
    if not np.isfinite(box.reach[sorted({joint for wave in waves for joint in wave.joints})]).all():
        raise ArmError("a position goes without end; give its joint limits, or a box")
    if not known > 0 or not any(wave.joints for wave in waves):
        return LargestSum(bound, 0.0, True, known, None, bound)
    # scaled by a power of two, which is exact: float32 has no numbers below 1e-45
    exponent = int(np.frexp(bound)[1])
    waves = [wave.scaled(-exponent) for wave in waves]
    known, bound, goal = (float(np.ldexp(x, -exponent)) for x in (known, bound, goal))
    try:
        question = SumOfMagnitudes(waves, box, products)
    except TooMuch:
        return LargestSum(bound, 0.0, False, known, None, bound).scaled(exponent)
    if work < question.tensor.size:
        return LargestSum(bound, 0.0, False, known, None, bound).scaled(exponent)
    result = Ladder(question, known, bound, gap, work).climbed(goal)
    if result.at is not None:
        values = np.array([wave(result.at) for wave in waves])
        attained = float(np.abs(values).sum() if products is None else products.largest(values[None])[1][0])
        if attained > result.bound + FAULT * bound:
            raise ProofError(
                f"a sum of magnitudes of {attained:g} is attained where {result.bound:g} was proved to be the largest "
                f"(times 2^{exponent}): a fault of the proof, which is worth a report with the arm"
            )
        result = replace(result, attained=max(known, attained))
    return result.scaled(exponent)


class Ladder:
    """The steps by which one sum is bounded: a goal at once, or ever smaller gaps."""

    def __init__(self, question: SumOfMagnitudes, known: float, bound: float, gap: float, work: float) -> None:
        self.question, self.known, self.bound, self.gap, self.work = question, known, bound, gap, work
        self.search = searched(question.grid())
        self.search.best = OUTWARD * known + question.rounding
        self.search.climb()
        self.shown = False
        self.reach = 0.0
        """The smallest gap that the work is likely to reach."""

    def climbed(self, goal: float) -> LargestSum:
        """The bound, once all steps are done that there is work for; ``attained`` is what was known."""
        search = self.search
        if not np.isfinite(goal) or search.best > goal:
            self._gaps(self.work, goal)
        elif self._hopeful(goal) and self._show(goal / OUTWARD, self.work):
            self.bound, self.shown = goal, True
        elif not self.shown:
            self._gaps(search.used + MORE * self.work, goal)
        at = None if search.at is None else self.question.position(search.at)
        reach = min(self.bound, (1 + max(self.reach, SURE)) * search.best)
        return LargestSum(self.bound, search.used, self.shown, self.known, at, reach)

    def _hopeful(self, goal: float) -> bool:
        """Whether a goal is likely to be shown with the work allowed: one close to the largest value met is judged by
        what larger gaps take, each of which is shown.
        """
        share = COARSEST
        while (gap := goal / self.search.best - 1) < min(CLOSE, share / FINER):
            used_before, most = self.search.used, (1 + share) * self.search.best
            if gap < LEAST_GAP or not self._show(most, self.work):
                return False
            self.bound, self.shown = min(self.bound, OUTWARD * most), True
            likely = (self.search.used - used_before) * DEARER ** (np.log(share / gap) / np.log(FINER))
            if self.search.used + likely > HOPE * self.work:
                return False
            share /= FINER
        return True

    def _gaps(self, limit: float, goal: float) -> None:
        share = COARSEST
        while True:
            used_before, most = self.search.used, (1 + share) * self.search.best
            while not (done := self._show(most, limit)) and self.search.best > most and self.search.used <= limit:
                most = (1 + share) * self.search.best  # a value above it was met: the gap is above that one
            if done:
                self.bound, self.shown = min(self.bound, OUTWARD * most), True
            spent = self.search.used - used_before
            if not done or share <= self.gap or self.search.used + spent * DEARER > limit or self.search.best > goal:
                return
            share = max(self.gap, share / FINER)

    def _show(self, most: float, limit: float) -> bool:
        """Whether the sum is shown to be at most ``most``."""
        search, used_before, best = self.search, self.search.used, self.search.best
        done = search.show(most, limit)
        gap, spent = most / max(best, search.best) - 1, max(search.used - used_before, 1.0)
        if gap > 0:
            # a step to half the gap takes DEARER times the work; what was not shown is out of reach
            self.reach = max(gap * FINER ** -(np.log(self.work / spent) / np.log(DEARER)), 0.0 if done else 1.1 * gap)
        return done


def _moves(wave: Wave, joint: int) -> NDArray[np.bool_]:
    """The terms that depend on a joint."""
    return np.asarray((wave.k[:, joint] != 0) | (wave.p[:, joint] != 0))
