"""Poses, and what one lacks to another: position, and rotation in one of several formulations.

With the rotation R_d R^T by the angle t about the unit vector u, in base axes, the error of rotation is

    "angle-axis"  t u              Sugihara 2011, eq. 6
    "quaternion"  2 sin(t/2) u     twice the vector part of the unit quaternion, Yuan 1988
    "sine"        sin(t) u         half the sum of n x n_d, Luh, Walker and Paul 1980; it vanishes at half a turn too
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.placement import Placement

Array = NDArray[np.float64]
FORMULATIONS = ("angle-axis", "quaternion", "sine")
TASKS = ("pose", "position", "orientation")
ORTHOGONAL = 1e-6
"""How far a rotation matrix that is given may be from one."""


def poses_of(pose: ArrayLike | Placement, task: str) -> Array:
    """Poses ``(..., 4, 4)`` from what is given; points ``(..., 3)`` and rotations ``(..., 3, 3)`` for such tasks."""
    if task not in TASKS:
        raise ArmError(f"a task is {listed(TASKS)}, not {task!r}")
    if isinstance(pose, Placement):
        poses = np.eye(4)
        poses[:3, :3], poses[:3, 3] = np.array(pose.rotation, dtype=float), np.array(pose.position, dtype=float)
        return poses
    array = real_array("pose", pose, "numbers, a 4x4 matrix for each pose")
    shape = array.shape
    if task == "position" and shape[-1:] == (3,):
        poses = np.broadcast_to(np.eye(4), (*shape[:-1], 4, 4)).copy()
        poses[..., :3, 3] = array
    elif task == "orientation" and shape[-2:] == (3, 3):
        poses = np.broadcast_to(np.eye(4), (*shape[:-2], 4, 4)).copy()
        poses[..., :3, :3] = array
    elif shape[-2:] == (4, 4):
        poses = array
    else:
        alternative = {"position": ", or points of three numbers", "orientation": ", or 3x3 rotations"}.get(task, "")
        if task == "pose" and shape[-1:] == (3,):
            alternative = (
                ", and task='orientation' takes 3x3 rotations"
                if shape[-2:] == (3, 3)
                else (", and task='position' takes points of three numbers")
            )
        raise ArmError(f"a pose is a 4x4 matrix{alternative}; got an array of shape {shape}")
    if not np.isfinite(poses).all():
        raise ArmError(f"pose {_pose_index(~np.isfinite(poses).all(axis=(-1, -2)))}holds a value that is not finite")
    turn = poses[..., :3, :3]
    defect = np.abs(np.swapaxes(turn, -1, -2) @ turn - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    bad = (defect > ORTHOGONAL) | (np.linalg.det(turn) < 0)
    if task != "position" and bad.any():
        raise ArmError(
            f"pose {_pose_index(bad)}has a rotation matrix that is not a rotation; its columns are axes of length 1"
        )
    if (np.abs(poses[..., 3, :] - [0, 0, 0, 1]) > ORTHOGONAL).any():
        raise ArmError("the last row of a pose is 0 0 0 1; give the position in the last column")
    return poses


def _pose_index(bad: Any) -> str:
    """Which pose of a batch, for a message."""
    return f"{[int(i) for i in np.argwhere(bad)[0]]} " if np.ndim(bad) else ""


def rotation_vector(turn: Array, formulation: str = "angle-axis") -> tuple[Array, Array]:
    """The error vector ``(..., 3)`` of rotations ``(..., 3, 3)``, and their angles (rad, 0 to pi)."""
    sine = 0.5 * np.stack(
        [turn[..., 2, 1] - turn[..., 1, 2], turn[..., 0, 2] - turn[..., 2, 0], turn[..., 1, 0] - turn[..., 0, 1]], -1
    )
    size = np.sqrt(np.einsum("...i,...i->...", sine, sine))
    angle = np.arctan2(size, 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1))
    if formulation == "sine":
        return sine, angle
    length = angle if formulation == "angle-axis" else 2 * np.sin(angle / 2)
    small = size < 1e-7
    vector = sine * np.where(small, 1.0, length / np.where(small, 1.0, size))[..., None]
    about = small & (angle > 1)
    if about.any():
        # half a turn: the axis is the column of (R + 1)/2 = u u^T that is longest
        outer = (turn[about] + np.eye(3)) / 2
        column = np.argmax(np.einsum("...ii->...i", outer), axis=-1)
        axis = np.take_along_axis(outer, column[:, None, None], axis=-1)[..., 0]
        vector[about] = length[about][:, None] * axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return vector, angle
