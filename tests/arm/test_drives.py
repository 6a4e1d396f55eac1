"""What the drives of an arm are: data from files, fitted to parts of an arm, refused where impossible."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Element, Friction, Motor, Rotor
from dalembert.arm.errors import ArmError
from dalembert.arm.io.joint_drives import JointDrive, train_of_joints
from dalembert.arm.io.mjcf import read_mjcf
from dalembert.arm.io.urdf import read_urdf

DRIVEN = ("puma560", "jpl-rrp", "irb6")


def test_the_drives_of_built_in_arms_are_found() -> None:
    for name in DRIVEN:
        arm = da.load(name, physical="ignore")
        assert len(arm.drives.actuators) == arm.n
        assert arm.drives.actuators[1].rotor.link
        assert arm.driven.motor_names[0] == "motor1"
    plain = da.load("planar-2r")
    assert isinstance(plain.drives, DriveTrain)
    assert not plain.drives
    assert plain.driven.mass_matrix([0, 0]) == pytest.approx(plain.mass_matrix([0, 0]))


def test_locked_joints_drop_out_of_the_transmission() -> None:
    arm = da.load("puma560", physical="ignore")
    locked = arm.locked({"joint4": 0.0})
    rows = np.array(arm.drives.rows(locked), dtype=float)
    assert rows.shape == (6, 5)
    assert rows[4, 3] == pytest.approx(71.923)


def test_locking_a_joint_locks_its_motor_and_keeps_the_coupling_of_the_others() -> None:
    arm = da.load("puma560", physical="ignore")
    driven = arm.locked({"joint4": 0.0}).driven
    # the wrist is coupled: motors 5 and 6 turn with joint 4 too, motor 4 with nothing else
    assert driven.motor_names == ("motor1", "motor2", "motor3", "motor5", "motor6")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    whole = arm.driven.mass_matrix(np.insert(q, 3, 0.0))
    keep = [0, 1, 2, 4, 5]
    assert driven.mass_matrix(q) == pytest.approx(whole[np.ix_(keep, keep)], rel=1e-10)
    assert arm.driven.locked({"joint4": 0.0}).mass_matrix(q) == pytest.approx(driven.mass_matrix(q), abs=0)


def test_a_part_of_an_arm_keeps_the_drives_of_its_joints() -> None:
    """Motors that turn with joints of the part stay, whole: those of the wrist of the IRb-6 turn with its arm."""
    arm = da.load("irb6")
    part = arm.subarm("joint2", "joint3")
    assert part.drives.names == ("motor2", "motor3", "motor4", "motor5")
    rows = [[128, 0], [-128, -128], [128, 128], [128, 128]]
    assert np.array(part.drives.rows(part), dtype=float) == pytest.approx(np.array(rows))
    assert not part.drives.elements
    part.drives.check(part)
    # the base of the part is the column, so that the motors stand on it as before
    q = np.array([0.2, -0.3])
    whole = arm.driven.mass_matrix([0.0, *q, 0.0, 0.0])[1:3, 1:3]
    links = arm.mass_matrix([0.0, *q, 0.0, 0.0])[1:3, 1:3]
    assert part.driven.mass_matrix(q) - part.mass_matrix(q) == pytest.approx(whole - links, rel=1e-10)


def test_the_drives_of_a_file_come_from_its_armature_damping_and_friction() -> None:
    text = """<robot name="one"><link name="base"/><link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <dynamics damping="0.3" friction="0.2"/></joint></robot>"""
    driven = da.Arm.of(read_urdf(text, "one.urdf")).driven
    assert driven.friction_torque([0.0], [2.0]) == pytest.approx([0.2 + 0.6])
    assert driven.friction_torque([0.0], [-2.0]) == pytest.approx([-0.8])


def test_armature_damping_and_friction_of_an_mjcf_file_are_drives() -> None:
    text = """<mujoco><worldbody><body name="tip"><joint name="j" type="hinge" axis="0 0 1" armature="0.4"
    damping="0.3" frictionloss="0.2"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
    </mujoco>"""
    arm = da.Arm.of(read_mjcf(text, "one.xml"))
    driven = arm.driven
    assert driven.mass_matrix([0.0]) == pytest.approx(arm.mass_matrix([0.0]) + 0.4)
    assert driven.friction_torque([0.0], [2.0]) == pytest.approx([0.2 + 0.6])


def test_inertia_before_and_after_a_gear_is_the_same_drive() -> None:
    """J N^2 at the joint: a motor of 1e-4 kg m^2 behind 50 : 1 is an armature of 0.25 kg m^2."""
    arm = da.load("planar-2r")
    rows = [
        [JointDrive("joint1", gear_ratio=50, motor_inertia="1e-4"), JointDrive("joint2", armature="0.25")],
        [JointDrive("joint1", gear_ratio=-50, input_inertia="0.25"), JointDrive("joint2", 1, "0.25")],
    ]
    for drives in rows:
        driven = arm.with_drives(train_of_joints(drives))
        assert driven.mass_matrix([0.1, 0.2]) - arm.mass_matrix([0.1, 0.2]) == pytest.approx(0.25 * np.eye(2))
    with pytest.raises(ArmError, match="joint 'joint1': motor_inertia and input_inertia are the same"):
        train_of_joints([JointDrive("joint1", motor_inertia=1, input_inertia=1)])


def test_numbers_of_any_kind_describe_the_same_drive() -> None:
    """Floats and decimals in text are the same numbers, ratios a mapping or pairs."""
    plain = Actuator("a", {"joint1": 5}, Rotor(1e-4, "base", (0, 0, 1), (0.1, 0, 0), 0.5, 2e-4), Friction((0.1, 0.1)))
    exact = Actuator.of(
        "a", {"joint1": "5"}, Rotor.of("1e-4", "base", (0, 0, 1), ("0.1", 0, 0), "0.5", "2e-4"), Friction.of(0.1)
    )
    assert plain == exact
    assert Element("e", (("joint1", 2.5),), Rotor(1)) == Element.of("e", {"joint1": "2.5"}, Rotor.of(1))


BAD = {
    "singular": (DriveTrain((Actuator.of("a", {"joint1": 5}), Actuator.of("b", {"joint1": 3}))), "singular.*joint2"),
    "no such link": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, Rotor.of(1, "nowhere")), Actuator.of("b", {"joint2": 3}))),
        "motor 'a'.*link 'nowhere'",
    ),
    "no such joint": (DriveTrain((Actuator.of("a", {"elbow": 5}), Actuator.of("b", {"joint2": 3}))), "elbow"),
    "too few": (DriveTrain((Actuator.of("a", {"joint1": 5}),)), "1 motors drive 2 joints"),
    "negative friction": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, friction=Friction((-0.1, 0.2))), Actuator.of("b", {"joint2": 3}))),
        "motor 'a'.*friction.*-0.1",
    ),
    "starting below moving": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, friction=Friction((1, 1), 0.5)), Actuator.of("b", {"joint2": 3}))),
        "starting friction 0.5 is below",
    ),
    "no torque constant": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, motor=Motor(0.0)), Actuator.of("b", {"joint2": 3}))),
        "torque constant",
    ),
    "one name for two": (
        DriveTrain((Actuator.of("a", {"joint1": 5}), Actuator.of("a", {"joint2": 3}))),
        "motor 'a': another part of the drives has this name",
    ),
    "negative inertia": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, Rotor(-1.0)), Actuator.of("b", {"joint2": 3}))),
        "motor 'a': inertia of the rotor is negative",
    ),
    "friction nowhere": (
        DriveTrain(
            (Actuator.of("a", {"joint1": 5}), Actuator.of("b", {"joint2": 3})), (), (("elbow", Friction.of(1.0)),)
        ),
        "friction at joint 'elbow', which is not there",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_impossible_drives_are_refused_by_name(fault: str) -> None:
    train, said = BAD[fault]
    with pytest.raises(ArmError, match=said):
        da.load("planar-2r").with_drives(train)


def test_drives_of_another_arm_are_refused_also_where_they_have_more_motors_than_this_one_has_joints() -> None:
    train = da.DriveTrain([da.Actuator.of(f"m{k}", {f"axis{k}": 50}) for k in range(3)])
    with pytest.raises(
        da.ArmError, match="motor 'm0': turns with joint 'axis0', which is not there; the joints are joint"
    ):
        da.load("planar-2r").with_drives(train)
