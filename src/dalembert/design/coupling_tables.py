"""The coupling of joints as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..markup.data_tables import Column, DataTable, Value


@dataclass(frozen=True)
class CouplingRow:
    """A pair of joints, its largest |k_ij| with the pose of it, what is proved, and its factors at that pose."""

    joints: str
    largest: float
    pose: tuple[float, ...]
    bound: float | None = None
    loading: float | None = None
    kinematic: float | None = None


def coupling_table(ranked: Sequence[CouplingRow]) -> DataTable:
    """Largest |k_ij| of each pair with its pose, its proved bound, and its loading and kinematic factors."""
    proved = any(pair.bound is not None for pair in ranked)
    factors = any(pair.loading is not None for pair in ranked)
    columns = [
        Column("joints", "joints"),
        Column("largest", "largest coupling", kind="number"),
        Column("pose", "", kind="pose"),
    ]
    if proved:
        columns.append(Column("proved bound", "proved bound", kind="number"))
    if factors:
        columns += [
            Column("loading", "loading factor there", kind="number"),
            Column("kinematic", "kinematic factor there", kind="number"),
        ]
    rows = []
    for pair in ranked:
        cells: list[Value] = [pair.joints, pair.largest, pair.pose]
        cells += [pair.bound] if proved else []
        cells += [pair.loading, pair.kinematic] if factors else []
        rows.append(tuple(cells))
    return DataTable("coupling", "Coupling of pairs of joints, strongest first", tuple(columns), tuple(rows), first=10)
