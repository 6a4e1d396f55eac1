"""Volume, mass centre and inertia of a mesh of MJCF, by the rule of its attribute ``inertia``, as MuJoCo has them.

A mesh is cut into pyramids from a point to its faces. ``exact`` adds their volumes with sign, ``legacy`` (the default
of the format) their amounts, ``convex`` takes the faces of the convex hull, ``shell`` puts the mass on the faces.
With corners a, b, c of a face seen from the mass centre and v its volume (area), the integral of x x^T is the sum over
the faces of v / 20 (2 a a^T + 2 b b^T + 2 c c^T + a b^T + b a^T + ...) (12 in place of 20 for a shell).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import isfile
from pathlib import Path

import numpy as np

from ..axes import quaternion
from ..inertia import Inertia
from .mesh_files import Faces, Points, checked, merged, read_mesh, single
from .mjcf_defaults import MAIN, Defaults
from .mjcf_include import MjcfSource
from .xml_text import XmlNode, read_number, shortened

RULES = ("convex", "exact", "legacy", "shell")
MESH = (
    "name", "class", "content_type", "file", "vertex", "normal", "texcoord", "face", "refpos", "refquat", "scale",
    "smoothnormal", "inertia", "maxhullvert", "octree_maxdepth", "material", "builtin", "params",
)  # fmt: skip
CONTENT = {"model/stl": "stl", "model/obj": "obj", "model/vnd.mujoco.msh": "msh"}
SMALLEST = 1e-15
"""Least volume (m^3) or area (m^2) that MuJoCo takes."""


@dataclass
class Meshes:
    """The meshes of a file by name; each is opened when its inertia is asked for, once."""

    assets: Mapping[str, XmlNode] = field(default_factory=dict)
    paths: Mapping[str, Path] = field(default_factory=dict)
    """The file of each mesh that can be looked for: not those of a text without folder."""
    inertias: dict[str, Inertia] = field(default_factory=dict)

    @classmethod
    def of(cls, root: XmlNode, defaults: Defaults, source: MjcfSource, compiler: Mapping[str, str]) -> Meshes:
        """The meshes of the <asset> sections, looked for in ``meshdir``, else beside the file that names them."""
        assets, paths = {}, {}
        folder = compiler.get("meshdir", compiler.get("assetdir", ""))
        for section in root.all("asset"):
            for mesh in section.all("mesh"):
                file = Path(mesh.element.get("file", "").replace("\\", "/"))
                name = mesh.element.get("name") or file.stem
                assets[name] = defaults.applied(XmlNode(mesh.element, f"{root.where}: mesh {shortened(name)}"), MAIN)
                if compiler.get("strippath") == "true":
                    file = Path(file.name)
                if source.folder is not None:
                    paths[name] = source.folder / folder / file
                    including_folder = source.folders.get(mesh.element)
                    if including_folder is not None and not isfile(paths[name]):
                        paths[name] = including_folder / file
        return cls(assets, paths)

    def file(self, name: str) -> str:
        """The file of a mesh as the format names it; its name where it has none."""
        asset = self.assets.get(name)
        return (asset.element.get("file") or name) if asset is not None else name

    def body(self, name: str, geom: XmlNode) -> Inertia:
        """The mesh as a body of density 1 (per volume, or per area for a shell), in the axes of the file."""
        if name not in self.assets:
            raise geom.fault(f"names mesh {shortened(name)}, which is not there; add it to <asset>")
        if name not in self.inertias:
            self.inertias[name] = self._body(name, self.assets[name])
        return self.inertias[name]

    def _body(self, name: str, asset: XmlNode) -> Inertia:
        asset.only_attributes(MESH)
        rule = asset.choice("inertia", RULES, "legacy")
        if asset.element.get("builtin", "none") != "none":
            raise asset.fault("is built in, and only files and vertices are read; give the body an <inertial>")
        points, faces = self._geometry(name, asset)
        points = placed(points, asset)
        if np.prod([float(x) for x in asset.vector("scale", (1, 1, 1))]) < 0:
            faces = faces[:, [0, 2, 1]]
        if rule == "convex" and asset.number("maxhullvert", -1) > 0:
            raise asset.fault("maxhullvert leaves corners of the hull out, which is not done here; give an <inertial>")
        if rule == "convex" or not len(faces):
            faces = hull(points, asset)
        if rule == "exact" and inconsistent(*merged(points, faces)):
            raise asset.fault("its faces turn both ways round, and inertia='exact' needs one; mend it, or say 'convex'")
        return solid(points, faces, rule, asset)

    def _geometry(self, name: str, asset: XmlNode) -> tuple[Points, Faces]:
        if not asset.element.get("file"):
            numbers = [float(read_number(word, asset.where)) for word in asset.text("vertex").split()]
            corners = [read_number(word, asset.where) for word in asset.element.get("face", "").split()]
            if len(numbers) % 3 or len(corners) % 3:
                raise asset.fault("vertex and face hold three numbers each time; complete them")
            if any(corner.denominator != 1 or not 0 <= corner < len(numbers) for corner in corners):
                raise asset.fault("a face names a vertex that is not there; mend the mesh")
            faces = np.array([int(corner) for corner in corners], np.int64).reshape(-1, 3)
            return checked(single(numbers), faces, asset.where)
        if name not in self.paths:
            raise asset.fault("is in a file, and a text has no folder to look in; load the MJCF file by its path")
        return read_mesh(self.paths[name], CONTENT.get(asset.element.get("content_type", ""), ""))


def placed(points: Points, asset: XmlNode) -> Points:
    """The vertices after ``refpos``, ``refquat`` and ``scale``, in this order."""
    points = points - np.array([float(x) for x in asset.vector("refpos")])
    turn = asset.numbers("refquat", 4)
    if turn is not None:
        w, x, y, z = turn
        points = points @ np.array(quaternion(w, x, y, z, f"{asset.where}: refquat").rotation, float)
    return points * np.array([float(x) for x in asset.vector("scale", (1, 1, 1))])


def hull(points: Points, asset: XmlNode) -> Faces:
    """Faces of the convex hull, turned outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        convex_hull = ConvexHull(points)
    except (QhullError, ValueError):
        raise asset.fault("is flat and has no convex hull; give the body an <inertial>") from None
    faces: Faces = np.array(convex_hull.simplices, np.int64)
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), convex_hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return faces


def inconsistent(points: Points, faces: Faces) -> bool:
    """Whether two faces run along an edge the same way."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    nondegenerate = faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0]
    edges = np.concatenate([nondegenerate[:, [0, 1]], nondegenerate[:, [1, 2]], nondegenerate[:, [2, 0]]])
    return len(np.unique(edges, axis=0)) < len(edges)


def solid(points: Points, faces: Faces, rule: str, asset: XmlNode) -> Inertia:
    """Volume (area), first moment and inertia of a mesh of density 1."""
    corners = points[faces]
    centres = corners.mean(axis=1)
    areas = np.linalg.norm(_normals(corners), axis=1) / 2
    if areas.sum() < SMALLEST:
        raise asset.fault("has no surface; give the body an <inertial>")
    apex = areas @ centres / areas.sum()
    if rule == "shell":
        weights, com = areas, apex
    else:
        volumes = _volumes(corners - apex, rule)
        if volumes.sum() < SMALLEST:
            raise asset.fault(
                f"has no volume by the rule {rule!r}; turn its faces outwards, say inertia='shell' or 'convex', or "
                f"give the body an <inertial>"
            )
        com = volumes @ (centres * 3 / 4 + apex / 4) / volumes.sum()
        weights = _volumes(corners - com, rule)
    a, b, c = (corners[:, k] - com for k in range(3))
    s = a + b + c
    # 2aa + 2bb + 2cc + all mixed products = aa + bb + cc + ss with s = a + b + c.
    second = sum(np.einsum("i,ij,ik->jk", weights, x, x) for x in (a, b, c, s)) / (12 if rule == "shell" else 20)
    tensor = np.trace(second) * np.eye(3) - second
    return Inertia.of(weights.sum(), tuple(com), (tensor + tensor.T) / 2, what=asset.where)


def _normals(corners: Points) -> Points:
    normals: Points = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals


def _volumes(corners: Points, rule: str) -> Points:
    """Volumes of the pyramids from the origin to the faces."""
    volumes: Points = np.einsum("ij,ij->i", corners.mean(axis=1), _normals(corners)) / 6
    return np.abs(volumes) if rule == "legacy" else volumes
