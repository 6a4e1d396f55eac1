"""Lines, screws and arcs of the hand: the hand is on the curve, the joints do not jump, and what cannot be is told."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.timing_laws import retimed
from dalembert.kinematics.pose_errors import rotation_vector

START = np.array([0.3, -1.2, 1.5, -0.8, -1.4, 0.2])


@pytest.fixture(scope="module")
def arm() -> da.Arm:
    return da.load("ur5e")


@pytest.fixture(scope="module")
def end(arm: da.Arm) -> np.ndarray:
    shift = da.Placement.from_xyz_rpy((0.1, -0.15, 0.1), (0.4, 0.2, -0.6))
    pose = arm.forward_kinematics(START)
    pose[:3, 3] += [float(x) for x in shift.position]
    pose[:3, :3] = pose[:3, :3] @ np.array(shift.rotation, dtype=float)
    return pose


def test_the_hand_goes_straight_and_turns_evenly(arm: da.Arm, end: np.ndarray) -> None:
    path = da.line_path(arm, START, end)
    first = arm.forward_kinematics(START)
    s = np.linspace(0, 1, 57)
    there = arm.forward_kinematics(path.position(s))
    wanted = first[:3, 3] + s[:, None] * (end[:3, 3] - first[:3, 3])
    assert np.abs(there[:, :3, 3] - wanted).max() < 1e-5
    _, whole = rotation_vector(first[:3, :3].T @ end[:3, :3])
    _, angle = rotation_vector(first[:3, :3].T @ there[:, :3, :3])
    assert angle == pytest.approx(s * whole, abs=1e-5)
    assert np.abs(there[-1] - end).max() < 1e-8


def test_a_screw_has_a_constant_twist(arm: da.Arm, end: np.ndarray) -> None:
    """T(s) = T(0) exp(s X): the body velocity J_frame q' is the same everywhere."""
    path = da.line_path(arm, START, end, rotation="screw")
    s = np.linspace(0.02, 0.98, 9)
    twist = np.einsum("kij,kj->ki", arm.jacobian(path.position(s), axes="frame"), path.velocity(s))
    assert np.abs(twist - twist[0]).max() < 1e-3 * np.abs(twist).max()
    assert np.abs(arm.forward_kinematics(path.position(1.0)) - end).max() < 1e-8


def test_an_arc_goes_through_its_three_points_at_one_distance_from_its_centre(arm: da.Arm, end: np.ndarray) -> None:
    first = arm.forward_kinematics(START)[:3, 3]
    via = 0.5 * (first + end[:3, 3]) + np.array([0.03, 0.05, 0.02])
    path = da.arc_path(arm, START, via, end)
    points = arm.forward_kinematics(path.position(np.linspace(0, 1, 801)))[:, :3, 3]
    assert np.linalg.norm(points - via, axis=1).min() < 1e-3
    # a sphere about any point of the axis through the centre holds all of them: fit it by least squares
    table = np.column_stack([2 * points, np.ones(len(points))])
    fit, *_ = np.linalg.lstsq(table, (points**2).sum(axis=1), rcond=None)
    assert np.ptp(np.linalg.norm(points - fit[:3], axis=1)) < 2e-5
    normal = np.cross(via - first, end[:3, 3] - first)
    assert np.abs((points - first) @ normal).max() < 2e-5 * np.linalg.norm(normal)


def test_another_frame_is_led_along_the_line(arm: da.Arm) -> None:
    frame = (arm.link_names[-1], da.Placement.from_xyz_rpy((0, 0.1, 0.2)))
    end = arm.forward_kinematics(START, frame)
    end[:3, 3] += [0.05, 0.05, -0.1]
    path = da.line_path(arm, START, end, frame=frame)
    assert np.abs(arm.forward_kinematics(path.position(1.0), frame) - end).max() < 1e-8


def test_another_frame_is_led_along_an_arc_within_the_tolerance_asked_for(arm: da.Arm) -> None:
    """A looser tolerance takes fewer places, and keeps its word."""
    frame = (arm.link_names[-1], da.Placement.from_xyz_rpy((0, 0.1, 0.2)))
    first = arm.forward_kinematics(START, frame)
    end, via = first.copy(), first[:3, 3] + np.array([0.1, 0.12, 0.0])
    end[:3, 3] += [0.2, 0.0, 0.0]
    centre = first[:3, 3] + np.array([0.1, (0.12**2 - 0.1**2) / (2 * 0.12), 0.0])  # as far from via as from both ends
    places = []
    for tolerance in (1e-2, 1e-7):
        path = da.arc_path(arm, START, via, end, frame=frame, tolerance=tolerance)
        there = arm.forward_kinematics(path.position(np.linspace(0, 1, 301)), frame)
        radius = np.linalg.norm(there[:, :3, 3] - centre, axis=1)
        assert np.abs(radius - np.linalg.norm(via - centre)).max() < tolerance
        assert np.abs(there[:, :3, :3] - first[:3, :3]).max() < tolerance
        places.append(len(path.times))
    assert places[0] < places[1]


def test_a_path_of_few_joints_keeps_the_directions_that_weigh(arm: da.Arm) -> None:
    """Weights of zero leave a turn about the tool's own axis free, along lines and arcs."""
    free = {"weights": [1, 1, 1, 1, 1, 0], "axes": "frame"}
    end = arm.forward_kinematics(START)
    end[:3, 3] += [0.1, 0.1, -0.05]
    via = arm.forward_kinematics(START)[:3, 3] + [0.07, 0.02, 0.0]
    for path in (da.line_path(arm, START, end, **free), da.arc_path(arm, START, via, end, **free)):
        last = arm.forward_kinematics(path.position(1.0))
        assert last[:3, 3] == pytest.approx(end[:3, 3], abs=1e-7)
        assert last[:3, 2] == pytest.approx(end[:3, 2], abs=1e-7)
        assert np.abs(last[:3, 0] - end[:3, 0]).max() > 1e-4


def test_a_path_in_time_keeps_its_curve_and_its_limits(arm: da.Arm, end: np.ndarray) -> None:
    path = da.line_path(arm, START, end)
    for jerk in (None, 60.0):
        motion = da.timed(path, 1.0, 4.0, jerk)
        t = np.linspace(0, motion.duration, 1501)
        assert np.abs(motion.velocity(t)).max() <= 1.0 + 1e-9
        assert np.abs(motion.acceleration(t)).max() <= 4.0 + 1e-9
        line = arm.forward_kinematics(motion.position(t))[:, :3, 3] - arm.forward_kinematics(START)[:3, 3]
        along = end[:3, 3] - arm.forward_kinematics(START)[:3, 3]
        along /= np.linalg.norm(along)
        assert np.abs(line - np.outer(line @ along, along)).max() < 1e-5
        assert motion.velocity([0.0, motion.duration]) == pytest.approx(np.zeros((2, 6)), abs=1e-9)
        # derivatives are those of what is gone
        step = 1e-6
        middle = t[200:-200:100]
        slope = (motion.position(middle + step) - motion.position(middle - step)) / (2 * step)
        assert slope == pytest.approx(motion.velocity(middle), abs=1e-6)


def test_retiming_is_composition() -> None:
    path = da.spline([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], [0.0, 0.4, 1.0], kind="quintic")
    law = da.s_curve([0.0], [1.0], 1.5, 6.0, 40.0)
    t = np.linspace(0, law.duration, 301)
    assert retimed(path, law).position(t) == pytest.approx(path.position(law.position(t)[:, 0]), abs=1e-10)


def test_a_line_that_leaves_the_reach_or_a_limit_says_where(arm: da.Arm) -> None:
    far = arm.forward_kinematics(START)
    far[:3, 3] = (2.0, 0.0, 0.0)
    with pytest.raises(da.ArmError, match=r"the line cannot be followed beyond \d+ percent"):
        da.line_path(arm, START, far)
    for call, said in (
        (lambda: da.line_path(arm, START, far, rotation="lerp"), "slerp"),
        (lambda: da.arc_path(arm, START, arm.forward_kinematics(START)[:3, 3], far), "one line"),
        (lambda: da.line_path(arm, np.zeros((2, 6)), far), "one state"),
        (lambda: da.timed(da.spline([[0.0], [0.0], [0.0]], [0, 1, 2]), 1, 1), "does not move"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()


def test_a_limit_that_other_positions_of_the_same_pose_do_not_have_stops_the_line(arm: da.Arm) -> None:
    """The last joint comes to its limit; a whole turn back the pose is reached, but not along the line."""
    start = np.array([*START[:5], 6.2])
    pose = arm.forward_kinematics(start)
    turn = da.Placement.from_xyz_rpy((0, 0, 0), (0, 0, 0.6))
    pose[:3, :3] = pose[:3, :3] @ np.array(turn.rotation, dtype=float)
    with pytest.raises(da.ArmError, match="limits of wrist_3_joint"):
        da.line_path(arm, start, pose)


def test_an_arm_of_few_joints_goes_where_it_can_by_its_task() -> None:
    arm, start = da.load("planar-2r"), [0.3, 1.2]
    end = arm.forward_kinematics([0.9, 0.7])[:3, 3]
    for goal in (end, arm.forward_kinematics([0.9, 0.7])):
        line = da.line_path(arm, start, goal, task="position")
        s = np.linspace(0, 1, 33)
        there = arm.forward_kinematics(line.position(s))[:, :3, 3]
        first = arm.forward_kinematics(start)[:3, 3]
        np.testing.assert_allclose(there, first + s[:, None] * (end - first), atol=1e-5)
    via = arm.forward_kinematics([0.6, 1.0])[:3, 3]
    arc = da.arc_path(arm, start, via, end, task="position")
    points = arm.forward_kinematics(arc.position(np.linspace(0, 1, 200)))[:, :3, 3]
    assert np.linalg.norm(points - via, axis=1).min() < 5e-3
    np.testing.assert_allclose(points[-1], end, atol=1e-8)
    with pytest.raises(da.ArmError, match="task 'position'"):
        da.line_path(arm, start, arm.forward_kinematics([0.9, 0.7]) @ np.diag([1, -1, -1, 1]))
    with pytest.raises(da.ArmError, match="way of positions"):
        da.arc_path(arm, start, via, arm.forward_kinematics([0.9, 0.7]), task="orientation")
    with pytest.raises(da.ArmError, match="whole poses"):
        da.line_path(arm, start, end, task="position", rotation="screw")


def test_directions_of_weight_zero_are_left_free_along_a_line(arm: da.Arm) -> None:
    first = arm.forward_kinematics(START)
    end = first.copy()
    end[:3, 3] += [0.0, 0.1, 0.05]
    weights = [1, 1, 1, 1, 1, 0]  # the turn about the axis of the hand
    path = da.line_path(arm, START, end, weights=weights, axes="frame")
    there = arm.forward_kinematics(path.position(np.linspace(0, 1, 21)))
    np.testing.assert_allclose(there[:, :3, 2], np.broadcast_to(first[:3, 2], (21, 3)), atol=3e-5)
    np.testing.assert_allclose(there[-1, :3, 3], end[:3, 3], atol=1e-8)
    turned = da.line_path(arm, START, end[:3, :3], task="orientation")
    np.testing.assert_allclose(arm.forward_kinematics(turned.position(0.5))[:3, :3], first[:3, :3], atol=1e-5)
