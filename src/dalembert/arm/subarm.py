"""A part of an arm as an arm of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from .errors import ArmError
from .placement import Placement

if TYPE_CHECKING:
    from .description import ArmDescription, Joint

AnyArm = TypeVar("AnyArm", bound="ArmDescription")


def subarm(arm: AnyArm, head: Joint, tail: Joint) -> AnyArm:
    """The joints from ``head`` to ``tail``; as ``ArmDescription.subarm`` says."""
    path = [tail]
    while path[-1].name != head.name:
        above = next((j for j in arm.joints if j.child == path[-1].parent), None)
        if above is None:
            raise ArmError(f"{arm.where}joint {tail.name!r} does not hang on joint {head.name!r}; name them base first")
        path.append(above)
    joints_kept = {joint.name for joint in path}
    names = {head.parent} | {joint.child for joint in path}
    for joint in arm.joints:
        if not joint.moves and joint.parent in names and joint.child not in names:
            joints_kept.add(joint.name)
            names.add(joint.child)
    same_tool = arm.tool_link in names
    return replace(
        arm,
        name=f"{arm.name}[{head.name}..{tail.name}]",
        links=tuple(link for link in arm.links if link.name in names),
        joints=tuple(joint for joint in arm.joints if joint.name in joints_kept),
        loads=tuple((name, load) for name, load in arm.loads if name in names),
        elastic=tuple(part for part in arm.elastic if part.within(names, joints_kept)),
        tool=arm.tool if same_tool else Placement(),
        tool_link=arm.tool_link if same_tool else "",
    )
