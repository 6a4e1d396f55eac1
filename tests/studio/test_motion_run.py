"""Motions that the studio shows: loads gripped and dropped on the way, runs from files, and the curves of both."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.motion_curves import CURVES
from dalembert.studio.motion_run import CARRIED, CONTROLLERS, GRIPPED, MotionRun, Order, read_run, simulated
from dalembert.studio.recording import archive, film, frame_times

ARM = da.load("planar-2r")
START, TARGET = np.array([0.1, 0.2]), np.array([0.8, -0.4])


@pytest.fixture(scope="module")
def carried() -> MotionRun:
    return simulated(Order(ARM, START, TARGET, 1.0, mass=2.0, payload=CARRIED, grip=0.3, drop=0.7))


def around(motion: da.Motion, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position at a time, velocity before it (a sample there is of before), and after it, by three samples."""
    k = int(np.flatnonzero(np.isclose(motion.t, time, rtol=0, atol=1e-12))[0])
    return motion.q[k], motion.qd[k], 3 * motion.qd[k + 1] - 3 * motion.qd[k + 2] + motion.qd[k + 3]


def test_gripping_a_body_at_rest_keeps_momentum_and_dropping_it_keeps_velocity(carried: MotionRun) -> None:
    laden = ARM.holding(da.Load(mass=2.0))
    q, before, after = around(carried.motion, 0.3)
    assert np.allclose(laden.mass_matrix(q) @ after, ARM.mass_matrix(q) @ before, rtol=1e-3)
    assert np.abs(after - before).max() > 0.1
    for run, time in (
        (carried, 0.7),
        (simulated(Order(ARM, START, TARGET, 1.0, mass=2.0, payload=GRIPPED, grip=0.3, moves=True)), 0.3),
    ):
        _, before, after = around(run.motion, time)
        assert np.allclose(before, after, rtol=0, atol=1e-3)


def test_torques_by_cause_add_up_to_what_the_system_of_each_stretch_needs(carried: MotionRun) -> None:
    assert [
        float(carried.system_at(t).mass_matrix(START)[0, 0] > ARM.mass_matrix(START)[0, 0]) for t in (0.1, 0.5, 0.9)
    ] == [0, 1, 0]
    for joint in range(2):
        curves = CURVES["torque by cause"](carried, joint)
        total = curves.values[:, curves.names.index("total")]
        assert np.allclose(total, carried.motion.u[:, joint], rtol=0, atol=5e-3 * np.abs(total).max())


def test_energies_balance_and_what_was_asked_for_less_what_is_there_is_the_tracking_error(carried: MotionRun) -> None:
    energy = dict(zip(CURVES["energy"](carried, 0).names, CURVES["energy"](carried, 0).values.T, strict=True))
    assert np.array_equal(energy["kinetic"], carried.motion.kinetic)
    error = CURVES["tracking error"](carried, 0)
    early = carried.motion.t < 0.29
    assert np.abs(error.values[early]).max() < 1e-6
    assert np.abs(error.values[~early]).max() > 1e-3  # the load is not known to the controller
    let_go = simulated(Order(ARM, START, TARGET, 0.1, CONTROLLERS[2]))
    with pytest.raises(da.ArmError, match="nothing was asked for"):
        CURVES["tracking error"](let_go, 0)


@pytest.mark.parametrize("name", [name for name in CURVES if name != "current"])
def test_every_curve_has_a_unit_and_a_name_for_each_column(name: str, carried: MotionRun) -> None:
    curves = CURVES[name](carried, 1)
    assert curves.heading.endswith("]")
    assert curves.values.shape == (len(carried.motion.t), len(curves.names))
    assert np.isfinite(curves.values).all()


def test_currents_are_motor_torques_over_their_constants_and_belong_to_motors(carried: MotionRun) -> None:
    motor = da.Motor(torque_constant=0.1, resistance=1.0, supply=1e3)
    actuators = [da.Actuator(f"motor{k}", {f"joint{k}": 50}, rotor=da.Rotor(1e-4), motor=motor) for k in (1, 2)]
    driven = ARM.with_drives(da.DriveTrain(tuple(actuators)))
    run = simulated(Order(driven, START, TARGET, 0.2))
    curves = CURVES["current"](run, 0)
    constants = np.array([actuator.motor.torque_constant for actuator in driven.drives.actuators])  # type: ignore[union-attr]
    assert np.allclose(curves.values * constants, run.motion.u)
    with pytest.raises(da.ArmError, match="count the drives"):
        CURVES["current"](carried, 0)


def test_a_load_is_dropped_only_after_it_was_gripped() -> None:
    with pytest.raises(da.ArmError, match="only later"):
        simulated(Order(ARM, START, TARGET, 1.0, mass=1.0, payload=CARRIED, grip=0.5, drop=0.5))


def test_what_a_load_takes_the_place_of_comes_back_when_it_is_dropped() -> None:
    held = ARM.holding(da.Load(mass=0.5))
    run = simulated(Order(held, START, TARGET, 0.4, mass=2.0, payload=CARRIED, grip=0.1, drop=0.3))
    assert run.system_at(0.4).mass_matrix(START)[0, 0] == held.mass_matrix(START)[0, 0]


def test_a_run_that_was_saved_is_read_again_with_the_torques_that_drove_it(tmp_path: Path) -> None:
    motion = simulated(Order(ARM, START, TARGET, 1.0)).motion
    motion.save(tmp_path / "run.csv")
    run = read_run(ARM, "run.csv", (tmp_path / "run.csv").read_bytes())
    assert np.array_equal(run.motion.q, motion.q)
    assert np.allclose(run.motion.u, motion.u, rtol=1e-6, atol=1e-6 * np.abs(motion.u).max())
    assert np.allclose(run.motion.work, motion.work, atol=1e-4)
    assert run.recorded is not None
    assert np.array_equal(run.recorded, motion.u)


def test_recorded_torques_of_a_log_stand_beside_those_that_the_motion_needs() -> None:
    t = np.linspace(0, 1, 60)
    q = np.stack([0.3 * np.sin(3 * t), 0.2 * np.cos(2 * t)], axis=1)
    rows = "\n".join(",".join(map(repr, (float(a), *map(float, b), 1.5, 2.5))) for a, b in zip(t, q, strict=True))
    run = read_run(ARM, "log.csv", f"t,q1,q2,tau1,tau2\n{rows}\n".encode())
    curves = CURVES["torque by cause"](run, 1)
    assert (curves.values[:, curves.names.index("recorded")] == 2.5).all()


@pytest.mark.parametrize(
    "content", [b"", b"t,q1\n0,1\n", b"\xff\xfe\x00", b"t,q1,q2\n0,nan,1\n1,0,0\n", b"t,q1,q2\n" + b"0,1,2\n" * 9]
)
def test_a_file_that_is_no_motion_is_refused_by_its_own_name(content: bytes) -> None:
    with pytest.raises(da.ArmError, match=r"mine\.csv") as caught:
        read_run(ARM, "mine.csv", content)
    assert "/tmp" not in str(caught.value)


def test_frames_become_a_film_and_numbered_pictures_with_their_times() -> None:
    times = frame_times(0.0, 0.5, 4.0)
    assert list(times) == [0.0, 0.25, 0.5]
    frames = [np.full((6, 8, 3), 80 * k, dtype=np.uint8) for k in range(3)]
    assert film(frames, 4.0).startswith(b"GIF89a")
    files = zipfile.ZipFile(io.BytesIO(archive(frames, times)))
    assert files.namelist() == ["frame_0000.png", "frame_0001.png", "frame_0002.png", "times.csv"]
    assert files.read("frame_0002.png").startswith(b"\x89PNG")
    assert files.read("times.csv").decode().splitlines()[2] == "frame_0001.png,0.25"
    with pytest.raises(da.ArmError, match="take fewer"):
        frame_times(0.0, 60.0, 60.0)
