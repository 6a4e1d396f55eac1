"""Motors of a mechanism itself: at a joint that a closure makes, or between chains.

Their ratios are to coordinates, written as those of a mechanism: ``Actuator.of("m", {"rz(pin)": 50}, ...)``. The motor
turns at N s'; its rotor counts as reflected inertia J (N s')^2 / 2, its viscous friction as a damper.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.exact import exact
from .chain_frames import ChainFrames
from .coordinates import Coordinate
from .springs import LoadElement


def drive_coordinate(drive: Actuator, system: ChainFrames) -> Coordinate:
    """The motor's position as one coordinate, N s; a rate alone where it is a turn."""
    if not drive.ratios:
        raise ArmError(f"motor {drive.name!r} of the mechanism turns with nothing; give its ratios to coordinates")
    try:
        terms = [(Coordinate(text, system), ratio) for text, ratio in drive.ratios]
        total = terms[0][0].scaled(terms[0][1])
        for coordinate, ratio in terms[1:]:
            total = total.plus(coordinate.scaled(ratio))
    except ArmError as fault:
        raise ArmError(f"motor {drive.name!r}: {fault}") from None
    return total


def drive_elements(drives: Sequence[Actuator], system: ChainFrames) -> list[LoadElement]:
    """Rotors and viscous friction of the motors, on their positions."""
    elements = []
    for drive in drives:
        rotor, friction = drive.rotor, drive.friction
        if rotor.link or drive.body is not None:
            raise ArmError(
                f"motor {drive.name!r} of the mechanism: where its rotor sits is not counted at a joint that a closure "
                f"makes; leave its link out, which counts its reflected inertia, or close the loop at another joint"
            )
        if friction.coulomb:
            raise ArmError(
                f"motor {drive.name!r} of the mechanism: Coulomb friction acts at joints of chains; close the loop at "
                f"another joint, or leave it out"
            )
        inertia, viscous = exact(rotor.inertia), exact(friction.viscous)
        if inertia < 0 or viscous < 0:
            raise ArmError(f"motor {drive.name!r}: inertia and friction are at least zero; mend them")
        elements.append(
            LoadElement(
                drive.name, drive_coordinate(drive, system).terms, damping=viscous, inertia=inertia, is_drive=True
            )
        )
    return elements
