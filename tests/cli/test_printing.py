"""Numbers in the tables of the command line: all their digits, in line, within the terminal."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from command_runs import PLAIN, command_folder, run
from dalembert.cli.printing import figures, json_text, matrix, table

pytestmark = pytest.mark.usefixtures("terminal_of_80_columns")


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=8))
def test_figures_keep_five_digits_and_their_decimal_points_in_line(values):
    written = figures(values)
    assert len({len(text) for text in written}) == 1
    largest = max(map(abs, values))
    for value, text in zip(values, written, strict=True):
        assert float(text) == pytest.approx(value, rel=5e-5, abs=1e-13 * largest)
    plain = [text for text in written if "e" not in text]
    ends = {text.index(".") if "." in text else len(text.rstrip()) for text in plain}
    assert len(ends) <= 1


def test_a_matrix_too_wide_for_the_terminal_is_printed_in_blocks_and_whole(capsys):
    values = np.random.default_rng(0).normal(size=(12, 12))
    matrix([f"joint{k}" for k in range(12)], values)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for value in values.flat:
        assert f"{value:.5g}" in out


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=1, max_size=15))
def test_no_table_cuts_a_number_whatever_its_width(columns):
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        table([("link", ["a" * 30, "b", "c"]), *((f"column{k}\nm", figures(c)) for k, c in enumerate(columns))])
    words = stream.getvalue().split()
    for cell in (text.strip() for column in columns for text in figures(column)):
        assert cell in words
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_a_table_is_cut_into_the_fewest_blocks_though_one_column_is_wide(capsys):
    """47 cells of room: the first three fit beside each other, and only the wide one needs a block of its own."""
    table([("what", ["a" * 28]), ("one", ["1.5"]), ("two", ["2.5"]), ("three", ["4"]), ("peer", ["b" * 40])])
    heads = [line.split() for line in capsys.readouterr().out.splitlines() if "what" in line]
    assert heads == [["what", "one", "two", "three"], ["what", "peer"]]


def test_a_matrix_shows_rounding_as_zero(capsys):
    matrix(["a", "b"], np.array([[2.0, 1e-16], [1e-16, 3.0]]))
    assert "e-16" not in capsys.readouterr().out


def test_a_table_that_is_too_wide_folds_its_heads_before_it_is_cut_into_blocks(monkeypatch, capsys):
    """A unit in brackets stays in one piece, and no number is folded."""
    monkeypatch.setenv("COLUMNS", "60")
    table(
        [("factor", ["a" * 22]), ("output per unit of the factor [N m]", ["-0.00076383"]), ("spread allowed", ["0.05"])]
    )
    lines = capsys.readouterr().out.splitlines()
    assert sum("─" in line for line in lines) == 1
    assert any("[N m]" in line for line in lines)
    assert lines[-1].split() == ["a" * 22, "-0.00076383", "0.05"]


STEERS = "\\u001b[31mred\\u001b]0;title\\u0007\\u009b2J\\u202etxt\\u2066\\u200f\\u007f[bold]\\U000e0041"
"""Escape sequences of terminals, of seven bits and of eight; directions of writing, an invisible letter."""


@pytest.fixture(scope="module")
def steering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an arm in every name and text of which stands what steers a terminal."""
    folder = command_folder(tmp_path_factory.mktemp("steering"))
    text = (folder / "arm.toml").read_text(encoding="utf-8")
    text = re.sub(r'"((?:joint|link|motor|planar)[-\w]*)"', lambda name: f'"{name[1]}{STEERS}"', text)
    text = re.sub(r"\b(joint[12]) =", lambda name: f'"{name[1]}{STEERS}" =', text)
    text = re.sub(r'^(title|notes) = "', lambda head: f"{head[0]}{STEERS}", text, flags=re.MULTILINE)
    (folder / "arm.toml").write_text(text, encoding="utf-8")
    assert "\x1b" in da.load(folder / "arm.toml").joint_names[0]
    (folder / "study.toml").write_text(
        f'name = "study{STEERS}"\n' + (folder / "study.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("command", sorted({*PLAIN} - {"list", "doctor", "demo", "studio", "bench"}))
@pytest.mark.filterwarnings("ignore")
def test_no_name_of_a_file_steers_the_terminal(command: str, steering: Path, tmp_path: Path) -> None:
    asked = PLAIN[command](str(steering / "arm.toml"))
    for words in (asked, [word for word in asked if word not in ("--json", "all.json")]):
        result = run(tmp_path, command, *words)
        assert result.code in (0, 1), result.err
        for line in (result.out + result.err).split("\n"):
            assert line.isprintable(), repr(line)


def test_json_keeps_letters_and_spells_out_what_steers() -> None:
    value = {"关节": "\x1b[31m\x9b2J\u202e\U000e0041\ud800 ä"}
    written = json_text(value)
    assert "关节" in written
    assert "ä" in written
    assert all(line.isprintable() for line in written.split("\n"))
    assert json.loads(written) == value


def test_json_has_null_for_what_is_not_finite() -> None:
    """JSON has no words for infinity and NaN, and programs refuse those that Python writes."""
    text = json_text({"least": -float("inf"), "rows": [(1.5, float("nan"), np.float64("inf"))], "name": "inf"})
    assert json.loads(text) == {"least": None, "rows": [[1.5, None, None]], "name": "inf"}


def test_a_ratio_whose_denominator_is_zero_has_no_value_in_json(tmp_path: Path) -> None:
    words = ["ranges", "planar-2r", "--of", "D12/G2", "--along", "joint2", "--gravity", "0,0,0", "--json"]
    found = run(command_folder(tmp_path), *words)
    assert found.code == 0
    assert "divide" not in found.err
    (curve,) = json.loads(found.out, parse_constant=pytest.fail)
    assert set(curve["values"][0]) == {None}
