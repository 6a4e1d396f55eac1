"""One compiled function for a whole mechanism: everything its accelerations need at a state, in one call.

    (phi, phi')  ->  c, [G^c], phi'.[H^c] phi', I*, phi'.P* phi' - T^L

Chains and closures run through the same formulations as everywhere, over the graph ring; shared subexpressions are
computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..compile.function import Function, Tables
from ..compile.functions import system_facts
from ..compile.kernel import Kernel
from ..formulations.system import SystemOverRing
from ..rings.graph import Graph
from ..rings.ring import Scalar
from .batch import Array
from .chain_frames import ChainFrames
from .closure_equations import ClosureEquations
from .gears import GearNumbers
from .loop_closures import ClosureNumbers


class CompiledState:
    """Called with phi and phi' ``(..., m)``; gives c, [G^c], the closures' drift, I* and loads at no acceleration."""

    def __init__(self, system: ChainFrames, closures: Sequence[ClosureNumbers | GearNumbers]) -> None:
        self.r = sum(len(c.closure.held) for c in closures)
        self.kernel = Kernel(state_function(system, tuple(closures)))

    def state(self, phi: Array, rate: Array) -> tuple[Array, Array, Array, Array, Array]:
        """The five tables at states ``(b, m)``."""
        value, g, drift, inertia, bias = self.kernel(phi, rate)
        return value[..., : self.r], g[..., : self.r, :], drift[..., : self.r], inertia, bias


def state_function(system: ChainFrames, closures: tuple[ClosureNumbers | GearNumbers, ...]) -> Function:
    """The state of a mechanism as a function to compile."""
    m, r = system.m, max(1, sum(len(c.closure.held) for c in closures))
    facts = (
        *(system_facts(arm) for arm in system.arms.values()),
        *(c.facts for c in closures),
    )
    return Function(
        "mechanism",
        (("phi", m), ("rate", m)),
        (("closure", (r,)), ("slopes", (r, m)), ("drift", (r,)), ("inertia", (m, m)), ("rest", (m,))),
        partial(_tables, system, closures),
        label="mechanism",
        facts="\0".join(facts) if all(facts) else "",
    )


def _tables(system: ChainFrames, closures: tuple[ClosureNumbers | GearNumbers, ...]) -> Tables:
    """c, [G^c], phi'.[H^c] phi', I* and phi'.P* phi' - T^L over one graph."""
    graph = Graph()
    m = system.m
    phi, rate = graph.inputs("phi_", m), graph.inputs("rate_", m)
    inertia: list[list[Scalar]] = [[0] * m for _ in range(m)]
    bias: list[Scalar] = []
    links = []
    for arm, joints in zip(system.arms.values(), system.slices, strict=True):
        model, q, qd = SystemOverRing(arm, graph), phi[joints], rate[joints]
        for i, row in enumerate(model.mass_matrix(graph, q)):
            inertia[joints.start + i][joints] = row
        bias += model.torque(graph, q, qd, [0] * model.n)
        links.append(model.links)
    value, jacobian, drift = ClosureEquations(system, closures, graph, links).tables(phi, rate)
    return value or [0], jacobian or [[0] * m], drift or [0], inertia, bias
