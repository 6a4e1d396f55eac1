"""``dalembert dynamics``: the torques of one state, by their causes.

tau = D(q) qdd + h(q, qd) + G(q), with h split into centrifugal (squared speeds) and Coriolis terms (products
of two different speeds), as in Bejczy 1974, eq. (1).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError

from .printing import figures, heading, joints_with_units, matrix, paragraph, say, table, unit
from .system_options import system_command
from .values import joint_values, note_outside_limits

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.slow_fast import Reactions
    from dalembert.equations.components import Component

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
    mass_matrix: Annotated[bool, typer.Option("--mass-matrix", help="Print the mass matrix D(q) as well.")] = False,
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
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
) -> None:
    """Joint torques and forces of a motion, split into inertia, velocity and gravity parts."""
    given = system
    options = (("--q", q), ("--qd", qd), ("--qdd", qdd))
    position, speed, acceleration = (joint_values(given, option, text, degrees) for option, text in options)
    note_outside_limits(given, position)
    found = efforts(given, position, speed, acceleration)
    lists = listed_components(given, components, position) if components else {}
    felt = () if slow_fast is None else given.analysis().slow_fast_at(position, speed, acceleration, slow_fast)
    if as_json:
        data = as_data(given, position, speed, acceleration, found)
        if components:
            data["components"] = {name: [asdict(one) for one in parts] for name, parts in lists.items()}
        if felt:
            data["slow_fast"] = [finite(asdict(one)) for one in felt]
        print(json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False))
        return
    say(f"{given.name}: {given.title}" if given.title else given.name)
    say(about(given))
    print_state(given, position, speed, acceleration)
    print_torques(given, found)
    if mass_matrix:
        print_mass_matrix(given, position)
    for name, parts in lists.items():
        print_components(name, parts)
    if felt and slow_fast is not None:
        print_slow_fast(felt, slow_fast)


def finite(row: dict[str, object]) -> dict[str, object]:
    """The row with None for what is infinite, which JSON cannot hold."""
    return {key: None if value == float("inf") else value for key, value in row.items()}


def print_slow_fast(felt: tuple[Reactions, ...], share: float) -> None:
    """What the joints feel of their own motion and of that of others (Bejczy 1974, section II)."""
    heading(f"Slow or fast: reactions beside own inertia and gravity, slow up to {100 * share:g} percent")

    def shown(values: list[float]) -> list[str]:
        written = iter(figures(x for x in values if x != float("inf")))
        return ["-" if x == float("inf") else next(written) for x in values]

    table([("joint [unit]", [f"{one.joint} [{one.unit}]" for one in felt]),
           ("own inertia\nD_ii qdd_i", figures(one.inertia for one in felt)),
           ("gravity\nG_i", figures(one.gravity for one in felt)),
           ("of others\nD_ij qdd_j", figures(one.acceleration for one in felt)),
           ("of speeds\nh_i", figures(one.velocity for one in felt)),
           ("share\npercent", shown([100 * one.share for one in felt])),
           ("", ["slow" if one.slow else "fast" for one in felt]),
           ("fast from\npace", shown([one.pace for one in felt]))])  # fmt: skip
    paragraph(
        "At pace p the motion has p times the speeds and p^2 times the accelerations. A dash: slow at every pace."
    )


def listed_components(arm: System, text: str, q: np.ndarray) -> dict[str, tuple[Component, ...]]:
    """The components of the named coefficients at a pose, in masses, mass centres and radii of gyration."""
    from dalembert.equations.names import canonical, separate

    equations = arm.equations("gyration+lengths+gravity")
    return {canonical(name, arm.n): equations.components(name, q) for name in separate(text)}


def print_components(name: str, parts: tuple[Component, ...]) -> None:
    """The list of section VII.A of Bejczy 1974: constant components, varying ones, their sums."""
    heading(f"Components of {name} at this pose" + ("" if parts else ": it is zero"))
    if not parts:
        return
    rows = [(link_name(one.link), one.formula, one.value) for one in parts if one.constant]
    if rows:
        rows.append(("", "constant", sum(row[2] for row in rows)))
    varying = [(link_name(one.link), one.formula, one.value) for one in parts if not one.constant]
    rows += varying
    if varying and len(rows) > len(varying):
        rows.append(("", "varying", sum(row[2] for row in varying)))
    rows.append(("", name, sum(one.value for one in parts)))
    table([("link", [row[0] for row in rows]), (f"value\n{parts[0].unit}", figures(row[2] for row in rows)),
           ("component", [row[1] for row in rows])], wide="component")  # fmt: skip


def link_name(link: int | str) -> str:
    """The link of a component as a word."""
    return {"L": "load", "drives": "drives"}.get(str(link), str(link))


def about(arm: ArmDescription) -> str:
    """Drives and loads of the system, as a phrase."""
    held = ", ".join(f"{float(load.body.mass):g} kg on {link}" for link, load in arm.loads)
    drives = f"with its drives (rotors: {arm.drive_model})" if arm.counts_drives else "the links alone"
    return drives + (f", holding {held}" if held else "")


def efforts(arm: System, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict[str, np.ndarray]:
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
        "total": parts.total,
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
