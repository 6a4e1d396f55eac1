"""``dalembert report`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application
from dalembert.cli.system_options import read_load
from dalembert.report.html.browser import find_browser

APP = application(["report"])


def run(*arguments: object) -> str:
    done = CliRunner().invoke(APP, ["report", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_page_its_tables_and_a_summary_are_written(tmp_path: Path) -> None:
    page = tmp_path / "arm.html"
    said = run(
        "planar-2r", "-o", page, "--csv", tmp_path / "csv", "--json", tmp_path / "all.json", "--load", "1,0,0,0.1"
    )
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "Equations of motion" in said
    assert str(page) in said.replace("\n", "")
    assert (tmp_path / "csv" / "description-links.csv").exists()
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["arm"] == "planar-2r"


def test_a_load_is_a_point_or_a_box() -> None:
    assert read_load(None) is None
    point = read_load("1.8")
    assert point is not None
    assert float(point.body.mass) == 1.8
    cube = read_load("1.8,0,0,0.1:0.0762")
    assert cube is not None
    assert [float(x) for x in cube.body.com] == [0, 0, 0.1]
    assert float(cube.body.central[0][0]) == pytest.approx(1.8 * 0.0762**2 / 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["planar-2r", "-o", "arm.toml"], "ends in .html"),
        (["planar-2r", "--load", "1,2"], "takes 1 or 4 numbers"),
        (["planar-2r", "--load", "-1"], "mass is negative"),
        (["planar-2r", "--load", "1:-1"], "an edge is negative"),
        (["planar-2r", "--box", "joint1"], "takes a joint and its range"),
        (["planar-2r", "--box", "joint1=2:1"], "is empty"),
        (["planar-2r", "--box", "wrist=0:1"], "no joint 'wrist'"),
        (["planar-2r", "--q", "1"], "--q needs 2 values"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(da.ArmError, match=message):
        CliRunner().invoke(APP, ["report", *arguments], catch_exceptions=False)
    assert list(tmp_path.iterdir()) == []


def test_a_pdf_without_a_browser_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_BROWSER", "no-such-browser")
    assert find_browser() is None
    with pytest.raises(da.ArmError, match="needs Chromium or Chrome"):
        run("planar-2r", "-o", tmp_path / "arm.html", "--pdf")
    assert list(tmp_path.iterdir()) == []


def test_the_pdf_is_printed(browser: str, tmp_path: Path) -> None:
    run("planar-2r", "-o", tmp_path / "arm.html", "--pdf")
    assert (tmp_path / "arm.pdf").read_bytes().startswith(b"%PDF")


def test_an_arm_reports_from_python(tmp_path: Path) -> None:
    found = da.load("planar-2r").report(tmp_path / "arm.html", pose=(0.1, 0.2))
    assert "[0.1,0.2]" in (tmp_path / "arm.html").read_text(encoding="utf-8")
    assert found.sections[0].name == "arm"


def test_limits_of_zero_as_many_exporters_write_them_leave_a_report(tmp_path: Path) -> None:
    arm, page = tmp_path / "arm.urdf", tmp_path / "arm.html"
    arm.write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        '<limit lower="-1" upper="1" effort="0" velocity="0"/></joint></robot>',
        encoding="utf-8",
    )
    still = "no joint has a speed and an acceleration above zero"
    run(arm, "-o", page)
    assert still not in page.read_text(encoding="utf-8")  # a limit of zero is none, and the usual speeds count
    run(arm, "-o", page, "--speed", "0", "--acceleration", "0")
    assert still in page.read_text(encoding="utf-8")
