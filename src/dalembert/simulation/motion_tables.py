"""A motion as tables: where the joints went, and what happened on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable, Value

if TYPE_CHECKING:
    from .motion import Motion


def joints_moved_table(motion: Motion) -> DataTable:
    """First, last, least and largest position of each joint, and its largest speed."""
    columns = (
        Column("joint", "joint"),
        Column("start", "start", kind="number"),
        Column("end", "end", kind="number"),
        Column("least", "least", kind="number"),
        Column("largest", "largest", kind="number"),
        Column("unit", "", kind="unit"),
        Column("speed", "largest speed", kind="number"),
        Column("speed unit", "", kind="unit"),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            name,
            *(float(x) for x in (q[0], q[-1], q.min(), q.max())),
            unit,
            float(abs(speed).max()),
            f"{unit}/s",
        )
        for name, unit, q, speed in zip(motion.joint_names, motion.joint_units, motion.q.T, motion.qd.T, strict=True)
    )
    balance = float(abs(motion.balance).max())
    note = f"Error of the energy balance: at most {balance:.2g} J."
    return DataTable("joints", "Positions and speeds", columns, rows, note)


def events_table(motion: Motion) -> DataTable:
    """What happened, in order."""
    columns = (Column("time", "time", "s", "number"), Column("event", "event"), Column("where", "where"))
    rows = tuple((float(event.time), event.kind, event.name) for event in motion.events)
    return DataTable("events", "Events", columns, rows, first=10)
