"""The coupling of joints as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable, Value

if TYPE_CHECKING:
    from .pose_coupling import PoseCoupling


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
        columns.append(Column("proved bound", "proved bound", kind="number bound"))
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


def pose_table(coupling: PoseCoupling) -> DataTable:
    """Every pair of joints at one pose."""
    columns = (
        Column("joints", "joints"),
        Column("inertia", "projected inertia", "kg m^2", "number"),
        Column("gyration", "over the mass", "m^2", "number"),
        Column("coefficient", "coupling", kind="number"),
        Column("loading", "loading factor", kind="number"),
        Column("kinematic", "kinematic factor", kind="number"),
    )
    tables = (coupling.inertia, coupling.gyration, coupling.coefficient, coupling.loading, coupling.kinematic)
    rows: list[tuple[Value, ...]] = []
    for i, j in coupling.pairs:
        values = (float(table[i, j]) for table in tables)
        rows.append(
            (f"{coupling.joints[i]} and {coupling.joints[j]}", *(x if math.isfinite(x) else None for x in values))
        )
    return DataTable("pose coupling", "Coupling of pairs of joints at this pose", columns, tuple(rows), first=10)
