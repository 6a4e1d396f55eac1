"""Why designs cannot be, many at once: numbers out of their ends or order, inertias that no body has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.inertia import ENTRIES
from ..arm.named_number import DescriptionNumber

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Share of its largest moment by which an inertia may miss the triangle inequality: rounding of the file's digits."""


def faults(numbers: Mapping[str, DescriptionNumber], names: Sequence[str], values: Array) -> list[str]:
    """For each row of values of the numbers ``names`` why it cannot be, or an empty string."""
    reasons = [""] * len(values)

    def column(name: str) -> Array:
        if name in names:
            return values[:, names.index(name)]
        return np.full(len(values), float(numbers[name].value))

    def mark(impossible: NDArray[np.bool_], reason: str) -> None:
        for row in np.flatnonzero(impossible):
            reasons[row] = reasons[row] or reason

    for k, name in enumerate(names):
        entries, number = values[:, k], numbers[name]
        out_of_range = ~np.isfinite(entries) | (entries < number.least) | (number.nonzero & (entries == 0))
        for row in np.flatnonzero(out_of_range):
            reasons[row] = reasons[row] or number.fault(float(entries[row]))
    varied = set(names)
    for upper in numbers.values():
        for lower in upper.not_below:
            if not varied.isdisjoint((upper.name, lower)):
                mark(column(upper.name) < column(lower), f"{upper.name} is below {lower}, which it must not be")
    for prefix in sorted({name.rpartition(".inertia.")[0] for name in names if numbers[name].of_real_body}):
        tensor = np.empty((len(values), 3, 3))
        for entry, i, j in ENTRIES:
            tensor[:, i, j] = tensor[:, j, i] = column(f"{prefix}.inertia.{entry}")
        reason = f"{prefix}.inertia is that of no body: one of its moments is larger than the sum of the two others"
        mark(~_possible(tensor), reason)
    return reasons


def _possible(tensor: Array) -> NDArray[np.bool_]:
    """Whether tr J / 2 - J is positive semidefinite: the triangle inequality in any axes (Wensing, Kim and Slotine
    2018).
    """
    sound: NDArray[np.bool_] = np.asarray(np.isfinite(tensor).all(axis=(1, 2)))
    table = np.where(sound[:, None, None], tensor, 0.0)
    trace = np.einsum("bii->b", table)
    smallest_moment = np.linalg.eigvalsh(trace[:, None, None] / 2 * np.eye(3) - table)[:, 0]
    return np.asarray(~sound | (smallest_moment >= -ROUNDING * np.abs(table).max(axis=(1, 2))))
