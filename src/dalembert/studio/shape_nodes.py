"""Shapes of links as nodes of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ..arm.shapes import Colour, LinkShape
from .link_looks import MeshPart, placed_points
from .scene_nodes import SceneNodes

Array = NDArray[np.float64]
Bytes = tuple[int, int, int]


def quaternion(turn: Array) -> tuple[float, float, float, float]:
    """w, x, y, z of a rotation matrix."""
    x, y, z, w = Rotation.from_matrix(turn).as_quat()
    return float(w), float(x), float(y), float(z)


def rotation(wxyz: Sequence[float]) -> Array:
    """The rotation matrix of w, x, y, z."""
    w, x, y, z = wxyz
    return np.asarray(Rotation.from_quat([x, y, z, w]).as_matrix())


def paint(colour: Colour | None, otherwise: Bytes) -> dict[str, Any]:
    """Colour and opacity of a node."""
    if colour is None:
        return {"color": otherwise, "opacity": None}
    r, g, b, a = colour
    return {"color": (round(255 * r), round(255 * g), round(255 * b)), "opacity": a if a < 1 else None}


def shape_nodes(
    nodes: SceneNodes,
    name: str,
    shape: LinkShape,
    parts: Sequence[MeshPart],
    pose: tuple[Array, Array],
    default_colour: Bytes,
) -> list[Any]:
    """The nodes of a shape at ``pose``, a rotation and a position; ``default_colour`` is for what has none."""
    turn, position = pose
    placement: dict[str, Any] = {"wxyz": quaternion(turn), "position": position}
    look = paint(shape.colour, default_colour)
    if shape.kind == "mesh":
        return [_mesh(nodes, f"{name}_{k}", shape, part, placement, default_colour) for k, part in enumerate(parts)]
    if shape.kind == "box":
        return [nodes.put("add_box", name, dimensions=shape.size, **placement, **look)]
    if shape.kind == "sphere":
        return [nodes.put("add_icosphere", name, radius=shape.size[0], **placement, **look)]
    if shape.kind == "ellipsoid":
        return [nodes.put("add_icosphere", name, {"radius": 1.0}, scale=shape.size, **placement, **look)]
    radius, length = shape.size
    shape_parts = [nodes.put("add_cylinder", name, radius=radius, height=length, **placement, **look)]
    if shape.kind == "capsule":
        for end, sign in enumerate((-1, 1)):
            middle = position + turn @ np.array([0.0, 0.0, sign * length / 2])
            shape_parts.append(nodes.put("add_icosphere", f"{name}_end{end}", radius=radius, position=middle, **look))
    return shape_parts


def _mesh(
    nodes: SceneNodes, name: str, shape: LinkShape, part: MeshPart, pose: dict[str, Any], otherwise: Bytes
) -> Any:
    """A part of a mesh: its own colour goes before that of the shape, as viewers of ROS have it."""
    if name in nodes.handles:
        return nodes.put("add_mesh_simple", name, **pose)
    points, faces = placed_points(shape, part)
    # Edges of machine parts are sharp, and files of triangles do not say which of them are.
    large = {"vertices": points, "faces": faces, "flat_shading": True, "side": "double"}
    return nodes.put("add_mesh_simple", name, large, **pose, **paint(part.colour or shape.colour, otherwise))
