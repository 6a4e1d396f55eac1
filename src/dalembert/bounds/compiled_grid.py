"""The search of ``grid_search.py`` in machine code (``grid.c``), built once and kept like every kernel."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compile.own_library import Signatures, own_library
from .grid_axis import CELLS, GridAxis
from .grid_search import AHEAD, CLIMB, LEARNING, TRIES, Grid, GridSearch
from .products import BLOCK, LITTLE, MOST_SIGNED, Single, SpeedProducts
from .waves import Array, Complex

JOINTS, LANES = 16, 16
"""Most joints, and the numbers that a vector of ``grid.c`` has."""
DEFINED = {
    "JOINTS": JOINTS, "LANES": LANES, "SIGNED": MOST_SIGNED, "TERMS": MOST_SIGNED * (MOST_SIGNED + 1) // 2,
    "BLOCK": BLOCK, "ROOM": 2 * 3 ** (MOST_SIGNED - 1), "LITTLE": LITTLE, "TRIES": TRIES, "AHEAD": AHEAD,
    "LEARNING": LEARNING,
}  # fmt: skip
"""The constants of ``grid.c``, which are those of the search in NumPy."""
SOURCES = tuple(Path(__file__).with_name(name) for name in ("grid_net.c", "grid.c"))
Ints, Doubles, Pointers = ctypes.c_int * JOINTS, ctypes.c_double * JOINTS, ctypes.c_void_p * JOINTS


class _Question(ctypes.Structure):
    _fields_ = [
        ("joints", ctypes.c_int), ("waves", ctypes.c_int), ("size", Ints), ("slides", Ints), ("counts", ctypes.c_int),
        ("table", ctypes.c_void_p), ("where", Pointers),
        *((name, ctypes.c_void_p) for name in ("first", "points", "lost", "raised", "expected")),
        ("weight", Pointers), ("heaviest", Doubles), ("curvature", Doubles),
        ("rounding", ctypes.c_double), ("relative", ctypes.c_double),
        ("products", ctypes.c_void_p),
    ]  # fmt: skip


class _Products(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in ("speeds", "pairs")),
        *((name, ctypes.c_void_p) for name in ("free", "fixed", "lane", "weight", "corner")),
    ]  # fmt: skip


_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_double
SIGNATURES: Signatures = {
    "show": (ctypes.c_int, [_POINTER, _POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _POINTER]),
    "climb": (ctypes.c_int, [_POINTER, _POINTER, ctypes.c_int, ctypes.c_int, _POINTER, _POINTER, _POINTER]),
    "to_real": (ctypes.c_int, [_POINTER, ctypes.c_long, ctypes.c_int, ctypes.c_long]),
}


def library() -> Any:
    """The compiled search; None where there is no compiler."""
    return own_library(*SOURCES, signatures=SIGNATURES, constants=DEFINED)


def searched(grid: Grid) -> GridSearch:
    """The search of a grid, in machine code where there is a compiler."""
    compiled = library() if len(grid.axes) <= JOINTS else None
    return GridSearch(grid) if compiled is None else CompiledGridSearch(grid, compiled)


@dataclass(frozen=True, eq=False)
class _Points:
    """The grids of an axis: positions of all points, where those of each grid begin and how many they are, what may lie
    above them, the largest factor of a basis function, by how much sums are expected to be raised, the weights of the
    orders, and the tables of basis functions with their addresses.
    """

    where: Array
    first: NDArray[np.int32]
    points: NDArray[np.int32]
    lost: Array
    raised: Array
    expected: Array
    weight: Single
    tables: list[Single]
    addresses: list[int]


@lru_cache(maxsize=64)
def _points(axis: GridAxis) -> _Points:
    positions, tables = [x for x, _ in axis.grids], [table for _, table in axis.grids]
    points = np.array([len(x) for x in positions], np.int32)
    starts = np.concatenate([[0], np.cumsum(points)[:-1]]).astype(np.int32)
    lost, expected = axis.choices
    raised = np.array([axis.raised(cells).max() for cells in CELLS.tolist()])
    weight = axis.weights.astype(np.float32)
    return _Points(
        np.concatenate(positions), starts, points, lost, raised, expected, weight, tables,
        [table.ctypes.data for table in tables],
    )  # fmt: skip


class CompiledGridSearch(GridSearch):
    """The same search in C."""

    def __init__(self, grid: Grid, compiled: Any) -> None:
        super().__init__(grid)
        self._compiled = compiled
        waves = grid.tensor.shape[-1]
        room = 1 if waves == 1 and grid.products is None else -(-waves // LANES) * LANES
        self._tensor = np.zeros((*grid.tensor.shape[:-1], room), np.float32)
        self._tensor[..., :waves] = grid.tensor
        question = self._ask = _Question(len(grid.axes), room)
        axes = [_points(replace(axis, joint=0)) for axis in grid.axes]
        for number, (axis, points) in enumerate(zip(grid.axes, axes, strict=True)):
            question.size[number], question.slides[number] = axis.size, axis.slides
            question.heaviest[number] = float(points.weight.max(initial=0.0))
            question.curvature[number] = grid.curvature[number]
            question.where[number], question.weight[number] = points.where.ctypes.data, points.weight.ctypes.data
        tables = np.array([points.addresses for points in axes], np.uintp)
        numbers = {name: np.array([getattr(points, name) for points in axes])
                   for name in ("first", "points", "lost", "raised", "expected")}  # fmt: skip
        self._kept: list[Any] = [axes, tables, numbers]
        for name, array in numbers.items():
            setattr(question, name, array.ctypes.data)
        question.counts, question.table = len(CELLS), tables.ctypes.data
        question.rounding, question.relative = grid.rounding, grid.relative
        if grid.products is not None:
            question.products = self._factors(grid.products, room)

    def _factors(self, products: SpeedProducts, room: int) -> int:
        """Where the factors of the waves are, as C takes them."""
        numbers = [np.zeros(room, np.float32), np.zeros(room, np.float32), products.lane.astype(np.int32)]
        numbers[0][: len(products.free)], numbers[1][: len(products.fixed)] = products.free, products.fixed
        numbers += [np.ascontiguousarray(x, np.float32) for x in (products.weight, products.corners)]
        structure = _Products(products.speeds, products.pairs, *(x.ctypes.data for x in numbers))
        self._kept += [*numbers, structure]
        return ctypes.addressof(structure)

    def bends(self, curvature: Array) -> None:
        """From now on these bounds of the second derivatives are known."""
        super().bends(curvature)
        self._ask.curvature[: len(curvature)] = curvature.tolist()

    def show(self, most: float, limit: float) -> bool:
        """Whether the sum is shown to be at most ``most``."""
        return self._run(
            lambda best, at, used: self._compiled.show(
                ctypes.byref(self._ask), self._tensor.ctypes.data, most, limit, self.guess.ctypes.data, best, at, used
            )
        )

    def climb(self, width: int = CLIMB) -> None:
        """Looks for a large value."""
        choice = int(np.flatnonzero(CELLS == CLIMB)[0])
        self._run(
            lambda best, at, used: self._compiled.climb(
                ctypes.byref(self._ask), self._tensor.ctypes.data, choice, width, best, at, used
            )
        )

    def _run(self, call: Any) -> bool:
        best, used, at = ctypes.c_double(self.best), ctypes.c_double(self.used), np.zeros(JOINTS)
        result = call(ctypes.byref(best), at.ctypes.data, ctypes.byref(used))
        if result == 2:
            raise MemoryError("no memory for the proof of a bound")
        self.used = used.value
        if best.value > self.best:
            self.best, self.at = best.value, at[: len(self.grid.axes)].copy()
        return bool(result)


def to_real(dense: Complex, degrees: list[int | None]) -> Array:
    """Coefficients (waves, ...) of exponentials -n .. n as those of 1, cos x, sin x, ..., axis by axis; an axis without
    a degree stays as it is: c e^(ikx) + d e^(-ikx) = (c + d) cos kx + i (c - d) sin kx.
    """
    compiled, shape = library(), dense.shape
    dense = np.ascontiguousarray(dense)
    for number, n in enumerate(degrees):
        if n is None:
            continue
        if compiled is not None:
            outer, inner = prod(shape[: number + 1]), prod(shape[number + 2 :])
            if compiled.to_real(dense.ctypes.data, outer, n, inner) == 2:
                raise MemoryError("no memory for the proof of a bound")
            continue
        rows = np.moveaxis(dense, number + 1, 0)
        plus, minus = rows[n + 1 :].copy(), rows[:n][::-1].copy()
        rows[0] = rows[n].copy()
        rows[1::2], rows[2::2] = plus + minus, 1j * (plus - minus)
    return np.asarray(dense.real)
