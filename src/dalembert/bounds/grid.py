"""The largest value of a sum of magnitudes f = sum_j |w_j| over a box, by values on a grid.

Linear interpolation of a function with second derivative at most B is off by h^2 B / 8 between points h apart. Between
the points of a grid over several joints, a sum of magnitudes, which is convex in its waves, is at most

    G + sum_j h_j^2 / 8 max sum |d^2 w / dx_j^2|,    G = max over the points of f.

The second derivatives of a trigonometric polynomial of degree n are at most n^2 times its largest value over whole
turns (Bernstein 1912). Hence M, the largest value over whole turns, has M <= G + sum_j h_j^2 / 8 (n_j^2 M + ...), and a
grid over the box alone needs only a rough M.

G is found joint by joint: once some joints stand at points of the grid, the moduli of what is left in the others bound
all that lies below, and most of the grid is never looked at. This costs little with six joints or more, where boxes
(``branch.py``) are too many; with few joints, boxes come closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, pi, prod, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .bernstein import degree
from .box import Box
from .waves import OUTWARD, Array, Complex, Wave, monomials

Single: TypeAlias = NDArray[np.float32]
UNIT = 2.0**-23
"""Twice the rounding unit of float32, in which the values on the grid are computed."""
AT_ONCE = 120_000
"""Numbers computed in one batch: about what fits in the processor's cache."""
LARGEST = 6_000_000
"""Most coefficients of all waves together."""
COARSEST, FINER, DEARER = 1.0, 2.0, 3.0
"""Share of the largest value that interpolation may add in the first grid, how much less in the next, and about how
much more work that one takes: fewer of its points are looked at."""
ROUGH = 0.8
"""The same for the grid over whole turns, whose result enters only with the squares of the spacings."""
SKIPPED, SKIPPED_ROUGH = 0.25, (1.0, 2.5)
"""Points whose value exceeds the largest one known by less than this part of what interpolation adds are skipped; over
whole turns the next number is tried where the one before takes too much work."""


class TooMuch(ArithmeticError):
    """The grid would take more work than is allowed."""


@dataclass(frozen=True)
class GridAxis:
    """One joint: its range, and sum |d^2 w / dx^2| <= ``slope`` M + ``extra``, M the largest value over whole turns."""

    joint: int
    degree: int
    slides: bool
    low: float
    high: float
    circle: bool
    slope: float
    extra: float

    @property
    def size(self) -> int:
        """Number of basis functions: 1, cos x, sin x, ..., or powers."""
        return self.degree + 1 if self.slides else 2 * self.degree + 1

    def basis(self, x: Array) -> Array:
        """The basis functions at positions."""
        if self.slides:
            return np.stack([x**p for p in range(self.degree + 1)], axis=1)
        rows = [np.ones_like(x)]
        for k in range(1, self.degree + 1):
            rows += [np.cos(k * x), np.sin(k * x)]
        return np.stack(rows, axis=1)

    def points(self, spacing: float, whole: bool) -> tuple[Array, float]:
        """Points at most ``spacing`` apart, ends of the range included, and how far apart they are.

        ``whole`` covers the whole turn.
        """
        if not self.slides and (whole or self.circle):
            count = max(3, ceil(2 * pi / spacing))
            turn: Array = self.low + 2 * pi / count * np.arange(count, dtype=np.float64)
            return turn, 2 * pi / count * (1 + 1e-9)
        count = max(1, ceil((self.high - self.low) / spacing))
        x: Array = np.linspace(self.low, self.high, count + 1).astype(np.float64)
        return x, (self.high - self.low) / count * (1 + 1e-9)


class SumOfMagnitudes:
    """sum_j |w_j| over a box, as one real tensor in the basis functions of all joints."""

    def __init__(self, waves: Sequence[Wave], box: Box) -> None:
        joints = sorted({j for wave in waves for j in wave.joints})
        self.box, self.n = box, len(box.lower)
        # positions of sliding joints are counted in their reach, so that every basis function is at most one
        self.reach = np.where(np.isfinite(box.reach), box.reach, 1.0)
        self.weights = [wave.size * monomials(self.reach[None], wave.p)[0] for wave in waves]
        moving = {j: sum(float(w[_moves(wave, j)].sum()) for w, wave in zip(self.weights, waves, strict=True))
                  for j in joints}  # fmt: skip
        self.axes = [self._axis(j, waves) for j in sorted(joints, key=lambda j: -moving[j])]
        if len(waves) * prod(axis.size for axis in self.axes) > LARGEST:
            raise TooMuch("the waves have too many coefficients for a grid")
        self.tensor = self._tensor(waves)
        self.crude = OUTWARD * float(sum(w.sum() for w in self.weights))
        slack = sum(wave.slack * wave.stretch(box.reach) for wave in waves)
        # each step is a sum of a few products of numbers below one, whatever is in the tensor
        steps = sum(axis.size + 4 for axis in self.axes)
        self.rounding = OUTWARD * slack + UNIT * (steps + 4) * float(np.abs(self.tensor).sum(dtype=np.float64))
        self.relative = 1 + UNIT * (len(waves) * max((axis.size for axis in self.axes), default=1) ** 2 + 16)
        self.ones, self.used, self.attained = np.ones(len(waves), np.float32), 0.0, 0.0
        self.at: Array | None = None

    def _axis(self, j: int, waves: Sequence[Wave]) -> GridAxis:
        slides = any(bool(wave.p[:, j].any()) for wave in waves)
        most = max(degree(wave, j) for wave in waves)
        power = [0.0] * (most + 1)
        for weight, wave in zip(self.weights, waves, strict=True):
            order = wave.p[:, j] if slides else np.abs(wave.k[:, j])
            for k in range(most + 1):
                power[k] += OUTWARD * float(weight[order == k].sum())
        low, high, scale = float(self.box.lower[j]), float(self.box.upper[j]), float(self.reach[j])
        if slides:
            extra = sum(p * (p - 1) * power[p] for p in range(2, most + 1))
            return GridAxis(j, most, True, low / scale, high / scale, False, 0.0, extra)
        # Harmonics above n apart: |f''| <= n^2 (M + their moduli) + k^2 times their moduli, for any n.
        choices = [
            (n * n, n * n * sum(power[n + 1 :]) + sum(k * k * power[k] for k in range(n + 1, most + 1)))
            for n in range(most + 1)
        ]
        guess = 0.3 * sum(power)
        slope, extra = min(choices, key=lambda choice: choice[0] * guess + choice[1])
        return GridAxis(j, most, False, low, high, bool(self.box.circle[j]), float(slope), OUTWARD * extra)

    def _tensor(self, waves: Sequence[Wave]) -> Single:
        """Coefficients by basis functions, one axis for each joint, the waves last."""
        shape = [axis.size for axis in self.axes]
        dense: Complex = np.zeros((len(waves), *shape), np.complex128)
        for row, wave in enumerate(waves):
            c = wave.c * monomials(self.reach[None], wave.p)[0]
            for sign, half in ((1, c / 2), (-1, np.conj(c) / 2)):
                index = tuple(
                    wave.p[:, axis.joint] if axis.slides else sign * wave.k[:, axis.joint] + axis.degree
                    for axis in self.axes
                )
                flat = np.ravel_multi_index(index, shape)
                dense[row] += (
                    np.bincount(flat, half.real, prod(shape)) + 1j * np.bincount(flat, half.imag, prod(shape))
                ).reshape(shape)
        for number, axis in enumerate(self.axes):
            if not axis.slides:
                dense = np.moveaxis(np.tensordot(_to_real(axis.degree), dense, (1, number + 1)), 0, number + 1)
        return np.ascontiguousarray(np.moveaxis(dense.real, 0, -1), np.float32)

    # -- values ----------------------------------------------------------------------------------

    def below(self, net: Single, axes: Sequence[GridAxis]) -> Single:
        """Bounds (points,) of the sum, whatever the positions of the joints that are left in ``net``."""
        size: Any = np.abs(net, out=net) if not axes else net
        for number, axis in enumerate(axes):
            rows = size.reshape(len(size), axis.size, -1)
            if axis.slides or axis.degree == 0:
                total = np.abs(rows).sum(axis=1)
            else:
                square = rows * rows
                pair = square[:, 1::2] + square[:, 2::2]
                np.sqrt(pair, out=pair)
                total = np.abs(rows[:, 0]) if not number else rows[:, 0].copy()
                for k in range(axis.degree):
                    total += pair[:, k]
            size = total
        # A product with ones is a sum, and much faster along a short axis. Lanes that such a product does not use may
        # raise the flag of an invalid value; what is no number bounds nothing.
        with np.errstate(invalid="ignore"):
            found = np.asarray(size.reshape(len(size), -1) @ self.ones)
        return np.where(np.isnan(found), np.float32(np.inf), found)

    def greatest(self, points: Sequence[Array], known: float, more: float, work: float) -> float:
        """An upper bound of the largest value on a grid: that value, or ``known`` + ``more`` where it is above."""
        tables = [axis.basis(x).astype(np.float32) for axis, x in zip(self.axes, points, strict=True)]
        best, margin = known, more + self.rounding
        limit, place = self.used + work, np.zeros(0, np.int16)

        def descend(net: Single, level: int, path: NDArray[np.int16]) -> None:
            nonlocal best, place
            table, shape = tables[level], net.shape
            step = max(1, AT_ONCE // (prod(shape[2:]) * len(table)))
            for begin in range(0, len(net), step):
                part = net[begin : begin + step]
                next_ = np.matmul(table, part.reshape(len(part), shape[1], -1)).reshape(-1, *shape[2:])
                self.used += next_.size
                if self.used > limit:
                    raise TooMuch("the grid takes more work than is allowed")
                bounds = self.below(next_, self.axes[level + 1 :])
                if level == len(tables) - 1:
                    top = int(bounds.argmax())
                    if bounds[top] > best:
                        best = float(bounds[top])
                        place = np.array([*path[begin + top // len(table)], top % len(table)], np.int16)
                    continue
                rows = np.flatnonzero(bounds > best + margin)
                if len(rows):
                    rows = rows[np.argsort(-bounds[rows])]
                    taken = np.concatenate(
                        [path[begin + rows // len(table)], (rows % len(table))[:, None].astype(np.int16)], axis=1
                    )
                    descend(next_[rows], level + 1, taken)

        descend(self.tensor[None], 0, np.zeros((1, 0), np.int16))
        self.attained, self.at = best - self.rounding, None
        if len(place):
            self.at = self.box.centre.copy()
            for axis, x, number in zip(self.axes, points, place, strict=True):
                self.at[axis.joint] = x[number] * (self.reach[axis.joint] if axis.slides else 1.0)
        # what was skipped is at most best + margin at the time, best only grew, and rounding is in the margin
        return self.relative * (best + margin + self.rounding)


@dataclass(frozen=True)
class LargestSum:
    """A proved bound, the work (numbers computed), whether a grid was gone through at all, and where the largest value
    was found, if it is above the one that was known.
    """

    bound: float
    work: float
    searched: bool
    at: Array | None = None


def largest_sum(waves: Sequence[Wave], box: Box, known: float, gap: float, work: float) -> LargestSum:
    """The largest sum of magnitudes; ``known`` is attained, ``gap`` relative to it, ``work`` a limit.

    Grids get finer until interpolation adds at most ``gap`` or the next one would take too much work.
    """
    bound, searched, at = OUTWARD * sum(wave.most(box.reach) for wave in waves), False, None
    if not np.isfinite(bound):
        raise ArmError("a coefficient to be bounded is not a finite number; give the arm masses and lengths of SI")
    if known <= 0 or not any(wave.joints for wave in waves):
        return LargestSum(bound, 0.0, True)
    # scaled by a power of two, which is exact: float32 has no numbers below 1e-45
    exponent = int(np.frexp(bound)[1])
    waves = [wave.scaled(-exponent) for wave in waves]
    known, bound = (float(np.ldexp(x, -exponent)) for x in (known, bound))
    try:
        question = SumOfMagnitudes(waves, box)
    except TooMuch:
        return LargestSum(float(np.ldexp(bound, exponent)), 0.0, False)
    most = question.crude
    narrow = [axis for axis in question.axes if not axis.slides and not axis.circle]
    for skipped in SKIPPED_ROUGH if narrow else ():
        try:
            most = _over(question, ROUGH, known, most, work / 4, skipped, True)
            break
        except TooMuch:
            continue
    try:
        share = COARSEST
        while True:
            before = question.used
            found = _over(question, share, known, most, work - before, SKIPPED)
            bound, searched = min(bound, found), True
            if question.at is not None and question.attained > known:
                known, at = question.attained, question.at
            most = most if narrow else min(most, found)
            next_cost = (question.used - before) * DEARER
            if share <= gap or question.used + next_cost > work:
                break
            share /= FINER
    except TooMuch:
        pass  # what was proved before stands
    return LargestSum(float(np.ldexp(bound, exponent)), question.used, searched, at)


def _over(
    question: SumOfMagnitudes, share: float, known: float, most: float, work: float, skipped: float,
    whole: bool = False,
) -> float:  # fmt: skip
    """A bound on the largest value, over the box or over ``whole`` turns, with interpolation adding about ``share``.

    ``most`` bounds the largest value over whole turns.
    """
    axes, points, slopes, extra = question.axes, [], 0.0, 0.0
    typical = min(most, 2 * known)
    for axis in axes:
        curvature = axis.slope * typical + axis.extra
        spacing = sqrt(8 * share * known / (len(axes) * curvature)) if curvature > 0 else np.inf
        x, apart = axis.points(min(spacing, 2.0), whole)
        points.append(x)
        slopes += apart**2 / 8 * axis.slope
        extra += apart**2 / 8 * axis.extra
    top = OUTWARD * question.greatest(points, known, skipped * share * known, work) + OUTWARD * extra
    bound = top + OUTWARD * slopes * most
    if (whole or all(axis.circle or axis.slides for axis in axes)) and slopes < 1:
        # the largest value over whole turns is on both sides: M <= G + extra + slopes M
        bound = min(bound, OUTWARD * top / (1 - slopes * OUTWARD))
    return float(min(bound, question.crude + question.rounding))


def _moves(wave: Wave, joint: int) -> NDArray[np.bool_]:
    """The terms that depend on a joint."""
    return np.asarray((wave.k[:, joint] != 0) | (wave.p[:, joint] != 0))


def _to_real(n: int) -> Complex:
    """From exponentials -n .. n to 1, cos x, sin x, ...: c e^(ikx) + d e^(-ikx) = (c + d) cos kx + i (c - d) sin kx."""
    matrix = np.zeros((2 * n + 1, 2 * n + 1), np.complex128)
    matrix[0, n] = 1
    for k in range(1, n + 1):
        matrix[2 * k - 1, [n - k, n + k]] = 1
        matrix[2 * k, [n - k, n + k]] = -1j, 1j
    return matrix
