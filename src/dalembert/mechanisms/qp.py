"""Small convex quadratic programs, exactly: least distance by non-negative least squares.

    minimise (x - x0)^T W (x - x0)   subject to   E x = e,   A x >= b

The equations are eliminated by their free directions, which leaves the shortest vector that satisfies inequalities:
the least distance problem (Lawson and Hanson 1974, ch. 23), solved through SciPy's NNLS. That is an active-set method:
it ends after finitely many steps at the exact minimum, so equations hold to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from ..arm.errors import ArmError
from ..systems.arrays import vector_array
from .batch import Array

RANK = 1e-11


class Infeasible(ArmError):
    """No point satisfies the equations and the inequalities."""


def weight_array(weight: ArrayLike | None, n: int, what: str) -> Array | None:
    """A weight ``(n, n)``, one row per ``what``; None for the identity."""
    if weight is None:
        return None
    matrix = vector_array(n, "the weight", weight, what)
    if matrix.shape != (n, n):
        raise ArmError(f"the weight must be a matrix ({n}, {n}), one row per {what}; got shape {matrix.shape}")
    return matrix


def minimiser(
    weight: Array | None,
    centre: Array,
    equations: tuple[Array, Array] | None = None,
    inequalities: tuple[Array, Array] | None = None,
) -> Array:
    """The minimiser; ``weight`` is symmetric and positive definite, the identity by default."""
    n = len(centre)
    factor = np.eye(n) if weight is None else _factor(np.asarray(weight, dtype=float))
    to_x = solve_triangular(factor, np.eye(n))  # x = centre + back y, and the length of y is to be least
    start, free = np.zeros(n), np.eye(n)
    if equations is not None and len(equations[1]):
        e, right = equations
        g = e @ to_x
        u, s, vh = np.linalg.svd(g)
        rank = int((s > RANK * max(s[0], 1e-300)).sum()) if len(s) else 0
        right_side = right - e @ centre
        start = vh[:rank].T @ ((u[:, :rank].T @ right_side) / s[:rank])
        free = vh[rank:].T
        misfit = np.abs(g @ start - right_side).max()
        if misfit > 1e-8 * (1 + np.abs(right_side).max()):
            raise Infeasible(f"the equations contradict each other: the best point misses them by {misfit:.3g}")
    y = start
    if inequalities is not None and len(inequalities[1]):
        a, b = inequalities
        finite = np.isfinite(b)
        a, b = a[finite] @ to_x, b[finite] - a[finite] @ centre
        y = start + free @ _shortest(a @ free, b - a @ start)
    return centre + to_x @ y


def _factor(weight: Array) -> Array:
    try:
        return cholesky(weight)
    except np.linalg.LinAlgError:
        raise ArmError("the weight must be symmetric and positive definite; give one") from None


def _shortest(a: Array, b: Array) -> Array:
    """The shortest z with a z >= b."""
    if not (b > 0).any():
        return np.zeros(a.shape[1])
    size = np.maximum(np.linalg.norm(a, axis=1), 1e-300)
    dead = size < 1e-13
    if (b[dead] > 1e-9).any():
        raise Infeasible("an inequality cannot be satisfied: nothing that is free changes its left side")
    a, b = (a / size[:, None])[~dead], (b / size)[~dead]
    scale = max(float(np.abs(b).max()), 1e-300)
    table = np.vstack([a.T, b / scale])
    target = np.zeros(len(table))
    target[-1] = 1.0
    weights, _ = nnls(table, target, maxiter=50 * table.shape[1])
    residual = table @ weights - target
    if -residual[-1] < 1e-12:
        raise Infeasible("the inequalities contradict each other")
    return scale * (residual[:-1] / -residual[-1])
