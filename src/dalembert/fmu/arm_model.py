"""An arm, or a shorter model of one, as an ``FmuModel``."""

from __future__ import annotations

from ..reduction.program_system import ProgramSystem
from ..simulation.plant import MotorPlant, Plant
from ..simulation.saturation import saturation_of
from ..systems.arm_system import ArmSystem
from .arm_functions import ArmFunctions
from .fmu_model import FmuModel, FmuVariable
from .plant_model import coordinates_of, plant_model

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


def arm_model(
    plant: Plant, arm: ArmSystem, program: ProgramSystem | None, stops: bool, restitution: float, saturate: bool | None
) -> FmuModel:
    """The model of a plant whose system is ``arm``, or a ``program`` that stands for it."""
    functions = ArmFunctions(arm, program)
    parameters = "me->p + PHYSICS, " if functions.rows else ""
    motor_driven = isinstance(plant, MotorPlant)
    glue = GLUE.format(
        dynamics=f"arm_dynamics(x, x + N, {parameters}at->mass, at->bias);",
        contacts="arm_contacts(x, x + N, at->rows, at->drift);" if plant.contacts else "",
        contacts_along="arm_contacts_along(x, x + N, dx, dx + N, d->rows, d->drift);" if plant.contacts else "",
        ratios="arm_ratios(x, at->ratios);" if motor_driven else "",
        ratios_along="arm_ratios_along(x, dx, d->ratios);" if motor_driven else "",
        kept=parameters,
    )
    saturation = saturation_of(plant, saturate)
    return plant_model(
        plant, functions, coordinates_of(plant), saturation, stops, restitution,
        glue=glue, outputs=HAND, loads=(0,) if functions.holds else (),
    )  # fmt: skip
