"""Arms whose joints follow others as chains of a mechanism: all joints free, and a gear for each that follows.

q_J = A q + b of the arm (``arm/following.py``) is what gears hold between its joints, so I* = A^T D A in the
coordinates of the arm, and the gears' constraint forces come beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.following import amount
from .batch import Array
from .gears import Gear


def with_free_joints(chains: Mapping[str, ArmDescription]) -> tuple[dict[str, ArmDescription], list[Gear]]:
    """The chains with all joints free, and the gears that tie those that follow others."""
    free_chains: dict[str, ArmDescription] = {}
    gears = []
    for chain, arm in chains.items():
        if not arm.followers:
            free_chains[chain] = arm
            continue
        if arm.drives.functions:
            raise ArmError(
                f"{arm.where}{arm.name}: its drives have functions of the coordinates, which are fewer than the "
                f"joints; in a mechanism let the joints follow none, write the functions in all joints, and give a "
                f"Gear for each joint that follows"
            )
        for joint in arm.followers:
            follows = joint.follows
            assert follows is not None
            tied = f"{chain}.{joint.name}", f"{chain}.{follows.joint}"
            gears.append(Gear(tied[0], *tied, follows.multiplier, amount(follows.offset)))
        values = {field.name: getattr(arm, field.name) for field in fields(ArmDescription)}
        values["joints"] = tuple(replace(joint, follows=None) for joint in arm.joints)
        if arm.drives.actuators:  # a motor of which nothing is described at each joint that has none
            names = [joint.name for joint in arm.followers]
            values["drives"] = arm.drives.with_direct(names)
        free_chains[chain] = ArmDescription(**values)
    return free_chains, gears


def all_joints(chains: Mapping[str, ArmDescription], q: Array) -> Array | None:
    """Positions of all joints where those that follow none stand at ``q``; None where these are not as many."""
    if q.shape != (sum(arm.n for arm in chains.values()),) or not any(arm.followers for arm in chains.values()):
        return None
    positions: list[float] = []
    start = 0
    for arm in chains.values():
        coordinates = q[start : start + arm.n]
        positions += [float(c.multiplier) * coordinates[c.coordinate] + c.start for c in arm.couplings]
        start += arm.n
    return np.array(positions)
