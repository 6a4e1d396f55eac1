"""Growing the grids of a certificate: which cells each axis needs at each place for a bound to show.

Nothing here is trusted: ``grids.py`` verifies what comes out. Each place starts with a guess of equal cells. Where an
end of a cell does not show what is left of the bound there, the cell is divided; other cells stay as wide as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .grids import AT_ONCE, CELLS, ROOM, WHOLE, Floats, FunctionGrid, Integers, Measure, means_of

NUMBERS = np.array(list(CELLS.values()))
CODES = np.array([ord(symbol) for symbol in CELLS])
FIRST = 32
"""Most cells that a place starts with."""
GUESS, LEARNING, AHEAD = 0.6, 0.03, 0.25
"""Part of what open joints add that is taken to be reached, how fast that follows what is met, and how much of what is
left above a value met is left to the next axes."""
TRIES = 40
"""How often cells are divided before a place is given up."""


class TooMuchWork(Exception):
    """A grid would take more work than is allowed."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one axis: the place of each, its left end in units, n where it is 1/n of the range."""

    place: Integers
    left: Integers
    n: Integers

    @property
    def right(self) -> Integers:
        """The other end."""
        return self.left + WHOLE // self.n

    def at(self, indices: Integers) -> Cells:
        """Some of them."""
        return Cells(self.place[indices], self.left[indices], self.n[indices])

    def divided(self, counts: Integers) -> Cells:
        """Each in so many equal parts."""
        of = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(of)) - np.repeat(counts.cumsum() - counts, counts)
        n = (self.n * counts)[of]
        return Cells(self.place[of], self.left[of] + number * (WHOLE // n), n)

    def joined(self, other: Cells) -> Cells:
        """With others after them."""
        pairs = ((self.place, other.place), (self.left, other.left), (self.n, other.n))
        return Cells(*(np.concatenate(pair) for pair in pairs))


class Ends:
    """Ends of cells that were looked at: the least limit shown at each, the largest value met, the place it became."""

    def __init__(self) -> None:
        self.keys, self.children = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.shown, self.met = np.zeros(0), np.zeros(0)

    def find(self, keys: Integers) -> tuple[Floats, Floats]:
        """What is shown and met at ends; infinite, and minus infinite, at those that were not looked at."""
        shown, met = np.full(len(keys), np.inf), np.full(len(keys), -np.inf)
        at = np.searchsorted(self.keys, keys)
        present = np.flatnonzero(at < len(self.keys))
        present = present[self.keys[at[present]] == keys[present]]
        shown[present], met[present] = self.shown[at[present]], self.met[at[present]]
        return shown, met

    def add(self, keys: Integers, shown: Floats, met: Floats, children: Integers) -> None:
        """What was seen last counts; what was met before stays."""
        met = np.maximum(met, self.find(keys)[1])
        others = ~np.isin(self.keys, keys)
        self.keys, order = (x := np.concatenate([self.keys[others], keys])), np.argsort(x)
        self.keys = self.keys[order]
        for name, values in (("shown", shown), ("met", met), ("children", children)):
            setattr(self, name, np.concatenate([getattr(self, name)[others], values])[order])


class GridGrowth:
    """One bound that is to be shown; ``used`` counts the numbers computed."""

    def __init__(self, grid: FunctionGrid, measure: Measure, work: float) -> None:
        self.grid, self.measure, self.work, self.used = grid, measure, work, 0.0
        axes = len(grid.axes)
        self.guess = np.full(axes, GUESS)
        self.places = [0] * (axes + 1)
        self.cells: list[list[tuple[Integers, ...]]] = [[] for _ in range(axes)]
        """For each axis place, n, left and right child of the cells of places that were shown, in order."""

    def words(self, bound: float) -> list[str] | None:
        """The words of the grid that shows the bound; None where it takes too much work or is not there."""
        most = np.array([bound - self.grid.rounding - 2.0**-38 * abs(bound)])
        try:
            shown, _, _ = self._show(0, self.grid.tensor[None], most)
        except TooMuchWork:
            return None
        return self._texts() if shown.all() else None

    def _show(self, level: int, nets: Floats, limits: Floats) -> tuple[np.ndarray, Floats, Integers]:
        """Whether each net is shown to obey its limit, the largest value met there, and the place it is."""
        ids = self.places[level] + np.arange(len(nets))
        self.places[level] += len(nets)
        if level == len(self.grid.axes):
            values = self.measure(nets, limits)
            return values <= limits, values, ids
        sums, bent = self.grid.moduli(level, nets)
        bounds = self.grid.open_bound(nets, sums, limits, self.measure)
        shown, met = bounds <= limits, np.full(len(nets), -np.inf)
        rows = np.flatnonzero(~shown)
        if len(rows):
            open_part = (sums - np.abs(means_of(nets)).sum(axis=1))[rows]
            hope = bounds[rows] - (1 - self.guess[level]) * open_part
            sag = ROOM * self.grid.axes[level].width ** 2 / 8 * bent[rows]
            shown[rows], met[rows] = self._divide(level, nets[rows], limits[rows], hope, sag, ids[rows])
            is_met = np.isfinite(met[rows]) & shown[rows] & (open_part > 0)
            if is_met.any():
                share = float((1 - (bounds[rows] - met[rows])[is_met] / open_part[is_met]).mean())
                self.guess[level] += min(0.5, LEARNING * is_met.sum()) * (np.clip(share, 0, 1) - self.guess[level])
        return shown, met, ids

    def _divide(
        self, level: int, nets: Floats, limits: Floats, hope: Floats, sag: Floats, ids: Integers
    ) -> tuple[np.ndarray, Floats]:
        """The same of places where the axis has to be divided; ``sag`` is h^2/8 B of a cell as wide as the range."""
        hope = np.where(hope < limits, hope, limits - 0.1 * np.abs(limits) - 1e-300)
        need = np.sqrt(sag * (len(self.grid.axes) - level) / (limits - hope))
        start = NUMBERS[np.searchsorted(NUMBERS, np.clip(need, 1, FIRST))]
        rows = np.arange(len(nets))
        cells = Cells(rows, np.zeros_like(rows), np.ones_like(rows)).divided(start)
        ends, lost, met = Ends(), np.zeros(len(nets), bool), np.full(len(nets), -np.inf)
        for _ in range(TRIES):
            cells = cells.at(np.flatnonzero(~lost[cells.place]))
            if not len(cells.n):
                break
            less = limits[cells.place] - sag[cells.place] / cells.n**2
            keys = [cells.place * (WHOLE + 1) + end for end in (cells.left, cells.right)]
            end_keys, of_cell = np.unique(np.concatenate(keys), return_inverse=True)
            least = np.full(len(end_keys), np.inf)
            np.minimum.at(least, of_cell, np.concatenate([less, less]))
            shown, highest_met = ends.find(end_keys)
            self._look(level, nets, ends, end_keys, least, np.flatnonzero((shown > least) & (highest_met <= least)))
            shown, highest_met = ends.find(end_keys)
            np.maximum.at(met, end_keys // (WHOLE + 1), highest_met)
            lost |= ~(met <= limits)
            worst = np.maximum(shown[of_cell[: len(less)]], shown[of_cell[len(less) :]])
            is_shown = worst <= less
            if is_shown.all():
                break
            unshown = cells.at(np.flatnonzero(~is_shown))
            highest = np.maximum(highest_met[of_cell[: len(less)]], highest_met[of_cell[len(less) :]])[~is_shown]
            spare = (1 - AHEAD) * np.where(np.isfinite(highest), limits[unshown.place] - highest, np.inf)
            with np.errstate(divide="ignore", invalid="ignore"):
                finer = np.sqrt(sag[unshown.place] / spare) / unshown.n
            counts = np.where(finer > 4, 8, np.where(finer > 2, 4, 2))
            lost[unshown.place[unshown.n * counts > NUMBERS[-1]]] = True
            unshown, counts = unshown.at(remaining := np.flatnonzero(~lost[unshown.place])), counts[remaining]
            cells = cells.at(np.flatnonzero(is_shown)).joined(unshown.divided(counts))
        else:
            lost[cells.place] = True
        self._keep(level, cells.at(np.flatnonzero(~lost[cells.place])), ends, ids)
        return ~lost, met

    def _look(self, level: int, nets: Floats, ends: Ends, end_keys: Integers, least: Floats, todo: Integers) -> None:
        """Look at ends, whether they show their limits."""
        step = max(1, AT_ONCE // nets[0].size)
        results: list[tuple[np.ndarray, Floats, Integers]] = []
        for batch in (todo[begin : begin + step] for begin in range(0, len(todo), step)):
            of, position = np.divmod(end_keys[batch], WHOLE + 1)
            at_ends = self.grid.put(level, nets[of], self.grid.axes[level].table(position))
            self.used += at_ends.size
            if self.used > self.work:
                raise TooMuchWork
            results.append(self._show(level + 1, at_ends, least[batch]))
        if results:
            shown, met, children = (np.concatenate(columns) for columns in zip(*results, strict=True))
            ends.add(end_keys[todo], np.where(shown, least[todo], np.inf), met, children)

    def _keep(self, level: int, cells: Cells, ends: Ends, ids: Integers) -> None:
        """The cells of places that were shown."""
        cells = cells.at(np.lexsort((cells.left, cells.place)))
        left, right = (
            ends.children[np.searchsorted(ends.keys, cells.place * (WHOLE + 1) + end)]
            for end in (cells.left, cells.right)
        )
        self.cells[level].append((ids[cells.place], cells.n, left, right))

    def _texts(self) -> list[str]:
        """From the first place on, the words of each place and its ends in order."""
        texts, places = [], np.zeros(1, np.int64)
        for cells in self.cells:
            none = (np.zeros(0, np.int64),) * 4
            place, n, left, right = (np.concatenate(columns) for columns in zip(none, *cells, strict=True))
            order = np.argsort(place, kind="stable")
            place, n, left, right = place[order], n[order], left[order], right[order]
            first, last = (np.searchsorted(place, places, side) for side in ("left", "right"))
            count = last - first
            symbols = np.maximum(count, 1)
            at = np.repeat(first, symbols) + np.arange(symbols.sum()) - np.repeat(symbols.cumsum() - symbols, symbols)
            is_open = np.repeat(count == 0, symbols)
            codes = np.full(len(at), ord("."))
            codes[~is_open] = CODES[np.searchsorted(NUMBERS, n[at[~is_open]])]
            texts.append(codes.astype(np.uint8).tobytes().decode("ascii"))
            closes = np.zeros(len(at), bool)
            closes[symbols.cumsum() - 1] = True
            at, closes = at[~is_open], closes[~is_open]
            ends = 1 + closes
            places = np.zeros(ends.sum(), np.int64)
            begin = ends.cumsum() - ends
            places[begin], places[begin[closes] + 1] = left[at], right[at[closes]]
        return texts
