"""The largest torque error at one position over all speeds and accelerations (docs/proofs.md, step 4 of grids)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from .exact_dynamics import Key
from .grids import ROOM, Floats, Measure, magnitudes

MOST_SPEEDS, AT_ONCE = 7, 500
"""Most joints whose speeds have signs told apart; positions that are looked at together."""


def largest_error(keys: Sequence[Key]) -> Measure:
    """Bounds of |sum_k y_k w_k| over all states, w_k the errors of the coefficients ``keys`` at the largest states.

    D has factors y between -1 and 1 of its own. Those of the others are powers of speeds |x_j| <= 1: what is left is
    g + sum_j c_j x_j^2 + sum_jk p_jk x_j x_k, of G, C_jj and C_jk, or its negative. It is no more than

    - g + sum_j max(0, c_j) + max over x_j = -1, 1 of sum p_jk x_j x_k (*corners*): the last sum is affine in each x_j;
    - the largest value over x_j = -1, 0, 1, x_t anywhere, and sum |c_j|/4 over those c_j < 0, j != t (*knots*): with
      the best x_t, the rest is convex in x_j >= 0 and in x_j <= 0 once -x^2 <= 1/4 - |x| is used.
    """
    moving = sorted({j for kind, _, *joints in keys for j in joints if kind == "C"})
    if len(moving) > MOST_SPEEDS:
        return magnitudes
    speeds = [[moving.index(j) for j in joints] if kind == "C" else [] for kind, _, *joints in keys]
    free = [at for at, key in enumerate(keys) if key[0] == "D"]
    square_of = {pair[0]: at for at, pair in enumerate(speeds) if pair and pair[0] == pair[1]}

    def factors(x: Floats) -> Floats:
        """y of every key but those of D (rows) for speeds x (columns)."""
        y = [np.prod(x[pair], axis=0) * (kind != "D") for (kind, *_), pair in zip(keys, speeds, strict=True)]
        return np.array(y).reshape(len(keys), x.shape[1])

    def grid_of(*ends: float) -> Floats:
        """All speeds at one of the ends (columns); -x has the same products as x and is left out."""
        x = np.array(list(product(ends, repeat=len(moving)))).T
        return x[:, : (x.shape[1] + 1) // 2]

    at_corners = factors(grid_of(-1.0, 1.0))
    at_corners[list(square_of.values())] = 0
    knots = grid_of(-1.0, 0.0, 1.0)
    at_knots = {}
    for t in square_of:
        x, ahead = knots[:, knots[t] == 0], np.zeros_like(knots[:, knots[t] == 0])
        ahead[t] = 1
        # what multiplies x_t: the difference of the products at x_t = 1 and at 0, less the square
        slopes = factors(x + ahead) - factors(x)
        slopes[square_of[t]] = 0
        at_knots[t] = factors(x), slopes

    def by_corners(w: Floats) -> Floats:
        return np.asarray(np.maximum(w[:, list(square_of.values())], 0).sum(axis=1) + (w @ at_corners).max(axis=1))

    def by_knots(w: Floats) -> Floats:
        """With t the joint of the least square, if it is below zero."""
        joints = list(square_of)
        squares = w[:, [square_of[j] for j in joints]]
        below, bounds = np.maximum(-squares, 0).sum(axis=1) / 4, np.full(len(w), np.inf)
        for at in np.unique(squares.argmin(axis=1)).tolist() if joints else ():
            rows = np.flatnonzero((squares.argmin(axis=1) == at) & (squares[:, at] < 0))
            c = squares[rows, at, None]
            flat, slope = w[rows] @ at_knots[joints[at]][0], np.abs(w[rows] @ at_knots[joints[at]][1])
            top = np.where(slope >= -2 * c, slope + c, slope * (slope / (-4 * c)))
            bounds[rows] = below[rows] + c[:, 0] / 4 + (flat + top).max(axis=1, initial=-np.inf)
        return bounds

    def either_sign(w: Floats, knots: bool) -> Floats:
        signs = (s * w for s in (1.0, -1.0))
        return np.maximum(*(np.minimum(by_corners(s), by_knots(s)) if knots else by_corners(s) for s in signs))

    def measure(values: Floats, limits: Floats) -> Floats:
        bounds = magnitudes(values, limits)
        exceeding = np.flatnonzero(~(bounds <= limits))
        for rows in (exceeding[begin : begin + AT_ONCE] for begin in range(0, len(exceeding), AT_ONCE)):
            w = values[rows]
            free_part, signed = np.abs(w[:, free]).sum(axis=1) + 2.0**-40 * bounds[rows], either_sign(w, False)
            remaining = np.flatnonzero(~(ROOM * (free_part + signed) <= limits[rows]))
            signed[remaining] = either_sign(w[remaining], True)
            bounds[rows] = np.minimum(bounds[rows], ROOM * (free_part + signed))
        return bounds

    return measure
