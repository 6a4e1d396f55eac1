"""Denavit-Hartenberg rows as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable
from .exact import Angle, exact

if TYPE_CHECKING:
    from .io.dh import DHRow


def dh_table(rows: Sequence[DHRow], convention: str) -> DataTable:
    """a and d (m), alpha and theta (degrees), mass (kg) of every row; q adds to theta, of a prismatic joint to d."""
    columns = (
        Column("joint", "joint"),
        Column("type", "type"),
        Column("a", "a", "m", "number"),
        Column("alpha", "α", "deg", "number"),
        Column("d", "d", "m", "number"),
        Column("theta", "θ", "deg", "number"),
        Column("mass", "mass", "kg", "number"),
    )
    cells = []
    for number, row in enumerate(rows, 1):
        mass = row.body.mass if row.body is not None else row.mass
        alpha, theta = (math.degrees(Angle.of(angle).radians) for angle in (row.alpha, row.theta))
        a, d, kilograms = (float(exact(x, "length or mass")) for x in (row.a, row.d, mass))
        cells.append((row.name or f"joint{number}", row.type, a, alpha, d, theta, kilograms))
    note = "The position of a revolute joint adds to θ, that of a prismatic one to d."
    return DataTable("dh", f"Denavit-Hartenberg rows, {convention}", columns, tuple(cells), note)
