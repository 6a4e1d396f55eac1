"""Rigorous bounds of functions of joint positions by values on grids, in floating point with a stated budget.

Let w be functions of the positions and F the greatest of the sums y_1 w_1 + ... + y_m w_m over a set of factors
|y_k| <= 1 that is the same at every position (``Measure`` bounds F where w is known). F <= T is shown joint by joint
(docs/proofs.md, "Torque errors on grids", steps 1 to 3):

1. *Cells.* Where F is largest it equals one of these sums, g, and g <= F everywhere. On a cell of width h, g is at most
   its larger value at the two ends and h^2/8 max |g''|. So F <= T on the range of a joint if it is divided into cells,
   of any widths, and F <= T - h^2/8 B at both ends of each, B >= sum |w_k''|: one joint less to look at, and the same
   again at each of these ends.
2. *Open joints.* A joint whose position is left open adds at most the magnitudes of its coefficients, a pair
   a cos kx + b sin kx at most sqrt(a^2 + b^2). Where that shows F <= T nothing more has to be looked at; with factors
   k^2 the same sum bounds the curvature sum |w_k''|.

Rounding. All basis functions are at most one, so an error of a coefficient is never made larger. With A the sum of the
magnitudes of all coefficients and u = 2^-52, one joint put to a point is off by at most (2 s + 12) u A in all values
together, s its number of basis functions, whose tables are right to u (Higham 2002, section 3.1); going from
exponentials to cosines and sines is off by at most 2^L (L + 2) u A over L joints. ``FunctionGrid.rounding`` is the sum.
Sums of at most 2^22 numbers that are not negative are right to 2^-29 of themselves; ``ROOM`` is more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm, prod
from string import ascii_letters, digits
from typing import Any, TypeAlias

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .exact_dynamics import Series

UNIT, LOST, ROOM = 2.0**-52, 2.0**-1000, 1 + 2.0**-28
"""Rounding of one operation; more than underflow can take from a sum of products; for sums that are not negative."""
BITS = 128
"""The precision of ball arithmetic; results hold at every precision."""
MOST_COEFFICIENTS, MOST_VALUES, MOST_CELLS = 2**22, 2**34, 2**24
"""Of one grid: coefficients of its functions, numbers that are computed, and cells along one axis."""
AT_ONCE, LEAST_REACH, PER_BASIS = 2**19, 2.0**-200, 2**9
"""Numbers that are computed at once; least reach of a sliding position, by which positions are divided; numbers that
take as long as a basis function at one position."""
OPEN = "."
CELLS = dict(zip(digits + ascii_letters, sorted(m << p for m in (1, 3, 5, 7) for p in range(17)), strict=False))
"""n for each symbol of a cell that is 1/n of the range of its axis; ``.`` is a range that is left open."""
WHOLE = lcm(*CELLS.values())
"""The range of an axis in units, in which every width of a cell is a whole number."""
WIDTHS = np.array([WHOLE if chr(code) == OPEN else WHOLE // CELLS.get(chr(code), WHOLE + 1) for code in range(256)])

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Measure: TypeAlias = Callable[[Floats, Floats], Floats]
"""Upper bounds of F from values of w, one position to a row; limits say for each row from where on no better one is
needed."""


def magnitudes(values: Floats, _limits: Floats) -> Floats:
    """F where all factors between -1 and 1 are there: the sum of the magnitudes."""
    return np.asarray(ROOM * np.abs(values).sum(axis=1))


def value(values: Floats, _limits: Floats) -> Floats:
    """F where there is one function, with the factor 1."""
    return np.asarray(values[:, 0])


@dataclass(frozen=True, eq=False)
class CellAxis:
    """A joint, or a sum of angles, on its range: 1, cos x, sin x, cos 2x, ... up to an order are its basis functions.

    Of a sliding joint they are powers of x/reach. ``joint`` is the first of those that make up the axis.
    """

    joint: int
    lower: Any
    range: Any
    order: int
    slides: bool
    known: dict[int, list[float]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """The number of basis functions."""
        return self.order + 1 if self.slides else 2 * self.order + 1

    @property
    def width(self) -> float:
        """Of the whole range, no less than it is; of a sliding joint in units of its reach, as its basis functions."""
        return upward(self.range / arb(self.reach) if self.slides else self.range)

    @cached_property
    def reach(self) -> float:
        """The largest magnitude of a position, no less than it is: one number, at every precision."""
        return max(upward(abs(self.lower)), upward(abs(self.lower + self.range)), LEAST_REACH)

    @property
    def bend(self) -> Floats:
        """What a second derivative multiplies basis functions of each order by at most: k^2, or p (p - 1)."""
        order = np.arange(self.order + 1, dtype=float)
        return order * (order - 1) if self.slides else order**2

    def table(self, positions: NDArray[Any]) -> Floats:
        """The basis functions (columns) at positions in units of the range, right to ``UNIT``."""
        with ctx.workprec(BITS):
            for position in positions.tolist():
                if position not in self.known:
                    self.known[position] = self.basis(self.lower + self.range * position / WHOLE)
        return np.array([self.known[position] for position in positions.tolist()]).reshape(len(positions), self.size)

    def basis(self, x: Any) -> list[float]:
        """The basis functions at one position."""
        if self.slides:
            balls = [(x / arb(self.reach)) ** p for p in range(self.size)]
        else:
            balls = [arb(1), *(y for k in range(1, self.order + 1) for y in ((k * x).cos(), (k * x).sin()))]
        floats = [float(ball.mid()) for ball in balls]
        if not all(abs(ball - arb(float_value)) < arb(UNIT) for ball, float_value in zip(balls, floats, strict=True)):
            raise ArmError("a basis function of a grid has no value to sixteen digits")
        return floats

    def amplitudes(self, sizes: Floats) -> Floats:
        """The most that the basis functions of each order (second dimension) add, whatever the position."""
        if self.slides:
            return sizes
        return np.concatenate([sizes[:, :1], np.hypot(sizes[:, 1::2], sizes[:, 2::2])], axis=1)


@dataclass(frozen=True, eq=False)
class FunctionGrid:
    """Functions over some axes: their coefficients by basis functions of each axis, the functions last.

    ``rounding`` is what all of their values at one position together are off by at most.
    """

    axes: Sequence[CellAxis]
    tensor: Floats
    rounding: float

    @classmethod
    def of(cls, functions: Sequence[Series], axes: Sequence[CellAxis]) -> FunctionGrid:
        """Exact series as a tensor: c_k e^(ikx) + c_-k e^(-ikx) = (c_k + c_-k) cos kx + i (c_k - c_-k) sin kx."""
        shape = [axis.size for axis in axes]
        if prod(shape) * len(functions) > MOST_COEFFICIENTS:
            raise ArmError(f"its functions have more than {MOST_COEFFICIENTS} coefficients together")
        dense = np.zeros((*shape, len(functions)), np.complex128)
        for row, series in enumerate(functions):
            for k, (re, im) in series.items():
                scale = prod((exact(a.reach) ** m for m, a in zip(k, axes, strict=True) if a.slides), start=fmpq(1))
                index = tuple(m if axis.slides else m + axis.order for m, axis in zip(k, axes, strict=True))
                dense[(*index, row)] = complex(nearest(re * scale), nearest(im * scale))
        sum_of_moduli = float(np.abs(dense).sum())
        for at, axis in enumerate(axes):
            if not axis.slides:
                rows, n = np.moveaxis(dense, at, 0), axis.order
                plus, minus = rows[n + 1 :], rows[:n][::-1]
                pairs = np.stack([plus + minus, 1j * (plus - minus)], axis=1).reshape(2 * n, *rows.shape[1:])
                dense = np.moveaxis(np.concatenate([rows[n : n + 1], pairs]), 0, at)
        tensor, L = np.ascontiguousarray(dense.real), len(axes)
        rounding = UNIT * 2.0**L * (L + 2) * sum_of_moduli
        rounding += UNIT * sum(2 * size + 12 for size in shape) * float(np.abs(tensor).sum())
        return cls(axes, tensor, ROOM * (rounding + LOST * tensor.size * any(functions)))

    def moduli(self, level: int, nets: Floats) -> tuple[Floats, Floats]:
        """Bounds of the sum of magnitudes and of its curvature along the next axis, whatever the open positions are."""
        sums = bent = np.abs(nets)
        for at, axis in enumerate(self.axes[level:]):
            amplitudes = axis.amplitudes(sums)
            bent = np.moveaxis(amplitudes, 1, -1) @ axis.bend if at == 0 else axis.amplitudes(bent).sum(axis=1)
            sums = amplitudes.sum(axis=1)
        return ROOM * sums.sum(axis=1), ROOM * bent.sum(axis=1) + max(self.axes[level].bend) * self.rounding

    @staticmethod
    def open_bound(nets: Floats, sums: Floats, limits: Floats, measure: Measure) -> Floats:
        """Bounds of F from sums of moduli: of the mean, which no position changes, F itself, and the rest added."""
        means = means_of(nets)
        open_part = sums - np.abs(means).sum(axis=1)
        return np.asarray(open_part + measure(means, limits - open_part))

    def put(self, level: int, nets: Floats, table: Floats) -> Floats:
        """Nets with the axis of this level at a position each, whose basis functions are the rows of the table."""
        rows = nets.reshape(len(nets), self.axes[level].size, -1)
        return np.einsum("nb,nbr->nr", table, rows).reshape(len(nets), *nets.shape[2:])


@dataclass(frozen=True, eq=False)
class Division:
    """How an axis is divided at each place, that is for each end of the cells of the axis before it.

    A place has a word: ``.`` where the range is left open, else symbols of cells that together make up the range. A
    word of k cells has k + 1 ends, which are the places of the next axis: ``place`` tells whose they are, ``position``
    where on the axis, ``widest`` the width of the wider cell that ends there (in units), and ``first`` which of them is
    the first of a place.
    """

    is_open: NDArray[np.bool_]
    first: Integers
    place: NDArray[np.int32]
    position: NDArray[np.int32]
    widest: NDArray[np.int32]

    @classmethod
    def of(cls, text: str, places: int) -> Division:
        """From the words of all places, one after the other."""
        if len(text) > MOST_CELLS:
            raise ArmError(f"a grid has more than {MOST_CELLS} cells along an axis")
        symbols = np.frombuffer(text.encode("ascii"), np.uint8)
        width = WIDTHS[symbols]
        right = width.cumsum()
        left = right - width
        place = left // WHOLE
        is_complete = len(text) > 0 and right[-1] == places * WHOLE if places else not text
        if not is_complete or not width.all() or (place != (right - 1) // WHOLE).any():
            raise ArmError("a grid has not one word for each place of an axis, of cells that make up its range")
        is_open = np.zeros(places, bool)
        is_open[place[symbols == ord(OPEN)]] = True
        divided = ~is_open[place]
        ends = np.where(divided, 1 + (right % WHOLE == 0), 0)
        at_left, count = (ends.cumsum() - ends)[divided], int(ends.sum())
        place_of_end, position, widest = (np.zeros(count, np.int32) for _ in range(3))
        for at, end in ((at_left, left), (at_left + 1, right)):
            place_of_end[at] = place[divided]
            position[at] = (end - place * WHOLE)[divided]
            widest[at] = np.maximum(widest[at], width[divided])
        return cls(is_open, np.searchsorted(place_of_end, np.arange(places + 1)), place_of_end, position, widest)


class GridProof:
    """A grid every part of which shows F <= T; ``words`` are those of each axis (``Division``)."""

    def __init__(self, grid: FunctionGrid, words: Sequence[str], measure: Measure) -> None:
        self.grid, self.measure, self.parts = grid, measure, 0
        if len(words) != len(grid.axes):
            raise ArmError("a grid has not words for each of its axes")
        self.divisions, places, values, size = list[Division](), 1, 0, grid.tensor.size
        for text, axis in zip(words, grid.axes, strict=True):
            self.divisions.append(Division.of(text, places))
            places, size = len(self.divisions[-1].place), size // axis.size
            values += places * size + PER_BASIS * len(np.unique(self.divisions[-1].position)) * axis.size
            if values > MOST_VALUES:
                raise ArmError(f"a grid takes more than {MOST_VALUES} numbers")

    def verify(self, bound: fmpq) -> int:
        """The number of parts, each of which is shown to obey the bound T."""
        if not np.isfinite(self.grid.rounding):
            raise ArmError("the functions of a grid are larger than floats can be")
        limit = nearest(bound)
        # a bound that is no float, as one below zero that is nearest to zero, becomes a lower one
        limit = limit if exact(limit) <= bound else float(np.nextafter(limit, -np.inf))
        limit -= self.grid.rounding + 2.0**-40 * abs(limit)
        self._show(0, self.grid.tensor[None], np.array([limit]), 0)
        return self.parts

    def _show(self, level: int, nets: Floats, limits: Floats, begin: int) -> None:
        """F <= limits at places from ``begin`` on, where nets have the functions of the axes that are left."""
        if level == len(self.grid.axes):
            self._compare(self.measure(nets, limits), limits)
            return
        axis, division = self.grid.axes[level], self.divisions[level]
        sums, bent = self.grid.moduli(level, nets)
        open_ = division.is_open[begin : begin + len(nets)]
        self._compare(self.grid.open_bound(nets[open_], sums[open_], limits[open_], self.measure), limits[open_])
        # h^2/8 B of a cell as wide as the range
        sag = ROOM * axis.width**2 / 8 * bent
        stop, step = division.first[begin + len(nets)], max(1, AT_ONCE // nets[0].size)
        for start in range(division.first[begin], stop, step):
            ends = slice(start, min(start + step, stop))
            of = division.place[ends] - begin
            less = limits[of] - sag[of] * (division.widest[ends] / WHOLE) ** 2
            at_ends = self.grid.put(level, nets[of], axis.table(division.position[ends]))
            self._show(level + 1, at_ends, less, start)

    def _compare(self, bounds: Floats, limits: Floats) -> None:
        exceeds = ~(bounds <= limits)
        if exceeds.any():
            first = int(exceeds.argmax())
            raise ArmError(f"a part of the box shows {bounds[first]:.6g} and not {limits[first]:.6g}")
        self.parts += len(bounds)


def means_of(nets: Floats) -> Floats:
    """The coefficients of the basis function 1 of all axes, by net and function."""
    return nets.reshape(len(nets), prod(nets.shape[1:-1]), nets.shape[-1])[:, 0]


def upward(ball: Any) -> float:
    """A float that is at least the upper end of a ball; infinite where there is none."""
    high = float(ball.upper().mid()) if ball.is_finite() else float("inf")
    return float(np.nextafter(high, np.inf))


def nearest(x: Any) -> float:
    """The float nearest to a rational number."""
    return int(x.p) / int(x.q)


def exact(x: float) -> fmpq:
    """The rational number that a float is."""
    return fmpq(*x.as_integer_ratio())
