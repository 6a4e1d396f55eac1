"""The commands ranges, reduce and review say what the library finds."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from dalembert.arm.errors import ArmError
from dalembert.cli import ranges, reduce, review


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    made = typer.Typer(pretty_exceptions_enable=False)
    for command in (ranges, reduce, review):
        command.register(made)
    return made


def run(app: typer.Typer, *words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_ranges_prints_both_tables_and_the_proof(app) -> None:
    text = run(app, "ranges", "planar-2r", "--load", "1:0.05")
    assert "Total inertia" in text
    assert "Proved" in text


def test_ranges_of_a_ratio_as_json(app) -> None:
    (row,) = json.loads(run(app, "ranges", "planar-2r", "--of", "D12/D11", "--json"))
    assert row["lower"] <= row["minimum"] <= row["maximum"] <= row["upper"]


def test_reduce_prints_a_proved_error_within_the_tolerance(app) -> None:
    found = json.loads(run(app, "reduce", "planar-2r", "--tolerance", "0.3", "--speed", "1", "--json"))
    assert all(b <= 0.3 * s + 1e-12 for b, s in zip(found["bound"], found["scale"], strict=True))
    assert "=" in run(app, "reduce", "planar-2r", "--terms", "--tolerance", "0.2")


def test_review_prints_the_guidelines_and_compares(app) -> None:
    assert "Coupling" in run(app, "review", "planar-2r")
    assert "D11 greatest" in run(app, "review", "planar-2r", "--against", "planar-2r")


@pytest.mark.parametrize("words", [("--load", "heavy"), ("--box", "joint1"), ("--box", "joint1=2:1")])
def test_bad_options_are_said_plainly(app, words: tuple[str, str]) -> None:
    with pytest.raises(ArmError, match=r"--load|--box|empty"):
        CliRunner().invoke(app, ["ranges", "planar-2r", *words], catch_exceptions=False)
