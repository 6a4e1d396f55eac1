"""Loading an arm by name: one of the built-in catalog, or a file in any of the supported formats."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from importlib import resources
from pathlib import Path

from ..cleaning import clean, hint
from ..description import ArmDescription, listed
from ..errors import ArmError
from .angle_reading import AS_MEANT
from .expression import shown
from .toml_arm import read_toml
from .toml_drives import built_in_drives
from .toml_table import nearest

SUFFIXES = (".toml", ".urdf", ".xml")
LARGEST_FILE = 16_000_000
"""Largest file that is read (bytes)."""
CATALOG = resources.files("dalembert.arm") / "catalog"


def catalog_names() -> tuple[str, ...]:
    """Names of the built-in arms, in alphabetical order."""
    files = (entry.name for entry in CATALOG.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def read(
    path_or_name: str | os.PathLike[str],
    physical: str = "warn",
    mimic: str = "refuse",
    angles: str = AS_MEANT,
    tolerance: float | None = None,
) -> ArmDescription:
    """The built-in arm of this name, or the arm in this file (.toml, .urdf, .xml).

    ``physical`` is the treatment of inertias that no real body can have: ``"warn"``, ``"error"`` or ``"ignore"``.
    ``mimic`` is the treatment of URDF joints that mimic another: ``"refuse"``, ``"hold"`` or ``"free"``.
    ``angles`` is the treatment of rounded angles: read ``"as meant"`` or ``"as written"``. Numbers that are zero but
    for rounding stay, with a hint, unless ``tolerance`` says within what share of the arm they are zero.
    """
    arm = _read(path_or_name, physical, mimic, angles)
    if tolerance is None:
        hint(arm)
        return arm
    return clean(arm, tolerance)


def _read(path_or_name: str | os.PathLike[str], physical: str, mimic: str, angles: str) -> ArmDescription:
    """The arm with the numbers of its file."""
    name = os.fspath(path_or_name) if isinstance(path_or_name, str | os.PathLike) else path_or_name
    if not isinstance(name, str):
        raise ArmError(f"an arm is asked for by a built-in name or the path of a file, not by {shown(name)}")
    if name in catalog_names():
        text = (CATALOG / f"{name}.toml").read_text(encoding="utf-8")
        arm = read_toml(text, f"catalog/{name}.toml", physical, angles)
        drives = built_in_drives(name, arm)
        return arm if drives is None else replace(arm, drives=drives)
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise _unknown(name, path)
    text = _text(path)
    if suffix == ".toml":
        return read_toml(text, name, physical, angles)
    # The readers of XML are imported where they are needed: most arms are not in it.
    from .mjcf import read_mjcf
    from .urdf import read_urdf
    from .xml_text import parse

    if suffix == ".urdf":
        return read_urdf(text, name, physical, mimic, angles)
    root = parse(text, name).tag
    if root == "robot":
        return read_urdf(text, name, physical, mimic, angles)
    if root == "mujoco":
        return read_mjcf(text, name, physical, angles)
    raise ArmError(f"{name}: its root is <{shown(root)[1:-1]}>; an arm is in <robot> (URDF) or <mujoco> (MJCF)")


def _unknown(name: str, path: Path) -> ArmError:
    """The error for a name that is neither in the catalog nor a supported file."""
    types = f"files end in {listed(SUFFIXES)}"
    if path.suffix.lower() == ".xacro":
        return ArmError(f"{name}: xacro is a template, not an arm; run xacro on it and load the .urdf it gives")
    if path.suffix or len(path.parts) > 1:
        kind = f"the file type {path.suffix!r} is not known" if path.suffix else "no ending tells the type of this file"
        return ArmError(f"{shown(name)[1:-1]}: {kind}; {types}, and the built-in arms are {listed(catalog_names())}")
    return ArmError(
        f"no built-in arm is named {shown(name)}{nearest(name, catalog_names())}; "
        f"the built-in arms are {listed(catalog_names())}, and {types}"
    )


def _text(path: Path) -> str:
    """The text of a file, read with its size bounded."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ArmError(f"{path}: is not a file; name a file that ends in {listed(SUFFIXES)}")
        # The bound is on the bytes read, since a file may grow and some files report no size.
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise ArmError(f"{path}: there is no such file; the built-in arms are {listed(catalog_names())}") from None
    except (OSError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(f"{shown(str(path))[1:-1]}: cannot be read ({_reason(fault)}); name another file") from None
    if len(content) > LARGEST_FILE:
        raise ArmError(f"{path}: is larger than {LARGEST_FILE:,} bytes; leave out what is not the arm")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ArmError(f"{path}: is not UTF-8 text; save it in that encoding") from None


def _reason(fault: Exception) -> str:
    """The reason of an I/O error, without its path."""
    return fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)
