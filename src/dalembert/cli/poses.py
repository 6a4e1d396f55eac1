"""Poses from the command line: ``0.4,0.1,0.3`` or ``0.4,0.1,0.3,180 deg,0,pi/2``: position, then roll, pitch, yaw."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np

from dalembert.arm.errors import ArmError
from dalembert.arm.io.expression import quantity, says_angle

from .values import note_turns, split_words

POSE_HELP = "Position x,y,z (m) and, for all but a position, roll,pitch,yaw about fixed x, y, z (rad, or as '90 deg')."


class TaskKind(StrEnum):
    """What of the pose is asked for."""

    pose = "pose"
    position = "position"
    orientation = "orientation"


def read_pose(option: str, text: str, turned: bool | None = None) -> np.ndarray:
    """The pose as a 4x4 matrix; ``turned`` says whether it needs its rotation, None that it may have one."""
    words = split_words(text)
    expected = {None: "3 or 6 numbers", True: "6 numbers", False: "3 numbers"}[turned]
    if len(words) not in {None: (3, 6), True: (6,), False: (3, 6)}[turned]:
        alone = "; for a position alone add --task position" if turned and len(words) == 3 else ""
        raise ArmError(f"{option} takes {expected}: x, y, z and roll, pitch, yaw; got {len(words)}{alone}")
    numbers = [float(quantity(word, option)) for word in words] + [0.0] * (6 - len(words))
    roll, pitch, yaw = numbers[3:]
    if any(says_angle(word) for word in words[:3]):
        raise ArmError(f"{option}: a position is in metres; angles stand behind it")
    note_turns(option, zip(("roll", "pitch", "yaw"), words[3:], numbers[3:], strict=False))
    pose = np.eye(4)
    pose[:3, :3] = _rotation_about(2, yaw) @ _rotation_about(1, pitch) @ _rotation_about(0, roll)
    pose[:3, 3] = numbers[:3]
    return pose


def _rotation_about(axis: int, angle: float) -> np.ndarray:
    rotation = np.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rotation[j, j] = rotation[k, k] = math.cos(angle)
    rotation[j, k], rotation[k, j] = -math.sin(angle), math.sin(angle)
    return rotation
