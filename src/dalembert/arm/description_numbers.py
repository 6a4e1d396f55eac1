"""Every number of a description by name: what it is now, and the description with other ones.

    link.NAME.mass, link.NAME.com.x, link.NAME.inertia.xx   of a link; its inertia about its mass centre
    load.mass, load.com.x, load.inertia.xx                  of the load in the hand; without one its mass is zero
    load.LINK.mass, load.LINK.com.x, load.LINK.inertia.xx   of a weight on another link: a counterweight
    length.NAME, angle.NAME                                 lengths and twists that have names ("a2", "d3", "alpha1")
    joint.NAME.x                                            origin of a joint in the frame of its parent link
    joint.NAME.rx                                           a turn of the joint's frame about its own axes, zero now
    joint.NAME.lower, .upper, .effort, .velocity            limits of a joint
    joint.NAME.multiplier, joint.NAME.offset                of a joint that follows another
    tool.x, tool.y, tool.z                                  origin of the tool frame in the frame of its link
    spring.NAME.stiffness, damper.NAME.damping              ``elastic_numbers.py``
    joint.NAME.coulomb, motor.NAME.ratio.JOINT              ``drive_numbers.py``, where the drives count
    gravity.x, gravity.y, gravity.z

A number is changed with all others left as they are: another mass of a link has the same mass centre and the same
inertia about it. Where a length and the origin that it leads to are both set, the origin counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from .description import ArmDescription, Joint
from .drive_numbers import changed_element, changed_friction, changed_motor, drive_numbers, rubs
from .elastic_numbers import changed_elastic, elastic_numbers
from .exact import Angle, exact
from .following import amount
from .inertia import Inertia, Load
from .named_number import (
    Changes,
    DescriptionNumber,
    Named,
    Route,
    body_numbers,
    by_route,
    changed_body,
    changed_placement,
    changed_vector,
    placement_numbers,
    refuse_unknown,
    vector_numbers,
)
from .named_steps import named_amounts
from .placement import Placement, Step

Arm = TypeVar("Arm", bound=ArmDescription)
_CACHE_KEY = "_numbers_by_name"


def numbers_of(arm: ArmDescription) -> dict[str, DescriptionNumber]:
    """All numbers of the description that can be changed by name, in the order of the description."""
    return {name: number for name, (number, _) in _routes(arm).items()}


def _routes(arm: ArmDescription) -> dict[str, tuple[DescriptionNumber, Route]]:
    cache = vars(arm)  # where a description keeps what it has worked out
    if _CACHE_KEY not in cache:
        cache[_CACHE_KEY] = {number.name: (number, route) for number, route in _numbers(arm)}
    routes: dict[str, tuple[DescriptionNumber, Route]] = cache[_CACHE_KEY]
    return routes


def number_of(arm: ArmDescription, name: str) -> DescriptionNumber:
    """The number of this name."""
    routes = _routes(arm)
    if name not in routes:
        of_drives = name.startswith(("motor.", "element.")) or name.endswith((".coulomb", ".viscous", ".starting"))
        remedy = "; its drives do not count here, so count them" if of_drives and not arm.counts_drives else ""
        if name.startswith(f"load.{arm.tool_link}."):
            remedy = (
                f"; the load of {arm.tool_link!r:.60}, which the hand is on, has the names load.mass, load.com.x, ..."
            )
        examples = "link.NAME.mass, load.mass, length.NAME, joint.NAME.x, motor.NAME.inertia, gravity.z"
        refuse_unknown(f"{arm.where}{arm.name}", name, routes, remedy, examples)
    return routes[name][0]


def with_numbers(arm: Arm, values: Mapping[str, Any]) -> Arm:
    """The description with these numbers, by name, and all others as they are."""
    for name in values:
        number_of(arm, name)
    changed: Any = arm
    parts = by_route(_routes(arm), values).items()
    # Lengths first, in whatever order they are given: an origin that is set is then where it was set.
    for (kind, part_name), changes in sorted(parts, key=lambda part: part[0][0] not in ("length", "angle")):
        changed = CHANGES[kind](changed, part_name, changes)
    return changed


# -- naming -----------------------------------------------------------------------------------------


def _numbers(arm: ArmDescription) -> Named:
    for link in arm.links:
        if link.name != arm.base:
            # Published links break the triangle inequality: they are told when they are read, and used as they are.
            yield from body_numbers(f"link.{link.name}", link.inertia, "link", link.name, real=False)
    loads = dict(arm.loads)
    others = [(f"load.{link.name}", link.name) for link in arm.links if link.name != arm.tool_link]
    for prefix, name in (("load", arm.tool_link), *others):  # what the hand holds has one name
        yield from body_numbers(prefix, loads[name].body if name in loads else Inertia(), "load", name)
    for step in _named_steps(arm):
        if isinstance(step.amount, Angle):
            number = DescriptionNumber(f"angle.{step.name}", "rad", exact(step.amount.radians), is_angle=True)
            yield number, ("angle", "", step.name)
        else:
            yield DescriptionNumber(f"length.{step.name}", "m", step.amount), ("length", "", step.name)
    for joint in arm.joints:
        yield from placement_numbers(f"joint.{joint.name}", joint.before, "joint", joint.name)
        if joint.follows is not None and joint.moves:
            yield from _following(joint)
    for joint in arm.moving:
        yield from _limits(joint)
    yield from vector_numbers("tool", "m", arm.tool.position, "tool", "")
    yield from elastic_numbers(arm)
    if arm.counts_drives:
        yield from drive_numbers(arm)
    yield from vector_numbers("gravity", "m/s^2", arm.gravity, "gravity", "")


def _following(joint: Joint) -> Named:
    assert joint.follows is not None, "asked of joints that follow"
    turning = joint.kind == "revolute"
    ratio = DescriptionNumber(f"joint.{joint.name}.multiplier", "1", joint.follows.multiplier, nonzero=True)
    yield ratio, ("joint", joint.name, "multiplier")
    start = amount(joint.follows.offset)
    offset = DescriptionNumber(f"joint.{joint.name}.offset", "rad" if turning else "m", start, is_angle=turning)
    yield offset, ("joint", joint.name, "offset")


def _limits(joint: Joint) -> Named:
    turning, prefix = joint.kind == "revolute", f"joint.{joint.name}"
    units = {"effort": "N m" if turning else "N", "velocity": "rad/s" if turning else "m/s"}
    for limit_name in ("lower", "upper", "effort", "velocity"):
        limit = getattr(joint.limits, limit_name)
        if math.isfinite(limit):
            least, nonzero = (0.0, True) if limit_name in units else (-math.inf, False)  # zero stands for: not known
            below = (f"{prefix}.lower",) if limit_name == "upper" and math.isfinite(joint.limits.lower) else ()
            unit = units.get(limit_name, "rad" if turning else "m")
            number = DescriptionNumber(
                f"{prefix}.{limit_name}", unit, exact(limit), least, nonzero, moves=False, not_below=below
            )
            yield number, ("joint", joint.name, limit_name)


def _named_steps(arm: ArmDescription) -> list[Step]:
    """The first step of each name; a name that stands in several places is one number."""
    steps_by_name = {step.name: step for step in reversed(_steps(arm))}
    return [step for step in reversed(steps_by_name.values()) if step.name and not step.is_opposite]


def _steps(arm: ArmDescription) -> list[Step]:
    steps = [step for joint in arm.joints for part in (joint.before, joint.after) for step in part.steps]
    return [*steps, *arm.tool.steps]


# -- changing: each part at once, from the numbers of the description ---------------------------------


def _link(arm: Any, name: str, changes: Changes) -> Any:
    mass, centre, tensor = changed_body(arm.link(name).inertia, changes)
    inertia = Inertia.of(mass, centre, tensor, what=f"link {name!r}")
    return replace(arm, links=tuple(replace(x, inertia=inertia) if x.name == name else x for x in arm.links))


def _load(arm: Any, name: str, changes: Changes) -> Any:
    loads = dict(arm.loads)
    load = Load(*changed_body(loads[name].body if name in loads else Inertia(), changes))
    return replace(arm, loads=tuple({**loads, name: load}.items()))


def _gravity(arm: Any, _: str, changes: Changes) -> Any:
    return replace(arm, gravity=tuple(exact(x, "gravity") for x in changed_vector(arm.gravity, changes)))


def _tool(arm: Any, _: str, changes: Changes) -> Any:
    return replace(arm, tool=changed_placement(arm.tool, changes, "tool"))


def _named(arm: Any, _: str, changes: Changes) -> Any:
    """Named lengths and twists, wherever their names stand, also with the other sign (inverse placements)."""
    named_amounts(arm, (step for step in _steps(arm) if step.stem in changes))  # refuses two numbers of one name

    def renewed(step: Step) -> Step:
        stem = step.stem
        if not stem or stem not in changes:
            return step
        value = changes[stem]
        amount = value if isinstance(value, Angle) else Angle.of(value) if step.kind == "rotate" else exact(value, stem)
        return replace(step, amount=-amount if step.is_opposite else amount)

    def placed(placement: Placement) -> Placement:
        return Placement(tuple(map(renewed, placement.steps)))

    joints = tuple(replace(joint, before=placed(joint.before), after=placed(joint.after)) for joint in arm.joints)
    return replace(arm, joints=joints, tool=placed(arm.tool))


def _joint(arm: Any, name: str, changes: Changes) -> Any:
    joint: Joint = arm.joint(name)
    limits = {key: float(changes[key]) for key in ("lower", "upper", "effort", "velocity") if key in changes}
    follows = joint.follows
    if follows is not None:
        follows = replace(follows, **{key: changes[key] for key in ("multiplier", "offset") if key in changes})
    new = replace(
        joint, before=changed_placement(joint.before, changes, f"joint {name!r}"),
        limits=replace(joint.limits, **limits), follows=follows,
    )  # fmt: skip
    changed = replace(arm, joints=tuple(new if x.name == name else x for x in arm.joints))
    if not rubs(changes):
        return changed
    joint_friction = dict(arm.drives.joint_friction)
    joint_friction[name] = changed_friction(arm.drives.friction_of(name), changes)
    return replace(changed, drives=replace(arm.drives, joint_friction=tuple(joint_friction.items())))


CHANGES: dict[str, Callable[[Any, str, Changes], Any]] = {
    "link": _link, "load": _load, "gravity": _gravity, "length": _named, "angle": _named, "joint": _joint,
    "tool": _tool, "elastic": changed_elastic, "motor": changed_motor, "element": changed_element,
}  # fmt: skip
"""How numbers of each kind are changed."""
