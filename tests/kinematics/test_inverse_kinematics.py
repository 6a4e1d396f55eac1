"""Inverse kinematics: poses of Pinocchio's forward kinematics are found again, limits hold, failures are told."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.arm.io.urdf import read_urdf, write_urdf
from dalembert.compile.kernel import Kernel
from dalembert.formulations.damped_step import damped_step
from dalembert.formulations.factor import DensePaths
from dalembert.kinematics.pose_errors import FORMULATIONS, rotation_vector
from dalembert.kinematics.step_kernel import step_function
from dalembert.rings.real import REAL
from random_arms import random_arm

pin = pytest.importorskip("pinocchio")


@cache
def arm_of(name: str) -> da.Arm:
    return da.load(name, physical="ignore")


def within(arm: da.Arm, count: int, seed: int = 0) -> np.ndarray:
    """Random positions within the limits."""
    low = np.where(np.isfinite(arm.lower), arm.lower, -np.pi)
    high = np.where(np.isfinite(arm.upper), arm.upper, np.pi)
    return np.random.default_rng(seed).uniform(low, high, (count, arm.n))


class Poses:
    """Pinocchio's forward kinematics of the tool of an arm, from its URDF."""

    def __init__(self, arm: da.Arm) -> None:
        self.model = pin.buildModelFromXML(write_urdf(arm.with_tool(da.Placement(), arm.tool_link)))
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in arm.joint_names]
        self.frame = self.model.getFrameId(arm.tool_link)
        turn, place = (np.array(part, dtype=float) for part in (arm.tool.rotation, arm.tool.position))
        self.tool = pin.SE3(turn, place)

    def __call__(self, q: np.ndarray) -> np.ndarray:
        there = np.empty(self.model.nq)
        for joint, value in zip(self.joints, q, strict=True):
            there[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
        pin.framesForwardKinematics(self.model, self.data, there)
        return (self.data.oMf[self.frame] * self.tool).homogeneous


@pytest.mark.parametrize("name", ["puma560", "ur5e", "panda", "iiwa14", "stanford"])
def test_poses_of_pinocchio_within_the_limits_are_reached(name: str) -> None:
    arm = arm_of(name)
    pose = Poses(arm)
    target = np.array([pose(q) for q in within(arm, 100)])
    found = arm.inverse_kinematics(target)
    assert found.success >= 0.99
    assert (found.q >= arm.lower).all()
    assert (found.q <= arm.upper).all()
    reached = np.array([pose(q) for q in found.q[found.converged]])
    assert np.abs(reached - target[found.converged]).max() < 1e-7


@given(seed=st.integers(0, 10_000), joints=st.integers(1, 7))
def test_what_random_arms_say_they_reach_pinocchio_says_too(seed: int, joints: int) -> None:
    text = write_urdf(random_arm(seed, joints, tree=bool(seed % 2)))
    arm = da.Arm.of(read_urdf(text, "random", physical="ignore"))
    pose = Poses(arm)
    target = np.array([pose(q) for q in within(arm, 3, seed)])
    found = arm.inverse_kinematics(target, starts=21)
    for k, q in enumerate(found.q):
        there = pose(q)
        distance = np.linalg.norm(there[:3, 3] - target[k, :3, 3])
        _, angle = rotation_vector(target[k, :3, :3] @ there[:3, :3].T)
        scale = 1e-9 + 1e-12 * np.abs(target).max()
        assert found.position_error[k] == pytest.approx(distance, abs=scale)
        assert found.orientation_error[k] == pytest.approx(angle, abs=1e-9)
        assert bool(found.converged[k]) == (distance <= 1e-8 + scale and angle <= 1e-8 + 1e-9) or (
            max(distance, angle) < 2e-8
        )


@pytest.mark.parametrize("error", FORMULATIONS)
def test_every_formulation_of_the_error_leads_to_the_same_poses(error: str) -> None:
    arm = arm_of("ur5e")
    target = arm.forward_kinematics(within(arm, 30))
    found = arm.inverse_kinematics(target, error=error).checked()
    assert np.abs(arm.forward_kinematics(found.q) - target).max() < 1e-7


@pytest.mark.parametrize("formulation", ["angle-axis", "quaternion"])
def test_half_a_turn_has_an_error_of_its_own_size(formulation: str) -> None:
    """Where R = R^T the vector part of R is zero and says nothing of the axis."""
    axis = np.array([2.0, -1.0, 2.0]) / 3
    turn = 2 * np.outer(axis, axis) - np.eye(3)
    vector, angle = rotation_vector(turn[None], formulation)
    assert angle[0] == pytest.approx(np.pi)
    length = np.pi if formulation == "angle-axis" else 2.0
    assert np.abs(np.abs(vector[0]) - length * np.abs(axis)).max() < 1e-9


def test_batches_keep_their_shape_and_a_single_pose_has_none() -> None:
    arm = arm_of("ur5e")
    target = arm.forward_kinematics(within(arm, 6)).reshape(2, 3, 4, 4)
    found = arm.inverse_kinematics(target)
    assert found.q.shape == (2, 3, 6)
    assert found.converged.shape == found.position_error.shape == found.iterations.shape == (2, 3)
    single = arm.inverse_kinematics(target[0, 0])
    assert single.q.shape == (6,)
    assert bool(single.converged)
    none = arm.inverse_kinematics(np.zeros((0, 4, 4)))
    assert none.q.shape == (0, 6)
    assert none.checked() is none


def test_a_position_alone_and_an_orientation_alone() -> None:
    arm = arm_of("puma560")
    target = arm.forward_kinematics(within(arm, 20, 5))
    points = arm.inverse_kinematics(target[:, :3, 3], task="position").checked()
    assert np.abs(arm.forward_kinematics(points.q)[:, :3, 3] - target[:, :3, 3]).max() < 1e-7
    turns = arm.inverse_kinematics(target[:, :3, :3], task="orientation").checked()
    assert np.abs(arm.forward_kinematics(turns.q)[:, :3, :3] - target[:, :3, :3]).max() < 1e-7


def test_a_direction_without_weight_is_free_in_the_axes_of_the_tool() -> None:
    """A drill may turn about its own axis: the tip and the axis are asked for, the rest is not."""
    arm = arm_of("ur5e")
    target = arm.forward_kinematics(within(arm, 20, 2))
    found = arm.inverse_kinematics(target, weights=(1, 1, 1, 1, 1, 0), axes="frame").checked()
    there = arm.forward_kinematics(found.q)
    assert np.abs(there[:, :3, 2:] - target[:, :3, 2:]).max() < 1e-7
    assert np.abs(there[:, :3, 0] - target[:, :3, 0]).max() > 0.1


def test_another_frame_is_brought_to_the_pose() -> None:
    arm = arm_of("panda")
    offset = da.Placement.from_xyz_rpy((0.1, 0, 0.2), (0.3, 0.2, 0.1))
    frame = (arm.link_names[-2], offset)
    q = within(arm, 10, 4)
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = np.array(offset.rotation, dtype=float), np.array(offset.position, dtype=float)
    target = arm.link_frames(q)[frame[0]] @ turn
    found = arm.inverse_kinematics(target, frame=frame).checked()
    assert np.abs(arm.link_frames(found.q)[frame[0]] @ turn - target).max() < 1e-7
    assert np.abs(arm.forward_kinematics(found.q, frame) - target).max() < 1e-7


def test_near_chooses_among_the_solutions_and_among_whole_turns() -> None:
    arm = arm_of("ur5e")
    q = within(arm, 40, 7)
    found = arm.inverse_kinematics(arm.forward_kinematics(q), near=q + 0.05).checked()
    # near a singular pose the joints are known to the root of the tolerance only
    singular = np.linalg.cond(arm.jacobian(q)) > 1e3
    assert np.abs(found.q - q)[~singular].max() < 1e-5
    turn = np.where(q > 0, q - 2 * np.pi, q + 2 * np.pi)[:, 5:]
    away = np.concatenate([q[:, :5], turn], axis=1)
    other = arm.inverse_kinematics(arm.forward_kinematics(q), near=away).checked()
    assert np.abs(other.q - away)[~singular].max() < 1e-5


def test_all_solutions_of_arms_with_a_closed_form_are_found() -> None:
    """A puma has eight ways to a pose in general, four of arm times two of wrist (Pieper 1968); so has a UR."""
    for name in ("puma560", "ur5e"):
        arm = arm_of(name)
        target = arm.forward_kinematics(np.array([0.3, -0.9, 0.8, 0.5, 0.7, 0.4]))
        found = arm.inverse_kinematics(target, limits=False, solutions=True)
        (several,) = found.solutions
        assert len(several) == 8
        assert np.abs(arm.forward_kinematics(several) - target).max() < 1e-7
        inside = arm.inverse_kinematics(target, solutions=True).solutions[0]
        assert len(inside) <= 8
        assert ((inside >= arm.lower) & (inside <= arm.upper)).all()


@pytest.mark.parametrize("criterion", ["limits", "manipulability"])
def test_joints_to_spare_serve_their_criterion_and_keep_the_pose(criterion: str) -> None:
    arm = arm_of("iiwa14")
    q = within(arm, 20, 9)
    target = arm.forward_kinematics(q)
    plain = arm.inverse_kinematics(target, near=q).checked()
    better = arm.inverse_kinematics(target, near=q, criterion=criterion).checked()
    assert np.abs(arm.forward_kinematics(better.q) - target).max() < 1e-7

    def value(x: np.ndarray) -> np.ndarray:
        if criterion == "limits":
            return -(x**2).sum(axis=-1)
        jacobian = arm.jacobian(x)
        return np.sqrt(np.linalg.det(jacobian @ np.swapaxes(jacobian, -1, -2)))

    gain = value(better.q) - value(plain.q)
    assert (gain > -1e-6).mean() >= 0.9
    assert gain.mean() > 0.03 * np.abs(value(plain.q)).mean()
    with pytest.raises(da.ArmError, match="none to spare"):
        arm_of("puma560").inverse_kinematics(target, criterion=criterion)


def test_followers_move_along() -> None:
    arm = da.load(PALLETIZER)
    q = within(arm, 20, 1)
    target = arm.forward_kinematics(q)
    found = arm.inverse_kinematics(target, task="position")
    assert found.success == 1.0
    assert np.abs(arm.forward_kinematics(found.q)[:, :3, 3] - target[:, :3, 3]).max() < 1e-7
    assert (arm.all_positions(found.q)[:, 3] <= 1.9 + 1e-12).all()


def test_load_and_drives_do_not_change_where_the_hand_gets() -> None:
    arm = arm_of("puma560")
    target = arm.forward_kinematics(within(arm, 5))
    plain = arm.inverse_kinematics(target)
    for system in (arm.holding(da.Load(2.0)), arm.driven):
        assert np.array_equal(system.inverse_kinematics(target).q, plain.q)


def test_what_is_out_of_reach_is_told_and_not_passed_over() -> None:
    arm = arm_of("planar-2r")
    far = np.eye(4)
    far[:3, 3] = (5.0, 0.0, 0.0)
    found = arm.inverse_kinematics(far, task="position")
    assert not bool(found.converged)
    reach = np.linalg.norm(arm.forward_kinematics(np.zeros(2))[:3, 3])
    assert found.position_error == pytest.approx(5.0 - reach, abs=1e-3)
    with pytest.raises(da.ArmError, match="away at best"):
        found.checked()


def test_the_limit_that_stops_it_is_named() -> None:
    arm = da.load("""<robot name="one"><link name="base"/><link name="arm"/><joint name="turn" type="revolute">
<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>
</joint></robot>""")
    turn = da.Placement.from_xyz_rpy((0, 0, 0), (0, 0, 1.5))
    found = arm.inverse_kinematics(turn, task="orientation")
    assert not bool(found.converged)
    assert found.q == pytest.approx([1.0])
    assert found.at_limit.tolist() == [True]
    assert "limits of turn" in found.missed()
    assert bool(arm.inverse_kinematics(turn, task="orientation", limits=False).converged)


def test_wrong_questions_are_refused_in_a_sentence() -> None:
    arm = arm_of("ur5e")
    good = arm.forward_kinematics(np.zeros(6))
    bad = good.copy()
    bad[0, 0] = np.nan
    for call, said in (
        (lambda: arm.inverse_kinematics(bad), "not finite"),
        (lambda: arm.inverse_kinematics(2 * good), "not a rotation"),
        (lambda: arm.inverse_kinematics(np.zeros(3)), "4x4 matrix, and task='position' takes points"),
        (lambda: arm.inverse_kinematics(np.eye(3)), "4x4 matrix, and task='orientation' takes 3x3 rotations"),
        (lambda: arm.inverse_kinematics(good, task="point"), "a task is"),
        (lambda: arm.inverse_kinematics(good, error="log"), "can be"),
        (lambda: arm.inverse_kinematics(good, weights=np.zeros(6)), "nothing is asked for"),
        (lambda: arm.inverse_kinematics(good, frame="elbow9"), "no link"),
        (lambda: arm.inverse_kinematics(good, frame=["a"]), "a frame is"),
        (lambda: arm.inverse_kinematics(good, near=np.zeros(5)), "near"),
        (lambda: arm.inverse_kinematics(good, starts=0), "starts"),
        (lambda: arm.inverse_kinematics(good, tolerance=0.0), "tolerance"),
        (lambda: arm_of("panda").inverse_kinematics(good, solutions=True), "endlessly"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()


@pytest.mark.usefixtures("compiled_kernels")
def test_the_compiled_step_is_the_page_over_floats() -> None:
    """Machine code, the graph in NumPy and the formulation itself: one step, limits and all."""
    arm = arm_of("puma560").framed(None)
    rng = np.random.default_rng(4)
    q, wanted = rng.uniform(-1, 1, (2, 9, 6))
    error, weight = rng.uniform(-0.3, 0.3, (9, 6)), np.tile([1.0, 2, 1, 0.1, 0, 0, 1, 1, 3, 0, 0.2, 0], (9, 1))
    damping, edge = rng.uniform(1e-6, 0.1, (9, 6)), rng.integers(-1, 2, (9, 6)).astype(float)
    given_ = (q, error, weight, damping, wanted, edge)
    kernel = Kernel(step_function(arm))
    assert kernel.compiled
    for state, (step, free) in enumerate(zip(*kernel(*given_), strict=True)):
        rows = [[float(x) for x in part[state]] for part in given_]
        right = damped_step(DensePaths(6), REAL, arm.over_reals.jacobian(REAL, rows[0]), *rows[1:])
        assert step == pytest.approx(right[0], rel=1e-9, abs=1e-12)
        assert free == pytest.approx(right[1])
    target = arm.forward_kinematics(q)
    assert arm_of("puma560").inverse_kinematics(target, limits=False).success == 1.0


def test_three_points_are_three_points() -> None:
    arm = arm_of("ur5e")
    points = arm.forward_kinematics(within(arm, 3, 11))[:, :3, 3]
    found = arm.inverse_kinematics(points, task="position").checked()
    assert found.q.shape == (3, 6)
    assert np.abs(arm.forward_kinematics(found.q)[:, :3, 3] - points).max() < 1e-7


def test_a_drill_that_points_the_other_way_is_not_there_though_the_sine_of_half_a_turn_is_zero() -> None:
    arm = arm_of("ur5e")
    q = within(arm, 1, 12)[0] / 3
    pose = arm.forward_kinematics(q) @ np.diag([1.0, -1.0, -1.0, 1.0])
    found = arm.inverse_kinematics(
        pose, near=q, weights=(1, 1, 1, 1, 1, 0), axes="frame", error="sine", starts=1, iterations=1
    )
    assert not found.converged
    assert found.orientation_error > 1


def test_starts_are_not_the_positions_that_the_same_seed_gives_elsewhere() -> None:
    """Poses drawn with ``default_rng(0)`` within the limits must be a task, not the table of starts itself."""
    arm = arm_of("panda")
    found = arm.inverse_kinematics(arm.forward_kinematics(within(arm, 20)))
    assert found.success == 1
    assert (found.iterations > 0).all()


@pytest.mark.parametrize("wrong", [{"tolerance": (1, 2, 3)}, {"seed": -1}, {"seed": "a"}, {"tolerance": [[1, 2]]}])
def test_tolerances_and_seeds_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(da.ArmError, match=r"tolerance|seed"):
        arm_of("planar-2r").inverse_kinematics(np.eye(4), **wrong)


def test_off_the_limits_is_where_no_motion_that_keeps_the_pose_gains() -> None:
    """J z = 0 implies z . grad sum ((q - middle) / range)^2 / 2 = 0, whatever the ranges of the joints."""
    arm = arm_of("stanford")
    q = 0.8 * within(arm, 10, 13)
    points = arm.forward_kinematics(q)[:, :3, 3]
    found = arm.inverse_kinematics(points, task="position", near=q, criterion="limits").checked()
    span = arm.upper - arm.lower
    lacks = []
    for x in found.q:
        free = (x > arm.lower + 1e-6) & (x < arm.upper - 1e-6)
        slope = ((x - (arm.lower + arm.upper) / 2) / span**2)[free]
        rows = arm.jacobian(x)[:3, free]
        left = slope - rows.T @ np.linalg.lstsq(rows.T, slope, rcond=None)[0]
        lacks.append(np.abs(left).max())
    assert np.median(lacks) < 1e-3  # some go on for longer than is waited for
