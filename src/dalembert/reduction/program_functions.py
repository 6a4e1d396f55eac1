"""The functions of a program as graphs: inertia, bias, gravity load, acceleration and slopes from its torques.

The torques are affine in the accelerations, so D is their slope; accelerations follow by elimination without exchange
of rows, which a matrix near a symmetric positive one does not need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..compile.function import Function, Tables
from ..compile.functions import FUNCTIONS, remarks
from ..formulations.system import SystemOverRing
from ..rings.algebra import add, dot, mul, sub
from ..rings.dual import Duals, slope_of
from ..rings.graph import Graph, Node, evaluate
from ..rings.ring import Scalar

OF_PROGRAMS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_mass_matrix",
    "gravity_load",
    "bias",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
"""The functions of ``FUNCTIONS`` that a program has; what asks for frames or motors is asked of the exact system."""


def function_of(
    system: ArmDescription, torques: Sequence[Node], values: Mapping[str, Fraction], name: str, kind: str = "reduced",
    opening_remarks: Sequence[str] = (),
) -> Function:  # fmt: skip
    """One function of a program with these constants, the friction of the drives in it where they count.

    ``kind`` follows the name of the arm, ``opening_remarks`` come before the others.
    """
    if name not in OF_PROGRAMS:
        fed_back = "; a controller adds its feedback to qdd of inverse_dynamics" if name == "computed_torques" else ""
        raise ArmError(f"{system.name}, {kind}, has no function {name!r}; it has {', '.join(OF_PROGRAMS)}{fed_back}")
    entry, n = FUNCTIONS[name], system.n
    return Function(
        name,
        tuple((argument, n) for argument in entry.arguments),
        tuple((result, size(n, n)) for result, size in entry.results),
        partial(_tables, system, list(torques), dict(values), name),
        label=f"{system.name}_{kind.replace(' ', '_')}",
        joints=tuple(f"{joint.name} ({joint.kind})" for joint in system.moving),
        remarks=(*opening_remarks, *remarks(system, None)),
    )


def _tables(system: ArmDescription, torques: Sequence[Node], values: Mapping[str, Fraction], name: str) -> Tables:
    n, graph = system.n, Graph()
    vectors = {argument: graph.inputs(f"{argument}_", n) for argument in FUNCTIONS[name].arguments}
    program = GraphProgram(system, torques, values, graph)
    zero: list[Scalar] = [0] * n
    q, qd, qdd = vectors["q"], vectors.get("qd", zero), vectors.get("qdd", zero)
    if name == "gravity_load":
        return (evaluate(torques, program.constants | named(q, zero, zero), graph),)
    if name in ("inverse_dynamics", "bias"):
        return (program.torque(graph, q, qd, qdd),)
    matrix = program.mass_matrix(q)
    if name == "mass_matrix":
        return (matrix,)
    inverse = [list(row) for row in zip(*_columns(matrix, graph), strict=True)]
    if name == "inverse_mass_matrix":
        return (inverse,)
    if name == "inverse_dynamics_derivatives":
        return (*program.slopes(q, qd, qdd), matrix)
    net = [sub(t, b) for t, b in zip(vectors["tau"], program.torque(graph, q, qd, zero), strict=True)]
    acceleration = solved(matrix, net, graph)
    if name == "forward_dynamics":
        return (acceleration,)
    # d qdd = -D^-1 d tau at the acceleration that these torques give
    answers = [[[sub(0, dot(row, column)) for column in zip(*table, strict=True)] for row in inverse]
               for table in program.slopes(q, qd, acceleration)]  # fmt: skip
    return (*answers, inverse)


class GraphProgram:
    """A program with its constants in place, over the nodes of one graph."""

    def __init__(
        self, system: ArmDescription, torques: Sequence[Node], values: Mapping[str, Fraction], graph: Graph
    ) -> None:
        self.torques, self.graph, self.n = torques, graph, system.n
        self.constants: dict[str, Any] = {key: graph.number(value) for key, value in values.items()}
        self.whole = SystemOverRing(system, graph)

    def torque(self, ring: Any, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """The torques of the program and the friction of the drives; ``ring`` may be dual numbers over the graph."""
        torques = evaluate(self.torques, self.constants | named(q, qd, qdd), ring)
        return [add(t, f) for t, f in zip(torques, self.whole.friction(ring, q, qd, qdd), strict=True)]

    def mass_matrix(self, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """D, the slope of the torques to the accelerations."""
        duals = Duals(self.graph)
        unit_accelerations = [duals.variable(0, j) for j in range(self.n)]
        torque = evaluate(self.torques, self.constants | named(q, [0] * self.n, unit_accelerations), duals)
        return [[slope_of(t, j) for j in range(self.n)] for t in torque]

    def slopes(
        self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
    ) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
        """d tau/dq and d tau/dqd, by dual numbers; Coulomb friction is level off rest."""
        n, duals = self.n, Duals(self.graph)
        x = [duals.variable(value, k) for k, value in enumerate(q)]
        v = [duals.variable(value, n + k) for k, value in enumerate(qd)]
        torques = self.torque(duals, x, v, qdd)
        return (
            [[slope_of(t, k) for k in range(n)] for t in torques],
            [[slope_of(t, n + k) for k in range(n)] for t in torques],
        )


def named(q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, Any]:
    """The inputs q_i, qd_i and qdd_i of a program by name, joints counted from 0."""
    return {
        f"{name}_{i}": value for name, vector in (("q", q), ("qd", qd), ("qdd", qdd)) for i, value in enumerate(vector)
    }


def _columns(matrix: list[list[Scalar]], graph: Graph) -> list[list[Scalar]]:
    """The columns of the inverse."""
    n = len(matrix)
    return [solved(matrix, [int(i == k) for i in range(n)], graph) for k in range(n)]


def solved(matrix: list[list[Scalar]], rhs: list[Scalar], graph: Graph) -> list[Scalar]:
    """The solution of matrix x = rhs, from the last unknown, as factors of arms fill least."""
    n = len(rhs)
    rows, side = [list(row) for row in matrix], list(rhs)
    inverse: list[Scalar] = [0] * n
    for k in reversed(range(n)):
        if graph.node(rows[k][k]) is graph.constant(0):
            raise ArmError(
                f"what was left out leaves joint {k + 1} no inertia of its own, so that torques do not say how it "
                "moves; reduce to a smaller tolerance, or count the drives"
            )
        inverse[k] = graph.inverse(graph.node(rows[k][k]))
        for i in range(k):
            factor = mul(rows[i][k], inverse[k])
            for j in range(k):
                rows[i][j] = sub(rows[i][j], mul(factor, rows[k][j]))
            side[i] = sub(side[i], mul(factor, side[k]))
    x: list[Scalar] = [0] * n
    for k in range(n):
        total: Scalar = 0
        for j in range(k):
            total = add(total, mul(rows[k][j], x[j]))
        x[k] = mul(sub(side[k], total), inverse[k])
    return x
