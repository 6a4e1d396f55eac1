"""A linear model as tables: its matrices with named rows and columns, and its poles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable, Value
from ..markup.elements import Html
from ..markup.notebook import folded, framed, heading

if TYPE_CHECKING:
    from .linear_model import Array, LinearModel, Signal

MOST_COLUMNS = 24
"""Most columns of a matrix that is shown."""


def linear_model_html(model: LinearModel) -> str:
    """The law, A and B, the poles, and C and D folded."""
    rate = "dx/dt" if model.period is None else "x(t + T)"
    time = "" if model.period is None else f", T = {model.period:g} s"
    title = heading(f"Linear model of {model.name}: {rate} = A x + B u, y = C x + D u{time}")
    poles = DataTable(
        "poles",
        "Poles",
        (Column("re", "real part", kind="number"), Column("im", "imaginary part", kind="number")),
        tuple((float(pole.real), float(pole.imag)) for pole in model.poles),
    )
    return framed(
        title,
        matrix_table("A", model.A, model.states, model.states),
        matrix_table("B", model.B, model.states, model.inputs),
        poles,
        folded(
            "C and D",
            matrix_table("C", model.C, model.outputs, model.states),
            matrix_table("D", model.D, model.outputs, model.inputs),
        ),
    )


def matrix_table(name: str, values: Array, rows: Sequence[Signal], columns: Sequence[Signal]) -> DataTable:
    """A matrix with the names and units of its signals."""
    visible = columns[:MOST_COLUMNS]
    heads = (Column(name, Html(f"<i>{name}</i>")), *(Column(s.name, s.name, s.unit, "number") for s in visible))
    cells: tuple[tuple[Value, ...], ...] = tuple(
        (f"{signal.name} ({signal.unit})", *(float(x) for x in row[: len(visible)]))
        for signal, row in zip(rows, values, strict=True)
    )
    hidden = len(columns) - len(visible)
    return DataTable(
        name, f"{name}, {len(rows)} by {len(columns)}", heads, cells, f"{hidden} more columns." if hidden else ""
    )
