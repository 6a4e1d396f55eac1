"""Physically consistent parameters: each link a body that could be built, by linear matrix inequalities.

The pseudo-inertia of a body, [[tr(I)/2 1 - I, m c], [m c', m]] with I about the frame of its link, is positive definite
for every distribution of positive mass (Wensing, Kim and Slotine 2018). It is linear in the ten parameters, so

    minimise (x - b)' P (x - b) + (x - x_0)' R (x - x_0)   with every pseudo-inertia at least e times its size

is a semidefinite programme. P comes from the data, R from a description of the arm: it is so small that it decides only
what the data leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..arm.errors import ArmError
from .log import Array

DEFINITE = 1e-6
"""Least eigenvalue of a pseudo-inertia, in units of its own size."""
SILENT = 1e-14
"""Share of the largest curvature of the objective below which it is taken for this."""
STEPS = 0.99, 0.9, 0.7
"""Shares of the way to the boundary of the cones that the interior-point method goes in a step.

Where the longest lead it round in a circle, shorter ones are tried."""
MASS, MOMENT, TENSOR = 0, slice(1, 4), slice(4, 10)


def pseudo_inertia(parameters: Array) -> Array:
    """The 4 by 4 pseudo-inertia of m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
    m, (mx, my, mz), (xx, xy, xz, yy, yz, zz) = parameters[MASS], parameters[MOMENT], parameters[TENSOR]
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, mx], [-xy, half - yy, -yz, my], [-xz, -yz, half - zz, mz], [mx, my, mz, m]])


def parameter_sizes(mass: float, length: float) -> Array:
    """What the ten parameters of a body of this mass (kg) and length (m) may amount to."""
    return mass * length ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2], dtype=float)


def consistent(
    quadratic: Array, linear: Array, bodies: int, sizes: Sequence[tuple[float, float]], positive: Sequence[int]
) -> Array:
    """x that minimises x' P x / 2 - b' x, the pseudo-inertia of each body definite, ``positive`` entries not negative.

    ``sizes`` are a mass (kg) and a length (m) for each body, in which its entries are measured.
    """
    clarabel = _clarabel()
    count = len(linear)
    unit = np.ones(count)
    rows: list[Array] = []
    bounds: list[Array] = []
    cones: list[Any] = []
    for body, (mass, length) in enumerate(sizes):
        unit[10 * body : 10 * body + 10] = parameter_sizes(mass, length)
    scales = np.sqrt(np.maximum(np.diag(quadratic), 1e-300))
    unit[10 * bodies :] = 1.0 / scales[10 * bodies :]
    if len(positive):
        selection = np.zeros((len(positive), count))
        selection[np.arange(len(positive)), list(positive)] = -1.0
        rows.append(selection)
        bounds.append(np.zeros(len(positive)))
        cones.append(clarabel.NonnegativeConeT(len(positive)))
    basis = np.stack([_triangle(pseudo_inertia(column)) for column in np.eye(10)], axis=1)
    for body in range(bodies):
        block = np.zeros((10, count))
        block[:, 10 * body : 10 * body + 10] = -basis
        rows.append(block)
        bounds.append(-_triangle(DEFINITE * np.eye(4)))
        cones.append(clarabel.PSDTriangleConeT(4))
    # From the unconstrained optimum, in units of its errors, the objective is y'y / 2: as well conditioned as can be.
    values, vectors = np.linalg.eigh(quadratic * np.outer(unit, unit))
    values = np.maximum(values, SILENT * values[-1])
    free = vectors @ ((vectors.T @ (linear * unit)) / values)
    whitened = vectors / np.sqrt(values)
    matrix = np.vstack(rows)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for settings.max_step_fraction in STEPS:
        solution = clarabel.DefaultSolver(
            sparse.identity(count, format="csc"),
            np.zeros(count),
            sparse.csc_matrix(matrix @ whitened),
            np.concatenate(bounds) - matrix @ free,
            cones,
            settings,
        ).solve()
        if str(solution.status) in ("Solved", "AlmostSolved"):
            return (free + whitened @ np.asarray(solution.x)) * unit
    raise ArmError(f"physically consistent parameters were not found: the solver says {solution.status}")


def _triangle(matrix: Array) -> Array:
    """The upper triangle by columns, entries beside the diagonal times the root of two, as the solver wants it."""
    return np.array([matrix[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(4) for i in range(j + 1)])


def _clarabel() -> Any:
    try:
        import clarabel  # type: ignore[import-untyped]
    except ImportError:
        raise ArmError(
            "physically consistent parameters need the solver clarabel; install dalembert[identify], or ask for "
            'method="least squares"'
        ) from None
    return clarabel
