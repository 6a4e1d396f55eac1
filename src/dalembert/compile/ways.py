"""Other ways to long functions, for processors with few registers: fewer numbers alive, for more work elsewhere.

The derivatives of the torques are a way out, a way back, and a product for each pair of joints. Written for the fewest
operations they keep the motion of all bodies from the way out to the way back; retraced, the way back works it out
again from that of the body after it. The derivatives of the acceleration follow from them, or from stages: functions
that give the same results one after another, between which numbers pass through memory. Who compiles for such a
processor weighs them (``cuda/parts.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..arm.description import ArmDescription
from ..formulations.composite_motion import mass_matrix, motion, pair_products
from ..rings.algebra import sub
from ..rings.graph import CONST, Graph, Node
from ..rings.ring import Scalar
from .derivative_functions import Slopes, forward_dynamics_derivatives, links_alone
from .function import Function, Tables
from .graph_model import GraphModel, Table

Way = tuple[Function, ...]
"""Functions that give the results one after another; of one alone, the results themselves."""


def torque_derivative_ways(arm: ArmDescription, derivatives: Function) -> tuple[Way, ...]:
    """d tau and D with the way out retraced."""
    return ((_lean(arm, derivatives, torques_retraced),),) if links_alone(arm) else ()


def acceleration_derivative_ways(
    arm: ArmDescription, derivatives: Function, accelerations: Function, torques: Function
) -> tuple[Way, ...]:
    """d qdd with the way out retraced; or the acceleration, d tau and D there, and the solution of D d qdd = -d tau."""
    tables = tuple((name, arm.n**2) for name, _ in (torques.results[2], *torques.results[:2]))
    solution = Function("solved", tables, derivatives.results, partial(_built, arm, None, solved), label=arm.name)
    retraced = ((_lean(arm, derivatives, accelerations_retraced),),) if links_alone(arm) else ()
    return *retraced, (accelerations, torques, solution)


def _lean(arm: ArmDescription, template: Function, build: Callable[[GraphModel], Tables]) -> Function:
    """The same function, built otherwise."""
    return Function(
        build.__name__,
        template.arguments,
        template.results,
        partial(_built, arm, template.parameters.kind, build),
        label=template.label,
        parameters=template.parameters,
    )


def _built(arm: ArmDescription, parameters: str | None, build: Callable[[GraphModel], Tables]) -> Tables:
    return build(GraphModel(arm, Graph(), parameters))


def torques_retraced(m: GraphModel) -> Tables:
    """d tau/dq, d tau/dqd and D by composite bodies, with the motion of none kept for the way back."""
    moving = motion(m.plane, m.graph, m.input("q"), m.input("qd"), m.input("qdd"), partial(_plain, m))
    return *pair_products(moving, moving.loads()), mass_matrix(moving, moving.loads())


def accelerations_retraced(m: GraphModel) -> Tables:
    """d qdd = -D^-1 d tau, with d tau as above."""
    return forward_dynamics_derivatives(m, _slopes_retraced)


def _slopes_retraced(m: GraphModel, q: Sequence[Node], qd: Sequence[Node], qdd: Sequence[Scalar]) -> Slopes:
    moving = motion(m.plane, m.graph, q, qd, qdd, partial(_plain, m))
    return pair_products(moving, moving.loads())


def _plain(m: GraphModel, x: Scalar) -> bool:
    """Whether a number is a constant, which takes no register."""
    return m.graph.node(x).op == CONST


def solved(m: GraphModel) -> Tables:
    """d qdd = -D^-1 d tau."""
    n = m.n

    def table(name: str) -> list[list[Node]]:
        nodes = m.graph.inputs(f"{name}_", n * n)
        return [nodes[n * i : n * (i + 1)] for i in range(n)]

    factors = m.system.factored(m.graph, table("tau_qdd"))

    def answer(rhs: Sequence[Sequence[Scalar]]) -> Table:
        columns = [m.system.solved(factors, [sub(0, row[k]) for row in rhs]) for k in range(n)]
        return [[columns[k][i] for k in range(n)] for i in range(n)]

    units = [[-int(i == k) for k in range(n)] for i in range(n)]
    return answer(table("tau_q")), answer(table("tau_qd")), answer(units)
