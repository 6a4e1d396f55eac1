"""Motions from files and elsewhere, and the significance of terms along them."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dalembert as da
from dalembert.control.trajectories import quintic
from dalembert.design.motion_samples import MotionSamples
from dalembert.simulation.motion_files import motion_of, read_motion

ARM = da.load("planar-2r")
T = np.linspace(0, 1, 41)


def written(path: Path, head: str, *columns: np.ndarray) -> Path:
    rows = [",".join(repr(float(x)) for x in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_speeds_and_accelerations_are_derivatives_of_the_positions(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "t,q_joint1,q_joint2", T, np.sin(2 * T), T**3)
    found = read_motion(ARM, path)
    assert found.qd == pytest.approx(np.stack([2 * np.cos(2 * T), 3 * T**2], axis=1), abs=1e-6)
    assert found.qdd == pytest.approx(np.stack([-4 * np.sin(2 * T), 6 * T], axis=1), abs=2e-3)


def test_names_numbers_and_units_of_columns_mean_the_same_motion(tmp_path: Path) -> None:
    plain = read_motion(ARM, written(tmp_path / "a.csv", "t,q_joint1,q_joint2", T, T, -T))
    numbered = read_motion(ARM, written(tmp_path / "b.csv", "time [s],q1,q2", T, T, -T))
    degrees = read_motion(
        ARM, written(tmp_path / "c.csv", "time [ms],joint2,joint1 [deg]", 1000 * T, -T, np.degrees(T))
    )
    for other in (numbered, degrees):
        for a, b in ((plain.q, other.q), (plain.qd, other.qd), (plain.qdd, other.qdd)):
            assert b == pytest.approx(a, abs=1e-9)


def test_what_simulate_saves_is_read_back(tmp_path: Path) -> None:
    motion = ARM.simulate(np.zeros(2), np.array([0.3, -0.2]), np.zeros(2), 0.3, compiled=False)
    motion.save(tmp_path / "run.csv")
    found = read_motion(ARM, tmp_path / "run.csv")
    assert found.q == pytest.approx(motion.q)
    assert found.qd == pytest.approx(motion.qd)
    exact = ARM.forward_dynamics(motion.q, motion.qd, np.zeros_like(motion.q))
    assert found.qdd == pytest.approx(exact, abs=1e-2 * np.abs(exact).max())
    assert motion_of(ARM, motion).qdd == pytest.approx(found.qdd)


def test_of_two_states_at_one_time_the_one_after_goes_on() -> None:
    """A record that notes an impact before and after it: the speed before is no part of the motion from then on."""
    t = np.concatenate([T[:21], T[20:]])
    speed = np.where(np.arange(42) < 21, 2.0, -1.0)
    q = np.where(np.arange(42) < 21, 2.0 * t, 1.0 - (t - 0.5))
    record = SimpleNamespace(t=t, q=np.stack([q, q], axis=1), qd=np.stack([speed, speed], axis=1))
    found = motion_of(ARM, record)
    assert found.t == pytest.approx(T)
    assert found.qd[20] == pytest.approx([-1.0, -1.0])
    assert found.qd[19] == pytest.approx([2.0, 2.0])


def test_a_trajectory_is_a_motion_too() -> None:
    path = quintic([[0.0, 0.0], [1.0, -1.0]], 2.0)
    found = motion_of(ARM, path)
    assert found.t is not None
    assert found.qdd == pytest.approx(path.acceleration(found.t))


def test_each_term_is_its_coefficient_times_the_motion() -> None:
    rng = np.random.default_rng(3)
    q, qd, qdd = (rng.standard_normal((1, 2)) for _ in range(3))
    found = ARM.analysis().significance(motion_of(ARM, (q, qd, qdd)))
    terms = {(one.joint, one.name): one.largest for one in found}
    D, C, G = ARM.mass_matrix(q[0]), ARM.christoffel(q[0]), ARM.gravity_load(q[0])
    assert terms["joint1", "D12"] == pytest.approx(abs(D[0, 1] * qdd[0, 1]))
    assert terms["joint1", "C112"] == pytest.approx(abs(2 * C[0, 0, 1] * qd[0, 0] * qd[0, 1]))
    assert terms["joint2", "C211"] == pytest.approx(abs(C[1, 0, 0] * qd[0, 0] ** 2))
    assert terms["joint2", "G2"] == pytest.approx(abs(G[1]))


def test_the_mean_is_over_time_and_not_over_samples() -> None:
    """Still for nine tenths of the time, but with as many samples while it accelerates."""
    t = np.concatenate([np.linspace(0, 0.9, 50), np.linspace(0.9 + 1e-6, 1.0, 50)])
    qdd = np.where(t[:, None] > 0.9, 1.0, 0.0) * np.ones(2)
    still = np.zeros((100, 2))
    found = ARM.analysis().significance(MotionSamples("it", still, still, qdd, t))
    term = next(one for one in found if one.name == "D11")
    assert term.rms == pytest.approx(term.largest * math.sqrt(0.1), rel=0.02)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; its first line"),
        ("t,q_joint1,q_joint2\n", "no moment"),
        ("q_joint1,q_joint2\n0,0\n", "line 1: no column of times"),
        ("t,q_joint1\n0,0\n", "line 1: no column q_joint2"),
        ("t,q_joint1,q_joint2,qd_joint1\n0,0,0,0\n", "line 1: no column qd_joint2"),
        ("t,q1,q1,q2\n0,0,0,0\n", "'q1' is there twice"),
        ("t,q_joint1 [m],q_joint2\n0,0,0\n", "has the unit 'm'; joint 'joint1' takes rad"),
        ("t [h],q1,q2\n0,0,0\n", "times are in s or ms"),
        ("t,q1,q2\n0,0,0\n0.1,x,0\n", "line 3, column 'q1': 'x' is no finite number"),
        ("t,q1,q2\n0,0,0\n0.1,nan,0\n", "line 3, column 'q1'"),
        ("t,q1,q2\n0,0,0\n\n0.1,0\n", "line 4: has 2 values for 3 columns"),
        ("t,q1,q2\n0,0,0\n0.2,0,0\n0.1,0,0\n", "line 4: the time 0.1 s does not come after 0.2 s"),
        ("t,q1,q2\n0,0,0\n0.2,0,0\n", "2 moments are too few"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_line_and_remedy(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "motion.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(da.ArmError, match=message.replace("[", r"\[")) as fault:
        read_motion(ARM, path)
    assert "motion.csv" in str(fault.value)


def test_other_wrong_motions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00t")
    with pytest.raises(da.ArmError, match="UTF-8"):
        motion_of(ARM, tmp_path / "b.csv")
    with pytest.raises(da.ArmError, match="one shape"):
        motion_of(ARM, (np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((4, 2))))
    with pytest.raises(da.ArmError, match="a motion is a CSV file"):
        motion_of(ARM, 7)
    with pytest.raises(da.ArmError, match="not finite"):
        motion_of(ARM, (np.full((1, 2), np.nan), np.zeros((1, 2)), np.zeros((1, 2))))
