"""The arm in the scene: shapes or bars, joints, mass centres, boxes of equal inertia; moved, not drawn anew."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from ..arm.description import ArmDescription
from ..arm.placement import Placement
from ..formulations.chain import chain
from ..formulations.system import SystemOverRing
from ..report.arm3d import bodies, joint_data, paths, size
from ..report.skeleton_picture import FILLS
from ..rings.real import REAL
from .link_looks import LinkLooks, matrix
from .scene_nodes import SceneNodes
from .shape_nodes import quaternion, shape_nodes

Array = NDArray[np.float64]


def colour(number: int) -> tuple[int, int, int]:
    """The colour of a body, told apart by people who see few colours too."""
    code = FILLS[number % len(FILLS)]
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def along(start: Array, end: Array) -> tuple[Array, float]:
    """A rotation that turns z into the way from one point to the other, and its length."""
    direction = end - start
    length = float(np.linalg.norm(direction))
    if length < 1e-12:
        return np.eye(3), 0.0
    return Rotation.align_vectors([direction / length], [[0.0, 0.0, 1.0]])[0].as_matrix(), length


def reach(arm: ArmDescription) -> float:
    """About how far the arm reaches (m), for sizes of what is drawn."""
    scene_data = {
        "joints": [joint_data(joint) for joint in arm.moving],
        "paths": [paths(arm, index) for index in range(-1, len(arm.bodies))],
    }
    return size(scene_data)


class ArmScene:
    """Nodes of one arm below ``root``; ``move(q)`` puts them where they are. ``ghost`` is drawn pale, as bars.

    Bodies with shapes are drawn as these, others as bars and joints. Another design of the same arm changes the nodes
    that are there (``update``): nothing is sent twice, and nothing piles up.
    """

    def __init__(
        self,
        scene: Any,
        arm: ArmDescription,
        root: str = "/arm",
        ghost: bool = False,
        looks: LinkLooks | None = None,
        *,
        skeleton: bool = True,
        size: float | None = None,
    ) -> None:
        """Without ``skeleton`` there are no bars and joints; ``size`` (m) is about how large the whole picture is."""
        self.root, self.ghost, self.skeleton, self.given_size = root, ghost, skeleton, size
        self.nodes = SceneNodes(scene)
        self.visible = {"shapes": True, "boxes": False, "centres": False, "axes": False}
        self.update(arm, looks)

    def update(self, arm: ArmDescription, looks: LinkLooks | None = None) -> None:
        """Draw this arm, with these looks, in place of the last one."""
        self.arm, self.looks = arm, looks
        self.physics = SystemOverRing(arm, REAL)
        self.size = reach(arm) if self.given_size is None else self.given_size
        self.frames: list[Any] = []
        self.shown: dict[str, list[Any]] = {"shapes": [], "bars": [], "boxes": [], "centres": [], "axes": []}
        self.nodes.begin()
        self.nodes.put("add_frame", self.root, show_axes=False)
        self._body(self.root, -1)
        for body, content in enumerate(bodies(chain(arm, REAL))):
            name = f"{self.root}/body{body}"
            self.frames.append(self.nodes.put("add_frame", name, show_axes=False))
            self._body(name, body)
            if not self.ghost:
                self._axes(name)
                self._mass(name, body, content)
        self.nodes.end()
        for part, visible in self.visible.items():
            self.show(part, visible)

    def _body(self, name: str, body: int) -> None:
        """A body (-1: the base): its shapes, and bars and joint, of which those with shapes are hidden."""
        shapes = self._shapes(name, body) if self.looks is not None and not self.ghost else []
        bars = self._bars(name, body) if self.skeleton else []
        if self.skeleton and body >= 0 and not self.ghost:
            bars.append(self._joint(name, body))
        self.shown["shapes"] += shapes
        if shapes:
            self.shown["bars"] += bars

    def _shapes(self, name: str, body: int) -> list[Any]:
        """The shapes of all links of a body, those behind fixed joints included."""
        assert self.looks is not None
        after = self.arm.bodies[body].after if body >= 0 else Placement()
        nodes: list[Any] = []
        for number, link in enumerate(self.arm.links):
            body_index, frame = self.arm.body_of[link.name]
            if body_index != body:
                continue
            for part, (shape, parts) in enumerate(self.looks.shapes.get(link.name, ())):
                placement = matrix(after @ frame @ shape.placement)
                nodes += shape_nodes(
                    self.nodes, f"{name}/link{number}_{part}", shape, parts, placement, colour(body + 1)
                )
        return nodes

    def _bars(self, name: str, body: int) -> list[Any]:
        """The bars of a body along its links."""
        radius = 0.012 * self.size * (0.6 if self.ghost else 1.0)
        nodes = []
        for line, corners in enumerate(paths(self.arm, body)):
            for piece, (a, b) in enumerate(itertools.pairwise(corners)):
                start, end = np.array(a), np.array(b)
                turn, length = along(start, end)
                nodes.append(
                    self.nodes.put(
                        "add_cylinder", f"{name}/bar{line}_{piece}", {"radial_segments": 16},
                        radius=radius, height=length,
                        color=(160, 160, 160) if self.ghost else colour(body + 1),
                        opacity=0.35 if self.ghost else None, wxyz=quaternion(turn), position=(start + end) / 2,
                    )
                )  # fmt: skip
        return nodes

    def _joint(self, name: str, body: int) -> Any:
        """A joint: a drum about its axis, or a block on its way."""
        edge, dark = 0.03 * self.size, (60, 60, 60)
        if self.arm.all_moving[body].kind == "revolute":
            return self.nodes.put(
                "add_cylinder", f"{name}/joint", {"radial_segments": 24},
                radius=0.6 * edge, height=1.4 * edge, color=dark,
            )  # fmt: skip
        return self.nodes.put("add_box", f"{name}/joint", dimensions=(edge, edge, 1.6 * edge), color=dark)

    def _axes(self, name: str) -> None:
        """The axes of a joint, to be shown on request."""
        self.shown["axes"].append(
            self.nodes.put(
                "add_frame",
                f"{name}/axes",
                axes_length=0.12 * self.size,
                axes_radius=0.004 * self.size,
                visible=self.visible["axes"],
            )
        )

    def _mass(self, name: str, body: int, content: dict[str, Any]) -> None:
        """Mass centre, and the box of equal mass and inertia."""
        if content["mass"] <= 0:
            return
        self.shown["centres"].append(
            self.nodes.put(
                "add_icosphere", f"{name}/centre", radius=0.014 * self.size, color=(20, 20, 20),
                position=np.array(content["com"]), visible=self.visible["centres"],
            )
        )  # fmt: skip
        box = content["box"]
        if box is not None:
            self.shown["boxes"].append(
                self.nodes.put(
                    "add_box", f"{name}/box", dimensions=tuple(max(edge, 1e-4) for edge in box["edges"]),
                    color=colour(body + 1), opacity=0.3, wxyz=quaternion(np.array(box["axes"]).reshape(3, 3)),
                    position=np.array(content["com"]), visible=self.visible["boxes"],
                )
            )  # fmt: skip

    def show(self, part: str, visible: bool) -> None:
        """Show or hide "shapes", "boxes", "centres" or "axes"; without shapes all bodies are bars."""
        self.visible[part] = visible
        for node in self.shown[part]:
            node.visible = visible
        if part == "shapes":
            for node in self.shown["bars"]:
                node.visible = not visible

    def move(self, q: ArrayLike) -> None:
        """Put every body where it is at positions ``q``."""
        for node, (turn, origin) in zip(self.frames, self.joint_frames(q), strict=True):
            node.wxyz, node.position = quaternion(turn), origin

    def joint_frames(self, q: ArrayLike) -> list[tuple[Array, Array]]:
        """Rotation and origin of the joint frame of each body at positions ``q``; its axis is z."""
        pose = [float(value) for value in np.asarray(q)]
        frames = self.physics.frames(REAL, pose)
        return [(np.array(turn, dtype=float), np.array(origin, dtype=float)) for turn, origin in frames]

    def remove(self) -> None:
        """Take the arm out of the scene."""
        self.nodes.clear()
