"""How much work a page may take: counted by terms, said on the page, and kept section by section."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.report_command import ProgressLines
from dalembert.report.allowance import MOST_REDUCED, USUAL, Allowance
from dalembert.report.write import plain, write_report


def test_a_small_arm_gets_the_usual_work_and_a_page_that_leaves_nothing_out():
    allowed = Allowance.of(da.load("jpl-rrp").equations("numbers"))
    assert allowed.effort == 1
    assert allowed.curve
    assert allowed.reduces
    assert allowed.section() is None


def test_work_falls_with_the_terms_and_the_page_says_so():
    sizes = [USUAL, 2 * USUAL, 10 * USUAL, MOST_REDUCED, MOST_REDUCED + 1]
    allowed = [Allowance(size) for size in sizes]
    efforts = [one.effort for one in allowed]
    assert efforts == sorted(efforts, reverse=True)
    assert [one.reduces for one in allowed] == [True, True, True, True, False]
    said = [one.section() for one in allowed[1:]]
    assert all(section is not None for section in said)
    assert "50 percent of the usual work" in str(said[0].html())  # type: ignore[union-attr]
    assert "Reduced models and the closed loop with them are left out" in str(said[-1].html())  # type: ignore[union-attr]
    assert "dalembert reduce ARM" in str(said[-1].html())  # type: ignore[union-attr]


def test_the_terms_are_those_of_all_independent_coefficients():
    eq = da.load("planar-2r").equations("numbers")
    assert Allowance.of(eq).terms == sum(
        len(eq[name]) for name in ("D11", "D12", "D22", "C112", "C122", "C211", "G1", "G2")
    )


class Stopped(Exception):
    pass


def test_an_interrupted_report_leaves_the_page_as_far_as_it_came(tmp_path: Path):
    page = tmp_path / "report.html"

    def stop(what: str, done: int, total: int) -> None:
        if what == "importance":
            raise Stopped

    with pytest.raises(Stopped):
        write_report(da.load("planar-2r"), page, progress=stop)
    text = plain(page.read_text("utf-8"))
    assert "This page is not finished: importance, coupling," in text
    assert "Ranges of inertia and gravity load" in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_finished_page_does_not_say_that_it_is_not(tmp_path: Path):
    page = tmp_path / "report.html"
    write_report(da.load("planar-2r"), page, tolerances=(0.3,))
    assert "not finished" not in page.read_text("utf-8")


def test_a_log_gets_a_line_for_every_section(capsys: pytest.CaptureFixture[str]):
    lines = ProgressLines()
    for what, done in (("ranges", 10), ("ranges: range of D11", 12), ("curves", 400), ("page", 1000)):
        lines(what, done, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "report:   1 % ranges",
        "report:  40 % curves",
        "report: 100 % page",
    ]
