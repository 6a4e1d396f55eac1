"""Circuits of motors as functions to compile, their constants parameters (``formulations/motor_circuit.py``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..compile.function import Function, Tables
from ..formulations.motor_circuit import back_emf, current_rate, motor_torque, steady_current
from ..rings.graph import Graph
from ..simulation.plant import MotorPlant, Plant
from .fmu_model import NO_LIMIT, FmuVariable, ParameterTable

CONSTANTS = (
    ("torque_constant", "N.m/A", "torque per current"),
    ("speed_constant", "V.s/rad", "back e.m.f. per speed"),
    ("resistance", "Ohm", "resistance"),
    ("inductance", "H", "inductance"),
)
"""Of a motor: the first of a current, three of a voltage, all where currents are states."""
SLIDING = {"N.m/A": "N/A", "V.s/rad": "V.s/m"}
"""Their units of motors that slide."""


def constants_of(plant: MotorPlant) -> tuple[tuple[str, str, str], ...]:
    """The constants that the motion depends on; a parameter without an effect would be a trap."""
    return CONSTANTS[: 1 if plant.kind == "current" else len(CONSTANTS) if plant.extra else 3]


def circuit_parameters(table: ParameterTable, plant: MotorPlant, motors: Sequence[str]) -> None:
    """The constants of the motors, motor after motor for each; then supply, of voltages, and largest current."""
    electric = plant.electric
    assert electric is not None, "only motors with circuits have these"

    def rows(field: str, unit: str, text: str) -> list[FmuVariable]:
        values = getattr(electric, field)
        return [
            FmuVariable(
                f"motor.{name}.{field}",
                SLIDING.get(unit, unit) if torque == "N" else unit,
                f"{text} of the motor",
                float(min(value, NO_LIMIT)),
            )
            for name, value, torque in zip(motors, values, plant.driven.motor_units, strict=True)
        ]

    table.add("CIRCUIT", [row for constant in constants_of(plant) for row in rows(*constant)])
    if plant.kind == "voltage":
        table.add("SUPPLY", rows("supply", "V", "largest voltage"))
    table.add("LARGEST_CURRENT", rows("largest_current", "A", "largest current"))


def circuit_divisors(table: ParameterTable, plant: Plant) -> tuple[tuple[int, str], ...]:
    """Places of the constants that are above zero, and what to do where one is to be zero."""
    if not isinstance(plant, MotorPlant) or plant.electric is None:
        return ()
    count, start = len(plant.input_names), table.offsets["CIRCUIT"]
    remedies = {"torque_constant": "set one above zero"}
    if plant.kind == "voltage" and plant.extra:
        remedies["inductance"] = "set one above zero, or write the FMU from a system whose motors have no inductance"
    elif plant.kind == "voltage":
        remedies["resistance"] = "set one above zero, or write the FMU from a system whose motors all have inductance"
    return tuple(
        (start + block * count + k, remedies[field])
        for block, (field, _, _) in enumerate(constants_of(plant))
        if field in remedies
        for k in range(count)
    )


def circuit_functions(plant: MotorPlant) -> dict[str, Function]:
    """``circuit``: di/dt where currents are states, else currents; ``motor_torque``."""
    count = len(plant.input_names)
    size = len(constants_of(plant)) * count
    parameters = ("parameters", size)
    functions = {
        "motor_torque": Function(
            "motor_torque", (("current", count), parameters), (("torque", (count,)),), partial(_torque, count, size)
        )
    }
    if plant.kind == "voltage":
        arguments = (("voltage", count), ("speed", count), ("current", count), parameters)
        functions["circuit"] = Function("circuit", arguments, (("found", (count,)),), partial(_circuit, count, size))
    return functions


def _circuit(count: int, size: int) -> Tables:
    """di/dt = (V - C_E s - R i) / L of each motor (Freeman 1985, eq. 2-228); without L, i = (V - C_E s) / R."""
    graph = Graph()
    voltage, speed, current = (graph.inputs(f"{name}_", count) for name in ("voltage", "speed", "current"))
    p = graph.inputs("p", size)
    currents = []
    for k in range(count):
        emf = back_emf(p[count + k], speed[k])
        resistance = p[2 * count + k]
        if size == len(CONSTANTS) * count:
            currents.append(current_rate(voltage[k], current[k], emf, resistance, p[3 * count + k]))
        else:
            currents.append(steady_current(voltage[k], emf, resistance))
    return (currents,)


def _torque(count: int, size: int) -> Tables:
    """C_M i of each motor."""
    graph = Graph()
    p = graph.inputs("p", size)
    return ([motor_torque(p[k], graph.input(f"current_{k}")) for k in range(count)],)
