"""Files by the names of ROS packages: ``package://pkg/path``, ``model://pkg/path``, ``$(find pkg)/path``.

A package is a folder of that name: one that holds the file that names it, or stands beside one that does; or a place of
``ROS_PACKAGE_PATH``, or ``share/`` of ``AMENT_PREFIX_PATH``. A folder that holds the file may have another name, as
clones of repositories do, and the name in its ``package.xml``. Paths never lead out of their package.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import ArmError
from .expression import shown
from .text_files import read_text
from .xml_text import parse

SCHEME = re.compile(r"(package|model|file)://(.*)", re.DOTALL)
NAME = re.compile(r"[A-Za-z0-9_.\-]+")


def package_folder(name: str, folder: Path | None) -> Path:
    """The folder of a package, as seen from the folder of the file that names it."""
    if not NAME.fullmatch(name) or set(name) == {"."}:
        raise ArmError(f"{shown(name)} is no name of a package; a package is a folder of that name")
    roots: list[Path] = []
    if folder is not None:
        start = folder.resolve()
        for parent in (start, *start.parents):
            if parent.name == name or name_in_manifest(parent) == name:
                return parent
            if parent != parent.parent:  # folders at the root of the machine, as /etc, are nobody's packages
                roots.append(parent)
    roots += [Path(part) for part in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if part]
    roots += [Path(part) / "share" for part in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part]
    for root in roots:
        if (root / name).is_dir():
            return (root / name).resolve()
    where = f"beside {folder} or above it" if folder is not None else "of a text without a folder"
    raise ArmError(
        f"the package {shown(name)} is not found {where}; put its folder there, or name its place in ROS_PACKAGE_PATH"
    )


def name_in_manifest(folder: Path) -> str:
    """The name that the ``package.xml`` of a folder gives its package; empty where there is none."""
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return ""
    return (parse(read_text(manifest), str(manifest)).findtext("name") or "").strip()


def referenced_file(reference: str, folder: Path | None) -> Path:
    """The path of a file that a robot file names: by its package, by file://, or beside the file itself."""
    match = SCHEME.fullmatch(reference)
    if match is None:
        if folder is None:
            raise ArmError(
                f"{shown(reference)} stands beside a file, and a text has no folder; load the file by its path"
            )
        return inside(folder, reference, folder)
    kind, location = match[1], match[2]
    if kind == "file":
        path = Path(location)
        if not path.is_absolute():
            raise ArmError(f"{shown(reference)}: file:// is followed by a whole path, as in file:///home/me/arm.stl")
        return path
    name, _, path_in = location.partition("/")
    root = package_folder(name, folder)
    return inside(root, path_in, root)


def inside(base: Path, path: str, root: Path) -> Path:
    """``path`` below ``base``, refused where it leads out of ``root``."""
    if "\0" in path:
        raise ArmError(f"{shown(path)} is no path of a file")
    resolved = (base / path).resolve()
    if not resolved.is_relative_to(root.resolve()):
        raise ArmError(f"{shown(path)} leads out of {root}; name a file within it")
    return resolved
