"""Why designs cannot be, many at once: numbers out of their ends or order, inertias that no body has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.inertia import ENTRIES
from ..arm.named_number import DescriptionNumber

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Share of its largest moment by which an inertia may miss the triangle inequality: rounding of the file's digits."""


def faults(known: Mapping[str, DescriptionNumber], names: Sequence[str], values: Array) -> list[str]:
    """For each row of values of the numbers ``names`` why it cannot be, or an empty string."""
    found = [""] * len(values)

    def column(name: str) -> Array:
        if name in names:
            return values[:, names.index(name)]
        return np.full(len(values), float(known[name].value))

    def mark(odd: NDArray[np.bool_], said: Callable[[int], str]) -> None:
        for row in np.flatnonzero(odd):
            found[row] = found[row] or said(int(row))

    for k, name in enumerate(names):
        own, number = values[:, k], known[name]
        odd = ~np.isfinite(own) | (own < number.least) | (number.nonzero & (own == 0))
        mark(odd, lambda row, own=own, number=number: number.fault(float(own[row])))  # type: ignore[misc]
    varied = set(names)
    for upper in known.values():
        for lower in upper.not_below:
            if not varied.isdisjoint((upper.name, lower)):
                said = f"{upper.name} is below {lower}, which it must not be"
                mark(column(upper.name) < column(lower), lambda row, said=said: said)  # type: ignore[misc]
    for prefix in sorted({name.rpartition(".inertia.")[0] for name in names if known[name].of_real_body}):
        tensor = np.empty((len(values), 3, 3))
        for entry, i, j in ENTRIES:
            tensor[:, i, j] = tensor[:, j, i] = column(f"{prefix}.inertia.{entry}")
        said = f"{prefix}.inertia is that of no body: one of its moments is larger than the sum of the two others"
        mark(~_possible(tensor), lambda row, said=said: said)  # type: ignore[misc]
    return found


def _possible(tensor: Array) -> NDArray[np.bool_]:
    """Whether tr J / 2 - J is positive semidefinite: the triangle inequality in any axes (Wensing, Kim and Slotine
    2018).
    """
    sound: NDArray[np.bool_] = np.asarray(np.isfinite(tensor).all(axis=(1, 2)))
    table = np.where(sound[:, None, None], tensor, 0.0)
    trace = np.einsum("bii->b", table)
    least = np.linalg.eigvalsh(trace[:, None, None] / 2 * np.eye(3) - table)[:, 0]
    return np.asarray(~sound | (least >= -ROUNDING * np.abs(table).max(axis=(1, 2))))
