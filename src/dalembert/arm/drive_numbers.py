"""The numbers of an arm's drives by name, and the arm with other ones: motors, elements between, friction.

joint.NAME.coulomb, joint.NAME.viscous                        friction at a joint
motor.NAME.ratio.JOINT, motor.NAME.inertia, .coulomb, ...     gear ratio, rotor, friction and constants of a motor
element.NAME.ratio.JOINT, element.NAME.inertia                a wheel or shaft between motor and link

Friction that differs by direction is .forward and .backward where its starting friction is known; .starting and the
parameters of its model (.stribeck.speed) follow where it has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from .description import ArmDescription
from .drives import Actuator, Element, Motor
from .exact import exact
from .inertia import Inertia
from .named_number import (
    Changes,
    DescriptionNumber,
    Named,
    body_numbers,
    changed_body,
    changed_vector,
    vector_numbers,
)
from .shaft_friction import Friction

ELECTRIC = (
    ("torque_constant", "N m/A", True), ("resistance", "ohm", False), ("inductance", "H", False),
    ("speed_constant", "V s/rad", False), ("supply", "V", False), ("largest_current", "A", False),
)  # fmt: skip
"""Constants of a motor with units, and whether they must not be zero."""
FRICTION = ("coulomb", "forward", "backward", "starting", "viscous")
LAW = "law."


def drive_numbers(arm: ArmDescription) -> Named:
    """All numbers of the drives."""
    for joint in arm.all_moving:
        friction = arm.drives.friction_of(joint.name)
        for number, what in _rubbing(f"joint.{joint.name}", friction, joint.kind == "revolute"):
            yield number, ("joint", joint.name, what)
    for motor in arm.drives.actuators:
        yield from motor_numbers(motor)
    for element in arm.drives.elements:
        yield from _turning(f"element.{element.name}", "element", element)


def motor_numbers(motor: Actuator) -> Named:
    """All numbers of one motor."""
    prefix = f"motor.{motor.name}"
    yield from _turning(prefix, "motor", motor, nonzero=len(motor.ratios) == 1)
    for number, what in _rubbing(prefix, motor.friction, motor.kind == "rotary"):
        yield number, ("motor", motor.name, what)
    if motor.motor is not None:
        yield from _electric(prefix, motor, motor.motor)
    if motor.stall is not None:
        unit = "N m" if motor.kind == "rotary" else "N"
        stall = DescriptionNumber(f"{prefix}.stall", unit, exact(motor.stall), 0.0, moves=False)
        yield stall, ("motor", motor.name, "stall")


def _turning(prefix: str, kind: str, part: Actuator | Element, nonzero: bool = False) -> Named:
    """Ratios and rotor of a motor or element, and the body that it moves."""
    for joint, ratio in part.ratios:
        number = DescriptionNumber(f"{prefix}.ratio.{joint}", "1", ratio, nonzero=nonzero)
        yield number, (kind, part.name, f"ratio.{joint}")
    for what, unit in (("inertia", "kg m^2"), ("mass", "kg"), ("across", "kg m^2")):
        if what == "inertia" or part.rotor.link:
            number = DescriptionNumber(f"{prefix}.{what}", unit, getattr(part.rotor, what), 0.0)
            yield number, (kind, part.name, what)
    if part.rotor.link:
        yield from vector_numbers(f"{prefix}.position", "m", part.rotor.position, kind, part.name, "position.")
    if part.body is not None:
        yield from body_numbers(f"{prefix}.body", part.body.inertia, kind, part.name, "body.")


def _electric(prefix: str, part: Actuator, motor: Motor) -> Named:
    for what, unit, nonzero in ELECTRIC:
        value = getattr(motor, what)
        if value is not None and math.isfinite(value):
            said = unit if part.kind == "rotary" else unit.replace("N m/A", "N/A").replace("s/rad", "s/m")
            number = DescriptionNumber(f"{prefix}.{what}", said, exact(value), 0.0, nonzero, moves=False)
            yield number, ("motor", part.name, what)


def _rubbing(prefix: str, friction: Friction, turning: bool) -> Iterator[tuple[DescriptionNumber, str]]:
    unit = "N m" if turning else "N"
    same = friction.moving[0] == friction.moving[1]
    ways: tuple[tuple[str, int], ...] = (("coulomb", 0),) if same else (("forward", 0), ("backward", 1))
    if not same and friction.starting is None:
        ways = ()  # what holds the shaft is then the larger of the two, and which one it is may change
    for what, way in ways:
        yield DescriptionNumber(f"{prefix}.{what}", unit, exact(friction.moving[way]), 0.0), what
    if friction.starting is not None:
        below = tuple(f"{prefix}.{what}" for what, _ in ways)
        number = DescriptionNumber(f"{prefix}.starting", unit, exact(friction.starting), 0.0, not_below=below)
        yield number, "starting"
    viscous = exact(friction.viscous)
    yield DescriptionNumber(f"{prefix}.viscous", "N m s/rad" if turning else "N s/m", viscous, 0.0), "viscous"
    for parameter in fields(friction.model):
        name = f"{prefix}.{friction.model.name}.{parameter.name}"
        said = ("rad/s" if turning else "m/s") if parameter.name == "speed" else ""
        value = exact(getattr(friction.model, parameter.name))
        yield DescriptionNumber(name, said, value, 0.0, True), f"{LAW}{parameter.name}"


def rubs(changes: Changes) -> bool:
    """Whether friction is among the changes."""
    return any(what in FRICTION or what.startswith(LAW) for what in changes)


def changed_friction(friction: Friction, changes: Changes) -> Friction:
    """Friction with other numbers."""
    both = changes.get("coulomb")
    ways = tuple(changes.get(what, friction.moving[k]) for k, what in enumerate(("forward", "backward")))
    law = {what.removeprefix(LAW): value for what, value in changes.items() if what.startswith(LAW)}
    return Friction(
        ways if both is None else (both, both),
        changes.get("starting", friction.starting),
        changes.get("viscous", friction.viscous),
        replace(friction.model, **law) if law else friction.model,
    )


def changed_motor(arm: Any, name: str, changes: Changes) -> Any:
    """The arm with other numbers of a motor."""
    actuators = tuple(changed_actuator(x, changes) if x.name == name else x for x in arm.drives.actuators)
    return replace(arm, drives=replace(arm.drives, actuators=actuators))


def changed_actuator(motor: Actuator, changes: Changes) -> Actuator:
    """The motor with other numbers."""
    electric: Motor | None = motor.motor
    if electric is not None:
        electric = replace(electric, **{what: float(changes[what]) for what, _, _ in ELECTRIC if what in changes})
    stall = float(changes["stall"]) if "stall" in changes else motor.stall
    friction = changed_friction(motor.friction, changes)
    return replace(motor, friction=friction, motor=electric, stall=stall, **_turned(motor, changes))


def changed_element(arm: Any, name: str, changes: Changes) -> Any:
    """The arm with other numbers of an element between motor and link."""
    elements = tuple(replace(x, **_turned(x, changes)) if x.name == name else x for x in arm.drives.elements)
    return replace(arm, drives=replace(arm.drives, elements=elements))


def _turned(part: Actuator | Element, changes: Changes) -> dict[str, Any]:
    own = {what: changes[what] for what in ("inertia", "mass", "across") if what in changes}
    rotor = replace(part.rotor, position=changed_vector(part.rotor.position, changes, "position."), **own)
    body = part.body
    if body is not None:
        body = replace(body, inertia=Inertia.of(*changed_body(body.inertia, changes, "body."), what=part.name))
    ratios = tuple((joint, changes.get(f"ratio.{joint}", ratio)) for joint, ratio in part.ratios)
    return {"ratios": ratios, "rotor": rotor, "body": body}
