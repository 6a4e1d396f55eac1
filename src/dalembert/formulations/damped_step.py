"""One step of damped least squares towards a pose, over any field (Wampler 1986; Sugihara 2011, eq. 11).

    (J^T W J + diag(d)) dq = J^T W e + d z

e is the error of the pose in base axes, linear, then angular; W weighs it, d are the dampings. z is what else is wanted
of the joints: with d small it passes in the null space of J alone, since (J^T W J + d)^-1 d is then its projector. A
joint that stands at a limit and is pushed beyond it takes no part: its row and column are left out (Bertsekas 1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..rings.algebra import add, dot, mul, sub
from ..rings.ring import Field, Scalar
from .factor import Paths, factor, solve

Table = list[list[Scalar]]
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Where the six numbers of a symmetric 3x3 block of W stand."""


def weighed(block: Sequence[Scalar], rows: Table) -> Table:
    """A symmetric 3x3 block, given by its six numbers, times three rows."""
    full: Table = [[0] * 3 for _ in range(3)]
    for value, (i, j) in zip(block, PAIRS, strict=True):
        full[i][j] = full[j][i] = value
    columns = list(zip(*rows, strict=True))
    return [[dot(line, column) for column in columns] for line in full]


def damped_step(
    paths: Paths,
    field: Field,
    jacobian: Table,
    error: Sequence[Scalar],
    weight: Sequence[Scalar],
    damping: Sequence[Scalar],
    secondary: Sequence[Scalar],
    edge: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """dq, and for each joint 1 where it is free and 0 where a limit holds it.

    ``weight`` are the six numbers of the block of W for the position, then those for the rotation; ``edge`` is 1 for a
    joint at its upper limit, -1 at its lower one, else 0.
    """
    n = len(damping)
    pulled = [*weighed(weight[:6], jacobian[:3]), *weighed(weight[6:], jacobian[3:])]
    columns, weights = list(zip(*jacobian, strict=True)), list(zip(*pulled, strict=True))
    push = [add(dot(weights[j], error), mul(damping[j], secondary[j])) for j in range(n)]
    half = field.number(Fraction(1, 2))
    free = []
    for j in range(n):
        # edge^2 (1 + edge sign(push)) / 2 is 1 where it is pushed beyond the limit at which it stands
        beyond = mul(half, add(mul(edge[j], edge[j]), mul(edge[j], field.sign(push[j]))))
        free.append(sub(1, beyond))
    matrix: Table = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            entry = mul(mul(free[i], free[j]), dot(columns[i], weights[j]))
            matrix[i][j] = matrix[j][i] = add(entry, damping[i]) if i == j else entry
    step = solve(paths, *factor(paths, field, matrix), [mul(f, p) for f, p in zip(free, push, strict=True)])
    return step, free
