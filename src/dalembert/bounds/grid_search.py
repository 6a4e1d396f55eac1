"""Shows that a sum of magnitudes of waves stays below a number: the search over grids, joint by joint.

Where the waves have factors that are not free of each other (``products.py``), "sum" is the largest sum over these.

Let the first joints stand at points of their grids. Of what is left, a function of the other joints, the moduli of the
basis functions bound the sum and its second derivative along the next joint, whatever the positions of all others.
Where the first is above what has to be shown, the next joint gets a grid of its own, as fine as this place needs: the
sum at its points has to be less by h^2 / 8 of the second. So grids are coarse where the sum is small.

This is the search in NumPy, for many nets at once; ``grid.c`` has the same steps for one net after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .products import Single, SpeedProducts
from .waves import Array

CELLS = np.array([*range(1, 49), *range(52, 97, 4), *range(104, 401, 8)])
"""Numbers of cells a range may be divided into."""
CLIMB = 12
"""Cells of the grid on which a large value is looked for, and how many nets go on from joint to joint."""
TRIES = 40
"""How often a grid is made finer before the search gives up."""
GUESS, LEARNING = 0.6, 0.03
"""Part of a bound without positions that a largest sum comes to: at first, and how fast it follows what is met."""
AHEAD = 0.25
"""A grid is made for a sum as large as the one met and this part of what is left above it."""
AT_ONCE = 4_000_000
"""Numbers computed in one batch."""


@dataclass(frozen=True)
class GridAxis:
    """One joint: basis functions 1, cos x, sin x, ..., or powers of x (in units of its reach) where it slides."""

    joint: int
    degree: int
    slides: bool
    low: float
    high: float
    circle: bool

    @property
    def size(self) -> int:
        """Number of basis functions."""
        return self.degree + 1 if self.slides else 2 * self.degree + 1

    @property
    def length(self) -> float:
        """The range that the points have to cover."""
        return 2 * pi if self.circle else self.high - self.low

    @property
    def bend(self) -> Array:
        """Factors of the second derivatives of the basis functions, in magnitude: k^2, or p (p - 1)."""
        orders = np.arange(self.degree + 1, dtype=float)
        return orders * (orders - 1) if self.slides else np.concatenate([[0.0], np.repeat(orders[1:] ** 2, 2)])

    def basis(self, x: Array) -> Array:
        """The basis functions at positions."""
        if self.slides:
            return np.stack([x**p for p in range(self.degree + 1)], axis=1)
        rows = [np.ones_like(x)]
        for k in range(1, self.degree + 1):
            rows += [np.cos(k * x), np.sin(k * x)]
        return np.stack(rows, axis=1)

    def points(self, cells: int) -> Array:
        """The ends of as many equal cells; a whole turn ends where it began."""
        if self.circle:
            return np.asarray(self.low + 2 * pi / cells * np.arange(cells, dtype=np.float64))
        return np.linspace(self.low, self.high, cells + 1, dtype=np.float64)

    @property
    def grids(self) -> list[tuple[Array, Single]]:
        """Points and basis functions there, for every number of cells in ``CELLS``."""
        return _grids(replace(self, joint=0))


@lru_cache(maxsize=64)
def _grids(axis: GridAxis) -> list[tuple[Array, Single]]:
    return [(x, axis.basis(x).astype(np.float32)) for x in map(axis.points, CELLS.tolist())]


@dataclass(frozen=True, eq=False)
class Grid:
    """A sum of magnitudes: one tensor of coefficients, by basis functions of each axis, the waves last.

    ``relative`` times a number computed, plus ``rounding``, is no less than the number meant. ``curvature`` bounds the
    second derivatives along each axis, infinity where nothing is known. ``products`` are the factors of the waves;
    None where all are free.
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
        self._limit = limit
        net = self.grid.tensor[None]
        bound, bent, _ = self._below(net, 0, most)
        if bound[0] <= most:
            return True
        hope = self.guess[0] * bound
        good, _ = self._shown(0, net, np.array([most]), np.where(hope < most, hope, 0.5 * most), bent, np.zeros((1, 0)))
        return bool(good[0])

    def climb(self) -> None:
        """Looks for a large value: joint by joint the nets with the largest bounds go on."""
        nets, place, choice = self.grid.tensor[None], np.zeros((1, 0)), int(np.flatnonzero(CELLS == CLIMB)[0])
        bounds = np.zeros(1)
        for level, axis in enumerate(self.grid.axes):
            x, table = axis.grids[choice]
            nets, place = self._at_points(nets, table), _extended(place, x)
            bounds = self._below(nets, level + 1, -np.inf)[0]
            order = np.argsort(-bounds, kind="stable")[:CLIMB]
            nets, place, bounds = nets[order], place[order], bounds[order]
        self._met(bounds, place)

    def _at_points(self, nets: Single, table: Single) -> Single:
        """Nets (P, size, ...) with their first axis at all points: (P points, ...)."""
        made = np.matmul(table, nets.reshape(len(nets), nets.shape[1], -1))
        self.used += made.size
        return np.asarray(made.reshape(-1, *nets.shape[2:]))

    def _met(self, values: Array, place: Array) -> None:
        """Keeps the largest value and its position."""
        top = int(values.argmax())
        if values[top] > self.best:
            self.best, self.at = float(values[top]), place[top].copy()

    def _below(self, nets: Single, level: int, enough: Array | float) -> tuple[Array, Array, Array]:
        """Bounds of the sum, whatever the positions of the axes from ``level`` on, of the second derivative along the
        first of them, and what is attained where it is found on the way, else zero. Magnitudes will do where their sum
        is at most ``enough``.
        """
        grid = self.grid
        sums, bent = np.abs(nets) if level == len(grid.axes) else nets, None
        for number, axis in enumerate(grid.axes[level:]):
            sizes = _sizes(sums, axis)
            if not number:
                factors = axis.bend if axis.slides else axis.bend[::2]
                bent = np.tensordot(sizes, factors.astype(np.float32), (1, 0))
            else:
                bent = _sizes(bent, axis).sum(axis=1)
            sums = sizes.sum(axis=1)
        bound = np.asarray(grid.relative * sums.sum(axis=1, dtype=np.float64) + grid.rounding)
        attained = np.zeros(len(bound)) if grid.products is not None else bound
        rows = np.flatnonzero(~(bound <= enough) & np.isfinite(bound))
        if grid.products is not None and len(rows):
            # the function one is the first of every axis
            centre = nets[rows].reshape(len(rows), -1, nets.shape[-1])[:, 0]
            wanted = bound[rows] - np.broadcast_to(enough, bound.shape)[rows]
            gained, attained[rows] = grid.gain(grid.products, centre, wanted)
            bound[rows] -= gained
        if bent is None:
            return bound, np.zeros(len(bound)), attained
        more = float(grid.axes[level].bend.max(initial=0.0)) * grid.rounding
        return bound, grid.relative * bent.sum(axis=1, dtype=np.float64) + more, attained

    def _shown(
        self, level: int, nets: Single, most: Array, guess: Array, bent: Array, place: Array
    ) -> tuple[NDArray[np.bool_], Array]:
        """Whether each net is shown to be at most ``most``, and the largest value met below it."""
        axis, left = self.grid.axes[level], len(self.grid.axes) - level
        good, met = np.zeros(len(nets), bool), np.zeros(len(nets))
        whole = axis.length**2 / 8 * np.minimum(bent, self.grid.curvature[level]) * (1 + 1e-9)
        open_ = np.arange(len(nets))
        for _ in range(TRIES):
            open_ = open_[guess[open_] < most[open_]]
            # as many cells as it takes; what no number of them is enough for is not shown
            enough = whole[open_, None] / CELLS**2.0 <= ((most - guess)[open_] / left)[:, None]
            open_, choices = open_[enough.any(axis=1)], enough.argmax(axis=1)[enough.any(axis=1)]
            if not len(open_):
                break
            for choice in np.unique(choices).tolist():
                rows = open_[choices == choice]
                step = max(1, AT_ONCE // (nets[0].size * int(CELLS[choice])))
                for begin in range(0, len(rows), step):
                    part = rows[begin : begin + step]
                    good[part], seen = self._over(level, choice, nets[part], most[part], whole[part], place[part])
                    met[part] = np.maximum(met[part], seen)
                    higher = seen + AHEAD * (most[part] - seen)
                    guess[part] = np.where(higher > guess[part], higher, (guess[part] + most[part]) / 2)
            open_ = open_[~good[open_] & (met[open_] < most[open_])]
            if self.used > self._limit:
                break
        return good, met

    def _over(
        self, level: int, choice: int, nets: Single, most: Array, whole: Array, place: Array
    ) -> tuple[NDArray[np.bool_], Array]:
        """The same with one number of cells for all nets."""
        x, table = self.grid.axes[level].grids[choice]
        children, places = self._at_points(nets, table), _extended(place, x)
        following = np.repeat(most - whole / float(CELLS[choice]) ** 2, len(x))
        bounds, bent, attained = self._below(children, level + 1, following)
        good, values = bounds <= following, np.zeros(len(bounds))
        if level + 1 == len(self.grid.axes):
            self._met(np.where(good, attained, bounds), places)
            values = bounds
        elif self.used <= self._limit:
            rows = np.flatnonzero(~good)
            hope = self.guess[level + 1] * bounds[rows]
            hope = np.where(hope < following[rows], hope, 0.5 * following[rows])
            if len(rows):
                good[rows], values[rows] = self._shown(
                    level + 1, children[rows], following[rows], hope, bent[rows], places[rows]
                )
                seen = values[rows] > 0
                if seen.any():
                    share = float((values[rows][seen] / bounds[rows][seen]).mean())
                    self.guess[level + 1] += min(0.5, LEARNING * seen.sum()) * (share - self.guess[level + 1])
        shape = (len(nets), len(x))
        return np.asarray(good.reshape(shape).all(axis=1)), np.asarray(values.reshape(shape).max(axis=1))


def _extended(place: Array, x: Array) -> Array:
    """Every position with every point of one more axis."""
    return np.concatenate([np.repeat(place, len(x), axis=0), np.tile(x, len(place))[:, None]], axis=1)


def _sizes(nets: Any, axis: GridAxis) -> Any:
    """The most that the functions of one order add: pairs a cos kx + b sin kx at most sqrt(a^2 + b^2)."""
    rows = np.abs(nets)
    if axis.slides or axis.degree == 0:
        return rows
    return np.concatenate([rows[:, :1], np.sqrt(rows[:, 1::2] ** 2 + rows[:, 2::2] ** 2)], axis=1)
