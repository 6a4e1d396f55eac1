"""Joints to take hold of in the scene: a ring about each axis that turns, an arrow along each that slides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from .shape_nodes import quaternion, rotation

Array = NDArray[np.float64]
Pose = tuple[Array, Array]


def handle_displacement(kind: str, joint: Pose, handle: Pose) -> float:
    """How far the joint has to move (rad or m) for its frame to come to its handle: about, or along, its z."""
    turn = joint[0].T @ handle[0]
    if kind == "revolute":
        return float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))
    return float((joint[0].T @ (handle[1] - joint[1]))[2])


class JointHandles:
    """A handle at each joint that moves by itself.

    ``moved(k, change, handle)`` is called as a person drags one, ``released()`` when it is let go.
    """

    def __init__(
        self, scene: Any, arm: ArmDescription, size: float, frames: Callable[[], list[Pose]],
        moved: Callable[[int, float, Any], None], released: Callable[[], None],
    ) -> None:  # fmt: skip
        self.frames, self.moved = frames, moved
        self.kinds = [joint.kind for joint in arm.moving]
        followers = [joint.follows is not None for joint in arm.all_moving]
        self.bodies = [body for body, follows in enumerate(followers) if not follows]
        """The body that each coordinate moves by itself."""
        self.handles = []
        for k, kind in enumerate(self.kinds):
            turning = kind == "revolute"
            # A ring about z stands in the plane of x and y.
            handle = scene.add_transform_controls(
                f"/joint{k}", scale=(0.16 if turning else 0.2) * size, active_axes=(turning, turning, not turning),
                disable_axes=turning, disable_sliders=True, disable_rotations=not turning, visible=False,
                depth_test=False,
            )  # fmt: skip
            handle.on_update(lambda event, k=k: self.drag(k) if event.phase != "end" else released())
            self.handles.append(handle)
        self.visible = False

    def show(self, visible: bool) -> None:
        """Show or hide the handles."""
        self.visible = visible
        for handle in self.handles:
            handle.visible = visible

    def drag(self, k: int) -> None:
        """A handle was dragged: the joint follows."""
        handle = self.handles[k]
        if self.visible:
            change = handle_displacement(
                self.kinds[k], self.frames()[self.bodies[k]], (rotation(handle.wxyz), handle.position)
            )
            self.moved(k, change, handle)

    def place(self, held_handle: Any) -> None:
        """Put the handles at their joints, but for the one that a person holds."""
        if not self.visible:
            return
        frames = self.frames()
        for body, handle in zip(self.bodies, self.handles, strict=True):
            if handle is not held_handle:
                turn, origin = frames[body]
                handle.wxyz, handle.position = quaternion(turn), origin
