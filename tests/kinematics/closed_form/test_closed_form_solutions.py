"""Closed forms of inverse kinematics: the list is whole, forward kinematics agrees, singular poses are told."""

from __future__ import annotations

import math
import os
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.kinematics.closed_form.decomposition import closed_form_of
from dalembert.kinematics.closed_form.page_form import PageForm
from dalembert.kinematics.closed_form.screw_chain import ScrewChain
from dalembert.kinematics.inverse_kinematics import _distinct, _searched, length_of, solver_of
from dalembert.kinematics.task import Task

RIGHT = math.pi / 2
NAMES = ("puma560", "ur5e", "stanford", "jpl-rrp", "irb6")


@cache
def arm_of(name: str) -> da.Arm:
    return da.load(name, physical="ignore")


def within(arm: da.Arm, count: int, seed: int = 0) -> np.ndarray:
    low = np.where(np.isfinite(arm.lower), arm.lower, -3.0)
    high = np.where(np.isfinite(arm.upper), arm.upper, 3.0)
    return np.random.default_rng(seed).uniform(low, high, (count, arm.n))


def joint_distance(a: np.ndarray, b: np.ndarray, arm: da.Arm) -> np.ndarray:
    """The largest difference of a joint, whole turns left out."""
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    off = np.abs(a - b)
    return np.where(turns, np.abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi), off).max(axis=-1)


def iterative(arm: da.Arm, target: np.ndarray, limits: bool) -> tuple[np.ndarray, ...]:
    """What damped least squares finds from many starts."""
    task = Task.of("pose", None, "base", "angle-axis", 1e-8, length_of(arm.framed(None)))
    solver = solver_of(arm, None, task, limits, 0)
    found, _ = _searched(solver, target, None, 100, 64)
    return _distinct(solver, target, found, 100, 64)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limits", [True, False])
def test_every_solution_that_starts_lead_to_is_in_the_closed_form(name: str, limits: bool) -> None:
    arm = arm_of(name)
    target = arm.forward_kinematics(within(arm, 4, 3))
    several = iterative(arm, target, limits)
    found = arm.inverse_kinematics(target, limits=limits, solutions=True).checked()
    assert found.method.startswith("closed form")
    regular = [np.linalg.svd(arm.jacobian(ours))[1][:, -1].min() > 1e-3 for ours in found.solutions]
    assert sum(regular) >= 3
    assert found.complete[regular].all()
    for pose, theirs, ours in zip(target, several, found.solutions, strict=True):
        assert np.abs(arm.forward_kinematics(ours) - pose).max() < 1e-9
        for q in theirs:
            assert joint_distance(ours, q, arm).min() < 1e-4
        if limits:
            assert ((ours >= arm.lower) & (ours <= arm.upper)).all()


def random_row(rng: np.random.Generator, fixed: dict[str, object]) -> dict[str, object]:
    """A Denavit-Hartenberg row of short decimals, with some of its numbers given."""
    sign = rng.choice([-1, 1], 2)
    full = {
        "a": int(rng.integers(100, 500)) / 1000, "alpha": int(sign[0] * rng.integers(4, 14)) / 10,
        "d": int(sign[1] * rng.integers(100, 500)) / 1000,
    }  # fmt: skip
    return {**full, **fixed}


WRIST = ({"a": 0, "alpha": RIGHT, "d": 0.3}, {"a": 0, "alpha": -RIGHT, "d": 0}, {"a": 0.05, "alpha": 0.3, "d": 0.1})
SHOULDER = ({"a": 0, "alpha": 0.7, "d": 0.3}, {"a": 0, "alpha": -0.9, "d": 0})
SLIDES = {"type": "prismatic"}
CLASSES: dict[str, tuple[dict[str, object], ...]] = {
    "wrist at the end, skew": ({}, {}, {}, *WRIST),
    "wrist at the end, first axes intersect": ({"a": 0}, {}, {}, *WRIST),
    "wrist at the end, first axes parallel": ({"alpha": 0}, {}, {}, *WRIST),
    "wrist at the end, second axes parallel": ({}, {"alpha": 0}, {}, *WRIST),
    "wrist at the start": (*SHOULDER, {}, {}, {}, {}),
    "wrist in the middle": ({}, *SHOULDER, {}, {}, {}),
    "wrist behind the middle": ({}, {}, *SHOULDER, {}, {}),
    "third slides": ({"a": 0}, {}, SLIDES, *WRIST),
    "third slides, skew": ({}, {}, SLIDES, *WRIST),
    "second slides": ({}, SLIDES, {}, *WRIST),
    "second slides across": ({"alpha": RIGHT}, SLIDES, {}, *WRIST),
    "second slides along": ({"alpha": 0}, SLIDES, {}, *WRIST),
    "first slides": (SLIDES, {}, {}, *WRIST),
    "first slides across": ({**SLIDES, "alpha": RIGHT}, {}, {}, *WRIST),
    "two slide": (SLIDES, SLIDES, {}, *WRIST),
    "three slide": (SLIDES, {**SLIDES, "theta": 0.7}, SLIDES, {}, {}, {}),
    "three parallel": ({}, {"alpha": 0}, {"alpha": 0}, {}, {"a": 0}, {}),
    "three parallel, last two too": ({}, {"alpha": 0}, {"alpha": 0}, {}, {"alpha": 0}, {}),
    "three parallel, last two skew": ({}, {"alpha": 0}, {"alpha": 0}, {}, {}, {}),
    "three parallel behind": ({"a": 0}, {}, {"alpha": 0}, {"alpha": 0}, {}, {}),
    "five joints": ({}, {"alpha": 0}, {}, {"a": 0}, {}),
    "any six": ({}, {}, {}, {}, {}, {}),
}


@pytest.mark.parametrize("kind", CLASSES)
@settings(max_examples=100 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 1)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_arms_of_every_class_come_back_to_where_they_were(kind: str, seed: int) -> None:
    """Of any position the pose has that position among its solutions, and each of these gives the pose back."""
    rng = np.random.default_rng((seed, *kind.encode()))
    rows = [random_row(rng, fixed) for fixed in CLASSES[kind]]
    arm = da.Arm.from_dh(rows, name="random")
    q = rng.uniform(-2, 2, (4, arm.n))
    target = arm.forward_kinematics(q)
    found = arm.inverse_kinematics(target, solutions=True).checked()
    assert found.method.startswith("closed form")
    jacobian = arm.jacobian(q)
    for k, several in enumerate(found.solutions):
        assert np.abs(arm.forward_kinematics(several) - target[k]).max() < 1e-9
        worth = np.linalg.svd(jacobian[k], compute_uv=False)
        assert joint_distance(several, q[k], arm).min() < 1e-8 / worth.min()


def test_sixteen_ways_of_the_arm_of_manseur_and_doty() -> None:
    """Manseur and Doty 1989: the pose of an arm with sixteen real solutions, as many as any arm has."""
    twist = math.radians(1)
    rows = [
        {"a": 0.3, "alpha": RIGHT, "d": 0}, {"a": 1, "alpha": twist, "d": 0}, {"a": 0, "alpha": RIGHT, "d": 0.2},
        {"a": 1.5, "alpha": twist, "d": 0}, {"a": 0, "alpha": RIGHT, "d": 0}, {"a": 0, "alpha": twist, "d": 0},
    ]  # fmt: skip
    printed = np.array([
        [-0.760117, -0.641689, 0.102262, -1.140175], [0.133333, 0, 0.991071, 0], [-0.635959, 0.766965, 0.085558, 0],
        [0, 0, 0, 1],
    ])  # fmt: skip
    left, _, right = np.linalg.svd(printed[:3, :3])
    printed[:3, :3] = left @ right  # six digits are a rotation to six digits
    arm = da.Arm.from_dh(rows, name="sixteen")
    found = arm.inverse_kinematics(printed, solutions=True).checked()
    assert len(found.solutions[0]) == 16
    assert np.abs(arm.forward_kinematics(found.solutions[0]) - printed).max() < 1e-9
    assert bool(found.complete)


@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_another_program_finds_the_same_solutions(name: str) -> None:
    """EAIK (Ostermeier and others 2025), where it is installed: the same sets, not only as many."""
    eaik = pytest.importorskip("eaik.IK_HP")
    arm = arm_of(name)
    chain = ScrewChain.of(arm.framed(None))
    assert chain is not None
    points = [np.zeros(3), *(screw.point * chain.length for screw in chain.screws), chain.shift * chain.length]
    robot = eaik.HPRobot(np.array([screw.direction for screw in chain.screws]), np.diff(np.array(points), axis=0))
    target = arm.forward_kinematics(within(arm, 20, 5))
    found = arm.inverse_kinematics(target, limits=False, solutions=True)
    for pose, ours in zip(target, found.solutions, strict=True):
        turned = pose.copy()
        turned[:3, :3] = pose[:3, :3] @ chain.turn.T
        said = robot.IK(turned)
        theirs = np.atleast_2d(said.Q)[~np.atleast_1d(said.is_LS)]
        assert len(theirs) == len(ours)
        for q in theirs:
            assert joint_distance(ours, q, arm).min() < 1e-4


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", ["ur5e", "stanford"])
def test_compiled_pages_are_the_pages_over_floats(name: str) -> None:
    arm = arm_of(name).framed(None)
    form = closed_form_of(arm, "pose")
    assert isinstance(form, PageForm)
    q = within(arm, 30, 6)
    target = arm.forward_kinematics(q)
    compiled, _ = form.candidates(target, np.zeros_like(q))
    assert compiled == pytest.approx(form.candidates(target, np.zeros_like(q), compiled=False)[0], abs=1e-7)


def test_positions_of_three_joints_and_orientations_of_three() -> None:
    arm = arm_of("puma560-arm")
    q = within(arm, 20, 1)
    points = arm.forward_kinematics(q)[:, :3, 3]
    found = arm.inverse_kinematics(points, task="position", limits=False, solutions=True).checked()
    assert found.complete.all()
    assert {len(several) for several in found.solutions} == {4}  # two of shoulder, two of elbow
    for point, several in zip(points, found.solutions, strict=True):
        assert np.abs(arm.forward_kinematics(several)[:, :3, 3] - point).max() < 1e-9
    wrist = da.Arm.from_dh([{"a": 0.1, "alpha": 0.7, "d": 0}, {"a": 0, "alpha": -1.1, "d": 0.2}, {"a": 0, "d": 0.1}])
    turns = wrist.forward_kinematics(within(wrist, 10, 2))[:, :3, :3]
    found = wrist.inverse_kinematics(turns, task="orientation", limits=False, solutions=True).checked()
    assert {len(several) for several in found.solutions} == {2}
    assert np.abs(wrist.forward_kinematics(found.q)[:, :3, :3] - turns).max() < 1e-9


def test_at_a_singular_pose_the_free_joint_stays_and_the_list_is_not_called_whole() -> None:
    for name, straight in (("puma560", [0.3, -0.5, 0.4, 0.2, 0.0, 0.6]), ("ur5e", [0.3, -0.9, 0.8, 0.2, 0.0, 0.6])):
        arm, q = arm_of(name), np.array(straight)
        target = arm.forward_kinematics(q)
        found = arm.inverse_kinematics(target, near=q, solutions=True).checked()
        assert not bool(found.complete)
        assert found.q == pytest.approx(q, abs=1e-6)
        assert np.abs(arm.forward_kinematics(found.solutions[0]) - target).max() < 1e-9
        assert "endlessly" in found.found()


def test_a_stretched_elbow_is_one_solution_and_the_wrist_point_on_the_first_axis_is_told() -> None:
    arm = arm_of("ur5e")
    stretched = np.array([0.3, -0.9, 0.0, 0.4, 0.8, 0.6])
    found = arm.inverse_kinematics(arm.forward_kinematics(stretched), limits=False, solutions=True).checked()
    assert not bool(found.complete)  # isolated, but the Jacobian does not tell it from one of endlessly many
    assert (joint_distance(found.solutions[0], stretched, arm) < 1e-6).sum() == 1
    over = arm_of("jpl-rrp")
    q = np.array([0.4, 0.0, 1.0, 0.3, 0.5, 0.2])
    target = over.forward_kinematics(q)
    near = over.inverse_kinematics(target, near=q, limits=False, solutions=True).checked()
    assert near.q == pytest.approx(q, abs=1e-7)


def test_out_of_reach_is_proven_and_the_distance_told() -> None:
    arm = arm_of("ur5e")
    far = arm.forward_kinematics(np.full(6, 0.4))
    far[0, 3] += 3.0
    found = arm.inverse_kinematics(np.stack([far, arm.forward_kinematics(np.full(6, 0.4))]), solutions=True)
    assert found.converged.tolist() == [False, True]
    assert found.complete.all()
    assert len(found.solutions[0]) == 0
    assert np.isfinite(found.q).all()
    lacks = np.linalg.norm(arm.forward_kinematics(found.q[0])[:3, 3] - far[:3, 3])
    assert found.position_error[0] == pytest.approx(lacks)
    assert lacks > 1.0
    assert "no joint positions that are allowed reach it" in found.missed()
    assert found.starts[1] == 0 < found.starts[0]


def test_what_rounding_alone_keeps_from_its_pose_is_not_proven_out_of_reach() -> None:
    arm = arm_of("puma560")
    found = arm.inverse_kinematics(arm.forward_kinematics(np.full(6, 0.3)), tolerance=1e-18, starts=1, solutions=True)
    assert not bool(found.converged)
    assert not bool(found.complete)


def test_whole_turns_within_the_limits_are_found_from_both_sides() -> None:
    """A joint with limits from 3 to 9 rad has its solutions there, not between -pi and pi."""
    text = """<robot name="turns"><link name="b"/><link name="x"/><link name="y"/><link name="z"/>
<joint name="j1" type="revolute"><parent link="b"/><child link="x"/><axis xyz="0 0 1"/>
<limit lower="3" upper="9" velocity="1" effort="1"/></joint>
<joint name="j2" type="revolute"><parent link="x"/><child link="y"/><axis xyz="0 1 0"/>
<limit lower="-9" upper="-3" velocity="1" effort="1"/></joint>
<joint name="j3" type="revolute"><parent link="y"/><child link="z"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint></robot>"""
    arm = da.load(text).with_tool(da.Placement.from_xyz_rpy((0.4, 0, 0)))
    q = within(arm, 40, 8)
    points = arm.forward_kinematics(q)[:, :3, 3]
    found = arm.inverse_kinematics(points, task="position", near=q + 0.01, solutions=True).checked()
    assert np.abs(found.q - q).max() < 1e-6
    for several in found.solutions:
        assert ((several >= arm.lower) & (several <= arm.upper)).all()


def test_frames_tools_loads_and_drives_have_the_closed_form_too() -> None:
    arm = arm_of("puma560")
    q = within(arm, 5, 2)
    frame = (arm.link_names[-1], da.Placement.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, 0.5, 0.6)))
    found = arm.inverse_kinematics(arm.forward_kinematics(q, frame), frame=frame, near=q, solutions=True).checked()
    assert found.complete.all()
    assert np.abs(found.q - q).max() < 1e-8
    tooled = arm.with_tool(frame[1], frame[0]).holding(da.Load(2.0)).driven
    assert np.array_equal(tooled.inverse_kinematics(arm.forward_kinematics(q, frame), near=q).q, found.q)
    elbow = arm.inverse_kinematics(arm.forward_kinematics(q, "link4"), frame="link4", near=q)  # joints 5, 6 to spare
    assert not elbow.complete.any()


def test_directions_without_weight_and_criteria_are_left_to_the_starts() -> None:
    arm = arm_of("ur5e")
    target = arm.forward_kinematics(within(arm, 3, 2))
    assert arm.inverse_kinematics(target, weights=(1, 1, 1, 1, 1, 0), axes="frame").method == "damped least squares"
    assert arm.inverse_kinematics(target, weights=(1, 2, 3, 1, 1, 0.5)).complete.all()


def test_no_poses_and_more_than_fit_at_once_keep_their_shapes() -> None:
    arm = arm_of("puma560")
    assert arm.inverse_kinematics(np.zeros((0, 4, 4)), solutions=True).solutions == ()
    one = arm.forward_kinematics(within(arm, 1, 4))
    many = arm.inverse_kinematics(np.broadcast_to(one, (3, 3000, 4, 4)))
    assert many.q.shape == (3, 3000, 6)
    assert np.ptp(many.q.reshape(-1, 6), axis=0).max() == 0
