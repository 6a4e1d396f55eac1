"""A scene that only remembers its nodes, for what is drawn where."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation


class Node:
    """A node with the properties it was given."""

    def __init__(self, scene: StillScene, kind: str, name: str, **properties: Any) -> None:
        self.scene, self.kind, self.name = scene, kind, name
        self.wxyz, self.position, self.visible = (1.0, 0.0, 0.0, 0.0), np.zeros(3), True
        self.__dict__.update(properties)

    def remove(self) -> None:
        del self.scene.nodes[self.name]


class StillScene:
    """``nodes`` by name; ``made`` counts how many were ever made."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.made = 0

    def __getattr__(self, method: str) -> Any:
        if not method.startswith("add_"):
            raise AttributeError(method)

        def add(name: str, **properties: Any) -> Node:
            self.made += 1
            self.nodes[name] = Node(self, method.removeprefix("add_"), name, **properties)
            return self.nodes[name]

        return add

    def pose(self, name: str) -> np.ndarray:
        """Where a node stands in the world, as a matrix."""
        found = np.eye(4)
        while name:
            if name in self.nodes:
                node, here = self.nodes[name], np.eye(4)
                w, x, y, z = node.wxyz
                here[:3, :3] = Rotation.from_quat([x, y, z, w]).as_matrix()
                here[:3, 3] = node.position
                found = here @ found
            name = name.rpartition("/")[0]
        return found
