"""CSV files of motions and inputs: heads with units, read in a time that grows with the file."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from dalembert.arm.errors import ArmError
from dalembert.simulation.csv_table import CsvTable, name_and_unit


@pytest.mark.parametrize(
    ("head", "name", "unit"),
    [
        ("q1", "q1", ""), ("q_elbow [deg]", "q_elbow", "deg"), ("t(ms)", "t", "ms"), ("q[1] [ rad ]", "q[1]", "rad"),
        ("a [b [c]", "a", "b [c"), ("odd]", "odd]", ""), ("[s]", "", "s"), ("", "", ""), ("x [", "x [", ""),
    ],
)  # fmt: skip
def test_a_head_is_a_name_and_a_unit(head: str, name: str, unit: str) -> None:
    assert name_and_unit(head) == (name, unit)


def test_a_long_head_takes_no_time() -> None:
    began = time.process_time()
    name_and_unit("q[" + " " * 100_000 + "x")
    name_and_unit("q" + "[" * 100_000 + "]")
    assert time.process_time() - began < 0.5


def test_numbers_are_read_with_the_line_they_stand_in(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text('t;"a; b [mm]"\n0;1\n\n"1";2,5\n')
    table = CsvTable.read(path, "t")
    assert table.heads == ("t", "a; b [mm]")
    with pytest.raises(ArmError, match=r"line 4, column 'a; b \[mm\]': '2,5' is no finite number"):
        table.numbers([(0, 1.0), (1, 0.001)])
    path.write_text("t\ta\n0\t1\n1\t2e3\n")
    lines, numbers = CsvTable.read(path, "t").numbers([(0, 1.0), (1, 0.001)])
    assert lines == [2, 3]
    np.testing.assert_array_equal(numbers, [[0, 0.001], [1, 2.0]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t,a\n0," + "1" * 140_000, "line 2: is not CSV"), ("t,a\n0,1e308", "is no finite number within"),
        ("t,a\n0,1_0", "'1_0' is no finite number"), ("t,a\n0", "has 1 values for 2 columns; 'a' is missing"),
        ("\n", "is empty; its first line should be t,a"), ("t,a\n", "has heads and no moment"),
        ("t," + "a," * 10_001, "more than 10000 columns"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(ArmError, match=said):
        CsvTable.read(path, "t,a").numbers([(0, 1.0), (1, 1.0)])
