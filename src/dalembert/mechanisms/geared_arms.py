"""An arm whose joints follow others, as a mechanism: gears take the followers out of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.io.angle_reading import AS_MEANT
from ..arm.io.mimic import Mimic
from ..arm.io.urdf import read_mimics, read_urdf
from .gears import Gear
from .loop_closures import Closure
from .mechanism import Mechanism

CHAIN = "arm"
"""The name of the one chain of such a mechanism."""


def geared(arm: ArmDescription, mimics: Sequence[Mimic], origin: str, closures: Sequence[Closure] = ()) -> Mechanism:
    """The arm, all its joints free, with a gear for each joint that follows another, and closures where it has loops.

    Without loops the coordinates are the joints that follow none, in their order.
    """
    gears = []
    for mimic in mimics:
        if mimic.ratio is None or not mimic.master:
            raise ArmError(
                f"{mimic.where}: does not follow another joint by a constant ratio, which is all a gear does; load the "
                f'file as an arm with mimic="hold" or "free"'
            )
        gears.append(Gear(mimic.joint, mimic.joint, mimic.master, mimic.ratio, mimic.offset))
    followers = {mimic.joint for mimic in mimics}
    coordinates = None if closures else [f"{CHAIN}.{name}" for name in arm.joint_names if name not in followers]
    try:
        return Mechanism({CHAIN: arm}, [*closures, *gears], coordinates, gravity=arm.gravity, name=arm.name)
    except ArmError as fault:
        raise ArmError(f"{origin}: {fault}") from None


def read_urdf_mechanism(text: str, origin: str = "URDF", angles: str = AS_MEANT) -> Mechanism:
    """The mechanism of a URDF file whose joints mimic others."""
    mimics = read_mimics(text, origin)
    if not mimics:
        raise ArmError(f"{origin}: no joint of it mimics another, so it is an arm; load it as one")
    return geared(read_urdf(text, origin, "ignore", "free", angles), mimics, origin)
