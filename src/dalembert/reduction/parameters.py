"""The inertial parameters that the torques are linear in, grouped to the fewest (``compile/regroup.py``).

tau = sum_p Y_p(q, qd, qdd) pi_p. Dropping a parameter changes the torques by Y_p pi_p exactly: a model with some
parameters left out is an arm like any other, only lighter to compute, and its error is a polynomial too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.inertia import ENTRIES, Inertia, moved
from ..compile.operations import Operations, count
from ..compile.regroup import Rationals, over, regrouped
from ..equations.axes import axes
from ..equations.polynomial import as_polynomial
from ..equations.space import Space
from ..formulations import composite_body, newton_euler
from ..formulations.model import Chain, chain
from ..rings.algebra import as_matrix
from ..rings.angles import Angles
from ..rings.graph import Graph
from ..rings.trig import TrigRing
from .model_waves import christoffel
from .states import States
from .waves import Wave, wave_of

Name: TypeAlias = str
NAMES = ("m", "mx", "my", "mz", *(f"I{key}" for key, _, _ in ENTRIES))


@dataclass(frozen=True)
class Grouped:
    """The grouped chain of an arm, and the values of its non-zero parameters by name ("Ixx3", bodies from 1)."""

    arm: ArmDescription
    chain: Chain
    values: Mapping[Name, Fraction]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return tuple(self.values)


def grouped(arm: ArmDescription) -> Grouped:
    """The fewest parameters of an arm; what hangs on gravity alone in a chain stays as it is."""
    bodies = regrouped(chain(arm, Rationals()))
    values: dict[Name, Fraction] = {}
    for index, segment in enumerate(bodies.segments):
        numbers = (segment.mass, *segment.moment, *(segment.tensor[i][j] for _, i, j in ENTRIES))
        for name, value in zip(NAMES, numbers, strict=True):
            if value:
                values[f"{name}{index + 1}"] = Fraction(value)
    # A body before the first that turns or falls can hold numbers that no torque depends on; they do no harm.
    return Grouped(arm, bodies, values)


def with_values(bodies: Chain, values: Mapping[Name, Fraction]) -> Chain:
    """The chain with these parameters and no others."""
    segments = []
    for index, segment in enumerate(bodies.segments):
        mine = [Fraction(values.get(f"{name}{index + 1}", 0)) for name in NAMES]
        rows = [[Fraction(0)] * 3 for _ in range(3)]
        for (_, i, j), value in zip(ENTRIES, mine[4:], strict=True):
            rows[i][j] = rows[j][i] = value
        segments.append(
            replace(
                segment,
                mass=mine[0],
                moment=(mine[1], mine[2], mine[3]),
                tensor=as_matrix(rows),
                com=None,
                central=None,
            )
        )
    return replace(bodies, segments=tuple(segments))


def operations(bodies: Chain, drives: bool = False) -> Operations:
    """Operations of inverse dynamics of a chain of rationals, by Newton-Euler over the graph."""
    return count(torque_nodes(bodies, None if not drives else [Fraction(1, 3)] * bodies.n))


def torque_nodes(bodies: Chain, added: list[Fraction] | None = None) -> list[Any]:
    """The torques of a chain of rationals as nodes of a graph with inputs q_0, ..., qd_0, ..., qdd_0, ..."""
    graph, n = Graph(), bodies.n
    q, qd, qdd = (graph.inputs(f"{name}_", n) for name in ("q", "qd", "qdd"))
    torque = newton_euler.inverse_dynamics(over(bodies, graph), graph, q, qd, qdd)
    if added is not None:
        torque = [t + graph.number(x) * a if x else t for t, x, a in zip(torque, added, qdd, strict=True)]
    return [graph.node(t) for t in torque]


class Effects:
    """D and G of a chain of rationals as waves."""

    def __init__(self, arm: ArmDescription) -> None:
        self.arm = arm
        self.ring = TrigRing(Angles(axes(arm), ()), ())
        self.space = Space.of(self.ring, (), arm.joint_names, {})

    def waves(self, bodies: Chain) -> tuple[dict[tuple[int, int], Wave], dict[int, Wave]]:
        """The waves of D (upper triangle) and G that are not zero."""
        n, trig = bodies.n, over(bodies, self.ring)
        matrix = composite_body.mass_matrix(trig, self.ring, self.ring.positions)
        load = composite_body.gravity(trig, self.ring, self.ring.positions)
        inertia, gravity = {}, {}
        for i in range(n):
            for j in range(i, n):
                poly = as_polynomial(self.space, matrix[i][j])
                if poly:
                    inertia[i, j] = wave_of(poly)
            poly = as_polynomial(self.space, load[i])
            if poly:
                gravity[i] = wave_of(poly)
        return inertia, gravity

    def shares(self, bodies: Chain, states: States) -> NDArray[np.float64]:
        """A crude bound, by sums of moduli, on the torques of a chain at each joint."""
        inertia, gravity = self.waves(bodies)
        return crude(inertia, gravity, states)


def crude(inertia: Mapping[tuple[int, int], Wave], gravity: Mapping[int, Wave], states: States) -> NDArray[np.float64]:
    """A bound on the torques of a model by sums of moduli."""
    reach, n = states.box.reach, states.n
    found = np.zeros(n)
    for (i, j), wave in inertia.items():
        most = wave.most(reach)
        found[i] += most * states.acceleration[j]
        if i != j:
            found[j] += most * states.acceleration[i]
    for (i, j, k), wave in christoffel(dict(inertia), n).items():
        found[i] += wave.most(reach) * states.speed[j] * states.speed[k] * (1 if j == k else 2)
    for i, wave in gravity.items():
        found[i] += wave.most(reach)
    return found


def as_arm(arm: ArmDescription, bodies: Chain, name: str) -> ArmDescription:
    """An arm with the joints of ``arm`` and the parameters of ``bodies``: numbers of a model, not of real links."""
    moving = {body.joint.child: index for index, body in enumerate(arm.bodies)}
    links = []
    for link in arm.links:
        inertia = Inertia()
        if link.name in moving:
            segment = bodies.segments[moving[link.name]]
            turn, shift = segment.link
            back = tuple(tuple(turn[j][i] for j in range(3)) for i in range(3))
            offset = tuple(-sum(row[k] * shift[k] for k in range(3)) for row in back)
            inertia = Inertia(*moved(segment.mass, segment.moment, segment.tensor, back, offset))
        links.append(replace(link, inertia=inertia))
    return replace(arm, name=name, links=tuple(links), loads=())
