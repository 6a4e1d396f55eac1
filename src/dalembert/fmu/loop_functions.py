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
        chain_parameters = []
        for chain in self.arms:
            parameters: dict[str, Scalar] = dict(zip(("gx", "gy", "gz"), p, strict=False))
            if chain in self.loads:
                load = about_frame(p[self.loads[chain] : self.loads[chain] + LOAD])
                parameters |= dict(zip((f"{name}L" for name in PARAMETERS), load, strict=True))
            chain_parameters.append(parameters)
        transfer = TransferOverField(self.assembly, graph, chain_parameters)
        for chain, system in zip(self.arms, transfer.systems, strict=True):
            rub_viscously(system, self.shafts, graph, p, f"{chain}.")
        return transfer

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
        variables = [FmuVariable("energy.potential", "J", "potential energy of weight and springs")]
        for chain, name in self.chain_names.items():
            stem, described = f"tool.{name}", f"of the tool of {chain} in the world"
            variables += [FmuVariable(f"{stem}.position.{a}", "m", f"position {described}, {a}") for a in "xyz"]
            variables += [
                FmuVariable(f"{stem}.rotation[{i},{j}]", "1", f"rotation matrix {described}, {i},{j}")
                for i in (1, 2, 3)
                for j in (1, 2, 3)
            ]
            variables += [FmuVariable(f"{stem}.velocity.{a}", "m/s", f"velocity {described}, {a}") for a in "xyz"]
            variables += [
                FmuVariable(f"{stem}.angular_velocity.{a}", "rad/s", f"angular velocity {described}, {a}")
                for a in "xyz"
            ]
        return tuple(variables)


def _dynamics(mechanism_functions: MechanismFunctions) -> Tables:
    """I*, loads at zero acceleration, phi', contacts and motors in the coordinates."""
    graph = Graph()
    transfer = mechanism_functions.over(graph)
    phi, qd = graph.inputs("phi_", mechanism_functions.m), graph.inputs("qd_", mechanism_functions.n)
    motion = transfer.motion(phi, qd, [0] * mechanism_functions.n, transfer.factors(phi))
    load = transfer.torque(phi, motion.rate, motion.rate2)
    results = [transfer.inertia(phi, motion.x), transfer.carried(motion.x, load), motion.rate]
    if mechanism_functions.mechanism.contacts:
        results += _contacts(mechanism_functions, transfer, phi, motion)
    system = mechanism_functions.system
    if isinstance(system, DrivenMechanism):
        results.append([transfer.carried(motion.x, row) for row in system.motors.rows_over(transfer, phi)])
    return results


def _contacts(
    mechanism_functions: MechanismFunctions, transfer: TransferOverField, phi: list[Node], motion: TransferredMotion
) -> list[list[Any]]:
    """Rows of the contacts in the coordinates, and their drift."""
    rows, drift = [], []
    for arm, part, system in zip(
        mechanism_functions.arms.values(), transfer.chains.slices, transfer.systems, strict=True
    ):
        ratios = system.train.transmission(transfer.field, phi[part]) if system.train is not None else None
        for contact in arm.contacts:
            line: list[Scalar] = [float(x) for x in contact.row]
            bend: Scalar = 0
            if ratios is not None and arm.contacts_vary and contact.motor >= 0:
                line = list(ratios.first[contact.motor])
                rate = motion.rate[part]
                bend = dot(rate, matvec(ratios.second[contact.motor], rate)) if ratios.second is not None else 0
            joint_row: list[Scalar] = [0] * mechanism_functions.m
            joint_row[part] = line
            rows.append(transfer.carried(motion.x, joint_row))
            drift.append(add(bend, dot(joint_row, motion.rate2)))
    return [rows, drift]


def _hand(mechanism_functions: MechanismFunctions) -> Tables:
    """V, and the tools of all chains."""
    graph = Graph()
    transfer = mechanism_functions.over(graph)
    phi, rate = graph.inputs("phi_", mechanism_functions.m), graph.inputs("rate_", mechanism_functions.m)
    parts = list(zip(transfer.systems, transfer.chains.slices, strict=True))
    energy = total([*(s.potential_energy(graph, phi[part]) for s, part in parts), transfer.elements.energy(graph, phi)])
    tools: list[Scalar] = []
    for system, part in parts:
        turn, position = system.tool_frame(graph, phi[part])
        twist = [dot(row, rate[part]) for row in system.jacobian(graph, phi[part])]
        tools += [*position, *flat(turn), *twist]
    return [energy], tools
