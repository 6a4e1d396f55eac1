"""Reader and writer of drives in TOML: a separate file, or the table ``drives`` of an arm file; docs/drives.md.

[[motors]]
name = "motor5"
ratios = {joint4 = -1, joint5 = 71.923}       # rad of the motor per rad (or m) of the joint
rotor = {inertia = 33e-6, link = "link3", axis = [0, 0, 1]}
friction = {coulomb = [0.01, 0.015], starting = 0.02, viscous = 8e-5, model = {name = "stribeck", speed = 2.0}}
electric = {torque_constant = 0.07, resistance = 3.8, inductance = 0.004, supply = 40}

[[elements]]                                  # wheels, shafts, rods between motor and link
[[joint_friction]]                            # friction at a joint itself

What varies with the joint positions (``turns``, ``body``) is in ``toml_moving_bodies.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from pathlib import Path

from ..description import ArmDescription, listed
from ..drives import Actuator, DriveTrain, Element, Motor
from ..errors import ArmError
from ..friction_models import COULOMB, FRICTION_MODELS, FrictionModel
from ..moving_parts import Rotor
from ..shaft_friction import NO_FRICTION, Friction
from .expression import quantity, shown
from .joint_formula import Formula, Formulas
from .text_files import read_text
from .toml_kinds import refuse_others
from .toml_moving_bodies import formula_of, moving_body_text, read_moving_body, read_turns, refuse_unwritten
from .toml_table import TomlTable
from .toml_text import quoted

TOP = ("arm", "notes", "sources", "motors", "elements", "joint_friction")
MOTOR = ("name", "kind", "ratios", "turns", "rotor", "body", "friction", "electric", "stall_torque", "source")
ELEMENT = ("name", "ratios", "turns", "rotor", "body", "source")
ROTOR = ("inertia", "link", "axis", "position", "mass", "across", "counted")
FRICTION = ("coulomb", "starting", "viscous", "model")
ELECTRIC = ("torque_constant", "speed_constant", "resistance", "inductance", "supply", "largest_current")
BUILT_IN = resources.files("dalembert.arm") / "catalog" / "drives"


def built_in_drives(name: str, arm: ArmDescription) -> DriveTrain | None:
    """The drives in the catalog for the arm of this name, or None."""
    path = BUILT_IN / f"{name}.toml"
    if not path.is_file():
        return None
    return read_drives_text(path.read_text(encoding="utf-8"), f"catalog/drives/{name}.toml", arm)


def read_drives_text(text: str, origin: str, arm: ArmDescription) -> DriveTrain:
    """The drives of a separate file."""
    from .toml_arm import parse

    tables = parse(text, origin)
    refuse_others(tables, "the drives of an arm", origin)
    return read_drives(TomlTable.of(tables, origin, TOP), arm, origin)


def read_drives_file(path: str | Path, arm: ArmDescription) -> DriveTrain:
    """The drives of a TOML file of their own."""
    return read_drives_text(read_text(path, missing="name a TOML file with drives"), str(path), arm)


def read_drives(table: TomlTable, arm: ArmDescription, origin: str = "") -> DriveTrain:
    """The drives of a table, checked against ``arm``; joints without a motor keep the drive data of the arm."""
    motors = table.tables("motors", MOTOR)
    actuators = tuple(read_actuator(part, arm) for part in motors)
    elements = tuple(read_element(part, arm) for part in table.tables("elements", ELEMENT))
    frictions = []
    for part in table.tables("joint_friction", ("joint", *FRICTION)):
        frictions.append((part.text("joint"), read_friction(part)))
    train = DriveTrain(
        actuators,
        elements,
        tuple(frictions),
        turns=read_turns(motors, arm),
        notes=table.text("notes", ""),
        sources=table.texts("sources"),
        origin=origin or table.where,
    ).fitted(arm)
    train.check(arm)
    return train


def read_actuator(table: TomlTable, arm: ArmDescription) -> Actuator:
    """A [[motors]] table: ratios, rotor, friction and motor constants."""
    name = table.text("name")
    table = table.called(f"{table.where.split(': ')[0]}: motor {shown(name)}")
    table.text("source", "")
    friction = table.table("friction", FRICTION)
    electric = table.table("electric", ELECTRIC)
    return Actuator.of(
        name,
        read_ratios(table, arm),
        read_rotor(table),
        read_friction(friction) if friction is not None else NO_FRICTION,
        read_motor(electric) if electric is not None else None,
        table.real("stall_torque", 0.0, least=0) if "stall_torque" in table else None,
        read_moving_body(table, arm),
        table.text("kind", "rotary"),
    )


def read_element(table: TomlTable, arm: ArmDescription) -> Element:
    """An [[elements]] table: a part of a transmission that turns, or a body that is moved on a link."""
    name = table.text("name")
    table = table.called(f"{table.where.split(': ')[0]}: element {shown(name)}")
    table.text("source", "")
    body = read_moving_body(table, arm)
    if body is not None and "rotor" not in table:
        for key in ("ratios", "turns"):
            if key in table:
                raise table.fault(
                    f"{key} belong to a rotor, and this element has none; its body moves as it says itself"
                )
        return Element(name, body=body)
    turns = formula_of(table, "turns", arm.joint_names) if "turns" in table else None
    return Element(name, _pairs(read_ratios(table, arm, may_stand=True)), read_rotor(table), body, turns)


def _pairs(ratios: Mapping[str, Fraction]) -> tuple[tuple[str, Fraction], ...]:
    return tuple(ratios.items())


def read_ratios(table: TomlTable, arm: ArmDescription, *, may_stand: bool = False) -> Mapping[str, Fraction]:
    """Transmission ratios (rad of the motor per rad or m of the joint) by joint name; none beside ``turns``.

    A part that ``may_stand`` may have ``ratios = {}``: the mass of what locked joints have stopped.
    """
    names = [joint.name for joint in arm.joints]
    if "turns" in table:
        if "ratios" in table:
            raise table.fault("turns stand in place of ratios; keep one of the two ways")
        return {}
    entries = table.table("ratios", names)
    if entries is None or not (entries.values or may_stand):
        raise table.fault("ratios are missing; give {joint = motor turns per joint turn}, or turns by a formula")
    return {joint: entries.number(joint) for joint in entries.values}


def read_rotor(table: TomlTable) -> Rotor:
    """Inertia, mass and position of a rotor."""
    entries = table.table("rotor", ROTOR)
    if entries is None:
        return Rotor.of(0)
    counted = entries.values.get("counted", True)
    if not isinstance(counted, bool):
        raise entries.fault(f"counted is true or false, not {shown(counted)}")
    return Rotor.of(
        entries.number("inertia"),
        entries.text("link", ""),
        entries.vector("axis", Rotor.of(0).axis),
        entries.vector("position"),
        entries.number("mass", 0),
        entries.number("across", 0),
        counted,
    )


def read_friction(table: TomlTable) -> Friction:
    """Coulomb, starting and viscous friction, and the model that leads from the one to the other."""
    value = table.values.get("coulomb", 0)
    if isinstance(value, list):
        pair = table.items("coulomb", 2, "two numbers, for forward and for backward motion")
        forward, backward = (float(quantity(x, f"{table.where}: coulomb")) for x in pair)
        coulomb: float | tuple[float, float] = (forward, backward)
    else:
        coulomb = table.real("coulomb", 0.0, least=0)
    starting = table.real("starting", 0.0, least=0) if "starting" in table else None
    friction = Friction.of(coulomb, starting, table.real("viscous", 0.0), read_friction_model(table))
    try:
        friction.check(table.where)
    except ArmError as fault:
        raise fault from None
    return friction


def read_friction_model(table: TomlTable) -> FrictionModel:
    """The friction model of a table: its name, and its parameters as the fields of the model have them."""
    if "model" not in table:
        return COULOMB
    all_parameters = {field.name for kind in FRICTION_MODELS.values() for field in fields(kind)}
    entries = table.table("model", ("name", *sorted(all_parameters)))
    assert entries is not None
    name = entries.text("name")
    if name not in FRICTION_MODELS:
        raise entries.fault(f"no friction model {shown(name)}; there are {listed(FRICTION_MODELS)}")
    kind = FRICTION_MODELS[name]
    parameters = [field.name for field in fields(kind)]
    for parameter in entries.values:
        if parameter not in ("name", *parameters):
            raise entries.fault(
                f"the friction model {name!r} has no {parameter!r}; it has {listed(parameters) or 'none'}"
            )
    for parameter in parameters:
        entries.needed(parameter)
    return kind(**{parameter: entries.real(parameter, 0.0) for parameter in parameters})


def read_motor(table: TomlTable) -> Motor:
    """The constants of a DC motor."""
    table.needed("torque_constant")
    motor = Motor(
        table.real("torque_constant", 0.0),
        table.real("resistance", 0.0),
        table.real("inductance", 0.0),
        table.real("speed_constant", 0.0) if "speed_constant" in table else None,
        table.limit("supply", math.inf),
        table.limit("largest_current", math.inf),
    )
    motor.check(table.where)
    return motor


def write_drives(train: DriveTrain, prefix: str = "") -> str:
    """The drives as TOML from which ``read_drives`` restores them; ``prefix="drives."`` inside an arm file."""
    refuse_unwritten(train)
    turns = train.turns.each if isinstance(train.turns, Formulas) else ()
    lines: list[str] = []
    if prefix and (train.sources or train.notes):
        lines.append(f"[{prefix.rstrip('.')}]")
    if train.sources:
        lines.append(f"sources = [{', '.join(quoted(source) for source in train.sources)}]")
    if train.notes:
        lines.append(f"notes = {quoted(train.notes)}")
    for number, actuator in enumerate(train.actuators if replace(train, joint_friction=()) else ()):
        lines += ["", f"[[{prefix}motors]]", *_part(actuator, turns[number] if turns else None)]
        if actuator.kind != "rotary":
            lines.append(f"kind = {quoted(actuator.kind)}")
        if actuator.friction:
            lines.append(f"friction = {_friction(actuator.friction)}")
        if actuator.motor is not None:
            motor = actuator.motor
            constants = {key: getattr(motor, key) for key in ELECTRIC if getattr(motor, key) is not None}
            finite = {key: value for key, value in constants.items() if math.isfinite(value)}
            lines.append(f"electric = {_inline({key: repr(float(value)) for key, value in finite.items()})}")
        if actuator.stall is not None:
            lines.append(f"stall_torque = {float(actuator.stall)!r}")
    for element in train.elements:
        formula = element.turns if isinstance(element.turns, Formula) else None
        lines += ["", f"[[{prefix}elements]]", *_part(element, formula)]
    for joint, friction in train.joint_friction:
        lines += ["", f"[[{prefix}joint_friction]]", f"joint = {quoted(joint)}"]
        lines += [f"{key} = {value}" for key, value in _friction_values(friction).items()]
    return "\n".join(lines).strip() + "\n"


def _part(part: Actuator | Element, turns: Formula | None) -> list[str]:
    """Name, ratios or turns, rotor and body of a motor or element as lines of TOML."""
    name = [f"name = {quoted(part.name)}"]
    body = [f"body = {moving_body_text(part.body)}"] if part.body is not None else []
    if isinstance(part, Element) and body and not part.ratios and turns is None:
        return name + body
    rotor = part.rotor
    entries = {"inertia": _number(rotor.inertia)}
    if rotor.link:
        entries |= {"link": quoted(rotor.link), "axis": _vector(rotor.axis), "position": _vector(rotor.position)}
        entries |= {"mass": _number(rotor.mass), "across": _number(rotor.across)}
        entries["counted"] = "true" if rotor.counted else "false"
    ratios = _inline({quoted(joint): _number(ratio) for joint, ratio in part.ratios})
    motion = f"ratios = {ratios}" if turns is None or part.ratios else f"turns = {quoted(turns.text)}"
    return [*name, motion, f"rotor = {_inline(entries)}", *body]


def _friction_values(friction: Friction) -> dict[str, str]:
    forward, backward = (float(value) for value in friction.moving)
    entries = {"coulomb": f"[{forward!r}, {backward!r}]"}
    if friction.starting is not None:
        entries["starting"] = repr(float(friction.starting))
    entries["viscous"] = repr(float(friction.viscous))
    if friction.model != COULOMB:
        parameters = {field.name: repr(float(getattr(friction.model, field.name))) for field in fields(friction.model)}
        entries["model"] = _inline({"name": quoted(friction.model.name), **parameters})
    return entries


def _friction(friction: Friction) -> str:
    return _inline(_friction_values(friction))


def _inline(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key} = {value}" for key, value in values.items()) + "}"


def _vector(values: tuple[Fraction, Fraction, Fraction]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _number(value: Fraction) -> str:
    """A rational as a decimal where it is one, else as a quotient in quotes."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = Decimal(repr(float(value)))
    if Fraction(decimal) == value:
        return format(decimal, "e") if abs(decimal) < Decimal("1e-4") else format(decimal, "f")
    return f'"{value.numerator}/{value.denominator}"'
