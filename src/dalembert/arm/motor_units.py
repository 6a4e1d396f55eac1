"""What the effort of a motor is: a torque (N m), or a force (N)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import ArmDescription


def is_force(arm: ArmDescription, motor: int) -> bool:
    """Whether a motor slides, or is written as a force on a sliding joint: that joint alone, at 1 m per m."""
    drives = arm.drives
    if drives.actuators[motor].kind == "linear":
        return True
    if drives.turns is not None:
        return False
    row = [float(ratio) for ratio in drives.rows(arm)[motor]]
    driven = [joint for joint, ratio in enumerate(row) if ratio]
    return len(driven) == 1 and abs(row[driven[0]]) == 1 and arm.moving[driven[0]].kind == "prismatic"


def motor_units(arm: ArmDescription) -> tuple[str, ...]:
    """N of motors that slide, and of those written as a force on a sliding joint; N m of others."""
    return tuple("N" if is_force(arm, motor) else "N m" for motor in range(len(arm.drives.actuators)))
