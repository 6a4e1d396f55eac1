"""Exhaustive search of smaller subsets of terms, so that the result does not depend on greedy elimination.

A subset can be ruled out without a linear program: its minimax error on the sample is at least the weighted root mean
square error of its weighted least-squares fit, for any weights. Equal weights rule out most subsets, all at once; the
weights of Lawson 1961 (each multiplied by the error at its position, repeatedly) bring the bound near the minimax error
itself. The few remaining subsets are fitted and proved.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from ...bounds.waves import Array, Whole
from .fitting import Fit, Fitting

MOST_SETS = 20_000
"""Most subsets that are enumerated."""
MOST_WEIGHTED = 2_000
"""Most subsets that get Lawson's bound."""
MOST_FITTED = 12
"""Most subsets that are fitted and proved."""
PASSES = 16
"""Updates of Lawson's weights."""
AT_ONCE = 200
"""Subsets processed in one batch."""
PASSED = 1.0005
"""A subset whose bound is at most this multiple of the limit is kept, so that rounding rules nothing out."""


def fewest(fitting: Fitting, fit: Fit) -> tuple[Fit, bool]:
    """The form with the fewest terms found below ``fit``, and whether it is certain that no fewer suffice."""
    while fit.kept:
        rows, complete = smaller(len(fitting), fit.kept, round(fitting.effort * MOST_SETS))
        smaller_fit, certain = first(fitting, rows)
        if smaller_fit is None:
            return fit, complete and certain
        fit = smaller_fit
    return fit, True


def smaller(terms: int, present: list[int], limit: int = MOST_SETS) -> tuple[Whole, bool]:
    """Subsets with one term fewer, one a row: all of them (True), or those with two terms exchanged for one other.

    At most ``limit`` of them; none, and False, where there are more.
    """
    size = len(present) - 1
    if math.comb(terms, size) <= limit:
        subsets = itertools.combinations(range(terms), size)
        return np.array(list(subsets), np.int64).reshape(math.comb(terms, size), size), True
    outside = [row for row in range(terms) if row not in set(present)]
    if math.comb(size + 1, 2) * len(outside) > limit:
        return np.zeros((0, size), np.int64), False
    exchanged = [
        sorted([row for row in present if row not in pair] + [incoming])
        for pair in itertools.combinations(present, 2)
        for incoming in outside
    ]
    return np.array(exchanged, np.int64).reshape(len(exchanged), size), False


def first(fitting: Fitting, rows: Whole) -> tuple[Fit | None, bool]:
    """The first of these subsets that is proved; if there is none, whether all of them are certain to fail."""
    bounds = equal_weights(fitting, rows)
    rows = rows[np.argsort(bounds, kind="stable")][: int((bounds <= PASSED).sum())]
    weighted, fitted = round(fitting.effort * MOST_WEIGHTED), max(1, round(fitting.effort * MOST_FITTED))
    certain = len(rows) <= weighted
    rows = rows[:weighted]
    bounds = np.concatenate(
        [lawson(fitting, rows[start : start + AT_ONCE]) for start in range(0, len(rows), AT_ONCE)] or [np.zeros(0)]
    )
    rows = rows[np.argsort(bounds, kind="stable")][: int((bounds <= PASSED).sum())]
    certain &= len(rows) <= fitted
    for row in rows[:fitted]:
        fit = fitting.settled([int(x) for x in row])
        if fit is not None and fit.within:
            return fit, True
        certain &= fit is None
    return None, certain


def equal_weights(fitting: Fitting, rows: Whole) -> Array:
    """Root mean square error over the limit, for all loads together, of each subset with fitted constants.

    With H = A'A the squared error is x'H x, where x holds the exact constants of the terms outside a subset, and minus
    the shifts of the constants for those inside.
    """
    sizes, inverse = np.abs(fitting.table).max(axis=0), 1 / fitting.limits
    scaled = fitting.table / sizes
    gram = scaled.T @ scaled
    outside = np.ones((len(rows), len(fitting)))
    np.put_along_axis(outside, rows, 0.0, axis=1)
    removed = outside[:, :, None] * (fitting.values * sizes[:, None] * inverse)[None]
    gradient = gram @ removed
    square = np.einsum("bnv,bnv->b", removed, gradient)
    if rows.shape[1]:
        rhs = np.take_along_axis(gradient @ inverse, rows, axis=1)
        left = gram[rows[:, :, None], rows[:, None, :]] * (inverse @ inverse)
        square = square - np.einsum("bk,bk->b", rhs, solved(left, rhs))
    return np.sqrt(np.maximum(square, 0) / (len(scaled) * len(inverse)))


def lawson(fitting: Fitting, rows: Whole) -> Array:
    """Lower bounds of the minimax error over the limit, by Lawson's iteratively reweighted least squares."""
    inverse = 1 / fitting.limits
    exact = fitting.table @ fitting.values
    a = np.moveaxis(fitting.table[:, rows], 0, 1)
    error = (exact[None] - np.einsum("bik,bkv->biv", a, fitting.values[rows])) * inverse
    a = a / np.maximum(np.abs(a).max(axis=1, keepdims=True), 1e-300)
    weight = np.full(error.shape, 1 / (error.shape[1] * error.shape[2]))
    best = np.zeros(len(rows))
    for _ in range(PASSES):
        residual = error
        if rows.shape[1]:
            gram = np.einsum("bik,bi,bil->bkl", a, weight @ inverse**2, a, optimize=True)
            rhs = np.einsum("bik,bi->bk", a, (weight * error) @ inverse)
            residual = error - np.einsum("bik,bk->bi", a, solved(gram, rhs))[:, :, None] * inverse
        best = np.maximum(best, np.sqrt((weight * residual**2).sum(axis=(1, 2))))
        weight = weight * np.abs(residual)
        weight /= np.maximum(weight.sum(axis=(1, 2), keepdims=True), 1e-300)
    return best


def solved(gram: Array, rhs: Array) -> NDArray[np.float64]:
    """Regularised least squares for many subsets at once; dependent terms get one of their many solutions."""
    size = gram.shape[-1]
    regularisation = 1e-12 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(size) + 1e-300 * np.eye(size)
    return np.asarray(np.linalg.solve(gram + regularisation, rhs[..., None])[..., 0])
