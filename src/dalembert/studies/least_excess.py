"""The design that exceeds its limits least: where a search may begin when it has found none that keeps them.

The limits g_k(x) <= 0, each a share of what is allowed, as a minimax of their own: the least s with g_k(x) <= s for
all k. An optimizer of an objective within limits that contradict each other about its start stops anywhere; this one
is never without a point that is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .optimum_terms import ImpossibleDesign, Pieces

Array = NDArray[np.float64]
LEAST_REACH = 1e-9
"""A cube of this share of the factors' widths is a point."""


def least_excess(limits: Sequence[Callable[[Array], Pieces]], low: Array, wide: Array, start: Array) -> Array:
    """The point of the unit cube, near ``start``, whose design ``low + wide u`` exceeds the limits least."""
    reach = 1.0
    while reach > LEAST_REACH:
        try:
            return _within(limits, low, wide, start, reach)
        except ImpossibleDesign:  # a step met a design that cannot be
            reach /= 4
    return start


def _within(limits: Sequence[Callable[[Array], Pieces]], low: Array, wide: Array, start: Array, reach: float) -> Array:
    """The least s above all limits, no farther from ``start`` than ``reach``."""
    from scipy.optimize import minimize

    def constraint(limit: Callable[[Array], Pieces]) -> dict[str, Any]:
        def below(z: Array) -> Array:
            return np.asarray(z[-1] - limit(low + wide * z[:-1])[0])

        def slope(z: Array) -> Array:
            slopes = limit(low + wide * z[:-1])[1] * wide
            return np.hstack([-slopes, np.ones((len(slopes), 1))])

        return {"type": "ineq", "fun": below, "jac": slope}

    to_s = np.append(np.zeros(len(start)), 1.0)
    worst = max(float(limit(low + wide * start)[0].max()) for limit in limits)
    solution = minimize(
        lambda z: z[-1], np.append(start, worst), jac=lambda z: to_s, method="SLSQP",
        bounds=[*((max(0.0, u - reach), min(1.0, u + reach)) for u in start), (None, None)],
        constraints=[constraint(limit) for limit in limits],
        options={"maxiter": 200, "ftol": 1e-12},
    )  # fmt: skip
    return np.clip(solution.x[:-1], 0, 1)
