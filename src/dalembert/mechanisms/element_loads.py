"""What springs, dampers and rotors between chains do to the joints phi of a mechanism, over any field.

A quantity s(phi) with slopes g = ds/dphi loads the joints by -(k (s - rest) + c s' + J s'') g, s' = g phi' and
s'' = g phi'' + (dg/dt) phi' (Freeman 1985, eq. 2-147 for loads, 2-226 for those that depend on velocity); a spring
between two points by its pull along the span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from ..compile.function import Function, Tables
from ..compile.functions import system_facts
from ..compile.kernel import Kernel
from ..formulations.applied_loads import span_tension, stretch_square
from ..formulations.chain import Chain, chain
from ..formulations.closures import (
    CarriedVector,
    ClosureEquation,
    equations,
    frame_vectors,
    turn_rate,
    turning_vector,
)
from ..formulations.kinematics import frames
from ..rings.algebra import add, dot, mul, scale, sub
from ..rings.dual import Duals, slope_of
from ..rings.graph import Graph
from ..rings.real import REAL
from ..rings.ring import Field, Ring, Scalar
from . import transfer
from .assembly import CoordinateTransfer
from .batch import Array, over_columns
from .chain_frames import Carrier, ChainFrames
from .closure_equations import body_frame
from .coordinates import CoordinateTerm
from .springs import LoadElement
from .transfer import TransferredModel

Slopes = dict[int, Scalar]
JointState = tuple[Sequence[Scalar], Sequence[Scalar]]
"""phi and phi', which is empty where no rates are asked for."""
TURNING = 4
"""The turning of a frame, beside its origin (0) and axes (1 to 3)."""


class ElementsOverRing:
    """Elements of a system whose chains over ``ring`` are ``links``; a field over that ring may be asked too."""

    def __init__(
        self,
        system: ChainFrames,
        elements: Sequence[LoadElement],
        ring: Ring,
        links: Sequence[Chain],
        parameters: Sequence[Mapping[str, Scalar]] = (),
    ) -> None:
        """``parameters`` are numbers of the ring in place of named parameters of each chain."""
        self.chains, self.elements, self.ring, self.links, self.parameters = system, elements, ring, links, parameters

    # -- quantities -----------------------------------------------------------------------------

    def _vectors(self, field: Field, state: JointState, end: Carrier, kinds: set[int]) -> dict[int, CarriedVector]:
        """Origin (0), axes (1 to 3) and turning (4) of a frame, with slopes and rates."""
        phi, rate = state
        number = max(end.chain, 0)  # a frame in the world belongs to no chain; none is asked then
        joints, links = self.chains.slices[number], self.links[number]
        joint_frames = frames(links, field, phi[joints]) if end.body >= 0 else []
        frame = body_frame(self.ring, end, self.parameters)
        vectors = frame_vectors(links, joint_frames, end.body, frame, rate[joints], joints.start, kinds - {TURNING})
        if TURNING in kinds:
            vectors[TURNING] = turning_vector(links, joint_frames, end.body, rate[joints], joints.start)
        return vectors

    def _term(self, field: Field, state: JointState, term: CoordinateTerm) -> ClosureEquation:
        """Value (0 of a turn), slopes and drift of one term, without its weight."""
        if term.frame is None:
            return ClosureEquation(state[0][term.joint], {term.joint: 1}, 0)
        turns, k = term.freedom >= 3, term.freedom % 3
        moved = TURNING if turns else 0
        vectors = self._vectors(field, state, term.frame, {moved})
        if term.reference is None:
            vector = vectors[moved]
            return ClosureEquation(vector.value[k], {n: g[k] for n, g in vector.slopes.items()}, vector.rate2[k])
        base = self._vectors(field, state, term.reference, {moved, 1 + k})
        if turns:
            return turn_rate(base[1 + k], vectors[TURNING] - base[TURNING])
        return equations([(k, 0, 1)], base, vectors)[0]

    def quantity(self, field: Field, state: JointState, element: LoadElement) -> ClosureEquation:
        """s, its slopes by joint, and s'' at constant joint rates."""
        value: Scalar = 0
        drift: Scalar = 0
        slopes: Slopes = {}
        for term in element.terms:
            weight: Scalar = 1 if term.weight == 1 else self.ring.number(term.weight)
            quantity = self._term(field, state, term)
            value, drift = add(value, mul(weight, quantity.value)), add(drift, mul(weight, quantity.drift))
            for n, slope in quantity.slopes.items():
                slopes[n] = add(slopes.get(n, 0), mul(weight, slope))
        return ClosureEquation(value, slopes, drift)

    def span(self, field: Field, state: JointState, element: LoadElement) -> CarriedVector:
        """p_b - p_a."""
        a, b = (self._vectors(field, state, end, {0})[0] for end in element.ends)
        return b - a

    # -- loads, inertia, energy -----------------------------------------------------------------

    def load(self, field: Field, phi: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
        """What the elements put on the joints at phi'' = 0."""
        total: list[Scalar] = [0] * len(phi)
        for element in self.elements:
            stiffness, rest, damping, inertia = self._constants(element)
            if element.ends:
                span = self.span(field, (phi, rate), element)
                stretched = dot(span.value, span.rate)
                pull = scale(span_tension(field, span.value, stretched, stiffness, rest, damping), span.value)
                loads: Slopes = {n: dot(pull, slope) for n, slope in span.slopes.items()}
            else:
                quantity = self.quantity(field, (phi, rate), element)
                force = add(mul(stiffness, sub(quantity.value, rest)), mul(inertia, quantity.drift))
                force = add(
                    force, mul(damping, dot(list(quantity.slopes.values()), [rate[n] for n in quantity.slopes]))
                )
                loads = {n: mul(force, slope) for n, slope in quantity.slopes.items()}
            for n, load in loads.items():
                total[n] = sub(total[n], load)
        return total

    def inertia(self, field: Field, phi: Sequence[Scalar]) -> list[list[Scalar]]:
        """sum J g g^T."""
        total: list[list[Scalar]] = [[0] * len(phi) for _ in phi]
        for element in self.elements:
            if not element.inertia:
                continue
            slopes = self.quantity(field, (phi, ()), element).slopes
            inertia = self.ring.number(element.inertia)
            for i, left in slopes.items():
                for j, right in slopes.items():
                    total[i][j] = add(total[i][j], mul(inertia, mul(left, right)))
        return total

    def energy(self, field: Field, phi: Sequence[Scalar]) -> Scalar:
        """Energy stored in the springs: k (s - rest)^2 / 2 and k (|d| - rest)^2 / 2."""
        total: Scalar = 0
        for element in self.elements:
            stiffness, rest, *_ = self._constants(element)
            if not element.stiffness:
                continue
            if element.ends:
                square = stretch_square(field, self.span(field, (phi, ()), element).value, rest)
            else:
                stretch = sub(self.quantity(field, (phi, ()), element).value, rest)
                square = mul(stretch, stretch)
            total = add(total, mul(stiffness, square))
        return mul(self.ring.number(Fraction(1, 2)), total)

    def _constants(self, element: LoadElement) -> list[Scalar]:
        """Stiffness, rest, damping, inertia over the ring; structural zeros where they are zero."""
        constants = (element.stiffness, element.rest, element.damping, element.inertia)
        return [self.ring.number(x) if x else 0 for x in constants]


class ElementLoads:
    """The elements of a mechanism on arrays ``(b, m)``; compiled where the mechanism is."""

    def __init__(self, system: ChainFrames, elements: Sequence[LoadElement], compiled: bool) -> None:
        self.elements, self.chains = tuple(elements), system
        self.over_reals = ElementsOverRing(system, elements, REAL, [numbers.chain for numbers in system.numbers])
        self.kernel = Kernel(_function(system, self.elements)) if compiled and elements else None
        self.rotates = any(element.inertia for element in self.elements)

    def __bool__(self) -> bool:
        return bool(self.elements)

    def load(self, phi: Array, rate: Array) -> Array:
        """Loads on the joints ``(b, m)`` at phi'' = 0."""
        if self.kernel is not None:
            return self.kernel(phi, rate)[0]
        return over_columns(lambda q, qd: self.over_reals.load(REAL, q, qd), phi, rate)

    def inertia(self, phi: Array) -> Array:
        """sum J g g^T ``(b, m, m)``."""
        if not self.rotates:
            return np.zeros((*phi.shape, phi.shape[-1]))
        return over_columns(lambda q: self.over_reals.inertia(REAL, q), phi)

    def friction(self, phi: Array) -> Array:
        """sum c g g^T ``(b, m, m)`` of the motors: their viscous friction is that times phi'."""
        rubbing = [replace(e, inertia=e.damping) for e in self.elements if e.is_drive and e.damping]
        if not rubbing:
            return np.zeros((*phi.shape, phi.shape[-1]))
        viscous = ElementsOverRing(self.chains, rubbing, REAL, self.over_reals.links)
        return over_columns(lambda q: viscous.inertia(REAL, q), phi)

    def energy(self, phi: Array) -> Array:
        """Energy of the springs ``(b,)`` (J)."""
        return over_columns(lambda q: self.over_reals.energy(REAL, q), phi)

    def slopes(self, phi: Array, rate: Array, rate2: Array) -> tuple[Array, Array]:
        """Slopes of ``load`` less J s'' of phi'' to phi and phi', each ``(b, m, m)``, by dual numbers."""
        m, duals, elements = phi.shape[-1], Duals(REAL), self.over_reals

        def tables(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> tuple[list[list[Scalar]], ...]:
            x = [duals.variable(value, k) for k, value in enumerate(q)]
            v = [duals.variable(value, m + k) for k, value in enumerate(qd)]
            loads = elements.load(duals, x, v)
            if self.rotates:
                pulled = elements.inertia(duals, x)
                loads = [sub(f, dot(row, qdd)) for f, row in zip(loads, pulled, strict=True)]
            return tuple([[slope_of(t, first + k) for k in range(m)] for t in loads] for first in (0, m))

        return over_columns(tables, phi, rate, rate2)


def element_model(elements: ElementLoads, carried: CoordinateTransfer, phi: Array, qd: Array) -> TransferredModel:
    """I*_qq, P*_qqq and T^L_q of the elements (3-34) to (3-36).

    Without springs and friction their loads are quadratic in phi', so that three of them give P*: it is
    q'.P* q' of single and paired rates.
    """
    x, x2 = carried.x, carried.x2
    rate = transfer.times(x, qd)
    zero_rate = np.zeros_like(rate)
    inertia = elements.inertia(phi)
    n = x.shape[-1]
    mixed = transfer.transposed(x) @ inertia
    power = transfer.dot(mixed, x2)
    at_rest = elements.load(phi, zero_rate)
    if elements.rotates:
        # J s'' at constant joint rates: the part of the load that does not change with the sign of the rates
        def bent(speed: Array) -> Array:
            even = elements.load(phi, speed) + elements.load(phi, -speed)
            return transfer.load(at_rest - even / 2, x)

        columns = [bent(x[:, :, i]) for i in range(n)]
        for i in range(n):
            power[:, :, i, i] += columns[i]
            for j in range(i):
                pair = (bent(x[:, :, i] + x[:, :, j]) - columns[i] - columns[j]) / 2
                power[:, :, i, j] += pair
                power[:, :, j, i] += pair
    damped = (elements.load(phi, rate) - elements.load(phi, -rate)) / 2
    return TransferredModel(mixed @ x, power, transfer.load(at_rest + damped, x))


def _function(system: ChainFrames, elements: tuple[LoadElement, ...]) -> Function:
    m = system.m
    facts = [system_facts(arm) for arm in system.arms.values()]
    return Function(
        "mechanism_elements",
        (("phi", m), ("rate", m)),
        (("rest", (m,)),),
        partial(_graph_tables, system, elements),
        label="mechanism",
        facts="\0".join([*facts, repr(elements)]) if all(facts) else "",
    )


def _graph_tables(system: ChainFrames, elements: tuple[LoadElement, ...]) -> Tables:
    graph = Graph()
    links = [chain(arm, graph) for arm in system.arms.values()]
    over_ring = ElementsOverRing(system, elements, graph, links)
    return (over_ring.load(graph, graph.inputs("phi_", system.m), graph.inputs("rate_", system.m)),)
