"""Any serial arm as Denavit-Hartenberg rows: the same arm, and the rows people would write."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription, Joint, Link
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia
from dalembert.arm.io.dh import DHRow, from_dh
from dalembert.arm.io.dh_of_arm import to_dh
from dalembert.arm.io.urdf import read_urdf, write_urdf
from dalembert.arm.placement import Placement
from random_arms import random_arm, random_state

CONVENTIONS = ("standard", "modified")
BODY = {"mass": 2, "com": ("0.1", "0.02", "-0.03"), "inertia": ("0.1", "0.12", "0.15")}
PUMA_LIKE = [
    {"d": "0.67", "alpha": math.pi / 2, **BODY},
    {"a": "0.4318", **BODY},
    {"a": "0.0203", "d": "0.15005", "alpha": -math.pi / 2, **BODY},
    {"d": "0.4318", "alpha": math.pi / 2, "theta": "0.3", **BODY},
    {"alpha": -math.pi / 2, "type": "prismatic", "d": "0.2", **BODY},
    {"alpha": "0.4", "a": "0.1", "d": "0.05", **BODY},
]


def numbers(row: DHRow) -> tuple[object, ...]:
    """What a row says of the geometry, with angles as points of the circle."""
    return row.a, row.alpha.cos, row.alpha.sin, row.d, row.theta.cos, row.theta.sin  # type: ignore[attr-defined]


def given(row: dict[str, object]) -> tuple[object, ...]:
    angles = {key: da.Angle.of(row.get(key, 0)) for key in ("alpha", "theta")}
    lengths = {key: Fraction(str(row.get(key, 0))) for key in ("a", "d")}
    return numbers(DHRow(**angles, **lengths))


def turned_by(axis_tilt: str) -> ArmDescription:
    """Two joints whose axes are this far (rad) from parallel, 0.4 m apart."""
    text = '<robot name="r"><link name="a"/>'
    for name in ("b", "c"):
        inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
        text += f'<link name="{name}"><inertial>{inertia}</inertial></link>'
    joint = (
        '<joint name="{0}{1}" type="continuous"><axis xyz="0 0 1"/><parent link="{0}"/><child link="{1}"/>{2}</joint>'
    )
    text += joint.format("a", "b", "") + joint.format("b", "c", f'<origin xyz="0.4 0 0" rpy="0 {axis_tilt} 0"/>')
    return read_urdf(text + "</robot>", "r.urdf")


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_rows_of_an_arm_made_of_rows_are_those_rows_exactly(convention: str):
    rows = [dict(row) for row in PUMA_LIKE]
    if convention == "modified":
        rows[0] |= {"alpha": 0, "a": 0}
    arm = from_dh(rows, convention)
    form = to_dh(arm, convention)
    assert [numbers(row) for row in form.rows] == [given(row) for row in rows]
    assert [row.body for row in form.rows] == [body.inertia for body in arm.bodies]
    assert form.base.is_identity()
    assert form.tool.is_identity()
    assert (form.turned, form.shifted) == (0, 0)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(10))
def test_rows_keep_the_motion_and_the_dynamics_of_any_serial_arm(seed: int, convention: str):
    arm = da.Arm.of(random_arm(seed, 1 + seed % 7))
    made = da.Arm.of(to_dh(arm, convention).arm(gravity=arm.gravity, physical="error"))
    assert made.joint_names == arm.joint_names
    assert [joint.limits for joint in made.moving] == [joint.limits for joint in arm.moving]
    q, qd, qdd = random_state(random.Random(seed), arm)

    def close(a: np.ndarray, b: np.ndarray) -> None:
        assert np.abs(a - b).max() <= 1e-12 * max(1.0, np.abs(a).max())

    close(arm.forward_kinematics(q), made.forward_kinematics(q))
    close(arm.mass_matrix(q), made.mass_matrix(q))
    close(arm.gravity_load(q), made.gravity_load(q))
    close(arm.coriolis_matrix(q, qd), made.coriolis_matrix(q, qd))
    close(arm.inverse_dynamics(q, qd, qdd), made.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize("name", da.catalog())
def test_every_arm_of_the_catalog_survives_urdf_and_rows(name: str):
    arm = da.load(name, physical="ignore")
    q = np.linspace(0.1, 0.9, arm.n)
    tau = arm.inverse_dynamics(q, 1 - q, 2 * q)
    by_urdf = da.Arm.of(read_urdf(write_urdf(arm), "made.urdf", physical="ignore"))
    np.testing.assert_allclose(by_urdf.inverse_dynamics(q, 1 - q, 2 * q), tau, atol=1e-13 * np.abs(tau).max())
    for convention in CONVENTIONS:
        by_rows = da.Arm.of(to_dh(arm, convention).arm(gravity=arm.gravity, physical="ignore"))
        np.testing.assert_allclose(by_rows.inverse_dynamics(q, 1 - q, 2 * q), tau, atol=1e-13 * np.abs(tau).max())


def test_both_conventions_hold_the_same_lengths_and_angles():
    arm = random_arm(5, 5, fixed=0)
    standard, modified = to_dh(arm).rows, to_dh(arm, "modified").rows
    assert [(row.d, row.theta) for row in standard] == [(row.d, row.theta) for row in modified]
    assert [(row.a, row.alpha) for row in standard[:-1]] == [(row.a, row.alpha) for row in modified[1:]]


def test_of_two_normals_the_one_that_turns_least_is_taken():
    for seed in range(20):
        for row in to_dh(random_arm(seed, 4)).rows:
            if row.a or row.alpha.sin:  # type: ignore[attr-defined]
                assert row.theta.cos >= -1e-12  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_coincident_axes_need_no_normal(kind: str):
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    before = Placement.from_xyz_rpy((0, 0, "0.5"), (math.pi, 0, "0.3"))
    arm = ArmDescription(
        "a", (Link("base"), Link("l1", body), Link("l2", body)),
        (Joint("j1", "revolute", "base", "l1"), Joint("j2", kind, "l1", "l2", before)),  # type: ignore[arg-type]
    )  # fmt: skip
    row = to_dh(arm).rows[0]
    assert (row.a, row.d, row.alpha) == (0, Fraction(1, 2), da.Angle.quarters(2))


def test_a_load_becomes_part_of_the_last_link_and_springs_keep_their_points():
    arm = random_arm(8, 3)
    last = arm.bodies[-1].joint.child
    spring = da.PointSpring(arm.base, (0.1, 0.2, 0.3), last, (0.0, 0.1, 0.0), 50.0)
    arm = arm.holding(da.Load(1.5, (0, 0, 0.1), (0.1, 0.1, 0.1))).with_elastic(
        spring, da.JointSpring(arm.joint_names[0], 2.0)
    )
    first = da.Arm.of(arm)
    second = da.Arm.of(to_dh(arm).arm(gravity=arm.gravity))
    q, qd, qdd = random_state(random.Random(1), arm)
    np.testing.assert_allclose(first.inverse_dynamics(q, qd, qdd), second.inverse_dynamics(q, qd, qdd), rtol=1e-11)


def test_a_moving_link_called_base_is_given_another_name():
    body = Inertia.of(1, (0, 0, 0), (1, 1, 1))
    arm = ArmDescription("a", (Link("floor"), Link("base", body)), (Joint("j", "revolute", "floor", "base"),))
    assert to_dh(arm).arm().link_names == ("base", "base_link")


def test_a_tree_is_refused_and_the_branching_link_named():
    text = '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
    for name, parent, child in (("j", "a", "b"), ("left", "b", "c"), ("right", "b", "d")):
        text += f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
    arm = read_urdf(text + "</robot>", "tree.urdf")
    with pytest.raises(ArmError, match=r"tree\.urdf: .*link 'b' carries joints 'left', 'right'.*subarm"):
        to_dh(arm)


def test_an_arm_that_does_not_move_and_an_unknown_convention_are_refused():
    with pytest.raises(ArmError, match="no moving joint"):
        to_dh(ArmDescription("a", (Link("base"),), ()))
    with pytest.raises(ArmError, match="'craig'"):
        to_dh(random_arm(1, 1), "craig")


def test_a_tool_that_is_not_on_the_last_link_is_refused():
    arm = random_arm(2, 3, fixed=0)
    with pytest.raises(ArmError, match="tool stands on link 'link1'"):
        to_dh(arm.with_tool(Placement(), "link1"))


def test_axes_a_hair_from_parallel_are_made_parallel_and_the_form_says_by_how_much():
    form = to_dh(turned_by("2e-10"))
    assert (form.rows[0].alpha, form.rows[0].a) == (da.Angle.quarters(0), Fraction(4, 10))
    assert form.turned == pytest.approx(2e-10)
    assert to_dh(turned_by("0")).turned == 0


def test_axes_too_near_to_parallel_for_rows_are_refused_with_the_remedy():
    with pytest.raises(ArmError, match=r"4e-06 rad from parallel.*tolerance=8e-06"):
        to_dh(turned_by("4e-6"))
    assert to_dh(turned_by("4e-6"), tolerance=8e-6).turned == pytest.approx(4e-6)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_shapes_stand_where_they_stood(convention: str) -> None:
    """Frames of links move; what the links look like, those behind fixed joints and the base included, does not."""
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    shape = (
        '<visual><origin xyz="0.1 {0} 0.3" rpy="0.2 0.{0} 0.4"/><geometry><sphere radius="{0}"/></geometry></visual>'
    )
    links = "".join(
        f'<link name="{n}">{body if n != "a" else ""}{shape.format(k)}</link>' for k, n in enumerate("abcd", 1)
    )
    placed = '<origin xyz="0.3 0.1 -0.2" rpy="0.3 0.5 -0.7"/><axis xyz="0 0.6 0.8"/>'
    joints = "".join(
        f'<joint name="{a}{b}" type="{kind}">{placed}<parent link="{a}"/><child link="{b}"/></joint>'
        for a, b, kind in (("a", "b", "continuous"), ("b", "c", "continuous"), ("c", "d", "fixed"))
    )
    arm = da.load(f'<robot name="r">{links}{joints}</robot>')
    rows = da.load(arm.write_dh(convention))

    def seen(one: da.Arm) -> dict[float, np.ndarray]:
        found = {}
        for link in one.links:
            body, frame = one.body_of[link.name]
            at = np.eye(4) if body < 0 else np.asarray(one.forward_kinematics([0.4, -0.9], link.name))
            at = at if body >= 0 else homogeneous(frame)
            found |= {shape.size[0]: at @ homogeneous(shape.placement) for shape in link.shapes}
        return found

    def homogeneous(placement: Placement) -> np.ndarray:
        found = np.eye(4)
        found[:3, :3], found[:3, 3] = np.array(placement.rotation, float), np.array(placement.position, float)
        return found

    before, after = seen(arm), seen(rows)
    assert list(before) == list(after) == [1, 2, 3, 4]
    for size, pose in before.items():
        assert after[size] == pytest.approx(pose, abs=1e-12)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_motors_stand_by_joints_that_were_locked(convention: str) -> None:
    arm = da.load("irb6").locked({"joint3": 0.4})
    q = np.array([0.1, 0.2, 0.3, 0.4])
    form = arm.to_dh(convention).arm()
    for found in (form, da.load(arm.write_dh(convention)), form.to_dh(convention).arm()):  # type: ignore[attr-defined]
        np.testing.assert_allclose(found.driven.motor_positions(q), arm.driven.motor_positions(q), rtol=1e-12)
        np.testing.assert_allclose(found.forward_kinematics(q), arm.forward_kinematics(q), atol=1e-12)
        np.testing.assert_allclose(found.driven.gravity_load(q), arm.driven.gravity_load(q), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_drives_that_name_a_joint_locked_at_zero_are_written_and_read(convention: str) -> None:
    arm = da.load("puma560", physical="ignore")
    wheel = da.Element.of("wheel", {"joint1": 3, "joint6": 5}, da.Rotor.of("0.002", "link2"))
    arm = replace(arm, drives=replace(arm.drives, elements=(wheel,)))
    for locked in ({"joint4": 0}, {"joint6": 0}, {"joint6": 0.3}):
        driven = arm.locked(locked).driven
        back = da.load(driven.write_dh(convention), physical="ignore").driven
        q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 5))
        torque = driven.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(back.inverse_dynamics(q, qd, qdd), torque, atol=1e-11 * np.abs(torque).max())
        np.testing.assert_allclose(back.motor_positions(q), driven.motor_positions(q), rtol=1e-12)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_rotor_that_no_link_counts_weighs_once_in_the_rows(convention: str) -> None:
    """Energies of an arm with drives are those of its rows, where rotors have a mass of their own."""
    arm = da.load("irb6")
    at = arm.links[2].name, ("0.6", 0, "0.8"), (0.1, 0.2, 0.3)
    wheel = da.Element.of("wheel", {"joint3": 30}, da.Rotor.of("0.02", *at, mass=4, across="0.03", counted=False))
    driven = arm.with_drives(da.DriveTrain(arm.drives.actuators, (wheel,)))
    q, qd = np.random.default_rng(0).uniform(-1, 1, (2, arm.n))
    for rows in (driven.to_dh(convention).arm(), da.load(driven.write_dh(convention)).driven):  # type: ignore[attr-defined]
        assert rows.mass == pytest.approx(driven.mass, rel=1e-12)
        assert rows.kinetic_energy(q, qd) == pytest.approx(driven.kinetic_energy(q, qd), rel=1e-10)  # type: ignore[attr-defined]
        np.testing.assert_allclose(rows.gravity_load(q), driven.gravity_load(q), rtol=1e-9, atol=1e-9)


def test_numbers_that_are_longer_than_a_file_may_have_are_written_rounded() -> None:
    arm = da.load("planar-2r")
    long = Fraction(10**450 + 1, 3 * 10**450 + 7)
    last = replace(arm.links[-1], inertia=Inertia.of(1, (0, 0, 0), (long, long, long)))
    found = da.load(replace(arm, links=(*arm.links[:-1], last)).write_toml())
    assert abs(found.links[-1].inertia.tensor[0][0] - long) < Fraction(1, 10**59)
