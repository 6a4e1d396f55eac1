"""A mechanism from a TOML file; ``docs/mechanism-file.md`` describes the format."""

from __future__ import annotations

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
from ..arm.io.toml_table import TomlTable
from ..arm.placement import Placement
from .chain_frames import GROUND, FrameOn
from .geared_arms import read_urdf_mechanism
from .gears import Gear, JointCoupling, Tie
from .loop_closures import Closure
from .mechanism import Mechanism
from .mjcf_loops import read_mjcf_mechanism
from .mounting import carrying, free_body
from .repeated_tables import spread
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
    given = Path(path)
    suffix = given.suffix.lower()
    if suffix not in (".toml", ".xml", ".urdf"):
        raise ArmError(
            f"{path}: a mechanism is in a .toml file, in MJCF (.xml) with equality constraints, or in URDF with joints "
            f"that mimic others"
        )
    text = read_text(given)
    if suffix == ".xml":
        return read_mjcf_mechanism(text, str(path), given.parent, skip, angles)
    if skip:
        raise ArmError(f"{path}: skip leaves parts of MJCF files out, and this is none; call without it")
    if suffix == ".urdf":
        return read_urdf_mechanism(text, str(path), angles)
    return parse_mechanism(text, str(path), given.parent, angles)


def parse_mechanism(
    text: str, origin: str = "mechanism", folder: Path | None = None, angles: str = AS_MEANT
) -> Mechanism:
    """The mechanism that a TOML text describes; arms named by path are looked up in ``folder``."""
    data = spread(parse(text, origin), origin)
    reading = AngleReading(angles)
    top = TomlTable.of(data, origin, TOP, reading)
    chains, bases = _chains(top, origin, folder)
    for name, given in _tables(top, "body", BODY):
        on, _, link = given.text("on").partition(":")
        if on not in chains:
            raise given.fault(f"on names chain {on!r}; the chains are {listed(chains)}")
        chains[on] = carrying(chains[on], name, read_body(given), _place(given, "at"), link)
    frames = {name: _frame(given) for name, given in _tables(top, "frame", FRAME)}
    closures: list[Tie] = [_closure(name, given) for name, given in _tables(top, "closure", CLOSURE)]
    closures += [_gear(name, given) for name, given in _tables(top, "gear", GEAR)]
    closures += [_coupling(name, given) for name, given in _tables(top, "coupling", COUPLING)]
    if "ties" in top:
        closures = _ordered(closures, top)
    springs = [_spring(name, given) for name, given in _tables(top, "spring", SPRING)]
    drives = top.table("drives", ("motors",))
    motors = [_motor(given) for given in drives.tables("motors", DRIVE)] if drives is not None else []
    coordinates = top.texts("coordinates") if "coordinates" in top else None
    home = data.get("home")
    if home is not None and not isinstance(home, Mapping):
        raise top.fault("home must be a table of joint positions, [home]")
    positions = {joint: _position(value, f"{origin}: home {joint!r}") for joint, value in (home or {}).items()}
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
    known = {tie.name: tie for tie in ties}
    wanted = top.texts("ties")
    if sorted(wanted) != sorted(tie.name for tie in ties):
        raise top.fault(f"ties is the order of all closures, gears and couplings; name each once: {listed(known)}")
    return [known[name] for name in wanted]


def motors_in(path: str | Path) -> tuple[str, ...]:
    """The motors a file names, for the distribution of loads."""
    given = Path(path)
    if given.suffix.lower() != ".toml":
        return ()
    return TomlTable.of(spread(parse(read_text(given), str(path)), str(path)), str(path), TOP).texts("motors")


def _tables(top: TomlTable, key: str, keys: tuple[str, ...]) -> list[tuple[str, TomlTable]]:
    given = top.values.get(key, {})
    if not isinstance(given, Mapping):
        raise top.fault(f"{key} must be tables by name, [{key}.NAME]")
    return [
        (name, TomlTable.of(table, f"{top.where}: {key} {name!r}", keys, top.reading)) for name, table in given.items()
    ]


def _chains(top: TomlTable, origin: str, folder: Path | None) -> tuple[dict[str, ArmDescription], dict[str, Placement]]:
    chains: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    arms = {name: arm_of_table(given, name, origin) for name, given in _tables(top, "arm", ARM)}
    for name, given in _tables(top, "chain", CHAIN):
        if name == GROUND:
            raise given.fault(f"{GROUND!r} is the world; call the chain something else")
        ways = [key for key in ("arm", "free", "joints") if key in given]
        if len(ways) != 1:
            raise given.fault("give one of arm (a name or file), joints (an arm written here) or free = true")
        if "arm" in given:
            chains[name] = _arm(given, arms, folder, top.reading.mode)
        elif "free" in given:
            chains[name] = free_body(name, read_body(given), planar=bool(given.values.get("planar", False)))
        else:
            chains[name] = arm_of_table(_described(given), name, origin)
        chains[name] = chains[name].counting_drives(_counted(given))
        bases[name] = _place(given, "at")
    if not chains:
        raise top.fault("no chain is given; write at least one [chain.NAME]")
    return chains, bases


def _arm(given: TomlTable, arms: Mapping[str, ArmDescription], folder: Path | None, angles: str) -> ArmDescription:
    """The arm of a chain that names it: one of this file, a file beside it, or one of the catalog."""
    beside_it = [key for key in ARM if key in given and key != "drives"]
    if beside_it:
        raise given.fault(f"{beside_it[0]} describes an arm, and arm names another; keep one of the two")
    source = given.text("arm")
    if source in arms:
        return arms[source]
    beside = (folder or Path()) / source
    try:
        return read(beside if isfile(beside) else source, "ignore", angles=angles)
    except ArmError as fault:
        raise given.fault(str(fault)) from None


def _described(given: TomlTable) -> TomlTable:
    """What of a chain's table describes its arm."""
    own = {key: value for key, value in given.values.items() if key in ARM and key != "drives"}
    return TomlTable(own, given.where, given.reading)


def _counted(given: TomlTable) -> str:
    """By which model the drives of a chain count."""
    value = given.values.get("drives", False)
    if isinstance(value, bool):
        return "exact" if value else "none"
    if isinstance(value, str) and value in DRIVE_MODELS:
        return value
    raise given.fault(
        f"drives is true (rotors, transmission and friction of the arm count) or false, or a model of them, "
        f"{listed(DRIVE_MODELS)}; what they are stands with the arm, in a table [arm.NAME.drives]"
    )


def _place(given: TomlTable, key: str) -> Placement:
    place = given.table(key, ("xyz", "rpy", "steps"))
    return place.placement() if place else Placement()


def _frame(given: TomlTable) -> FrameOn:
    on = FrameOn.of(given.text("on"))
    return FrameOn(on.chain, on.link, _place(given, "at"))


def _closure(name: str, given: TomlTable) -> Closure:
    if ("kind" in given) == ("hold" in given):
        raise given.fault("give either kind (a kind of joint) or hold (a list of freedoms such as x, y, rz)")
    kind: str | tuple[str, ...] = given.text("kind") if "kind" in given else given.texts("hold")
    friction = given.real("friction", 0.0)
    closure = Closure(name, given.text("a"), given.text("b"), kind, bool(given.values.get("pushes", False)), friction)
    try:
        _ = closure.held
    except ArmError as fault:  # told with the file it stands in
        raise ArmError(f"{given.where.partition(': closure')[0]}: {fault}") from None
    return closure


def _gear(name: str, given: TomlTable) -> Gear:
    ratio = given.number("ratio", 1)
    offset = _position(given.values.get("offset", 0), f"{given.where}: offset")
    return Gear(name, given.text("joint"), given.text("master"), ratio, offset)


def _coupling(name: str, given: TomlTable) -> JointCoupling:
    return JointCoupling(name, given.text("sum"), _position(given.values.get("value", 0), f"{given.where}: value"))


def _spring(name: str, given: TomlTable) -> Spring:
    stiffness, damping = (given.number(key, 0) for key in ("stiffness", "damping"))
    try:
        return Spring(
            name,
            given.text("a", ""),
            given.text("b", ""),
            given.text("along", ""),
            stiffness,
            quantity(given.values.get("rest", 0), f"{given.where}: rest").rational,
            damping,
        )
    except ArmError as fault:
        raise ArmError(f"{given.where.partition(': spring')[0]}: {fault}") from None


def _motor(given: TomlTable) -> Actuator:
    """A motor of the mechanism itself; its ratios are to coordinates."""
    name = given.text("name")
    given = given.called(f"{given.where.partition(': drives')[0]}: motor {name!r}")
    ratios = given.needed("ratios")
    if not isinstance(ratios, Mapping) or not ratios:
        raise given.fault('ratios are a table by coordinate, such as {"rz(pin)" = 50}')
    friction, electric = given.table("friction", FRICTION), given.table("electric", ELECTRIC)
    return Actuator.of(
        name,
        {key: quantity(value, f"{given.where}: ratio to {key!r}").rational for key, value in ratios.items()},
        read_rotor(given),
        read_friction(friction) if friction is not None else None,
        read_motor(electric) if electric is not None else None,
        given.real("stall_torque", 0.0, least=0) if "stall_torque" in given else None,
        kind=given.text("kind", "rotary"),
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
