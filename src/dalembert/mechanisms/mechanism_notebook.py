"""What a notebook shows of a mechanism: its closures, its coordinates and joints where it is at home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..markup.data_tables import Column, DataTable, Value
from ..markup.notebook import folded, framed, heading, note
from .gears import Gear
from .loop_closures import Closure

if TYPE_CHECKING:
    from .coordinate_kinematics import CoordinateKinematics
    from .joined_chains import JoinedChains
    from .mechanism_system import MechanismSystem

MANY = 12
"""Joints beyond which their table is folded."""


def joints_table(mechanism: JoinedChains) -> DataTable:
    """Every joint: how it moves, where it stands at home, and whether it is a coordinate."""
    chosen = set(mechanism.coordinates)
    columns = (
        Column("joint", "joint"), Column("kind", "kind"), Column("home", "at home", kind="number"),
        Column("unit", "unit", kind="unit"), Column("coordinate", "coordinate"),
    )  # fmt: skip
    rows = [
        (
            name,
            "revolute" if turns else "prismatic",
            float(home),
            "rad" if turns else "m",
            "yes" if name in chosen else "",
        )
        for name, turns, home in zip(mechanism.joint_names, mechanism.chains.revolute, mechanism.home, strict=True)
    ]
    return DataTable("joints", "Joints", columns, tuple(rows))


def closures_table(mechanism: JoinedChains) -> DataTable:
    """Where chains meet; of gears and couplings between joints the names alone."""
    columns = (Column("closure", "closure"), Column("kind", "kind"), Column("a", "of"), Column("b", "and"))
    rows: list[tuple[Value, ...]] = []
    for tie in mechanism.parts.closures:
        if isinstance(tie, Closure):
            kind = tie.kind if isinstance(tie.kind, str) else ", ".join(tie.kind)
            rows.append((tie.name, kind, str(tie.a), str(tie.b) if tie.b else "ground"))
        else:
            rows.append((tie.name, "gear" if isinstance(tie, Gear) else "coupling", "", ""))
    return DataTable("closures", "Closures", columns, tuple(rows))


def mechanism_html(mechanism: CoordinateKinematics) -> str:
    """A mechanism in a notebook."""
    summary = f"{mechanism.m} joints, {mechanism.r} closure equations; driven at {', '.join(mechanism.coordinates)}."
    error = float(np.abs(mechanism.closure_error(mechanism.home)).max(initial=0.0))
    closures = [closures_table(mechanism)] if mechanism.parts.closures else []
    return framed(
        heading(f"Mechanism {mechanism.name}"),
        note(summary, f" At home its loops are closed to {error:.1e} m or rad."),
        *closures,
        folded(f"{mechanism.m} joints", joints_table(mechanism)) if mechanism.m > MANY else joints_table(mechanism),
        note(
            "da.write_mechanism_page(mechanism) shows it here, to move by hand; with a file name it writes that page."
        ),
    )


def system_html(system: MechanismSystem) -> str:
    """A mechanism as a system of its coordinates in a notebook."""
    columns = (
        Column("coordinate", "coordinate"), Column("from", "from", kind="number"), Column("to", "to", kind="number"),
        Column("unit", "unit", kind="unit"),
    )  # fmt: skip
    rows = [
        (name, *(float(x) if np.isfinite(x) else None for x in limits), "rad" if joint.kind == "revolute" else "m")
        for name, joint, *limits in zip(system.joint_names, system.moving, system.lower, system.upper, strict=True)
    ]
    drives = "with its drives" if system.counts_drives else "without drives"
    note = "A dash: no limit is given." if any(None in row for row in rows) else ""
    table = DataTable("coordinates", "Coordinates", columns, tuple(rows), note)
    return framed(heading(f"Mechanism {system.name} as a system of {system.n} coordinates, {drives}"), table)
