"""An arm, or a shorter model of one, as an ``FmuModel``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..reduction.program_system import ProgramSystem
from ..simulation.plant import MotorPlant, Plant
from ..simulation.saturation import Saturation, saturation_of
from ..systems.arm_system import ArmSystem
from .arm_functions import ArmFunctions
from .circuit import circuit_divisors, circuit_functions, circuit_parameters
from .fmu_model import NO_LIMIT, FmuCoordinate, FmuModel, FmuVariable, ParameterTable
from .variable_names import structured

GLUE = """\
static int model_begin(Core *me)
{{
  (void)me;
  return 1;
}}

static int model_at(const Core *me, const double *x, Point *at)
{{
  {dynamics}
  {contacts}
  {ratios}
  drive(me, x, at);
  return 1;
}}

static void model_outputs(const Core *me, const double *x, const Point *at, double *out)
{{
  (void)me;
  (void)at;
  arm_hand(x, x + N, {kept}out, out + 1, out + 4, out + 13, out + 16);
}}

static void model_along(const Core *me, const double *x, const Point *at, const double *dx, const double *du, Point *d)
{{
  arm_dynamics_along(x, x + N, {kept}dx, dx + N, d->mass, d->bias);
  {contacts_along}
  {ratios_along}
  drive_along(me, x, at, dx, du, d);
}}

static void model_outputs_along(const Core *me, const double *x, const Point *at, const double *dx, const Point *d,
                                double *out)
{{
  (void)me;
  (void)at;
  (void)d;
  arm_hand_along(x, x + N, {kept}dx, dx + N, out, out + 1, out + 4, out + 13, out + 16);
}}
"""


def arm_model(
    plant: Plant, arm: ArmSystem, program: ProgramSystem | None, stops: bool, restitution: float, saturate: bool | None
) -> FmuModel:
    """The model of a plant whose system is ``arm``, or a ``program`` that stands for it."""
    arm_functions = ArmFunctions(arm, program)
    coordinates = coordinates_of(plant)
    motors = structured(plant.input_names) if isinstance(plant, MotorPlant) else ()
    saturation = saturation_of(plant, saturate)
    table = base_parameters(coordinates, restitution)
    inputs = input_quantities(plant, coordinates, motors)
    if saturation is not None:
        table.add("INPUT_LIMIT", limit_quantities(inputs, saturation.inputs.tolist(), "limit"))
        table.add("JOINT_LIMIT", joint_limits(coordinates, saturation))
    functions = dict(arm_functions.functions)
    if isinstance(plant, MotorPlant) and plant.electric is not None:
        circuit_parameters(table, plant, motors)
        functions |= circuit_functions(plant)
    table.add("PHYSICS", arm_functions.rows)
    start = table.offsets["PHYSICS"]
    parameters_argument = "me->p + PHYSICS, " if arm_functions.rows else ""
    motor_driven = isinstance(plant, MotorPlant)
    if not motor_driven:
        functions.pop("ratios", None)
    return FmuModel(
        title=plant.name,
        coordinates=coordinates,
        input_kind=plant.kind if isinstance(plant, MotorPlant) else "joint torque",
        inputs=inputs,
        motors=motors,
        motor_units=plant.driven.motor_units if isinstance(plant, MotorPlant) else (),
        contacts=contact_quantities(plant),
        parameters=table,
        own_outputs=HAND,
        functions=functions,
        glue=GLUE.format(
            dynamics=f"arm_dynamics(x, x + N, {parameters_argument}at->mass, at->bias);",
            contacts="arm_contacts(x, x + N, at->rows, at->drift);" if plant.contacts else "",
            contacts_along="arm_contacts_along(x, x + N, dx, dx + N, d->rows, d->drift);" if plant.contacts else "",
            ratios="arm_ratios(x, at->ratios);" if motor_driven else "",
            ratios_along="arm_ratios_along(x, dx, d->ratios);" if motor_driven else "",
            kept=parameters_argument,
        ),
        stops=stops,
        limited=saturation is not None,
        limited_at_joints=saturation is not None and saturation.coupled,
        currents=motors if plant.extra else (),
        friction_groups=tuple(
            (start + offset, start + offset + 1, start + offset + 2) for offset, _ in arm_functions.shafts.values()
        ),
        positive=nonnegative_indices(table),
        divisors=circuit_divisors(table, plant),
        loads=(start,) if arm_functions.holds else (),
    )


HAND = (
    FmuVariable("energy.potential", "J", "potential energy of weight and springs"),
    *(FmuVariable(f"tool.position.{a}", "m", f"position of the tool in the base frame, {a}") for a in "xyz"),
    *(
        FmuVariable(f"tool.rotation[{i},{j}]", "1", f"rotation matrix of the tool in the base frame, {i},{j}")
        for i in (1, 2, 3)
        for j in (1, 2, 3)
    ),
    *(FmuVariable(f"tool.velocity.{a}", "m/s", f"velocity of the tool, base axes, {a}") for a in "xyz"),
    *(
        FmuVariable(f"tool.angular_velocity.{a}", "rad/s", f"angular velocity of the tool, base axes, {a}")
        for a in "xyz"
    ),
)
"""What ``arm_hand`` gives."""


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
