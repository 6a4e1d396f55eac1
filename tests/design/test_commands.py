"""The commands ranges, reduce, review and significance say what the library finds."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.bounds.ranges import Range
from dalembert.cli.run import application
from dalembert.design import tables
from dalembert.design.analysis import Analysis
from dalembert.design.certified_ranges import CertifiedRanges
from dalembert.markup.numbers import not_below


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    return application(["ranges", "reduce", "review", "significance"])


def run(app: typer.Typer, *words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_ranges_prints_both_tables_and_the_proof(app) -> None:
    text = run(app, "ranges", "planar-2r", "--load", "1:0.05")
    assert "Total inertia" in text
    assert "Proved" in text


def test_how_far_a_pose_may_lie_outside_the_figures_of_a_table_counts_those_with_the_load(app) -> None:
    """At this gap the range of D11 with the load stays ten times as far from its proof as that of the empty hand."""
    arm, load = da.load("planar-3r"), da.Load.of(da.Inertia.box(3, ("0.1",) * 3))
    found = arm.analysis(gap=0.3).ranges(arm.holding(load).analysis(gap=0.3))
    row = found.inertia[0]
    assert row.loaded.gap > 5 * row.empty.gap
    shares = [one.gap / one.largest for one in (*(r.empty for r in found.rows), *(r.loaded for r in found.rows))
              if one.largest]  # fmt: skip
    text = " ".join(run(app, "ranges", "planar-3r", "--load", "3:0.1", "--gap", "0.3").split())
    [told] = re.findall(r"outside these figures, .*? by more than (\S+) percent", text)
    assert 100 * max(shares) <= float(told) <= 110 * max(shares)
    assert f"{not_below(row.loaded.gap, 5):.5g} kg m^2" in text


def test_ranges_of_a_ratio_as_json(app) -> None:
    (row,) = json.loads(run(app, "ranges", "planar-2r", "--of", "D12/D11", "--json"))
    assert row["lower"] <= row["minimum"] <= row["maximum"] <= row["upper"]


def test_a_ratio_along_a_joint_is_the_curve_of_the_library(app) -> None:
    words = ["ranges", "planar-2r", "--of", "D12/D11", "--along", "joint2", "--at", "joint1=30 deg", "--points", "5"]
    (found,) = json.loads(run(app, *words, "--json"))
    arm = da.load("planar-2r")
    exact = arm.analysis().ratio_curves("D12", "D11", "joint2", [{"joint1": math.radians(30)}], points=5)
    assert found["values"][0] == pytest.approx(exact.values[0].tolist())
    assert "joint1 = 0.523599" in run(app, *words)
    for wrong, message in (
        (["--of", "D12", "--along", "joint2"], "goes with ratios"),
        (["--at", "joint1"], "--at takes"),
    ):
        with pytest.raises(ArmError, match=message):
            run(app, *words, *wrong)


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


def test_significance_ranks_terms_over_all_states_and_along_a_motion(app, tmp_path) -> None:
    found = json.loads(run(app, "significance", "planar-2r", "--speed", "2", "--acceleration", "5", "--json"))
    first = [one for one in found["terms"] if one["joint"] == "joint1"]
    assert [one["largest"] for one in first] == sorted((one["largest"] for one in first), reverse=True)
    assert all(one["largest"] <= one["proved"] for one in first)
    path = tmp_path / "motion.csv"
    path.write_text("t,q1,q2\n" + "\n".join(f"{k / 10},{k / 20},0" for k in range(9)), encoding="utf-8")
    text = run(app, "significance", "planar-2r", "--motion", str(path))
    assert "motion.csv" in text
    assert "G1" in text
    with pytest.raises(ArmError, match="leave out --speed"):
        run(app, "significance", "planar-2r", "--motion", str(path), "--speed", "1")


def test_review_against_another_arm_as_json_has_what_the_library_says(app) -> None:
    found = json.loads(run(app, "review", "planar-2r", "--against", "planar-3r", "--load", "1", "--json"))
    rows = {one["name"]: one for one in found["rows"]}
    assert rows["D33 greatest"]["first"] is None
    assert rows["G1 largest with load"]["first"] > rows["G1 largest"]["first"]
    with pytest.raises(ArmError, match="goes with --against"):
        run(app, "review", "planar-2r", "--json")


def test_significance_of_named_terms_reads_both_notations(app) -> None:
    """D223 qd2 qd3 of Bejczy 1974, eq. 13, is 2 C223 qd2 qd3: one term, the same figures."""
    words = ["significance", "jpl-rrp", "--no-drives", "--json"]
    every = {one["term"]: one for one in json.loads(run(app, *words))["terms"]}
    found = json.loads(run(app, *words, "--only", "D223,C112,D133,D2"))
    rows = {one["term"]: one for one in found["terms"]}
    assert set(rows) == {"D223", "C112", "G2"}
    assert found["zero"] == ["D133"]
    assert rows["D223"]["times"] == "qd2 qd3"
    assert rows["C112"]["times"] == "2 qd1 qd2"
    assert rows["D223"]["largest"] == every["C223"]["largest"]
    assert rows["D223"]["share"] == every["C223"]["share"]


def test_an_interrupt_keeps_the_ranges_that_are_proved(app, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, asked = json.loads(run(app, "ranges", "planar-2r", "--json")), tables.joint_rows

    def interrupted(empty: CertifiedRanges, loaded: CertifiedRanges | None, index: int, geared: Any) -> Any:
        if index == 0:
            raise KeyboardInterrupt
        return asked(empty, loaded, index, geared)

    monkeypatch.setattr(tables, "joint_rows", interrupted)
    result = CliRunner().invoke(app, ["ranges", "planar-2r", "--json"], catch_exceptions=False)
    assert "note: interrupted; these are the ranges proved so far, of joint2" in result.stderr
    found = json.loads(result.stdout)
    assert found["interrupted"]
    assert not whole["interrupted"]
    assert (found["inertia"], found["gravity"]) == (whole["inertia"][1:], whole["gravity"][1:])
    with pytest.raises(KeyboardInterrupt):  # who asks for all has no use for a part
        da.load("planar-2r").analysis().ranges()


def test_an_interrupt_keeps_the_coefficients_that_are_proved(app, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Analysis.range_of

    def interrupted(self: Analysis, name: str) -> Range:
        if name == "D12":
            raise KeyboardInterrupt
        return asked(self, name)

    monkeypatch.setattr(Analysis, "range_of", interrupted)
    result = CliRunner().invoke(app, ["ranges", "planar-2r", "--of", "D11,D12,D22", "--json"], catch_exceptions=False)
    assert "proved so far, of D11" in result.stderr
    assert [row["name"] for row in json.loads(result.stdout)] == ["D11"]
