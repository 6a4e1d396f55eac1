"""``dalembert identify``: the same answers as in Python, an arm file that can be read, a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import BAD_INPUT, main
from simulated_logs import log, robot

pytestmark = pytest.mark.usefixtures("compiled_kernels")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("logs")
    system = robot()
    for number in (1, 2):
        measured = log(system, number, path=number)
        columns = np.column_stack([measured.t, measured.q, measured.effort])
        heads = "t,q1,q2,q3,tau1,tau2,tau3"
        np.savetxt(made / f"run{number}.csv", columns, delimiter=",", header=heads, comments="", fmt="%.9g")
    return made


def words(folder: Path, *more: str) -> list[str]:
    return ["identify", "puma560-arm", str(folder / "run1.csv"), "--validate", str(folder / "run2.csv"), *more]


def test_numbers_are_those_of_python(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(folder, "--json", "--friction", "coulomb+viscous")) == 0
    printed = json.loads(capsys.readouterr().out)
    found = da.identify(da.load("puma560-arm"), da.Log.read(folder / "run1.csv"), friction="coulomb+viscous")
    assert list(printed["values"].values()) == pytest.approx(found.values.tolist(), rel=1e-9)
    left = found.residual(da.Log.read(folder / "run2.csv"))
    assert printed["residuals"][1]["whole"] == pytest.approx(left.whole, rel=1e-9)
    assert printed["residuals"][1]["joints"] == pytest.approx(left.joints.tolist(), rel=1e-9)
    assert [p["name"] for p in printed["parameters"]] == [p.name for p in found.parameters]


def test_the_text_has_units_and_says_what_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(folder)) == 0
    out = capsys.readouterr().out
    for piece in ("run2.csv (not used)", "coulomb [N m]", "viscous [N m s/rad]", "rotor [kg m^2]", "leaves the most"):
        assert piece in out


def test_the_arm_written_has_the_torques_found(folder: Path, tmp_path: Path) -> None:
    target, page = tmp_path / "arm.toml", tmp_path / "page.html"
    assert main(words(folder, "-o", str(target), "--page", str(page), "--friction", "coulomb+viscous")) == 0
    found = da.identify(da.load("puma560-arm"), da.Log.read(folder / "run1.csv"), friction="coulomb+viscous")
    state = [0.1, -0.4, 0.3], [1.0, -1.2, 0.9], [0.3, 0.1, -2.0]
    read = da.load(target)
    np.testing.assert_allclose(read.driven.inverse_dynamics(*state), found.system.inverse_dynamics(*state), rtol=1e-9)
    assert "identified from run1.csv" in " ".join(read.sources)
    text = page.read_text(encoding="utf-8")
    for piece in ("How well it explains", "Effort of joint3", "over its speed", "standard error", "cut-off"):
        assert piece in text


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--rows", "1:2"], "once for each of the 2 logs"),
        (["--rows", "a:b", "--rows", "1:"], "START:STOP"),
        (["--column", "q"], "is written as in q=pos"),
        (["--gains", "1,2"], "--gains"),
        (["-o", "arm.urdf"], "writes a .toml file"),
        (["--friction", "glue"], "no friction 'glue'"),
    ],
)
def test_what_cannot_be_done_is_refused(
    folder: Path, more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(folder, *more)) == BAD_INPUT
    assert sentence in capsys.readouterr().err
