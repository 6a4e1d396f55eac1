"""A motion as a file: CSV, NetCDF 3 or Parquet, each column with its unit; written whole or not at all."""

from __future__ import annotations

import csv
import io
import unicodedata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.whole_files import replacing, write_whole

Columns = dict[str, tuple[str, NDArray[np.float64]]]
"""Name -> (unit, values)."""


def save_csv(columns: Columns, path: Path) -> None:
    """Comma-separated values, units in the heads, numbers in full."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([f"{name} [{unit}]" if unit else name for name, (unit, _) in columns.items()])
    writer.writerows(zip(*([repr(float(x)) for x in values] for _, values in columns.values()), strict=True))
    write_whole(path, stream.getvalue())


def save_netcdf(columns: Columns, title: str, path: Path) -> None:
    """NetCDF 3: a variable for each column, its unit and its full name as attributes."""
    from scipy.io import netcdf_file

    names = netcdf_names(list(columns))
    with replacing(path) as beside, netcdf_file(str(beside), "w") as file:
        file.title = title.encode()
        file.createDimension("time", len(next(iter(columns.values()))[1]))
        for (full, (unit, values)), name in zip(columns.items(), names, strict=True):
            # scipy writes names as Latin-1, letter for byte; the format wants UTF-8.
            variable = file.createVariable(name.encode().decode("latin-1"), "d", ("time",))
            variable[:] = values
            variable.units = unit.encode()
            variable.long_name = full.encode()


def netcdf_names(columns: list[str]) -> list[str]:
    """Names that the format allows, each its own: no blanks, slashes or control characters in them."""
    unique: list[str] = []
    for column in columns:
        name = "".join(c if c.isprintable() and c not in " /" else "_" for c in unicodedata.normalize("NFC", column))
        tries = (name if not count else f"{name}_{count}" for count in range(len(columns)))
        unique.append(next(name for name in tries if name not in unique))
    return unique


def save_parquet(columns: Columns, path: Path) -> None:
    """Parquet, the unit of each column in its metadata."""
    try:
        import pyarrow as arrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        from pyarrow import parquet
    except ImportError:
        raise ArmError("pyarrow is not installed; install it, or save as .csv or .nc") from None
    fields = [arrow.field(name, arrow.float64(), metadata={"unit": unit}) for name, (unit, _) in columns.items()]
    table = arrow.Table.from_arrays([v for _, v in columns.values()], schema=arrow.schema(fields))
    with replacing(path) as beside:
        parquet.write_table(table, beside)
