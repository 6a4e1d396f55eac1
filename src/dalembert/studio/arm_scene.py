"""The arm in the scene: bars, joints, frames, mass centres, boxes of equal mass and inertia; moved, not drawn anew."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from ..arm.description import ArmDescription
from ..formulations.chain import chain
from ..formulations.system import SystemOverRing
from ..report.arm3d import bodies, joint_data, paths, size
from ..report.skeleton_picture import FILLS
from ..rings.real import REAL

Array = NDArray[np.float64]


def colour(number: int) -> tuple[int, int, int]:
    """The colour of a body, told apart by people who see few colours too."""
    code = FILLS[number % len(FILLS)]
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def quaternion(turn: Array) -> tuple[float, float, float, float]:
    """w, x, y, z of a rotation matrix."""
    x, y, z, w = Rotation.from_matrix(turn).as_quat()
    return float(w), float(x), float(y), float(z)


def along(start: Array, end: Array) -> tuple[Array, float]:
    """A rotation that turns z into the way from one point to the other, and its length."""
    way = end - start
    length = float(np.linalg.norm(way))
    if length < 1e-12:
        return np.eye(3), 0.0
    return Rotation.align_vectors([way / length], [[0.0, 0.0, 1.0]])[0].as_matrix(), length


def reach(arm: ArmDescription) -> float:
    """About how far the arm reaches (m), for sizes of what is drawn."""
    found = {
        "joints": [joint_data(joint) for joint in arm.moving],
        "paths": [paths(arm, index) for index in range(-1, len(arm.bodies))],
    }
    return size(found)


class ArmScene:
    """Nodes of one arm below ``root``; ``move(q)`` puts them where they are. ``ghost`` is drawn pale."""

    def __init__(self, scene: Any, arm: ArmDescription, root: str = "/arm", ghost: bool = False) -> None:
        self.arm, self.scene, self.root, self.ghost = arm, scene, root, ghost
        self.physics = SystemOverRing(arm, REAL)
        self.size = reach(arm)
        self.frames: list[Any] = []
        self.shown: dict[str, list[Any]] = {"boxes": [], "centres": [], "axes": []}
        self._draw()

    def _draw(self) -> None:
        self.ground = self.scene.add_frame(self.root, show_axes=False)
        self._bars(self.root, -1)
        for body, content in enumerate(bodies(chain(self.arm, REAL))):
            name = f"{self.root}/body{body}"
            self.frames.append(self.scene.add_frame(name, show_axes=False))
            self._bars(name, body)
            self._joint(name, body)
            if not self.ghost:
                self._mass(name, body, content)

    def _bars(self, name: str, body: int) -> None:
        """The bars of a body (-1: the base) along its links."""
        radius = 0.012 * self.size * (0.6 if self.ghost else 1.0)
        for line, corners in enumerate(paths(self.arm, body)):
            for piece, (a, b) in enumerate(itertools.pairwise(corners)):
                start, end = np.array(a), np.array(b)
                turn, length = along(start, end)
                self.scene.add_cylinder(
                    f"{name}/bar{line}_{piece}", radius=radius, height=length, radial_segments=16,
                    color=(160, 160, 160) if self.ghost else colour(body + 1),
                    opacity=0.35 if self.ghost else None, wxyz=quaternion(turn), position=(start + end) / 2,
                )  # fmt: skip

    def _joint(self, name: str, body: int) -> None:
        """A joint: a drum about its axis, or a block on its way; and its axes, to be shown on request."""
        kind = self.arm.all_moving[body].kind
        edge = 0.03 * self.size
        if not self.ghost:
            if kind == "revolute":
                self.scene.add_cylinder(
                    f"{name}/joint", radius=0.6 * edge, height=1.4 * edge, color=(60, 60, 60), radial_segments=24
                )
            else:
                self.scene.add_box(f"{name}/joint", dimensions=(edge, edge, 1.6 * edge), color=(60, 60, 60))
            self.shown["axes"].append(
                self.scene.add_frame(
                    f"{name}/axes", axes_length=0.12 * self.size, axes_radius=0.004 * self.size, visible=False
                )
            )

    def _mass(self, name: str, body: int, content: dict[str, Any]) -> None:
        """Mass centre, and the box of equal mass and inertia."""
        if content["mass"] <= 0:
            return
        self.shown["centres"].append(
            self.scene.add_icosphere(
                f"{name}/centre", radius=0.014 * self.size, color=(20, 20, 20), position=content["com"], visible=False
            )
        )
        box = content["box"]
        if box is not None:
            self.shown["boxes"].append(
                self.scene.add_box(
                    f"{name}/box",
                    dimensions=tuple(max(edge, 1e-4) for edge in box["edges"]),
                    color=colour(body + 1),
                    opacity=0.3,
                    wxyz=quaternion(np.array(box["axes"]).reshape(3, 3)),
                    position=content["com"],
                    visible=False,
                )
            )

    def show(self, what: str, visible: bool) -> None:
        """Show or hide "boxes", "centres" or "axes"."""
        for node in self.shown[what]:
            node.visible = visible

    def move(self, q: ArrayLike) -> None:
        """Put every body where it is at positions ``q``."""
        pose = [float(value) for value in np.asarray(q)]
        for node, (turn, origin) in zip(self.frames, self.physics.frames(REAL, pose), strict=True):
            node.wxyz = quaternion(np.array(turn, dtype=float))
            node.position = np.array(origin, dtype=float)

    def remove(self) -> None:
        """Take the arm out of the scene."""
        self.ground.remove()
