"""Shows that a sum of magnitudes of waves stays below a number: the search over grids, joint by joint.

Where the waves have factors that are not free of each other (``products.py``), "sum" is the largest sum over these.

Let the first joints stand at points of their grids, with raised basis functions (``grid_axis.py``). Of what is left, a
function of the other joints, the moduli of the basis functions bound the sum, whatever the positions of all others, and
what it may have above the points of a grid of the next joint. Where the first is above what has to be shown, the next
joint gets a grid of its own, as fine as this place needs: the raised sum at its points has to be less by the second. So
grids are coarse where the sum is small.

This is the search in NumPy, for many nets at once; ``grid.c`` has the same steps for one net after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grid_axis import CELLS, GridAxis
from .products import Single, SpeedProducts
from .waves import Array

CLIMB = 12
"""Cells of the grid on which a large value is looked for, and how many nets go on from joint to joint unless told."""
TRIES = 40
"""How often a grid is made finer before the search gives up."""
GUESS, LEARNING = 0.6, 0.03
"""Part of a bound without positions that a largest sum comes to: at first, and how fast it follows what is met."""
AHEAD = 0.25
"""A grid is made for a sum as large as the one met and this part of what is left above it."""
AT_ONCE = 4_000_000
"""Numbers computed in one batch."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A sum of magnitudes: one tensor of coefficients, by basis functions of each axis, the waves last.

    ``relative`` times a number computed, plus ``rounding``, is no less than the number meant. ``curvature`` bounds the
    second derivatives along interpolated axes, infinity where nothing is known. ``products`` are the factors of the
    waves; None where all are free.
    """

    axes: list[GridAxis]
    tensor: Single
    rounding: float
    relative: float
    curvature: Array
    products: SpeedProducts | None = None

    def gain(self, products: SpeedProducts, centre: Single, enough: Array) -> tuple[Array, Array]:
        """By how much a sum whose waves have the values ``centre`` (points, waves), and anything beside them, is less
        than that of magnitudes, with the corners alone where these gain ``enough``; and what is attained at corners.

        |sum y (c + r)| <= |sum y c| + sum |r|. What rounding may take from the two sums is taken off.
        """
        sizes = np.abs(centre).sum(axis=1, dtype=np.float64)
        sure = sizes - 2 * (self.relative - 1) * sizes
        largest, attained = products.largest(centre, sure - enough)
        return np.maximum(sure - largest, 0.0), attained


@dataclass
class GridSearch:
    """One sum that is searched: the largest value met and its position (one number for each axis), and the work."""

    grid: Grid
    best: float = 0.0
    at: Array | None = None
    used: float = 0.0
    guess: Array = field(init=False)

    def __post_init__(self) -> None:
        self.guess = np.full(len(self.grid.axes) + 1, GUESS)

    def bends(self, curvature: Array) -> None:
        """From now on these bounds of the second derivatives are known."""
        self.grid = replace(self.grid, curvature=curvature)

    def show(self, most: float, limit: float) -> bool:
        """Whether the sum is shown to be at most ``most``, with at most ``limit`` numbers computed in all."""
        self._limit, self._record = limit, self.best
        net, raised = self.grid.tensor[None], np.ones(1)
        bound, bent, _ = self._below(net, 0, most, raised)
        if bound[0] <= most:
            return True
        hope = self.guess[0] * bound
        hope = np.where(hope < most, hope, 0.5 * most)
        return bool(self._nets_shown(0, net, np.array([most]), hope, bent, raised, np.zeros((1, 0))).good[0])

    def climb(self, width: int = CLIMB) -> None:
        """Looks for a large value: joint by joint the ``width`` nets with the largest bounds go on."""
        nets, positions = self.grid.tensor[None], np.zeros((1, 0))
        for level, axis in enumerate(self.grid.axes):
            x = axis.points(CLIMB)
            nets, positions = self._at_points(nets, axis.basis(x).astype(np.float32)), _extended(positions, x)
            bounds = self._below(nets, level + 1, -np.inf, np.ones(len(nets)))[0]
            order = np.argsort(-bounds, kind="stable")[:width]
            nets, positions = nets[order], positions[order]
        self._look(positions[0])

    def _look(self, position: Array) -> None:
        """What is attained at a position."""
        self._keep(float(self._values_at(0, self.grid.tensor[None], position[None], np.ones(1))[1][0]), position)

    def _keep(self, attained: float, position: Array) -> None:
        if attained > self.best:
            self.best, self.at = attained, position.copy()

    def _at_points(self, nets: Single, table: Single) -> Single:
        """Nets (P, size, ...) with their first axis at all points: (P points, ...)."""
        values = np.matmul(table, nets.reshape(len(nets), nets.shape[1], -1))
        self.used += values.size
        return np.asarray(values.reshape(-1, *nets.shape[2:]))

    def _values_at(self, level: int, nets: Single, positions: Array, raised: Array) -> tuple[Array, Array]:
        """Bounds of the sums with the axes from ``level`` on at a position for each net, none of them raised, and what
        is attained there.
        """
        for axis, x in zip(self.grid.axes[level:], positions.T, strict=True):
            rows = axis.basis(x).astype(np.float32)[:, None]
            nets = np.matmul(rows, nets.reshape(len(nets), axis.size, -1)).reshape(len(nets), *nets.shape[2:])
            self.used += nets.size
        bounds, _, attained = self._below(nets, len(self.grid.axes), -np.inf, raised)
        return bounds, attained

    def _below(self, nets: Single, level: int, enough: Array | float, raised: Array) -> tuple[Array, Array, Array]:
        """Bounds of the sum, whatever the positions of the axes from ``level`` on, of what counts for grids of the
        first of them, and what is attained where it is found on the way, else zero. Magnitudes will do where their sum
        is at most ``enough``; ``raised`` are the factors that rounding may have been multiplied with.
        """
        grid, rounding = self.grid, self.grid.rounding * raised
        sums, bent = np.abs(nets) if level == len(grid.axes) else nets, None
        for number, axis in enumerate(grid.axes[level:]):
            sizes = _sizes(sums, axis)
            if not number:
                bent = np.tensordot(sizes, axis.weights.astype(np.float32), (1, 0))
            else:
                bent = _sizes(bent, axis).sum(axis=1)
            sums = sizes.sum(axis=1)
        bound = np.asarray(grid.relative * sums.sum(axis=1, dtype=np.float64) + rounding)
        attained = np.zeros(len(bound)) if grid.products is not None else bound
        rows = np.flatnonzero(~(bound <= enough) & np.isfinite(bound))
        if grid.products is not None and len(rows):
            # the function one is the first of every axis
            centre = nets[rows].reshape(len(rows), -1, nets.shape[-1])[:, 0]
            excess = bound[rows] - np.broadcast_to(enough, bound.shape)[rows]
            gained, attained[rows] = grid.gain(grid.products, centre, excess)
            bound[rows] -= gained
        if bent is None:
            return bound, np.zeros(len(bound)), attained
        more = float(grid.axes[level].weights.max(initial=0.0)) * rounding
        return bound, grid.relative * bent.sum(axis=1, dtype=np.float64) + more, attained

    def _nets_shown(
        self, level: int, nets: Single, most: Array, guess: Array, bent: Array, raised: Array, positions: Array
    ) -> Shown:
        """Whether each net is shown to be at most ``most``."""
        axis, axes_left = self.grid.axes[level], len(self.grid.axes) - level
        result = Shown.nothing(len(nets), axes_left)
        (lost, expected), bent = axis.choices, np.minimum(bent, self.grid.curvature[level])
        open_ = np.arange(len(nets))
        for _ in range(TRIES):
            open_ = open_[guess[open_] < most[open_]]
            # as many cells as it takes; what no number of them is enough for is not shown
            with np.errstate(invalid="ignore"):  # what is too coarse, inf, is so where nothing bends as well
                above = lost * bent[open_, None] + expected * guess[open_, None]
            enough = above <= ((most - guess)[open_] / axes_left)[:, None]
            open_, choices = open_[enough.any(axis=1)], enough.argmax(axis=1)[enough.any(axis=1)]
            if not len(open_):
                break
            for choice in np.unique(choices).tolist():
                rows = open_[choices == choice]
                step = max(1, AT_ONCE // (nets[0].size * int(CELLS[choice])))
                for begin in range(0, len(rows), step):
                    batch = rows[begin : begin + step]
                    on_grid = self._on_grid(
                        level,
                        choice,
                        nets[batch],
                        most[batch] - lost[choice] * bent[batch],
                        raised[batch],
                        positions[batch],
                    )
                    result.good[batch], result.met[batch] = on_grid.good, np.maximum(result.met[batch], on_grid.met)
                    result.failed[batch] = on_grid.failed
            missed = open_[~result.good[open_]]
            if self.used > self._limit or not len(missed):
                break
            # the sum with this joint not raised tells whether a finer grid may do
            is_known = np.isfinite(result.failed[missed]).all(axis=1)
            value = np.zeros(len(missed))
            if is_known.any():
                rows = missed[is_known]
                value[is_known], attained = self._values_at(level, nets[rows], result.failed[rows], raised[rows])
                if not level:
                    self._keep(float(attained[0]), result.failed[0])
            higher = value + AHEAD * (most[missed] - value)
            guess[missed] = np.where(higher > guess[missed], higher, (guess[missed] + most[missed]) / 2)
            open_ = missed[value < most[missed]]
        return result

    def _on_grid(self, level: int, choice: int, nets: Single, most: Array, raised: Array, positions: Array) -> Shown:
        """The same with one grid for all nets, at whose points the raised sums have to be at most ``most``."""
        axis = self.grid.axes[level]
        (x, table), is_last = axis.grids[choice], level + 1 == len(self.grid.axes)
        children, child_positions = self._at_points(nets, table), _extended(positions, x)
        following, higher = (
            np.repeat(limit, len(x)) for limit in (most, raised * axis.raised(int(CELLS[choice])).max())
        )
        bounds, bent, _ = self._below(children, level + 1, following, higher)
        result = Shown(
            np.asarray(bounds <= following), bounds if is_last else np.zeros(len(bounds)), np.zeros((len(bounds), 0))
        )
        if is_last:
            top = int(bounds.argmax())
            if bounds[top] > self._record:
                self._record = float(bounds[top])
                self._look(child_positions[top])
        elif self.used <= self._limit:
            result.failed = np.full((len(bounds), len(self.grid.axes) - level - 1), np.nan)
            rows = np.flatnonzero(~result.good)
            hope = self.guess[level + 1] * bounds[rows]
            hope = np.where(hope < following[rows], hope, 0.5 * following[rows])
            if len(rows):
                deeper = self._nets_shown(
                    level + 1, children[rows], following[rows], hope, bent[rows], higher[rows], child_positions[rows]
                )
                result.good[rows], result.met[rows], result.failed[rows] = deeper.good, deeper.met, deeper.failed
                was_met = deeper.met > 0
                if was_met.any():
                    share = float((deeper.met[was_met] / bounds[rows][was_met]).mean())
                    self.guess[level + 1] += min(0.5, LEARNING * was_met.sum()) * (share - self.guess[level + 1])
        else:
            result.failed = np.full((len(bounds), len(self.grid.axes) - level - 1), np.nan)
        return result.joined(x)


@dataclass
class Shown:
    """For each net whether it is shown, the largest raised value met below it, and the position of the axes from there
    on at which one was too large; not a number where that is not known.
    """

    good: NDArray[np.bool_]
    met: Array
    failed: Array

    @classmethod
    def nothing(cls, count: int, axes: int) -> Shown:
        """Where nothing is shown yet."""
        return cls(np.zeros(count, bool), np.zeros(count), np.full((count, axes), np.nan))

    def joined(self, x: Array) -> Shown:
        """The same for nets that have these points of one more axis: all of them have to be shown."""
        good, met = self.good.reshape(-1, len(x)), self.met.reshape(-1, len(x))
        worst = np.where(good, -np.inf, met).argmax(axis=1)
        failed = self.failed.reshape(len(good), len(x), -1)[np.arange(len(good)), worst]
        return Shown(np.asarray(good.all(axis=1)), met.max(axis=1), np.concatenate([x[worst][:, None], failed], axis=1))


def _extended(positions: Array, x: Array) -> Array:
    """Every position with every point of one more axis."""
    return np.concatenate([np.repeat(positions, len(x), axis=0), np.tile(x, len(positions))[:, None]], axis=1)


def _sizes(nets: Any, axis: GridAxis) -> Any:
    """The most that the functions of one order add: pairs a cos kx + b sin kx at most sqrt(a^2 + b^2)."""
    rows = np.abs(nets)
    if axis.slides or axis.degree == 0:
        return rows
    return np.concatenate([rows[:, :1], np.sqrt(rows[:, 1::2] ** 2 + rows[:, 2::2] ** 2)], axis=1)
