"""A mechanism in the scene: the skeleton of its chains and closures, with the shapes and masses of its bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.mechanism import Mechanism
from ..mechanisms.skeleton import Skeleton
from .arm_scene import ArmScene, along, colour
from .link_looks import LinkLooks
from .scene_nodes import SceneNodes
from .shape_nodes import quaternion

Array = NDArray[np.float64]
PALE = (200, 200, 200)


class MechanismScene:
    """Nodes of a mechanism below /mechanism; ``move(phi)`` puts them where they are at joints phi."""

    def __init__(self, scene: Any, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.skeleton = Skeleton(mechanism)
        points = self.skeleton.positions(mechanism.home[None])[0]
        self.middle = (points.min(0) + points.max(0)) / 2
        self.size = max(1.5 * float(np.linalg.norm(np.ptp(points, axis=0))), 0.05)
        self.nodes = SceneNodes(scene)
        self.chains = [
            ArmScene(scene, arm, f"/mechanism/chain{number}", skeleton=False, size=self.size)
            for number, arm in enumerate(mechanism.chains.arms.values())
        ]
        self.move(mechanism.home)

    def look(self, looks: list[LinkLooks]) -> None:
        """Show these shapes of the chains."""
        for chain, chain_looks in zip(self.chains, looks, strict=True):
            chain.update(chain.arm, chain_looks)

    def show(self, part: str, visible: bool) -> None:
        """Show or hide "shapes", "boxes", "centres" or "axes"."""
        for chain in self.chains:
            chain.show(part, visible)

    def move(self, phi: Array) -> None:
        """Put everything where it is at joints phi ``(m,)``."""
        for chain, part in zip(self.chains, self.mechanism.chains.slices, strict=True):
            chain.move(phi[part])
        points = self.skeleton.positions(phi[None])[0]
        self.nodes.begin()
        for number, (a, b, chain_number) in enumerate(self.skeleton.bars):
            turn, length = along(points[a], points[b])
            self.nodes.put(
                "add_cylinder", f"/mechanism/bar{number}", {"radial_segments": 16, "radius": 0.012 * self.size},
                height=max(length, 1e-9), color=colour(chain_number + 1), wxyz=quaternion(turn),
                position=(points[a] + points[b]) / 2,
            )  # fmt: skip
        for number, corners in enumerate(self.skeleton.plates):
            self._plate(number, points[corners])
        for number in dict.fromkeys(self.skeleton.joints):
            self.nodes.put(
                "add_icosphere", f"/mechanism/joint{number}", {"radius": 0.018 * self.size, "color": (60, 60, 60)},
                position=points[number],
            )  # fmt: skip
        self.nodes.end()

    def _plate(self, number: int, corners: Array) -> None:
        """A body with three closures or more: a fan of triangles about the middle of them, seen from both sides."""
        middle = corners.mean(axis=0)
        _, _, axes = np.linalg.svd(corners - middle)
        order = np.argsort(np.arctan2((corners - middle) @ axes[1], (corners - middle) @ axes[0]))
        ring = np.arange(len(corners))
        faces = np.stack([np.full_like(ring, len(ring)), ring, np.roll(ring, -1)], axis=1)
        self.nodes.put(
            "add_mesh_simple", f"/mechanism/plate{number}",
            {"faces": faces.astype(np.uint32), "color": PALE, "side": "double", "flat_shading": True},
            vertices=np.concatenate([corners[order], middle[None]]).astype(np.float32),
        )  # fmt: skip
