"""Errors of a simplified model as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable

if TYPE_CHECKING:
    from .simplified import SimplifiedModel


def error_table(model: SimplifiedModel) -> DataTable:
    """Root mean squares of torque and error, joint by joint."""
    columns = (
        Column("joint", "joint"),
        Column("counts", "what of D counts"),
        Column("torque", "RMS torque", kind="number"),
        Column("error", "RMS error", kind="number"),
        Column("unit", "", kind="unit"),
        Column("share", "error of torque", kind="share"),
    )
    rows = tuple(
        (e.joint, "rotation" if e.joint in model.turning else "translation", e.torque_rms, e.rms, e.unit,
         e.share)
        for e in model.errors
    )  # fmt: skip
    velocity_text = {"none": "no part of H", "both": "all of H"}.get(model.velocity, f"the {model.velocity} part of H")
    caption = f"Simplified model with {velocity_text}: {model.operations.total} operations"
    return DataTable("simplified", caption, columns, rows)
