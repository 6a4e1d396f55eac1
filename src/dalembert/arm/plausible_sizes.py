"""Numbers that look like another unit: millimetres for metres, kg mm^2 for kg m^2, degrees for radians in limits.

No arm is refused and no number is changed; what is far from what arms are is told, with what it would be.
"""

from __future__ import annotations

import math
import warnings

from .description import ArmDescription, Joint
from .errors import UnitWarning, caller_level
from .inertia import Load

FAR = 100.0
"""Frames of an arm that reach farther (m) were meant in millimetres, perhaps."""
FAR_IN_HAND = 10.0
"""Loads nearer to the tool (m) are never told."""
OFF = 10.0
"""So many times the reach of the frames no mass centre is away, and no radius of gyration long."""
LIGHT = 0.01
"""Links below this share of the moving mass are passed over: some have numbers that only stand for something."""
TURNS = 2
MOST_DEGREES = 720
"""Limits of whole numbers beyond ``TURNS`` turns and up to so many degrees are degrees, perhaps."""


def tell_sizes(arm: ArmDescription) -> None:
    """One warning where numbers of an arm look like another unit; the first slip of each kind is spelled out."""
    limits = [fault for joint in arm.moving for fault in _limits(joint)]
    found = [
        faults[0] + (f" (and {len(faults) - 1} more of that kind)" if len(faults) > 1 else "")
        for faults in (_lengths(arm), _moments(arm), limits)
        if faults
    ]
    if found:
        warnings.warn(f"{arm.where}{arm.name}: {'; '.join(found)}; used as given", UnitWarning, caller_level())


def tell_load(arm: ArmDescription, load: Load) -> None:
    """A warning where the mass centre of a load is as far from the tool as if it were in millimetres."""
    away, reach = math.hypot(*load.body.com), frames_reach(arm)
    if away > max(OFF * reach, FAR_IN_HAND):
        warnings.warn(
            f"{arm.name}: the mass centre of the load is {away:.4g} m from the tool frame, and the frames "
            f"of the arm reach {reach:.4g} m; lengths are in m, and {away:.4g} mm are {away / 1000:.4g} m; used as "
            "given",
            UnitWarning,
            caller_level(),
        )


def frames_reach(arm: ArmDescription) -> float:
    """Length of the longest path of frames from the base (m), the finite ranges of sliding joints in it."""
    distance = {arm.base: 0.0}
    for joint in arm.joints:
        step = sum(math.hypot(*placement.position) for placement in (joint.before, joint.after))
        ends = [abs(end) for end in (joint.limits.lower, joint.limits.upper) if math.isfinite(end)]
        slide = max(ends, default=0.0) if joint.kind == "prismatic" else 0.0
        distance[joint.child] = distance[joint.parent] + step + slide
    return max(distance.values())


def _lengths(arm: ArmDescription) -> list[str]:
    """Frames or mass centres that are as far as if they were in millimetres."""
    reach = frames_reach(arm)
    if reach > FAR:
        return [f"its frames reach {reach:.4g} m; lengths are in m, and {reach:.4g} mm are {reach / 1000:.4g} m"]
    far = []
    for name, mass, com, _ in _heavy_links(arm):
        if mass and reach and com > OFF * reach:
            far.append(
                f"link {name!r}: its mass centre is {com:.4g} m from its frame, and the frames of the arm reach "
                f"{reach:.4g} m; lengths are in m, and {com:.4g} mm are {com / 1000:.4g} m"
            )
    return far


def _moments(arm: ArmDescription) -> list[str]:
    """Links whose moments of inertia are as large as if they were in kg mm^2."""
    links = _heavy_links(arm)
    reach = max(frames_reach(arm), *(com for _, _, com, _ in links), 0.0)
    return [
        f"link {name!r}: a mass of {mass:.4g} kg with a moment of inertia of {moment:.4g} kg m^2 would be "
        f"{math.sqrt(moment / mass):.4g} m from its mass centre, and the arm reaches {reach:.4g} m; moments are in "
        f"kg m^2, and {moment:.4g} kg mm^2 are {moment * 1e-6:.4g}"
        for name, mass, _, moment in links
        if reach and moment > mass * (OFF * reach) ** 2
    ]


def _heavy_links(arm: ArmDescription) -> list[tuple[str, float, float, float]]:
    """Name, mass, distance of the mass centre and largest central moment of the links that make up the moving mass."""
    links = [link for link in arm.links if link.name != arm.base and link.inertia.mass > 0]
    total = float(sum(link.inertia.mass for link in links))
    return [
        (
            link.name,
            float(link.inertia.mass),
            math.hypot(*link.inertia.com),
            max(float(link.inertia.central[i][i]) for i in range(3)),
        )
        for link in links
        if float(link.inertia.mass) >= LIGHT * total
    ]


def _limits(joint: Joint) -> list[str]:
    """Limits of a revolute joint that are whole numbers beyond any arm's turns."""
    ends = (joint.limits.lower, joint.limits.upper)
    largest = max(map(abs, ends))
    if joint.kind != "revolute" or not 2 * math.pi * TURNS < largest <= MOST_DEGREES or not largest.is_integer():
        return []
    low, high = (f"{end:g}" for end in ends)
    return [
        f"joint {joint.name!r}: its limits {low} and {high} are in rad, {largest / (2 * math.pi):.3g} turns; "
        f"{largest:g} deg are {math.radians(largest):.10g} rad"
    ]
