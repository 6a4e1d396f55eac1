"""The numbers an arm is given by, as tables: joints, links, inertia, drives."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..markup.data_tables import Column, DataTable, Rich, Value, finite
from ..markup.elements import Html, join
from ..markup.numbers import formatted, shown_position, unit
from .motor_units import motor_units

if TYPE_CHECKING:
    from .description import ArmDescription
    from .drives import DriveTrain
    from .shaft_friction import Friction


def joints_table(arm: ArmDescription) -> DataTable:
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
    note = "A dash: the description gives no limit." if any(None in row for row in rows) else ""
    return DataTable("joints", "Joints and their limits", columns, tuple(rows), note)


def mover(arm: ArmDescription, body: int) -> int | None:
    """The number, from 1, of the joint that moves a body, or that its joint follows; None for the base."""
    return arm.couplings[body].coordinate + 1 if body >= 0 else None


def followers_table(arm: ArmDescription) -> DataTable | None:
    """The joints that follow others, and how; None where there are none."""
    if not arm.followers:
        return None
    columns = (Column("name", "name"), Column("type", "type"), Column("stands at", "stands at"))
    rows = tuple((joint.name, joint.kind, str(joint.follows)) for joint in arm.followers)
    return DataTable("followers", "Joints that follow others (rad, m)", columns, rows)


def links_table(arm: ArmDescription) -> DataTable:
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
        rows.append((link.name, mover(arm, body), *numbers([link.inertia.mass, *link.inertia.com])))
    rows += [
        (f"load on {name}", mover(arm, arm.body_of[name][0]), *numbers([load.body.mass, *load.body.com]))
        for name, load in arm.loads
    ]
    return DataTable("links", "Mass and mass centre of each link, in its own frame", columns, tuple(rows))


def link_inertia_table(arm: ArmDescription) -> DataTable:
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


ROTOR, VISCOUS, EFFORT = range(3)
TURNING, SLIDING = ("kg m²", "N m s/rad", "N m"), ("kg", "N s/m", "N")
"""Units of the inertia, viscous friction and efforts of motors: torques, and forces."""


def drives_table(train: DriveTrain, caption: str = "Drives", arm: ArmDescription | None = None) -> DataTable | None:
    """What is known of the drives; None where nothing is. Without the ``arm`` a motor that slides alone is a force."""
    if not train:
        return None
    motors = train.actuators
    efforts = motor_units(arm) if arm is not None else ["N" if motor.kind == "linear" else "N m" for motor in motors]
    one_unit = len(set(efforts)) <= 1
    units = (SLIDING if "N" in efforts else TURNING) if one_unit else ("", "", "")
    motor_unit_texts = [", ".join(SLIDING if effort == "N" else TURNING) for effort in efforts]
    slides = {joint.name for joint in arm.joints if joint.kind == "prismatic"} if arm is not None else set()
    transmissions: list[Value] = [
        train.turns_of(k) or ratios(motor.ratios, slides if effort == "N m" else ())
        for k, (motor, effort) in enumerate(zip(motors, efforts, strict=True))
    ]
    stall = "stall force" if one_unit and "N" in efforts else "stall torque"
    candidates: list[tuple[Column, list[Value]]] = [
        (Column("ratios", "turns per joint turn"), transmissions),
        (Column("rotor", "rotor inertia", units[ROTOR], "number"), [float(motor.rotor.inertia) for motor in motors]),
        (Column("link", "carried by"), [motor.rotor.link or "not known" for motor in motors]),
        (Column("stall torque", stall, units[EFFORT], "number"), [motor.stall_torque for motor in motors]),
        *friction_columns([motor.friction for motor in motors], units),
        (Column("units", "units of rotor, viscous friction, torque"), [] if one_unit else [*motor_unit_texts]),
    ]  # fmt: skip
    filled = [(column, values) for column, values in candidates if any(values)]
    rows: list[tuple[Value, ...]] = [
        (motor.name, *(values[index] for _, values in filled)) for index, motor in enumerate(motors)
    ]
    columns = (Column("motor", "motor"), *(column for column, _ in filled))
    return DataTable("drives", caption, columns, tuple(rows))


def friction_columns(
    frictions: Sequence[Friction], units: tuple[str, str, str] = ("", "", "")
) -> list[tuple[Column, list[Value]]]:
    """Columns of what rubs: Coulomb friction once where it is the same both ways, else forward and backward."""
    forward, backward = ([friction.moving[way] for friction in frictions] for way in (0, 1))
    coulomb: list[tuple[Column, list[Value]]]
    if forward == backward:
        coulomb = [(Column("Coulomb friction", "Coulomb friction", units[EFFORT], "number"), [*forward])]
    else:
        coulomb = [
            (Column("Coulomb forward", "Coulomb forward", units[EFFORT], "number"), [*forward]),
            (Column("Coulomb backward", "backward", units[EFFORT], "number"), [*backward]),
        ]
    models: list[Value] = [friction.model.name if friction.model.varies else "" for friction in frictions]
    return [
        *coulomb,
        (Column("starting friction", "starting friction", units[EFFORT], "number"), [f.starting for f in frictions]),
        (Column("viscous friction", "viscous friction", units[VISCOUS], "number"), [f.viscous for f in frictions]),
        (Column("model", "friction model"), models),
    ]


def joint_friction_table(arm: ArmDescription) -> DataTable | None:
    """Friction at the joints themselves, which comes on top of that of the motors; None where there is none."""
    rubbing = [(joint, friction) for joint, friction in arm.drives.joint_friction if friction]
    if not rubbing:
        return None
    filled = [
        (column, values) for column, values in friction_columns([friction for _, friction in rubbing]) if any(values)
    ]
    units = ["N, N s/m" if arm.joint(joint).kind == "prismatic" else "N m, N m s/rad" for joint, _ in rubbing]
    rows: list[tuple[Value, ...]] = [
        (joint, *(values[row] for _, values in filled), units[row]) for row, (joint, _) in enumerate(rubbing)
    ]
    columns = (Column("joint", "joint"), *(column for column, _ in filled), Column("units", "units", kind="unit"))
    return DataTable("joint-friction", "Friction at the joints themselves", columns, tuple(rows))


def ratios(pairs: Sequence[tuple[str, object]], slides: Collection[str] = ()) -> Rich:
    """The ratios of a motor, joint by joint; to a joint that slides it turns so many rad per m. No line ends in one."""
    words = [
        f"{joint} {formatted(float(ratio))}{' rad/m' if joint in slides else ''}"  # type: ignore[arg-type]
        for joint, ratio in pairs
    ]
    return Rich(", ".join(words), join([word.replace(" ", "\N{NO-BREAK SPACE}") for word in words], ", "))
