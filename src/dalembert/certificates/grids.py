"""Rigorous bounds of torque errors by values on grids, joint by joint, in floating point with a stated budget.

Let F be the greatest of sums x_1 w_1 + ... + x_m w_m of functions w_k over a set of factors |x_k| <= 1 (``Measure``
bounds F at points). Where F is largest it equals one of these sums, g, and g <= F everywhere. Between two points h
apart g is at most its larger value there and h^2/8 max |g''|. So F <= T for every position of a joint if F <= T - h^2/8
B at all ends of equal cells, B >= sum |w_k''|: one joint less to look at, and the same again at each of these ends. A
joint whose position is left open adds at most the magnitudes of its coefficients, a pair a cos kx + b sin kx at most
sqrt(a^2 + b^2): where the sum of these moduli is at most T nothing more has to be looked at, and with factors k^2 they
bound sum |w_k''|.

Rounding. All basis functions are at most one, so an error of a coefficient is never made larger. With A the sum of the
magnitudes of all coefficients and u = 2^-52, one joint put to a point is off by at most (2 s + 12) u A in all values
together, s its number of basis functions, whose tables are right to u (Higham 2002, section 3.1); going from
exponentials to cosines and sines is off by at most 2^L (L + 2) u A over L joints. ``ErrorGrid.allowed`` is the sum.
Sums of at most 2^22 numbers that are not negative are right to 2^-29 of themselves; ``ROOM`` is more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .exact_dynamics import Key
from .nets import BITS, LOST, UNIT, Variable, nearest, upward

ROOM, LARGEST, AT_ONCE = 1 + 2.0**-28, 2**22, 2**20
"""For sums of numbers that are not negative; most coefficients of a grid; numbers that are computed at once."""
LEAST = 2.0**-200
"""Least reach of a position: one over its square is a float."""
FINE, MOST_SIGNED = 60, 7
"""Cells up to which every number has a symbol, above every eighth; most joints whose speeds have signs told apart."""


def cells_of(text: str) -> NDArray[np.int64]:
    """The numbers of cells that symbols stand for; zero for ``.``, where the range is not divided."""
    code = np.frombuffer(text.encode("ascii"), np.uint8).astype(np.int64) - ord(".")
    if (code < 0).any() or (code > 80).any():
        raise ArmError("its grid has a symbol that stands for no number of cells")
    return np.where(code <= FINE, code, FINE + 8 * (code - FINE))


Measure: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""From values of functions (columns), what is not to exceed limits (one for each row)."""


def magnitudes(values: NDArray[np.float64], _limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the magnitudes."""
    return np.asarray(np.abs(values).sum(axis=1))


class ErrorAxis:
    """A variable on a grid: 1, cos x, sin x, cos 2x, ..., or powers of x/reach, are its basis functions.

    ``bend`` is what second derivatives multiply those of each order by at most: k^2, or p (p - 1)/reach^2.
    """

    def __init__(self, variable: Variable) -> None:
        self.of, self.tables = variable, dict[int, NDArray[np.float64]]()
        lower, self.width = variable.lower, upward(variable.width)
        self.reach = max(upward(abs(lower)), upward(abs(lower + variable.width)), LEAST)
        order = np.arange(variable.degree + 1, dtype=float)
        self.bend = order * (order - 1) / self.reach**2 if variable.slides else order**2

    def basis(self, x: Any) -> list[Any]:
        """The basis functions at a position."""
        if self.of.slides:
            return [(x / arb(self.reach)) ** p for p in range(self.of.size)]
        return [arb(1), *(y for k in range(1, self.of.degree + 1) for y in ((k * x).cos(), (k * x).sin()))]

    def table(self, cells: int) -> NDArray[np.float64]:
        """The basis functions (columns) at the ends of as many equal cells of the range."""
        if cells not in self.tables:
            with ctx.workprec(BITS):
                balls = [self.basis(self.of.lower + self.of.width * i / cells) for i in range(cells + 1)]
                floats = [[float(x.mid()) for x in row] for row in balls]
                off = [abs(x - arb(y)) for at in zip(balls, floats, strict=True) for x, y in zip(*at, strict=True)]
                if not all(x < arb(UNIT) for x in off):
                    raise ArmError("a basis function of a grid has no value to sixteen digits")
            self.tables[cells] = np.array(floats)
        return self.tables[cells]

    def sizes(self, magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The most that the basis functions of each order (second dimension) add, whatever the position."""
        if self.of.slides:
            return magnitudes
        return np.concatenate([magnitudes[:, :1], np.hypot(magnitudes[:, 1::2], magnitudes[:, 2::2])], axis=1)


@dataclass(frozen=True, eq=False)
class ErrorGrid:
    """Functions over some joints: their coefficients by basis functions of each axis, the functions last."""

    axes: Sequence[ErrorAxis]
    tensor: NDArray[np.float64]
    allowed: float

    @classmethod
    def of(cls, functions: Sequence[Any], variables: Sequence[Variable]) -> ErrorGrid:
        """Exact series as a tensor."""
        axes, shape = [ErrorAxis(variable) for variable in variables], [variable.size for variable in variables]
        if prod(shape) * len(functions) > LARGEST:
            raise ArmError(f"its errors have more than {LARGEST} coefficients together")
        dense = np.zeros((*shape, len(functions)), np.complex128)
        for row, series in enumerate(functions):
            for k, (re, im) in series.items():
                index, scale = [], fmpq(1)
                for m, axis in zip(k, axes, strict=True):
                    index.append(m if axis.of.slides else m + axis.of.degree)
                    scale *= fmpq(*axis.reach.as_integer_ratio()) ** m if axis.of.slides else 1
                dense[(*index, row)] = complex(nearest(re * scale), nearest(im * scale))
        total = float(np.abs(dense).sum())
        for at, n in ((at, variable.degree) for at, variable in enumerate(variables) if not variable.slides):
            rows = np.moveaxis(dense, at, 0)
            plus, minus = rows[n + 1 :], rows[:n][::-1]
            both = np.stack([plus + minus, 1j * (plus - minus)], axis=1).reshape(2 * n, *rows.shape[1:])
            dense = np.moveaxis(np.concatenate([rows[n : n + 1], both]), 0, at)
        tensor, count = np.ascontiguousarray(dense.real), len(axes)
        allowed = UNIT * 2.0**count * (count + 2) * total
        allowed += UNIT * sum(2 * size + 12 for size in shape) * float(np.abs(tensor).sum())
        return cls(axes, tensor, ROOM * (allowed + LOST * tensor.size))

    def curved(self, level: int) -> ErrorGrid:
        """The second derivatives along an axis, in magnitude."""
        axis, rows = self.axes[level], np.moveaxis(self.tensor, level, -1)
        slides = axis.of.slides
        rows = rows * (axis.bend if slides else np.repeat(axis.bend, 2)[1:])
        tensor = np.moveaxis(np.roll(rows, -2, axis=-1) if slides else rows, -1, level)
        return ErrorGrid(
            self.axes, np.ascontiguousarray(tensor), ROOM * max(axis.bend) * self.allowed + LOST * tensor.size
        )

    @staticmethod
    def below(nets: Any, sums: Any, limits: Any, measure: Measure) -> NDArray[np.float64]:
        """Bounds of F from sums of moduli: of the mean, which no position changes, what it measures."""
        means = nets[(slice(None), *[0] * (nets.ndim - 2))]
        rest = sums - np.abs(means).sum(axis=1)
        return np.asarray(rest + measure(means, limits - rest))

    def moduli(self, level: int, nets: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of the sum of magnitudes and of its curvature along the next axis, whatever the open positions are."""
        sums = bent = np.abs(nets)
        for at, axis in enumerate(self.axes[level:]):
            sizes = axis.sizes(sums)
            bent = np.moveaxis(sizes, 1, -1) @ axis.bend if at == 0 else axis.sizes(bent).sum(axis=1)
            sums = sizes.sum(axis=1)
        return ROOM * sums.sum(axis=1), ROOM * bent.sum(axis=1) + max(self.axes[level].bend) * self.allowed


def largest_error(keys: Sequence[Key]) -> Measure:
    """The largest error that coefficients which are off by w_k make at one position, x_k w_k added up.

    D has factors x between -1 and 1 of its own, G has 1, C_jj has x_j^2 and C_jk has x_j x_k, |x_j| <= 1. For an error
    of either sign s, products are largest at corners x_j = -1, 1, and the sum is no more than

        s G + sum_j max(0, s C_jj) + max over corners of s sum_jk C_jk x_j x_k,

    and as -x^2 <= 1/4 - |x|, no more than sum_(s C_jj < 0) |C_jj|/4 and the largest sum over all x_j = -1, 0, 1.
    """
    moving = sorted({j for kind, _, *joints in keys for j in joints if kind == "C"})
    if len(moving) > MOST_SIGNED:
        return magnitudes
    kinds = ["square" if key[0] == "C" and key[2] == key[3] else key[0] for key in keys]
    free, load, squares, pairs = ([at for at, x in enumerate(kinds) if x == y] for y in ("D", "G", "square", "C"))
    terms = [[moving.index(j) for j in keys[at][2:]] for at in squares + pairs]

    def factors(*ends: float) -> NDArray[np.float64]:
        x = np.array(list(product(ends, repeat=len(moving)))).T
        x = x[:, : (x.shape[1] + 1) // 2]  # x and -x have the same products
        return np.array([x[j] * x[k] for j, k in terms]).reshape(len(terms), x.shape[1])

    corners, knots = factors(-1.0, 1.0)[len(squares) :], factors(-1.0, 0.0, 1.0)

    def largest(values: NDArray[np.float64], at_knots: bool) -> NDArray[np.float64]:
        """The sum but for free factors, for an error of either sign (rows): by corners or by knots."""
        g, bent = values[:, load].sum(axis=1), values[:, squares]
        above, below = np.maximum(bent, 0).sum(axis=1), np.maximum(-bent, 0).sum(axis=1)
        sums = values[:, squares + pairs] @ knots if at_knots else values[:, pairs] @ corners
        up, down = (below / 4, above / 4) if at_knots else (above, below)
        return np.stack([g + up + sums.max(axis=1), down - g - sums.min(axis=1)])

    def measure(values: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
        found = magnitudes(values, limits)
        over = np.flatnonzero(~(ROOM * found <= limits))
        for rows in (over[begin : begin + 500] for begin in range(0, len(over), 500)):
            some, rounding = values[rows], 2.0**-40 * found[rows]
            rest, both = np.abs(some[:, free]).sum(axis=1) + rounding, largest(some, False)
            open_ = ~(ROOM * (rest + both.max(axis=0)) <= limits[rows])
            if open_.any():
                both[:, open_] = np.minimum(both[:, open_], largest(some[open_], True))
            found[rows] = np.minimum(found[rows], rest + both.max(axis=0))
        return found

    return measure


class GridProof:
    """A grid of which each part shows its share of a bound.

    ``levels`` has a text for each axis, with a symbol for each end of the cells of the axis before it (one for the
    first): how many cells this axis has there, or that moduli show enough. ``bends`` bounds the curvatures, infinite
    where nothing is known.
    """

    def __init__(
        self, grid: ErrorGrid, levels: Sequence[str], bends: Sequence[float], measure: Measure = magnitudes
    ) -> None:
        self.grid, self.bends, self.measure, self.parts = grid, bends, measure, 0
        self.cells = [cells_of(text) for text in levels]
        ends = [np.where(cells > 0, cells + 1, 0) for cells in self.cells]
        if [len(cells) for cells in self.cells] != [1, *(int(each.sum()) for each in ends[:-1])][: len(grid.axes)]:
            raise ArmError("its grid has not one symbol for each axis at each end of the cells before it")
        self.first = [each.cumsum() - each for each in ends]

    def verify(self, bound: fmpq) -> int:
        """The number of parts, each of which is shown to obey the bound."""
        most = nearest(bound) * (1 - 2.0**-40) - self.grid.allowed
        self._shown(0, self.grid.tensor[None], np.array([most]), np.zeros(1, np.int64))
        return self.parts

    def _shown(self, level: int, nets: Any, limits: NDArray[np.float64], at: NDArray[np.int64]) -> None:
        """Nets are functions of the axes from this one on, ``at`` the places of their symbols."""
        if level == len(self.grid.axes):
            self._obey(ROOM * self.measure(nets, limits), limits)
            return
        axis, cells, (sums, bent) = self.grid.axes[level], self.cells[level][at], self.grid.moduli(level, nets)
        left = cells == 0
        self._obey(self.grid.below(nets[left], sums[left], limits[left], self.measure), limits[left])
        slack = ROOM * axis.width**2 / 8 * np.minimum(bent, self.bends[level])
        for count in np.unique(cells[cells > 0]).tolist():
            rows, table = np.flatnonzero(cells == count), axis.table(count)
            for some, ends in in_batches(rows, np.arange(len(table)), nets[0].size):
                less = np.repeat(limits[some] - slack[some] / count**2, len(ends))
                put = table[ends] @ nets[some].reshape(len(some), table.shape[1], -1)
                at_ends = self.first[level][at[some], None] + ends
                self._shown(level + 1, put.reshape(-1, *nets.shape[2:]), less, at_ends.ravel())

    def _obey(self, shown: NDArray[np.float64], limits: NDArray[np.float64]) -> None:
        wrong = ~(shown <= limits)
        if wrong.any():
            first = int(wrong.argmax())
            raise ArmError(f"a part of the box shows {shown[first]:.6g} and not {limits[first]:.6g}")
        self.parts += len(shown)


def in_batches(rows: Any, ends: Any, size: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """All pairs of rows and ends, in parts that are not too large where a row has this size."""
    some, many = max(1, AT_ONCE // (size * len(ends))), max(1, 4 * AT_ONCE // size)
    for i in range(0, len(rows), some):
        for j in range(0, len(ends), many):
            yield rows[i : i + some], ends[j : j + many]
