"""The least peak of several functions over a cube, a minimax problem in its epigraph form.

    least s   with f_k(u) <= s for all k,   g_l(u) <= 0 for all l,   u in the unit cube and within a reach of the start

Gradients of a peak jump where another function becomes the largest; those of its pieces are smooth, and so the
optimizer (SLSQP, Kraft 1988) sees smooth functions only. A step that meets a design which cannot be is taken again
within a smaller cube.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .optimum_terms import ImpossibleDesign, Pieces

Array = NDArray[np.float64]
Function = Callable[[Array], Pieces]
"""Values of several functions at a point of the cube, and their gradients to it."""
STILL = 1e-9
"""A step of this share of the cube is none."""


class LeastPeak(NamedTuple):
    """Where the peak is least, what it is there, whether no step betters it, and how far the cube reached."""

    at: Array
    peak: float
    met: bool
    reach: float


def least_peak(functions: Sequence[Function], limits: Sequence[Function], start: Array) -> LeastPeak:
    """The least peak of ``functions`` within ``limits``, in the widest cube in which no step meets what cannot be."""
    reach = 1.0
    while reach > STILL:
        try:
            return _within(functions, limits, start, reach)
        except ImpossibleDesign:
            reach /= 4
    return LeastPeak(start, _peak(functions, start), False, reach)


def _peak(functions: Sequence[Function], at: Array) -> float:
    return max(float(function(at)[0].max()) for function in functions)


def _within(functions: Sequence[Function], limits: Sequence[Function], start: Array, reach: float) -> LeastPeak:
    """The least s, no farther from ``start`` than ``reach``; the unknowns are z = (u, s)."""
    from scipy.optimize import minimize

    to_s = np.append(np.zeros(len(start)), 1.0)
    solution = minimize(
        lambda z: z[-1], np.append(start, _peak(functions, start)), jac=lambda z: to_s, method="SLSQP",
        bounds=[*((max(0.0, u - reach), min(1.0, u + reach)) for u in start), (None, None)],
        constraints=[*(_below(function, 1.0) for function in functions), *(_below(limit, 0.0) for limit in limits)],
        options={"maxiter": 200, "ftol": 1e-12},
    )  # fmt: skip
    # Status 8: no direction leads down any more, which rounding makes of an optimum.
    met = bool(solution.success) or solution.status == 8
    at = np.clip(solution.x[:-1], 0, 1)
    at = np.where(at < STILL, 0.0, np.where(at > 1 - STILL, 1.0, at))  # an end is met as it is, not but for rounding
    return LeastPeak(at, float(solution.x[-1]), met, reach)


def _below(function: Function, share: float) -> dict[str, Any]:
    """The constraint f(u) <= ``share`` s."""

    def slack(z: Array) -> Array:
        return np.asarray(share * z[-1] - function(z[:-1])[0])

    def slope(z: Array) -> Array:
        slopes = function(z[:-1])[1]
        return np.hstack([-slopes, np.full((len(slopes), 1), share)])

    return {"type": "ineq", "fun": slack, "jac": slope}
