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
        for number, quantity in _friction_numbers(f"joint.{joint.name}", friction, joint.kind == "revolute"):
            yield number, ("joint", joint.name, quantity)
    for motor in arm.drives.actuators:
        yield from motor_numbers(motor)
    for element in arm.drives.elements:
        yield from _rotor_numbers(f"element.{element.name}", "element", element)


def motor_numbers(motor: Actuator, rubs_dry: bool = True) -> Named:
    """All numbers of one motor; ``rubs_dry``: whether Coulomb friction can act where it stands."""
    prefix = f"motor.{motor.name}"
    yield from _rotor_numbers(prefix, "motor", motor, nonzero=len(motor.ratios) == 1)
    for number, quantity in _friction_numbers(prefix, motor.friction, motor.kind == "rotary"):
        if rubs_dry or quantity == "viscous":
            yield number, ("motor", motor.name, quantity)
    if motor.motor is not None:
        yield from _electric(prefix, motor, motor.motor)
    if motor.stall is not None:
        unit = "N m" if motor.kind == "rotary" else "N"
        stall = DescriptionNumber(f"{prefix}.stall", unit, exact(motor.stall), 0.0, moves=False)
        yield stall, ("motor", motor.name, "stall")


def _rotor_numbers(prefix: str, kind: str, part: Actuator | Element, nonzero: bool = False) -> Named:
    """Ratios and rotor of a motor or element, and the body that it moves."""
    for joint, ratio in part.ratios:
        number = DescriptionNumber(f"{prefix}.ratio.{joint}", "1", ratio, nonzero=nonzero)
        yield number, (kind, part.name, f"ratio.{joint}")
    for quantity, unit in (("inertia", "kg m^2"), ("mass", "kg"), ("across", "kg m^2")):
        if quantity == "inertia" or part.rotor.link:
            number = DescriptionNumber(f"{prefix}.{quantity}", unit, getattr(part.rotor, quantity), 0.0)
            yield number, (kind, part.name, quantity)
    if part.rotor.link:
        yield from vector_numbers(f"{prefix}.position", "m", part.rotor.position, kind, part.name, "position.")
    if part.body is not None:
        yield from body_numbers(f"{prefix}.body", part.body.inertia, kind, part.name, "body.")


def _electric(prefix: str, part: Actuator, motor: Motor) -> Named:
    for constant, unit, nonzero in ELECTRIC:
        value = getattr(motor, constant)
        if value is not None and math.isfinite(value):
            motor_unit = unit if part.kind == "rotary" else unit.replace("N m/A", "N/A").replace("s/rad", "s/m")
            number = DescriptionNumber(f"{prefix}.{constant}", motor_unit, exact(value), 0.0, nonzero, moves=False)
            yield number, ("motor", part.name, constant)


def _friction_numbers(prefix: str, friction: Friction, turning: bool) -> Iterator[tuple[DescriptionNumber, str]]:
    unit = "N m" if turning else "N"
    symmetric = friction.moving[0] == friction.moving[1]
    directions: tuple[tuple[str, int], ...] = (("coulomb", 0),) if symmetric else (("forward", 0), ("backward", 1))
    if not symmetric and friction.starting is None:
        directions = ()  # what holds the shaft is then the larger of the two, and which one it is may change
    for direction, index in directions:
        yield DescriptionNumber(f"{prefix}.{direction}", unit, exact(friction.moving[index]), 0.0), direction
    if friction.starting is not None:
        below = tuple(f"{prefix}.{direction}" for direction, _ in directions)
        number = DescriptionNumber(f"{prefix}.starting", unit, exact(friction.starting), 0.0, not_below=below)
        yield number, "starting"
    viscous = exact(friction.viscous)
    yield DescriptionNumber(f"{prefix}.viscous", "N m s/rad" if turning else "N s/m", viscous, 0.0), "viscous"
    for parameter in fields(friction.model):
        name = f"{prefix}.{friction.model.name}.{parameter.name}"
        parameter_unit = ("rad/s" if turning else "m/s") if parameter.name == "speed" else ""
        value = exact(getattr(friction.model, parameter.name))
        yield DescriptionNumber(name, parameter_unit, value, 0.0, True), f"{LAW}{parameter.name}"


def rubs(changes: Changes) -> bool:
    """Whether friction is among the changes."""
    return any(name in FRICTION or name.startswith(LAW) for name in changes)


def changed_friction(friction: Friction, changes: Changes) -> Friction:
    """Friction with other numbers."""
    symmetric = changes.get("coulomb")
    directions = tuple(changes.get(name, friction.moving[k]) for k, name in enumerate(("forward", "backward")))
    law = {name.removeprefix(LAW): value for name, value in changes.items() if name.startswith(LAW)}
    return Friction(
        directions if symmetric is None else (symmetric, symmetric),
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
        electric = replace(
            electric, **{constant: float(changes[constant]) for constant, _, _ in ELECTRIC if constant in changes}
        )
    stall = float(changes["stall"]) if "stall" in changes else motor.stall
    friction = changed_friction(motor.friction, changes)
    return replace(motor, friction=friction, motor=electric, stall=stall, **_rotor_changed(motor, changes))


def changed_element(arm: Any, name: str, changes: Changes) -> Any:
    """The arm with other numbers of an element between motor and link."""
    elements = tuple(replace(x, **_rotor_changed(x, changes)) if x.name == name else x for x in arm.drives.elements)
    return replace(arm, drives=replace(arm.drives, elements=elements))


def _rotor_changed(part: Actuator | Element, changes: Changes) -> dict[str, Any]:
    rotor_changes = {quantity: changes[quantity] for quantity in ("inertia", "mass", "across") if quantity in changes}
    rotor = replace(part.rotor, position=changed_vector(part.rotor.position, changes, "position."), **rotor_changes)
    body = part.body
    if body is not None:
        body = replace(body, inertia=Inertia.of(*changed_body(body.inertia, changes, "body."), what=part.name))
    ratios = tuple((joint, changes.get(f"ratio.{joint}", ratio)) for joint, ratio in part.ratios)
    return {"ratios": ratios, "rotor": rotor, "body": body}
