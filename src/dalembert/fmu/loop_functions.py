"""The functions of a mechanism that an FMU calls: closed joints, and dynamics in the coordinates with its parameters.

The physics is ``mechanisms/transfer_over_field.py`` over graph nodes; Coulomb friction is left out of it, since who
sticks is decided with the load (``c/modes.c``).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..arm.inertia import PARAMETERS
from ..compile.function import Function, Tables
from ..mechanisms.driven_mechanism import DrivenMechanism
from ..mechanisms.mechanism_functions import mechanism_function
from ..mechanisms.mechanism_system import MechanismSystem
from ..mechanisms.transfer_over_field import TransferOverField, TransferredMotion
from ..rings.algebra import add, dot, flat, matvec, total
from ..rings.graph import Graph, Node
from ..rings.ring import Scalar
from ..systems.arm_system import ArmSystem
from .arm_functions import LOAD, about_frame, gravity_quantities, load_quantities, rub_viscously, shafts_of
from .fmu_model import FmuVariable
from .friction_functions import Shaft, friction_functions
from .variable_names import structured


class MechanismFunctions:
    """Functions of a mechanism in its coordinates, and the parameters they take."""

    def __init__(self, system: MechanismSystem) -> None:
        self.system, self.mechanism, self.assembly = system, system.mechanism, system.mechanism.assembly
        self.n, self.m = system.n, system.mechanism.m
        self.arms: dict[str, ArmSystem] = self.mechanism.chains.arms
        self.chain_names = dict(zip(self.arms, structured(self.arms), strict=True))
        self.rows: list[FmuVariable] = gravity_quantities(next(iter(self.arms.values())))
        self.loads: dict[str, int] = {}
        for chain, arm in self.arms.items():
            if dict(arm.loads).get(arm.tool_link) is not None and arm.body_of[arm.tool_link][0] >= 0:
                self.loads[chain] = len(self.rows)
                self.rows += load_quantities(arm, f"load.{self.chain_names[chain]}")
        self.shafts: dict[str, tuple[int, Shaft]] = {}
        for shaft in shafts_of(self.arms):
            self.shafts[shaft.key] = len(self.rows), shaft
            self.rows += shaft.quantities

    @property
    def motors(self) -> int:
        """How many motors drive it."""
        return len(self.system.motor_names) if isinstance(self.system, DrivenMechanism) else 0

    def over(self, graph: Graph) -> TransferOverField:
        """The mechanism over the graph: parameters are inputs p, friction viscous alone."""
        p = graph.inputs("p", len(self.rows))
        given = []
        for chain in self.arms:
            own: dict[str, Scalar] = dict(zip(("gx", "gy", "gz"), p, strict=False))
            if chain in self.loads:
                held = about_frame(p[self.loads[chain] : self.loads[chain] + LOAD])
                own |= dict(zip((f"{name}L" for name in PARAMETERS), held, strict=True))
            given.append(own)
        made = TransferOverField(self.assembly, graph, given)
        for chain, system in zip(self.arms, made.systems, strict=True):
            rub_viscously(system, self.shafts, graph, p, f"{chain}.")
        return made

    @property
    def functions(self) -> dict[str, Function]:
        """All of them by name."""
        n, m, contacts = self.n, self.m, self.mechanism.contacts
        arguments = (("phi", m), ("qd", n), ("parameters", len(self.rows)))
        results: list[tuple[str, tuple[int, ...]]] = [("mass", (n, n)), ("bias", (n,)), ("rate", (m,))]
        if contacts:
            results += [("rows", (len(contacts), n)), ("drift", (len(contacts),))]
        if self.motors:
            results.append(("ratios", (self.motors, n)))
        return {
            "newton_step": mechanism_function(self.assembly, "newton_step"),
            "dynamics": Function("dynamics", arguments, tuple(results), partial(_dynamics, self)),
            "hand": Function(
                "hand",
                (("phi", m), ("rate", m), ("parameters", len(self.rows))),
                (("energy", (1,)), ("tools", (18 * len(self.arms),))),
                partial(_hand, self),
            ),
            **friction_functions(contacts, self.shafts, len(self.rows)),
        }

    @property
    def outputs(self) -> tuple[FmuVariable, ...]:
        """What ``hand`` gives: potential energy, and place and motion of the tool of each chain."""
        found = [FmuVariable("energy.potential", "J", "potential energy of weight and springs")]
        for chain, name in self.chain_names.items():
            stem, of = f"tool.{name}", f"of the tool of {chain} in the world"
            found += [FmuVariable(f"{stem}.position.{a}", "m", f"position {of}, {a}") for a in "xyz"]
            found += [
                FmuVariable(f"{stem}.rotation[{i},{j}]", "1", f"rotation matrix {of}, {i},{j}")
                for i in (1, 2, 3)
                for j in (1, 2, 3)
            ]
            found += [FmuVariable(f"{stem}.velocity.{a}", "m/s", f"velocity {of}, {a}") for a in "xyz"]
            found += [
                FmuVariable(f"{stem}.angular_velocity.{a}", "rad/s", f"angular velocity {of}, {a}") for a in "xyz"
            ]
        return tuple(found)


def _dynamics(of: MechanismFunctions) -> Tables:
    """I*, loads at zero acceleration, phi', contacts and motors in the coordinates."""
    graph = Graph()
    made = of.over(graph)
    phi, qd = graph.inputs("phi_", of.m), graph.inputs("qd_", of.n)
    motion = made.motion(phi, qd, [0] * of.n, made.factors(phi))
    load = made.torque(phi, motion.rate, motion.rate2)
    found = [made.inertia(phi, motion.x), made.carried(motion.x, load), motion.rate]
    if of.mechanism.contacts:
        found += _contacts(of, made, phi, motion)
    if isinstance(of.system, DrivenMechanism):
        found.append([made.carried(motion.x, row) for row in of.system.motors.rows_over(made, phi)])
    return found


def _contacts(
    of: MechanismFunctions, made: TransferOverField, phi: list[Node], motion: TransferredMotion
) -> list[list[Any]]:
    """Rows of the contacts in the coordinates, and their drift."""
    rows, drift = [], []
    for arm, part, system in zip(of.arms.values(), made.chains.slices, made.systems, strict=True):
        ratios = system.train.transmission(made.field, phi[part]) if system.train is not None else None
        for contact in arm.contacts:
            line: list[Scalar] = [float(x) for x in contact.row]
            bend: Scalar = 0
            if ratios is not None and arm.contacts_vary and contact.motor >= 0:
                line = list(ratios.first[contact.motor])
                rate = motion.rate[part]
                bend = dot(rate, matvec(ratios.second[contact.motor], rate)) if ratios.second is not None else 0
            full: list[Scalar] = [0] * of.m
            full[part] = line
            rows.append(made.carried(motion.x, full))
            drift.append(add(bend, dot(full, motion.rate2)))
    return [rows, drift]


def _hand(of: MechanismFunctions) -> Tables:
    """V, and the tools of all chains."""
    graph = Graph()
    made = of.over(graph)
    phi, rate = graph.inputs("phi_", of.m), graph.inputs("rate_", of.m)
    parts = list(zip(made.systems, made.chains.slices, strict=True))
    energy = total([*(s.potential_energy(graph, phi[part]) for s, part in parts), made.elements.energy(graph, phi)])
    tools: list[Scalar] = []
    for system, part in parts:
        turn, place = system.tool_frame(graph, phi[part])
        twist = [dot(row, rate[part]) for row in system.jacobian(graph, phi[part])]
        tools += [*place, *flat(turn), *twist]
    return [energy], tools
