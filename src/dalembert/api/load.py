"""Getting an arm by name or from a file."""

from __future__ import annotations

from pathlib import Path

from ..arm.files import catalog_names, read
from .arm import Arm


def load(source: str | Path, physical: str = "warn") -> Arm:
    """The arm of a built-in name ("puma560") or of a file (.toml, .urdf, .xml).

    ``physical`` says what to do with inertias no real body has: "warn" (use them as given), "error" or "ignore".
    """
    return Arm.of(read(source, physical))


def catalog() -> tuple[str, ...]:
    """Names of the built-in arms."""
    return tuple(catalog_names())
