"""Getting an arm: by name, from a file, a text or a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..arm.io.angle_reading import AS_MEANT
from ..arm.io.files import catalog_names, read
from .arm import Arm


def load(
    source: object,
    physical: str = "warn",
    *,
    mimic: str = "refuse",
    skip: Iterable[str] = (),
    angles: str = AS_MEANT,
    clean: float | None = None,
    arguments: Mapping[str, str] | None = None,
) -> Arm:
    """The arm of ``source``.

    ``source`` is a built-in name ("puma560"), the path of a file (.toml, .urdf, .xacro, .sdf, .xml), the text of one,
    an open file, a ``mujoco.MjModel`` or a ``pinocchio.Model``.

    ``physical`` says what to do with inertias no real body has: "warn" (use them as given), "error" or "ignore".
    ``mimic`` says what becomes of joints that follow another joint: "refuse" them, "hold" them still where they stand
    while the other is at zero, let them move "free", or "couple" them, exactly: they are no coordinates then, and what
    the arm answers is in the others. ``skip`` names what may be left out of MJCF, with one warning: "actuator",
    "contact", "equality", "flex", "fluid", "gravcomp", "mocap", "plugin", "tendon".
    ``angles`` says how rounded angles of files are read: "as meant", 1.5708 as a right angle, or "as written", to the
    digit. ``clean``, such as 1e-9, takes angles, lengths and products of inertia as small as that as zero
    (``Arm.cleaned``). ``arguments`` are values for the ``<xacro:arg>`` of a xacro file. What cannot be read raises
    ``ArmError``, which names the file, the link or joint, and the remedy.

    >>> load("planar-2r").joint_names
    ('joint1', 'joint2')
    """
    return Arm.of(read(source, physical, mimic, skip, angles, clean, arguments))


def catalog() -> tuple[str, ...]:
    """Names of the built-in arms.

    >>> catalog()[:3]
    ('articulated', 'cartesian', 'cylindrical')
    """
    return tuple(catalog_names())
