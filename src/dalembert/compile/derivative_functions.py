"""The derivatives of torques and accelerations as graphs, each in the shortest of several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..arm.description import ArmDescription
from ..formulations import christoffel, composite_motion
from ..formulations.system import slopes
from ..rings.algebra import dot, sub
from ..rings.graph import Node
from ..rings.ring import Scalar
from .function import Tables
from .graph_model import SHORT, GraphModel, Table, smallest, solved

Slopes = tuple[Table, Table]


def links_alone(arm: ArmDescription) -> bool:
    """Whether the torques are those of links alone, with one coordinate for each joint."""
    return not (arm.counts_drives or arm.elastic or arm.followers)


def torque_derivatives(m: GraphModel, q: Sequence[Node], qd: Sequence[Node], qdd: Sequence[Scalar]) -> Slopes:
    """d tau/dq and d tau/dqd; the links by the recursion, or by dual numbers where an arm is short and that is less."""
    candidates: list[Slopes] = []
    if m.n <= SHORT:
        candidates += [
            slopes(partial(m.system.torque, links=links), m.graph, q, qd, qdd) for links in (m.plane, m.chain)
        ]
    candidates.append(m.system.torque_derivatives(m.graph, q, qd, qdd, m.plane))
    derivatives: Slopes = smallest(*candidates)
    return derivatives


def coriolis_matrix(m: GraphModel) -> Tables:
    """C(q, qd)."""
    q, qd = m.input("q"), m.input("qd")
    candidates = [(m.plane, composite_motion.coriolis_matrix)]
    if m.n <= SHORT:
        candidates += [(m.plane, christoffel.coriolis_matrix), (m.chain, christoffel.coriolis_matrix)]
    return (smallest(*(m.system.coriolis_matrix(m.graph, q, qd, *candidate) for candidate in candidates)),)


def inverse_dynamics_derivatives(m: GraphModel) -> Tables:
    """d tau/dq, d tau/dqd, D."""
    q, qd, qdd = m.input("q"), m.input("qd"), m.input("qdd")
    slopes = torque_derivatives(m, q, qd, qdd)
    candidates = [(*slopes, m.system.mass_matrix(m.graph, q, m.chain))]
    if links_alone(m.arm):  # D of the links, from what the recursion has worked out already
        moving = composite_motion.motion(m.plane, m.graph, q, qd, qdd)
        candidates.append((*slopes, composite_motion.mass_matrix(moving, moving.loads())))
    tables: Tables = smallest(*candidates)
    return tables


def forward_dynamics_derivatives(m: GraphModel, slopes_of: Callable[..., Slopes] = torque_derivatives) -> Tables:
    """d qdd = -D^-1 d tau, with the mass matrix, its factors and the bias shared by all of it."""
    q, qd, tau = m.input("q"), m.input("qd"), m.input("tau")
    qdd, factors = solved(m, q, qd, tau)
    to_q, to_qd = slopes_of(m, q, qd, qdd)
    columns = [m.system.solved(factors, [int(i == k) for i in range(m.n)]) for k in range(m.n)]
    inverse = [[columns[max(i, j)][min(i, j)] for j in range(m.n)] for i in range(m.n)]

    def answer(table: list[list[Scalar]]) -> list[list[Scalar]]:
        solutions = []
        for k in range(m.n):
            candidates = [m.system.solved(factors, [sub(0, row[k]) for row in table])]
            if m.n <= SHORT:
                candidates.append([sub(0, dot(inverse[i], [row[k] for row in table])) for i in range(m.n)])
            solutions.append(smallest(*candidates))
        return [[solutions[k][i] for k in range(m.n)] for i in range(m.n)]

    return answer(to_q), answer(to_qd), inverse
