"""Every number of a description by name: what it is now, and the description with other ones.

    link.NAME.mass, link.NAME.com.x, link.NAME.inertia.xx   of a link; its inertia about its mass centre
    load.mass, load.com.x                                   of the load in the hand; without one its mass is zero
    load.LINK.mass, load.LINK.com.x                         of a weight on a link: a counterweight
    length.NAME, angle.NAME                                 lengths and twists that have names ("a2", "d3", "alpha1")
    joint.NAME.x                                            origin of a joint in the frame of its parent link
    joint.NAME.effort, joint.NAME.velocity                  limits of a joint
    joint.NAME.coulomb, joint.NAME.viscous                  friction at a joint, where the drives count
    motor.NAME.ratio.JOINT, motor.NAME.inertia,             gear ratio, rotor, friction and constants of a motor,
    motor.NAME.coulomb, motor.NAME.viscous,                 where the drives count
    motor.NAME.torque_constant, motor.NAME.resistance
    gravity.x, gravity.y, gravity.z

A number is changed with all others left as they are: another mass of a link has the same mass centre and the same
inertia about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from .description import ArmDescription, Joint
from .drives import Actuator, Motor
from .errors import ArmError
from .exact import Angle, exact
from .inertia import ENTRIES, Inertia, Load
from .io.toml_table import nearest
from .placement import Placement, Step
from .shaft_friction import Friction

AXES = "xyz"
Arm = TypeVar("Arm", bound=ArmDescription)
_KEPT = "_numbers_by_name"
Changes = Mapping[str, Any]
"""New values by the last part of their names."""


@dataclass(frozen=True)
class DescriptionNumber:
    """One number: its name, unit and present value; ``least`` is the smallest value that it may have."""

    name: str
    unit: str
    value: Fraction
    least: float = -math.inf
    nonzero: bool = False

    def fault(self, value: float) -> str:
        """Why the number cannot have this value, or an empty string."""
        if not math.isfinite(value):
            return f"{self.name} is no finite number"
        if value < self.least:
            return f"{self.name} is below {self.least:g} {self.unit}, the least that it can be"
        if self.nonzero and value == 0:
            return f"{self.name} is zero; a motor with this ratio would not move its joint"
        return ""


def numbers_of(arm: ArmDescription) -> dict[str, DescriptionNumber]:
    """All numbers of the description that can be changed by name, in the order of the description."""
    kept = vars(arm)  # where a description keeps what it has worked out
    if _KEPT not in kept:
        kept[_KEPT] = {number.name: number for number in _numbers(arm)}
    return dict(kept[_KEPT])


def number_of(arm: ArmDescription, name: str) -> DescriptionNumber:
    """The number of this name."""
    known = vars(arm).get(_KEPT) or numbers_of(arm)
    if name not in known:
        hint = nearest(name, list(known))
        without = not arm.counts_drives and (name.startswith("motor.") or name.endswith((".coulomb", ".viscous")))
        why = "; its drives do not count here, so count them" if without else ""
        raise ArmError(
            f"{arm.where}{arm.name}: there is no number {name!r:.80}{hint}{why}; they are named as link.NAME.mass, "
            "load.mass, length.NAME, motor.NAME.inertia, gravity.z"
        )
    found: DescriptionNumber = known[name]
    return found


def with_numbers(arm: Arm, values: Mapping[str, Any]) -> Arm:
    """The description with these numbers, by name, and all others as they are."""
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in values.items():
        kind, own, last = _split(arm, name)
        parts.setdefault((kind, own), {})[last] = value
    found: Any = arm
    for (kind, own), changes in parts.items():
        found = CHANGES[kind](found, own, changes)
    return found


# -- naming -----------------------------------------------------------------------------------------


def _numbers(arm: ArmDescription) -> Iterator[DescriptionNumber]:
    for link in arm.links:
        if link.name != arm.base:
            yield from _body(f"link.{link.name}", link.inertia)
            for name, i, j in ENTRIES:
                value = link.inertia.central[i][j]
                least = 0.0 if i == j and value >= 0 else -math.inf
                yield DescriptionNumber(f"link.{link.name}.inertia.{name}", "kg m^2", value, least)
    held = dict(arm.loads)
    for prefix, name in (("load", arm.tool_link), *((f"load.{x.name}", x.name) for x in arm.links)):
        yield from _body(prefix, held[name].body if name in held else Inertia())
    for step in _named_steps(arm):
        if isinstance(step.amount, Angle):
            yield DescriptionNumber(f"angle.{step.name}", "rad", exact(step.amount.radians))
        else:
            yield DescriptionNumber(f"length.{step.name}", "m", step.amount)
    for joint in arm.joints:
        for axis, value in zip(AXES, joint.before.position, strict=True):
            yield DescriptionNumber(f"joint.{joint.name}.{axis}", "m", value)
    for joint in arm.moving:
        turning = joint.kind == "revolute"
        for what, unit in (("effort", "N m" if turning else "N"), ("velocity", "rad/s" if turning else "m/s")):
            limit = getattr(arm.joint(joint.name).limits, what)
            if math.isfinite(limit):
                yield DescriptionNumber(f"joint.{joint.name}.{what}", unit, exact(limit), 0.0)
    if arm.counts_drives:
        yield from _of_drives(arm)
    for axis, value in zip(AXES, arm.gravity, strict=True):
        yield DescriptionNumber(f"gravity.{axis}", "m/s^2", value)


def _body(prefix: str, inertia: Inertia) -> Iterator[DescriptionNumber]:
    yield DescriptionNumber(f"{prefix}.mass", "kg", inertia.mass, 0.0)
    for axis, value in zip(AXES, inertia.com, strict=True):
        yield DescriptionNumber(f"{prefix}.com.{axis}", "m", value)


def _of_drives(arm: ArmDescription) -> Iterator[DescriptionNumber]:
    for joint in arm.all_moving:
        friction, turning = arm.drives.friction_of(joint.name), joint.kind == "revolute"
        yield from _rubbing(f"joint.{joint.name}", friction, turning)
    for motor in arm.drives.actuators:
        prefix = f"motor.{motor.name}"
        for name, ratio in motor.ratios:
            yield DescriptionNumber(f"{prefix}.ratio.{name}", "1", ratio, nonzero=len(motor.ratios) == 1)
        yield DescriptionNumber(f"{prefix}.inertia", "kg m^2", motor.rotor.inertia, 0.0)
        yield from _rubbing(prefix, motor.friction, motor.kind == "rotary")
        if motor.motor is not None:
            yield DescriptionNumber(f"{prefix}.torque_constant", "N m/A", exact(motor.motor.torque_constant), 0.0, True)
            yield DescriptionNumber(f"{prefix}.resistance", "ohm", exact(motor.motor.resistance), 0.0)


def _rubbing(prefix: str, friction: Friction, turning: bool) -> Iterator[DescriptionNumber]:
    if friction.moving[0] == friction.moving[1] and friction.starting is None:
        yield DescriptionNumber(f"{prefix}.coulomb", "N m" if turning else "N", exact(friction.moving[0]), 0.0)
    yield DescriptionNumber(f"{prefix}.viscous", "N m s/rad" if turning else "N s/m", exact(friction.viscous), 0.0)


def _named_steps(arm: ArmDescription) -> list[Step]:
    """The first step of each name; a name that stands in several places is one number."""
    steps = [step for joint in arm.joints for part in (joint.before, joint.after) for step in part.steps]
    found = {step.name: step for step in reversed([*steps, *arm.tool.steps])}
    return [step for name, step in reversed(found.items()) if name and not name.startswith("-")]


def _split(arm: ArmDescription, name: str) -> tuple[str, str, str]:
    """Kind, name of the part (which may have dots in it), and what of it."""
    number_of(arm, name)
    kind, _, rest = name.partition(".")
    if kind in ("gravity", "length", "angle"):
        return kind, "", rest
    if kind == "load":
        own = next((x for x in arm.link_names if rest.startswith(f"{x}.")), "")
        return kind, own or arm.tool_link, rest.removeprefix(f"{own}.")
    names = {
        "link": arm.link_names,
        "joint": tuple(joint.name for joint in arm.joints),
        "motor": arm.drives.names,
    }[kind]
    own = max((x for x in names if rest.startswith(f"{x}.")), key=len)
    return kind, own, rest.removeprefix(f"{own}.")


# -- changing: each part at once, from the numbers of the description ---------------------------------


def _changed(inertia: Inertia, changes: Changes) -> tuple[Any, list[Any], list[list[Any]]]:
    """Mass, mass centre and inertia about it, with changes in."""
    centre = [changes.get(f"com.{axis}", value) for axis, value in zip(AXES, inertia.com, strict=True)]
    tensor: list[list[Any]] = [list(row) for row in inertia.central]
    for name, i, j in ENTRIES:
        if f"inertia.{name}" in changes:
            tensor[i][j] = tensor[j][i] = exact(changes[f"inertia.{name}"], f"inertia {name}")
    return changes.get("mass", inertia.mass), centre, tensor


def _link(arm: Any, name: str, changes: Changes) -> Any:
    mass, centre, tensor = _changed(arm.link(name).inertia, changes)
    inertia = Inertia.of(mass, centre, tensor, what=f"link {name!r}")
    return replace(arm, links=tuple(replace(x, inertia=inertia) if x.name == name else x for x in arm.links))


def _load(arm: Any, name: str, changes: Changes) -> Any:
    held = dict(arm.loads)
    load = Load(*_changed(held[name].body if name in held else Inertia(), changes))
    return replace(arm, loads=tuple({**held, name: load}.items()))


def _gravity(arm: Any, _: str, changes: Changes) -> Any:
    vector = [changes.get(axis, value) for axis, value in zip(AXES, arm.gravity, strict=True)]
    return replace(arm, gravity=tuple(exact(x, "gravity") for x in vector))


def _named(arm: Any, _: str, changes: Changes) -> Any:
    """Named lengths and twists, wherever their names stand, also with the other sign (inverse placements)."""

    def renewed(step: Step) -> Step:
        stem = step.name.removeprefix("-")
        if not stem or stem not in changes:
            return step
        given = changes[stem]
        amount = given if isinstance(given, Angle) else Angle.of(given) if step.kind == "rotate" else exact(given, stem)
        return replace(step, amount=-amount if step.name.startswith("-") else amount)

    def placed(placement: Placement) -> Placement:
        return Placement(tuple(map(renewed, placement.steps)))

    joints = tuple(replace(joint, before=placed(joint.before), after=placed(joint.after)) for joint in arm.joints)
    return replace(arm, joints=joints, tool=placed(arm.tool))


def _joint(arm: Any, name: str, changes: Changes) -> Any:
    joint: Joint = arm.joint(name)
    shifts = [
        Step("translate", k, exact(changes[axis], f"joint {name!r}") - joint.before.position[k])
        for k, axis in enumerate(AXES)
        if axis in changes
    ]
    limits = {what: float(changes[what]) for what in ("effort", "velocity") if what in changes}
    new = replace(joint, before=Placement.of(*shifts) @ joint.before, limits=replace(joint.limits, **limits))
    found = replace(arm, joints=tuple(new if x.name == name else x for x in arm.joints))
    if not any(what in changes for what in ("coulomb", "viscous")):
        return found
    own = dict(arm.drives.joint_friction)
    own[name] = _friction(arm.drives.friction_of(name), changes)
    return replace(found, drives=replace(arm.drives, joint_friction=tuple(own.items())))


def _friction(friction: Friction, changes: Changes) -> Friction:
    if "coulomb" in changes:
        friction = replace(friction, moving=(changes["coulomb"],) * 2)
    return replace(friction, viscous=changes.get("viscous", friction.viscous))


def _motor(arm: Any, name: str, changes: Changes) -> Any:
    def renewed(motor: Actuator) -> Actuator:
        if motor.name != name:
            return motor
        ratios = tuple((joint, changes.get(f"ratio.{joint}", ratio)) for joint, ratio in motor.ratios)
        rotor = replace(motor.rotor, inertia=changes.get("inertia", motor.rotor.inertia))
        electric: Motor | None = motor.motor
        if electric is not None:
            given = {what: float(changes[what]) for what in ("torque_constant", "resistance") if what in changes}
            electric = replace(electric, **given)
        return replace(
            motor, ratios=ratios, rotor=rotor, friction=_friction(motor.friction, changes), motor=electric
        )  # fmt: skip

    return replace(arm, drives=replace(arm.drives, actuators=tuple(map(renewed, arm.drives.actuators))))


CHANGES: dict[str, Callable[[Any, str, Changes], Any]] = {
    "link": _link, "load": _load, "gravity": _gravity, "length": _named, "angle": _named, "joint": _joint,
    "motor": _motor,
}  # fmt: skip
"""How numbers of each kind are changed."""
