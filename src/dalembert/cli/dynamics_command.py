"""``dalembert dynamics``: the torques of one state, by their causes.

tau = D(q) qdd + h(q, qd) + G(q), with h split into centrifugal (squared speeds) and Coriolis terms (products
of two different speeds), as in Bejczy 1974, eq. (1).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError

from .printing import figures, heading, joints_with_units, matrix, say, table, unit
from .system_options import system_command
from .values import joint_values, note_outside_limits

if TYPE_CHECKING:
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
    mass_matrix: Annotated[bool, typer.Option("--mass-matrix", help="Print the mass matrix D(q) as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
) -> None:
    """Joint torques and forces of a motion, split into inertia, velocity and gravity parts."""
    given = system
    options = (("--q", q), ("--qd", qd), ("--qdd", qdd))
    position, speed, acceleration = (joint_values(given, option, text, degrees) for option, text in options)
    note_outside_limits(given, position)
    found = efforts(given, position, speed, acceleration, formulation)
    if as_json:
        data = as_data(given, position, speed, acceleration, found)
        data |= {"formulation": formulation}
        if split:
            data |= {"split": split_data(given, position, speed, acceleration)}
        print(json.dumps(data, indent=2, allow_nan=False))
        return
    say(f"{given.name}: {given.title}" if given.title else given.name)
    say(about(given))
    print_state(given, position, speed, acceleration)
    print_torques(given, found)
    if split:
        print_split(given, position, speed, acceleration)
    if mass_matrix:
        print_mass_matrix(given, position)


def about(arm: ArmDescription) -> str:
    """Drives and loads of the system, as a phrase."""
    held = ", ".join(f"{float(load.body.mass):g} kg on {link}" for link, load in arm.loads)
    drives = f"with its drives (rotors: {arm.drive_model})" if arm.counts_drives else "the links alone"
    return drives + (f", holding {held}" if held else "")


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


def as_data(
    arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, found: dict[str, np.ndarray]
) -> dict[str, object]:
    """The whole answer in SI units, as JSON can hold it."""
    return {
        "arm": arm.name,
        "joints": list(arm.joint_names),
        "units": {
            quantity: [unit(joint, quantity) for joint in arm.moving]
            for quantity in ("position", "speed", "acceleration", "effort")
        },
        "gravity": [float(g) for g in arm.gravity],
        "drives": arm.drive_model,
        "loads": [{"link": link, "mass": float(held.body.mass)} for link, held in arm.loads],
        "q": q.tolist(),
        "qd": qd.tolist(),
        "qdd": qdd.tolist(),
        "effort": {cause: values.tolist() for cause, values in found.items()},
        "mass_matrix": arm.mass_matrix(q).tolist(),
    }


def print_state(arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
    """Joint positions, speeds and accelerations with their units."""
    heading("State")
    table(
        [
            ("joint", arm.joint_names),
            ("position", figures(q)),
            ("speed", figures(qd)),
            ("acceleration", figures(qdd)),
            ("units", [", ".join(unit(j, what) for what in ("position", "speed", "acceleration")) for j in arm.moving]),
        ]
    )


def print_torques(arm: System, found: dict[str, np.ndarray]) -> None:
    """The table of torques by cause."""
    columns = {
        "inertia\nD qdd": found["inertia"],
        "centrifugal\nqd_j^2": found["centrifugal"],
        "Coriolis\nqd_j qd_k": found["coriolis"],
        "gravity\nG": found["gravity"],
        **({"friction\nF": found["friction"]} if "friction" in found else {}),
        **({"springs,\ndampers": found["elastic"]} if "elastic" in found else {}),
        "total\ntau": found["total"],
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
