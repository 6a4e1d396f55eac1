"""The equations of motion as coefficients: tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..rings.algebra import add, dot, matvec, mul
from ..rings.ring import Scalar

Christoffel: TypeAlias = list[list[list[Scalar]]]
"""``[i][j][k]``: the effect on joint i of the velocities of j and k, symmetric in j and k."""


def centrifugal(symbols: Christoffel, qd: Sequence[Scalar]) -> list[Scalar]:
    """sum_j C_ijj qd_j^2."""
    squares = [mul(v, v) for v in qd]
    return [dot([table[j][j] for j in range(len(qd))], squares) for table in symbols]


def coriolis(symbols: Christoffel, qd: Sequence[Scalar]) -> list[Scalar]:
    """sum over pairs j < k of 2 C_ijk qd_j qd_k."""
    n = len(qd)
    pairs = [(j, k, mul(qd[j], qd[k])) for j in range(n) for k in range(j + 1, n)]
    return [
        dot([add(table[j][k], table[j][k]) for j, k, _ in pairs], [pair for *_, pair in pairs]) for table in symbols
    ]


def torque(
    matrix: Sequence[Sequence[Scalar]],
    symbols: Christoffel,
    gravity: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
) -> list[Scalar]:
    """tau from its coefficients."""
    parts = (matvec(matrix, qdd), centrifugal(symbols, qd), coriolis(symbols, qd), gravity)
    return [add(add(a, b), add(c, d)) for a, b, c, d in zip(*parts, strict=True)]
