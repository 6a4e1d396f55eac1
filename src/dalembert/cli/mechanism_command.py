"""``dalembert mechanism``: mobility, configuration and dynamic model of a mechanism file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.io.expression import quantity
from dalembert.mechanisms.mechanism_code import NEWTON, WRITTEN
from dalembert.systems.time_span import check_samples, check_span

if TYPE_CHECKING:
    from dalembert.mechanisms.mechanism import Mechanism

from .fmu_options import FmuRequest, fmu_command
from .mechanism_tables import (
    MechanismTable,
    acceleration_table,
    force_table,
    in_unit_of,
    joints_with_units,
    linear_tables,
    motion_tables,
    motor_table,
    power_tables,
    print_json,
    simulation_table,
    units_of,
    with_units,
)
from .notes import note
from .printing import figures, heading, matrix, say, table
from .shaping_options import AnglesAre, AnglesOption, DrivesOption, GravityOption, SkipOption
from .system_options import numbers
from .values import is_angle, note_turns, plain_number, split_words


@fmu_command
def mechanism(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A mechanism in TOML, MJCF with equality constraints, or URDF with mimic joints."
        ),
    ],
    q: Annotated[
        str, typer.Option(help="Values of the coordinates, as in 0.1,0.2; where the file puts them by default.")
    ] = "",
    qd: Annotated[str, typer.Option("--qd", metavar="VALUES", help="Speeds of the coordinates, rad/s or m/s.")] = "",
    qdd: Annotated[
        str, typer.Option("--qdd", metavar="VALUES", help="Accelerations, rad/s^2 or m/s^2: asks for the loads.")
    ] = "",
    tau: Annotated[
        str,
        typer.Option("--tau", metavar="VALUES", help="Loads at the coordinates, N m or N: asks for accelerations."),
    ] = "",
    drive: Annotated[str, typer.Option(help="Other coordinates, as in left.joint1,right.joint2.")] = "",
    drives: DrivesOption = None,
    gravity: GravityOption = "",
    modes: Annotated[bool, typer.Option("--modes", help="List all assembly modes that random starts find.")] = False,
    skip: SkipOption = None,
    forces: Annotated[
        bool, typer.Option("--forces", help="The forces in the closures at rest, or of the motion.")
    ] = False,
    power: Annotated[bool, typer.Option("--power", help="Show P*, the loads per product of two speeds.")] = False,
    linear: Annotated[
        bool, typer.Option("--linear", help="The linear model about the state or motion, and its poles.")
    ] = False,
    simulate: Annotated[
        float | None, typer.Option("--simulate", metavar="SECONDS", help="The motion under --tau from --q and --qd.")
    ] = None,
    samples: Annotated[int | None, typer.Option("--samples", help="Rows of --simulate; 11 by default.")] = None,
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw it into this SVG file.")] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write a page: the mechanism to move by hand, its loads, the motion of --to."),
    ] = None,
    to: Annotated[str, typer.Option("--to", metavar="VALUES", help="Where the motion of --page ends.")] = "",
    duration: Annotated[float | None, typer.Option("--duration", help="Seconds of the motion of --page; 1.")] = None,
    c: Annotated[
        list[str] | None,
        typer.Option("--c", metavar="FUNCTION", help=f"Write as C: {', '.join(WRITTEN)}; may be repeated."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder of --c; controller by default.")] = None,
    newton: Annotated[
        int | None, typer.Option("--newton", help="Steps of Newton in --c, from a guess to the coordinates; 3.")
    ] = None,
    equations: Annotated[
        bool, typer.Option("--equations", help="Print the exact equations: D and G of the chains, closures, slopes.")
    ] = False,
    mjcf: Annotated[
        Path | None, typer.Option("--mjcf", help="Write links and closures as MJCF for MuJoCo into this file.")
    ] = None,
    angles: AnglesOption = AnglesAre.MEANT,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
    *,
    fmu: FmuRequest,
) -> None:
    """Show a mechanism: mobility, position, model; loads of a motion, simulation, picture, page, C code."""
    from dalembert.mechanisms.mechanism_file import motors_in, read_mechanism
    from dalembert.mechanisms.position import moved_most

    needs = (
        ("--to", to, "--page", page), ("--duration", duration, "--page", page),
        ("--samples", samples, "--simulate", simulate), ("-o", output, "--c", c), ("--newton", newton, "--c", c),
    )  # fmt: skip
    for option, value, needed, needed_value in needs:
        if value not in (None, "") and needed_value is None:
            raise ArmError(f"{option} belongs to {needed}; add {needed}, or leave {option} out")
    fmu.refuse_without_file()
    if as_json and (modes or equations):
        raise ArmError("--modes and --equations are printed only; leave out --json, or leave them out")
    if qdd and tau:
        raise ArmError("--qdd asks for loads and --tau for accelerations; give one of them")
    if simulate is not None and qdd:
        raise ArmError("--qdd says how it moves and --simulate asks for that; give --tau, or leave --simulate out")
    if duration is not None and not to:
        raise ArmError("--duration belongs to a motion; say where it ends with --to")
    if duration is not None:
        check_span(duration, "--duration is")
    mechanism = read_mechanism(file, skip or (), angles.mode)
    correction = mechanism.home_moved
    mechanism = with_drives(mechanism, drives)
    if gravity:
        mechanism = mechanism.with_gravity(numbers(gravity, "--gravity", (3,)))
    if drive:
        mechanism = mechanism.with_coordinates([word.strip() for word in drive.split(",")])
    phi = mechanism.position(values(mechanism, q)) if q else mechanism.home
    speed, acceleration, load = (
        values(mechanism, text, name) for text, name in ((qd, "--qd"), (qdd, "--qdd"), (tau, "--tau"))
    )
    refuse_passive(mechanism, (("--qdd", acceleration), ("--tau", load)))
    if tau:
        acceleration = mechanism.forward_dynamics(phi, speed, load)
    elif qd or qdd:
        acceleration = mechanism.with_passive(phi, speed, acceleration)[1]
    requested = tables(mechanism, phi, speed, acceleration, load, bool(qd or qdd), bool(tau), power, linear, forces)
    if simulate is not None:
        requested.append(simulation_table(mechanism, phi, speed, load, *span(simulate, samples)))
    motors = motors_in(file)
    if motors:
        requested.append(motor_table(mechanism, motors, phi, speed, acceleration))
    written = write_files(
        mechanism, phi, picture, page, values(mechanism, to, "--to") if to else None, duration, c, output, newton
    )
    if mjcf is not None:
        mechanism.write_mjcf(mjcf)
        written.append(mjcf)
    if fmu.path is not None:
        print(fmu.write_mechanism(mechanism, phi), file=sys.stderr)
        written.append(fmu.path)
    if as_json:
        print_json(as_data(mechanism, phi), requested)
        for path in written:
            print(f"wrote {path}", file=sys.stderr)
        return
    print_head(mechanism, phi)
    if not q and np.abs(correction).max(initial=0) > 1e-6:
        say(f"To close them, {moved_most(mechanism.assembly, correction)}, from the guess of the file")
    print_position(mechanism, phi)
    print_model(mechanism, phi)
    for table_ in requested:
        table_.print()
    if modes:
        print_modes(mechanism, phi)
    if equations:
        print(mechanism.equations().text())
    for path in written:
        print(f"wrote {path}")


def tables(
    mechanism: Mechanism, phi: np.ndarray, qd: np.ndarray, qdd: np.ndarray, tau: np.ndarray,
    moving: bool, loaded: bool, power: bool, linear: bool, forces: bool,
) -> list[MechanismTable]:  # fmt: skip
    """What the options ask for; ``qdd`` are the accelerations under ``tau`` where that is given."""
    requested: list[MechanismTable] = []
    if loaded:
        requested.append(acceleration_table(mechanism, phi, qd, tau))
    elif moving:
        requested += motion_tables(mechanism, phi, qd, qdd)
    if power:
        requested += power_tables(mechanism, phi)
    if linear:
        requested += linear_tables(mechanism, phi, qd, qdd)
    if forces:
        requested.append(force_table(mechanism, phi, qd, qdd))
    return requested


def refuse_passive(mechanism: Mechanism, inputs: tuple[tuple[str, np.ndarray], ...]) -> None:
    """Nobody drives a passive coordinate: its load is zero, and its acceleration follows from that."""
    for option, amounts in inputs:
        for index in mechanism.passive_indices:
            if amounts[index]:
                raise ArmError(
                    f"{option} has {amounts[index]:g} for {mechanism.coordinates[index]}, which is passive: nobody "
                    "drives it; give 0 there, or other coordinates with --drive"
                )


def span(seconds: float, samples: int | None) -> tuple[float, int]:
    """Length and rows of a simulation."""
    rows = 11 if samples is None else samples
    check_span(seconds, "--simulate is")
    check_samples(rows, "--samples is", 2)
    return seconds, rows


def write_files(
    mechanism: Mechanism, phi: np.ndarray, picture: Path | None, page: Path | None, to: np.ndarray | None,
    duration: float | None, c: list[str] | None, output: Path | None, newton: int | None,
) -> list[Path]:  # fmt: skip
    """Picture, page and C that are asked for; the files written."""
    written: list[Path] = []
    if picture is not None:
        from dalembert.report.mechanism_picture import write_mechanism_picture

        write_mechanism_picture(mechanism, picture, phi)
        written.append(picture)
    if page is not None:
        from dalembert.report.mechanism_page import write_mechanism_page

        q = mechanism.coordinates_of(phi)
        write_mechanism_page(mechanism, page, q, to, 1.0 if duration is None else duration)
        written.append(page)
    for name in dict.fromkeys(c or ()):
        written += mechanism.write_c(
            name, Path("controller") if output is None else output, NEWTON if newton is None else newton
        )
    return list(dict.fromkeys(written))


def as_data(mechanism: Mechanism, phi: np.ndarray) -> dict[str, Any]:
    """The mechanism at a configuration, for JSON."""
    mobility = mechanism.mobility(phi)
    model = mechanism.model(phi)
    units = units_of(mechanism)
    return {
        "name": mechanism.name,
        "chains": list(mechanism.chains.names),
        "closures": [closure.name for closure in mechanism.parts.closures],
        "mobility": str(mobility),
        "closure_error": float(np.abs(mechanism.closure_error(phi)).max(initial=0.0)),
        "coordinates": [
            {"name": name, "unit": unit, "load_unit": load}
            for name, (unit, load) in zip(mechanism.coordinates, units, strict=True)
        ],
        "q": mechanism.coordinates_of(phi).tolist(),
        "joints": [
            {"name": name, "unit": "rad" if turns else "m"}
            for name, turns in zip(mechanism.joint_names, mechanism.chains.revolute, strict=True)
        ],
        "phi": phi.tolist(),
        "first_influence": mechanism.influence(phi).first.tolist(),
        "inertia_matrix": model.inertia.tolist(),
        "static_load": (-model.load).tolist(),
    }


def with_drives(mechanism: Mechanism, drives: bool | None) -> Mechanism:
    """The mechanism with its drives counted as asked; where some are described and not counted, a note says so."""
    if drives and not mechanism.parts.drives and not any(arm.drives for arm in mechanism.parts.chains.values()):
        raise ArmError(
            f"{mechanism.name}: no chain of it describes drives, and it has none of its own; describe them in its "
            "file, or leave --drives out"
        )
    if drives is not None:
        return mechanism.driven if drives else mechanism.without_drives()
    uncounted = [name for name, arm in mechanism.parts.chains.items() if arm.drives and not arm.counts_drives]
    if uncounted:
        note(
            f"the links of {', '.join(uncounted)} alone; --drives counts the rotors and friction of the drives, "
            "--no-drives takes this note off"
        )
    return mechanism


def mechanism_at(name: str, options: Mapping[str, Any]) -> Mechanism | None:
    """The mechanism of a mechanism file under the options that were given; None where ``name`` is an arm."""
    from dalembert.arm.io.text_files import read_text
    from dalembert.arm.io.toml_arm import is_mechanism
    from dalembert.mechanisms.mechanism_file import read_mechanism

    path = Path(name)
    if path.suffix.lower() != ".toml" or not path.is_file() or not is_mechanism(read_text(path), name):
        return None
    refused = [option for option in options if option not in ("drives", "gravity", "angles")]
    if refused:
        raise ArmError(f"{name}: --{refused[0].replace('_', '-')} shapes an arm, and this is a mechanism; leave it out")
    angles = options.get("angles", AnglesAre.MEANT)
    mechanism = with_drives(read_mechanism(path, (), angles.mode), options.get("drives"))
    return mechanism.with_gravity(numbers(options["gravity"], "--gravity", (3,))) if "gravity" in options else mechanism


def values(mechanism: Mechanism, text: str, option: str = "--q") -> np.ndarray:
    """One value for each coordinate, from 0,0.5 or "10 deg, 20 deg"; zeros where there is no text."""
    if not text:
        return np.zeros(mechanism.n)
    words = split_words(text)
    if len(words) != mechanism.n:
        names = ", ".join(mechanism.coordinates)
        raise ArmError(f"{option} needs {mechanism.n} values, one for each of {names}; got {len(words)}")
    if option == "--tau":
        return np.array([plain_number(word.strip(), option) for word in words])
    amounts = []
    for word, name, (unit, _) in zip(words, mechanism.coordinates, units_of(mechanism), strict=True):
        number = quantity(word.strip(), f"{option}: {name}")
        if unit == "m" and is_angle(number, word):
            raise ArmError(f"{option}: {name} slides, so its value is in metres, not the angle {word.strip()!r}")
        amounts.append(float(number))
    if option in ("--q", "--to"):
        turning = [unit == "rad" for unit, _ in units_of(mechanism)]
        note_turns(option, compress(zip(mechanism.coordinates, words, amounts, strict=True), turning))
    return np.array(amounts)


def print_head(mechanism: Mechanism, phi: np.ndarray) -> None:
    """Chains and closures, mobility, singularities of the configuration, and the largest closure error."""
    from dalembert.mechanisms.singularity import report

    closures = ", ".join(closure.name for closure in mechanism.parts.closures)
    say(f"{mechanism.name}: chains {', '.join(mechanism.chains.names)}; closures {closures or 'none'}")
    say(f"Mobility: {mechanism.mobility(phi)}")
    say(f"Configuration: {report(mechanism, phi)}")
    say(f"Loops close to {np.abs(mechanism.closure_error(phi)).max(initial=0):.1e} (m, rad)")


def print_position(mechanism: Mechanism, phi: np.ndarray) -> None:
    """Joint positions and influence coefficients [G^phi_q] = dphi/dq (Freeman 1985, eq. 3-15)."""
    heading("Joints, and what a unit rate of each coordinate makes them do")
    first = mechanism.influence(phi).first
    columns = [(f"per {name}", figures(first[:, k])) for k, name in enumerate(with_units(mechanism))]
    table([("joint [unit]", joints_with_units(mechanism)), ("position", figures(phi)), *columns])


def print_model(mechanism: Mechanism, phi: np.ndarray) -> None:
    """Inertia I*_qq and static load -T^L_q in the coordinates (Freeman 1985, eqs 4-61 and 4-62)."""
    model = mechanism.model(phi)
    efforts = {effort for _, effort in units_of(mechanism)}
    unit = "kg m^2" if efforts == {"N m"} else "kg" if efforts == {"N"} else "kg m^2, kg m or kg, as they turn or slide"
    heading(f"Inertia I* in the coordinates [{unit}]")
    matrix(mechanism.coordinates, model.inertia)
    heading("Load that holds it still")
    names = with_units(mechanism)
    table(
        [
            ("coordinate [unit]", names),
            ("value", figures(mechanism.coordinates_of(phi))),
            (in_unit_of("load [N m or N]", names), figures(-model.load)),
        ]
    )


def print_modes(mechanism: Mechanism, phi: np.ndarray) -> None:
    """Joint positions of the assembly modes that share the coordinates of ``phi``."""
    modes = mechanism.assembly_modes(mechanism.coordinates_of(phi))
    heading(f"Assembly modes at these coordinates: {len(modes)} found")
    table([("joint", mechanism.joint_names), *((str(k), figures(mode)) for k, mode in enumerate(modes, start=1))])
