"""Ranges of total inertia and gravity load as tables: Bejczy 1974, Tables 1 and 2."""

from __future__ import annotations

from ..bounds.ranges import Range
from ..markup.data_tables import Column, DataTable, Value, finite, raised
from ..markup.numbers import drives_phrase, joint_label
from .tables import GravityRow, InertiaRow, LoadTables


def ends(range_: Range | None) -> tuple[Value, ...]:
    """Least and largest value, with the poses that reach them."""
    if range_ is None:
        return (None, None, None, None)
    return (range_.minimum, pose(range_, range_.at_minimum), range_.maximum, pose(range_, range_.at_maximum))


def within(row: InertiaRow | GravityRow) -> float | None:
    """How far beyond the values of a row a pose can lie; none where that was searched and not proved."""
    if not row.certified:
        return None
    ranges = [range_ for range_ in (row.empty, row.loaded) if range_ is not None]
    gap = max(range_.gap for range_ in ranges)
    # What is only rounding is nothing to read.
    return gap if gap > 1e-9 * max(range_.largest for range_ in ranges) else 0.0


OF_JOINT = (
    Column("joint", "joint"),
    Column("coefficient", "", kind="name"),
    Column("unit", "unit", kind="unit"),
)


def ends_columns(case: str = "") -> tuple[Column, ...]:
    """The columns of ``ends``, in this case ("loaded")."""
    name, heading = (f" {case}", f", {case}") if case else ("", "")
    return (
        Column(f"least{name}", f"least{heading}", kind="number"),
        Column(f"pose of least{name}", "pose", kind="pose"),
        Column(f"largest{name}", f"largest{heading}", kind="number"),
        Column(f"pose of largest{name}", "pose", kind="pose"),
    )


def pose(range_: Range, position: object) -> Value:
    """Joint positions at an extreme value; None for a constant."""
    return tuple(float(x) for x in position) if range_.joints else None  # type: ignore[attr-defined]


def inertia_table(tables: LoadTables) -> DataTable:
    """Bejczy 1974, Table 1."""
    load = any(row.loaded is not None for row in tables.inertia)
    columns = [
        *OF_JOINT,
        Column("input inertia", "drive", kind="number"),
        *ends_columns(),
        Column("ratio", "ratio", kind="number"),
        Column("proved within", "proved within", kind="number bound"),
    ]
    if load:
        columns += [*ends_columns("loaded"), Column("ratio loaded", "ratio, loaded", kind="number")]
    geared = any(row.empty_at_motor is not None for row in tables.inertia)
    if geared:
        columns += [
            Column("least at motor", "least, motor", kind="number"),
            Column("largest at motor", "largest, motor", kind="number"),
        ]
    if geared and load:
        columns.append(Column("largest at motor loaded", "largest, motor, loaded", kind="number"))
    rows = []
    for index, row in enumerate(tables.inertia):
        cells: list[Value] = [
            joint_label(index, row.joint),
            row.name,
            raised(row.unit),
            row.rotors,
            *ends(row.empty),
            finite(row.relative),
            within(row),
        ]
        if load:
            cells += [*ends(row.loaded), finite(row.relative_loaded)]
        if geared:
            empty_at_motor, loaded_at_motor = row.empty_at_motor, row.loaded_at_motor
            cells += [
                empty_at_motor.minimum if empty_at_motor else None,
                empty_at_motor.maximum if empty_at_motor else None,
            ]
            cells += [loaded_at_motor.maximum if loaded_at_motor else None] if load else []
        rows.append(tuple(cells))
    caption = f"Total inertia at each joint, {drives_phrase(tables.drives)}"
    return DataTable("inertia-ranges", with_load(caption, tables), tuple(columns), tuple(rows), motor_note(geared))


def motor_note(geared: bool) -> str:
    """Footnote on inertia referred to the motor shaft; empty without gears."""
    return (
        "Drive: the largest part of the rotors in the total. Ratio: largest (loaded or not) over least without load. "
        "Motor: as the motor shaft feels it while the other motors are held, over the gear ratio squared where the "
        "motor turns with this joint alone."
        if geared
        else ""
    )


def gravity_table(tables: LoadTables) -> DataTable:
    """Bejczy 1974, Table 2."""
    load = any(row.loaded is not None for row in tables.gravity)
    limited = any(row.capacity is not None for row in tables.gravity)
    geared = any(row.empty_at_motor is not None for row in tables.gravity)
    columns = [
        *OF_JOINT,
        *ends_columns(),
        Column("proved within", "proved within", kind="number bound"),
    ]
    if load:
        columns += [Column("largest magnitude loaded", "largest, loaded", kind="number")]
    if geared:
        columns += [Column("at motor", "at the motor", kind="number")]
    if geared and load:
        columns += [Column("at motor loaded", "at the motor, loaded", kind="number")]
    if geared:
        columns += [
            Column("stall torque", "stall torque", kind="number"),
            Column("motor unit", "unit", kind="unit"),
            Column("gear ratio", "gear ratio", kind="number"),
        ]
    if limited:
        columns += [Column("drive gives", "drive gives", kind="number"), Column("share", "share of it", kind="share")]
    if load and limited:
        columns += [Column("share loaded", "share, loaded", kind="share")]
    rows = []
    for index, row in enumerate(tables.gravity):
        cells: list[Value] = [joint_label(index, row.joint), row.name, raised(row.unit), *ends(row.empty), within(row)]
        if load:
            cells.append(row.loaded.largest if row.loaded is not None else None)
        if geared:
            cells.append(row.empty_at_motor.largest if row.empty_at_motor is not None else None)
        if geared and load:
            cells.append(row.loaded_at_motor.largest if row.loaded_at_motor is not None else None)
        if geared:
            cells += [row.stall_torque, raised(row.motor_unit), row.gear_ratio]
        if limited:
            cells += [row.capacity, row.share(row.empty)]
        if load and limited:
            cells.append(row.share(row.loaded))
        rows.append(tuple(cells))
    note = (
        "What the drive gives: stall torque through the gear, or else the effort limit of the joint." if limited else ""
    )
    return DataTable(
        "gravity-ranges", with_load("Gravity load at each joint", tables), tuple(columns), tuple(rows), note
    )


def with_load(caption: str, tables: LoadTables) -> str:
    """The caption of a table, with the load where there is one."""
    return f"{caption}, without and with a load of {tables.load}" if tables.load else caption
