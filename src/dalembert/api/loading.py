"""Getting an arm by name or from a file."""

from __future__ import annotations

from pathlib import Path

from ..arm.io.angle_reading import AS_MEANT
from ..arm.io.files import catalog_names, read
from .arm import Arm


def load(
    source: str | Path,
    physical: str = "warn",
    *,
    mimic: str = "refuse",
    angles: str = AS_MEANT,
    clean: float | None = None,
) -> Arm:
    """The arm of a built-in name ("puma560") or of a file (.toml, .urdf, .xml).

    ``physical`` says what to do with inertias no real body has: "warn" (use them as given), "error" or "ignore".
    ``mimic`` says what becomes of URDF joints that follow another joint: "refuse" them, "hold" them still where they
    stand while the other is at zero, or let them move "free".
    ``angles`` says how rounded angles are read: "as meant", 1.5708 as a right angle, or "as written", to the digit.
    ``clean``, such as 1e-9, takes angles, lengths and products of inertia as small as that as zero (``Arm.cleaned``).
    """
    return Arm.of(read(source, physical, mimic, angles, clean))


def catalog() -> tuple[str, ...]:
    """Names of the built-in arms."""
    return tuple(catalog_names())
