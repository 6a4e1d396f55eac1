"""Backward elimination: terms leave one by one, the one first whose absence costs least once the rest is fitted again.

Least squares while choosing: the errors without each of the terms then come out of one product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...bounds.waves import Array
from .fitting import MANY, Fitting

HOPE = 2.0
"""Least squares are off by up to about this factor where the least largest error is asked for."""


def eliminated(fitting: Fitting) -> list[list[int]]:
    """Nested sets of terms, fewest first, all of which look good enough on the sample."""
    table, values, limits, refit = fitting.table, fitting.values, fitting.limits, fitting.refit
    history = [list(range(values.shape[0]))]
    if not np.all(limits > 0):
        return history
    kept = history[0]
    hope = HOPE
    if len(kept) > MANY:
        hope = 1.3
        history += without_smallest(table, values, limits)
        kept = history[-1]
    while kept:
        order = removals(table, values, kept, limits, refit)
        # Of many terms several go at once; one at a time where that is too much.
        for amount in (len(kept) // 12, 1) if len(kept) > MANY else (1,):
            less = [row for place, row in enumerate(kept) if place not in set(order[:amount].tolist())]
            cost = worst(table, values, less, limits, refit)
            if cost <= (1.0 if amount > 1 else hope):
                break
        else:
            break
        kept = less
        history.append(kept)
    return history[::-1]


def without_smallest(table: Array, values: Array, limits: Array) -> list[list[int]]:
    """The terms left when the smallest go: first as long as their magnitudes add up to less than most of the limit,
    which is sure to be proved, at last as long as they themselves add up to less than half of it on the samples.
    """
    effect = (np.abs(table).max(axis=0)[:, None] * np.abs(values) / limits).max(axis=1)
    order = np.argsort(effect, kind="stable")
    gone = np.ones(len(order), bool)
    for v, limit in enumerate(limits):
        gone &= np.abs(np.cumsum(table[:, order] * values[order, v], axis=1)).max(axis=0) <= limit / 2
    left = len(order) - int(np.searchsorted(np.cumsum(effect[order]), 0.9))
    fewest = min(left, 0 if gone.all() else len(order) - int(np.argmin(gone)))
    sizes = [left]
    while sizes[-1] > fewest:
        sizes.append(max(fewest, int(sizes[-1] / 1.4)))
    return [sorted(order[len(order) - size :].tolist()) for size in sizes]


def removals(table: Array, values: Array, kept: Sequence[int], limits: Array, refit: bool) -> NDArray[np.int64]:
    """Places in ``kept``, the term first whose absence makes the least largest error, the others fitted again.

    With G = A'A and the fit b, leaving out column k moves the fit by -G^-1_:k b_k / G^-1_kk (least squares), so that
    the errors without each of the columns come out of one product.
    """
    a = table[:, kept]
    mean = values.mean(axis=1)
    if refit:
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        scaled = a / sizes
        gram = scaled.T @ scaled
        inverse = np.linalg.inv(gram + 1e-11 * np.trace(gram) / len(kept) * np.eye(len(kept)))
        fit = inverse @ (scaled.T @ (table @ mean))
        left = (table @ mean - scaled @ fit)[:, None] + scaled @ (inverse * (fit / np.diag(inverse))[None])
    else:
        left = (table @ mean - a @ mean[kept])[:, None] + a * mean[kept]
    costs = np.zeros(len(kept))
    for v, limit in enumerate(limits):
        # What the loads add to their mean is not fitted: one correction of the constants serves all of them.
        own = values[:, v] - mean
        part = (table @ own - a @ own[kept])[:, None] + a * own[kept]
        costs = np.maximum(costs, np.abs(left + part).max(axis=0) / limit)
    return np.argsort(costs, kind="stable")


def worst(table: Array, values: Array, kept: Sequence[int], limits: Array, refit: bool) -> float:
    """The largest error on the samples over its limit, the constants fitted to the mean error of all loads."""
    error = table @ values - table[:, kept] @ values[kept]
    if refit and kept:
        change, *_ = np.linalg.lstsq(table[:, kept], error.mean(axis=1), rcond=None)
        error = error - (table[:, kept] @ change)[:, None]
    return float((np.abs(error).max(axis=0) / limits).max())
