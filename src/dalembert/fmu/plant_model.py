"""What every ``FmuModel`` has of a plant: coordinates, inputs, motors, contacts, parameters and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..arm.errors import ArmError
from ..compile.function import Function
from ..simulation.plant import MotorPlant, Plant
from ..simulation.saturation import Saturation
from .circuit import circuit_divisors, circuit_functions, circuit_parameters
from .fmu_model import NO_LIMIT, FmuCoordinate, FmuModel, FmuVariable, ParameterTable
from .friction_functions import Shaft
from .variable_names import structured


class Physics(Protocol):
    """The functions of a system in C, and the parameters they take: ``ArmFunctions``, ``MechanismFunctions``."""

    rows: list[FmuVariable]
    shafts: dict[str, tuple[int, Shaft]]

    @property
    def functions(self) -> dict[str, Function]:
        """All of them by name."""


def plant_model(
    plant: Plant,
    physics: Physics,
    coordinates: tuple[FmuCoordinate, ...],
    saturation: Saturation | None,
    stops: bool,
    restitution: float,
    *,
    glue: str,
    outputs: tuple[FmuVariable, ...],
    loads: Sequence[int],
    joints: tuple[FmuVariable, ...] = (),
) -> FmuModel:
    """The model of a plant with these ``physics``.

    ``glue``, ``outputs`` and ``joints`` are those of its kind of system; ``loads`` are indices among its parameters.
    """
    if saturation is not None and saturation.coupled and len(plant.input_names) != len(coordinates):
        raise ArmError(f"{plant.name}: its motors share the limits of joints; write the FMU with saturate=False")
    motors = structured(plant.input_names) if isinstance(plant, MotorPlant) else ()
    inputs = input_quantities(plant, coordinates, motors)
    table = base_parameters(coordinates, restitution)
    if saturation is not None:
        table.add("INPUT_LIMIT", limit_quantities(inputs, saturation.inputs.tolist(), "limit"))
        table.add("JOINT_LIMIT", joint_limits(coordinates, saturation))
    functions = dict(physics.functions)
    if not isinstance(plant, MotorPlant):
        functions.pop("ratios", None)
    elif plant.electric is not None:
        circuit_parameters(table, plant, motors)
        functions |= circuit_functions(plant)
    table.add("PHYSICS", physics.rows)
    start = table.offsets["PHYSICS"]
    return FmuModel(
        title=plant.name,
        coordinates=coordinates,
        input_kind=plant.kind if isinstance(plant, MotorPlant) else "joint torque",
        inputs=inputs,
        motors=motors,
        motor_units=plant.driven.motor_units if isinstance(plant, MotorPlant) else (),
        contacts=contact_quantities(plant),
        parameters=table,
        own_outputs=outputs,
        functions=functions,
        glue=glue,
        stops=stops,
        limited=saturation is not None,
        limited_at_joints=saturation is not None and saturation.coupled,
        currents=motors if plant.extra else (),
        joints=joints,
        friction_groups=tuple(
            (start + offset, start + offset + 1, start + offset + 2) for offset, _ in physics.shafts.values()
        ),
        positive=nonnegative_indices(table),
        divisors=circuit_divisors(table, plant),
        loads=tuple(start + offset for offset in loads),
    )


def coordinates_of(plant: Plant, start: Sequence[float] | None = None) -> tuple[FmuCoordinate, ...]:
    """The coordinates; they start at zero, or at the limit next to it, or where ``start`` says."""
    names = structured(plant.joint_names)
    rows = zip(names, plant.system.moving, plant.lower.tolist(), plant.upper.tolist(), strict=True)
    return tuple(
        FmuCoordinate(
            name,
            joint.name,
            joint.kind == "revolute",
            low,
            high,
            min(max(0.0, low), high) if start is None else start[k],
        )
        for k, (name, joint, low, high) in enumerate(rows)
    )


def base_parameters(coordinates: Sequence[FmuCoordinate], restitution: float) -> ParameterTable:
    """Limits of the coordinates, restitution, tolerance: what every model has."""
    table = ParameterTable()
    table.add(
        "STOP_LOWER",
        [
            FmuVariable(f"stop.{c.name}.lower", c.unit, f"lower stop of {c.label}", bounded(c.lower))
            for c in coordinates
        ],
    )
    table.add(
        "STOP_UPPER",
        [
            FmuVariable(f"stop.{c.name}.upper", c.unit, f"upper stop of {c.label}", bounded(c.upper))
            for c in coordinates
        ],
    )
    text = "share of the speed with which a joint comes back from a stop"
    table.add("RESTITUTION", [FmuVariable("restitution", "1", text, restitution)])
    text = "relative tolerance of co-simulation, where the importer gives none; the absolute one is a hundredth of it"
    table.add("TOLERANCE", [FmuVariable("tolerance", "1", text, 1e-8)])
    return table


def bounded(limit: float) -> float:
    """A limit as a finite number."""
    return float(np.clip(limit, -NO_LIMIT, NO_LIMIT))


def input_quantities(
    plant: Plant, coordinates: Sequence[FmuCoordinate], motors: Sequence[str]
) -> tuple[FmuVariable, ...]:
    """The inputs: loads at the coordinates, or what drives the motors."""
    if not isinstance(plant, MotorPlant):
        return tuple(FmuVariable(f"tau.{c.name}", c.load_unit, f"load at {c.label}") for c in coordinates)
    stem = {"motor torque": "motor", "current": "current_input", "voltage": "voltage"}[plant.kind]
    units = (unit.replace("N m", "N.m") for unit in plant.input_units)
    return tuple(
        FmuVariable(f"{stem}.{name}", unit, f"{plant.kind} of {label}")
        for name, unit, label in zip(motors, units, plant.input_names, strict=True)
    )


def limit_quantities(inputs: Sequence[FmuVariable], limits: Sequence[float], stem: str) -> list[FmuVariable]:
    """The largest of each input."""
    return [
        FmuVariable(
            f"{stem}.{variable.name}",
            variable.unit,
            f"largest {variable.text}; {NO_LIMIT:g} for none",
            bounded(float(limit)),
        )
        for variable, limit in zip(inputs, limits, strict=True)
    ]


def joint_limits(coordinates: Sequence[FmuCoordinate], saturation: Saturation) -> list[FmuVariable]:
    """The largest load at each coordinate, where coupled motors share it."""
    if not saturation.coupled:
        return []
    return [
        FmuVariable(f"limit.joint.{c.name}", c.load_unit, f"largest load at {c.label}", bounded(float(most)))
        for c, most in zip(coordinates, saturation.joints, strict=True)
    ]


def contact_quantities(plant: Plant) -> tuple[FmuVariable, ...]:
    """The modes of the contacts."""
    names = structured(contact.name for contact in plant.contacts)
    return tuple(
        FmuVariable(f"slides.{name}", "", f"1 or -1 while {contact.name} slides forward or backward, 0 while it sticks")
        for name, contact in zip(names, plant.contacts, strict=True)
    )


def nonnegative_indices(table: ParameterTable) -> tuple[int, ...]:
    """Places of parameters that are not below zero."""
    stems = ("friction.", "limit.", "motor.")
    return tuple(k for k, row in enumerate(table.rows) if row.name.startswith(stems))
