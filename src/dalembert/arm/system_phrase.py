"""Which system of an arm is asked, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import ArmDescription


def system_phrase(arm: ArmDescription) -> str:
    """Drives and loads of the system, as a phrase."""
    loads = ", ".join(f"{float(load.body.mass):g} kg on {link}" for link, load in arm.loads)
    drives = f"with its drives (rotors: {arm.drive_model})" if arm.counts_drives else "the links alone"
    return drives + (f", holding {loads}" if loads else "")
