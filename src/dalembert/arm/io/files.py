"""Loading an arm: one of the built-in catalog, a file or text in any of the supported formats, a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path

from ..cleaning import clean, hint
from ..description import ArmDescription, listed
from ..errors import ArmError
from ..plausible_sizes import tell_sizes
from .angle_reading import AS_MEANT
from .expression import shown
from .mimic import check_mode
from .omissions import Omissions
from .text_files import LARGEST_FILE, file_bytes, text_of
from .toml_arm import read_toml
from .toml_drives import built_in_drives
from .toml_table import nearest

SUFFIXES = (".toml", ".urdf", ".xml", ".sdf", ".xacro")
MODELS = {"mujoco": "MjModel", "pinocchio": "Model"}
"""Models of other programs that are read, by their package."""
BLANKS = "\ufeff \t\r\n"
CATALOG = resources.files("dalembert.arm") / "catalog"


def catalog_names() -> tuple[str, ...]:
    """Names of the built-in arms, in alphabetical order."""
    files = (entry.name for entry in CATALOG.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def read(
    source: object,
    physical: str = "warn",
    mimic: str = "refuse",
    skip: Iterable[str] = (),
    angles: str = AS_MEANT,
    tolerance: float | None = None,
    arguments: Mapping[str, str] | None = None,
) -> ArmDescription:
    """The arm of a built-in name, the path of a file (.toml, .urdf, .xacro, .sdf, .xml), a text, an open file, a model.

    A text is URDF, xacro, SDF or MJCF where it begins with ``<``, and a TOML arm file where it has several lines. A
    model is a ``mujoco.MjModel`` or a ``pinocchio.Model``. ``physical`` is the treatment of inertias that no real body
    can have: ``"warn"``, ``"error"`` or ``"ignore"``; ``mimic`` that of joints that follow another: ``"refuse"``,
    ``"hold"``, ``"free"`` or ``"couple"``; ``skip`` names kinds of things of an MJCF file that may be left out
    (``omissions.KINDS``); ``angles`` is the treatment of rounded angles: read ``"as meant"`` or ``"as written"``.
    Numbers that are zero but for rounding stay, with a hint, unless ``tolerance`` says within what share of the arm
    they are zero. ``arguments`` are values for the arguments of a xacro file.
    """
    check_mode(mimic)
    options = _Options(physical, mimic, Omissions.of("skip", skip).kinds, angles, dict(arguments or {}))
    arm = _read(source, options)
    if arguments and not options.used:
        raise ArmError(f"{arm.where}arguments (--arg) are for a xacro file, and this is none; leave them out")
    tell_sizes(arm)
    if tolerance is None:
        hint(arm)
        return arm
    return clean(arm, tolerance)


def _read(source: object, options: _Options) -> ArmDescription:
    """The arm with the numbers of its source."""
    package = type(source).__module__.partition(".")[0]
    if package in MODELS:
        return _of_model(source, package, options)
    if hasattr(source, "read"):
        return _of_open_file(source, options)
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(name, str):
        raise ArmError(
            f"an arm is asked for by a built-in name, the path of a file, a text, an open file or a model of MuJoCo or "
            f"Pinocchio, not by {shown(name)}"
        )
    if isinstance(source, str) and (name.lstrip(BLANKS).startswith("<") or "\n" in name.strip()):
        return _of_text(name.lstrip(BLANKS), "text", None, options)
    if name in catalog_names():
        options.refuse_skip("a built-in arm")
        text = (CATALOG / f"{name}.toml").read_text(encoding="utf-8")
        arm = read_toml(text, f"catalog/{name}.toml", "ignore", options.angles)
        drives = built_in_drives(name, arm)
        return (arm if drives is None else replace(arm, drives=drives)).checked(options.physical)
    path = Path(name)
    if path.suffix.lower() not in SUFFIXES:
        raise _unknown(name, path)
    missing = f"the built-in arms are {listed(catalog_names())}"
    text = text_of(file_bytes(path, missing=missing), str(path))
    return _of_text(text, name, path.parent, options, path.suffix.lower())


@dataclass(frozen=True)
class _Options:
    physical: str
    mimic: str
    skip: frozenset[str]
    angles: str
    arguments: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    """The xacro file that the arguments were for."""

    def refuse_skip(self, what: str) -> None:
        """Raises ArmError where something is to be left out of what has no such parts."""
        if self.skip:
            raise ArmError(f"skip leaves parts of MJCF files out, and this is {what}; call without it")


def _of_open_file(source: object, options: _Options) -> ArmDescription:
    """The arm in a file that is open, for text or for bytes."""
    name = getattr(source, "name", "")
    origin = name if isinstance(name, str) and name else "open file"
    content = source.read(LARGEST_FILE + 1)  # type: ignore[attr-defined]
    if not isinstance(content, str | bytes):
        raise ArmError(f"{origin}: reading it gives neither text nor bytes; open a file, or name its path")
    if len(content) > LARGEST_FILE:
        raise ArmError(f"{origin}: is larger than {LARGEST_FILE:,} bytes; leave out what is not the arm")
    text = text_of(content, origin) if isinstance(content, bytes) else content
    folder = Path(origin).parent if origin == name and os.path.isfile(origin) else None
    return _of_text(text, origin, folder, options)


def _of_text(text: str, origin: str, folder: Path | None, options: _Options, suffix: str = "") -> ArmDescription:
    """The arm of a text; without ``suffix`` the text itself tells its format."""
    if suffix == ".toml" or (not suffix and not text.lstrip(BLANKS).startswith("<")):
        options.refuse_skip("a TOML arm file")
        return read_toml(text, origin, options.physical, options.angles, options.mimic)
    # The readers of XML are imported where they are needed: most arms are not in it.
    from .mjcf import read_mjcf
    from .urdf import read_urdf
    from .xml_text import parse

    root = "robot" if suffix == ".urdf" and "xacro" not in text else parse(text, origin).tag
    if root == "robot":
        text = _urdf_of(text, origin, folder, options)
        options.refuse_skip("URDF")
        return read_urdf(text, origin, options.physical, options.mimic, options.angles)
    if root in ("mujoco", "mujocoinclude"):
        return read_mjcf(text, origin, options.physical, options.mimic, options.skip, folder, options.angles)
    if root == "sdf":
        from .sdf import read_sdf

        options.refuse_skip("SDF")
        return read_sdf(text, origin, options.physical, options.mimic, options.angles)
    raise ArmError(
        f"{origin}: its root is <{shown(root)[1:-1]}>; an arm is in <robot> (URDF), <mujoco> (MJCF) or <sdf> (SDF)"
    )


def _urdf_of(text: str, origin: str, folder: Path | None, options: _Options) -> str:
    """The URDF of a xacro file; a text without anything of xacro as it is."""
    if "xacro" not in text and "${" not in text and "$(" not in text:
        return text
    from xml.etree.ElementTree import tostring

    from .xacro import expand_xacro, is_xacro
    from .xml_text import parse

    root = parse(text, origin)
    if not is_xacro(root):
        return text
    options.used.append(origin)
    return tostring(expand_xacro(root, origin, folder, options.arguments), encoding="unicode")


def _of_model(source: object, package: str, options: _Options) -> ArmDescription:
    """The arm of a model of another program, which is imported only here."""
    if package != "mujoco":
        options.refuse_skip("a model of Pinocchio")
    kind = type(source).__name__
    if kind != MODELS[package]:
        remedy = {"MjSpec": "; compile it: spec.compile()", "MjData": "; give its model: data.model"}.get(kind, "")
        raise ArmError(f"an arm can be made of a {package}.{MODELS[package]}, not of a {package}.{kind}{remedy}")
    if package == "mujoco":
        from .mujoco_model import arm_of_mujoco

        return arm_of_mujoco(source, options.physical, options.mimic, options.skip)
    from .pinocchio_model import arm_of_pinocchio

    return arm_of_pinocchio(source, options.physical, options.mimic)


def _unknown(name: str, path: Path) -> ArmError:
    """The error for a name that is neither in the catalog nor a supported file."""
    types = f"files end in {listed(SUFFIXES)}"
    if path.suffix or len(path.parts) > 1:
        kind = f"the file type {path.suffix!r} is not known" if path.suffix else "no ending tells the type of this file"
        return ArmError(f"{shown(name)[1:-1]}: {kind}; {types}, and the built-in arms are {listed(catalog_names())}")
    return ArmError(
        f"no built-in arm is named {shown(name)}{nearest(name, catalog_names())}; "
        f"the built-in arms are {listed(catalog_names())}, and {types}"
    )
