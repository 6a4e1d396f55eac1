"""The TOML arm file: what it says is what the arm is, and what is written reads back equal."""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.arm.description import EARTH, ArmDescription, Limits, Link
from dalembert.arm.drives import Friction
from dalembert.arm.elastic import JointDamper, JointSpring, PointSpring
from dalembert.arm.errors import ArmError, PhysicalWarning
from dalembert.arm.exact import Angle
from dalembert.arm.inertia import Inertia, Load
from dalembert.arm.io.dh import from_dh
from dalembert.arm.io.files import catalog_names, read
from dalembert.arm.io.toml_arm import DH, DRIVE, FRAME, JOINT, LIMITS, LINK, LOAD, SPRING, TOP, read_toml, write_toml
from dalembert.arm.io.urdf import read_urdf, write_urdf
from dalembert.arm.placement import Placement, Step, apply
from random_arms import random_arm

ONE = '[[joints]]\ntype = "revolute"\n'


def arm_of(text: str) -> ArmDescription:
    return read_toml(text, "arm.toml", "ignore")


def back(arm: ArmDescription) -> ArmDescription:
    return read_toml(write_toml(arm), "back.toml", "ignore")


# -- reading ----------------------------------------------------------------------------------------


def test_the_smallest_file_is_one_joint() -> None:
    arm = arm_of(ONE)
    assert (arm.name, arm.link_names, arm.joint_names, arm.gravity) == ("arm", ("base", "link1"), ("joint1",), EARTH)
    assert arm.moving[0].before == arm.moving[0].after == Placement()


def test_decimals_enter_exactly_as_written() -> None:
    arm = arm_of('gravity = [0.1, "1/3", -9.81]\n' + ONE + "link = {mass = 1e-3, com = [0.30000000000000004, 0, 0]}")
    assert arm.gravity == (Fraction(1, 10), Fraction(1, 3), Fraction(-981, 100))
    assert arm.links[1].inertia.moment[0] == Fraction(30000000000000004, 10**20)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_rows_give_the_arm_of_from_dh(convention: str) -> None:
    rows = [
        {"a": 0.1, "alpha": math.pi / 2, "d": 0.2, "theta": 0.3, "mass": 2, "com": (0, 0.1, 0), "inertia": (1, 1, 1)},
        {
            "type": "prismatic",
            "alpha": -math.pi / 2,
            "d": 0.25,
            "mass": 1,
            "gyration": {"xx": 0.5, "yy": 0.5, "zz": 0.5},
        },
    ]
    text = f"""
        convention = "{convention}"
        base = {{xyz = [0, 0, 1], rpy = [0, "pi/2", 0]}}
        [[joints]]
        type = "revolute"
        dh = {{a = 0.1, alpha = "pi/2", d = 0.2, theta = 0.3}}
        link = {{mass = 2, com = [0, 0.1, 0], inertia = [1, 1, 1]}}
        [[joints]]
        type = "prismatic"
        dh = {{alpha = "-90 deg", d = 0.25}}
        link = {{mass = 1, gyration = {{xx = 0.5, yy = 0.5, zz = 0.5}}}}
    """
    base = Placement.from_xyz_rpy((0, 0, 1), (0, math.pi / 2, 0))
    assert arm_of(text) == from_dh(rows, convention, name="arm", base=base)


def test_an_origin_and_axis_mean_what_they_mean_in_urdf() -> None:
    inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    urdf = f"""<robot name="arm"><link name="base"/><link name="link1">{inertial}</link>
        <joint name="joint1" type="prismatic"><parent link="base"/><child link="link1"/>
        <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="1 2 -1"/><limit lower="0" upper="1"/></joint></robot>"""
    toml = """
        [[joints]]
        type = "prismatic"
        xyz = [1, 2, 3]
        rpy = [0.1, 0.2, 0.3]
        axis = [1, 2, -1]
        limits = {lower = 0, upper = 1, velocity = 0, effort = 0}
        link = {mass = 2, inertia = [1, 1, 1]}
    """
    one, other = da.Arm.of(arm_of(toml)), da.Arm.of(read_urdf(urdf, "arm.urdf"))
    for q in (0.0, 0.7):
        np.testing.assert_allclose(one.forward_kinematics([q]), other.forward_kinematics([q]), atol=1e-14)


def test_the_three_ways_to_give_inertia_agree() -> None:
    mass, com, central = (
        Fraction(2),
        (Fraction(1, 2), Fraction(0), Fraction(1, 4)),
        (Fraction(1), Fraction(1), Fraction(1)),
    )
    body = Inertia.of(mass, com, central)
    about_com = 'link = {mass = 2, com = [0.5, 0, 0.25], inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], about = "com"}'
    tensor = 'inertia = {xx = 1.125, yy = 1.625, zz = 1.5, xz = -0.25}, about = "frame"}'
    frame = "link = {mass = 2, com = [0.5, 0, 0.25], " + tensor
    squares = "link = {mass = 2, com = [0.5, 0, 0.25], gyration = {xx = 0.5625, yy = 0.8125, zz = 0.75, xz = 0.125}}"
    moment = "link = {mass = 2, first_moment = [1, 0, 0.5], " + tensor
    for given_as in (about_com, frame, squares, moment):
        assert arm_of(ONE + given_as).links[1].inertia == body


def test_everything_a_joint_may_hold_is_kept() -> None:
    arm = arm_of("""
        title = "all of it"
        notes = "none"
        sources = ["a book"]
        tool = {xyz = [0, 0, 0.1], link = "hand"}
        base = {link = {name = "floor", mass = 3, source = "the scales"}}
        [[joints]]
        name = "q"
        type = "revolute"
        parent = "floor"
        limits = {lower = "-170 deg", upper = inf, velocity = 2.5, effort = 10}
        damping = 0.1
        friction = 0.2
        armature = 0.3
        drive.gear_ratio = -100
        drive.motor_inertia = 2e-4
        drive.viscous_friction = 1e-3
        drive.coulomb_friction = [0.4, -0.5]
        drive.stall_torque = 3
        source = "the maker"
        link = {name = "hand", mass = 1, meshes = ["package://arm/hand.stl"], source = "the scales"}
        [[springs]]
        joint = "q"
        stiffness = 5
        rest = "90 deg"
        damping = 0.5
        [[springs]]
        from = {link = "floor", point = [0, 0, 1]}
        to = {link = "hand", point = [0.5, 0, 0]}
        stiffness = 7
        rest = 0.25
        [[loads]]
        mass = 1.5
        com = [0, 0, 0.5]
    """)
    joint = arm.joint("q")
    assert joint.limits == Limits(math.radians(-170), math.inf, 2.5, 10)
    assert arm.drives.friction_of("q") == Friction((0.2, 0.2), viscous=0.1)
    (motor,) = arm.drives.actuators
    assert (motor.ratios, motor.stall_torque) == ((("q", -100),), 3)
    assert motor.rotor.inertia == Fraction("2e-4") + Fraction("0.3") / 100**2
    assert motor.friction == Friction((0.4, 0.5), viscous=1e-3)
    assert (arm.title, arm.notes, arm.base, arm.tool_link) == ("all of it", "none", "floor", "hand")
    assert arm.sources == ("a book", "the scales (floor, hand)", "the maker (q)")
    assert (arm.link("floor").inertia.mass, arm.link("hand").meshes) == (3, ("package://arm/hand.stl",))
    assert arm.elastic == (
        JointSpring("q", 5, math.pi / 2),
        JointDamper("q", 0.5),
        PointSpring("floor", (0, 0, 1), "hand", (0.5, 0, 0), 7, 0.25),
    )
    assert arm.bodies[0].inertia.mass == Fraction(5, 2)


def test_two_descriptions_of_one_drive_are_refused() -> None:
    both = "drive = {motor_inertia = 1e-4, input_inertia = 1}\n"
    with pytest.raises(ArmError, match=r"joint 'joint1': motor_inertia and input_inertia are the same inertia"):
        arm_of(ONE + both)
    motors = '[[drives.motors]]\nname = "m"\nratios = {joint1 = 50}\n'
    with pytest.raises(ArmError, match=r"joint 'joint1' describes its drive, and the motors of the drives do so too"):
        arm_of(ONE + "drive = {gear_ratio = 50}\n" + motors)
    friction = '[[drives.joint_friction]]\njoint = "joint1"\nviscous = 1\n'
    with pytest.raises(ArmError, match=r"friction at joint 'joint1' is given twice"):
        arm_of(ONE + "damping = 1\n" + friction)


def test_a_parent_left_out_is_the_link_before_and_branches_name_theirs() -> None:
    text = ONE + ONE + ONE + 'parent = "link1"\n'
    assert [joint.parent for joint in arm_of(text).joints] == ["base", "link1", "link1"]


def test_joints_may_stand_in_any_order() -> None:
    text = '[[joints]]\ntype = "fixed"\nparent = "elbow"\nlink = "hand"\n' + ONE + 'parent = "base"\nlink = "elbow"\n'
    assert [joint.child for joint in arm_of(text).joints] == ["elbow", "hand"]


def test_a_link_no_body_can_have_is_a_warning_or_an_error_as_asked() -> None:
    text = ONE + 'link = {name = "ghost", mass = -1}'
    with pytest.warns(PhysicalWarning, match=r"arm\.toml: .*'ghost'.*mass is negative"):
        assert read_toml(text, "arm.toml").links[1].inertia.mass == -1
    with pytest.raises(ArmError, match=r"arm\.toml: .*'ghost'"):
        read_toml(text, "arm.toml", physical="error")
    with pytest.raises(ArmError, match="physical must be"):
        read_toml(ONE, "arm.toml", physical="maybe")


FAULTS = {
    "not TOML": ("name = \n", r"not valid TOML.*line 1"),
    "no joints": ('name = "x"', r"has no joints; give each under \[\[joints\]\]"),
    "joints not a list": ("joints = 3", "joints must be a list of tables"),
    "joint not a table": ("joints = [3]", r"joints\[0\] must be a table"),
    "unknown key at the top": ("gravitiy = 1\n" + ONE, r"'gravitiy' \(did you mean 'gravity'\?\); the keys are name"),
    "unknown key of a joint": (ONE + 'name = "q"\nkind = 1', r"joints\[0\] 'q': unknown key 'kind'"),
    "unknown key of a link": (ONE + "link = {weight = 1}", r"link: unknown key 'weight'; the keys are name, mass"),
    "no type": ('[[joints]]\nname = "q"', "joint 'q': type is missing"),
    "unknown type": ('[[joints]]\ntype = "revolut"', r"'joint1': type 'revolut' is not known \(did you mean"),
    "type not a string": ("[[joints]]\ntype = 3", "joint 'joint1': type must be a string"),
    "name empty": ('name = ""\n' + ONE, "name must be a string in quotes, got ''"),
    "name not a string": (ONE + "name = 1979-05-27", "name must be a string"),
    "two joints of one name": ((ONE + 'name = "q"\n') * 2, "two joints are named 'q'"),
    "two links of one name": ((ONE + 'link = "a"\n') * 2, "two links are named 'a'"),
    "parent unknown": (ONE + 'parent = "nobody"', "names link 'nobody', which is not there"),
    "parent itself": (ONE + 'parent = "link1"', "several links have no parent|circle"),
    "circle": (ONE + 'parent = "link2"\n' + ONE + 'parent = "link1"\n', "circle"),
    "mass a list": (ONE + "link = {mass = [1]}", r"link 'link1': mass must be a number, such as 0\.5"),
    "mass not finite": (ONE + "link = {mass = nan}", "link 'link1': mass must be finite"),
    "mass a wrong string": (ONE + 'link = {mass = "one"}', "link 'link1': mass: 'one' is not a number"),
    "com short": (ONE + "link = {com = [1, 2]}", "link 'link1': com must be a list of three numbers"),
    "com a string inside": (ONE + 'link = {com = [1, "x", 2]}', "com y: 'x' is not a number"),
    "inertia a number": (ONE + "link = {inertia = 1}", "inertia must be three moments, three rows or a table"),
    "inertia lopsided": (ONE + "link = {inertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}", "not symmetric"),
    "inertia entry": (ONE + "link = {inertia = {yx = 1}}", "inertia: unknown key 'yx'"),
    "about": (ONE + 'link = {about = "here", inertia = [1, 1, 1]}', 'about is "com" or "frame"'),
    "about frame without inertia": (ONE + 'link = {about = "frame"}', "needs inertia"),
    "two inertias": (ONE + "link = {mass = 1, inertia = [1, 1, 1], gyration = [1, 1, 1]}", "gyration stands in place"),
    "moment and com": (ONE + "link = {com = [0, 0, 0], first_moment = [1, 1, 1]}", "first_moment stands in place"),
    "dh without convention": (ONE + "dh = {a = 1}", "dh needs the convention"),
    "unknown convention": ('convention = "craig"\n' + ONE, 'convention is "standard" or "modified"'),
    "dh and xyz": ('convention = "standard"\n' + ONE + "dh = {}\nxyz = [0, 0, 0]", "dh and xyz are two ways"),
    "dh key": ('convention = "standard"\n' + ONE + "dh = {A = 1}", "dh: unknown key 'A'"),
    "axis zero": (ONE + "axis = [0, 0, 0]", "joint 'joint1': axis is zero"),
    "rpy": (ONE + "rpy = [0, 0]", "rpy must be a list of three angles"),
    "step axis": (ONE + 'before = [{rotate = "w", by = 1}]', "the axis of a step is x, y or z"),
    "step of two kinds": (ONE + 'before = [{rotate = "x", translate = "x", by = 1}]', "either rotate or translate"),
    "step without amount": (ONE + 'before = [{rotate = "x"}]', "by is missing"),
    "limits crossed": (ONE + "limits = {lower = 1, upper = 0}", "'joint1': limits: lower limit 1 is above upper"),
    "limits nan": (ONE + "limits = {lower = nan}", "limits: lower must be finite"),
    "limits nowhere": (ONE + "limits = {lower = inf}", "no position lies within"),
    "velocity negative": (ONE + "limits = {velocity = -1}", "'velocity' is negative"),
    "damping negative": (ONE + "damping = -1", "damping is -1; give a value of at least 0"),
    "coulomb": (ONE + "drive = {coulomb_friction = 3}", "coulomb_friction must be a list of two numbers"),
    "meshes": (ONE + "link = {meshes = [1]}", "meshes must be a list of strings"),
    "gravity": ("gravity = 9.81\n" + ONE, "gravity must be a list of three numbers"),
    "tool link": ('tool = {link = "claw"}\n' + ONE, "no link 'claw'; the links are base, link1"),
    "spring of nothing": (ONE + '[[springs]]\njoint = "joint1"', "needs stiffness, damping or both"),
    "spring of both": (ONE + '[[springs]]\njoint = "joint1"\nfrom = {}\nstiffness = 1', "either joint, or from and to"),
    "spring joint": (ONE + '[[springs]]\njoint = "q"\nstiffness = 1', "no joint 'q'"),
    "spring negative": (ONE + '[[springs]]\njoint = "joint1"\nstiffness = -1', "stiffness .* is negative"),
    "rest of a damper": (ONE + '[[springs]]\njoint = "joint1"\ndamping = 1\nrest = 1', "rest belongs to a spring"),
    "load link": (ONE + '[[loads]]\nlink = "claw"\nmass = 1', "no link 'claw'"),
    "load twice": (ONE + "[[loads]]\nmass = 1\n[[loads]]\nmass = 1", "carries a load already"),
    "load unreal": (ONE + "[[loads]]\nmass = -1", "the load cannot be"),
    "source": (ONE + "source = 1", "source must be a string"),
    "two decimals": (ONE + "link = {mass = 1, com = [-0.2, 0]}", r"com must be a list .*, got \[-0.2, 0\]"),
    "com without mass": (ONE + "link = {com = [0.1, 0, 0]}", "com is given without mass, .*; give its mass"),
    "gyration without mass": (ONE + "link = {gyration = [1, 1, 1]}", "gyration is given without mass"),
    "load without mass": (ONE + "[[loads]]\ncom = [0, 0, 0.1]", "com is given without mass"),
    "gear ratio": (ONE + "drive = {gear_ratio = 0}", "joint 'joint1': gear_ratio is 0, .*; give motor turns"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_the_file_the_place_and_the_remedy(fault: str) -> None:
    text, message = FAULTS[fault]
    with pytest.raises(ArmError, match=message) as caught:
        read_toml(text, "arm.toml")
    assert str(caught.value).startswith("arm.toml: ")
    assert "\n" not in str(caught.value)


# -- writing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", catalog_names())
def test_catalog_arms_are_written_and_read_back_equal(name: str) -> None:
    arm = read(name, "ignore")
    assert back(arm) == arm
    assert back(arm).bodies == arm.bodies


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_any_arm_is_written_and_read_back_equal(seed: int, joints: int, tree: bool) -> None:
    arm = random_arm(seed, joints, tree)
    again = back(arm)
    assert again == arm
    assert again.bodies == arm.bodies


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_arms_from_urdf_are_written_and_read_back_equal(seed: int, joints: int) -> None:
    arm = read_urdf(write_urdf(random_arm(seed, joints, tree=True)), "arm.urdf", "ignore")
    assert back(arm).bodies == arm.bodies


def test_arms_changed_by_hand_are_written_and_read_back_equal() -> None:
    arm = read("puma560", "ignore")
    base = Placement.from_xyz_rpy((1, 2, 3), (Angle.degrees(30), 0, 0))
    changed = [
        arm.holding(Load(1.8, (0, 0, 0.1), (0.1, 0.1, 0.1))),
        arm.locked({"joint2": 0.7, "joint5": 1}),
        arm.subarm(1, 3),
        arm.with_gravity((0, 0.1, 0)),
        arm.with_tool(Placement((Step("rotate", 0, Angle.degrees(10)), Step("translate", 0, Fraction(1, 3)))), "link3"),
        arm.with_elastic(JointSpring("joint1", 2.5, 0.1), PointSpring("base", (0, 0, 0.3), "link3", (0.1, 0, 0), 9)),
        replace(arm, joints=(replace(arm.joints[0], before=base), *arm.joints[1:])),
        replace(arm, name='quote " and \\ and \x7f', notes="lines\nand\ttabs", sources=("ä", "")),
        replace(arm, links=(Link("base", Inertia.of(3, (1, 1, 1))), *arm.links[1:])),
        replace(
            arm, links=(Link("base", Inertia(Fraction(0), (Fraction(1), Fraction(0), Fraction(0)))), *arm.links[1:])
        ),
    ]
    for other in changed:
        again = back(other)
        assert again.bodies == other.bodies
        assert replace(again, loads=()) == replace(other, loads=())


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.TurnWarning")  # one is a turn and more on purpose
def test_angles_that_no_decimal_spells_come_back_as_the_same_point() -> None:
    turn = Step("rotate", 0, Angle(Fraction(3, 5), Fraction(4, 5), math.atan2(4, 3) + math.tau))
    steps = (turn, Step("rotate", 2, Angle.quarters(5)), Step("rotate", 1, Angle.degrees("12.345678901234")))
    arm = arm_of(ONE)
    arm = replace(arm, joints=(replace(arm.joints[0], before=Placement(steps)),))
    assert back(arm) == arm


def test_what_is_written_is_short_where_the_arm_allows() -> None:
    written = tomllib.loads(write_toml(read("puma560", "ignore")))
    assert written["convention"] == "standard"
    assert written["joints"][2]["dh"] == {"a": 0.0203, "alpha": "-pi/2", "d": 0.15005}
    assert written["joints"][0]["limits"]["lower"] == "-160 deg"
    slanted = arm_of(ONE + "xyz = [0, 0, 1]\naxis = [1, 1, 0]\n")
    assert tomllib.loads(write_toml(slanted))["joints"][0]["axis"] == [1, 1, 0]
    third = arm_of(ONE + 'link = {mass = "1/3"}')
    assert tomllib.loads(write_toml(third))["joints"][0]["link"]["mass"] == "1/3"


def test_an_arm_without_joints_cannot_be_written() -> None:
    with pytest.raises(ArmError, match="no joints"):
        write_toml(ArmDescription("stone", (Link("base"),), ()))


def test_a_slanted_axis_points_where_it_is_told_to() -> None:
    joint = arm_of(ONE + "axis = [3, -4, 12]\n").joints[0]
    axis = [float(x) for x in apply(joint.before.rotation, (Fraction(0), Fraction(0), Fraction(1)))]
    np.testing.assert_allclose(axis, np.array([3, -4, 12]) / 13, atol=1e-14)
    assert (joint.before @ joint.after).is_identity()


def test_the_examples_of_the_documentation_are_valid() -> None:
    page = (Path(__file__).parents[3] / "docs" / "arm-file.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    arm = read_toml("".join(examples), "example.toml", "error")
    assert (arm.name, arm.n, len(arm.elastic), len(arm.loads)) == ("two-link", 2, 3, 1)


def test_every_key_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "arm-file.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_]+", page))
    assert {*TOP, *JOINT, *LINK, *LIMITS, *DRIVE, *SPRING, *LOAD, *DH, *FRAME} <= words
