"""An identification as tables: what is left of each log, friction, parameters with errors, the logs themselves."""

from __future__ import annotations

from collections.abc import Sequence

from ..markup.data_tables import Column, DataTable, Value
from .result import Identification, Residual


def residual_table(identified: Identification, residuals: Sequence[Residual]) -> DataTable:
    """What is left of the effort of each joint, in percent of it, for each log."""
    columns = (
        Column("joint", "joint"),
        *(Column(residual.name, residual.name, kind="share") for residual in residuals),
    )
    names = identified.described.joint_names
    rows: list[tuple[Value, ...]] = [
        (name, *(float(residual.joints[k]) for residual in residuals)) for k, name in enumerate(names)
    ]
    rows.append(("all", *(residual.whole for residual in residuals)))
    rows.append(("all, unfiltered", *(residual.raw for residual in residuals)))
    note = "Norm of what is left over that of the effort, both through the filter of the log."
    return DataTable("residuals", "What is left unexplained", columns, tuple(rows), note)


def friction_table(identified: Identification) -> DataTable:
    """Friction and reflected rotor inertia of each joint."""
    unknowns = identified.unknowns
    terms = unknowns.friction.names
    columns = [Column("joint", "joint"), *(Column(term, term, kind="number") for term in terms)]
    if unknowns.friction.regularised:
        columns.append(Column("transition speed", "speed of transition", kind="number"))
    if unknowns.rotors:
        columns.append(Column("rotor", "reflected inertia", kind="number"))
    rows = []
    for k, name in enumerate(identified.described.joint_names):
        row: list[Value] = [name, *identified.friction_of(k).values()]
        row += [float(identified.shape.transition[k])] if unknowns.friction.regularised else []
        row += [float(identified.values[unknowns.rotor_column(k)])] if unknowns.rotors else []
        rows.append(tuple(row))
    note = "N m and N m s/rad (N and N s/m of sliding joints); speeds in rad/s (m/s), inertias in kg m² (kg)."
    return DataTable("friction", "Friction and rotors", tuple(columns), tuple(rows), note)


def parameter_table(identified: Identification) -> DataTable:
    """The combinations that torques depend on, by least squares, with standard errors."""
    columns = (
        Column("parameter", "parameter"),
        Column("combination", "stands for"),
        Column("value", "value", kind="number"),
        Column("error", "standard error", kind="number"),
        Column("unit", "", kind="unit"),
        Column("determined", "away from zero"),
    )
    rows = tuple(
        (p.name, p.combination, p.value, p.error, p.unit, "yes" if p.determined else "no")
        for p in identified.parameters
    )
    determined = sum(p.determined for p in identified.parameters)
    note = f"{determined} of {len(rows)} are at least three standard errors from zero."
    return DataTable("parameters", "Parameters by least squares", columns, rows, note, first=20)


def silent_table(identified: Identification) -> DataTable:
    """What the logs do not tell, and the motion that would."""
    columns = (
        Column("parameter", "parameter"),
        Column("error", "standard error", kind="number"),
        Column("size", "may amount to", kind="number"),
        Column("unit", "", kind="unit"),
        Column("motion", "10 s of this motion"),
        Column("error after", "would leave", kind="number"),
    )
    rows = tuple((s.name, s.error, s.size, s.unit, s.motion, s.error_after) for s in identified.silent)
    note = "An error is small where it is below a third of what the parameter may amount to."
    return DataTable("silent", "What the logs do not tell", columns, rows, note, first=12)


def log_table(identified: Identification) -> DataTable:
    """The logs that were used, and what the filter made of them."""
    columns = (
        Column("log", "log"),
        Column("samples", "samples", kind="number"),
        Column("rate", "rate", "Hz", "number"),
        Column("cutoff", "cut-off", "Hz", "number"),
        Column("kept", "kept", "Hz", "number"),
        Column("stretches", "stretches", kind="number"),
    )
    rows = tuple(
        (log.name, len(log.t), log.rate, log.cutoff, log.rate / log.every, len(log.stretches))
        for log in identified.logs
    )
    return DataTable("logs", "Logs", columns, rows, "Stretches are what lies between gaps of the clock.")
