"""Backward elimination of terms: one by one, the term first whose removal costs least after a refit of the others.

The choice is by least squares, with which the errors without each of the terms follow from one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...bounds.waves import Array
from .fitting import MANY, Fitting

HOPE = 2.0
"""Factor by which a least-squares fit may exceed the minimax error: sets up to this multiple of the limit are kept."""


def eliminated(fitting: Fitting) -> list[list[int]]:
    """Nested sets of terms, fewest first, whose error on the sample is promising."""
    table, values, limits, refit = fitting.table, fitting.values, fitting.limits, fitting.refit
    history = [list(range(values.shape[0]))]
    if not np.all(limits > 0):
        return history
    rows = history[0]
    hope = HOPE
    if len(rows) > MANY:
        hope = 1.3
        history += without_smallest(table, values, limits)
        rows = history[-1]
    while rows:
        order = removals(table, values, rows, limits, refit)
        # Of many terms several are removed at once, or a single one where that is too much.
        for amount in (len(rows) // 12, 1) if len(rows) > MANY else (1,):
            fewer = [row for position, row in enumerate(rows) if position not in set(order[:amount].tolist())]
            cost = worst(table, values, fewer, limits, refit)
            if cost <= (1.0 if amount > 1 else hope):
                break
        else:
            break
        rows = fewer
        history.append(rows)
    return history[::-1]


def without_smallest(table: Array, values: Array, limits: Array) -> list[list[int]]:
    """Sets of terms without the smallest ones.

    The largest set omits terms while the sum of their magnitudes is below 0.9 of the limit, so that a proof is certain;
    the smallest omits them while their signed sum is below half of the limit on the samples.
    """
    effect = (np.abs(table).max(axis=0)[:, None] * np.abs(values) / limits).max(axis=1)
    order = np.argsort(effect, kind="stable")
    removable = np.ones(len(order), bool)
    for v, limit in enumerate(limits):
        removable &= np.abs(np.cumsum(table[:, order] * values[order, v], axis=1)).max(axis=0) <= limit / 2
    certain = len(order) - int(np.searchsorted(np.cumsum(effect[order]), 0.9))
    fewest = min(certain, 0 if removable.all() else len(order) - int(np.argmin(removable)))
    sizes = [certain]
    while sizes[-1] > fewest:
        sizes.append(max(fewest, int(sizes[-1] / 1.4)))
    return [sorted(order[len(order) - size :].tolist()) for size in sizes]


def removals(table: Array, values: Array, terms: Sequence[int], limits: Array, refit: bool) -> NDArray[np.int64]:
    """Positions in ``terms``, the term first whose removal gives the smallest largest error after a refit.

    With G = A'A and the fit b, removing column k changes the fit by -G^-1_:k b_k / G^-1_kk (least squares), so that the
    errors without each of the columns follow from one matrix product.
    """
    a = table[:, terms]
    mean = values.mean(axis=1)
    if refit:
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        scaled = a / sizes
        gram = scaled.T @ scaled
        inverse = np.linalg.inv(gram + 1e-11 * np.trace(gram) / len(terms) * np.eye(len(terms)))
        fit = inverse @ (scaled.T @ (table @ mean))
        residual = (table @ mean - scaled @ fit)[:, None] + scaled @ (inverse * (fit / np.diag(inverse))[None])
    else:
        residual = (table @ mean - a @ mean[terms])[:, None] + a * mean[terms]
    costs = np.zeros(len(terms))
    for v, limit in enumerate(limits):
        # Deviations of single loads from their mean are not fitted: one shift of the constants serves all loads.
        deviation = values[:, v] - mean
        deviations = (table @ deviation - a @ deviation[terms])[:, None] + a * deviation[terms]
        costs = np.maximum(costs, np.abs(residual + deviations).max(axis=0) / limit)
    return np.argsort(costs, kind="stable")


def worst(table: Array, values: Array, terms: Sequence[int], limits: Array, refit: bool) -> float:
    """The largest error on the samples over its limit, with the constants fitted to the mean error of all loads."""
    error = table @ values - table[:, terms] @ values[terms]
    if refit and terms:
        change, *_ = np.linalg.lstsq(table[:, terms], error.mean(axis=1), rcond=None)
        error = error - (table[:, terms] @ change)[:, None]
    return float((np.abs(error).max(axis=0) / limits).max())
