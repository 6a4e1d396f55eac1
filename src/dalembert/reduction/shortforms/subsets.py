"""Every smaller choice of terms, so that elimination does not have to be right.

A set of terms can be thrown out without a linear program: its largest error on the sample is at least the weighted
root mean square error of its least squares fit, whatever the weights. Equal weights throw out most sets, all sets at
once; Lawson's weights (each multiplied by the error at its position, again and again) bring the bound near the
least largest error itself. The few sets left are fitted and proved.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from ...bounds.waves import Array, Whole
from .fitting import Fit, Fitting

MOST_SETS = 20_000
MOST_WEIGHTED = 2_000
MOST_FITTED = 12
PASSES = 16
AT_ONCE = 200
PASSED = 1.0005
"""Bounds over the limit up to which a set stays in: rounding throws nothing out."""


def fewest(fitting: Fitting, fit: Fit) -> tuple[Fit, bool]:
    """The form with the fewest terms found below ``fit``, and whether it is sure that no fewer would do."""
    while fit.kept:
        rows, every = smaller(len(fitting), fit.kept)
        found, sure = first(fitting, rows)
        if found is None:
            return fit, every and sure
        fit = found
    return fit, True


def smaller(terms: int, kept: list[int]) -> tuple[Whole, bool]:
    """Sets of one term less, one a row: all there are (True), or those with two of the kept out and one other in."""
    size = len(kept) - 1
    if math.comb(terms, size) <= MOST_SETS:
        found = itertools.combinations(range(terms), size)
        return np.array(list(found), np.int64).reshape(math.comb(terms, size), size), True
    others = [row for row in range(terms) if row not in set(kept)]
    if math.comb(size + 1, 2) * len(others) > MOST_SETS:
        return np.zeros((0, size), np.int64), False
    exchanged = [
        sorted([row for row in kept if row not in pair] + [other])
        for pair in itertools.combinations(kept, 2)
        for other in others
    ]
    return np.array(exchanged, np.int64).reshape(len(exchanged), size), False


def first(fitting: Fitting, rows: Whole) -> tuple[Fit | None, bool]:
    """The first of these sets that is proved, and if there is none, whether all of them are sure to fail."""
    bounds = equal_weights(fitting, rows)
    rows = rows[np.argsort(bounds, kind="stable")][: int((bounds <= PASSED).sum())]
    sure = len(rows) <= MOST_WEIGHTED
    rows = rows[:MOST_WEIGHTED]
    bounds = np.concatenate(
        [lawson(fitting, rows[start : start + AT_ONCE]) for start in range(0, len(rows), AT_ONCE)] or [np.zeros(0)]
    )
    rows = rows[np.argsort(bounds, kind="stable")][: int((bounds <= PASSED).sum())]
    sure &= len(rows) <= MOST_FITTED
    for row in rows[:MOST_FITTED]:
        fit = fitting.settled([int(x) for x in row])
        if fit is not None and fit.within:
            return fit, True
        sure &= fit is None
    return None, sure


def equal_weights(fitting: Fitting, rows: Whole) -> Array:
    """Root mean square error over the limit, all loads together, of each set with its constants fitted.

    With H = A'A the error without the terms outside a set is x'H x, where x holds their exact constants, and minus the
    change of the constants for those inside.
    """
    sizes, inverse = np.abs(fitting.table).max(axis=0), 1 / fitting.limits
    scaled = fitting.table / sizes
    gram = scaled.T @ scaled
    outside = np.ones((len(rows), len(fitting)))
    np.put_along_axis(outside, rows, 0.0, axis=1)
    gone = outside[:, :, None] * (fitting.values * sizes[:, None] * inverse)[None]
    pulled = gram @ gone
    square = np.einsum("bnv,bnv->b", gone, pulled)
    if rows.shape[1]:
        right = np.take_along_axis(pulled @ inverse, rows, axis=1)
        left = gram[rows[:, :, None], rows[:, None, :]] * (inverse @ inverse)
        square = square - np.einsum("bk,bk->b", right, solved(left, right))
    return np.sqrt(np.maximum(square, 0) / (len(scaled) * len(inverse)))


def lawson(fitting: Fitting, rows: Whole) -> Array:
    """Lower bounds of the least largest error over the limit, by weights that move to where the errors are."""
    inverse = 1 / fitting.limits
    every = fitting.table @ fitting.values
    a = np.moveaxis(fitting.table[:, rows], 0, 1)
    error = (every[None] - np.einsum("bik,bkv->biv", a, fitting.values[rows])) * inverse
    a = a / np.maximum(np.abs(a).max(axis=1, keepdims=True), 1e-300)
    weight = np.full(error.shape, 1 / (error.shape[1] * error.shape[2]))
    best = np.zeros(len(rows))
    for _ in range(PASSES):
        left = error
        if rows.shape[1]:
            gram = np.einsum("bik,bi,bil->bkl", a, weight @ inverse**2, a, optimize=True)
            right = np.einsum("bik,bi->bk", a, (weight * error) @ inverse)
            left = error - np.einsum("bik,bk->bi", a, solved(gram, right))[:, :, None] * inverse
        best = np.maximum(best, np.sqrt((weight * left**2).sum(axis=(1, 2))))
        weight = weight * np.abs(left)
        weight /= np.maximum(weight.sum(axis=(1, 2), keepdims=True), 1e-300)
    return best


def solved(gram: Array, right: Array) -> NDArray[np.float64]:
    """Least squares for many sets at once; sets of dependent terms get one of their many solutions."""
    size = gram.shape[-1]
    little = 1e-12 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(size) + 1e-300 * np.eye(size)
    return np.asarray(np.linalg.solve(gram + little, right[..., None])[..., 0])
