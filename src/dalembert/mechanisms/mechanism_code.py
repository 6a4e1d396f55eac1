"""C of a mechanism for a controller: the same straight-line code as for arms, with a fixed number of Newton steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..arm.description import listed
from ..arm.errors import ArmError
from ..compile.write_c import write_c
from .mechanism_functions import mechanism_function

if TYPE_CHECKING:
    from .mechanism import Mechanism

WRITTEN = (
    "position", "forward_dynamics", "inverse_dynamics", "mass_matrix", "gravity_load", "joint_motion", "rates",
)  # fmt: skip
"""Functions that are of use in a controller."""
NEWTON = 3
"""Steps from the position of the last cycle: convergence is quadratic, and two or three leave rounding."""


def write_mechanism_c(
    mechanism: Mechanism, name: str, folder: str | Path, newton: int = NEWTON, dtype: str = "float64"
) -> list[Path]:
    """See ``Mechanism.write_c``."""
    if name not in WRITTEN:
        raise ArmError(f"no function {name!r} of a mechanism is written as C; there are {listed(WRITTEN)}")
    if isinstance(newton, bool) or not isinstance(newton, int) or not 1 <= newton <= 20:
        raise ArmError(f"newton must be a number of steps from 1 to 20, not {newton!r}")
    turning = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
    if turning:
        raise ArmError(
            f"coordinate {turning[0]!r} of {mechanism.name} is a turn and has no position to find joints at; choose "
            f"joints or positions with with_coordinates([...])"
        )
    if mechanism.contacts and name in ("forward_dynamics", "rates"):
        raise ArmError(
            f"{mechanism.name}: {mechanism.contacts[0].name!r} has Coulomb friction, which sticks and slips; write "
            f"mechanism.frictionless() as C, or simulate it with da.simulate"
        )
    return write_c(mechanism_function(mechanism.assembly, name, newton, mechanism.name), folder, dtype)
