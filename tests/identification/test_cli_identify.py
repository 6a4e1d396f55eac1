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


def test_gravity_gains_loads_and_silence_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(folder, "--json", "--friction", "coulomb+viscous", "--gains", "1,?,1")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["gains"] == pytest.approx([1, 1, 1], rel=0.02)
    assert printed["gain_errors"][0] == 0 < printed["gain_errors"][1]
    assert {"gravity", "silent", "loads"} <= set(printed)
    assert main([*words(folder), "--held", "1", "--held", "2"]) == BAD_INPUT
    assert "--held is given once for each of the 1 logs" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")  # what is found as zero is next to it
def test_loads_are_known_in_the_hand_of_the_arm_or_of_its_logs(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load = da.Load(mass=3.0, com=(0.0, 0.0, 0.1))
    laden = log(robot().holding(load), 1, path=1)
    columns = np.column_stack([laden.t, laden.q, laden.effort])
    run = tmp_path / "laden.csv"
    np.savetxt(run, columns, delimiter=",", header="t,q1,q2,q3,tau1,tau2,tau3", comments="", fmt="%.9g")
    target, carrying = tmp_path / "found.toml", tmp_path / "carrying.toml"
    carrying.write_text(da.load("puma560-arm").holding(load).write_toml(), encoding="utf-8")
    assert main(["identify", str(carrying), str(run), "--json", "-o", str(target)]) == 0
    carried = json.loads(capsys.readouterr().out)
    assert main(["identify", "puma560-arm", str(run), "--held", "3,0,0,0.1", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert list(held["values"].values()) == pytest.approx(list(carried["values"].values()), rel=1e-9, abs=1e-12)
    assert held["residuals"][0]["whole"] == pytest.approx(carried["residuals"][0]["whole"], rel=1e-9)
    assert [load.body.mass for _, load in da.load(target).loads] == [3]
    assert main(["identify", str(carrying), str(run), "--held", "0"]) == BAD_INPUT
    assert "empty hand" in capsys.readouterr().err


def test_a_motion_is_written_within_its_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "path.csv"
    limits = ["--max-speed", "0.5", "--max-effort", "60", "--generations", "3"]
    assert main(["excite", "puma560-arm", *limits, "-o", str(target)]) == 0
    assert "condition number" in capsys.readouterr().out
    table = np.genfromtxt(target, delimiter=",", names=True)
    for joint in (1, 2, 3):
        assert np.abs(table[f"qd{joint}"]).max() <= 0.5
        assert np.abs([table[f"{x}{joint}"][k] for x in ("qd", "qdd") for k in (0, -1)]).max() < 1e-12
    assert main(["excite", "puma560-arm", "-o", "path.txt"]) == BAD_INPUT
    assert main(["excite", "puma560-arm", "--rate", "50"]) == BAD_INPUT
    assert "--rate is of the file" in capsys.readouterr().err


BAD = {
    "mA": ({"effort": lambda m: 1000 * m.effort}, "in mA or N mm"),
    "currents": ({"effort": lambda m: m.effort / 20}, "Give gains"),
    "sign": ({"effort": lambda m: m.effort * [1, -1, 1]}, "'joint2' is opposite to what its links ask for"),
    "sign of a light joint": (
        {"effort": lambda m: m.effort * [-1, 1, 1]},
        "friction of joint 'joint1' comes out negative",
    ),
    "exchanged": ({"effort": lambda m: m.effort[:, [1, 0, 2]]}, "the columns of efforts look exchanged"),
    "positions exchanged": ({"q": lambda m: m.q[:, [0, 2, 1]]}, "go with no motion of this arm"),
    "zero": ({"effort": lambda m: m.effort * [1, 1, 0]}, "'joint3' is zero all the time"),
}


def test_currents_without_gains_are_told_by_the_heads_of_their_columns(tmp_path: Path) -> None:
    measured, arm = log(robot()), robot().arm
    n = range(1, arm.n + 1)
    heads = ",".join(["t", *(f"q{k}" for k in n), *(f"i{k}" for k in n)])
    table = np.column_stack([measured.t, measured.q, measured.effort / 10])
    np.savetxt(tmp_path / "run.csv", table, delimiter=",", header=heads, comments="")
    read = da.Log.read(tmp_path / "run.csv")
    assert read.currents
    assert read.rows(10).currents
    assert not read.gained(10.0).currents
    assert not da.Log.read(tmp_path / "run.csv", {"effort": "i"}).currents  # who names them says what they are
    said = [each for each in da.identify(arm, read, method="least squares").warnings if "urrents" in each]
    assert len(said) == 1  # known, and so not guessed from their size as well
    assert "are currents (A), and no gains are given: what is found is in A in place of N m" in said[0]
    assert not any("urrents" in each for each in da.identify(arm, read, gains=10.0, method="least squares").warnings)


@pytest.mark.parametrize("what", BAD)
def test_efforts_that_were_not_measured_as_they_are_understood_are_named(what: str) -> None:
    changes, sentence = BAD[what]
    measured = log(robot())
    tables = {"t": measured.t, "q": measured.q, "effort": measured.effort}
    tables |= {name: change(measured) for name, change in changes.items()}
    found = da.identify(robot().arm, da.Log(**tables), method="least squares")
    assert any(sentence in each for each in found.warnings), found.warnings


def test_a_rate_that_changes_keeps_the_slow_part() -> None:
    measured = log(robot())
    keep = np.r_[0:2000, 2000:4000:8]
    mixed = da.Log(t=measured.t[keep], q=measured.q[keep], effort=measured.effort[keep])
    assert [round(1 / step) for step, _ in mixed.steps] == [200, 25]
    found = da.identify(robot().arm, mixed, method="least squares")
    assert any("the rate changes within the log (200 Hz from 0 s, 25 Hz" in each for each in found.warnings)
    assert found.logs[0].t[-1] > 19
    assert found.residual(log(robot(), 3, path=2)).whole < 0.02
    with pytest.raises(da.ArmError, match="not in ms"):
        da.identify(robot().arm, da.Log(t=1000 * measured.t, q=measured.q, effort=measured.effort))


def test_largest_torques_of_an_excitation_are_those_of_its_motion_whatever_rows_its_file_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for rate in ("2", "100"):
        words = ["excite", "planar-2r", "--generations", "2", "--harmonics", "3", "--rate", rate]
        assert main([*words, "-o", str(tmp_path / f"{rate}.csv")]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert [len((tmp_path / f"{rate}.csv").read_text().splitlines()) for rate in (2, 100)] == [22, 1002]
