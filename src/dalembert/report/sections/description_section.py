"""The numbers the arm is given by: joints, links, inertia, drives."""

from __future__ import annotations

import math

from ...arm.description import ArmDescription
from ...arm.description_tables import (
    drives_table,
    followers_table,
    joint_friction_table,
    joints_table,
    link_inertia_table,
    links_table,
)
from ...arm.real_bodies import impossible
from ...markup.data_tables import DataTable
from ...markup.elements import Html, tag
from ...markup.numbers import formatted, listed
from ..section import Section


def section(arm: ArmDescription) -> Section:
    """Tables of joints, links, inertia and drives, and the inertias that no rigid body can have."""
    broken = impossible(arm)
    unlimited = [joint.name for joint in arm.moving if math.isinf(joint.limits.lower) or math.isinf(joint.limits.upper)]
    if broken:
        meaning = (
            f"No real body can have the inertia given for {listed(list(broken))}; all results use the numbers "
            "exactly as "
            "given."
        )
    elif unlimited:
        meaning = (
            f"All inertias are those of real bodies; {listed(unlimited)} {'have' if len(unlimited) > 1 else 'has'} "
            "no position "
            "limits, and a revolute joint without limits counts as going all the way round."
        )
    else:
        meaning = "All inertias are those of real bodies, and every joint has position limits."
    followers = followers_table(arm)
    parts: list[Html | DataTable] = [joints_table(arm), *([followers] if followers is not None else [])]
    parts += [links_table(arm), link_inertia_table(arm)]
    counted = "counted in every table of this page" if arm.counts_drives else "not counted on this page"
    drives = drives_table(arm.drives, f"Drives, {counted}", arm)
    friction = joint_friction_table(arm)
    parts += [made for made in (drives, friction) if made is not None]
    if arm.drives.elements:
        between = listed([element.name for element in arm.drives.elements])
        parts.append(tag("p", f"Between motors and links turn also: {between}.", class_="note"))
    if broken:
        parts.append(tag("ul", *(tag("li", f"{name}: {fault}") for name, fault in broken.items())))
    return Section("description", "Joints, links and inertia", meaning, tuple(parts))


def sources(arm: ArmDescription) -> Section:
    """Where the numbers come from, as the description says."""
    items = tag("ul", *(tag("li", source) for source in arm.sources)) if arm.sources else Html()
    notes = [tag("p", " ".join(block.split())) for block in arm.notes.strip().split("\n\n") if block.strip()]
    count = len(arm.sources)
    meaning = (
        f"The description names {count} source{'s' * (count != 1)} for its numbers."
        if count
        else "The description names no source for its numbers, so the results are as good as whoever wrote them."
    )
    gravity = ", ".join(formatted(float(g)) for g in arm.gravity)
    return Section(
        "sources",
        "Where the numbers come from",
        meaning,
        (
            items,
            *notes,
            tag("p", f"Gravity is ({gravity}) m/s² in the base frame; the tool is on {arm.tool_link}.", class_="note"),
        ),
    )
