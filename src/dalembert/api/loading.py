"""Getting an arm by name or from a file."""

from __future__ import annotations

from pathlib import Path

from ..arm.io.files import catalog_names, read
from .arm import Arm


def load(source: str | Path, physical: str = "warn", *, mimic: str = "refuse") -> Arm:
    """The arm of a built-in name ("puma560") or of a file (.toml, .urdf, .xml).

    ``physical`` says what to do with inertias no real body has: "warn" (use them as given), "error" or "ignore".
    ``mimic`` says what becomes of URDF joints that follow another joint: "refuse" them, "hold" them still where they
    stand while the other is at zero, or let them move "free".
    """
    return Arm.of(read(source, physical, mimic))


def catalog() -> tuple[str, ...]:
    """Names of the built-in arms."""
    return tuple(catalog_names())
