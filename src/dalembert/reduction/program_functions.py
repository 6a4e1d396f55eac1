"""The functions of a reduced model as graphs: inertia, bias, gravity load and acceleration from its torques.

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
from ..rings.algebra import add, mul, sub
from ..rings.dual import Duals, slope_of, value_of
from ..rings.graph import Graph, evaluate
from ..rings.ring import Scalar
from .hoist import Hoisted

ARGUMENTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "gravity_load": ("q",),
    "bias": ("q", "qd"),
}


def function_of(system: ArmDescription, program: Hoisted, values: Mapping[str, Fraction], name: str) -> Function:
    """One function of a program with these constants, the friction of the drives in it where they count."""
    if name not in ARGUMENTS:
        raise ArmError(f"a reduced model has no function {name!r}; it has {', '.join(ARGUMENTS)}")
    entry, n = FUNCTIONS[name], system.n
    return Function(
        name,
        tuple((argument, n) for argument in entry.arguments),
        tuple((result, size(n)) for result, size in entry.results),
        partial(_tables, system, program, dict(values), name),
        label=f"{system.name}_reduced",
        joints=tuple(f"{joint.name} ({joint.kind})" for joint in system.moving),
        remarks=("A reduced model: its torques differ from the exact ones by a proved error.", *remarks(system, None)),
    )


def _tables(system: ArmDescription, program: Hoisted, values: Mapping[str, Fraction], name: str) -> Tables:
    n, graph = system.n, Graph()
    vectors = {part: graph.inputs(f"{part}_", n) for part in ARGUMENTS[name]}
    still: list[Scalar] = [0] * n
    q, qd = vectors["q"], vectors.get("qd", still)
    constants: dict[str, Any] = {key: graph.number(value) for key, value in values.items()}
    whole = SystemOverRing(system, graph)
    if name in ("mass_matrix", "forward_dynamics"):
        duals = Duals(graph)
        moved = [duals.variable(0, j) for j in range(n)]
        torque = evaluate(program.outputs, constants | named(q, qd, moved), duals)
        matrix = [[slope_of(t, j) for j in range(n)] for t in torque]
        if name == "mass_matrix":
            return (matrix,)
        bias = [add(value_of(t), f) for t, f in zip(torque, whole.friction(graph, q, qd, still), strict=True)]
        return (solved(matrix, [sub(t, b) for t, b in zip(vectors["tau"], bias, strict=True)], graph),)
    qdd = vectors.get("qdd", still)
    torque = evaluate(program.outputs, constants | named(q, qd, qdd), graph)
    friction = whole.friction(graph, q, qd, qdd) if name != "gravity_load" else still
    return ([add(t, f) for t, f in zip(torque, friction, strict=True)],)


def named(q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, Any]:
    """The inputs q_i, qd_i and qdd_i of a program by name, joints counted from 0."""
    return {f"{name}_{i}": value for name, part in (("q", q), ("qd", qd), ("qdd", qdd)) for i, value in enumerate(part)}


def solved(matrix: list[list[Scalar]], right: list[Scalar], graph: Graph) -> list[Scalar]:
    """The solution of matrix x = right, from the last unknown, as factors of arms fill least."""
    n = len(right)
    rows, side = [list(row) for row in matrix], list(right)
    inverse: list[Scalar] = [0] * n
    for k in reversed(range(n)):
        if graph.node(rows[k][k]) is graph.constant(0):
            raise ArmError(
                f"the reduced model leaves joint {k + 1} no inertia of its own, so that torques do not say how it "
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
