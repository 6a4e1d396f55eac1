"""The process that reads mesh files: ``python -m dalembert.studio.mesh_process SECONDS``, paths on standard input.

Mesh files come with the arm, from anywhere, and the libraries that read them were not written for hostile ones. So they
are read here, apart from the studio, with bounded memory and time; what is too much ends this process and nothing else.
Each mesh goes to standard output as its length in eight bytes and the arrays of ``numpy.savez``: points, faces and
colour of each part, or the sentence that says why there is none.
"""

from __future__ import annotations

import io
import json
import math
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.mesh_files import read_mesh
from ..arm.io.text_files import file_bytes, text_of
from ..arm.io.xml_text import parse

LARGEST_MESH = 64_000_000
"""Largest mesh file that is shown (bytes)."""
MOST_TRIANGLES = 1_000_000
"""Most triangles of one mesh file that are shown."""
MEMORY = 2_000_000_000
"""Most memory (bytes) that reading may take, where the system can bound it."""
MISSING = "put the mesh there"


def parts_of(path: Path) -> list[tuple[NDArray[Any], NDArray[Any], tuple[float, ...]]]:
    """Points (m), faces and colour (empty where it has none) of each part of a mesh file."""
    kind = path.suffix.lower().lstrip(".")
    if kind == "msh":
        points, faces = read_mesh(path)
        return _bounded([(points, faces, ())], path)
    content, unit = file_bytes(path, LARGEST_MESH, MISSING), 1.0
    if kind == "dae":
        content, unit = _plain_collada(text_of(content, str(path)), str(path))
    try:
        parts = _of_trimesh(content, kind, unit)
    except ArmError:
        raise
    except MemoryError:
        raise ArmError(f"{path}: takes more memory than a mesh should; simplify it") from None
    except Exception as fault:  # the library raises what it likes at a file that is no mesh
        raise ArmError(f"{path}: is no {kind.upper()} mesh ({type(fault).__name__}); save it anew") from None
    return _bounded(parts, path)


def _plain_collada(text: str, where: str) -> tuple[bytes, float]:
    """The document without document type and entities, and the length of its unit (m)."""
    from xml.etree.ElementTree import tostring

    root = parse(text, where)
    unit = next((node.get("meter", "1") for node in root.iter() if node.tag.rpartition("}")[2] == "unit"), "1")
    try:
        length = float(unit)
    except ValueError:
        length = math.nan
    if not (math.isfinite(length) and length > 0):
        raise ArmError(f"{where}: its unit is {unit!r:.40} m; give a length")
    return tostring(root, encoding="utf-8", xml_declaration=True), length


def _of_trimesh(content: bytes, kind: str, unit: float) -> list[tuple[NDArray[Any], NDArray[Any], tuple[float, ...]]]:
    """The parts of a mesh; files that it refers to (materials, textures, buffers) are not followed."""
    import trimesh

    scene = trimesh.load_scene(io.BytesIO(content), file_type=kind, resolver=None, allow_remote=False)
    parts = []
    for name in scene.graph.nodes_geometry:
        turn, geometry = scene.graph.get(name)
        mesh = scene.geometry[geometry]
        if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
            continue
        points = unit * trimesh.transform_points(mesh.vertices, turn)
        faces = mesh.faces if np.linalg.det(turn[:3, :3]) > 0 else mesh.faces[:, ::-1]
        colour = np.asarray(_main_colour(mesh.visual), dtype=float).ravel() / 255
        parts.append((points, np.asarray(faces), tuple(colour.tolist())))
    return parts


def _main_colour(visual: Any) -> Any:
    """The colour of most of a mesh, as four bytes; nothing where it has none."""
    if not visual.defined:
        return ()
    return visual.material.main_color if visual.kind == "texture" else visual.main_color


def _bounded(
    parts: list[tuple[NDArray[Any], NDArray[Any], tuple[float, ...]]], path: Path
) -> list[tuple[NDArray[Any], NDArray[Any], tuple[float, ...]]]:
    triangles = sum(len(faces) for _, faces, _ in parts)
    if not triangles:
        raise ArmError(f"{path}: holds no triangles; save it as a mesh")
    if triangles > MOST_TRIANGLES:
        raise ArmError(f"{path}: has {triangles:,} triangles; at most {MOST_TRIANGLES:,} are shown, simplify it")
    for points, faces, _ in parts:
        if not np.isfinite(points).all():
            raise ArmError(f"{path}: a vertex is not finite; mend the mesh")
        if faces.min() < 0 or faces.max() >= len(points):
            raise ArmError(f"{path}: a face names a vertex that is not there; mend the mesh")
    return parts


def record(path: Path) -> bytes:
    """What is answered for a mesh file, as bytes."""
    arrays: dict[str, Any] = {}
    try:
        for number, (points, faces, colour) in enumerate(parts_of(path)):
            arrays[f"points{number}"] = np.asarray(points, np.float32)
            arrays[f"faces{number}"] = np.asarray(faces, np.uint32)
            arrays[f"colour{number}"] = np.asarray(colour, np.float64)
    except ArmError as fault:
        arrays = {"fault": np.array(str(fault))}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def bounded() -> None:
    """Bound the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:  # not a Unix
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if most < 0 else min(MEMORY, most), most))


def main(seconds: int, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer for each path of a JSON list, in at most this time each, where the system can bound it."""
    import trimesh  # noqa: F401  (before the time of the first mesh begins)

    bounded()
    for path in json.loads(source.read()):
        if hasattr(signal, "alarm"):
            signal.alarm(seconds)  # without a handler it ends the process
        encoded = record(Path(path))
        sink.write(len(encoded).to_bytes(8, "big") + encoded)
        sink.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
