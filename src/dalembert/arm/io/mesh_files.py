"""Triangles of mesh files: binary STL, OBJ and MuJoCo's MSH, with the 32-bit coordinates that MuJoCo keeps of them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import ArmError
from ..exact import whole_number
from .text_files import file_bytes, text_of

Points: TypeAlias = NDArray[np.float64]
Faces: TypeAlias = NDArray[np.int64]

LARGEST_MESH = 200_000_000
"""Largest mesh file that is read (bytes)."""
STL_HEADER, STL_FACE = 84, 50


def read_mesh(path: Path, format_: str = "") -> tuple[Points, Faces]:
    """Vertices ``(v, 3)`` and faces ``(f, 3)`` of a mesh file; ``format_`` is its ending unless given."""
    kind = format_ or path.suffix.lower().lstrip(".")
    if kind not in ("stl", "obj", "msh"):
        raise ArmError(f"{path}: meshes are read from .stl, .obj and .msh; convert it, or give the body an <inertial>")
    content = file_bytes(path, LARGEST_MESH, "put the mesh there, or give the body an <inertial>")
    return checked(*{"stl": _stl, "obj": _obj, "msh": _msh}[kind](content, str(path)), str(path))


def checked(points: Points, faces: Faces, where: str) -> tuple[Points, Faces]:
    """The mesh, refused where a vertex is no place or a face has none."""
    if not np.isfinite(points).all():
        raise ArmError(f"{where}: a vertex is not finite as a 32-bit number; mend the mesh")
    if len(faces) and not (faces.min() >= 0 and faces.max() < len(points)):
        raise ArmError(f"{where}: a face names a vertex that is not there; mend the mesh")
    return points, faces


def single(points: object) -> Points:
    """Vertices as MuJoCo keeps them, in 32 bits; what is too large for those is infinite."""
    with np.errstate(over="ignore"):
        return np.array(points, np.float32).reshape(-1, 3).astype(float)


def merged(points: Points, faces: Faces) -> tuple[Points, Faces]:
    """The same mesh with vertices at the same place made one."""
    vertices, index = np.unique(points, axis=0, return_inverse=True)
    return vertices, index.reshape(-1)[faces]


def _stl(content: bytes, where: str) -> tuple[Points, Faces]:
    """Binary STL: 80 bytes of head, the number of faces, and for each face a normal, three corners, two bytes."""
    count = int(np.frombuffer(content, "<u4", 1, 80)[0]) if len(content) >= STL_HEADER else 0
    if not count or len(content) != STL_HEADER + STL_FACE * count:
        raise ArmError(f"{where}: is not a binary STL file; save it as binary STL")
    rows = np.frombuffer(content, np.uint8, offset=STL_HEADER).reshape(count, STL_FACE)
    corners = np.ascontiguousarray(rows[:, 12:48]).view("<f4").astype(float).reshape(-1, 3)
    return corners, np.arange(3 * count).reshape(count, 3)


def _msh(content: bytes, where: str) -> tuple[Points, Faces]:
    """MSH: four counts (vertices, normals, texture coordinates, faces), then these, in 32 bits each."""
    if len(content) < 16:
        raise ArmError(f"{where}: is not an MSH file; save the mesh as STL or OBJ")
    vertices, normals, textures, faces = (int(n) for n in np.frombuffer(content, "<i4", 4))
    words = 4 + 3 * vertices + 3 * normals + 2 * textures + 3 * faces
    if min(vertices, normals, textures, faces) < 0 or len(content) != 4 * words:
        raise ArmError(f"{where}: is not an MSH file of the size it says; save the mesh as STL or OBJ")
    points = np.frombuffer(content, "<f4", 3 * vertices, 16).astype(float).reshape(-1, 3)
    return points, np.frombuffer(content, "<i4", 3 * faces, 4 * (words - 3 * faces)).astype(np.int64).reshape(-1, 3)


def _obj(content: bytes, where: str) -> tuple[Points, Faces]:
    """OBJ: lines ``v x y z`` and ``f a b c [d]`` with vertices counted from 1, or back from the last one."""
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    objects, fresh = 0, True
    for number, line in enumerate(text_of(content, where).splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        try:
            if words[0] == "v":
                if "_" in line:
                    raise ValueError(line)  # Python reads 1_0 as ten, and nothing else does
                points.append([float(word) for word in words[1:4]])
            elif words[0] in ("o", "g"):
                fresh = True
            elif words[0] == "f":
                corners = [_corner(word.split("/")[0]) for word in words[1:]]
                corners = [corner - 1 if corner > 0 else len(points) + corner for corner in corners]
                objects, fresh = objects + fresh, False
                faces += _triangles(corners, points, where)
        except (ValueError, IndexError) as fault:
            if isinstance(fault, ArmError):
                raise
            raise ArmError(f"{where}: line {number} is not OBJ; mend the mesh, or save it as binary STL") from None
        if objects > 1:
            raise ArmError(
                f"{where}: holds several objects, of which MuJoCo takes only the first; keep one, or give the body an "
                f"<inertial>"
            )
    if any(len(point) != 3 for point in points):
        raise ArmError(f"{where}: a vertex has fewer than three coordinates; mend the mesh")
    return single(points), np.array(faces, np.int64).reshape(-1, 3)


def _corner(word: str) -> int:
    """The number of a vertex, of at most nine digits."""
    number = whole_number(word.removeprefix("-"))
    if number is None:
        raise ValueError(word)
    return -number if word.startswith("-") else number


def _triangles(corners: list[int], points: list[list[float]], where: str) -> list[tuple[int, int, int]]:
    """A face of three or four corners as triangles; one of four is cut along its shorter diagonal."""
    if len(corners) == 3:
        return [(corners[0], corners[1], corners[2])]
    if len(corners) != 4:
        raise ArmError(
            f"{where}: a face has {len(corners)} corners; cut the faces of the mesh into triangles, or give the body "
            f"an <inertial>"
        )
    a, b, c, d = corners
    if _distance(points[a], points[c]) < _distance(points[b], points[d]):
        return [(a, b, c), (a, c, d)]
    return [(a, b, d), (b, c, d)]


def _distance(a: list[float], b: list[float]) -> float:
    return sum((float(np.float32(x)) - float(np.float32(y))) ** 2 for x, y in zip(a, b, strict=True))
