"""Logs: what is understood, and what is wrong with them, said by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.identification.smoothing import chosen_cutoff, smoothed
from simulated_logs import log, motion, robot

T, Q, QD, QDD = motion(3)
EFFORT = np.cos(Q)


def table(path: Path, heads: str, *columns: np.ndarray) -> Path:
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=heads, comments="")
    return path


def test_columns_are_found_by_their_heads(tmp_path: Path) -> None:
    heads = "time,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3"
    read = da.Log.read(table(tmp_path / "a.csv", heads, T, Q, QD, EFFORT))
    np.testing.assert_allclose(read.qd, QD)
    np.testing.assert_allclose(read.effort, EFFORT)
    other = "stamp,pos_1,pos_2,pos_3,m_a,m_b,m_c"
    columns = {"t": "stamp", "q": "pos", "effort": ["m_c", "m_b", "m_a"]}
    read = da.Log.read(table(tmp_path / "b.csv", other, T, Q, EFFORT), columns=columns)
    assert read.qd is None
    np.testing.assert_allclose(read.effort, EFFORT[:, ::-1])


def test_a_simulated_motion_is_read_back_as_a_log(tmp_path: Path) -> None:
    """Times, positions, velocities and torques are those of the motion; inputs of motors are none of joints."""
    arm = da.load("jpl-rrp")
    path = tmp_path / "run.csv"
    push, start = [0.1, -0.2, 3.0, 0.0, 0.1, 0.0], [0.1, 0.5, 0.4, 0.2, 0.3, 0.1]
    run = da.simulate(arm, push, start, None, 0.1)
    run.save(path)
    read = da.Log.read(path)
    for values, wanted in ((read.t, run.t), (read.q, run.q), (read.qd, run.qd), (read.effort, run.u)):
        assert np.array_equal(values, wanted)
    da.simulate(arm.driven, push, start, None, 0.1).save(path)
    own = path.read_text(encoding="utf-8")
    for text in (own, own.replace("_motor", "_joint")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(da.ArmError, match="no column of t"):
            da.Log.read(path)


@pytest.mark.parametrize(
    ("heads", "columns", "sentence"),
    [
        ("t,q1,q2,q3,a,b,c", None, "no column of effort"),
        ("t,q1,q2,q3,tau1,tau2,x", None, "different numbers of columns"),
        ("t,q1,q2,q3,tau1,tau2,tau3", {"speed": "v"}, "not of 'speed'"),
        ("t,q1,q2,q3,tau1,tau2", None, "heads over"),
        ("t,q1,q2,q" + "9" * 5000 + ",tau1,tau2,tau3", None, "different numbers of columns"),
        ("t,q1,q2,q1,tau1,tau2,tau3", None, "'q1' and 'q1' are q of one joint"),
        ("t,q1,q2,q_1,tau1,tau2,tau_1", None, "'q1' and 'q_1' are q of one joint"),
        ("t,q1,q2,q3,tau1,tau2,t", None, "'t' is there twice|different numbers"),
        ("t,q1,q2,q3,a,b,a", {"effort": ["a", "b", "a"]}, "'a' is there twice"),
    ],
)
def test_heads_that_do_not_fit_are_refused(
    tmp_path: Path, heads: str, columns: dict[str, str] | None, sentence: str
) -> None:
    with pytest.raises(da.ArmError, match=sentence):
        da.Log.read(table(tmp_path / "a.csv", heads, T, Q, EFFORT), columns=columns)


def test_no_table_and_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,q1,tau1\n0,1,x\n")
    with pytest.raises(da.ArmError, match="no table of numbers"):
        da.Log.read(tmp_path / "a.csv")
    with pytest.raises(da.ArmError, match=r"b\.csv"):
        da.Log.read(tmp_path / "b.csv")


def changed(**columns: np.ndarray) -> dict[str, np.ndarray]:
    return {"t": T, "q": Q, "effort": EFFORT, "qd": QD} | columns


def at(array: np.ndarray, row: int, value: float) -> np.ndarray:
    found = array.copy()
    found[row] = value
    return found


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (changed(q=at(Q, 7, np.nan)), "q of joint 1 is no number in 3 places, first in row 7"),
        (changed(t=at(T, 9, 0.0)), "the clock does not advance in 1 places, first at row 9"),
        (changed(effort=EFFORT[:-1]), "effort must be"),
        (changed(t=T[:1]), "at least two times"),
        (changed(q=Q[:, 0]), "q must be"),
        (changed(effort=np.ma.masked_greater(EFFORT, 0.99)), "effort of joint . is no number"),
    ],
)
def test_broken_logs_are_refused_with_the_place(columns: dict[str, np.ndarray], sentence: str) -> None:
    with pytest.raises(da.ArmError, match=sentence):
        da.Log(**columns)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (changed(q=np.degrees(Q), qd=np.degrees(QD)), "would be within them in degrees"),
        (changed(qd=np.degrees(QD)), r"57\.3 times the slope .* \(degrees\?\)"),
        (changed(qd=QD[:, [1, 0, 2]]), "is the slope of the position of joint 'joint2'; the columns .* are exchanged"),
        (changed(qd=-QD), "opposite to the slope"),
        (changed(qd=np.random.default_rng(0).normal(size=QD.shape)), "is not the slope of its position"),
    ],
)
def test_units_and_columns_that_do_not_belong_together_are_refused(
    columns: dict[str, np.ndarray], sentence: str
) -> None:
    with pytest.raises(da.ArmError, match=sentence):
        da.identify(robot().arm, da.Log(**columns))


def test_another_number_of_joints_is_refused() -> None:
    with pytest.raises(da.ArmError, match="the log has 2 joints and puma560-arm has 3"):
        da.identify(robot().arm, da.Log(t=T, q=Q[:, :2], effort=EFFORT[:, :2]))


def test_what_is_doubtful_is_said() -> None:
    system = robot()
    measured = log(system)
    still = measured.q.copy()
    still[:, 2] = 0.3
    clipped = np.clip(measured.effort, -30, 30)
    found = da.identify(system.arm, da.Log(t=measured.t, q=still, effort=clipped))
    assert any("joint 'joint3' moves by 0 rad only" in sentence for sentence in found.warnings)
    assert any(
        "stands at 30 for whole stretches" in sentence or "stands at -30" in sentence for sentence in found.warnings
    )
    torn = np.delete(np.arange(len(measured.t)), slice(1000, 1500))
    found = da.identify(system.arm, da.Log(t=measured.t[torn], q=measured.q[torn], effort=measured.effort[torn]))
    assert any("the clock jumps 1 times" in sentence for sentence in found.warnings)
    assert found.residual(log(system, 3, path=2)).whole < 0.02


def test_the_cutoff_follows_the_motion_not_the_noise() -> None:
    slow = da.Log(t=T, q=np.round(Q / 2e-5) * 2e-5, effort=EFFORT)
    fast = da.Log(t=T / 4, q=np.round(Q / 2e-5) * 2e-5, effort=EFFORT)
    assert 0.5 < chosen_cutoff(slow) < 8
    assert chosen_cutoff(fast) > 1.3 * chosen_cutoff(slow)


def test_derivatives_of_noisy_positions_are_those_of_the_motion() -> None:
    rng = np.random.default_rng(0)
    uneven = T + rng.uniform(-1, 1, len(T)) * 1e-3
    quantum = 2e-5
    measured = motion(3)[1]
    exact_q = np.stack([np.interp(uneven, T, column) for column in measured.T], axis=1)
    found = smoothed(da.Log(t=uneven, q=np.round(exact_q / quantum) * quantum, effort=EFFORT))
    inner = slice(500, -500)
    at_times = np.stack([np.interp(found.t, T, column) for column in QDD.T], axis=1)
    assert np.abs(found.qdd - at_times)[inner].max() < 0.05 * np.abs(QDD).max()
