"""An arm is a tree of links that never changes; what is derived from it is a new arm."""

import warnings

import numpy as np
import pytest
from hypothesis import given

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from laws import EPS, arms, moving_arms, rounding, torque_scale

BOX = da.Load.of(da.Inertia.box(1.8, (0.1, 0.2, 0.3)), com=(0.05, 0, 0.1))
ROWS = [{"a": 0.5, "mass": 2, "com": (-0.2, 0, 0), "inertia": (0.1, 0.1, 0.1)}] * 3


@given(moving_arms(largest=6))
def test_a_load_can_be_put_on_replaced_and_taken_off(case):
    arm, _q, _qd, _qdd = case
    held = arm.holding(BOX)
    carried = 1.8 if arm.body_of[arm.tool_link][0] >= 0 else 0.0  # a tool that stands with the base moves no mass
    assert held.parameters[0::10].sum() == pytest.approx(arm.parameters[0::10].sum() + carried)
    assert held.holding(da.Load(mass=1)).bodies == arm.holding(da.Load(mass=1)).bodies
    assert held.holding(None) == arm
    assert arm.holding(da.Load()) == arm


@given(moving_arms(largest=6))
def test_a_load_adds_the_torques_of_a_body_at_the_tool(case):
    arm, q, qd, qdd = case
    mass, inertia = 1.8, np.diag([0.02, 0.015, 0.01])
    held = arm.holding(da.Load(mass, (0, 0, 0), inertia))
    found = held.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    at = arm.influence(q)
    turn = arm.forward_kinematics(q)[:3, :3]
    spin = at.rotation_first @ qd
    alpha = at.rotation_first @ qdd + np.einsum("xjk,j,k->x", at.rotation_second, qd, qd)
    acceleration = at.point_first @ qdd + np.einsum("xjk,j,k->x", at.point_second, qd, qd)
    dyadic = turn @ inertia @ turn.T
    force = mass * (acceleration - [float(g) for g in arm.gravity])
    moment = dyadic @ alpha + np.cross(spin, dyadic @ spin)
    expected = force @ at.point_first + moment @ at.rotation_first
    assert np.abs(found - expected).max() <= rounding(held, q) * torque_scale(held, q, qd, qdd)


@given(moving_arms(smallest=2, largest=7))
def test_locking_a_joint_is_holding_it_still(case):
    arm, q, qd, qdd = case
    index = arm.n // 2
    locked = arm.locked({arm.joint_names[index]: q[index]})
    rest = [k for k in range(arm.n) if k != index]
    assert locked.joint_names == tuple(arm.joint_names[k] for k in rest)
    still = qd.copy(), qdd.copy()
    for rates in still:
        rates[index] = 0
    expected = arm.inverse_dynamics(q, *still)[rest]
    found = locked.inverse_dynamics(q[rest], still[0][rest], still[1][rest])
    assert np.abs(found - expected).max() <= rounding(arm, q) * torque_scale(arm, q, *still)


@given(arms())
def test_fixed_joints_keep_their_mass(arm):
    base = arm.body_of
    fixed_to_base = sum(link.inertia.mass for link in arm.links if base[link.name][0] < 0)
    assert sum(body.inertia.mass for body in arm.bodies) + fixed_to_base == sum(x.inertia.mass for x in arm.links)


@given(moving_arms(smallest=3, largest=6, tree=False))
def test_a_subarm_moves_as_the_whole_does_while_the_rest_stands_still(case):
    arm, q, _qd, _qdd = case
    part = arm.subarm(1, arm.n - 1)
    assert part.n == arm.n - 1
    base = np.linalg.inv(arm.link_frames(q)[part.base])
    expected = base @ arm.link_frames(q)[arm.links[-1].name]
    found = part.link_frames(q[1:])[arm.links[-1].name]
    assert np.abs(found - expected).max() <= 100 * EPS * (1 + np.abs(expected).max())
    gravity = base[:3, :3] @ [float(g) for g in arm.gravity]
    expected = arm.gravity_load(q)[1:]
    found = part.with_gravity(gravity).gravity_load(q[1:])
    assert np.abs(found - expected).max() <= 10 * rounding(arm, q) * torque_scale(arm, q, 0 * q, 0 * q)


def test_an_arm_cannot_be_changed():
    arm = da.Arm.from_dh(ROWS)
    with pytest.raises(AttributeError):
        arm.gravity = (0, 0, 0)
    assert isinstance(arm.holding(BOX), da.Arm)
    assert arm.loads == ()


def test_the_order_of_joints_in_the_file_does_not_matter_for_the_tree():
    links = tuple(da.Link(name) for name in "abc")
    joints = (da.Joint("second", "revolute", "b", "c"), da.Joint("first", "revolute", "a", "b"))
    assert ArmDescription("arm", links, joints).joint_names == ("first", "second")


@pytest.mark.parametrize(
    ("joints", "said"),
    [
        ([("j", "revolute", "a", "x")], "names link 'x'"),
        ([("j", "revolute", "a", "b"), ("k", "revolute", "c", "b")], "hangs on two joints"),
        ([("j", "revolute", "a", "b")], "several links have no parent joint: a, c"),
        ([("j", "revolute", "b", "c"), ("k", "revolute", "c", "b")], "circle"),
        ([("j", "revolute", "a", "b"), ("j", "revolute", "b", "c")], "two joints are named 'j'"),
        ([("j", "screw", "a", "b"), ("k", "revolute", "b", "c")], "unknown kind 'screw'"),
    ],
)
def test_what_is_no_tree_is_refused(joints, said):
    links = tuple(da.Link(name) for name in "abc")
    with pytest.raises(da.ArmError, match=said):
        ArmDescription("arm", links, tuple(da.Joint(*joint) for joint in joints))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda arm: arm.locked({"elbow": 0}), "no joint 'elbow'; the joints are joint1, joint2, joint3"),
        (lambda arm: arm.locked({"joint1": 0}).locked({"joint1": 0}), "fixed already"),
        (lambda arm: arm.holding(BOX, "hand"), "no link 'hand'"),
        (lambda arm: arm.holding(da.Load(mass=-1)), "mass is negative"),
        (lambda arm: arm.with_gravity((0, 0)), "gravity must be three numbers"),
        (lambda arm: arm.subarm(2, 0), "base first"),
        (lambda arm: arm.subarm(0, 7), "out of range"),
        (lambda arm: arm.subarm(0.5, 1), "joint 0.5 is out of range; joints count from 0 to 2"),
    ],
)
def test_a_wrong_change_is_refused_by_name(ask, said):
    with pytest.raises(da.ArmError, match=said):
        ask(da.Arm.from_dh(ROWS))


def test_unphysical_numbers_warn_once_by_link_and_are_used_as_given():
    rows = [ROWS[0], {**ROWS[1], "inertia": (0.1, 0.1, 0.5), "link": "forearm"}]
    with pytest.warns(da.PhysicalWarning, match="link 'forearm': .* falls short of Izz by 0.3 kg") as caught:
        arm = da.Arm.from_dh(rows)
    assert len(caught) == 1
    assert float(arm.bodies[1].inertia.central[2][2]) == 0.5
    with pytest.raises(da.ArmError, match="forearm"):
        da.Arm.from_dh(rows, physical="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        da.Arm.from_dh(rows, physical="ignore")


def test_limits_must_be_in_order():
    with pytest.raises(da.ArmError, match="joint 'joint1': lower limit 1 is above upper limit -1"):
        da.Arm.from_dh([{"mass": 1, "lower": 1, "upper": -1}])


def test_what_is_no_load_no_position_and_no_force_is_refused_with_the_remedy() -> None:
    arm = da.load("planar-2r")
    with pytest.raises(ArmError, match=r"a load is a Load, such as Load\(mass=2.0\); got 2.0"):
        arm.holding(2.0)  # type: ignore[arg-type]
    with pytest.raises(ArmError, match=r'locked at positions, as in {"joint2": 0.5}; got \[\'joint2\'\]'):
        arm.locked(["joint2"])  # type: ignore[arg-type]
    still = [0.0, 0.0]
    with pytest.raises(ArmError, match=r"forces are a list; write forces=\[Force"):
        arm.inverse_dynamics(still, still, still, forces=da.Force("link2"))  # type: ignore[arg-type]
    with pytest.raises(ArmError, match="a force is a Force, such as"):
        arm.inverse_dynamics(still, still, still, forces=[(1, 2, 3)])  # type: ignore[list-item]
    with pytest.raises(ArmError, match="drives are a DriveTrain, or the path"):
        arm.with_drives(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"mass": -1}, r"its mass is negative \(-1 kg\)"),
        ({"mass": float("nan")}, "mass must be finite"),
        ({"mass": 1, "com": (1, 2)}, "com must be three numbers"),
        ({"mass": 1, "inertia": (1, 1, 5)}, "triangle inequality"),
    ],
)
def test_a_load_that_cannot_be_is_refused_where_it_is_made(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(ArmError, match=sentence):
        da.Load(**given)


def test_an_arm_of_its_rows_is_the_same_arm_with_its_gravity_and_its_questions() -> None:
    arm = da.load("puma560", physical="ignore").with_gravity((0, 1, -9))
    again = arm.to_dh().arm(physical="ignore")
    assert type(again) is type(arm)
    assert (again.name, again.gravity) == (arm.name, arm.gravity)
    q = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(again.inverse_dynamics(q, q, q), arm.inverse_dynamics(q, q, q), rtol=1e-12)
