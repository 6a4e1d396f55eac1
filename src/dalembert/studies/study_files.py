"""Results of a study as a file: Parquet or CSV, a row for each design, a column for each factor and each output."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.text_files import reason
from ..arm.io.whole_files import replacing, write_whole

Array = NDArray[np.float64]
Columns = dict[str, tuple[str, Array]]
"""Name -> (unit, values)."""

SUFFIXES = (".parquet", ".csv")
FAILURE = "failure"
"""The column with the reason why a design has no outputs."""
IDENTITY = b"dalembert.study"
ROWS = 100_000
"""Rows of a group of a Parquet file."""


def checked_path(path: str | Path) -> Path:
    """The path, refused where its suffix names no format, or the format cannot be written here."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ArmError(f"{target}: results are written as .parquet or .csv; give the file one of these endings")
    if target.suffix.lower() == ".parquet":
        arrow_library()
    check_folder(target)
    return target


def check_folder(path: Path) -> None:
    """Refuse a file that could not be written: told now, not after the last design."""
    if path.is_dir():
        raise ArmError(f"{path}: is a folder; name a file in it")
    if not path.parent.is_dir():
        raise ArmError(f"{path.parent}: there is no such folder; make it, or name another")
    if not os.access(path.parent, os.W_OK):
        raise ArmError(f"{path.parent}: nothing can be written there; name another folder")


def arrow_library() -> Any:
    """Arrow, or a sentence that says how to do without it."""
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise ArmError(
            "Parquet needs pyarrow, which is not installed; install dalembert[studies], or save as .csv"
        ) from None
    return pyarrow


def save_table(path: Path, columns: Columns, failures: tuple[str, ...], identity: str) -> None:
    """Write all columns, units in their metadata or heads, whole or not at all."""
    if path.suffix.lower() == ".csv":
        stream = io.StringIO()
        writer = csv.writer(stream)
        writer.writerow([*(f"{name} [{unit}]" if unit else name for name, (unit, _) in columns.items()), FAILURE])
        rows = zip(*([repr(float(x)) for x in values] for _, values in columns.values()), failures, strict=True)
        writer.writerows(rows)
        write_whole(path, stream.getvalue())
        return
    arrow = arrow_library()
    fields = [arrow.field(name, arrow.float64(), metadata={"unit": unit}) for name, (unit, _) in columns.items()]
    schema = arrow.schema([*fields, arrow.field(FAILURE, arrow.string())], metadata={IDENTITY: identity.encode()})
    with (
        replacing(path) as beside,
        arrow.parquet.ParquetWriter(beside, schema, write_page_checksum=True) as writer,
    ):
        for first in range(0, max(len(failures), 1), ROWS):
            rows_of_group = slice(first, first + ROWS)
            arrays = [arrow.array(values[rows_of_group]) for _, values in columns.values()]
            arrays.append(arrow.array(failures[rows_of_group], arrow.string()))
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def finished(path: Path, identity: str, designs: Array, names: Sequence[str]) -> tuple[Array, tuple[str, ...]] | None:
    """Values ``(rows, outputs)`` and failures of a Parquet file of this very study, or None where it is none.

    ``names`` are those of the factors, whose values must be the ``designs``, then those of the outputs.
    """
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return None
    arrow = arrow_library()
    try:
        file = arrow.parquet.ParquetFile(path, page_checksum_verification=True)
        if (file.schema_arrow.metadata or {}).get(IDENTITY) != identity.encode():
            return None
        table = file.read()
        if table.column_names != [*names, FAILURE]:
            return None
        values = np.stack([table.column(name).to_numpy() for name in names], axis=1)
        failures = tuple(map(str, table.column(FAILURE).to_pylist()))
        if not np.array_equal(values[:, : designs.shape[1]], designs):
            raise ValueError("its designs are not those of its study")
    except (OSError, ValueError, arrow.ArrowException) as fault:
        raise ArmError(f"{path}: cannot be read ({reason(fault)}); remove it, or name another file") from None
    return values[:, designs.shape[1] :], failures
