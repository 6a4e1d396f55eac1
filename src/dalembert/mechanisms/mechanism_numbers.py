"""Every number of a mechanism by name, and the mechanism with other ones, its loops closed anew.

CHAIN.link.NAME.mass, CHAIN.length.NAME, ...   of a chain, as ``arm/description_numbers.py`` names them
CHAIN.base.x, CHAIN.base.rx                    where the base of a chain stands in the world, and a turn of it about
                                               its own axes, zero now
frame.NAME.x, frame.NAME.rx                    a named frame on its link
closure.NAME.a.x, closure.NAME.b.rx            an end of a closure on its link
spring.NAME.stiffness, .rest, .damping         a spring or damper, and its ends (spring.NAME.a.x) on their links
gear.NAME.ratio, .offset, coupling.NAME.value  what ties joints
motor.NAME.ratio.COORDINATE, motor.NAME.inertia  a motor of the mechanism itself
gravity.x, gravity.y, gravity.z                of the world
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..arm.description_numbers import numbers_of, with_numbers
from ..arm.drive_numbers import changed_actuator, motor_numbers
from ..arm.exact import exact, exact_vector
from ..arm.named_number import (
    Changes,
    DescriptionNumber,
    Named,
    Route,
    by_route,
    changed_placement,
    changed_vector,
    placement_numbers,
    refuse_unknown,
    vector_numbers,
)
from ..arm.placement import Placement
from .chain_frames import FrameOn
from .coordinates import Coordinate
from .gears import Gear, JointCoupling, Tie
from .mechanism import Mechanism
from .springs import Spring

_CACHE = "_numbers_by_name"


def mechanism_numbers(mechanism: Mechanism) -> dict[str, DescriptionNumber]:
    """All numbers that can be changed by name, chain after chain."""
    return {name: number for name, (number, _) in _by_name(mechanism).items()}


def _by_name(mechanism: Mechanism) -> dict[str, tuple[DescriptionNumber, Route]]:
    attributes = vars(mechanism)  # a mechanism does not change: its numbers are named once
    if _CACHE not in attributes:
        by_name: dict[str, tuple[DescriptionNumber, Route]] = {}
        for number, route in _numbers(mechanism):
            by_name.setdefault(number.name, (number, route))
        attributes[_CACHE] = by_name
    numbers: dict[str, tuple[DescriptionNumber, Route]] = attributes[_CACHE]
    return numbers


def mechanism_number(mechanism: Mechanism, name: str) -> DescriptionNumber:
    """The number of this name."""
    numbers = _by_name(mechanism)
    examples = f"{next(iter(mechanism.parts.chains))}.link.NAME.mass, CHAIN.base.x, spring.NAME.stiffness, gravity.z"
    refuse_unknown(mechanism.name, name, numbers, "", examples)
    return numbers[name][0]


def with_mechanism_numbers(mechanism: Mechanism, values: Mapping[str, Any], compiled: bool | None = None) -> Mechanism:
    """The mechanism with these numbers, by name, and all others as they are; its loops are closed anew.

    ``compiled``: by kernels or not, as the mechanism is by default.
    """
    for name in values:
        mechanism_number(mechanism, name)
    parts = mechanism.parts
    changed: dict[str, Any] = {
        "chains": dict(parts.chains), "bases": dict(parts.bases), "frames": dict(parts.frames),
        "closures": parts.closures, "springs": parts.springs, "drives": parts.drives, "gravity": parts.gravity,
        "compiled": parts.compiled if compiled is None else compiled,
    }  # fmt: skip
    for (kind, owner), changes in by_route(_by_name(mechanism), values).items():
        CHANGES[kind](changed, owner, changes)
    return mechanism._with(**changed)


# -- naming -----------------------------------------------------------------------------------------


def _numbers(mechanism: Mechanism) -> Named:
    """All numbers with the route by which each is changed, in the order of the description."""
    parts = mechanism.parts
    for chain, arm in parts.chains.items():
        for name, number in numbers_of(arm).items():
            if not name.startswith("gravity."):  # chains stand in the gravity of the world
                below = tuple(f"{chain}.{x}" for x in number.not_below)
                yield replace(number, name=f"{chain}.{name}", not_below=below), ("chain", chain, name)
        yield from placement_numbers(f"{chain}.base", parts.bases.get(chain, Placement()), "base", chain)
    for name, frame in parts.frames.items():
        yield from placement_numbers(f"frame.{name}", FrameOn.of(frame).at, "frame", name)
    for tie in parts.closures:
        yield from _of_tie(mechanism, tie)
    for spring in parts.springs:
        yield from _of_spring(mechanism, spring)
    for motor in parts.drives:
        yield from motor_numbers(motor, rubs_dry=False)  # ``own_drives.py`` counts their viscous friction alone
    yield from vector_numbers("gravity", "m/s^2", exact_vector(parts.gravity, "gravity"), "gravity", "")


def _ends(mechanism: Mechanism, part: Any, prefix: str, kind: str) -> Named:
    """The two ends of a closure or spring; one that is a named frame is varied as that frame."""
    for end in "ab":
        frame = getattr(part, end)
        if isinstance(frame, FrameOn) or frame not in mechanism.parts.frames:
            placement, route = FrameOn.of(frame).at, (f"{prefix}.{end}", kind, part.name, f"{end}.")
            if kind == "spring":  # it pulls at a point, which has no turn
                yield from vector_numbers(route[0], "m", placement.position, *route[1:])
            else:
                yield from placement_numbers(route[0], placement, *route[1:])


def _of_tie(mechanism: Mechanism, tie: Tie) -> Named:
    if isinstance(tie, Gear):
        unit = "rad" if mechanism.chains.revolute[mechanism.chains.joint_index(tie.joint)] else "m"
        yield DescriptionNumber(f"gear.{tie.name}.ratio", "1", exact(tie.ratio)), ("tie", tie.name, "ratio")
        yield DescriptionNumber(f"gear.{tie.name}.offset", unit, exact(tie.offset)), ("tie", tie.name, "offset")
    elif isinstance(tie, JointCoupling):
        unit = "rad" if Coordinate(tie.sum, mechanism.chains).is_angle(mechanism.chains.revolute) else "m"
        yield DescriptionNumber(f"coupling.{tie.name}.value", unit, exact(tie.value)), ("tie", tie.name, "value")
    else:
        yield from _ends(mechanism, tie, f"closure.{tie.name}", "tie")


def _of_spring(mechanism: Mechanism, spring: Spring) -> Named:
    chains = mechanism.chains
    turning = bool(spring.along) and Coordinate(spring.along, chains).is_angle(chains.revolute)
    force, length = ("N m", "rad") if turning else ("N", "m")
    for field, unit in (("stiffness", f"{force}/{length}"), ("rest", length), ("damping", f"{force} s/{length}")):
        minimum = -math.inf if field == "rest" and spring.along else 0.0
        number = DescriptionNumber(f"spring.{spring.name}.{field}", unit, exact(getattr(spring, field)), minimum)
        yield number, ("spring", spring.name, field)
    if not spring.along:
        yield from _ends(mechanism, spring, f"spring.{spring.name}", "spring")


# -- changing ---------------------------------------------------------------------------------------

Parts = dict[str, Any]
"""What the mechanism is built from, changed in place."""


def _chain(parts: Parts, name: str, changes: Changes) -> None:
    parts["chains"][name] = with_numbers(parts["chains"][name], changes)


def _base(parts: Parts, name: str, changes: Changes) -> None:
    parts["bases"][name] = changed_placement(parts["bases"].get(name, Placement()), changes, f"base of {name!r}")


def _frame(parts: Parts, name: str, changes: Changes) -> None:
    frame = FrameOn.of(parts["frames"][name])
    parts["frames"][name] = replace(frame, at=changed_placement(frame.at, changes, f"frame {name!r}"))


def _at_ends(part: Any, changes: Changes) -> Any:
    ends = {}
    for end in "ab":
        if any(field.startswith(f"{end}.") for field in changes):
            frame = FrameOn.of(getattr(part, end))
            ends[end] = replace(frame, at=changed_placement(frame.at, changes, f"{part.name!r}", f"{end}."))
    scalars = {field: value for field, value in changes.items() if "." not in field}
    return replace(part, **ends, **scalars)


def _renewed(group: str, renew: Callable[[Any, Changes], Any]) -> Callable[[Parts, str, Changes], None]:
    def change(parts: Parts, name: str, changes: Changes) -> None:
        parts[group] = tuple(renew(part, changes) if part.name == name else part for part in parts[group])

    return change


def _gravity(parts: Parts, name: str, changes: Changes) -> None:
    parts["gravity"] = changed_vector(exact_vector(parts["gravity"], "gravity"), changes)


CHANGES: dict[str, Callable[[Parts, str, Changes], None]] = {
    "chain": _chain, "base": _base, "frame": _frame, "gravity": _gravity, "tie": _renewed("closures", _at_ends),
    "spring": _renewed("springs", _at_ends), "motor": _renewed("drives", changed_actuator),
}  # fmt: skip
"""How numbers of each kind are changed."""
