"""An arm as a picture: its links as bars, each in a colour of its own, joints and tool, in SVG."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.placement import Placement
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from .arm3d import paths, start
from .skeleton_picture import SkeletonPicture, from_a_corner


def arm_picture(arm: ArmDescription, q: Sequence[float] | None = None) -> SkeletonPicture:
    """The bars of the links at pose ``q`` (rad, m), as the report draws them first where none is given.

    A planar arm is seen along its axes, any other from a corner of the room.
    """
    pose = [start(joint) for joint in arm.moving] if q is None else [float(value) for value in q]
    if len(pose) != arm.n or not np.isfinite(pose).all():
        raise ArmError(f"arm {arm.name!r}: a picture takes {arm.n} finite joint positions, not {pose}")
    turns, origins = [np.eye(3)], [np.zeros(3)]
    for rotation, position in SystemOverRing(arm, REAL).frames(REAL, pose):
        turns.append(np.array(rotation, dtype=float))
        origins.append(np.array(position, dtype=float))
    points: list[np.ndarray] = []
    bars: list[tuple[int, int, int]] = []
    for body, (turn, origin) in enumerate(zip(turns, origins, strict=True), start=-1):
        for line in paths(arm, body):
            first = len(points)
            points += [origin + turn @ np.array(corner) for corner in line]
            bars += [(a, b, body + 1) for a, b in itertools.pairwise(range(first, len(points)))]
    for number, body_ in enumerate(arm.bodies):
        if body_.joint.kind == "prismatic":  # what has slid out, from where the joint stands at zero
            carrier = body_.parent + 1
            before = (arm.bodies[body_.parent].after if body_.parent >= 0 else Placement()) @ body_.before
            points += [origins[carrier] + turns[carrier] @ _shift(before), origins[number + 1]]
            bars.append((len(points) - 2, len(points) - 1, number + 1))
    first = len(points)
    points += [*origins, _tool(arm, turns, origins)]
    joints = [first + 1 + body for body, joint in enumerate(arm.all_moving) if joint.kind == "revolute"]
    slides = [first + 1 + body for body, joint in enumerate(arm.all_moving) if joint.kind != "revolute"]
    axes = np.array([turn[:, 2] for turn in turns[1:]]).reshape(-1, 3)
    view = _along(axes[0]) if len(axes) and not slides and np.allclose(axes, axes[0]) else from_a_corner()
    return SkeletonPicture(
        arm.name, np.array(points), view, bars, joints=joints, slides=slides, ground=first, tip=len(points) - 1
    )  # fmt: skip


def _tool(arm: ArmDescription, turns: Sequence[np.ndarray], origins: Sequence[np.ndarray]) -> np.ndarray:
    """Where the tool is."""
    body, frame = arm.body_of[arm.tool_link]
    placement = (arm.bodies[body].after @ frame if body >= 0 else frame) @ arm.tool
    return np.asarray(origins[body + 1] + turns[body + 1] @ _shift(placement))


def _shift(placement: Placement) -> np.ndarray:
    """The translation of a placement (m)."""
    return np.array([float(x) for x in placement.exact[1]])


def _along(axis: np.ndarray) -> np.ndarray:
    """Two rows that project along an axis, with the vertical up where it is not that axis."""
    up = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
    up = up - axis * (axis @ up)
    up /= np.linalg.norm(up)
    return np.stack([np.cross(up, axis), up])
