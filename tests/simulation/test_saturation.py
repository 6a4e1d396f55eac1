"""Inputs within the limits of motors and joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.simulation.plant import plant_of
from dalembert.simulation.saturation import Saturation
from small_arms import slider, two_joints


def test_with_drives_and_known_limits_inputs_are_cut_unless_refused(tmp_path: Path) -> None:
    """Effort 30 N m in the file: a torque of 100 accelerates as 30 does, and the motion tells the share of samples."""
    driven = da.load(two_joints(tmp_path)).driven
    asked = np.array([100.0, 0.0])
    cut = driven.simulate(asked, [0, 0], None, 0.05, samples=6)
    assert (cut.u[:, 0] == 30).all()
    assert cut.cut == (1.0, 0.0)
    plain = driven.simulate([30.0, 0.0], [0, 0], None, 0.05, samples=6, saturate=False)
    assert plain.cut is None
    assert cut.q == pytest.approx(plain.q)
    free = driven.simulate(asked, [0, 0], None, 0.05, samples=6, saturate=False)
    assert (free.u[:, 0] == 100).all()
    assert free.q[-1, 0] > 2 * cut.q[-1, 0]


def test_of_links_alone_inputs_are_cut_where_asked(tmp_path: Path) -> None:
    arm = da.load(two_joints(tmp_path))
    asked = np.array([100.0, 0.0])
    assert (arm.simulate(asked, [0, 0], None, 0.01, samples=3).u[:, 0] == 100).all()
    assert (arm.simulate(asked, [0, 0], None, 0.01, samples=3, saturate=True).u[:, 0] == 30).all()


def test_motors_are_cut_at_their_largest_current_and_through_gears_at_the_effort_of_joints() -> None:
    driven = da.load("puma560", physical="ignore").driven
    limits = Saturation(plant_of(driven))
    motors = [actuator.motor for actuator in driven.drives.actuators]
    most = np.array([m.torque_constant * m.largest_current for m in motors if m is not None])
    asked = 1e3 * np.array([1, -1, 1, -1, 1, -1.0])
    q = np.zeros(6)
    assert (np.abs(limits(q, asked)) <= most).all()
    assert (np.abs(driven.to_joints(q, limits(q, asked))) <= driven.effort_limits * (1 + 1e-9)).all()
    small = 1e-3 * asked / 1e3
    assert limits(q, small) == pytest.approx(small)


@pytest.mark.parametrize("motor", [None, da.Motor(0.1, 1.0), da.Motor(0.1, 1.0, largest_current=20.0)], ids=repr)
def test_a_motor_whose_stall_torque_is_given_gives_no_more(motor: da.Motor | None) -> None:
    arm = da.load("planar-2r")
    motors = [da.Actuator.of(f"m{k}", {name: 10}, stall=0.3, motor=motor) for k, name in enumerate(arm.joint_names)]
    driven = arm.with_drives(da.DriveTrain(tuple(motors)))
    cut = driven.simulate([5.0, -5.0], [0, 0], None, 0.05, samples=6)
    plain = driven.simulate([0.3, -0.3], [0, 0], None, 0.05, samples=6, saturate=False)
    assert cut.u == pytest.approx(plain.u)
    assert cut.q == pytest.approx(plain.q)


def test_limits_that_are_not_known_or_are_cut_anyhow_cannot_be_chosen() -> None:
    with pytest.raises(da.ArmError, match=r"no effort limit .* is known"):
        slider().simulate([1.0], [0.0], None, 0.1, saturate=True)
    with pytest.raises(da.ArmError, match="cut by the limits of its motor always"):
        da.load("irb6").driven.simulate(np.zeros(5), np.zeros(5), None, 0.1, input="current", saturate=False)


def test_two_motors_of_one_joint_give_it_no_more_than_its_effort_together(tmp_path: Path) -> None:
    """N^T u within the limit: both give the same share of what they were asked for."""
    arm = da.load(two_joints(tmp_path))
    shafts = {"m1": {"j1": 50}, "m2": {"j1": -50}, "m3": {"j2": 50}}
    arm = arm.with_drives(da.DriveTrain([da.Actuator.of(*shaft) for shaft in shafts.items()]))
    limits = Saturation(plant_of(arm, "motor torque"))
    for asked in ([9.0, -3.0, 0.0], [2.0, 0.0, 0.0], [0.3, -0.1, 0.0]):
        torques = limits(np.zeros(2), np.array(asked))
        most = min(30.0, arm.to_joints(np.zeros(2), asked)[0])
        assert arm.to_joints(np.zeros(2), torques)[0] == pytest.approx(most, rel=1e-14)
        assert torques[1] / torques[0] == pytest.approx(asked[1] / asked[0], rel=1e-14)
    with pytest.raises(da.ArmError, match="its motors share the limits of joints; write the FMU with saturate=False"):
        arm.write_fmu(tmp_path / "arm.fmu")


def test_coupled_motors_that_are_more_than_the_joints_keep_the_efforts_of_both_and_change_least(tmp_path: Path) -> None:
    """N^T u is cut joint by joint, by a change of u that no direction without torque at a joint makes shorter."""
    arm = da.load(two_joints(tmp_path))
    shafts = {"m1": {"j1": 50}, "m2": {"j1": 20, "j2": -40}, "m3": {"j2": 50}}
    arm = arm.with_drives(da.DriveTrain([da.Actuator.of(*shaft) for shaft in shafts.items()]))
    limits, q = Saturation(plant_of(arm, "motor torque")), np.zeros(2)
    idle = np.cross(*arm.transmission(q).T)  # N^T idle = 0
    for asked in ([9.0, -3.0, 0.0], [0.0, 5.0, 1.0], [0.1, 0.02, 0.05]):
        wanted = arm.to_joints(q, asked)
        torques = limits(q, np.array(asked))
        most = np.clip(wanted, -arm.effort_limits, arm.effort_limits)
        np.testing.assert_allclose(arm.to_joints(q, torques), most, rtol=1e-12)
        assert abs(idle @ (torques - asked)) < 1e-9 * np.linalg.norm(idle)


def test_motors_that_are_fewer_than_the_coordinates_all_give_less_until_no_coordinate_bears_too_much() -> None:
    """Two chains of one joint, one of them driven; in the sum of both joints and the other the motor loads both."""
    arm = da.load("planar-2r").locked({"joint2": 0.0})
    limited = replace(arm, joints=tuple(replace(j, limits=replace(j.limits, effort=30.0)) for j in arm.joints))
    driven = replace(limited, drives=da.DriveTrain([da.Actuator.of("m1", {"joint1": 50})]))
    free = Mechanism({"a": driven, "b": limited}, [], ["a.joint1 + b.joint1", "b.joint1"]).driven
    system = free.as_system(motors=True)
    limits, q = Saturation(plant_of(system, "motor torque")), np.zeros(2)
    for asked in (0.1, 0.9, -7.0):
        torques = limits(q, np.array([asked]))
        load = np.clip(50 * asked, -30, 30)
        np.testing.assert_allclose(system.to_joints(q, torques), [load, -load], rtol=1e-14)
