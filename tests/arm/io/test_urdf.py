"""URDF in and out: what is read, what is kept, what is refused and in which words."""

from __future__ import annotations

import math
import random
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import EARTH, ArmDescription
from dalembert.arm.errors import ArmError, PhysicalWarning, SkippedWarning
from dalembert.arm.io.dh import from_dh
from dalembert.arm.io.urdf import read_urdf, write_urdf
from dalembert.arm.placement import Placement, apply
from random_arms import random_arm, random_state

INERTIAL = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'


def robot(*parts: str, name: str = "r") -> str:
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", type_: str = "revolute") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{type_}">{ends}{inside}</joint>'


def one_joint(inside: str = "", type_: str = "revolute", link_inside: str = INERTIAL) -> ArmDescription:
    return read_urdf(robot(link("a", ""), link("b", link_inside), joint("j", "a", "b", inside, type_)), "arm.urdf")


def axis_in_link(arm: ArmDescription) -> tuple[Fraction, ...]:
    """Direction of the first joint's motion in the axes of its child link."""
    return arm.joints[0].after.rotation[2]


def assert_same_dynamics(one: ArmDescription, other: ArmDescription, seed: int = 0) -> None:
    """Equal mass matrix, gravity, Coriolis matrix and torques, joints matched by name."""
    first, second = da.Arm.of(one), da.Arm.of(other)
    order = [second.joint_names.index(name) for name in first.joint_names]
    q, qd, qdd = (np.array(values) for values in random_state(random.Random(seed), one))

    def back(values: np.ndarray) -> np.ndarray:
        there = np.empty(first.n)
        there[order] = values
        return there

    def close(a: np.ndarray, b: np.ndarray) -> None:
        assert np.abs(a - b).max() <= 1e-12 * max(1.0, np.abs(a).max())

    close(first.mass_matrix(q), second.mass_matrix(back(q))[np.ix_(order, order)])
    close(first.gravity_load(q), second.gravity_load(back(q))[order])
    close(first.coriolis_matrix(q, qd), second.coriolis_matrix(back(q), back(qd))[np.ix_(order, order)])
    close(first.inverse_dynamics(q, qd, qdd), second.inverse_dynamics(back(q), back(qd), back(qdd))[order])


# -- what is read -------------------------------------------------------------------------------


def test_numbers_enter_exactly_as_written():
    arm = one_joint('<origin xyz="0.1 -2e-3 .3"/>', link_inside=INERTIAL.replace('"2"', '"0.123456789012345678901"'))
    assert arm.joints[0].before.position == (Fraction(1, 10), Fraction(-2, 1000), Fraction(3, 10))
    assert arm.links[1].inertia.mass == Fraction("0.123456789012345678901")


@pytest.mark.parametrize("axis", ["1 0 0", "-1 0 0", "0 1 0", "0 -2 0", "0 0 1", "0 0 -1"])
def test_a_coordinate_axis_is_met_exactly_and_the_link_frame_is_the_files_own(axis: str):
    arm = one_joint(f'<axis xyz="{axis}"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')
    given = [Fraction(word) / max(abs(Fraction(w)) for w in axis.split()) for word in axis.split()]
    assert list(axis_in_link(arm)) == given
    whole = arm.joints[0].before @ arm.joints[0].after
    assert whole.exact == Placement.from_xyz_rpy((1, 2, 3), ("0.1", "0.2", "0.3")).exact


@pytest.mark.parametrize(
    "axis", ["1 1 0", "0 3 4", "-0.3 0.2 -0.9", "1e-9 0 1", "0 -1 1e-8", "1e20 1e20 1e20", "1e-200 0 1e-200"]
)
def test_an_axis_of_any_direction_and_length_is_met_to_rounding(axis: str):
    arm = one_joint(f'<axis xyz="{axis}"/>')
    given = np.array([Fraction(word) for word in axis.split()])
    given = (given / max(abs(given))).astype(float)
    np.testing.assert_allclose(np.array(axis_in_link(arm), float), given / np.linalg.norm(given), atol=2e-15)


def test_a_joint_without_axis_moves_about_x():
    assert axis_in_link(one_joint()) == (1, 0, 0)


def test_the_inertial_origin_turns_and_moves_the_inertia():
    turned = '<inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
    turned += '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01"/></inertial>'
    inertia = one_joint(link_inside=turned).links[1].inertia
    assert inertia.com == (Fraction(1, 10), 0, 0)
    assert inertia.central == (
        (Fraction(2, 10), Fraction(-1, 100), 0), (Fraction(-1, 100), Fraction(1, 10), 0), (0, 0, Fraction(1, 4))
    )  # fmt: skip


def test_an_origin_may_be_given_by_a_quaternion():
    arm = one_joint('<origin xyz="1 0 0" quat_xyzw="0.7 0 0 0.7"/><axis xyz="0 0 1"/>')
    assert arm.joints[0].before.exact == Placement.from_xyz_rpy((1, 0, 0), (math.pi / 2, 0, 0)).exact


def test_a_fixed_link_gives_its_mass_to_the_body_that_carries_it():
    text = robot(
        link("a", ""), link("b"), link("c"), joint("j", "a", "b"),
        joint("f", "b", "c", '<origin xyz="1 0 0"/>', "fixed"),
    )  # fmt: skip
    arm = read_urdf(text, "arm.urdf")
    assert arm.n == 1
    assert [joint.name for joint in arm.joints] == ["j", "f"]
    assert arm.bodies[0].inertia.mass == 4
    assert arm.bodies[0].inertia.com == (Fraction(1, 2), 0, 0)


def test_a_link_without_inertial_is_massless():
    assert not one_joint(link_inside="").links[1].inertia


def test_limits_and_losses_are_kept():
    arm = one_joint('<limit lower="-1.5" upper="2" velocity="3" effort="40"/><dynamics damping="0.7" friction="0.2"/>')
    assert arm.joints[0].limits == da.Limits(-1.5, 2, 3, 40)
    friction = arm.drives.friction_of("j")
    assert (friction.viscous, friction.moving) == (0.7, (0.2, 0.2))


def test_a_continuous_joint_has_no_range_but_keeps_speed_and_effort():
    limits = one_joint('<limit lower="-1" upper="1" velocity="3" effort="40"/>', "continuous").joints[0].limits
    assert limits == da.Limits(velocity=3, effort=40)


def test_a_range_that_is_not_given_is_not_known():
    assert one_joint('<limit velocity="3" effort="1e16"/>').joints[0].limits == da.Limits(velocity=3)
    assert one_joint('<limit upper="3"/>').joints[0].limits == da.Limits(0, 3)
    assert one_joint('<limit lower="-inf" upper="1.7976931348623157e+308"/>').joints[0].limits == da.Limits()


def test_meshes_are_kept_as_references_and_never_opened():
    shape = '<{0}><origin xyz="1 2 3"/><geometry><mesh filename="{1}" scale="1 1 1"/></geometry></{0}>'
    meshes = shape.format("visual", "package://r/a.dae") + shape.format("collision", "file:///no/such/file.stl")
    arm = one_joint(link_inside=meshes + shape.format("visual", "package://r/a.dae"))
    assert arm.links[1].meshes == ("package://r/a.dae", "file:///no/such/file.stl")


def test_joints_stand_parents_first_and_otherwise_in_the_order_of_the_file():
    text = robot(
        joint("late", "b", "c"), joint("x", "a", "x1"), joint("first", "a", "b"), joint("y", "a", "y1"),
        *(link(name) for name in ("a", "b", "c", "x1", "y1")),
    )  # fmt: skip
    names = read_urdf(text, "arm.urdf").joint_names
    assert names.index("first") < names.index("late")
    assert [name for name in names if name != "late"] == ["x", "first", "y"]


def test_what_stands_beside_links_and_joints_is_passed_over():
    beside = '<material name="m"/><transmission><joint name="j"/></transmission><gazebo reference="b"><x/></gazebo>'
    text = robot(beside, "<!-- words -->", "<anything/>", link("a"), link("b"), joint("j", "a", "b"))
    assert read_urdf(text, "arm.urdf").joint_names == ("j",)


def test_a_byte_order_mark_and_a_declaration_do_no_harm():
    text = '\ufeff<?xml version="1.0" encoding="latin-1"?>' + robot(link("käse"))
    assert read_urdf(text, "arm.urdf").base == "käse"


def test_unreal_inertias_warn_and_are_used_as_given_or_are_refused():
    unreal = '<inertial><mass value="2"/><inertia ixx="1" iyy="0.1" izz="0.1"/></inertial>'
    text = robot(link("a"), link("bad", unreal), joint("j", "a", "bad"))
    with pytest.warns(PhysicalWarning, match=r"arm\.urdf.*link 'bad'.*triangle"):
        arm = read_urdf(text, "arm.urdf")
    assert arm.links[1].inertia.tensor[0][0] == 1
    with pytest.raises(ArmError, match=r"arm\.urdf.*link 'bad'"):
        read_urdf(text, "arm.urdf", physical="error")


# -- what is refused ----------------------------------------------------------------------------

A, B, AB = link("a"), link("b"), joint("j", "a", "b")
REFUSED = {
    "mimic": (robot(A, B, joint("j", "a", "b", '<mimic joint="k"/>')), r"joint 'j': mimics joint 'k'.*mimic=\"hold\""),
    "floating": (robot(A, B, joint("j", "a", "b", type_="floating")), "joint 'j': is floating.*make it fixed"),
    "planar": (robot(A, B, joint("j", "a", "b", type_="planar")), "joint 'j': is planar.*prismatic and revolute"),
    "other type": (robot(A, B, joint("j", "a", "b", type_="ball")), "'ball'; the types are revolute, continuous"),
    "zero axis": (robot(A, B, joint("j", "a", "b", '<axis xyz="0 0 0"/>')), "joint 'j': axis is zero"),
    "short axis": (robot(A, B, joint("j", "a", "b", '<axis xyz="0 1"/>')), "xyz must be 3 numbers, got '0 1'"),
    "nan": (robot(A, B, joint("j", "a", "b", '<origin xyz="0 nan 0"/>')), "xyz must be finite, got nan"),
    "inf": (robot(link("a", INERTIAL.replace('"2"', '"inf"'))), "link 'a'.*value must be finite"),
    "huge": (robot(link("a", INERTIAL.replace('"2"', '"1e999"'))), "value must lie within"),
    "no number": (robot(link("a", INERTIAL.replace('"2"', '"2 kg"'))), "value must be one number"),
    "underscore": (robot(link("a", INERTIAL.replace('"2"', '"1_0"'))), "value must be a number"),
    "many turns": (robot(A, B, joint("j", "a", "b", '<origin rpy="1e9 0 0"/>')), "angle within"),
    "two roots": (robot(A, B, link("c"), AB), "several links have no parent joint: a, c"),
    "two parents": (robot(A, B, link("c"), AB, joint("k", "c", "b")), "link 'b' hangs on two joints"),
    "cycle": (robot(A, B, AB, joint("k", "b", "a")), "circle"),
    "cycle apart": (robot(A, B, link("c"), joint("j", "b", "c"), joint("k", "c", "b")), "circle"),
    "to itself": (robot(A, joint("j", "a", "a")), "circle"),
    "no such link": (robot(A, AB), "joint 'j' names link 'b', which is not there"),
    "same link name": (robot(A, A, B, AB), "two links are named 'a'"),
    "same joint name": (robot(A, B, link("c"), AB, joint("j", "b", "c")), "two joints are named 'j'"),
    "no link": (robot(), "has no <link>, so there is no arm in it"),
    "no name": (robot("<link/>"), "a <link> has no name"),
    "no type": (robot(A, B, '<joint name="j"/>'), "joint 'j': has no 'type'"),
    "no child": (robot(A, '<joint name="j" type="fixed"><parent link="a"/></joint>'), "joint 'j': has no <child>"),
    "no mass": (robot(link("a", '<inertial><inertia ixx="1"/></inertial>')), "link 'a': <inertial>: has no <mass>"),
    "no moment": (robot(link("a", INERTIAL.replace("izz", "ixz"))), "has no 'izz'|not well-formed"),
    "two inertials": (robot(link("a", INERTIAL * 2)), "link 'a': has 2 <inertial> elements"),
    "unknown in link": (robot(link("a", "<inertail/>")), "link 'a': <inertail> is not known.*'inertial'"),
    "unknown in joint": (robot(A, B, joint("j", "a", "b", "<limits/>")), "<limits> is not known.*'limit'"),
    "unknown attribute": (robot(A, B, joint("j", "a", "b", '<origin xyy="0 0 0"/>')), "xyy= .* not known.*'xyz'"),
    "links hidden": (robot(A, f"<group>{B}</group>"), "<group>: holds a <link>"),
    "limits crossed": (robot(A, B, joint("j", "a", "b", '<limit lower="1" upper="-1"/>')), "joint 'j'.*above"),
    "limit nan": (robot(A, B, joint("j", "a", "b", '<limit effort="nan"/>')), "joint 'j'.*effort must be a number"),
    "damping": (robot(A, B, joint("j", "a", "b", '<dynamics damping="-1"/>')), "damping is negative"),
    "xacro": ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro/></robot>', "xacro file"),
    "xacro undeclared": ("<robot><xacro:arm/></robot>", "xacro file"),
    "xacro values": (robot(link("a", INERTIAL.replace('"2"', '"${m}"'))), "xacro file"),
    "mjcf": ("<mujoco/>", "is not URDF.*load it as MJCF"),
    "sdf": ("<sdf/>", "is not URDF.*<robot>"),
    "no xml": ("robot", "not well-formed"),
    "dtd": (f"<!DOCTYPE robot>{robot(A)}", "document type"),
    "entity": (f'<!DOCTYPE r [<!ENTITY e "x">]>{robot(link("&e;"))}', "document type"),
    "mesh on no link": (robot(A, '<dalembert><mesh link="z" filename="f"/></dalembert>'), "link 'z', which is not"),
    "two orientations": (robot(A, B, joint("j", "a", "b", '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>')), "both given"),
    "zero quaternion": (robot(A, B, joint("j", "a", "b", '<origin quat_xyzw="0 0 0 0"/>')), "is zero"),
    "too many links": (robot(*(link(f"l{i}", "") for i in range(1001))), "at most 1000"),
    "too deep": ("<robot>" + "<a>" * 300, "deep"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_arm_is_refused_in_words_that_name_file_and_culprit(case: str):
    text, words = REFUSED[case]
    with pytest.raises(ArmError, match=words) as caught:
        read_urdf(text, "arm.urdf")
    assert str(caught.value).startswith("arm.urdf: ")


# -- dynamics -----------------------------------------------------------------------------------


def test_the_same_arm_by_dh_and_by_urdf_has_the_same_torques():
    rows = [
        {"d": "0.4", "alpha": math.pi / 2, "mass": 5, "com": (0, "-0.1", 0), "inertia": (0.1, 0.02, 0.1)},
        {"a": "0.5", "mass": 3, "com": ("-0.2", 0, 0), "inertia": (0.01, 0.2, 0.2)},
        {"a": "0.3", "mass": 2, "com": ("-0.1", 0, "0.05"), "inertia": (0.01, 0.1, 0.1)},
    ]
    # The same arm by hand: each link frame stands on its joint's axis, at the foot of the common normal.
    inertial = '<inertial><origin xyz="{0}"/><mass value="{1}"/><inertia ixx="{2}" iyy="{3}" izz="{4}"/></inertial>'
    text = robot(
        link("base", ""),
        link("1", inertial.format("0 0 0.3", 5, 0.1, 0.1, 0.02)),
        link("2", inertial.format("0.3 0 0", 3, 0.01, 0.2, 0.2)),
        link("3", inertial.format("0.2 0 0.05", 2, 0.01, 0.1, 0.1)),
        joint("joint1", "base", "1", '<axis xyz="0 0 1"/>', "continuous"),
        joint(
            "joint2", "1", "2", '<origin xyz="0 0 0.4" rpy="1.57079632679489662 0 0"/><axis xyz="0 0 1"/>', "continuous"
        ),
        joint("joint3", "2", "3", '<origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>', "continuous"),
    )
    by_hand = read_urdf(text, "arm.urdf", physical="error")
    arm = from_dh(rows, physical="error")
    assert_same_dynamics(arm, by_hand)
    assert_same_dynamics(arm, read_urdf(write_urdf(arm), "made.urdf", physical="error"))


@pytest.mark.parametrize("seed", range(12))
def test_writing_and_reading_keeps_the_dynamics_of_any_arm(seed: int):
    arm = random_arm(seed, 1 + seed % 7, tree=seed % 2 == 1)
    back = read_urdf(write_urdf(arm), "made.urdf", physical="error")
    assert back.gravity == arm.gravity
    assert [joint.limits for joint in back.moving] == [arm.joint(name).limits for name in back.joint_names]
    assert_same_dynamics(arm, back, seed)
    q = random_state(random.Random(seed), arm)[0]
    there = [q[arm.joint_names.index(name)] for name in back.joint_names]
    np.testing.assert_allclose(
        da.Arm.of(back).forward_kinematics(there), da.Arm.of(arm).forward_kinematics(q), atol=1e-13
    )


def test_a_load_is_written_as_a_link_of_its_own_and_keeps_the_dynamics():
    arm = random_arm(3, 4).holding(da.Load(1.8, (0.01, 0, 0.02), (0.01, 0.01, 0.01)))
    back = read_urdf(write_urdf(arm), "made.urdf", physical="error")
    assert len(back.links) == len(arm.links) + 2
    assert_same_dynamics(arm, back)


def test_numbers_of_a_file_come_out_as_they_went_in():
    text = robot(
        link("a", ""),
        link("b", '<inertial><origin xyz="0.1 0.2 -0.3"/><mass value="1.7"/>'
                  '<inertia ixx="0.11" ixy="0.001" ixz="0" iyy="0.12" iyz="0.002" izz="0.13"/></inertial>'),
        joint("j", "a", "b", '<origin xyz="0.4 0 1" rpy="0.3 -0.2 1.2"/><axis xyz="0 1 0"/>'
                             '<limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5"/>'),
    )  # fmt: skip
    once = read_urdf(text, "arm.urdf")
    written = write_urdf(once)
    for words in (
        'xyz="0.4 0 1" rpy="0.3 -0.2 1.2"',
        'value="1.7"',
        'ixy="0.001"',
        'xyz="0.1 0.2 -0.3"',
        'xyz="0 1 0"',
    ):
        assert words in written
    again = read_urdf(written, "made.urdf")
    assert again.links == once.links
    assert again.bodies[0].before.exact == once.bodies[0].before.exact
    assert write_urdf(again) == written


def test_meshes_gravity_losses_and_tool_come_back():
    text = robot(
        link("a", ""), link("b", '<visual><geometry><mesh filename="package://m.stl"/></geometry></visual>' + INERTIAL),
        joint("j", "a", "b", '<dynamics damping="0.5" friction="0.25" armature="0.125"/>'),
    )  # fmt: skip
    arm = read_urdf(text, "arm.urdf").with_gravity((1, 0, -1.62)).with_tool(Placement.from_xyz_rpy((0, 0, 1)), "a")
    back = read_urdf(write_urdf(arm), "made.urdf")
    assert back.gravity == (1, 0, Fraction(-162, 100))
    assert back.links[1].meshes == ("package://m.stl",)
    friction = back.drives.friction_of("j")
    assert (friction.viscous, friction.moving) == (0.5, (0.25, 0.25))
    assert back.drives.actuators[0].rotor.inertia == Fraction("0.125")
    body, frame = back.body_of[back.tool_link]
    assert body == -1
    assert apply(frame.rotation, (0, 0, 1)) == (0, 0, 1)
    assert frame.position == (0, 0, 1)


def test_gravity_of_the_earth_needs_no_extra_element():
    written = write_urdf(one_joint())
    assert "dalembert" not in written
    assert read_urdf(written, "made.urdf").gravity == EARTH


def test_springs_are_not_dropped_without_a_word():
    arm = one_joint().with_elastic(da.JointSpring("j", 3.0))
    with pytest.raises(ArmError, match=r"springs and dampers; take them off first \(without_elastic"):
        write_urdf(arm)


def test_names_that_xml_cannot_hold_are_refused_and_others_are_escaped():
    arm = from_dh([{"name": 'a<b>&"c"', "mass": 1, "inertia": (1, 1, 1)}])
    assert read_urdf(write_urdf(arm), "made.urdf").joint_names == ('a<b>&"c"',)
    with pytest.raises(ArmError, match="rename it"):
        write_urdf(from_dh([{"name": "a\x00", "mass": 1, "inertia": (1, 1, 1)}]))


@pytest.mark.parametrize("name", ["${1 + 1}", "a$(arg b)"])
def test_names_that_are_expressions_to_xacro_are_refused_where_they_are_written(name):
    """Whoever reads the file would work them out; plain dollars and braces are names like others."""
    with pytest.raises(ArmError, match=r"is an expression of xacro to readers of URDF"):
        write_urdf(from_dh([{"name": name, "mass": 1, "inertia": (1, 1, 1)}]))
    plain = name.replace("${", "$ {").replace("$(", "$ (")
    arm = from_dh([{"name": plain, "mass": 1, "inertia": (1, 1, 1)}])
    assert read_urdf(write_urdf(arm), "made.urdf").joint_names == (plain,)


def test_reading_gives_no_warning_for_a_real_arm():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_joint()


def test_a_joint_that_mimics_can_be_held_or_freed():
    follower = joint("j", "a", "b", '<axis xyz="0 0 1"/><mimic joint="k" multiplier="2" offset="0.5"/>')
    text = robot(A, B, follower)
    assert read_urdf(text, "arm.urdf", mimic="free").joint_names == ("j",)
    held = read_urdf(text, "arm.urdf", mimic="hold")
    assert held.joint_names == ()
    assert (
        held.joint("j").before.exact
        == read_urdf(text, "arm.urdf", mimic="free").locked({"j": 0.5}).joint("j").before.exact
    )
    with pytest.raises(ArmError, match="mimic can be refuse, hold, free, couple, not 'follow'"):
        read_urdf(text, "arm.urdf", mimic="follow")
    with pytest.raises(ArmError, match="joint 'j' follows joint 'k', which is not there"):
        read_urdf(text, "arm.urdf", mimic="couple")


def test_what_a_vendor_added_is_passed_over_and_named_once():
    extra = '<dynamics damping="1" D="2"/><limit velocity="1" gear_velocity="10"/>'
    text = robot(link("a", "<self_filter/>"), B, joint("j", "a", "b", extra))
    with pytest.warns(SkippedWarning, match="<self_filter>, D= of <dynamics>, gear_velocity= of <limit>") as caught:
        arm = read_urdf(text, "arm.urdf")
    assert len(caught) == 1
    assert arm.drives.friction_of("j").viscous == 1
    assert arm.joint("j").limits.velocity == 1


def test_an_arm_is_written_to_the_file_that_is_named(tmp_path):
    arm = da.load("planar-2r")
    for write, name in ((arm.write_urdf, "arm.urdf"), (arm.write_toml, "arm.toml"), (partial(_dh, arm), "rows.toml")):
        assert write(tmp_path / name) == write() == (tmp_path / name).read_text()
        assert da.load(tmp_path / name).n == 2


def _dh(arm, path=None):
    return arm.write_dh(path=path)


def test_limits_of_zero_are_kept_and_count_as_unknown_in_every_question():
    """Exports write effort="0" velocity="0" where nothing is known: that holds no joint still, nor takes its torque."""
    limits = '<limit lower="-1" upper="2" velocity="0" effort="0"/>', '<limit lower="-1" upper="2"/>'
    zero, none = (da.Arm.of(one_joint(limit)) for limit in limits)
    assert zero.joints[0].limits == da.Limits(-1, 2, 0, 0)
    for system, other in ((zero, none), (zero.driven, none.driven)):
        assert np.isinf([*system.velocity_limits, *system.effort_limits]).all()
        asked, of_other = system.analysis(), other.analysis()
        assert [t.largest for t in asked.significance()] == [t.largest for t in of_other.significance()]
        path = da.quintic([[0.0], [1.0]], 1.0)
        assert system.requirements(path).first_limit == other.requirements(path).first_limit
        held = [s.simulate(da.ComputedTorque(s, path), [0.0], duration=1.0).q for s in (system, other)]
        assert np.array_equal(*held)
