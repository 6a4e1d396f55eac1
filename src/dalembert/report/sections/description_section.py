"""The numbers the arm is given by: joints, links, inertia, drives."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...arm.description import ArmDescription
from ...markup.data_tables import Column, DataTable, Value
from ...markup.elements import Html, tag
from ...markup.numbers import listed, shown_position, unit, written
from ..section import Section


def section(arm: ArmDescription) -> Section:
    """Tables of joints, links, inertia and drives, and the inertias that no rigid body can have."""
    faults = {link.name: link.inertia.violation() for link in arm.links}
    broken = {name: fault for name, fault in faults.items() if fault}
    unlimited = [joint.name for joint in arm.moving if math.isinf(joint.limits.lower) or math.isinf(joint.limits.upper)]
    if broken:
        meaning = (
            f"No real body can have the inertia given for {listed(list(broken))}; all results use the numbers "
            "exactly as "
            "given."
        )
    elif unlimited:
        meaning = (
            f"All inertias are those of real bodies; {listed(unlimited)} {'have' if len(unlimited) > 1 else 'has'} "
            "no position "
            "limits, and a revolute joint without limits counts as going all the way round."
        )
    else:
        meaning = "All inertias are those of real bodies, and every joint has position limits."
    parts: list[Html | DataTable] = [joints(arm), links(arm), inertia(arm)]
    parts += [table for table in (drives(arm),) if table is not None]
    if broken:
        parts.append(tag("ul", *(tag("li", f"{name}: {fault}") for name, fault in broken.items())))
    return Section("description", "Joints, links and inertia", meaning, tuple(parts))


def joints(arm: ArmDescription) -> DataTable:
    """Type of each joint and its limits of position, speed and effort."""
    columns = (
        Column("joint", "joint", kind="number"),
        Column("name", "name"),
        Column("type", "type"),
        Column("from", "from", kind="number"),
        Column("to", "to", kind="number"),
        Column("position unit", "", kind="unit"),
        Column("speed", "speed", kind="number"),
        Column("speed unit", "", kind="unit"),
        Column("effort", "effort", kind="number"),
        Column("effort unit", "", kind="unit"),
    )
    rows = []
    for number, joint in enumerate(arm.moving, 1):
        ends = [finite(shown_position(joint, x)) for x in (joint.limits.lower, joint.limits.upper)]
        rows.append(
            (
                number,
                joint.name,
                joint.kind,
                ends[0],
                ends[1],
                unit(joint, "shown"),
                finite(joint.limits.velocity),
                unit(joint, "speed"),
                finite(joint.limits.effort),
                unit(joint, "effort"),
            )
        )
    return DataTable(
        "joints", "Joints and their limits", columns, tuple(rows), "A dash: the description gives no limit."
    )


def finite(value: float) -> float | None:
    """The value, or None where it is infinite, which tables show as a dash."""
    return value if math.isfinite(value) else None


def links(arm: ArmDescription) -> DataTable:
    """Mass (kg) and mass centre (m, link frame) of every link and load, and the joint that moves it."""
    columns = (
        Column("link", "link"),
        Column("moved by", "moved by joint", kind="number"),
        Column("mass", "mass", "kg", "number"),
        *(Column(axis, axis, "m", "number") for axis in "xyz"),
    )
    rows = []
    for link in arm.links:
        body = arm.body_of[link.name][0]
        rows.append((link.name, body + 1 if body >= 0 else None, *numbers([link.inertia.mass, *link.inertia.com])))
    rows += [
        (f"load on {name}", arm.body_of[name][0] + 1, *numbers([load.body.mass, *load.body.com]))
        for name, load in arm.loads
    ]
    return DataTable("links", "Mass and mass centre of each link, in its own frame", columns, tuple(rows))


def inertia(arm: ArmDescription) -> DataTable:
    """Inertia tensor (kg m^2) of every link about its mass centre, in the axes of the link frame."""
    entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    names = ["xyz"[i] + "xyz"[j] for i, j in entries]
    columns = (
        Column("link", "link"),
        *(Column(f"I{name}", Html(f"<i>I</i><sub>{name}</sub>"), "kg m²", "number") for name in names),
    )
    rows: list[tuple[Value, ...]] = [
        (link.name, *numbers([link.inertia.central[i][j] for i, j in entries])) for link in arm.links if link.inertia
    ]
    return DataTable(
        "inertia", "Inertia tensor about the mass centre, in the axes of the link frame", columns, tuple(rows)
    )


def numbers(values: Sequence[object]) -> list[float]:
    """Exact numbers in floating point."""
    return [float(x) for x in values]  # type: ignore[arg-type]


def drives(arm: ArmDescription) -> DataTable | None:
    """What is known of the drives; None where nothing is."""
    if not arm.drives:
        return None
    motors = arm.drives.actuators
    candidates: list[tuple[Column, list[Value]]] = [
        (Column("ratios", "turns per turn (rad, or per m) of each joint"), [ratios(motor.ratios) for motor in motors]),
        (Column("rotor", "rotor inertia", "kg m²", "number"), [float(motor.rotor.inertia) for motor in motors]),
        (Column("link", "carried by"), [motor.rotor.link or "not known" for motor in motors]),
        (Column("stall torque", "stall torque", "N m", "number"), [motor.stall_torque for motor in motors]),
        (Column("Coulomb friction", "Coulomb friction", "N m", "number"), [max(m.friction.moving) for m in motors]),
        (Column("viscous friction", "viscous friction", "N m s/rad", "number"), [m.friction.viscous for m in motors]),
    ]
    known = [(column, values) for column, values in candidates if any(values)]
    rows: list[tuple[Value, ...]] = [
        (motor.name, *(values[index] for _, values in known)) for index, motor in enumerate(motors)
    ]
    columns = (Column("motor", "motor"), *(column for column, _ in known))
    counted = "counted in every table of this page" if arm.counts_drives else "not counted on this page"
    return DataTable("drives", f"Drives, {counted}", columns, tuple(rows))


def ratios(pairs: Sequence[tuple[str, object]]) -> str:
    """The ratios of a motor, joint by joint."""
    return ", ".join(f"{joint} {written(float(ratio))}" for joint, ratio in pairs)  # type: ignore[arg-type]


def sources(arm: ArmDescription) -> Section:
    """Where the numbers come from, as the description says."""
    items = tag("ul", *(tag("li", source) for source in arm.sources)) if arm.sources else Html()
    notes = [tag("p", " ".join(block.split())) for block in arm.notes.strip().split("\n\n") if block.strip()]
    count = len(arm.sources)
    meaning = (
        f"The description names {count} source{'s' * (count != 1)} for its numbers."
        if count
        else "The description names no source for its numbers, so the results are as good as whoever wrote them."
    )
    gravity = ", ".join(written(float(g)) for g in arm.gravity)
    return Section(
        "sources",
        "Where the numbers come from",
        meaning,
        (
            items,
            *notes,
            tag("p", f"Gravity is ({gravity}) m/s² in the base frame; the tool is on {arm.tool_link}.", class_="note"),
        ),
    )
