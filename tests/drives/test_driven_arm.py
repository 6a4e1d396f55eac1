"""The public calls: drives of an arm, an arm with drives, linear models, simulation."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.api.driven import Drives
from dalembert.api.driven_arm import DrivenArm
from dalembert.arm.drives import DriveTrain
from dalembert.arm.errors import ArmError
from dalembert.arm.io.toml_arm import parse
from dalembert.arm.io.toml_drives import TOP, read_drives, read_drives_text, write_drives
from dalembert.arm.io.toml_table import Table
from dalembert.control.controllers import ComputedTorque
from dalembert.control.trajectories import quintic

Arm = da.Arm if issubclass(da.Arm, Drives) else type("Arm", (Drives, da.Arm), {})


def load(name: str):
    return Arm.of(da.load(name, physical="ignore"))


def test_the_drives_of_built_in_arms_are_found():
    for name in ("puma560", "jpl-rrp", "irb6"):
        arm = load(name)
        assert len(arm.drives.actuators) == arm.n
        assert arm.drives.actuators[1].rotor.link
        assert arm.driven.motor_names[0] == "motor1"
    plain = load("planar-2r")
    assert isinstance(plain.drives, DriveTrain)
    assert plain.driven.mass_matrix([0, 0]) == pytest.approx(plain.mass_matrix([0, 0]))


def test_locking_a_joint_locks_its_motor_and_keeps_the_coupling_of_the_others():
    arm = load("puma560")
    locked = Arm.of(arm.locked({"joint4": 0.0}))
    driven = locked.driven
    assert driven.motor_names == ("motor1", "motor2", "motor3", "motor5", "motor6")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    whole = arm.driven.mass_matrix(np.insert(q, 3, 0.0))
    keep = [0, 1, 2, 4, 5]
    assert driven.mass_matrix(q) == pytest.approx(whole[np.ix_(keep, keep)], rel=1e-10)


def test_a_part_of_an_arm_keeps_the_drives_of_its_joints():
    arm = load("irb6")
    part = Arm.of(arm.subarm("joint2", "joint3"))
    train = arm.drives.reduced(part)
    assert train.names[:2] == ("motor2", "motor3")
    train = replace(train, actuators=train.actuators[:2])
    train.check(part)
    assert np.array(train.rows(part), dtype=float) == pytest.approx(np.array([[128, 0], [-128, -128]]))
    assert not train.elements


def test_drives_come_from_a_file(tmp_path):
    file = tmp_path / "drives.toml"
    file.write_text(
        '[[motors]]\nname = "a"\nratios = {joint1 = 50}\nrotor = {inertia = 1e-4, link = "base"}\n'
        '[[motors]]\nname = "b"\nratios = {joint1 = 10, joint2 = 40}\nfriction = {coulomb = 0.1}\n'
    )
    driven = load("planar-2r").with_drives(file)
    assert driven.transmission([0.0, 0.0]) == pytest.approx(np.array([[50, 0], [10, 40]]))
    with pytest.raises(ArmError, match="cannot be read"):
        load("planar-2r").with_drives(tmp_path / "none.toml")


def test_a_load_reaches_the_motors_and_gravity_can_change():
    driven = load("puma560").driven
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    heavy = driven.holding(da.Load(mass=2.0))
    assert isinstance(heavy, DrivenArm)
    assert np.abs(heavy.motor_torques(q, 0 * q, 0 * q)).max() > np.abs(driven.motor_torques(q, 0 * q, 0 * q)).max()
    assert driven.with_gravity((0, 0, 0)).gravity_load(q) == pytest.approx(np.zeros(6))


def test_linear_models_by_the_public_call():
    arm = load("puma560")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    joint, hand = arm.linearize(q), arm.linearize(q, coordinates="hand")
    assert hand.states[0].name == "hand_x"
    assert np.trace(hand.A) == pytest.approx(np.trace(joint.A), abs=1e-6)
    motors = arm.driven.linearize(q, input="voltage")
    assert [s.unit for s in motors.states[-1:]] == ["A"]
    assert arm.driven.linearize(q, coordinates="hand").A.shape == (12, 12)
    with pytest.raises(ArmError, match="no coordinates"):
        arm.linearize(q, coordinates="polar")
    with pytest.raises(ArmError, match="torque"):
        arm.driven.linearize(q, input="current")


def test_simulation_by_the_public_call():
    arm = load("planar-2r")
    path = quintic([[0, 0], [0.5, 0.5]], 0.5)
    motion = arm.simulate(ComputedTorque(arm, path), [0, 0], None, 0.5, samples=6)
    assert motion.q[-1] == pytest.approx([0.5, 0.5], abs=1e-6)
    with pytest.raises(ArmError, match="cannot run in machine code: the controller is a function"):
        arm.simulate(lambda t, q, qd: [0, 0], [0, 0], None, 0.1, compiled=True)
    with pytest.raises(ArmError, match="cannot run in machine code: these options"):
        arm.simulate([0, 0], [0, 0], None, 0.1, compiled=True, stops=True)
    many = arm.simulate_many([0, 0], np.zeros((3, 2)), None, 0.01)
    assert many.q.shape == (2, 3, 2)
    assert arm.requirements(path).feasible
    driven = arm.driven
    assert driven.simulate([0.0, 0.0], [0.1, 0.1], None, 0.1, samples=3).q.shape == (3, 2)
    assert driven.requirements(path).motor_torque is not None
    assert set(load("irb6").driven.approximation_errors(samples=20)) == {"szkodny", "diagonal", "paul"}
    assert (load("irb6").driven.inertia_range(samples=20).ratio >= 1).all()


def test_linear_models_along_a_trajectory_and_closed_forms_by_the_public_call():
    arm = load("irb6")
    path = quintic([np.zeros(5), np.full(5, 0.3)], 1.0)
    for one in (arm, arm.driven):
        models = one.linearize_along(path, [0.0, 0.5, 1.0])
        assert len(models) == 3
        assert not np.allclose(models[0].A, models[1].A)
    q = np.full(5, 0.2)
    assert arm.driven.equations().values(q)[0] == pytest.approx(arm.driven.mass_matrix(q))


def test_a_motion_is_replayed_in_a_page_of_its_own(tmp_path):
    arm = load("planar-2r")
    motion = arm.simulate([0, 0], [0.1, 0.2], None, 0.2, samples=5)
    arm.replay(motion, tmp_path / "m.html")
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "replay-data" in text
    assert "arm-canvas" in text
    assert "http://" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize("name", ["puma560", "jpl-rrp", "irb6"])
def test_drives_written_as_toml_are_read_back_the_same(name):
    arm = load(name)
    train = arm.drives
    assert read_drives_text(write_drives(train), "again.toml", arm) == train


def test_drives_stand_in_a_table_of_an_arm_file_too():
    arm = load("irb6")
    text = write_drives(arm.drives, "drives.")
    table = Table.of(parse(text, "arm.toml")["drives"], "arm.toml: drives", TOP)
    assert read_drives(table, arm).actuators == arm.drives.actuators


def test_a_transmission_that_is_a_function_cannot_be_written():
    with pytest.raises(ArmError, match="cannot be written"):
        write_drives(DriveTrain((), turns=lambda ring, q: list(q)))
