"""Tables of numbers over time from CSV files: one line of heads, one line for each moment.

A head is a name, and its unit in brackets where it has one, as in ``q_elbow [deg]``. Commas, semicolons or tabs stand
between the cells.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.expression import LARGEST, shown
from ..arm.io.text_files import read_text

Array = NDArray[np.float64]

LARGEST_TABLE = 64_000_000
"""Largest file (bytes)."""
MOST_COLUMNS = 10_000

Cell: TypeAlias = tuple[int, float]
"""A column of the file, and the factor from its unit to SI."""


@dataclass(frozen=True)
class CsvTable:
    """The text of a file and its heads; the numbers of those columns that are wanted are read by ``numbers``."""

    path: Path
    text: str
    separator: str
    heads: tuple[str, ...]

    @classmethod
    def read(cls, path: Path, expected: str) -> CsvTable:
        """The table of a file, whose first line should be like ``expected``."""
        text = read_text(path, LARGEST_TABLE, "name a CSV file")
        head_line = text.partition("\n")[0]
        separator = max((",", ";", "\t"), key=head_line.count)
        table = cls(path, text, separator, ())
        heads = [cell.strip() for cell in next(table._lines(), (1, []))[1]]
        if not any(heads):
            raise ArmError(f"{path}: is empty; its first line should be {expected}")
        if len(heads) > MOST_COLUMNS:
            raise ArmError(f"{path}, line 1: has more than {MOST_COLUMNS} columns; leave out what is not needed")
        return cls(path, text, separator, tuple(heads))

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Each line with its number and its cells."""
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.separator)
        try:
            for row in reader:
                yield reader.line_num, row
        except csv.Error as fault:
            raise ArmError(f"{self.path}, line {reader.line_num}: is not CSV ({fault}); mend it") from None

    def numbers(self, cells: Sequence[Cell]) -> tuple[list[int], Array]:
        """The lines that hold a moment, by their numbers in the file, and the wanted columns of each in SI units."""
        lines, values = [], []
        for number, row in self._lines():
            if number > 1 and any(cell.strip() for cell in row):
                lines.append(number)
                values.append([self._value(number, row, cell) for cell in cells])
        if not lines:
            raise ArmError(f"{self.path}: has heads and no moment; give one line for each time")
        return lines, np.array(values)

    def _value(self, number: int, row: Sequence[str], cell: Cell) -> float:
        """One number of a row in SI units; refused where it is missing, not finite, or beyond 1e30."""
        column, factor = cell
        if column >= len(row):
            raise ArmError(
                f"{self.path}, line {number}: has {len(row)} values for {len(self.heads)} columns; "
                f"{shown(self.heads[column])} is missing"
            )
        word = row[column].strip()
        try:
            value = math.nan if "_" in word else float(word) * factor
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST:
            raise ArmError(
                f"{self.path}, line {number}, column {shown(self.heads[column])}: {shown(word)} is no finite number "
                "within ±1e30; write one"
            )
        return value


def name_and_unit(head: str) -> tuple[str, str]:
    """The name in a head and the unit in brackets behind it, or an empty string."""
    if head[-1:] not in ("]", ")"):
        return head, ""
    inner = head[:-1]
    after = max(inner.rfind("]"), inner.rfind(")")) + 1
    opened = [index for index in (inner.find("[", after), inner.find("(", after)) if index >= 0]
    if not opened:
        return head, ""
    return inner[: min(opened)].strip(), inner[min(opened) + 1 :].strip()


def clock_unit(path: Path, head: str, unit: str) -> float:
    """Factor from the unit of a time column, s or ms, to s."""
    if unit not in ("", "s", "ms"):
        raise ArmError(f"{path}, line 1: {shown(head)} has the unit {shown(unit)}; times are in s or ms")
    return 0.001 if unit == "ms" else 1.0
