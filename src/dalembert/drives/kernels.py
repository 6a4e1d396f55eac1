"""Compiled functions of an arm with its drives: the same kernels as for links, with the rotors in the graph."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ..arm.description import ArmDescription
from ..arm.drives import DriveTrain
from ..compile import build
from ..compile.functions import Function, Model
from ..compile.kernel import Kernel, graph_facts
from ..formulations import composite_body, factor, newton_euler, rotors
from ..formulations.drive_train import RingTrain
from ..rings.algebra import add, sub
from ..rings.dual import Duals, slope_of
from ..rings.graph import Graph
from ..rings.ring import Ring, Scalar

ARGUMENTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "bias": ("q", "qd"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
}


@lru_cache
def code_of_drives() -> str:
    """Digest of the code in this room: another version of it builds other kernels."""
    found = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


class Full:
    """A chain without branches, for factors of a matrix that the drives may have filled."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.paths = tuple(tuple(range(k + 1)) for k in range(n))


class DrivenKernel(Kernel):
    """A function of links and rotors together; torques are those at the joints, friction left out."""

    def __init__(self, arm: ArmDescription, train: DriveTrain, name: str, approximation: str = "exact") -> None:
        self.train, self.approximation = train, approximation
        super().__init__(arm, name)

    def _key(self, which: str) -> str:
        facts = repr((self.train.actuators, self.train.elements, self.approximation))
        if self.train.turns is not None:
            # a function has no text of its own to tell it by: its graph, node for node, is what it is
            facts += graph_facts(self.function)
        return hashlib.sha256(f"{super()._key(which)}\0{code_of_drives()}\0{facts}".encode()).hexdigest()

    @cached_property
    def function(self) -> Function:
        graph = Graph()
        model = Model(self.arm, graph)
        tables = self._tables(model, RingTrain(self.arm, self.train, graph, self.approximation))
        inputs = tuple(
            (argument, tuple(f"{argument}_{i}" for i in range(self.arm.n))) for argument in ARGUMENTS[self.name]
        )
        outputs = tuple(
            (shape, tuple(graph.node(x) for x in _flat(table)))
            for shape, table in zip(self.shapes, tables, strict=True)
        )
        return Function(self.name, inputs, outputs)

    def _tables(self, model: Model, parts: RingTrain) -> tuple[Any, ...]:
        n, graph = model.n, model.graph
        q = model.input("q")
        still: list[Scalar] = [0] * n

        def torque(ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
            links = newton_euler.inverse_dynamics(model.chain, ring, q, qd, qdd)
            if model.extra is not None:
                links = [sub(t, load) for t, load in zip(links, model.extra(ring, q, qd), strict=True)]
            spun = rotors.torque(model.chain, ring, q, qd, qdd, *parts.spins(ring, q))
            return [add(a, b) for a, b in zip(links, spun, strict=True)]

        def mass() -> list[list[Scalar]]:
            links = composite_body.mass_matrix(model.chain, graph, q)
            spun = rotors.mass_matrix(model.chain, graph, q, *parts.spins(graph, q))
            return [[add(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(links, spun, strict=True)]

        if self.name == "mass_matrix":
            return (mass(),)
        qd = model.input("qd")
        if self.name == "bias":
            return (torque(graph, q, qd, still),)
        if self.name == "inverse_dynamics":
            return (torque(graph, q, qd, model.input("qdd")),)
        if self.name == "forward_dynamics":
            bias = torque(graph, q, qd, still)
            rest = [sub(t, b) for t, b in zip(model.input("tau"), bias, strict=True)]
            whole: Any = Full(n)
            lower, pivots = factor.factor(whole, graph, mass())
            return (factor.solve(whole, lower, pivots, rest),)
        duals = Duals(graph)
        x = [duals.variable(value, k) for k, value in enumerate(q)]
        v = [duals.variable(value, n + k) for k, value in enumerate(qd)]
        found = torque(duals, x, v, model.input("qdd"))
        return (
            [[slope_of(t, k) for k in range(n)] for t in found],
            [[slope_of(t, n + k) for k in range(n)] for t in found],
            mass(),
        )


def kernel(arm: ArmDescription, train: DriveTrain, name: str, approximation: str) -> DrivenKernel | None:
    """The kernel, or None where nothing can be compiled."""
    try:
        build.find()
    except build.CompileError as fault:
        build.say_slow(fault)
        return None
    return DrivenKernel(arm, train, name, approximation)


def _flat(table: Any) -> list[Scalar]:
    return [x for part in table for x in _flat(part)] if isinstance(table, (list, tuple)) else [table]
