"""Mechanisms for users: one name for what the room ``mechanisms`` holds."""

from __future__ import annotations

from pathlib import Path

from ..mechanisms.chain_frames import FrameOn
from ..mechanisms.closures import Closure
from ..mechanisms.maps import Map, compare_drives, conditioning_map
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_file import read_mechanism
from ..mechanisms.mounting import carrying, free_body
from ..mechanisms.overconstrained import Motors
from ..mechanisms.redundant import Redundant
from ..mechanisms.singularity import Nearest, Report, nearest, report

__all__ = [
    "Closure", "FrameOn", "Map", "Mechanism", "Motors", "Nearest", "Redundant", "Report", "carrying", "compare_drives",
    "conditioning_map", "free_body", "load_mechanism", "nearest", "report",
]  # fmt: skip


def load_mechanism(path: str | Path) -> Mechanism:
    """The mechanism in a TOML file (docs/mechanism-file.md), or in MJCF with equality connect or weld."""
    return read_mechanism(path)
