"""``dalembert mechanism``: mobility, configuration and dynamic model of a mechanism file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.io.expression import quantity

if TYPE_CHECKING:
    from dalembert.mechanisms.mechanism import Mechanism

from .printing import figures, heading, matrix, say, table
from .system_options import AnglesAre, AnglesOption, DrivesOption, GravityOption, SkipOption, numbers


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
    drive: Annotated[str, typer.Option(help="Other coordinates, as in left.joint1,right.joint2.")] = "",
    drives: DrivesOption = None,
    gravity: GravityOption = "",
    modes: Annotated[bool, typer.Option("--modes", help="List all assembly modes that random starts find.")] = False,
    skip: SkipOption = None,
    forces: Annotated[bool, typer.Option("--forces", help="Show the forces in the closures at rest.")] = False,
    angles: AnglesOption = AnglesAre.MEANT,
) -> None:
    """Show a mechanism: mobility, position, influence coefficients and the model in its coordinates."""
    from dalembert.mechanisms.mechanism_file import motors_in, read_mechanism
    from dalembert.mechanisms.position import moved_most

    found = read_mechanism(file, skip or (), angles.mode)
    moved = found.home_moved
    found = with_drives(found, drives)
    if gravity:
        found = found.with_gravity(numbers(gravity, "--gravity", (3,)))
    if drive:
        found = found.with_coordinates([word.strip() for word in drive.split(",")])
    phi = found.position(values(found, q)) if q else found.home
    print_head(found, phi)
    if np.abs(moved).max(initial=0) > 1e-6:
        say(f"To close them, {moved_most(found.assembly, moved)}, from the guess of the file")
    print_position(found, phi)
    print_model(found, phi)
    if forces:
        print_forces(found, phi)
    motors = motors_in(file)
    if motors:
        print_motors(found, motors, phi)
    if modes:
        print_modes(found, phi)


def with_drives(found: Mechanism, drives: bool | None) -> Mechanism:
    """The mechanism with its drives counted as asked; where some are described and not counted, a note says so."""
    if drives is not None:
        return found.driven if drives else found.without_drives()
    silent = [name for name, arm in found.parts.chains.items() if arm.drives and not arm.counts_drives]
    if silent:
        print(
            f"note: the links of {', '.join(silent)} alone; --drives counts the rotors and friction of the drives, "
            "--no-drives takes this note off",
            file=sys.stderr,
        )
    return found


def values(found: Mechanism, text: str) -> np.ndarray:
    """One value for each coordinate, from 0,0.5 or "10 deg, 20 deg"."""
    words = text.split(",") if "," in text else text.split()
    if len(words) != found.n:
        raise ArmError(f"--q needs {found.n} values, one for each of {', '.join(found.coordinates)}; got {len(words)}")
    return np.array([float(quantity(w.strip(), f"--q: {n}")) for w, n in zip(words, found.coordinates, strict=True)])


def print_head(found: Mechanism, phi: np.ndarray) -> None:
    """Chains and closures, mobility, singularities of the configuration, and the largest closure error."""
    from dalembert.mechanisms.singularity import report

    closures = ", ".join(closure.name for closure in found.parts.closures)
    say(f"{found.name}: chains {', '.join(found.chains.names)}; closures {closures or 'none'}")
    say(f"Mobility: {found.mobility(phi)}")
    say(f"Configuration: {report(found, phi)}")
    say(f"Loops close to {np.abs(found.closure_error(phi)).max(initial=0):.1e} (m, rad)")


def print_position(found: Mechanism, phi: np.ndarray) -> None:
    """Joint positions and influence coefficients [G^phi_q] = dphi/dq (Freeman 1985, eq. 3-15)."""
    heading("Joints [rad or m], and what a unit rate of each coordinate makes them do")
    first = found.influence(phi).first
    columns = [(name, figures(first[:, k])) for k, name in enumerate(found.coordinates)]
    table([("joint", found.joint_names), ("position", figures(phi)), *columns])


def print_model(found: Mechanism, phi: np.ndarray) -> None:
    """Inertia I*_qq and static load -T^L_q in the coordinates (Freeman 1985, eqs 4-61 and 4-62)."""
    model = found.model(phi)
    heading("Inertia I* in the coordinates")
    matrix(found.coordinates, model.inertia)
    heading("Load that holds it still")
    table(
        [
            ("coordinate", found.coordinates),
            ("value", figures(found.coordinates_of(phi))),
            ("load", figures(-model.load)),
        ]
    )


def print_forces(found: Mechanism, phi: np.ndarray) -> None:
    """Static constraint forces T_c of the closure equations (Freeman 1985, eq. 4-31)."""
    still = np.zeros(found.n)
    heading("Closure forces at rest [N, N m], on the second frame in the axes of the first")
    table([("closure", found.equation_names), ("force", figures(found.constraint_forces(phi, still, still)))])


def print_motors(found: Mechanism, names: tuple[str, ...], phi: np.ndarray) -> None:
    """Static motor loads of least sum of squares, where motors may outnumber the freedoms."""
    from dalembert.mechanisms.overconstrained import Motors

    still = np.zeros(found.n)
    shared = Motors(found, names).distribute(phi, still, still)
    heading("Loads of the motors at rest, shared with the least sum of squares")
    table([("motor", shared.motors), ("load", figures(shared.torque))])


def print_modes(found: Mechanism, phi: np.ndarray) -> None:
    """Joint positions of the assembly modes that share the coordinates of ``phi``."""
    modes = found.assembly_modes(found.coordinates_of(phi))
    heading(f"Assembly modes at these coordinates: {len(modes)} found")
    table([("joint", found.joint_names), *((str(k), figures(mode)) for k, mode in enumerate(modes, start=1))])
