"""The C of a model: sizes and places of its variables, its functions, and what ``c/core.h`` asks of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from ..compile.emit_c import Program
from ..compile.emit_scalar import C99, definition, prototype
from ..simulation.dop853 import step_source
from .fmu_model import INPUT_KINDS, FmuModel
from .tangents import twins

SHARED = (
    "core.h", "linear.c", "contacts.c", "drive.c", "modes.c", "time_steps.c", "radau.c", "steppers.c",
    "advance.c", "tangents.c", "instance.c", "interface.c",
)  # fmt: skip
"""Files that all FMUs have in common."""
ORDER = (
    "linear.c",
    "contacts.c",
    "drive.c",
    "model.c",
    "modes.c",
    "steps.c",
    "time_steps.c",
    "radau.c",
    "steppers.c",
    "advance.c",
    "tangents.c",
    "instance.c",
)
"""The order in which they are one program."""


@dataclass(frozen=True)
class References:
    """Value references: where each kind of variable begins."""

    parameter: int
    state: int
    rate: int
    input: int
    output: int
    indicator: int
    contact: int
    stopped: int
    stops: int

    @classmethod
    def of(cls, model: FmuModel) -> References:
        """Time is 0; all others follow one after another."""
        sizes = (
            len(model.parameters.rows), len(model.states), len(model.states), len(model.inputs), len(model.outputs),
            indicator_count(model), len(model.contacts), len(model.coordinates),
        )  # fmt: skip
        starts = [1]
        for size in sizes:
            starts.append(starts[-1] + size)
        return cls(*starts)


def indicator_count(model: FmuModel) -> int:
    """Event indicators: one for each contact, one for what is held, two for the stops of each coordinate."""
    return len(model.contacts) + 1 + 2 * len(model.coordinates)


def sources(model: FmuModel, version: str, identifier: str, token: str) -> dict[str, str]:
    """All files of the folder ``sources``, by name."""
    package = resources.files(__package__) / "c"
    interface = f"fmi{version[0]}.c"
    files = {name: (package / name).read_text(encoding="ascii") for name in (*SHARED, interface)}
    files["model.h"] = header(model, version, identifier, token)
    files["model.c"] = code(model)
    files["steps.c"] = (
        "/* Steps of the method of Dormand and Prince of order 8(5,3). */\n"
        f"#define SELF me,\n#define SELF_DECLARED Core *me,\n{step_source()}"
    )
    included = "\n".join(f'#include "{name}"' for name in ("model.h", "core.h", *ORDER, interface))
    system = ("math", "stdbool", "stddef", "stdint", "stdlib", "string")
    files["all.c"] = (
        "/* The whole FMU: compile this file alone. Written by dalembert. */\n"
        + "\n".join(f"#include <{name}.h>" for name in system)
        + f"\n\n{included}\n"
    )
    return files


def header(model: FmuModel, version: str, identifier: str, token: str) -> str:
    """model.h: sizes, places of parameters, value references."""
    references_ = References.of(model)
    sizes = {
        "N": len(model.coordinates), "JOINTS": len(model.joints), "CURRENTS": len(model.currents),
        "INPUTS": len(model.inputs), "MOTORS": len(model.motors), "CONTACTS": len(model.contacts),
        "ELECTRIC": len(model.motors) if model.electric else 0, "PARAMETERS": len(model.parameters.rows),
        "OUTPUTS": len(model.outputs), "INPUT": INPUT_KINDS.index(model.input_kind), "LIMITED": int(model.limited),
        "LIMITED_AT_JOINTS": int(model.limited_at_joints), "STOPS": int(model.stops),
    }  # fmt: skip
    blocks = ("INPUT_LIMIT", "JOINT_LIMIT", "CIRCUIT", "SUPPLY", "LARGEST_CURRENT", "PHYSICS")
    offsets = dict.fromkeys(blocks, 0) | model.parameters.offsets
    references = {f"VR_{name.upper()}": f"{value}u" for name, value in vars(references_).items()} | {"VR_TIME": "0u"}
    lines = [f"#define {name} {value}" for name, value in (*sizes.items(), *offsets.items(), *references.items())]
    return (
        "/* Sizes of the model, places of its parameters, references of its variables. */\n"
        + f'#define MODEL_GUID "{token}"\n'
        + f"#define FMI{version[0]}_FUNCTION_PREFIX {identifier}_\n"
        + "\n".join(lines)
        + "\n"
    )


def code(model: FmuModel) -> str:
    """model.c: the functions, and the glue to the shared files."""
    language = C99["float64"]
    parts = ["/* The functions of the model, written from its equations. */"]
    if model.loads:
        parts.append((resources.files(__package__) / "c" / "load.c").read_text(encoding="ascii"))
    for name, function in (model.functions | twins(model.functions)).items():
        declared = f"static {prototype(function, f'arm_{name}', 'double')}"
        parts.append(definition(Program(function), declared, language))
    parts += [_start(model), _friction(model), _circuit(model), _wrong(model), model.glue]
    return "\n".join(parts)


def _start(model: FmuModel) -> str:
    """Start values of parameters and states."""
    parameters = ", ".join(repr(float(row.start)) for row in model.parameters.rows)
    states = ", ".join(repr(float(row.start)) for row in model.states)
    return f"""\
static void model_start(Core *me)
{{
  static const double parameters[] = {{{parameters}}}, states[] = {{{states}}};
  memcpy(me->p, parameters, sizeof parameters);
  memcpy(me->x, states, sizeof states);
  me->stops = STOPS;
}}
"""


def _friction(model: FmuModel) -> str:
    rubs = "arm_friction(direction, speed, me->p + PHYSICS, force);"
    slopes = "arm_friction_along(direction, speed, me->p + PHYSICS, faster, force);"
    holds = "arm_hold(me->p + PHYSICS, hold);"
    none = "(void)me; (void){};"
    return f"""\
static void model_friction(const Core *me, const double *direction, const double *speed, double *force)
{{
  {rubs if model.contacts else "(void)direction; (void)speed; " + none.format("force")}
}}

static void model_friction_along(const Core *me, const double *direction, const double *speed, const double *faster,
                                 double *force)
{{
  {slopes if model.contacts else "(void)direction; (void)speed; (void)faster; " + none.format("force")}
}}

static void model_hold(const Core *me, double *hold)
{{
  {holds if model.contacts else none.format("hold")}
}}
"""


def _circuit(model: FmuModel) -> str:
    flows = "arm_circuit(voltage, speed, current, me->p + CIRCUIT, found);"
    pulls = "arm_motor_torque(current, me->p + CIRCUIT, torque);"
    flow_slopes = "arm_circuit_along(voltage, speed, current, me->p + CIRCUIT, dvoltage, dspeed, dcurrent, found);"
    pull_slopes = "arm_motor_torque_along(current, me->p + CIRCUIT, dcurrent, torque);"
    none = "(void)me; (void)current; (void){};"
    unused = "(void)voltage; (void)speed; (void)dvoltage; (void)dspeed; (void)dcurrent; "
    return f"""\
static void model_circuit(const Core *me, const double *voltage, const double *speed, const double *current,
                          double *found)
{{
  {flows if "circuit" in model.functions else "(void)voltage; (void)speed; " + none.format("found")}
}}

static void model_motor_torque(const Core *me, const double *current, double *torque)
{{
  {pulls if "motor_torque" in model.functions else none.format("torque")}
}}

static void model_circuit_along(const Core *me, const double *voltage, const double *speed, const double *current,
                                const double *dvoltage, const double *dspeed, const double *dcurrent, double *found)
{{
  {flow_slopes if "circuit" in model.functions else unused + none.format("found")}
}}

static void model_motor_torque_along(const Core *me, const double *current, const double *dcurrent, double *torque)
{{
  {pull_slopes if "motor_torque" in model.functions else "(void)dcurrent; " + none.format("torque")}
}}
"""


def _wrong(model: FmuModel) -> str:
    """Parameters that make no sense, said in a sentence."""
    positive = "".join(f'  if (me->p[{k}] < 0) return {_text(model, k)} " is below zero";\n' for k in model.positive)
    divisors = "".join(
        f'  if (!(me->p[{k}] > 0)) return {_text(model, k)} " is not above zero: {remedy}";\n'
        for k, remedy in model.divisors
    )
    loads = "".join(_load_wrong(model, offset) for offset in model.loads)
    groups = "".join(
        f'  if (me->p[{start}] < me->p[{moving}]) return {_text(model, start)} " is below moving friction";\n'
        for forward, backward, start in model.friction_groups
        for moving in (forward, backward)
    )
    return f"""\
static const char *model_wrong(const Core *me)
{{
  for (int k = 0; k < PARAMETERS; k++) if (me->p[k] * 0 != 0) return "a parameter is not finite";
  if (!(me->p[RESTITUTION] >= 0 && me->p[RESTITUTION] <= 1)) return "restitution lies between 0 and 1";
  if (!(me->p[TOLERANCE] > 0 && me->p[TOLERANCE] < 1)) return "tolerance lies between 0 and 1";
  for (int j = 0; j < N; j++)
    if (me->p[STOP_LOWER + j] > me->p[STOP_UPPER + j]) return "a lower stop is above the upper one";
{positive}{divisors}{groups}{loads}  return NULL;
}}
"""


def _load_wrong(model: FmuModel, offset: int) -> str:
    """What ``c/load.c`` finds wrong with the load whose parameters begin at ``offset``."""
    mass = model.parameters.rows[offset].name
    inertia = f"{mass.removesuffix('.mass')}.inertia"
    faults = {
        "NEGATIVE_MASS": f"{mass} is below zero",
        "NEGATIVE_MOMENT": f"{inertia}: a moment of inertia about the mass centre is below zero",
        "NO_TRIANGLE": f"{inertia}: the moments about the mass centre break the triangle inequality: two of xx, yy "
        "and zz add up to less than the third",
        "LARGE_PRODUCTS": f"{inertia}: the products of inertia xy, xz, yz are too large for the moments xx, yy, zz",
    }
    cases = "".join(f'  case {fault}: return "{sentence}";\n' for fault, sentence in faults.items())
    return f"  switch (load_fault(me->p + {offset})) {{\n{cases}  default: break;\n  }}\n"


def _text(model: FmuModel, index: int) -> str:
    return f'"{model.parameters.rows[index].name}"'
