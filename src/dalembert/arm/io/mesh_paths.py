"""Where the mesh of a shape may be read from: below the folder of the arm file or of its package, and nowhere else.

A file of an arm may come from anywhere, and its mesh references are what it says, not what its reader chose. So a
reference is followed only to a file with the ending of a mesh, and only where the path, links resolved, stays below
the folder of the arm file, below the package (``package.xml``, ``model.config``) that this folder belongs to, or below
the package that the reference names.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import ArmError
from .expression import shown
from .packages import inside, referenced_file

ENDINGS = (".stl", ".obj", ".dae", ".ply", ".glb", ".msh")
"""Endings of mesh files that are read."""
MARKS = ("package.xml", "model.config")
"""Files that make a folder the root of a package."""
ELSEWHERE = re.compile(r"(?!package:|model:|file:)[A-Za-z][A-Za-z0-9+.\-]+:", re.ASCII)


def folder_of(origin: str) -> Path | None:
    """The folder of the file that an arm was read from; None of a text, a model, or an arm of the catalog."""
    return Path(origin).parent.resolve() if origin and os.path.isfile(origin) else None


def package_root(folder: Path) -> Path:
    """The nearest folder, from this one upwards, that is the root of a package; this one where none is."""
    for candidate in (folder, *folder.parents):
        if candidate != candidate.parent and any((candidate / mark).is_file() for mark in MARKS):
            return candidate
    return folder


def mesh_path(reference: str, folder: Path | None) -> Path:
    """The path of the mesh that a shape refers to, as seen from the folder of the arm file."""
    if ELSEWHERE.match(reference):
        raise ArmError(f"{shown(reference)} is not on this machine; put the mesh beside the file of the arm")
    if not reference.lower().endswith(ENDINGS):
        raise ArmError(f"{shown(reference)} is no mesh that is read; the endings are {', '.join(ENDINGS)}")
    if folder is None:
        raise ArmError(f"{shown(reference)} stands beside a file, and a text has no folder; load the file by its path")
    root = package_root(folder)
    if reference.startswith(("package://", "model://")):
        return referenced_file(reference, folder)
    path = str(referenced_file(reference, folder)) if reference.startswith("file://") else reference
    return inside(folder, path, root)
