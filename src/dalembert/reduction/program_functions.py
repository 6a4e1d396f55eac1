"""The functions of a reduced model as graphs: what its torques say of inertia, bias, gravity and acceleration.

The torques are affine in the accelerations, so D is their slope; accelerations follow by elimination without exchange
of rows, which a matrix near a symmetric positive one does not need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..arm.errors import ArmError
from ..compile.functions import Function
from ..rings.algebra import add, mul, sub
from ..rings.dual import Duals, slope_of, value_of
from ..rings.graph import Graph, absorbed, evaluate
from ..rings.ring import Scalar
from .hoist import Hoisted

ARGUMENTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "gravity_load": ("q",),
    "bias": ("q", "qd"),
}


def function_of(program: Hoisted, values: Mapping[str, Fraction], name: str) -> Function:
    """One function of a program with these constants."""
    if name not in ARGUMENTS:
        raise ArmError(f"a reduced model has no function {name!r}; it has {', '.join(ARGUMENTS)}")
    n, graph = len(program.outputs), Graph()
    given = {part: graph.inputs(f"{part}_", n) for part in ARGUMENTS[name]}
    still: list[Scalar] = [0] * n
    q, qd = given["q"], given.get("qd", still)
    constants: dict[str, Any] = {key: graph.number(value) for key, value in values.items()}
    shape: tuple[int, ...] = (n,)
    if name in ("mass_matrix", "forward_dynamics"):
        duals = Duals(graph)
        moved = [duals.variable(0, j) for j in range(n)]
        torque = evaluate(program.outputs, constants | named(q, qd, moved), duals)
        matrix = [[slope_of(t, j) for j in range(n)] for t in torque]
        if name == "mass_matrix":
            shape, found = (n, n), [x for row in matrix for x in row]
        else:
            rest = [sub(t, value_of(x)) for t, x in zip(given["tau"], torque, strict=True)]
            found = solved(matrix, rest, graph)
    else:
        found = evaluate(program.outputs, constants | named(q, qd, given.get("qdd", still)), graph)
    nodes = absorbed(graph, [graph.node(x) for x in found])
    inputs = tuple((part, tuple(f"{part}_{i}" for i in range(n))) for part in ARGUMENTS[name])
    return Function(name, inputs, ((shape, tuple(nodes)),))


def named(q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, Any]:
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
