"""The recursion that is reduced: Newton-Euler with the fewest parameters, and rotors where they count; named constants.

The parameters stay inputs until the constants are worked out, so another load changes numbers and not the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arm.errors import ArmError
from ..arm.inertia import ENTRIES
from ..equations.closed_form import Equations
from ..formulations import newton_euler, rotors
from ..formulations.chain import over
from ..formulations.drive_train import RingTrain
from ..formulations.rotors import Ratios
from ..rings.algebra import add, as_matrix
from ..rings.graph import Graph, Node
from ..rings.rational import Rationals
from ..systems.arm_system import ArmSystem
from .constant_forms import ParameterForm
from .hoist import Hoisted, hoisted, numbered
from .parameters import NAMES, Grouped, grouped, with_values
from .states import rigid


@dataclass(frozen=True, eq=False)
class Case:
    """One load: the system that holds it, its grouped parameters, the inertias of its rotors, its closed form.

    ``derived`` is the closed form where it is at hand already.
    """

    system: ArmSystem
    grouped: Grouped
    rotors: tuple[Fraction, ...]
    derived: Equations | None = None

    @cached_property
    def rigid(self) -> ArmSystem:
        """The system without friction, which is no part of what is reduced."""
        return rigid(self.system)

    @cached_property
    def equations(self) -> Equations:
        """The closed form of the system, its parameters as numbers."""
        return self.derived if self.derived is not None else Equations(self.system, "numbers")

    @cached_property
    def parameters(self) -> dict[str, Fraction]:
        """The values of the inputs p_name."""
        values = {f"p_{name}": value for name, value in self.grouped.values.items()}
        return values | {f"p_J{k + 1}": inertia for k, inertia in enumerate(self.rotors)}


def case_of(system: ArmSystem, equations: Equations | None = None) -> Case:
    """A system as the reduction sees it; friction and springs are no part of it."""
    rotors: tuple[Fraction, ...] = ()
    if system.counts_drives and system.drives.functions:
        raise ArmError(
            f"{system.where}{system.name}: a transmission or a body of its drives varies with the positions, which the "
            "program that is reduced does not hold; give constant ratios, or reduce the links alone"
        )
    if system.counts_drives:
        spins, _ = RingTrain(system, Rationals(), system.drive_model).spins(Rationals(), [Fraction(0)] * system.n)
        rotors = tuple(Fraction(spin.inertia) for spin in spins)
    return Case(system, grouped(system), rotors, equations)


def recursion(cases: Sequence[Case]) -> Hoisted:
    """The whole recursion with every parameter that is not zero in some case, its constants hoisted."""
    return hoisted(*_torques(cases))


def plain_recursion(cases: Sequence[Case]) -> Hoisted:
    """The same as it is written, its constants the parameters: with numbers in place it is the exact program."""
    return numbered(*_torques(cases))


def _torques(cases: Sequence[Case]) -> tuple[list[Node], dict[str, ParameterForm]]:
    """The torques by the recursion, and the parameters among its inputs."""
    names = tuple(dict.fromkeys(name for case in cases for name in case.grouped.names))
    graph, first = Graph(), cases[0]
    n = first.system.n
    bare = over(with_values(first.grouped.chain, {}), graph)
    segments = []
    for index, segment in enumerate(bare.segments):
        numbers: list[Any] = [
            graph.input(f"p_{name}{index + 1}") if f"{name}{index + 1}" in names else 0 for name in NAMES
        ]
        rows: list[list[Any]] = [[0] * 3 for _ in range(3)]
        for (_, i, j), value in zip(ENTRIES, numbers[4:], strict=True):
            rows[i][j] = rows[j][i] = value
        # A body without extent along its axis (``compile/regroup.py``, plane): Izz = Ixx + Iyy.
        rows[2][2] = add(rows[0][0], rows[1][1])
        segments.append(
            replace(segment, mass=numbers[0], moment=(numbers[1], numbers[2], numbers[3]), tensor=as_matrix(rows))
        )
    q, qd, qdd = (graph.inputs(f"{name}_", n) for name in ("q", "qd", "qdd"))
    links = replace(bare, segments=tuple(segments))
    coupling = links.coupling
    motion = coupling.motion(q, qd, qdd)
    torque = newton_euler.inverse_dynamics(links, graph, *motion)
    used = [f"p_{name}" for name in names]
    if first.system.counts_drives:
        spins, ratios = RingTrain(first.system, graph, first.system.drive_model).spins(graph, q)
        turning = [k for k, inertia in enumerate(first.rotors) if inertia]
        named = [replace(spins[k], inertia=graph.input(f"p_J{k + 1}")) for k in turning]
        spreads = Ratios([coupling.spread(ratios.first[k]) for k in turning])
        spun = rotors.torque(links, graph, *motion, named, spreads)
        torque = [add(a, b) for a, b in zip(torque, spun, strict=True)]
        used += [f"p_J{k + 1}" for k in turning]
    return [graph.node(t) for t in coupling.load(torque)], {name: ParameterForm.parameter(name) for name in used}
