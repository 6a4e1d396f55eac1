"""D = L^T diag(d) L for a positive definite matrix over a field, sparse where the arm branches.

Featherstone 2008, section 6.5: eliminating from the tips inward, L_ij is zero unless joint j carries body i, so
nothing is filled in. The inverse and the solution of D x = b follow without square roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..rings.algebra import mul, sub
from ..rings.ring import Field, Scalar


class Paths(Protocol):
    """What the factorization needs of a chain: the number of joints, and which of them move each body."""

    @property
    def n(self) -> int:
        """Number of joints."""
        ...

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For each body, the joints that move it: from the base out to its own."""
        ...


class DensePaths:
    """The paths of a full matrix: every joint before k is on the path of k.

    Such are the matrices of chains without branches, and of joints that rotors, followers or loops couple across them.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.paths = tuple(tuple(range(k + 1)) for k in range(n))


def factor(chain: Paths, field: Field, matrix: Sequence[Sequence[Scalar]]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L (unit lower triangular, entries at [i][j] for j on the path of i) and the inverses of the pivots."""
    work = [list(row) for row in matrix]
    inverse: list[Scalar] = [0] * chain.n
    lower: list[list[Scalar]] = [[0] * chain.n for _ in range(chain.n)]
    for k in reversed(range(chain.n)):
        inverse[k] = field.divide(1, work[k][k])
        path = chain.paths[k][:-1]
        for i in reversed(path):
            multiplier = mul(work[k][i], inverse[k])
            lower[k][i] = multiplier
            for j in path:
                if j <= i:
                    work[i][j] = sub(work[i][j], mul(multiplier, work[k][j]))
    return lower, inverse


def solve(
    chain: Paths, lower: Sequence[Sequence[Scalar]], inverse: Sequence[Scalar], right: Sequence[Scalar]
) -> list[Scalar]:
    """x with D x = right."""
    x = list(right)
    for k in reversed(range(chain.n)):
        for i in chain.paths[k][:-1]:
            x[i] = sub(x[i], mul(lower[k][i], x[k]))
    x = [mul(value, pivot) for value, pivot in zip(x, inverse, strict=True)]
    for k in range(chain.n):
        for i in chain.paths[k][:-1]:
            x[k] = sub(x[k], mul(lower[k][i], x[i]))
    return x


def inverse_matrix(chain: Paths, field: Field, matrix: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The inverse of D, symmetric."""
    lower, pivots = factor(chain, field, matrix)
    rows = [solve(chain, lower, pivots, [int(i == k) for i in range(chain.n)]) for k in range(chain.n)]
    return [[rows[max(i, j)][min(i, j)] for j in range(chain.n)] for i in range(chain.n)]
