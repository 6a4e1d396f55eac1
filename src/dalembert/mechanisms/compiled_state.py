"""One compiled function for a whole mechanism: everything its accelerations need at a state, in one call.

    (phi, phi')  ->  c, [G^c], phi'.[H^c] phi', I*, phi'.P* phi' - T^L

The chains run through the same formulations as everywhere, over the graph ring, and the closures through the same
equations as in ``closures.py``; shared subexpressions are computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..compile.function import Function, Tables
from ..compile.functions import system_facts
from ..compile.kernel import Kernel
from ..formulations.chain import Chain
from ..formulations.influence import PointInfluence
from ..formulations.kinematics import Frame, frames
from ..formulations.system import SystemOverRing as ArmOverRing
from ..rings.algebra import ZERO, Vec, add, column, cross, dot, matvec, minus, plus, scale, sub
from ..rings.graph import Graph
from ..rings.ring import Scalar
from .batch import Array
from .chain_frames import Carrier, ChainFrames
from .closures import ClosureNumbers
from .gears import GearNumbers


class CompiledState:
    """Called with phi and phi' ``(..., m)``; gives c, [G^c], the closures' drift, I* and loads at no acceleration."""

    def __init__(self, system: ChainFrames, closures: Sequence[ClosureNumbers | GearNumbers]) -> None:
        self.r = sum(len(c.closure.held) for c in closures)
        self.kernel = Kernel(state_function(system, tuple(closures)))

    def state(self, phi: Array, rate: Array) -> tuple[Array, Array, Array, Array, Array]:
        """The five tables at states ``(b, m)``."""
        value, g, drift, inertia, rest = self.kernel(phi, rate)
        return value[..., : self.r], g[..., : self.r, :], drift[..., : self.r], inertia, rest


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
    graph = Graph()
    m = system.m
    phi, rate = graph.inputs("phi_", m), graph.inputs("rate_", m)
    inertia: list[list[Scalar]] = [[0] * m for _ in range(m)]
    rest: list[Scalar] = []
    placed: list[tuple[Chain, list[Frame]]] = []
    for arm, part in zip(system.arms.values(), system.slices, strict=True):
        own, q, qd = ArmOverRing(arm, graph), phi[part], rate[part]
        for i, row in enumerate(own.mass_matrix(graph, q)):
            inertia[part.start + i][part] = row
        rest += own.torque(graph, q, qd, [0] * own.n)
        placed.append((own.links, frames(own.links, graph, q)))
    value: list[Scalar] = []
    jacobian: list[list[Scalar]] = []
    drift: list[Scalar] = []
    for closure in closures:
        if isinstance(closure, GearNumbers):
            found = [_gear(graph, closure, phi)]
        else:
            a, b = (_Frame(graph, system, frame, placed, rate) for frame in (closure.a, closure.b))
            found = _equations(closure, a, b, m)
        for c, row, bend in found:
            value.append(c)
            jacobian.append(row)
            drift.append(bend)
    return value or [0], jacobian or [[0] * m], drift or [0], inertia, rest


class _Frame:
    """A frame over the graph: origin and axes, their g_n by joint of phi, and their first and second rates."""

    def __init__(
        self,
        graph: Graph,
        system: ChainFrames,
        frame: Carrier,
        placed: list[tuple[Chain, list[Frame]]],
        rate: list[Any],
    ) -> None:
        turn = tuple(tuple(_number(graph, x) for x in row) for row in frame.rotation)
        shift: Vec = tuple(_number(graph, x) for x in frame.position)
        self.vectors: list[Vec] = [shift, *(column(turn, k) for k in range(3))]
        self.slopes: list[dict[int, Vec]] = [{} for _ in range(4)]
        self.moved, self.bent = [ZERO] * 4, [ZERO] * 4
        if frame.body < 0:
            return
        own, found = placed[frame.chain]
        start = system.slices[frame.chain].start
        at = PointInfluence(own, found, frame.body, shift)
        body = found[frame.body][0]
        self.vectors = [at.position, *(matvec(body, vector) for vector in self.vectors[1:])]
        before = ZERO
        for n in at.path:
            speed = rate[start + n]
            turning = scale(speed, at.turn(n))
            around = plus(plus(before, before), turning)
            for k, vector in enumerate(self.vectors):
                g = at.shift(n) if k == 0 else cross(at.turn(n), vector)
                self.slopes[k][start + n] = g
                self.moved[k] = plus(self.moved[k], scale(speed, g))
                self.bent[k] = plus(self.bent[k], scale(speed, cross(around, g)))
            before = plus(before, turning)


def _gear(graph: Graph, gear: GearNumbers, phi: list[Any]) -> tuple[Scalar, list[Scalar], Scalar]:
    """c = phi_joint - ratio phi_master - offset, its row of [G^c], and no drift, as in ``GearNumbers``."""
    row: list[Scalar] = [0] * len(phi)
    for joint, slope in zip(gear.joints, gear.slopes, strict=True):
        row[joint] = _number(graph, slope)
    return sub(dot(row, phi), _number(graph, gear.closure.offset)), row, 0


def _equations(closure: ClosureNumbers, a: _Frame, b: _Frame, m: int) -> list[tuple[Scalar, list[Scalar], Scalar]]:
    """c, rows of [G^c] and phi'.[H^c] phi' of one closure, as in ``ClosureNumbers.rates``."""
    found = []
    span, span1, span2 = (minus(x[0], y[0]) for x, y in ((b.vectors, a.vectors), (b.moved, a.moved), (b.bent, a.bent)))
    for i in closure.positions:
        axis = a.vectors[1 + i]
        row: list[Scalar] = [0] * m
        for j, g in a.slopes[1 + i].items():
            row[j] = add(row[j], sub(dot(g, span), dot(axis, a.slopes[0][j])))
        for j, g in b.slopes[0].items():
            row[j] = add(row[j], dot(axis, g))
        cross_term = dot(a.moved[1 + i], span1)
        bend = add(add(dot(a.bent[1 + i], span), add(cross_term, cross_term)), dot(axis, span2))
        found.append((dot(axis, span), row, bend))
    for r, s, sign in closure.closure.turns:
        one, two = a.vectors[1 + r], b.vectors[1 + s]
        row = [0] * m
        for j, g in a.slopes[1 + r].items():
            row[j] = add(row[j], dot(g, two))
        for j, g in b.slopes[1 + s].items():
            row[j] = add(row[j], dot(one, g))
        cross_term = dot(a.moved[1 + r], b.moved[1 + s])
        bend = add(add(dot(a.bent[1 + r], two), add(cross_term, cross_term)), dot(one, b.bent[1 + s]))
        c = dot(one, two)
        if sign < 0:
            c, row, bend = sub(0, c), [sub(0, x) for x in row], sub(0, bend)
        found.append((c, row, bend))
    return found


def _number(graph: Graph, value: float) -> Scalar:
    """A float as a constant; 0 and plus or minus 1 stay structural."""
    return int(value) if value in (0.0, 1.0, -1.0) else graph.constant(float(value))
