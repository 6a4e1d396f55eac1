"""Motions as files: names from arm files are data, and no column is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

import dalembert as da
from dalembert.simulation.motion_saving import netcdf_names

NAMES = ("关节1", "a b", "a_b", "a/b", "=1+1", "x\n\x1b", "")


def motion(names: tuple[str, ...]) -> da.Motion:
    t, n = np.linspace(0, 1, 4), len(names)
    q = np.arange(4.0 * n).reshape(4, n)
    zero = np.zeros(4)
    return da.Motion("руку", t, q, -q, q, names, ("rad",) * n, names, ("N m",) * n, zero, zero, zero, zero)


@pytest.mark.parametrize("ending", ["csv", "nc", "parquet"])
def test_any_name_is_saved_with_its_values(tmp_path: Path, ending: str) -> None:
    given = motion(NAMES)
    path = tmp_path / f"m.{ending}"
    given.save(path)
    found: dict[str, np.ndarray] = {}
    if ending == "csv":
        import csv

        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = list(csv.reader(file))
        columns = zip(*rows, strict=True)
        found = {name.rpartition(" [")[0]: np.array(x, float) for name, x in zip(head, columns, strict=True)}
        assert not any(cell.startswith("=") for cell in head)
    elif ending == "nc":
        with netcdf_file(str(path), mmap=False) as file:
            found = {v.long_name.decode(): v[:].copy() for v in file.variables.values()}
            # the format has names in UTF-8, which scipy reads letter for byte
            assert "q_关节1".encode().decode("latin-1") in file.variables
    else:
        from pyarrow import parquet

        table = parquet.read_table(path)
        found = {name: table[name].to_numpy() for name in table.column_names}
    assert len(found) == len(given.columns)
    for k, name in enumerate(NAMES):
        np.testing.assert_array_equal(found[f"q_{name}"], given.q[:, k])


def test_names_of_variables_are_allowed_and_differ() -> None:
    found = netcdf_names(["a b", "a_b", "a/b", "x\n", "c\u0327"])
    assert found == ["a_b", "a_b_1", "a_b_2", "x_", "\u00e7"]
