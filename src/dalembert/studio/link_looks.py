"""What the links of an arm look like: their shapes, with meshes read and what cannot be shown said."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.io.mesh_paths import folder_of, mesh_path
from ..arm.placement import Placement
from ..arm.shapes import Colour, LinkShape

MOST_TRIANGLES = 3_000_000
"""Most triangles of one arm that are shown."""
LARGEST_ANSWER = 1_000_000_000
"""Most bytes that the reader of meshes may answer for one mesh."""
SECONDS = 30
"""Longest time for one mesh."""
MOST_NAMED = 5


@dataclass(frozen=True)
class MeshPart:
    """Triangles of one colour."""

    points: NDArray[np.float32]
    faces: NDArray[np.uint32]
    colour: Colour | None = None


def read_meshes(paths: Sequence[Path], seconds: int = SECONDS) -> dict[Path, tuple[MeshPart, ...] | str]:
    """The parts of each mesh file, or the sentence that says why it has none; read by a process of its own."""
    parts_by_path: dict[Path, tuple[MeshPart, ...] | str] = {}
    remaining = list(dict.fromkeys(paths))
    while remaining:
        read = _read_in_process(remaining, seconds)
        parts_by_path |= dict(zip(remaining, read, strict=False))
        if len(read) < len(remaining):  # it ended at this one
            parts_by_path[remaining[len(read)]] = (
                f"{remaining[len(read)]}: takes too long or too much memory to read; simplify it"
            )
        remaining = remaining[len(read) + 1 :]
    return parts_by_path


def _read_in_process(paths: Sequence[Path], seconds: int) -> list[tuple[MeshPart, ...] | str]:
    """Answers in order, up to the mesh that ended the process, if one did."""
    # -P: nothing is imported from the folder one happens to stand in.
    command = [sys.executable, "-P", "-m", "dalembert.studio.mesh_process", str(seconds)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    answers: list[tuple[MeshPart, ...] | str] = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([str(path) for path in paths]).encode())
        process.stdin.close()
        while len(head := process.stdout.read(8)) == 8:
            length = int.from_bytes(head, "big")
            if length > LARGEST_ANSWER or len(answer := process.stdout.read(length)) < length:
                break
            answers.append(_parts(answer))
        process.kill()
    return answers


def _parts(answer: bytes) -> tuple[MeshPart, ...] | str:
    with np.load(io.BytesIO(answer), allow_pickle=False) as arrays:
        if "fault" in arrays:
            return str(arrays["fault"])
        parts = []
        for number in range(len(arrays.files) // 3):
            shade = tuple(float(x) for x in arrays[f"colour{number}"])
            colour: Colour | None = (shade[0], shade[1], shade[2], shade[3]) if len(shade) == 4 else None
            parts.append(MeshPart(arrays[f"points{number}"], arrays[f"faces{number}"], colour))
        return tuple(parts)


@dataclass(frozen=True)
class LinkLooks:
    """Shapes of an arm by link, with the parts of its meshes in the axes of their files, and what is not shown."""

    shapes: dict[str, tuple[tuple[LinkShape, tuple[MeshPart, ...]], ...]]
    faults: tuple[str, ...] = ()

    def faults_text(self) -> str:
        """What is not shown, in one sentence; empty where nothing is missing."""
        if not self.faults:
            return ""
        return f"Not shown, and drawn as bars where nothing else is: {listed(self.faults, MOST_NAMED)}."


def look_at(arm: ArmDescription) -> LinkLooks:
    """The shapes of an arm, its mesh files read; each file that cannot be shown is named once."""
    folder = folder_of(arm.origin)
    mesh_paths: dict[str, Path] = {}
    faults: dict[str, None] = {}
    for shape in (shape for link in arm.links for shape in link.shapes):
        if shape.fault:
            faults[shape.fault] = None
        elif shape.kind == "mesh" and shape.file not in mesh_paths:
            try:
                mesh_paths[shape.file] = mesh_path(shape.file, folder)
            except ArmError as fault:
                faults[str(fault)] = None
    meshes = read_meshes(list(mesh_paths.values()))
    faults |= {parts: None for parts in meshes.values() if isinstance(parts, str)}
    triangles = sum(len(part.faces) for parts in meshes.values() if not isinstance(parts, str) for part in parts)
    if triangles > MOST_TRIANGLES:
        sentence = f"its meshes have {triangles:,} triangles; at most {MOST_TRIANGLES:,} are shown, simplify them"
        meshes, faults = dict.fromkeys(meshes, sentence), {**faults, sentence: None}
    shapes = {}
    for link in arm.links:
        drawable: list[tuple[LinkShape, tuple[MeshPart, ...]]] = []
        for shape in link.shapes:
            parts = meshes.get(mesh_paths[shape.file], "") if shape.kind == "mesh" and shape.file in mesh_paths else ()
            if not shape.fault and (shape.kind != "mesh" or (parts and not isinstance(parts, str))):
                drawable.append((shape, () if isinstance(parts, str) else parts))
        shapes[link.name] = tuple(drawable)
    return LinkLooks(shapes, tuple(faults))


def placed_points(shape: LinkShape, part: MeshPart) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Points of a part in the frame of the shape, size * (origin^-1 p), and its faces, turned round by a mirror."""
    turn, position = matrix(shape.origin)
    points = (part.points - position) @ turn * np.array(shape.size)
    mirrored = np.prod(shape.size) < 0
    return points.astype(np.float32), part.faces[:, ::-1] if mirrored else part.faces


def matrix(placement: Placement) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and position of a placement in floating point."""
    return np.array(placement.rotation, dtype=float), np.array(placement.position, dtype=float)
