"""An arm whose base moves: one joint in front of all, T_0 = A_0 (Szkodny 1995, after eq. 18).

The base becomes a link of its own, on a rail or a turntable, with an actuator that drives it; every formula then runs
from joint 0 on. Several such joints in a row give a gantry or a base that floats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from .axes import along
from .drives import Actuator, DriveTrain
from .errors import ArmError
from .exact import exact_vector
from .inertia import Inertia

if TYPE_CHECKING:
    from .description import ArmDescription, Kind, Limits, Link


Described = TypeVar("Described", bound="ArmDescription")


def on_moving_base(
    arm: Described,
    name: str,
    kind: Kind,
    axis: object,
    body: Inertia,
    ground: Link,
    limits: Limits,
    actuator: Actuator | None,
) -> Described:
    """See ``Arm.on_moving_base``."""
    from .description import Joint

    if kind not in ("revolute", "prismatic"):
        raise ArmError(f"{arm.where}a base moves on a revolute or a prismatic joint, not on a {kind!r} one")
    if ground.name in arm.link_names or name in [joint.name for joint in arm.joints]:
        name_in_use = ground.name if ground.name in arm.link_names else name
        raise ArmError(
            f"{arm.where}{arm.name} has a part named {name_in_use!r} already; give the moving base other names"
        )
    if arm.drives.functions:
        raise ArmError(
            f"{arm.where}{arm.name}: its drives have functions of its {arm.n} joints; put the arm on its base first "
            "and give it drives then"
        )
    turn = along(exact_vector(axis, "axis of the base"), "axis of the base")
    joint = Joint(name, kind, ground.name, arm.base, turn, turn.inverse(), limits)
    links = tuple(replace(link, inertia=link.inertia + body) if link.name == arm.base else link for link in arm.links)
    base_motor = actuator or Actuator.of(f"motor of {name}", {name: 1})
    drives = arm.drives
    if drives or actuator is not None:
        motors = drives.actuators or tuple(Actuator.of(f"motor of {j}", {j: 1}) for j in arm.joint_names)
        drives = replace(drives, actuators=(base_motor, *motors))
    else:
        drives = DriveTrain()
    return replace(arm, links=(ground, *links), joints=(joint, *arm.joints), drives=drives)
