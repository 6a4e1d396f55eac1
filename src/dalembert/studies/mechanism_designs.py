"""A mechanism with numbers of its description as arguments: one function for all designs, and its exact derivatives.

The joints close the loops, w(phi, p) = (q, 0). One step of Newton from the closed joints of a design leaves them where
they are and has the tangent d phi/dp = -[G^w]^-1 dw/dp, so that what follows from its result has the whole derivative
to the numbers p (Griewank and Walther 2008, chapter 15). Where no loop depends on the numbers (masses, springs, gears
of motors), the joints are the same for all designs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..compile.function import Function, Parameters, Shape, Tables
from ..compile.kernel import Kernel
from ..formulations.reflections import Reflections
from ..mechanisms.compiled_map import LARGEST_SPREAD, newton_run
from ..mechanisms.continuation import keeps_mode
from ..mechanisms.driven_mechanism import DrivenMechanism
from ..mechanisms.mechanism_motors import MechanismMotors
from ..mechanisms.mechanism_numbers import mechanism_number, with_mechanism_numbers
from ..mechanisms.mechanism_system import MechanismSystem
from ..mechanisms.transfer_over_field import TransferOverField
from ..rings.algebra import flat
from ..rings.graph import Node, reachable
from ..rings.ring import Scalar
from ..rings.traced import TracedGraph
from .design_function import number_slopes, traced_values
from .design_numbers import Designed, facts_of, with_numbers

Array = NDArray[np.float64]


class MechanismOverNumbers:
    """The transfer of a mechanism to its coordinates over one graph, with numbers of its description as inputs."""

    def __init__(self, system: MechanismSystem, numbers: Sequence[str]) -> None:
        self.graph = TracedGraph()
        present_numbers = [mechanism_number(system.mechanism, name) for name in numbers]
        self.mechanism = with_mechanism_numbers(
            system.mechanism, traced_values(present_numbers, self.graph), compiled=False
        )
        self.transfer = TransferOverField(self.mechanism.assembly, self.graph)
        self.m, self.n = self.mechanism.m, self.mechanism.n
        self.phi: list[Scalar] = list(self.input("phi", self.m))

    def input(self, name: str, width: int) -> list[Node]:
        """The inputs of an argument."""
        return self.graph.inputs(f"{name}_", width)

    def step(self) -> None:
        """Take the joints after one step of Newton towards q."""
        self.phi = self.transfer.step(self.phi, self.input("q", self.n))[0]

    @cached_property
    def factors(self) -> Reflections:
        """[G^w_phi], factored."""
        return self.transfer.factors(self.phi)


def _inverse_dynamics(of: MechanismOverNumbers) -> list[Scalar]:
    """T_q."""
    return of.transfer.inverse_dynamics(of.phi, of.input("qd", of.n), of.input("qdd", of.n), of.factors)


def _motor_torques(of: MechanismOverNumbers) -> list[Scalar]:
    """F_a = (N X)^-T T_q."""
    motors = MechanismMotors(of.mechanism)
    if len(motors.names) != of.n:  # a rotor or gear that is varied makes a motor where none is described
        raise ArmError(
            f"{of.mechanism.name}: with these numbers varied {len(motors.names)} motors, {listed(motors.names)}, drive "
            f"{of.n} freedoms, so that the share of each is not determined; leave out the numbers of those that are "
            "none, or ask for loads at the coordinates"
        )
    x = of.transfer.influence(of.factors)
    rows = [of.transfer.carried(x, row) for row in motors.rows_over(of.transfer, of.phi)]
    lever = [[row[j] for row in rows] for j in range(of.n)]
    return Reflections(of.graph, lever).solve(_inverse_dynamics(of))


def _gravity_load(of: MechanismOverNumbers) -> list[Scalar]:
    """X^T dV/dphi of the weight."""
    return of.transfer.carried(of.transfer.influence(of.factors), of.transfer.weight(of.phi))


def _mass_matrix(of: MechanismOverNumbers) -> list[list[Scalar]]:
    """I*_qq."""
    return of.transfer.inertia(of.phi, of.transfer.influence(of.factors))


FUNCTIONS: dict[str, tuple[int, int, Callable[[MechanismOverNumbers], Tables]]] = {
    "inverse_dynamics": (3, 1, _inverse_dynamics),
    "motor_torques": (3, 1, _motor_torques),
    "gravity_load": (1, 1, _gravity_load),
    "mass_matrix": (1, 2, _mass_matrix),
}
"""How many of q, q', q'' it takes beside phi and the numbers; axes of the result; and the graph of it."""
WALKS = (1, 2, 4, 8)
"""Steps from the present numbers to those of a design in which its joints are followed, the fewest that do."""


class MechanismDesigns:
    """Functions of a mechanism for many designs: compiled once, with ``numbers`` as last argument."""

    def __init__(self, system: MechanismSystem, numbers: Sequence[str]) -> None:
        self.system, self.numbers = system, tuple(numbers)
        self._closed: tuple[Array, Array] | None = None
        """The coordinates that joints of the present design were last closed for, and these joints."""
        self._kernels: dict[tuple[str, bool], Kernel] = {}

    @cached_property
    def moves_loops(self) -> bool:
        """Whether coordinates or closures depend on the numbers, so that each design has joints of its own."""
        of = MechanismOverNumbers(self.system, self.numbers)
        values = [of.graph.node(value) for value in of.transfer.rows(of.phi)[0]]
        varied = {f"p{k}" for k in range(len(self.numbers))}
        return any(node.op == "input" and node.value in varied for node in reachable(values))

    def joints(self, values: Array, q: Array) -> Array:
        """phi ``(moments, m)`` of the design with these values of its numbers, loops closed."""
        phi, reached = self.followed(values[None], q)
        if reached[0]:
            return phi[0]
        if self.is_square:
            raise ArmError(
                f"{self.system.name}: the joints of the motion cannot be followed from the present design to this one; "
                "on the way loops do not close, or coordinates do not determine them"
            )
        return np.asarray(with_numbers(self.system, dict(zip(self.numbers, values.tolist(), strict=True))).joints(q))

    @property
    def is_square(self) -> bool:
        """Whether no equation is redundant: then the sign of det [G^w] tells assembly modes apart."""
        assembly = self.system.mechanism.assembly
        return assembly.n + assembly.r == assembly.m

    def followed(self, values: Array, q: Array) -> tuple[Array, NDArray[np.bool_]]:
        """phi ``(designs, moments, m)``, followed from the present design to each of these, and for which they were.

        A walk in the numbers p at fixed q: as where q changes, a step that meets a singularity, or leaves the
        prediction of its first step of Newton behind, may have changed the assembly mode and does not count.
        """
        start = self._present_joints(q)
        shape = (len(values), *start.shape)
        if not self.moves_loops:
            return np.broadcast_to(start, shape), np.ones(len(values), dtype=bool)
        assembly = self.system.mechanism.assembly
        phi = np.array(np.broadcast_to(start, shape))
        reached = np.zeros(len(values), dtype=bool)
        if not self.is_square:
            return phi, reached
        present = np.array([float(mechanism_number(self.system.mechanism, name).value) for name in self.numbers])
        targets = np.tile(q, (len(values), 1))
        for steps in WALKS:
            unreached = np.flatnonzero(~reached)
            if not len(unreached):
                break
            at, in_mode = np.tile(start, (len(unreached), 1)), np.ones(len(unreached), dtype=bool)
            for k in range(1, steps + 1):
                numbers = np.repeat(present + k / steps * (values[unreached] - present), len(q), axis=0)
                run = newton_run(self._newton, at, targets[: len(at)], numbers)
                in_mode &= keeps_mode(assembly, run, at).reshape(len(unreached), -1).all(axis=1)
                at = np.where(np.isfinite(run.phi), run.phi, at)
            phi[unreached[in_mode]] = at.reshape(len(unreached), *start.shape)[in_mode]
            reached[unreached[in_mode]] = True
        return phi, reached

    def _present_joints(self, q: Array) -> Array:
        if self._closed is None or not np.array_equal(self._closed[0], q):
            self._closed = q.copy(), np.asarray(self.system.joints(q))
        return self._closed[1]

    def along(self, name: str, values: Array, states: Sequence[Array], slopes: bool = False) -> tuple[Array, ...]:
        """The function ``name`` of one design along a motion q, qd, qdd ``(moments, n)``, and its slopes."""
        return self.at(name, self.joints(values, states[0]), values, states, slopes)

    def at(
        self, name: str, phi: Array, values: Array, states: Sequence[Array], slopes: bool = False
    ) -> tuple[Array, ...]:
        """The function ``name`` at closed joints ``(..., m)``, numbers ``(..., numbers)`` and states ``(..., n)``."""
        *tables, spread = self.kernel(name, slopes)(phi, *states[: FUNCTIONS[name][0]], values)
        if not (spread < LARGEST_SPREAD).all():
            raise ArmError(
                f"{self.system.name}: along the motion the coordinates hardly determine its joints; keep the motion "
                "away from such configurations, or choose other coordinates"
            )
        return tuple(tables)

    @cached_property
    def _newton(self) -> Kernel:
        assembly = self.system.mechanism.assembly
        results = (
            ("next", (assembly.m,)), ("off", (assembly.n + assembly.r,)), ("spread", (1,)), ("side", (1,)),
            ("aligned", (max(1, len(assembly.turning)),)),
        )  # fmt: skip
        return Kernel(self._function("newton_step", 1, results, partial(_build_step, self.system, self.numbers)))

    def kernel(self, name: str, slopes: bool = False) -> Kernel:
        """The function of phi, q, rates and numbers; its last result is the spread of [G^w_phi]."""
        if (name, slopes) not in self._kernels:
            # Long functions are asked a few hundred times: a compiler would often take longer than all of these.
            self._kernels[name, slopes] = Kernel(self.function(name, slopes), patient=True)
        return self._kernels[name, slopes]

    def function(self, name: str, slopes: bool) -> Function:
        """The function ``name``, and with ``slopes`` its derivatives to the numbers, ``(entries, numbers)``."""
        system, mechanism = self.system, self.system.mechanism
        if name == "motor_torques":
            refuse_without_motors(system)
        states, axes, _ = FUNCTIONS[name]
        shape = (mechanism.n,) * axes
        derivatives = ((f"{name}_slopes", (math.prod(shape), len(self.numbers))),) if slopes else ()
        build = partial(_build, system, name, self.numbers, slopes, slopes and self.moves_loops)
        return self._function(name, states, ((name, shape), *derivatives, ("spread", (1,))), build, f"{slopes}")

    def _function(
        self,
        name: str,
        states: int,
        results: tuple[tuple[str, Shape], ...],
        build: Callable[[], Tables],
        more: str = "",
    ) -> Function:
        mechanism = self.system.mechanism
        present_numbers = [mechanism_number(mechanism, number) for number in self.numbers]
        facts = facts_of(self.system)
        return Function(
            f"{name} of designs",
            (
                ("phi", mechanism.m), *((state, mechanism.n) for state in ("q", "qd", "qdd")[:states]),
                ("parameters", len(self.numbers)),
            ),
            results,
            build,
            label=self.system.name,
            facts=f"{facts}{name}{self.numbers!r}{more}" if facts else "",
            parameters=Parameters("design", self.numbers, tuple(float(number.value) for number in present_numbers)),
            joints=mechanism.joint_names,
            thing="mechanism",
            meanings={"parameters": "numbers of the description, by name"},
        )  # fmt: skip


def refuse_without_motors(system: Designed) -> None:
    """Refuse torques of motors where there are none, or not one for each freedom."""
    if isinstance(system, ArmDescription):
        if not system.counts_drives:
            raise ArmError(
                f"{system.name}: torques of motors are those of an arm with its drives; give arm.driven, or "
                "drives = true in a study file"
            )
        return
    if not isinstance(system, DrivenMechanism):
        raise ArmError(
            f"{system.name}: torques of motors are those of a mechanism given as as_system(motors=True), or with "
            "drives = true in a study file"
        )
    system.refuse_shared()


def _build(system: MechanismSystem, name: str, numbers: tuple[str, ...], slopes: bool, step: bool) -> Tables:
    of = MechanismOverNumbers(system, numbers)
    if step:
        of.step()
    table = FUNCTIONS[name][2](of)
    derivatives = [number_slopes(flat(table), of.graph, len(numbers))] if slopes else []
    return [table, *derivatives, [of.factors.spread]]


def _build_step(system: MechanismSystem, numbers: tuple[str, ...]) -> Tables:
    """As ``newton_step`` of ``mechanism_functions``, with the numbers as inputs."""
    of = MechanismOverNumbers(system, numbers)
    phi, off, factors = of.transfer.step(of.phi, of.input("q", of.n))
    return [phi, off, [factors.spread], [factors.side], of.transfer.alignment(of.phi) or [1]]
