"""Tables hold the same numbers on the page, in CSV and in JSON."""

import base64
import csv
import io
import json
import math
import re

import pytest

from dalembert.markup.data_tables import Column, DataTable, Rich
from dalembert.markup.elements import Html
from dalembert.markup.numbers import formatted, joint_label, percent

TABLE = DataTable(
    "sizes",
    "Sizes <here>",
    (
        Column("name", "name"),
        Column("size", "size", "m", "number"),
        Column("pose", "", kind="pose"),
        Column("form", "form"),
    ),
    (
        ("=SUM(A1)", 1 / 3, (0.5, -1.0), Rich("x^2", Html("x<sup>2</sup>"))),
        ('-a, "b"', math.inf, None, "c"),
    ),
)


def test_csv_has_full_numbers_units_and_no_formulas() -> None:
    head, first, second = csv.reader(io.StringIO(TABLE.csv()))
    assert head == ["name", "size (m)", "pose", "form"]
    assert first == ["'=SUM(A1)", repr(1 / 3), "0.5 -1.0", "x^2"]
    assert second == ['\'-a, "b"', "", "", "c"]


def test_json_has_full_numbers_and_null_where_there_is_none() -> None:
    found = json.loads(TABLE.json())
    assert found["units"] == {"size": "m"}
    assert found["rows"][0] == {"name": "=SUM(A1)", "size": 1 / 3, "pose": [0.5, -1.0], "form": "x^2"}
    assert found["rows"][1]["size"] is None


def test_the_page_escapes_names_and_carries_both_files() -> None:
    page = TABLE.html()
    assert "Sizes &lt;here&gt;" in page
    assert 'data-pose="0.5,-1.0"' in page
    assert "x<sup>2</sup>" in page
    assert "0.3333" in page
    files = re.findall(r'href="data:([^;]+);charset=utf-8;base64,([^"]+)"', page)
    assert [kind for kind, _ in files] == ["text/csv", "application/json"]
    assert base64.b64decode(files[0][1]).decode() == TABLE.csv()


def test_many_rows_are_folded_but_none_is_lost() -> None:
    table = DataTable("many", "Many", (Column("n", "n", kind="number"),), tuple((n,) for n in range(30)), first=10)
    page = table.html()
    assert "20 more rows" in page
    assert page.count("<tr>") == 30 + 2


def test_a_row_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        DataTable("bad", "Bad", (Column("n", "n"),), (("a", "b"),))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-2.5, "−2.5"),
        (1 / 3, "0.3333"),
        (123456.0, "123456"),
        (0.00012344, "0.0001234"),
        (1.5e-7, "1.5·10⁻⁷"),
        (-2e9, "−2·10⁹"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
        (99999.6, "100000"),
        (1e-5, "1·10⁻⁵"),
    ],
)
def test_numbers_are_written_as_people_read_them(value: float | None, text: str) -> None:
    assert formatted(value) == text


def test_shares_and_joints() -> None:
    assert percent(0.05) == "5\u00a0%"
    assert percent(1e-15) == "<\u00a00.0001\u00a0%"
    assert joint_label(0, "joint1") == joint_label(0, "Joint_1") == "joint 1"
    assert joint_label(1, "joint1") == "joint 2, joint1"


def test_units_are_raised_on_the_page_and_plain_in_files() -> None:
    columns = (Column("x", "x", "kg m^2", "number"), Column("unit", "", kind="unit"), Column("name", "name"))
    table = DataTable("t", "T", columns, ((1.0, "m/s^2", "a^2"),))
    shown = re.sub(r'href="data:[^"]*"', "", str(table.html()))
    for part in ("kg m²", "m/s²", "a^2"):  # a name stays what it is
        assert part in shown
    assert "kg m^2" in table.csv()
    assert "m/s^2" in table.csv()
