"""Friction, damping and stops beside motions that others found: time steps on Pinocchio's dynamics, and MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from small_arms import stepped, two_joints

SWING = """<mujoco model="swing"><compiler angle="radian"/>
<option timestep="2e-5" gravity="0 0 -9.81" integrator="implicitfast"/>
<default><joint solreffriction="4e-5 1" solimpfriction="0.99999 0.99999 0.001" solreflimit="1e-3 1"
solimplimit="0.99 0.9999 0.001"/></default>
<worldbody><body name="a"><joint name="j1" type="hinge" axis="0 1 0" damping="0.3" frictionloss="1.5" limited="true"
range="-2 {upper}"/><inertial pos="0.3 0 0" mass="2" diaginertia="0.02 0.02 0.02"/>
<body name="b" pos="0.5 0 0"><joint name="j2" type="hinge" axis="0 1 0" damping="0.1" frictionloss="0.4"/>
<inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body></body></worldbody></mujoco>"""


def follow(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """A spring and a damper towards two sines."""
    return 20 * (np.array([0.3 * np.sin(3 * t), 0.5 * np.sin(5 * t)]) - q) - np.array([0.5, 0.1]) * qd


def test_stick_and_slip_of_coupled_joints_is_the_limit_of_time_steps(tmp_path: Path) -> None:
    """Seven events in a second; the difference is that of the time steps, and halves with them."""
    pytest.importorskip("pinocchio")
    path = two_joints(tmp_path, level=False)
    start = np.array([0.2, -0.1])
    motion = da.load(path).driven.simulate(follow, start, None, 1.0, samples=11)
    assert {event.kind for event in motion.events} == {"sticks", "slips"}
    off = []
    for h in (4e-4, 2e-4):
        q, qd = stepped(path, follow, start, np.zeros(2), 1.0, h)
        at = np.rint(motion.t / h).astype(int)
        off.append(np.abs(q[at] - motion.q).max())
        assert np.abs(qd[at] - motion.qd).max() < 20 * h
    assert off[1] < 2e-4
    assert off[0] / off[1] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(("upper", "within"), [(3.0, 1e-4), (1.0, 1e-3)])
def test_a_rubbing_double_pendulum_swings_as_in_mujoco(tmp_path: Path, upper: float, within: float) -> None:
    """Free, and against a stop, which in MuJoCo is a stiff spring that gives way by less than a micrometre."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "swing.xml"
    path.write_text(SWING.format(upper=upper), encoding="utf-8")
    start = [0.2, 0.5]
    motion = da.load(path).driven.simulate(np.zeros(2), start, None, 2.0, samples=9, stops=True)
    kinds = {event.kind for event in motion.events}
    assert "sticks" in kinds
    assert ("stop" in kinds) == (upper == 1.0)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = start
    found = [data.qpos.copy()]
    for _ in range(8):
        mujoco.mj_step(model, data, nstep=12500)
        found.append(data.qpos.copy())
    assert np.abs(np.array(found) - motion.q).max() < within
