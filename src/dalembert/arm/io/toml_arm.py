"""Reader of the TOML arm file, the format of the catalog; docs/arm-file.md describes it.

Decimals are read exactly as written, but for angles that are rounded from a multiple of 15 degrees. An unknown key is
refused: everything in the file is in the arm, or the file is not read.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import PurePath

from ..axes import along
from ..description import EARTH, KINDS, ArmDescription, Joint, Limits, Link, listed
from ..drives import DriveTrain
from ..elastic import Elastic, JointDamper, JointSpring, PointSpring
from ..errors import ArmError
from ..exact import LONGEST_NUMBER, decimal_of
from ..following import Follows
from ..inertia import ENTRIES, Inertia, Load
from ..placement import Placement, Step
from .angle_reading import AS_MEANT, AngleReading
from .dh import DHRow, placements
from .expression import shown
from .joint_drives import JointDrive, train_of_joints, with_joint_drives
from .mimic import followers, with_followers
from .toml_drives import TOP as DRIVES
from .toml_drives import read_drives
from .toml_kinds import kind_of, refuse_others
from .toml_shapes import read_shapes
from .toml_table import TomlTable, nearest
from .toml_writer import write_toml

__all__ = ["read_toml", "write_toml"]

LONGEST_TEXT = 1_000_000
"""Longest file (characters)."""
MOST_JOINTS = 1000
MOST_DOTS = 1000
"""Most dots in a line: the time of tomllib grows with the square of the parts of a dotted key."""
TOP = (
    "name", "title", "sources", "notes", "gravity", "convention", "base", "tool", "joints", "springs", "loads",
    "drives",
)  # fmt: skip
FRAME = ("xyz", "rpy", "steps", "link")
BODY = ("mass", "com", "first_moment", "inertia", "about", "gyration")
LINK = ("name", *BODY, "meshes", "shapes", "source")
LOAD = ("link", "mass", "com", "inertia", "about", "gyration")
DH = ("a", "alpha", "d", "theta")
LIMITS = tuple(field.name for field in fields(Limits))
DRIVE = (
    "gear_ratio", "motor_inertia", "input_inertia", "viscous_friction", "coulomb_friction", "stall_torque",
)  # fmt: skip
PLACEMENT = ("dh", "xyz", "rpy", "axis", "before", "after")
LOSSES = ("damping", "friction", "armature")
JOINT = ("name", "type", "parent", *PLACEMENT, "limits", "held", "follows", *LOSSES, "drive", "link", "source")
FOLLOWS = ("joint", "multiplier", "offset")
SPRING = ("joint", "from", "to", "stiffness", "rest", "damping")


def is_mechanism(text: str, origin: str) -> bool:
    """True if the TOML ``text`` describes a mechanism, which has chains, and no arm."""
    return kind_of(parse(text, origin)) == "a mechanism"


def read_toml(
    text: str, origin: str, physical: str = "warn", angles: str = AS_MEANT, mimic: str = "couple"
) -> ArmDescription:
    """The arm that the TOML ``text`` describes; ``origin`` names the file in error messages.

    ``angles`` says whether rounded angles in radians are read "as meant" or "as written". Joints that follow others are
    coupled, but for ``mimic`` "hold" and "free".
    """
    reading = AngleReading(angles)
    tables = parse(text, origin)
    refuse_others(tables, "an arm", origin)
    top = TomlTable.of(tables, origin, TOP, reading)
    try:
        arm = arm_of_table(top, PurePath(origin).stem or "arm", origin, mimic)
    except ArmError as fault:
        raise fault if str(fault).startswith(origin) else ArmError(f"{origin}: {fault}") from None
    reading.tell(origin)
    return arm.checked(physical)


def arm_of_table(top: TomlTable, name: str, origin: str, mimic: str = "couple") -> ArmDescription:
    """The arm of a table: a file, or one of the arms of a mechanism file; ``name`` where it says none."""
    base = top.table("base", FRAME)
    tool = top.table("tool", FRAME)
    links, joints, joint_drives = read_tree(top, base)
    described, joints = joints, with_followers(joints, mimic)
    held_joints = {
        joint.name for joint, treated in zip(described, joints, strict=True) if joint.moves and not treated.moves
    }
    joint_drives = [row for row in joint_drives if next(joint for joint in joints if joint.name == row.joint).moves]
    arm = ArmDescription(
        name=top.text("name") if "name" in top else name,
        links=tuple(links),
        joints=tuple(joints),
        gravity=top.vector("gravity", EARTH),
        tool=tool.placement() if tool else Placement(),
        tool_link=tool.text("link", "") if tool else "",
        title=top.text("title", ""),
        sources=(*top.texts("sources"), *gathered_sources(top, base)),
        notes=top.text("notes", ""),
        origin=origin,
    )
    springs = (part for table in top.tables("springs", SPRING) for part in read_spring(table))
    arm = arm.with_elastic(*(part for part in springs if not part.at_one_of(held_joints)))
    for table in top.tables("loads", LOAD):
        link = table.text("link") if "link" in table else None
        if (link or arm.tool_link) in dict(arm.loads):
            raise table.fault(f"link {link or arm.tool_link!r} carries a load already; add the two up in one")
        arm = arm.holding(Load.of(read_body(table)), link)
    drives = top.table("drives", DRIVES)
    train = read_drives(drives, arm, origin) if drives is not None else DriveTrain(origin=origin)
    follower_joints = followers(joints)
    all_drives = (
        with_joint_drives(train, joint_drives, origin, follower_joints)
        if train
        else train_of_joints(joint_drives, origin, follower_joints)
    )
    return replace(arm, drives=all_drives)


def parse(text: str, origin: str) -> dict[str, object]:
    """The TOML document, its decimals kept as written."""
    if len(text) > LONGEST_TEXT:
        raise ArmError(f"{origin}: is longer than {LONGEST_TEXT:,} characters; leave out what is not the arm")
    for number, line in enumerate(text.split("\n"), start=1):
        if max(part.count(".") for part in line.split("=")) > MOST_DOTS:
            raise ArmError(f"{origin}: line {number} holds more than {MOST_DOTS} dots; no arm needs that, mend it")

    def decimal(word: str) -> Decimal:
        return decimal_of(word, f"{origin}: {shown(word)}")

    try:
        return tomllib.loads(text, parse_float=decimal)
    except ArmError:
        raise
    except RecursionError:
        raise ArmError(f"{origin}: its lists or tables are nested too deep; no arm needs that, mend the file") from None
    except tomllib.TOMLDecodeError as fault:
        raise ArmError(f"{origin}: is not valid TOML ({fault}); mend it there") from None
    except ValueError:
        # Python refuses whole numbers of thousands of digits.
        raise ArmError(f"{origin}: a number has more than {LONGEST_NUMBER} digits; shorten it") from None


def read_tree(top: TomlTable, base: TomlTable | None) -> tuple[list[Link], list[Joint], list[JointDrive]]:
    """The links, base first, the joints in the order of the file, and what they say of their drives."""
    tables = top.tables("joints", JOINT)
    if not tables:
        raise top.fault("has no joints; give each under [[joints]]")
    if len(tables) > MOST_JOINTS:
        raise top.fault(f"has more than {MOST_JOINTS} joints; no arm needs that, mend the file")
    convention = top.text("convention", "")
    if convention not in ("", "standard", "modified"):
        raise top.fault(f'convention is "standard" or "modified", not {shown(convention)}')
    root = read_link(base, "base") if base else Link("base")
    base_placement = base.placement() if base else Placement()
    links: list[Link] = [root]
    joints: list[Joint] = []
    drives: list[JointDrive] = []
    for number, table in enumerate(tables, start=1):
        table = named(table, "joint", f"joint{number}", top.where)
        link = read_link(table, f"link{number}")
        kind = table.text("type")
        if kind not in KINDS:
            raise table.fault(f"type {shown(kind)} is not known{nearest(kind, KINDS)}; the types are {listed(KINDS)}")
        moving = 1 + sum(joint.moves for joint in joints)
        parent = table.text("parent", links[-1].name)
        before, after = read_placements(table, kind, moving, convention)
        if parent == root.name:
            before = base_placement @ before
        joint = Joint(
            name=table.text("name", f"joint{number}"),
            kind=kind,
            parent=parent,
            child=link.name,
            before=before,
            after=after,
            limits=read_limits(table),
            held=read_locked_position(table, kind),
            follows=read_follows(table, kind),
        )
        joints.append(joint)
        links.append(link)
        drive = read_drive(table, joint.name)
        drives += [drive] if joint.moves else []
    return links, joints, drives


def named(table: TomlTable, what: str, default: str, where: str) -> TomlTable:
    """The table with the name it states, for error messages."""
    return table.called(f"{where}: {what} {shown(table.text('name', default))}")


def read_placements(table: TomlTable, kind: str, number: int, convention: str) -> tuple[Placement, Placement]:
    """The fixed placements before and after the motion of moving joint ``number``, counted from 1."""
    steps, dh, origin = (
        tuple(key for key in keys if key in table) for keys in (PLACEMENT[4:], PLACEMENT[:1], PLACEMENT[1:4])
    )
    notations = [keys_given for keys_given in (steps, dh, origin) if keys_given]
    if len(notations) > 1:
        raise table.fault(f"{notations[0][0]} and {notations[1][0]} are two ways to place the joint; keep one of them")
    if steps:
        return table.steps("before"), table.steps("after")
    if not dh:
        before = Placement.from_xyz_rpy(table.vector("xyz"), table.angles("rpy"), table.where)
        if "axis" not in table:
            return before, Placement()
        turn = along(table.direction("axis"), f"{table.where}: axis")
        return before @ turn, turn.inverse()
    if not convention:
        raise table.fault('dh needs the convention; put convention = "standard" or "modified" at the top of the file')
    row = table.table("dh", DH)
    assert row is not None
    dh_row = DHRow(row.number("a", 0), row.angle("alpha"), row.number("d", 0), row.angle("theta"), kind)
    before, after = placements(dh_row, number, convention)
    return (before, after) if kind != "fixed" else (unnamed(before), unnamed(after))


def unnamed(placement: Placement) -> Placement:
    """The same placement without names, so that no step becomes a symbol of a moving joint."""
    return Placement.of(*(Step(step.kind, step.axis, step.amount) for step in placement.steps))


def read_locked_position(table: TomlTable, kind: str) -> float:
    """Where a fixed joint stands that was locked (rad or m); motors that turn with it stand accordingly."""
    if "held" in table and kind != "fixed":
        raise table.fault(f"held says where a fixed joint was locked, and this one is {kind}; leave it out")
    return table.real("held", 0.0)


def read_follows(table: TomlTable, kind: str) -> Follows | None:
    """The joint that this one follows: multiplier times its position, plus an offset (rad or m)."""
    entries = table.table("follows", FOLLOWS)
    if entries is None:
        return None
    if kind == "fixed":
        raise entries.fault("a fixed joint follows none; leave it out")
    offset = entries.angle("offset") if kind == "revolute" else entries.number("offset", 0)
    return Follows(entries.text("joint"), entries.number("multiplier", 1), offset)


def read_limits(table: TomlTable) -> Limits:
    """The limits of a joint; infinite where not given."""
    entries = table.table("limits", LIMITS)
    if entries is None:
        return Limits()
    lower, upper = entries.limit("lower", -math.inf), entries.limit("upper", math.inf)
    if lower == math.inf or upper == -math.inf:
        raise entries.fault("no position lies within these limits; leave out the one that is infinite")
    try:
        return Limits(lower, upper, entries.limit("velocity", math.inf), entries.limit("effort", math.inf))
    except ArmError as fault:
        raise fault if str(fault).startswith(entries.where) else entries.fault(str(fault)) from None


def read_drive(table: TomlTable, joint: str) -> JointDrive:
    """The drive and friction of a joint, from its own entries."""
    damping, friction, armature = (table.real(key, 0.0, least=0) for key in LOSSES)
    drive = JointDrive(joint, armature=armature, damping=damping, friction=friction)
    entries = table.table("drive", DRIVE)
    if entries is None:
        return drive
    ratio, motor, at_joint = (
        entries.number(key) if key in entries else None for key in ("gear_ratio", "motor_inertia", "input_inertia")
    )
    if "coulomb_friction" in entries:
        pair = entries.items("coulomb_friction", 2, "two numbers, for forward and for backward motion")
        forward, backward = (
            TomlTable({"coulomb_friction": x}, entries.where).real("coulomb_friction", 0.0) for x in pair
        )
        drive = replace(drive, coulomb=(forward, backward))
    stall = entries.real("stall_torque", 0.0) if "stall_torque" in entries else None
    viscous = entries.real("viscous_friction", 0.0)
    return replace(drive, gear_ratio=ratio, motor_inertia=motor, input_inertia=at_joint, viscous=viscous, stall=stall)


def read_link(holder: TomlTable, default: str) -> Link:
    """The link of a joint or of the base: a table, or only its name."""
    if isinstance(holder.values.get("link"), str):
        return Link(holder.text("link"))
    table = holder.table("link", LINK)
    if table is None:
        return Link(default)
    table = named(table, "link", default, holder.where)
    table.text("source", "")
    return Link(table.text("name", default), read_body(table), table.texts("meshes"), read_shapes(table))


def read_body(table: TomlTable) -> Inertia:
    """Mass, mass centre and inertia, in any of the notations."""
    mass = table.number("mass", 0)
    about = table.text("about", "com")
    if about not in ("com", "frame"):
        raise table.fault(f'about is "com" or "frame", not {shown(about)}')
    if "first_moment" in table:
        if "com" in table or "gyration" in table or about != "frame":
            raise table.fault('first_moment stands in place of com, with inertia about = "frame"; give them so')
        return Inertia(mass, table.vector("first_moment"), Inertia.of(1, inertia=read_tensor(table, "inertia")).tensor)
    com = table.vector("com")
    for key in ("com", "gyration"):
        if key in table and "mass" not in table:
            raise table.fault(f"{key} is given without mass, and a body without mass has none; give its mass")
    if "gyration" in table:
        if "inertia" in table or "about" in table:
            raise table.fault("gyration stands in place of inertia and about; keep one of the two ways")
        return Inertia.from_gyration(mass, com, read_tensor(table, "gyration"), table.where)
    if about == "frame" and "inertia" not in table:
        raise table.fault('about = "frame" needs inertia; give it, or leave out about')
    return Inertia.of(mass, com, read_tensor(table, "inertia"), about=about, what=table.where)


def read_tensor(table: TomlTable, key: str) -> object:
    """Three moments, three rows, or a table of xx, yy, ..., as exact numbers; symmetry is checked by Inertia."""
    value = table.values.get(key)
    if isinstance(value, list) and len(value) == 3:
        if any(isinstance(row, list) for row in value):
            rows = TomlTable({"xyz"[i]: row for i, row in enumerate(value)}, f"{table.where}: {key} row")
            return [rows.vector(axis) for axis in "xyz"]
        return table.vector(key)
    if value is None:
        return (0, 0, 0)
    if not isinstance(value, dict):
        raise table.fault(
            f"{key} must be three moments, three rows or a table of xx, yy, zz, xy, xz, yz; got {shown(value)}"
        )
    entries = TomlTable.of(value, f"{table.where}: {key}", [entry[0] for entry in ENTRIES])
    return {entry: entries.number(entry) for entry in entries.values}


def read_spring(table: TomlTable) -> Iterable[Elastic]:
    """The spring and the damper of one [[springs]] table."""
    ends = [key for key in ("from", "to") if key in table]
    if ("joint" in table) == bool(ends) or len(ends) == 1:
        raise table.fault("a spring has either joint, or from and to; give one of the two")
    if "stiffness" not in table and "damping" not in table:
        raise table.fault("a spring needs stiffness, damping or both; give them")
    rest = table.real("rest", 0.0)
    stiffness, damping = table.real("stiffness", 0.0), table.real("damping", 0.0)
    if ends:
        (link_a, point_a), (link_b, point_b) = read_end(table, "from"), read_end(table, "to")
        yield PointSpring(link_a, point_a, link_b, point_b, stiffness, rest, damping)
        return
    if "stiffness" in table:
        yield JointSpring(table.text("joint"), stiffness, rest)
    elif "rest" in table:
        raise table.fault("rest belongs to a spring; give stiffness too, or leave it out")
    if "damping" in table:
        yield JointDamper(table.text("joint"), damping)


def read_end(table: TomlTable, key: str) -> tuple[str, tuple[float, float, float]]:
    """The link and the point of one end of a spring."""
    end = table.table(key, ("link", "point"))
    assert end is not None
    x, y, z = (float(number) for number in end.vector("point"))
    return end.text("link"), (x, y, z)


def gathered_sources(top: TomlTable, base: TomlTable | None) -> list[str]:
    """The source keys of joints and links, one line for each source with the names that cite it."""
    names_by_source: dict[str, list[str]] = {}

    def note(holder: TomlTable, default: str) -> None:
        if "source" in holder:
            names_by_source.setdefault(holder.text("source"), []).append(holder.text("name", default))

    holders = [(base, "", "base")] if base else []
    holders += [(table, f"joint{i}", f"link{i}") for i, table in enumerate(top.tables("joints", JOINT), start=1)]
    for holder, joint, link in holders:
        note(holder, joint)
        if isinstance(holder.values.get("link"), dict):
            inner = holder.table("link", LINK)
            assert inner is not None
            note(inner, link)
    return [f"{source} ({listed(names)})" for source, names in names_by_source.items()]
