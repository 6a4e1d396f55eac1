"""MJCF in: what is read, what is kept, what is refused and in which words.

That the numbers mean what MuJoCo takes them to mean is asserted in ``tests/test_against_mujoco.py``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import EARTH, ArmDescription
from dalembert.arm.errors import ArmError, PhysicalWarning, SkippedWarning
from dalembert.arm.io.mjcf import read_mjcf
from dalembert.arm.io.omissions import KINDS
from dalembert.arm.placement import Placement

INERTIAL = '<inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>'


def model(*bodies: str, head: str = "", angle: str = "radian") -> str:
    return f'<mujoco model="m"><compiler angle="{angle}"/>{head}<worldbody>{"".join(bodies)}</worldbody></mujoco>'


def body(name: str, inside: str = "<joint/>", inertial: str = INERTIAL, attributes: str = "") -> str:
    return f'<body name="{name}" {attributes}>{inside}{inertial}</body>'


def read(*bodies: str, head: str = "", angle: str = "radian") -> ArmDescription:
    return read_mjcf(model(*bodies, head=head, angle=angle), "arm.xml")


def direction(arm: ArmDescription, which: int = 0) -> np.ndarray:
    """Direction of a joint's motion in the axes of the link that follows."""
    return np.array(arm.joints[which].after.rotation[2], float)


# -- what is read -------------------------------------------------------------------------------


def test_bodies_hinges_slides_and_inertials_make_an_arm():
    arm = read(
        body(
            "a",
            '<joint name="j"/>' + body("b", '<joint name="k" type="slide" axis="1 0 0"/>', attributes='pos="0 0 0.4"'),
        )
    )
    assert arm.link_names == ("world", "a", "b")
    assert [(joint.name, joint.kind, joint.parent) for joint in arm.joints] == [
        ("j", "revolute", "world"), ("k", "prismatic", "a"),
    ]  # fmt: skip
    assert arm.links[1].inertia.com == (Fraction(1, 10), 0, 0)
    assert arm.joints[1].before.position == (0, 0, Fraction(4, 10))
    assert direction(arm, 1).tolist() == [1, 0, 0]
    assert arm.gravity == EARTH


def test_a_body_without_joint_is_fixed_to_its_parent_with_its_mass():
    arm = read(body("a", '<joint name="j"/>' + body("b", "")))
    assert arm.n == 1
    assert arm.bodies[0].inertia.mass == 4


def test_several_joints_of_one_body_have_massless_links_between_them():
    arm = read(body("a", '<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z"/>'))
    assert arm.joint_names == ("x", "y", "z")
    assert [bool(each.inertia) for each in arm.bodies] == [False, False, True]
    assert arm.link_names[-1] == "a"


def test_things_without_names_get_names_that_nothing_else_has():
    arm = read(body("body2", '<joint name="joint2"/>' + f"<body><joint/>{INERTIAL}</body>"))
    assert len(set(arm.link_names)) == 3
    assert len(set(arm.joint_names)) == 2


@pytest.mark.parametrize(
    ("given", "rpy"),
    [
        ('quat="0.70710678 0.70710678 0 0"', (math.pi / 2, 0, 0)),
        ('quat="3 0 0 4"', (0, 0, 2 * math.atan2(4, 3))),
        ('axisangle="0 -2 0 0.5"', (0, -0.5, 0)),
        ('xyaxes="0 1 0 -1 0 0"', (0, 0, math.pi / 2)),
        ('xyaxes="0 2 0 -1 5 0"', (0, 0, math.pi / 2)),
        ('zaxis="0 -3 0"', (math.pi / 2, 0, 0)),
        ('euler="0.1 0 0"', (0.1, 0, 0)),
    ],
)
def test_orientations_are_read_in_every_form(given: str, rpy: tuple[float, float, float]):
    turn = read(body("a", attributes=given)).joints[0].before.rotation
    np.testing.assert_allclose(
        np.array(turn, float), np.array(Placement.from_xyz_rpy((0, 0, 0), rpy).rotation, float), atol=2e-15
    )


def test_quarter_turns_are_exact_in_every_form():
    forms = ('quat="1 1 0 0"', 'axisangle="1 0 0 90"', 'xyaxes="1 0 0 0 0 1"', 'zaxis="0 -1 0"', 'euler="90 0 0"')
    turns = {read(body("a", attributes=given), angle="degree").joints[0].before.rotation for given in forms}
    assert turns == {((1, 0, 0), (0, 0, -1), (0, 1, 0))}


def test_euler_sequences_turn_about_moved_axes_in_small_letters_and_about_fixed_ones_in_capitals():
    small = read(body("a", attributes='euler="0.1 0.2 0.3"'), head='<compiler eulerseq="zyx"/>')
    capital = read(body("a", attributes='euler="0.3 0.2 0.1"'), head='<compiler eulerseq="XYZ"/>')
    assert small.joints[0].before.exact == capital.joints[0].before.exact
    assert small.joints[0].before.exact == Placement.from_xyz_rpy(rpy=("0.3", "0.2", "0.1")).exact


def test_angles_are_in_degrees_unless_the_file_says_radian():
    text = '<joint range="-90 180" ref="90" stiffness="2" springref="45"/>'
    arm = read(body("a", text), angle="degree")
    assert arm.joints[0].limits == da.Limits(-math.pi / 2, math.pi)
    assert arm.elastic == (da.JointSpring(arm.joint_names[0], 2.0, math.pi / 4),)
    assert arm.joints[0].after.rotation == Placement.from_xyz_rpy(rpy=(0, 0, -math.pi / 2)).rotation
    slide = read(body("a", '<joint type="slide" range="-90 180"/>'), angle="degree")
    assert slide.joints[0].limits == da.Limits(-90, 180)


def test_the_position_of_a_joint_is_where_its_ref_says():
    arm = read(body("a", '<joint type="slide" axis="1 0 0" ref="0.25"/>'))
    whole = arm.joints[0].before @ arm.joints[0].after
    assert whole.position == (Fraction(-1, 4), 0, 0)


def test_losses_armature_and_effort_are_kept():
    arm = read(body("a", '<joint damping="0.5" frictionloss="0.25" armature="0.125" actuatorfrcrange="-3 4"/>'))
    friction = arm.drives.friction_of(arm.joint_names[0])
    assert (friction.viscous, friction.moving, arm.moving[0].limits.effort) == (0.5, (0.25, 0.25), 3.0)
    assert arm.drives.actuators[0].rotor.inertia == Fraction(1, 8)


def test_limits_follow_limited_and_autolimits():
    assert read(body("a", '<joint range="-1 1" limited="false"/>')).joints[0].limits == da.Limits()
    explicit = '<compiler autolimits="false"/>'
    assert read(body("a", '<joint range="-1 1" limited="true"/>'), head=explicit).joints[0].limits == da.Limits(-1, 1)
    with pytest.raises(ArmError, match="joint 'j': has range but not limited"):
        read(body("a", '<joint name="j" range="-1 1"/>'), head=explicit)


def test_default_classes_are_inherited_overridden_and_chosen_by_childclass():
    head = (
        '<default><joint damping="1" armature="0.5"/><default class="outer"><joint axis="1 0 0"/>'
        '<default class="inner"><joint damping="2" type="slide"/></default></default></default>'
    )
    arm = read(
        body("a", "<joint/>"),
        body("b", "<joint/>", attributes='childclass="inner"'),
        body("c", '<joint class="outer" damping="3"/>', attributes='childclass="inner"'),
        f'<frame childclass="outer">{body("d", "<joint/>")}</frame>',
        head=head,
    )
    assert [(joint.kind, arm.drives.friction_of(joint.name).viscous) for joint in arm.joints] == [
        ("revolute", 1), ("prismatic", 2), ("revolute", 3), ("revolute", 1),
    ]  # fmt: skip
    assert [motor.rotor.inertia for motor in arm.drives.actuators] == [Fraction(1, 2)] * 4
    assert [direction(arm, i).tolist() for i in range(4)] == [[0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_a_frame_moves_bodies_joints_and_inertials_inside_it():
    inside = f'<frame pos="0 0 1" euler="0 1.5707963267948966 0"><joint/>{INERTIAL}</frame>'
    arm = read(f'<frame pos="1 0 0"><frame pos="1 0 0">{body("a", inside, "")}</frame></frame>')
    assert (arm.joints[0].before @ arm.joints[0].after).exact == Placement.from_xyz_rpy((2, 0, 0)).exact
    assert direction(arm).tolist() == [1, 0, 0]
    assert arm.links[1].inertia.com == (0, 0, Fraction(9, 10))


def test_gravity_comes_from_the_option():
    assert read(body("a"), head='<option gravity="0 0 -1.62"/>').gravity == (0, 0, Fraction(-162, 100))
    assert read(body("a"), head='<option><flag gravity="disable"/></option>').gravity == (0, 0, 0)


def test_full_inertia_has_the_order_of_the_format():
    arm = read(body("a", "<joint/>", '<inertial pos="0 0 0" mass="1" fullinertia="1 1.1 1.2 0.1 0.2 0.3"/>'))
    assert arm.links[1].inertia.tensor == tuple(
        tuple(Fraction(x) for x in row) for row in (("1", "0.1", "0.2"), ("0.1", "1.1", "0.3"), ("0.2", "0.3", "1.2"))
    )


def test_geoms_beside_an_inertial_and_geoms_without_mass_do_not_matter():
    geoms = '<geom size="0.1"/><geom type="mesh" mesh="part"/>'
    head = '<asset><mesh file="parts/part.obj"/></asset>'
    arm = read(body("a", "<joint/>" + geoms), head=head)
    assert arm.links[1].inertia.mass == 2
    assert arm.links[1].meshes == ("parts/part.obj",)
    head = '<compiler inertiagrouprange="0 1"/><default><default class="seen"><geom density="0"/></default></default>'
    weightless = '<geom size="1" mass="0"/><geom size="1" class="seen"/><geom size="1" group="2"/><site/>'
    assert read(body("a", "<joint/>" + body("b", "<joint/>" + weightless, "")), head=head).bodies[1].inertia.mass == 0


def test_shapes_that_stand_still_need_no_inertial():
    arm = read(body("table", '<geom size="1"/>', ""), '<geom type="plane" size="1 1 1"/>', body("a"))
    assert arm.n == 1


def test_actuators_sensors_and_idle_sections_are_passed_over():
    head = '<actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor><contact/><keyframe/>'
    head += '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    head += '<equality><joint joint1="j" active="false"/></equality>'
    assert read(body("a", '<joint name="j"/>'), head=head).n == 1


def test_unreal_inertias_warn_and_are_used_as_given():
    with pytest.warns(PhysicalWarning, match=r"arm\.xml.*link 'a'"):
        read(body("a", "<joint/>", '<inertial pos="0 0 0" mass="1" diaginertia="1 0.1 0.1"/>'))


# -- what is refused ----------------------------------------------------------------------------

PLAIN = body("a")
TIED = '<equality><joint joint1="j" joint2="k"/></equality>'
REFUSED = {
    "free": (model(body("a", "<freejoint/>")), "body 'a': <freejoint> is not read: a free body"),
    "free joint": (model(body("a", '<joint name="j" type="free"/>')), "joint 'j': is a free joint.*slides and hinges"),
    "ball": (model(body("a", '<joint name="j" type="ball"/>')), "joint 'j': is a ball joint.*three hinges"),
    "density": (model(body("a", '<joint/><geom size="1" density="-1"/>', "")), "body 'a': geom number 1: density"),
    "no size": (model(body("a", '<joint/><geom name="g" type="box" size="1 1"/>', "")), "geom g: a box needs 3"),
    "field": (model(body("a", '<joint/><geom type="hfield" hfield="h"/>', "")), "type hfield.*give the body"),
    "fitted": (model(body("a", '<joint/><geom type="box" mesh="m"/>', "")), "fits a box to a mesh"),
    "thin ellipsoid": (
        model(body("a", '<joint/><geom type="ellipsoid" size="1 1 2" shellinertia="true"/>', "")), "shell of an",
    ),
    "no mesh": (model(body("a", '<joint/><geom type="mesh" mesh="m"/>', "")), "names mesh 'm', which is not there"),
    "mesh of a text": (
        model(body("a", '<joint/><geom type="mesh" mesh="m"/>', ""), head='<asset><mesh file="m.stl"/></asset>'),
        "mesh 'm': is in a file, and a text has no folder",
    ),
    "connect": (model(PLAIN, head='<equality><connect body1="a" body2="b"/></equality>'), "ties a, b together"),
    "weld": (model(PLAIN, head='<equality><weld body1="a"/></equality>'), "ties a together"),
    "include": ('<mujoco><include file="x.xml"/></mujoco>', "includes 'x.xml', and a text has no folder"),
    "include in body": (model(body("a", '<include file="y.xml"/>')), "includes 'y.xml'"),
    "composite": (model(body("a", "<composite/>")), "<composite> is not read"),
    "replicate": (model("<replicate/>"), "<replicate> is not read.*mj_saveLastXML"),
    "plugin": (model(body("a", "<plugin/>")), "<plugin> is not read"),
    "typing error": (model(body("a", "<jiont/>")), "<jiont> is not read: it is not known"),
    "unknown attribute": (model(body("a", '<joint name="j" dampin="1"/>')), "joint 'j': unknown attribute 'dampin'"),
    "unknown section": ("<mujoco><worldbdy/></mujoco>", "<worldbdy> is not read here"),
    "unknown option": (model(PLAIN, head='<option gravty="0 0 0"/>'), "unknown attribute 'gravty'"),
    "gravcomp": (model(body("a", attributes='gravcomp="1"')), "body 'a': gravcomp"),
    "mocap": (model(body("a", "", attributes='mocap="true"')), "body 'a': is moved from outside"),
    "fluid": (model(PLAIN, head='<option viscosity="0.1"/>'), "viscosity puts the arm into a fluid"),
    "flag": (model(PLAIN, head='<option><flag spring="disable"/></option>'), "spring='disable'"),
    "mimic": (
        model(body("a", '<joint name="j"/><joint name="k"/>'), head=TIED),
        "joint 'j': mimics joint 'k'.*mimic=\"hold\"",
    ),
    "mimic of nothing": (
        model(PLAIN, head='<equality><joint joint1="j"/></equality>'), "names joint 'j', which is not there",
    ),
    "global": (model(PLAIN, head='<compiler coordinate="global"/>'), "global coordinates"),
    "angle": (model(PLAIN, angle="grad"), "angle is 'grad'; it can be degree, radian"),
    "eulerseq": (model(PLAIN, head='<compiler eulerseq="xy"/>'), "eulerseq is 'xy'"),
    "two orientations": (model(body("a", attributes='quat="1 0 0 0" euler="0 0 0"')), "twice, by quat and euler"),
    "zero quat": (model(body("a", attributes='quat="0 0 0 0"')), "body 'a': quat is zero"),
    "zero axis": (model(body("a", '<joint name="j" axis="0 0 0"/>')), "joint 'j': axis is zero"),
    "flat axes": (model(body("a", attributes='xyaxes="1 2 3 2 4 6"')), "parallel"),
    "short pos": (model(body("a", attributes='pos="0 0"')), "pos must be 3 numbers"),
    "nan": (model(body("a", attributes='pos="0 0 NaN"')), "pos must be finite"),
    "two inertials": (model(body("a", "<joint/>", INERTIAL * 2)), "body 'a': has 2 <inertial>"),
    "no mass": (model(body("a", "", '<inertial pos="0 0 0" diaginertia="1 1 1"/>')), "has no 'mass'"),
    "no moments": (model(body("a", "", '<inertial pos="0 0 0" mass="1"/>')), "neither diaginertia nor fullinertia"),
    "both moments": (
        model(body("a", "", '<inertial mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>')), "both given",
    ),
    "turned full": (
        model(body("a", "", '<inertial mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/>')), "takes no orientation",
    ),
    "joint in world": (model("<joint/>"), "the world does not move"),
    "same names": (model(PLAIN, PLAIN), "two links are named 'a'"),
    "called world": (model(body("world")), "two links are named 'world'"),
    "no class": (model(body("a", '<joint class="c"/>')), "names class 'c', which is not there; the classes are main"),
    "no childclass": (model(body("a", attributes='childclass="c"')), "body 'a': names class 'c'"),
    "class twice": (model(head='<default><default class="c"/><default class="c"/></default>'), "two classes"),
    "nameless class": (model(head="<default><default/></default>"), "needs a name"),
    "spring damper": (model(body("a", '<joint springdamper="1 1"/>')), "springdamper"),
    "polynomial": (model(body("a", '<joint name="j" damping="1 0 2"/>')), "joint 'j': damping has more than one"),
    "negative": (model(body("a", '<joint stiffness="-1"/>')), "stiffness is negative"),
    "range": (model(body("a", '<joint name="j" range="1 -1"/>')), "joint 'j': range runs from 1 to -1"),
    "tendon": (model(PLAIN, head='<tendon><fixed stiffness="1"/></tendon>'), "stiffness lets the tendon act"),
    "actuator": (model(PLAIN, head='<actuator><motor armature="1"/></actuator>'), "armature of an actuator"),
    "flex": (model(PLAIN, head="<deformable><flex/></deformable>"), "flexible bodies"),
    "urdf": ("<robot/>", "is not MJCF.*load it as URDF"),
    "part": ("<mujocoinclude/>", "is not MJCF.*part for other files"),
    "deep": (model("<body>" * 300), "deep"),
    "entities": ('<!DOCTYPE m [<!ENTITY e "x">]><mujoco/>', "document type"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_arm_is_refused_in_words_that_name_file_and_culprit(case: str):
    text, words = REFUSED[case]
    with pytest.raises(ArmError, match=words) as caught:
        read_mjcf(text, "arm.xml")
    assert str(caught.value).startswith("arm.xml: ")


# -- what is left out on request, and joints that follow others ---------------------------------------

LEFT_OUT = {
    "mocap": model(body("a"), '<body name="m" mocap="true"/>'),
    "gravcomp": model(body("a", attributes='gravcomp="1"')),
    "fluid": model(PLAIN, head='<option density="1.2"/>'),
    "tendon": model(PLAIN, head='<tendon><fixed name="t" stiffness="1"/></tendon>'),
    "actuator": model(PLAIN, head='<actuator><motor armature="1"/></actuator>'),
    "equality": model(PLAIN, head='<equality><connect body1="a" body2="b"/></equality>'),
    "flex": model(PLAIN, head="<deformable><flex/></deformable>"),
    "plugin": model(body("a", "<joint/><plugin/>")),
    "contact": model(PLAIN, head='<contact><pair geom1="g" geom2="h"/></contact>'),
}


def test_everything_that_can_be_left_out_is_walked():
    assert set(LEFT_OUT) == set(KINDS)


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_what_an_arm_does_not_have_is_left_out_when_asked_with_one_warning(kind: str):
    if kind != "contact":
        with pytest.raises(ArmError, match=f'skip=\\["{kind}"\\]'):
            read_mjcf(LEFT_OUT[kind], "arm.xml")
    with pytest.warns(SkippedWarning, match=f"arm.xml: left out as asked: {kind}: ") as caught:
        arm = read_mjcf(LEFT_OUT[kind], "arm.xml", skip=[kind])
    assert len(caught) == 1
    assert arm.bodies == read(PLAIN).bodies


def test_what_cannot_be_left_out_is_refused():
    with pytest.raises(ArmError, match="skip cannot name 'gravity'; what can be left out is actuator, contact"):
        read_mjcf(model(PLAIN), "arm.xml", skip=["gravity"])


def test_a_joint_that_an_equality_ties_to_another_is_held_where_the_other_is_at_zero():
    joints = '<joint name="j" ref="0.5" stiffness="1" damping="1"/><joint name="k" ref="2"/>'
    head = '<equality><joint joint1="j" joint2="k" polycoef="0.25 3 0.5 0 0"/></equality>'
    text = model(body("a", joints), head=head)
    free = read_mjcf(text, "arm.xml", mimic="free")
    assert free.joint_names == ("j", "k")
    held = read_mjcf(text, "arm.xml", mimic="hold")
    # j - 0.5 = 0.25 + 3 (k - 2) + 0.5 (k - 2)^2 at k = 0.
    assert held.joint_names == ("k",)
    assert held.elastic == ()
    assert held.joints[0].before.exact == free.locked({"j": 0.5 + 0.25 - 6 + 2}).joints[0].before.exact


# -- shapes, bounds, files ----------------------------------------------------------------------------


def test_a_box_of_given_mass_has_its_inertia_exactly():
    arm = read(body("a", '<joint/><geom type="box" size="0.1 0.2 0.3" mass="3" pos="0.5 0 0"/>', ""))
    assert arm.links[1].inertia.central == tuple(
        tuple(Fraction(x) if i == j else 0 for j in range(3)) for i, x in enumerate(("0.13", "0.1", "0.05"))
    )
    assert arm.links[1].inertia.com == (Fraction(1, 2), 0, 0)


def test_least_masses_and_balanced_moments_are_exact():
    head = '<compiler boundmass="3" boundinertia="0.2" balanceinertia="true" settotalmass="12"/>'
    small = '<inertial pos="0.1 0 0" mass="2" diaginertia="0.3 0.1 1"/>'
    arm = read(body("a", "<joint/>", small), body("b", "<joint/>", ""), head=head)
    first, second = arm.links[1].inertia, arm.links[2].inertia
    # mass 3 each, scaled to 6; moments 0.3, 0.2, 1 break A + B >= C and become 0.5 each, scaled to 1.
    assert (first.mass, second.mass) == (6, 6)
    assert first.com == (Fraction(1, 10), 0, 0)
    assert first.central == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert second.central == tuple(tuple(Fraction(2, 5) if i == j else 0 for j in range(3)) for i in range(3))


def test_included_files_are_looked_for_beside_the_main_file_and_beside_their_own(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "more.xml").write_text(f"<mujocoinclude>{INERTIAL}</mujocoinclude>")
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujoco><worldbody><body name="a"><joint name="j"/><include file="more.xml"/></body></worldbody></mujoco>'
    )
    main = '<mujoco model="main"><include file="parts/arm.xml"/></mujoco>'
    arm = read_mjcf(main, "main.xml", folder=tmp_path)
    assert (arm.name, arm.joint_names, arm.bodies[0].inertia.mass) == ("main", ("j",), 2)
    for text, said in (
        (main.replace("parts/arm", "parts/leg"), "main.xml: <include>: 'parts/leg.xml' is not there"),
        (main.replace("</mujoco>", '<include file="parts/arm.xml"/></mujoco>'), "is included twice"),
    ):
        with pytest.raises(ArmError, match=said):
            read_mjcf(text, "main.xml", folder=tmp_path)


def test_the_gear_of_the_one_actuator_of_a_joint_is_its_ratio():
    head = '<actuator><motor joint="j" gear="50"/><motor joint="k" gear="2"/><motor joint="k" gear="3"/></actuator>'
    arm = read(body("a", '<joint name="j" armature="0.5"/><joint name="k"/>'), head=head)
    assert [dict(motor.ratios) for motor in arm.drives.actuators] == [{"j": 50}, {"k": 1}]
    assert arm.drives.actuators[0].rotor.inertia == Fraction(1, 5000)
