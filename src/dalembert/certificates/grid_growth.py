"""Growing the grids of a certificate: how many cells each joint needs at each place for a bound to show.

Nothing here is trusted: ``grids.py`` verifies what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grids import AT_ONCE, FINE, ROOM, ErrorGrid, Measure

COUNTS = np.array([*range(1, 9), 10, 12, 14, 16, 19, 22, 25, 29, 34, 40, 47, 55, *range(FINE + 8, FINE + 161, 16)])
"""Numbers of cells that have a symbol."""
GUESS, LEARNING, AHEAD = 0.6, 0.03, 0.25
"""Part of its moduli that a sum is taken to come to, how fast that follows what is met, and how much of what is left
above a sum met a grid leaves to the next axes."""
TRIES = 40
"""How often a grid is made finer before a place is given up."""
Floats = NDArray[np.float64]


@dataclass(eq=False)
class Nodes:
    """Places of one axis: how many cells it has at each, and where the ends of them begin among those of the next."""

    cells: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, count: int) -> Nodes:
        """As many, none of them divided."""
        return cls(np.zeros(count, np.int64), np.zeros(count, np.int64))


class TooMuchWork(Exception):
    """A grid would take more work than is allowed, or show nothing."""


class GridGrowth:
    """One bound that is to be shown; ``used`` counts the numbers computed."""

    def __init__(self, grid: ErrorGrid, bends: Floats, measure: Measure, work: float) -> None:
        self.grid, self.bends, self.measure, self.work, self.used = grid, bends, measure, work, 0.0
        self.guess = np.full(len(grid.axes) + 1, GUESS)
        self.nodes: list[list[Nodes]] = [[] for _ in range(len(grid.axes) + 1)]
        self.count = [0] * (len(grid.axes) + 1)
        self.met = 0.0
        """The largest sum met."""

    def levels(self, bound: float) -> list[str] | None:
        """The symbols of the grid that shows the bound; None where it takes too much work."""
        axes = len(self.grid.axes)
        most = np.array([bound * (1 - 2.0**-38) - self.grid.allowed])
        root, nets = Nodes.of(1), self.grid.tensor[None]
        self.nodes[0].append(root)
        if not axes:
            return [] if (ROOM * self.measure(nets, most) <= most).all() else None
        sums, bent = self.grid.moduli(0, nets)
        if not (self.grid.below(nets, sums, most, self.measure) <= most).all():
            try:
                if not self._shown(0, nets, most, sums, bent, root, np.arange(1))[0].all():
                    return None
            except TooMuchWork:
                return None
        return self._symbols()

    def _symbols(self) -> list[str]:
        found, at = [], np.zeros(1, np.int64)
        for level in range(len(self.grid.axes)):
            cells, first = (
                np.concatenate([getattr(nodes, name) for nodes in self.nodes[level]] or [np.zeros(0, np.int64)])
                for name in ("cells", "first")
            )
            here, begin = cells[at], first[at]
            code = np.where(here <= FINE, here, FINE + (here - FINE) // 8) + ord(".")
            found.append(code.astype(np.uint8).tobytes().decode("ascii"))
            begin, ends = begin[here > 0], here[here > 0] + 1
            inside = np.arange(ends.sum()) - np.repeat(ends.cumsum() - ends, ends)
            at = np.repeat(begin, ends) + inside
        return found

    def _shown(
        self, level: int, nets: Any, limits: Floats, sums: Floats, bent: Floats, nodes: Nodes, at: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], Floats]:
        """Whether each net is shown to obey its limit, and the largest sum met there; ``at`` are its nodes."""
        good, met = np.zeros(len(nets), bool), np.zeros(len(nets))
        slack = ROOM * self.grid.axes[level].width ** 2 / 8 * np.minimum(bent, self.bends[level])
        left = len(self.grid.axes) - level
        hope = self.guess[level] * sums
        hope = np.where(hope < limits, hope, 0.5 * limits)
        open_ = np.arange(len(nets))
        for _ in range(TRIES):
            open_ = open_[hope[open_] < limits[open_]]
            need = np.maximum(1, np.sqrt(slack[open_] * left / (limits - hope)[open_]))
            open_, need = open_[need <= COUNTS[-1]], need[need <= COUNTS[-1]]
            counts = COUNTS[np.searchsorted(COUNTS, need)]
            for count in np.unique(counts).tolist():
                rows = open_[counts == count]
                step = max(1, 4 * AT_ONCE // (nets[0].size * (count + 1)))
                for some in (rows[begin : begin + step] for begin in range(0, len(rows), step)):
                    good[some], seen = self._over(level, count, nets[some], limits[some], slack[some], nodes, at[some])
                    met[some] = np.maximum(met[some], seen)
                    higher = seen + AHEAD * (limits[some] - seen)
                    hope[some] = np.where(higher > hope[some], higher, (hope[some] + limits[some]) / 2)
            open_ = open_[~good[open_] & (met[open_] <= limits[open_])]
            if not len(open_):
                break
        return good, met

    def _over(
        self, level: int, count: int, nets: Any, limits: Floats, slack: Floats, nodes: Nodes, at: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], Floats]:
        """The same with one number of cells."""
        table = self.grid.axes[level].table(count)
        put = (table @ nets.reshape(len(nets), table.shape[1], -1)).reshape(-1, *nets.shape[2:])
        less = np.repeat(limits - slack / count**2, count + 1)
        self.used += put.size
        if self.used > self.work:
            raise TooMuchWork
        if level + 1 == len(self.grid.axes):
            values = ROOM * self.measure(put, less)
            good = values <= less
            self.met = max(self.met, float(values.max()))
        else:
            sums, bent = self.grid.moduli(level + 1, put)
            children = Nodes.of(len(put))
            self.nodes[level + 1].append(children)
            nodes.first[at] = self.count[level + 1] + np.arange(len(nets)) * (count + 1)
            self.count[level + 1] += len(put)
            good, values = self.grid.below(put, sums, less, self.measure) <= less, np.zeros(len(sums))
            rows = np.flatnonzero(~good)
            if len(rows):
                good[rows], values[rows] = self._shown(
                    level + 1, put[rows], less[rows], sums[rows], bent[rows], children, rows
                )
                seen = values[rows] > 0
                if seen.any():
                    share = float((values[rows][seen] / sums[rows][seen]).mean())
                    self.guess[level + 1] += min(0.5, LEARNING * seen.sum()) * (share - self.guess[level + 1])
        nodes.cells[at] = count
        shape = (len(nets), count + 1)
        return np.asarray(good.reshape(shape).all(axis=1)), np.asarray(values.reshape(shape).max(axis=1))
