"""Which of many points no other one betters, by halves: Kung, Luccio and Preparata 1975.

Looking at each point of the front against all others takes time with its size times theirs; where all goals contradict
each other every design is on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEW = 4096
"""Pairs of points that are compared at once."""


def on_front(costs: Array) -> Mask:
    """Of points ``(count, goals)``, of which less is better: that no other one is as good in all goals, better in one.

    Equal points are on the front together.
    """
    # In the order of the first goal, then of the next; -0 is 0.
    different, which = np.unique(costs + 0.0, axis=0, return_inverse=True)
    return np.asarray(_least(different)[which.reshape(-1)])


def _least(points: Array) -> Mask:
    """The same of different points in their order, so that none is bettered by a later one."""
    if len(points) < 2:
        return np.ones(len(points), dtype=bool)
    middle = len(points) // 2
    kept = np.concatenate([_least(points[:middle]), np.ones(len(points) - middle, dtype=bool)])
    kept[middle:] = ~_reached(points[:middle][kept[:middle]][:, 1:], points[middle:, 1:])
    later = middle + np.flatnonzero(kept[middle:])
    kept[later] = _least(points[later])
    return kept


def _reached(some: Array, others: Array) -> Mask:
    """For each of ``others`` whether one of ``some`` is no larger in any column."""
    if not some.shape[1]:
        return np.full(len(others), len(some) > 0)
    if not len(some) or not len(others):
        return np.zeros(len(others), dtype=bool)
    if some.shape[1] == 1:
        return np.asarray(some[:, 0].min() <= others[:, 0])
    if len(some) * len(others) <= FEW:
        return np.asarray((some[:, None] <= others).all(axis=2).any(axis=0))
    column = np.concatenate([some[:, 0], others[:, 0]])
    middle, largest = np.partition(column, len(column) // 2)[len(column) // 2], column.max()
    if middle == largest:
        lower = column[column < largest]
        if not len(lower):
            return _reached(some[:, 1:], others[:, 1:])
        middle = lower.max()
    low, below = some[:, 0] <= middle, others[:, 0] <= middle
    found = np.empty(len(others), dtype=bool)
    found[below] = _reached(some[low], others[below])
    found[~below] = _reached(some[low][:, 1:], others[~below][:, 1:])
    left = np.flatnonzero(~below & ~found)
    found[left] = _reached(some[~low], others[left])
    return found
