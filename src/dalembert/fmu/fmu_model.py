"""What an FMU is written from: states, inputs, outputs and parameters by name and unit, and the functions in C.

``arm_model.py`` and ``mechanism_model.py`` make one of a system; ``model_code.py``, ``model_description.py`` and
``write_fmu.py`` know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compile.function import Function


@dataclass(frozen=True)
class FmuVariable:
    """A variable: its structured name, its unit, what it is, and its value at the start."""

    name: str
    unit: str
    text: str
    start: float = 0.0


NO_LIMIT = 1e30
"""A limit from here on is none; FMI has no infinite numbers."""


class ParameterTable:
    """Parameters in blocks; ``offsets`` says where each block begins."""

    def __init__(self) -> None:
        self.rows: list[FmuVariable] = []
        self.offsets: dict[str, int] = {}

    def add(self, block: str, rows: Sequence[FmuVariable]) -> None:
        """A further block."""
        self.offsets[block] = len(self.rows)
        self.rows += rows


@dataclass(frozen=True)
class FmuCoordinate:
    """A coordinate q: its name in the FMU, its own name, whether it turns, its limits, where it starts."""

    name: str
    label: str
    revolute: bool
    lower: float
    upper: float
    start: float

    @property
    def unit(self) -> str:
        """Its unit."""
        return "rad" if self.revolute else "m"

    @property
    def load_unit(self) -> str:
        """The unit of a load at it."""
        return "N.m" if self.revolute else "N"


INPUT_KINDS = ("joint torque", "motor torque", "current", "voltage")


@dataclass(frozen=True)
class FmuModel:
    """A system as the writer of FMUs sees it.

    ``currents`` are states of motors, ``motor_units`` the units of their torques, ``joints`` those of closed loops,
    which follow from the coordinates.
    ``functions`` are compiled under their keys; ``glue`` is C that calls them as ``c/core.h`` asks. ``own_outputs``
    are written by ``model_outputs``. ``friction_groups`` are the places of forward, backward, starting and viscous
    friction of each shaft among the parameters, ``positive`` those of parameters that are not below zero, ``divisors``
    those that are above zero, each with what to do where one is to be zero. ``loads`` are the places of loads.
    """

    title: str
    coordinates: tuple[FmuCoordinate, ...]
    input_kind: str
    inputs: tuple[FmuVariable, ...]
    motors: tuple[str, ...]
    contacts: tuple[FmuVariable, ...]
    parameters: ParameterTable
    own_outputs: tuple[FmuVariable, ...]
    functions: dict[str, Function]
    glue: str
    stops: bool
    limited: bool = False
    limited_at_joints: bool = False
    currents: tuple[str, ...] = ()
    joints: tuple[FmuVariable, ...] = ()
    motor_units: tuple[str, ...] = ()
    friction_groups: tuple[tuple[int, int, int], ...] = ()
    positive: tuple[int, ...] = ()
    divisors: tuple[tuple[int, str], ...] = ()
    loads: tuple[int, ...] = ()

    @property
    def states(self) -> tuple[FmuVariable, ...]:
        """q, q', currents, joints of closed loops."""
        variables = [FmuVariable(f"q.{c.name}", c.unit, f"position of {c.label}", c.start) for c in self.coordinates]
        variables += [FmuVariable(f"qd.{c.name}", f"{c.unit}/s", f"velocity of {c.label}") for c in self.coordinates]
        variables += [FmuVariable(f"current.{name}", "A", "current of the motor") for name in self.currents]
        return (*variables, *self.joints)

    @property
    def electric(self) -> bool:
        """True if motors have circuits."""
        return self.input_kind in ("current", "voltage")

    @property
    def outputs(self) -> tuple[FmuVariable, ...]:
        """Outputs that are no states, in the order in which ``c/instance.c`` fills them."""
        variables = [
            FmuVariable(f"torque.{c.name}", c.load_unit, f"load of the inputs at {c.label}, within their limits")
            for c in self.coordinates
        ]
        variables += [
            FmuVariable(f"held.{c.name}", c.load_unit, f"load of sticking friction and stops at {c.label}")
            for c in self.coordinates
        ]
        shafts = list(zip(self.motors, self.motor_units, strict=True))
        variables += [
            FmuVariable(f"motor_torque.{name}", unit.replace("N m", "N.m"), "torque of the motor")
            for name, unit in shafts
        ]
        variables += [
            FmuVariable(f"motor_velocity.{name}", "m/s" if unit == "N" else "rad/s", "speed of the motor")
            for name, unit in shafts
        ]
        if self.electric:
            variables += [FmuVariable(f"motor_current.{name}", "A", "current of the motor") for name in self.motors]
        variables += [
            FmuVariable("energy.kinetic", "J", "kinetic energy"),
            FmuVariable("power", "W", "mechanical power that the inputs give to the joints"),
        ]
        return (*variables, *self.own_outputs)
