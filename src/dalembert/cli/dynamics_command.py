"""``dalembert dynamics``: the torques of one state, by their causes.

tau = D(q) qdd + h(q, qd) + G(q), with h split into centrifugal (squared speeds) and Coriolis terms (products
of two different speeds), as in Bejczy 1974, eq. (1). With drives also at the motors: torques, currents, voltages, and
the bands within which friction holds what stands. Under a given torque, current or voltage it answers the direct
problem: accelerations, and who stands or starts.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase

from .component_tables import listed_components, print_components, print_slow_fast
from .input_options import CURRENT_HELP, TORQUE_HELP, VOLTAGE_HELP, DriveInput, drive_input
from .linear_tables import linear_data, linear_model, print_linear
from .motor_tables import direct_problem, motors_of_motion, print_direct_problem, print_motor_inertia, print_motors
from .printing import figures, heading, joints_with_units, json_text, matrix, say, table, unit, units_by_quantity
from .system_options import system_command
from .values import joint_values, note_outside_limits

if TYPE_CHECKING:
    from dalembert.api.driven_arm import DrivenArm
    from dalembert.api.questions import SystemQuestions as System

HOW = "One value for each joint, base first: 0,0.5,-1 or 'pi/2 0 -0.1'. Zeros if left out."


@system_command
def dynamics(
    system: System,
    q: Annotated[str | None, typer.Option("--q", metavar="VALUES", help=f"Positions, rad or m. {HOW}")] = None,
    qd: Annotated[str | None, typer.Option("--qd", metavar="VALUES", help="Speeds, rad/s or m/s.")] = None,
    qdd: Annotated[str | None, typer.Option("--qdd", metavar="VALUES", help="Accelerations, rad/s^2 or m/s^2.")] = None,
    degrees: Annotated[
        bool,
        typer.Option("--degrees", help="Plain values of revolute joints are in degrees; prismatic ones stay in m."),
    ] = False,
    formulation: Annotated[
        str,
        typer.Option(
            help="Which formulation gives the total: newton-euler, lagrange-euler, generalized-dalembert, influence, "
            "tourassis-neuman."
        ),
    ] = "newton-euler",
    split: Annotated[
        bool, typer.Option("--split", help="Translation and rotation apart: D qdd, H and kinetic energy.")
    ] = False,
    jerk: Annotated[
        str | None,
        typer.Option("--jerk", metavar="VALUES", help="rad/s^3 or m/s^3: counts L di/dt in the motor voltages."),
    ] = None,
    torque: Annotated[
        str | None,
        typer.Option("--torque", metavar="VALUES", help=f"{TORQUE_HELP} Asks for accelerations, in place of --qdd."),
    ] = None,
    current: Annotated[
        str | None, typer.Option("--current", metavar="VALUES", help=f"{CURRENT_HELP} Asks for accelerations.")
    ] = None,
    voltage: Annotated[
        str | None,
        typer.Option(
            "--voltage", metavar="VALUES", help=f"{VOLTAGE_HELP} Asks for accelerations, currents having settled."
        ),
    ] = None,
    mass_matrix: Annotated[
        bool, typer.Option("--mass-matrix", help="Print the mass matrix D(q) as well, and the inertia at the motors.")
    ] = False,
    components: Annotated[
        str,
        typer.Option(
            "--components", metavar="NAMES", help="What makes up these coefficients at --q, link by link: D11,D22,G2."
        ),
    ] = "",
    slow_fast: Annotated[
        float | None,
        typer.Option(
            "--slow-fast",
            metavar="SHARE",
            help="Whether the motion is dynamically slow: reactions to other joints and speeds within this share of "
            "own inertia and gravity, such as 0.05.",
        ),
    ] = None,
    linear: Annotated[
        bool,
        typer.Option("--linear", help="The linear model about the state, for a controller: A, B and poles; SI units."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
) -> None:
    """Torques of a motion at joints and motors, or accelerations under torques, currents or voltages."""
    input_ = drive_input(system, torque, current, voltage)
    if input_ is not None:
        refused: dict[str, object] = {"--qdd": qdd, "--jerk": jerk, "--components": components or None}
        refused |= {"--slow-fast": slow_fast, "--split": split or None, "--linear": linear or None}
        refused |= {"--formulation": None if formulation == "newton-euler" else formulation}
        for option, text in refused.items():
            if text is not None:
                raise ArmError(f"{option} belongs to a motion, and {input_.option} asks for one; give one of them")
        start, speeds = joint_values(system, "--q", q, degrees), joint_values(system, "--qd", qd, degrees)
        note_outside_limits(system, start)
        answer_direct_problem(system, input_, start, speeds, mass_matrix, as_json)
        return
    if jerk is not None and not system.counts_drives:
        raise ArmError("--jerk belongs to the voltages of motors; count the drives with --drives")
    options = (("--q", q), ("--qd", qd), ("--qdd", qdd))
    position, speed, acceleration = (joint_values(system, option, text, degrees) for option, text in options)
    note_outside_limits(system, position)
    efforts_by_cause = efforts(system, position, speed, acceleration, formulation)
    jerks = None if jerk is None else joint_values(system, "--jerk", jerk, degrees)
    driven = at_the_motors(system)
    motors = None if driven is None else motors_of_motion(driven, position, speed, acceleration, jerks)
    lists = listed_components(system, components, position) if components else {}
    reactions = () if slow_fast is None else system.analysis().slow_fast_at(position, speed, acceleration, slow_fast)
    if as_json:
        data = as_data(system, position, speed, acceleration, efforts_by_cause) | {"formulation": formulation}
        data["motors"] = None if motors is None else listed_values(motors)
        if split:
            data["split"] = split_data(system, position, speed, acceleration)
        if components:
            data["components"] = {name: [asdict(item) for item in parts] for name, parts in lists.items()}
        if linear:
            data["linear"] = linear_data(linear_model(system, position, speed, acceleration))
        if reactions:
            data["slow_fast"] = [asdict(item) for item in reactions]
        print(json_text(data))
        return
    say(f"{system.name}: {system.title}" if system.title else system.name)
    say(system_phrase(system))
    print_state(system, position, speed, acceleration)
    print_torques(system, efforts_by_cause)
    if split:
        print_split(system, position, speed, acceleration)
    if driven is not None and motors is not None:
        print_motors(driven, motors, bool(speed.any() or acceleration.any()), jerks)
    elif system.counts_drives and len(system.drives.actuators) != system.n:
        say(f"{len(system.drives.actuators)} motors turn with {system.n} joints: the share of each is not determined.")
    if mass_matrix:
        print_mass_matrix(system, position)
        if driven is not None and motors is not None:
            print_motor_inertia(driven, motors)
    for name, parts in lists.items():
        print_components(name, parts)
    if linear:
        print_linear(system, linear_model(system, position, speed, acceleration))
    if reactions and slow_fast is not None:
        print_slow_fast(reactions, slow_fast)


def at_the_motors(system: System) -> DrivenArm | None:
    """The system seen from its motors; None where drives do not count, or no motor torque follows from a joint's."""
    if not system.counts_drives or not system.drives or len(system.drives.actuators) != system.n:
        return None
    from dalembert.api.driven_arm import DrivenArm

    return DrivenArm.of(system, system.drive_model)


def listed_values(results: dict[str, Any]) -> dict[str, Any]:
    """Arrays as lists, as JSON can hold them."""
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in results.items()}


def answer_direct_problem(
    system: System, input_: DriveInput, q: np.ndarray, qd: np.ndarray, mass_matrix: bool, as_json: bool
) -> None:
    """The accelerations under an input."""
    solution = direct_problem(system, input_, q, qd)
    if as_json:
        plant = input_.plant(system)
        data = {
            **system_data(system),
            "q": q.tolist(),
            "qd": qd.tolist(),
            "input": {
                "kind": input_.kind,
                "names": list(plant.input_names),
                "units": list(plant.input_units),
                "values": input_.constant(system).tolist(),
            },
            **listed_values(solution),
            "mass_matrix": system.mass_matrix(q).tolist(),
        }
        print(json_text(data))
        return
    say(f"{system.name}: {system.title}" if system.title else system.name)
    say(system_phrase(system))
    print_state(system, q, qd)
    print_direct_problem(system, input_, solution)
    if mass_matrix:
        print_mass_matrix(system, q)


def efforts(
    arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, formulation: str = "newton-euler"
) -> dict[str, np.ndarray]:
    """The torques by cause; total = inertia + velocity + gravity, plus friction, springs and dampers."""
    if not arm.n:
        raise ArmError(
            f"{arm.where}{arm.name}: no joint moves, so there are no torques; name an arm with moving joints"
        )
    parts = arm.parts(q, qd, qdd)
    torques = {
        "inertia": parts.inertia,
        "velocity": parts.velocity,
        "centrifugal": parts.centrifugal,
        "coriolis": parts.coriolis,
        "gravity": parts.gravity,
        "total": arm.inverse_dynamics(q, qd, qdd, formulation),
    }
    if arm.counts_drives:
        torques["friction"] = parts.friction
    if arm.elastic:
        torques["elastic"] = parts.elastic
    return torques


def system_data(arm: System) -> dict[str, object]:
    """The system that answers and the units of its joints; a load's centre and inertia (about it) are in link axes."""
    return {
        "arm": arm.name,
        "joints": list(arm.joint_names),
        "units": units_by_quantity(arm, "position", "speed", "acceleration", "effort"),
        "gravity": [float(g) for g in arm.gravity],
        "drives": arm.drive_model,
        "loads": [
            {
                "link": link,
                "mass": float(load.body.mass),
                "com": [float(x) for x in load.body.com],
                "inertia": [[float(x) for x in row] for row in load.body.central],
            }
            for link, load in arm.loads
        ],
    }


def as_data(
    arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, efforts_by_cause: dict[str, np.ndarray]
) -> dict[str, object]:
    """The whole answer in SI units, as JSON can hold it."""
    return {
        **system_data(arm),
        "q": q.tolist(),
        "qd": qd.tolist(),
        "qdd": qdd.tolist(),
        "effort": {cause: values.tolist() for cause, values in efforts_by_cause.items()},
        "mass_matrix": arm.mass_matrix(q).tolist(),
    }


def print_state(arm: System, *state: np.ndarray) -> None:
    """Joint positions and speeds, and accelerations where they are given, with their units."""
    quantities = ("position", "speed", "acceleration")[: len(state)]
    heading("State")
    table(
        [
            ("joint", arm.joint_names),
            *((quantity, figures(values)) for quantity, values in zip(quantities, state, strict=True)),
            ("units", [", ".join(unit(j, quantity) for quantity in quantities) for j in arm.moving]),
        ]
    )


def print_torques(arm: System, efforts_by_cause: dict[str, np.ndarray]) -> None:
    """The table of torques by cause."""
    columns = {
        "inertia\nD qdd": efforts_by_cause["inertia"],
        "centrifugal\nqd_j^2": efforts_by_cause["centrifugal"],
        "Coriolis\nqd_j qd_k": efforts_by_cause["coriolis"],
        "gravity\nG": efforts_by_cause["gravity"],
        **({"friction\nF": efforts_by_cause["friction"]} if "friction" in efforts_by_cause else {}),
        **({"springs,\ndampers": efforts_by_cause["elastic"]} if "elastic" in efforts_by_cause else {}),
        "total\ntau": efforts_by_cause["total"],
    }
    scale = max(float(np.max(np.abs(values), initial=0.0)) for values in columns.values())
    heading("Torques and forces at the joints")
    table(
        [
            joints_with_units(arm, "effort"),
            *((header, figures(values, scale)) for header, values in columns.items()),
        ]
    )
    say("The velocity part h(q, qd) is the sum of centrifugal and Coriolis.")


def split_data(arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict[str, object]:
    """D qdd, H and kinetic energy by translation and rotation (Lee, Lee and Nigam 1982, eqs 10, 30-32)."""
    parts, energy = arm.parts(q, qd, qdd), arm.kinetic_energy_parts(q, qd)
    shares = {"translational": parts.translational, "rotational": parts.rotational}
    return {
        **{
            name: {"inertia": share.inertia.tolist(), "velocity": share.velocity.tolist()}
            for name, share in shares.items()
        },
        "kinetic_energy": {
            "translational": float(energy.translational), "rotational": float(energy.rotational), "unit": "J",
        },
    }  # fmt: skip


def print_split(arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
    """The same as a table."""
    parts, energy = arm.parts(q, qd, qdd), arm.kinetic_energy_parts(q, qd)
    columns = {
        "D qdd,\ntranslation": parts.translational.inertia,
        "D qdd,\nrotation": parts.rotational.inertia,
        "H,\ntranslation": parts.translational.velocity,
        "H,\nrotation": parts.rotational.velocity,
    }
    scale = max(float(np.max(np.abs(values), initial=0.0)) for values in columns.values())
    heading("Translation of the mass centres, rotation about them")
    table([joints_with_units(arm, "effort"), *((head, figures(values, scale)) for head, values in columns.items())])
    move, turn = float(energy.translational), float(energy.rotational)
    say(f"Kinetic energy: {move:.6g} J of translation, {turn:.6g} J of rotation. Gravity is all translation.")


def print_mass_matrix(arm: System, q: np.ndarray) -> None:
    """The mass matrix D(q), rows and columns labelled by joint, and its units."""
    heading("Mass matrix D")
    matrix(arm.joint_names, arm.mass_matrix(q))
    kinds = {joint.kind for joint in arm.moving}
    if kinds == {"revolute"}:
        say("in kg m^2")
    elif kinds == {"prismatic"}:
        say("in kg")
    else:
        say("in kg m^2 between revolute joints, kg between prismatic ones, kg m across")
