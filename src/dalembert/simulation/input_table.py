"""Inputs over time from a table or a CSV file: straight lines between its rows, a jump where a time stands twice.

A file has one line of heads and one line for each moment: ``t`` (or ``time``, s or ms) and a column for each input,
named as the motor or joint is, or as ``dalembert simulate --output`` names it (``input_motor1 [A]``). Other columns are
passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.expression import shown
from .csv_table import Cell, CsvTable, clock_unit, name_and_unit

Array = NDArray[np.float64]


class InputTable:
    """Inputs ``(rows, inputs)`` at times (s), called as a controller is; a simulation reads it segment by segment."""

    def __init__(self, times: ArrayLike, values: ArrayLike, where: str = "the table of inputs") -> None:
        self.times, self.values = real_array(f"{where}: times", times), real_array(f"{where}: inputs", values)
        self.where = where
        if self.values.ndim != 2 or self.times.shape != self.values.shape[:1] or len(self.times) < 2:
            raise ArmError(f"{where}: give at least two times, and one row of inputs for each")
        if not np.isfinite(self.times).all() or not np.isfinite(self.values).all():
            raise ArmError(f"{where}: a number in it is not finite")
        if (np.diff(self.times) < 0).any():
            late = int(np.argmax(np.diff(self.times) < 0))
            raise ArmError(
                f"{where}: the time {self.times[late + 1]:g} s comes after {self.times[late]:g} s; sort by time"
            )

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """The inputs at time t; at a jump those after it."""
        return self.of_segment(self.segment(t), t)

    def segment(self, t: float) -> int:
        """The number of the row that begins the segment from ``t`` on."""
        return int(np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2))

    def of_segment(self, k: int, t: float) -> Array:
        """The straight line through rows k and k + 1."""
        span = self.times[k + 1] - self.times[k]
        fraction = (t - self.times[k]) / span if span else 1.0
        return np.asarray(self.values[k] + fraction * (self.values[k + 1] - self.values[k]))

    def check_span(self, begin: float, end: float) -> None:
        """Refuse a table that does not reach over the time of a simulation."""
        if self.times[0] > begin or self.times[-1] < end:
            raise ArmError(
                f"{self.where}: it reaches from {self.times[0]:g} to {self.times[-1]:g} s, and the simulation from "
                f"{begin:g} to {end:g} s; give rows for all of it, or a shorter duration"
            )


class TableReading:
    """An input table as one simulation reads it: smooth up to ``next``, where the segment ends."""

    def __init__(self, table: InputTable, begin: float, end: float) -> None:
        table.check_span(begin, end)
        self.table, self.segment = table, table.segment(begin)

    @property
    def next(self) -> float:
        """The end of the segment (s); none after the last."""
        is_last = self.segment >= len(self.table.times) - 2
        return float("inf") if is_last else float(self.table.times[self.segment + 1])

    def advance(self, t: float) -> None:
        """Go on to the segment that begins at ``t``."""
        self.segment = self.table.segment(t)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        return self.table.of_segment(self.segment, t)


def read_input_table(path: str | Path, names: Sequence[str], units: Sequence[str]) -> InputTable:
    """The inputs of these names from a CSV file; a unit in its heads must be that of the input."""
    file = Path(path)
    table = CsvTable.read(file, f"t,{listed(names, 8)}, then one for each time")
    cells: dict[str, Cell] = {}
    for column, head in enumerate(table.heads):
        name, written_unit = name_and_unit(head)
        if name.lower() in ("t", "time"):
            cells["t"] = (column, clock_unit(file, head, written_unit))
            continue
        for input_name, unit in zip(names, units, strict=True):
            if name in (input_name, f"input_{input_name}"):
                if written_unit not in ("", unit):
                    raise ArmError(
                        f"{path}, line 1: {shown(head)} has the unit {shown(written_unit)}; this input is in {unit}"
                    )
                cells[input_name] = (column, 1.0)
    lacking = [name for name in ("t", *names) if name not in cells]
    if lacking:
        raise ArmError(
            f"{path}, line 1: no column {listed(lacking)}; give t and one column for each of {listed(names)}"
        )
    _, numbers = table.numbers([cells["t"], *(cells[name] for name in names)])
    return InputTable(numbers[:, 0], numbers[:, 1:], str(path))
