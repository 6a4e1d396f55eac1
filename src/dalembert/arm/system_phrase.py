"""Which system of an arm is asked, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import ArmDescription

USUAL = (0.0, 0.0, -9.81)
"""Gravity (m/s^2) that goes without saying."""


def system_phrase(arm: ArmDescription) -> str:
    """Drives and loads of the system, and a gravity that is not that of the base frame's -z, as a phrase."""
    loads = ", ".join(f"{float(load.body.mass):g} kg on {link}" for link, load in arm.loads)
    drives = f"with its drives (rotors: {arm.drive_model})" if arm.counts_drives else "the links alone"
    gravity = tuple(float(x) for x in arm.gravity)
    pull = "" if gravity == USUAL else f", gravity ({', '.join(f'{x:g}' for x in gravity)}) m/s^2"
    return drives + (f", holding {loads}" if loads else "") + pull
