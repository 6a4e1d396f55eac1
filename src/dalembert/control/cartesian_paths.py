"""Straight lines, screws and arcs of the hand as paths of the joints: inverse kinematics from place to place.

A path q(s), s from 0 to 1, is a quintic spline through solutions along the curve; places are added until the hand is on
the curve between them too. Each solution begins at the one before, so that the joints never jump.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.placement import Placement
from ..kinematics.inverse_kinematics import inverse_kinematics
from ..kinematics.joint_solutions import JointSolutions
from ..kinematics.pose_errors import poses_of, rotation_vector
from ..kinematics.task import Task
from ..systems.arm_kinematics import MovingArm
from ..systems.arrays import joint_array
from ..systems.frame_axes import AskedFrame, skew
from .splines import interpolated
from .trajectories import Polynomials

Array = NDArray[np.float64]
FEWEST, MOST = 16, 1024
"""Places along a path."""
JUMP = 0.6
"""The change of a joint (rad or m) between two places from which it counts as a jump, at the finest spacing."""


def line_path(
    arm: MovingArm,
    q: ArrayLike,
    pose: ArrayLike | Placement,
    *,
    frame: AskedFrame | None = None,
    task: str = "pose",
    weights: ArrayLike | None = None,
    axes: str = "base",
    rotation: str = "slerp",
    tolerance: float = 1e-5,
) -> Polynomials:
    """The path of the joints from ``q`` on which the tool (or ``frame``) goes straight to ``pose``.

    ``task``, ``weights`` and ``axes`` say what of each pose is asked for, as in ``inverse_kinematics``: with
    "position", for arms of few joints, the hand turns as it must, and ``pose`` may be a point.

    ``rotation="slerp"`` turns it evenly about one axis while its origin goes along the line; "screw" moves it along the
    one screw from start to end. The hand is within ``tolerance`` (m and rad) of the curve everywhere. An error tells
    where the line leaves the reach or the limits of the joints.
    """
    start = joint_array(arm, "q", q)
    start_pose, end_pose = arm.forward_kinematics(start, frame), poses_of(pose, task)
    if end_pose.shape != (4, 4) or start.ndim != 1:
        raise ArmError("a line goes from the positions of one state to one pose, a 4x4 matrix")
    if rotation not in ("slerp", "screw"):
        raise ArmError(f'the rotation along a line is by "slerp" or "screw", not {rotation!r}')
    if rotation == "screw" and task != "pose":
        raise ArmError(f"a screw is a way of whole poses, and the task is {task!r}; ask for the pose, or leave it out")
    path_task = _PathTask(frame, task, weights, axes, tolerance)
    turn = path_task.turn(start_pose, end_pose)
    displacement = start_pose[:3, :3].T @ (end_pose[:3, 3] - start_pose[:3, 3])
    pitch = np.linalg.solve(_screw_translation(turn), displacement) if rotation == "screw" else displacement

    def curve(s: float) -> Array:
        point_pose = np.eye(4)
        point_pose[:3, :3] = start_pose[:3, :3] @ rotated(s * turn)
        moved = _screw_translation(s * turn) @ (s * pitch) if rotation == "screw" else s * pitch
        point_pose[:3, 3] = start_pose[:3, 3] + start_pose[:3, :3] @ moved
        return point_pose

    return followed(arm, start, curve, path_task, "the line")


def arc_path(
    arm: MovingArm,
    q: ArrayLike,
    via: ArrayLike,
    pose: ArrayLike | Placement,
    *,
    frame: AskedFrame | None = None,
    task: str = "pose",
    weights: ArrayLike | None = None,
    axes: str = "base",
    tolerance: float = 1e-5,
) -> Polynomials:
    """The path of the joints from ``q`` on which the tool (or ``frame``) goes along a circle by ``via`` to ``pose``.

    ``via`` is a point (m, base axes) on the way; the rotation is even about one axis from start to end. ``task``,
    ``weights`` and ``axes`` are those of ``line_path``.
    """
    start = joint_array(arm, "q", q)
    if task == "orientation":
        raise ArmError('an arc is a way of positions, so that its task is "pose" or "position"; use line_path')
    start_pose, end_pose = arm.forward_kinematics(start, frame), poses_of(pose, task)
    a, b, c = start_pose[:3, 3], real_array("via", via), end_pose[:3, 3]
    if b.shape != (3,) or end_pose.shape != (4, 4) or start.ndim != 1:
        raise ArmError("an arc goes from the positions of one state by a point of three numbers to one pose")
    centre, axis, angle = _circle(a, b, c)
    path_task = _PathTask(frame, task, weights, axes, tolerance)
    turn = path_task.turn(start_pose, end_pose)

    def curve(s: float) -> Array:
        point_pose = np.eye(4)
        point_pose[:3, :3] = start_pose[:3, :3] @ rotated(s * turn)
        point_pose[:3, 3] = centre + rotated(s * angle * axis) @ (a - centre)
        return point_pose

    return followed(arm, start, curve, path_task, "the arc")


@dataclass(frozen=True)
class _PathTask:
    """What is asked of ``frame`` along a path."""

    frame: AskedFrame | None
    task: str
    weights: ArrayLike | None
    axes: str
    tolerance: float

    def turn(self, start_pose: Array, end_pose: Array) -> Array:
        """The rotation from the first pose to the last, in axes of the first; none where it is not asked for."""
        return np.zeros(3) if self.task == "position" else rotation_vector(start_pose[:3, :3].T @ end_pose[:3, :3])[0]

    def distances(self, poses: Array, targets: Array) -> tuple[Array, Array]:
        """How far poses are off (m, rad) in what is asked for."""
        _, position_error, rotation_error = Task.of(
            self.task, self.weights, self.axes, "angle-axis", self.tolerance, 1.0
        ).errors(poses, targets)
        return position_error, rotation_error

    def nearest(self, arm: MovingArm, pose: Array, near: Array, *, limits: bool) -> JointSolutions:
        """The joint positions of a pose that are nearest to ``near``."""
        return inverse_kinematics(
            arm, pose, frame=self.frame, task=self.task, near=near, weights=self.weights, axes=self.axes,
            error="angle-axis", limits=limits, tolerance=1e-9, iterations=60, starts=1, criterion=None, solutions=False,
            seed=0,
        )  # fmt: skip


def followed(
    arm: MovingArm, start: Array, curve: Callable[[float], Array], path_task: _PathTask, name: str
) -> Polynomials:
    """The path of the joints along ``curve`` of poses, s from 0 to 1."""
    count = FEWEST
    while True:
        samples = np.linspace(0.0, 1.0, count + 1)
        solved = _solved(arm, start, curve, path_task, samples, name)
        path = interpolated(samples, solved, 5, None)
        middle = 0.5 * (samples[1:] + samples[:-1])
        poses = arm.forward_kinematics(path.position(middle), path_task.frame)
        targets = np.array([curve(s) for s in middle])
        position_errors, rotation_errors = path_task.distances(poses, targets)
        worst = float(max(position_errors.max(), rotation_errors.max()))
        if worst <= path_task.tolerance:
            return path
        if count >= MOST:
            fraction = float(middle[int(np.argmax(np.maximum(position_errors, rotation_errors)))])
            raise ArmError(
                f"{arm.where}{arm.name}: {name} passes a singular pose at {100 * fraction:.0f} percent of it, where "
                "the joints would have to jump; begin in another position of the joints, or go another way"
            )
        count *= 2


def _solved(
    arm: MovingArm, start: Array, curve: Callable[[float], Array], path_task: _PathTask, samples: Array, name: str
) -> Array:
    """Joint positions at the places, each from the one before."""
    joints = np.empty((len(samples), arm.n))
    joints[0] = start
    for k, s in enumerate(samples[1:], start=1):
        guess = joints[k - 1] if k == 1 else 2 * joints[k - 1] - joints[k - 2]
        result = path_task.nearest(arm, curve(float(s)), guess, limits=True)
        if not bool(result.converged):
            raise ArmError(
                f"{arm.where}{arm.name}: {name} cannot be followed beyond {100 * samples[k - 1]:.0f} percent of it: "
                f"{result.missed()}"
            )
        if len(samples) > MOST and np.abs(result.q - joints[k - 1]).max() > JUMP:
            joint = arm.joint_names[int(np.argmax(np.abs(result.q - joints[k - 1])))]
            beyond = path_task.nearest(arm, curve(float(s)), guess, limits=False)
            outside = (beyond.q < arm.lower) | (beyond.q > arm.upper)
            if bool(beyond.converged) and np.abs(beyond.q - joints[k - 1]).max() <= JUMP and outside.any():
                stops = listed([word for word, is_outside in zip(arm.joint_names, outside, strict=True) if is_outside])
                raise ArmError(
                    f"{arm.where}{arm.name}: {name} cannot be followed beyond {100 * samples[k - 1]:.0f} percent of "
                    f"it, where it passes the limits of {stops}; begin in another position of the joints, or go "
                    "another way"
                )
            raise ArmError(
                f"{arm.where}{arm.name}: {joint} would have to jump at {100 * s:.0f} percent of {name}, by a singular "
                "pose; begin in another position of the joints, or go another way"
            )
        joints[k] = result.q
    return joints


def rotated(vector: Array) -> Array:
    """The rotation by |vector| about it (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    cross = skew(vector)
    if angle < 1e-9:
        return np.eye(3) + cross
    return np.asarray(np.eye(3) + np.sin(angle) / angle * cross + (1 - np.cos(angle)) / angle**2 * cross @ cross)


def _screw_translation(vector: Array) -> Array:
    """V with the translation of a screw motion V v: the integral of the rotation."""
    angle = float(np.linalg.norm(vector))
    cross = skew(vector)
    if angle < 1e-6:
        return np.asarray(np.eye(3) + 0.5 * cross)
    return np.asarray(
        np.eye(3) + (1 - np.cos(angle)) / angle**2 * cross + (angle - np.sin(angle)) / angle**3 * cross @ cross
    )


def _circle(a: Array, b: Array, c: Array) -> tuple[Array, Array, float]:
    """Centre, axis and angle of the arc from a by b to c."""
    u, v = b - a, c - a
    normal = np.cross(u, v)
    size = float(normal @ normal)
    if size < 1e-18 or np.linalg.norm(c - b) < 1e-9:
        raise ArmError("start, via and end of an arc lie on one line, so that no circle goes through them; move via")
    centre = a + ((v @ v) * np.cross(normal, u) + (u @ u) * np.cross(v, normal)) / (2 * size)
    axis = normal / np.sqrt(size)
    x, y = a - centre, c - centre
    angle = float(np.arctan2(axis @ np.cross(x, y), x @ y))
    return centre, axis, angle if angle > 0 else angle + 2 * np.pi
