"""A mechanism from a TOML file; ``docs/mechanism-file.md`` describes the format."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from os.path import isfile
from pathlib import Path
from typing import Any

from ..arm.description import EARTH, ArmDescription, listed
from ..arm.drives import DRIVE_MODELS, Actuator
from ..arm.errors import ArmError
from ..arm.io.angle_reading import AS_MEANT, AngleReading
from ..arm.io.expression import angle, quantity
from ..arm.io.files import read
from ..arm.io.text_files import read_text
from ..arm.io.toml_arm import TOP as ARM_FILE
from ..arm.io.toml_arm import arm_of_table, parse, read_body
from ..arm.io.toml_drives import ELECTRIC, FRICTION, read_friction, read_motor, read_rotor
from ..arm.io.toml_kinds import refuse_others
from ..arm.io.toml_table import TomlTable
from ..arm.placement import Placement
from .chain_frames import GROUND, FrameOn
from .geared_arms import read_urdf_mechanism
from .gears import Gear, JointCoupling, Tie
from .loop_closures import Closure
from .mechanism import Mechanism
from .mjcf_loops import read_mjcf_mechanism
from .mounting import carrying, free_body
from .repeated_tables import expanded
from .springs import Spring

TOP = (
    "name", "title", "gravity", "arm", "chain", "body", "frame", "closure", "gear", "coupling", "spring", "drives",
    "coordinates", "passive", "motors", "home", "ties",
)  # fmt: skip
ARM = tuple(key for key in ARM_FILE if key != "gravity")
"""Keys of an arm described here: those of an arm file, but for gravity, which is that of the world."""
CHAIN = ("at", "arm", "free", "planar", "mass", "com", "inertia", *ARM)
SPRING = ("a", "b", "along", "stiffness", "rest", "damping")
DRIVE = ("name", "kind", "ratios", "rotor", "friction", "electric", "stall_torque")
BODY = ("on", "at", "mass", "com", "inertia")
CLOSURE = ("a", "b", "kind", "hold", "pushes", "friction")
FRAME = ("on", "at")
COUPLING = ("sum", "value")
GEAR = ("joint", "master", "ratio", "offset")


def read_mechanism(path: str | Path, skip: Collection[str] = (), angles: str = AS_MEANT) -> Mechanism:
    """The mechanism in this file: .toml, MJCF (.xml) with equality constraints, URDF with joints that mimic others.

    ``skip`` names what may be left out of MJCF, and ``angles`` says whether rounded angles are read "as meant" or "as
    written", as in ``load``.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in (".toml", ".xml", ".urdf"):
        raise ArmError(
            f"{path}: a mechanism is in a .toml file, in MJCF (.xml) with equality constraints, or in URDF with joints "
            f"that mimic others"
        )
    text = read_text(file)
    if suffix == ".xml":
        return read_mjcf_mechanism(text, str(path), file.parent, skip, angles)
    if skip:
        raise ArmError(f"{path}: skip leaves parts of MJCF files out, and this is none; call without it")
    if suffix == ".urdf":
        return read_urdf_mechanism(text, str(path), angles)
    return parse_mechanism(text, str(path), file.parent, angles)


def parse_mechanism(
    text: str, origin: str = "mechanism", folder: Path | None = None, angles: str = AS_MEANT
) -> Mechanism:
    """The mechanism that a TOML text describes; arms named by path are looked up in ``folder``."""
    data = parse(text, origin)
    refuse_others(data, "a mechanism", origin)
    data = expanded(data, origin)
    reading = AngleReading(angles)
    top = TomlTable.of(data, origin, TOP, reading)
    chains, bases = _chains(top, origin, folder)
    for name, table in _tables(top, "body", BODY):
        chain, _, link = table.text("on").partition(":")
        if chain not in chains:
            raise table.fault(f"on names chain {chain!r}; the chains are {listed(chains)}")
        chains[chain] = carrying(chains[chain], name, read_body(table), _placement(table, "at"), link)
    frames = {name: _frame(table) for name, table in _tables(top, "frame", FRAME)}
    closures: list[Tie] = [_closure(name, table) for name, table in _tables(top, "closure", CLOSURE)]
    closures += [_gear(name, table) for name, table in _tables(top, "gear", GEAR)]
    closures += [_coupling(name, table) for name, table in _tables(top, "coupling", COUPLING)]
    if "ties" in top:
        closures = _ordered(closures, top)
    springs = [_spring(name, table) for name, table in _tables(top, "spring", SPRING)]
    drives = top.table("drives", ("motors",))
    motors = [_motor(table) for table in drives.tables("motors", DRIVE)] if drives is not None else []
    coordinates = top.texts("coordinates") if "coordinates" in top else None
    home = data.get("home")
    if home is not None and not isinstance(home, Mapping):
        raise top.fault("home must be a table of joint positions, [home]")
    positions = {joint: _position(value, f"{origin}: home {joint!r}") for joint, value in (home or {}).items()}
    turning = {(name, j.name) for name, arm in chains.items() for j in arm.moving if j.kind == "revolute"}
    for joint, position in positions.items():
        plain = not isinstance((home or {})[joint], str)
        if plain and abs(position) > 2 * math.pi and any(joint in (name, f"{chain}.{name}") for chain, name in turning):
            reading.turned[f"home {joint!r}"] = position
    reading.tell(origin)
    try:
        return Mechanism(
            chains,
            closures,
            coordinates,
            bases=bases,
            frames=frames,
            passive=top.texts("passive"),
            gravity=top.vector("gravity", EARTH),
            home=positions,
            name=top.text("name", Path(origin).stem),
            springs=springs,
            drives=motors,
        )
    except ArmError as fault:
        raise ArmError(f"{origin}: {fault}") from None


def _ordered(ties: list[Tie], top: TomlTable) -> list[Tie]:
    """Closures, gears and couplings in the order that ``ties`` names them in."""
    by_name = {tie.name: tie for tie in ties}
    order = top.texts("ties")
    if sorted(order) != sorted(tie.name for tie in ties):
        raise top.fault(f"ties is the order of all closures, gears and couplings; name each once: {listed(by_name)}")
    return [by_name[name] for name in order]


def motors_in(path: str | Path) -> tuple[str, ...]:
    """The motors a file names, for the distribution of loads."""
    file = Path(path)
    if file.suffix.lower() != ".toml":
        return ()
    return TomlTable.of(expanded(parse(read_text(file), str(path)), str(path)), str(path), TOP).texts("motors")


def _tables(top: TomlTable, key: str, keys: tuple[str, ...]) -> list[tuple[str, TomlTable]]:
    tables = top.values.get(key, {})
    if not isinstance(tables, Mapping):
        raise top.fault(f"{key} must be tables by name, [{key}.NAME]")
    return [
        (name, TomlTable.of(table, f"{top.where}: {key} {name!r}", keys, top.reading)) for name, table in tables.items()
    ]


def _chains(top: TomlTable, origin: str, folder: Path | None) -> tuple[dict[str, ArmDescription], dict[str, Placement]]:
    """The chains by name, each one of arm, joints or free, and the placements of their bases."""
    chains: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    arms = {name: arm_of_table(table, name, origin) for name, table in _tables(top, "arm", ARM)}
    for name, table in _tables(top, "chain", CHAIN):
        if name == GROUND:
            raise table.fault(f"{GROUND!r} is the world; call the chain something else")
        sources = [key for key in ("arm", "free", "joints") if key in table]
        if len(sources) != 1:
            raise table.fault("give one of arm (a name or file), joints (an arm written here) or free = true")
        if "arm" in table:
            chains[name] = _arm(table, arms, folder, top.reading.mode)
        elif "free" in table:
            chains[name] = free_body(name, read_body(table), planar=bool(table.values.get("planar", False)))
        else:
            chains[name] = arm_of_table(_arm_table(table), name, origin)
        chains[name] = chains[name].counting_drives(_drive_model(table))
        bases[name] = _placement(table, "at")
    if not chains:
        raise top.fault("no chain is given; write at least one [chain.NAME]")
    return chains, bases


def _arm(table: TomlTable, arms: Mapping[str, ArmDescription], folder: Path | None, angles: str) -> ArmDescription:
    """The arm of a chain that names it: one of this file, a file beside it, or one of the catalog."""
    conflicting = [key for key in ARM if key in table and key != "drives"]
    if conflicting:
        raise table.fault(f"{conflicting[0]} describes an arm, and arm names another; keep one of the two")
    source = table.text("arm")
    if source in arms:
        return arms[source]
    beside = (folder or Path()) / source
    try:
        return read(beside if isfile(beside) else source, "ignore", angles=angles)
    except ArmError as fault:
        raise table.fault(str(fault)) from None


def _arm_table(table: TomlTable) -> TomlTable:
    """What of a chain's table describes its arm."""
    values = {key: value for key, value in table.values.items() if key in ARM and key != "drives"}
    return TomlTable(values, table.where, table.reading)


def _drive_model(table: TomlTable) -> str:
    """By which model the drives of a chain count."""
    value = table.values.get("drives", False)
    if isinstance(value, bool):
        return "exact" if value else "none"
    if isinstance(value, str) and value in DRIVE_MODELS:
        return value
    raise table.fault(
        f"drives is true (rotors, transmission and friction of the arm count) or false, or a model of them, "
        f"{listed(DRIVE_MODELS)}; what they are stands with the arm, in a table [arm.NAME.drives]"
    )


def _placement(table: TomlTable, key: str) -> Placement:
    steps = table.table(key, ("xyz", "rpy", "steps"))
    return steps.placement() if steps else Placement()


def _frame(table: TomlTable) -> FrameOn:
    carrier = FrameOn.of(table.text("on"))
    return FrameOn(carrier.chain, carrier.link, _placement(table, "at"))


def _closure(name: str, table: TomlTable) -> Closure:
    if ("kind" in table) == ("hold" in table):
        raise table.fault("give either kind (a kind of joint) or hold (a list of freedoms such as x, y, rz)")
    kind: str | tuple[str, ...] = table.text("kind") if "kind" in table else table.texts("hold")
    friction = table.real("friction", 0.0)
    closure = Closure(name, table.text("a"), table.text("b"), kind, bool(table.values.get("pushes", False)), friction)
    try:
        _ = closure.held
    except ArmError as fault:  # the sentence names the file it stands in
        raise ArmError(f"{table.where.partition(': closure')[0]}: {fault}") from None
    return closure


def _gear(name: str, table: TomlTable) -> Gear:
    ratio = table.number("ratio", 1)
    offset = _position(table.values.get("offset", 0), f"{table.where}: offset")
    return Gear(name, table.text("joint"), table.text("master"), ratio, offset)


def _coupling(name: str, table: TomlTable) -> JointCoupling:
    return JointCoupling(name, table.text("sum"), _position(table.values.get("value", 0), f"{table.where}: value"))


def _spring(name: str, table: TomlTable) -> Spring:
    stiffness, damping = (table.number(key, 0) for key in ("stiffness", "damping"))
    try:
        return Spring(
            name,
            table.text("a", ""),
            table.text("b", ""),
            table.text("along", ""),
            stiffness,
            quantity(table.values.get("rest", 0), f"{table.where}: rest").rational,
            damping,
        )
    except ArmError as fault:
        raise ArmError(f"{table.where.partition(': spring')[0]}: {fault}") from None


def _motor(table: TomlTable) -> Actuator:
    """A motor of the mechanism itself; its ratios are to coordinates."""
    name = table.text("name")
    table = table.called(f"{table.where.partition(': drives')[0]}: motor {name!r}")
    ratios = table.needed("ratios")
    if not isinstance(ratios, Mapping) or not ratios:
        raise table.fault('ratios are a table by coordinate, such as {"rz(pin)" = 50}')
    friction, electric = table.table("friction", FRICTION), table.table("electric", ELECTRIC)
    return Actuator.of(
        name,
        {key: quantity(value, f"{table.where}: ratio to {key!r}").rational for key, value in ratios.items()},
        read_rotor(table),
        read_friction(friction) if friction is not None else None,
        read_motor(electric) if electric is not None else None,
        table.real("stall_torque", 0.0, least=0) if "stall_torque" in table else None,
        kind=table.text("kind", "rotary"),
    )


def _position(value: Any, what: str) -> float:
    if isinstance(value, str):
        return float(angle(value, what, AngleReading()).radians)
    return float(quantity(value, what))


def load_mechanism(path: str | Path, *, skip: Collection[str] = (), angles: str = AS_MEANT) -> Mechanism:
    """The mechanism in a TOML file (docs/mechanism-file.md), in MJCF with equality connect, weld or joint, or in URDF
    with joints that mimic others. ``skip`` names what may be left out of MJCF, and ``angles`` says how rounded angles
    are read, as in ``load``.
    """
    return read_mechanism(path, skip, angles)
