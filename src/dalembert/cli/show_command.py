"""``dalembert show``: an arm as its description has it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.description import ArmDescription, listed
from dalembert.arm.errors import ArmError
from dalembert.arm.following import followers_phrase
from dalembert.arm.io.mesh_paths import folder_of, mesh_path
from dalembert.arm.moving_parts import MovingBody
from dalembert.arm.real_bodies import impossible

from .geometry import print_geometry, roll_pitch_yaw
from .list_command import pattern
from .printing import figures, finite_figures, heading, paragraph, say, table, unit
from .system_options import system_command
from .values import joint_values

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.arm.shaft_friction import Friction

TORQUE, FORCE = ("kg m^2", "N m s/rad", "N m"), ("kg", "N s/m", "N")
"""Units of the inertia, the viscous friction and the torque of a motor, and of one that is a force on its joint."""


class About(StrEnum):
    """The point that moments of inertia are about."""

    centre = "centre"
    frame = "frame"


@system_command
def show(
    system: System,
    about: Annotated[
        About, typer.Option(help="Inertia tensors of the links about their mass centres, or about their frames.")
    ] = About.centre,
    ounces: Annotated[
        bool, typer.Option("--ounces", help="Links and drives in ounces (force), inches and seconds.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw the links as bars into this SVG file.")] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write a page of it at this pose, in 3D, with its physics, to this HTML file.")
    ] = None,
    q: Annotated[str | None, typer.Option("--q", help="Joint positions of the picture and the page (rad, m).")] = None,
) -> None:
    """Show an arm: its joints, where they stand, its links, its drives and where the numbers come from."""
    if q is not None and picture is None and page is None:
        raise ArmError(
            "--q says where the arm stands in a picture or on a page: name it by --picture FILE.svg or --page FILE.html"
        )
    pose = None if q is None else joint_values(system, "--q", q)
    if picture is not None:
        system.picture(picture, pose)
    if page is not None:
        system.page(page, pose)
    print_head(system)
    if system.n:
        print_joints(system)
        print_followers(system)
    if system.joints:
        print_geometry(system)
    print_links(system, about, ounces)
    print_looks(system)
    print_drives(system, ounces)
    print_sources(system)


def print_head(arm: ArmDescription) -> None:
    """Name and title, joint types, gravity (m/s^2) and tool frame."""
    say(f"{arm.name}: {arm.title}" if arm.title else arm.name)
    gravity = ", ".join(f"{float(g):g}" for g in arm.gravity)
    joints = f"{arm.n} joint{'s' * (arm.n != 1)} ({pattern(arm)}){followers_phrase(arm.followers)}"
    count = joints if arm.n else "no moving joint"
    say(f"{count}, gravity ({gravity}) m/s^2 in the base frame, tool on {arm.tool_link}")
    if not arm.tool.is_identity():
        x, y, z = (f"{float(x):g}" for x in arm.tool.position)
        roll, pitch, yaw = (f"{angle:g}" for angle in roll_pitch_yaw(arm.tool))
        say(f"Tool frame at ({x}, {y}, {z}) m, roll pitch yaw ({roll}, {pitch}, {yaw}) deg on it")


def print_joints(arm: ArmDescription) -> None:
    """Type and limits of the joints that move; a dash where the description gives no limit."""
    heading("Joints")
    limits = [joint.limits for joint in arm.moving]
    table(
        [
            ("joint", arm.joint_names),
            ("type", [joint.kind for joint in arm.moving]),
            ("from", finite_figures(limit.lower for limit in limits)),
            ("to", finite_figures(limit.upper for limit in limits)),
            ("speed", finite_figures(limit.velocity for limit in limits)),
            ("effort", finite_figures(limit.effort for limit in limits)),
            (
                "units",
                [", ".join(unit(j, quantity) for quantity in ("position", "speed", "effort")) for j in arm.moving],
            ),
        ]
    )


def print_followers(arm: ArmDescription) -> None:
    """The joints that follow others, and how."""
    if not arm.followers:
        return
    heading("Joints that follow others")
    table(
        [
            ("joint", [joint.name for joint in arm.followers]),
            ("type", [joint.kind for joint in arm.followers]),
            ("stands at (rad, m)", [str(joint.follows) for joint in arm.followers]),
        ]
    )


def measured(unit: str, ounces: bool) -> tuple[float, str]:
    """The factor from an SI unit, and the name of what is printed: itself, or its like in ounces."""
    if not ounces:
        return 1.0, unit
    # Only here, since the analyses take their time to start.
    from dalembert.design.ounces import UNITS

    return UNITS[unit]


def print_links(arm: ArmDescription, about: About = About.centre, ounces: bool = False) -> None:
    """Mass, mass centre and inertia tensor, in the axes of the link frame."""
    (mass, mass_unit), (length, length_unit), (moment, moment_unit) = (
        measured(u, ounces) for u in ("kg", "m", "kg m^2")
    )
    links = [link for link in arm.links if link.inertia]
    massless = [link.name for link in arm.links if not link.inertia]
    if links:
        names = [link.name for link in links]
        heading("Links: mass and mass centre in the link frame")
        centres = [[float(x) for x in link.inertia.com] for link in links]
        table(
            [
                ("link", names),
                (f"mass\n{mass_unit}", figures(mass * float(link.inertia.mass) for link in links)),
                *(
                    (f"{axis}\n{length_unit}", figures(length * row[k] for row in centres))
                    for k, axis in enumerate("xyz")
                ),
            ]
        )
        tensors = [link.inertia.tensor if about is About.frame else link.inertia.central for link in links]
        entries = {
            f"I{'xyz'[i]}{'xyz'[j]}\n{moment_unit}": [moment * float(tensor[i][j]) for tensor in tensors]
            for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        }
        nonzero = [(header, figures(entry)) for header, entry in entries.items() if any(entry)]
        if nonzero:
            point = "the origin of the link frame" if about is About.frame else "the mass centre"
            heading(f"Inertia tensor about {point}, axes of the link frame")
            table([("link", names), *nonzero])
    if massless:
        say(f"\nWithout mass: {', '.join(massless)}")
    for name, load in arm.loads:
        say(f"\nLoad on {name}: {mass * float(load.body.mass):g} {mass_unit}")
    faults = impossible(arm)
    if faults:
        heading("No real body has these inertias; they are used exactly as given")
        for name, fault in faults.items():
            paragraph(f"- {name}: {fault}")


def print_looks(arm: ArmDescription) -> None:
    """How many shapes the links have, and which of their meshes are not to be had."""
    shapes = [shape for link in arm.links for shape in link.shapes]
    if not shapes:
        return
    say()
    counts = Counter(shape.kind for shape in shapes if not shape.fault)
    paragraph(f"Shapes of the links: {listed(f'{count} {kind}' for kind, count in counts.items())}")
    folder = folder_of(arm.origin)
    faults = dict.fromkeys(shape.fault for shape in shapes if shape.fault)
    for mesh in dict.fromkeys(shape.file for shape in shapes if shape.kind == "mesh" and not shape.fault):
        try:
            path = mesh_path(mesh, folder)
            faults |= {} if path.is_file() else {f"{path}: there is no such file": None}
        except ArmError as fault:
            faults[str(fault)] = None
    if faults:
        paragraph(f"Not shown: {listed(faults, 5)}")


def print_drives(arm: ArmDescription, ounces: bool = False) -> None:
    """Drives as described; a dash for unknown values, units for each motor, since one may be a force."""
    from dalembert.arm.motor_units import is_force

    if not arm.drives:
        return
    motors = arm.drives.actuators
    pushes = [is_force(arm, number) for number in range(len(motors))]
    units = [[measured(u, ounces) for u in (FORCE if push else TORQUE)] for push in pushes]
    inertia, viscous, effort = ([row[k][0] for row in units] for k in range(3))
    moving = [motor.friction.moving for motor in motors]
    slides = any(joint.kind == "prismatic" for joint in arm.moving)

    def column(values: Iterable[float | None], factors: list[float]) -> list[float | None]:
        return [value * factor if value else None for value, factor in zip(values, factors, strict=True)]

    columns: dict[str, list[float | None]] = {
        "rotor": column((float(motor.rotor.inertia) for motor in motors), inertia),
        "viscous": column((motor.friction.viscous for motor in motors), viscous),
        "Coulomb +": column((pair[0] for pair in moving), effort),
        "Coulomb -": column((pair[1] for pair in moving), effort),
        "starting": column((motor.friction.starting for motor in motors), effort),
        "stall": column((motor.stall_torque for motor in motors), effort),
    }
    described = {header: column for header, column in columns.items() if any(x is not None for x in column)}
    counted = "counted in its dynamics" if arm.counts_drives else "kept with the arm, not part of its link dynamics"
    heading(f"Drives; {counted}")
    ratios = [", ".join(f"{joint} {float(ratio):g}" for joint, ratio in motor.ratios) or "varies" for motor in motors]
    table(
        [
            ("motor", arm.drives.names),
            (f"turns per turn{' or' * slides}\n{'rad per m ' * slides}of the joint", ratios),
            ("on link", [motor.rotor.link or "-" for motor in motors]),
            *(
                (header, finite_figures(math.inf if x is None else x for x in entry))
                for header, entry in described.items()
            ),
            ("units of rotor,\nviscous, torque", [", ".join(name for _, name in row) for row in units]),
        ]
    )
    turning = [f"{name} turns by {arm.drives.turns_of(k)}" for k, name in enumerate(arm.drives.names)]
    for sentence in (text for k, text in enumerate(turning) if arm.drives.turns_of(k)):
        say(sentence)
    for motor in motors:
        if motor.body is not None:
            say(f"{motor.name} moves {moved_mass(arm, motor.body)}")
    if arm.drives.elements:
        parts = [
            element.name + (f" ({moved_mass(arm, element.body)})" if element.body is not None else "")
            for element in arm.drives.elements
        ]
        say(f"\nBetween motors and links: {', '.join(parts)}")
    damped = [(joint, friction) for joint, friction in arm.drives.joint_friction if friction]
    if damped:
        print_joint_friction(arm, damped, ounces)


def print_joint_friction(arm: ArmDescription, damped: Sequence[tuple[str, Friction]], ounces: bool) -> None:
    """Friction at the joints themselves, with the units of each."""
    kinds = [FORCE if arm.joint(joint).kind == "prismatic" else TORQUE for joint, _ in damped]
    viscous, effort = ([measured(kind[k], ounces) for kind in kinds] for k in (1, 2))

    def column(values: Iterable[float], units: list[tuple[float, str]]) -> list[str]:
        return figures(value * factor for value, (factor, _) in zip(values, units, strict=True))

    heading("Friction at the joints themselves")
    table(
        [
            ("joint", [joint for joint, _ in damped]),
            ("Coulomb +", column((f.moving[0] for _, f in damped), effort)),
            ("Coulomb -", column((f.moving[1] for _, f in damped), effort)),
            ("starting", column((f.hold for _, f in damped), effort)),
            ("viscous", column((f.viscous for _, f in damped), viscous)),
            ("units", [f"{torque}, {drag}" for (_, torque), (_, drag) in zip(effort, viscous, strict=True)]),
        ]
    )


def moved_mass(arm: ArmDescription, body: MovingBody) -> str:
    """A body that drives move, in words."""
    return f"{float(body.inertia.mass):g} kg on {body.link or arm.base}"


def print_sources(arm: ArmDescription) -> None:
    """Literature behind the numbers, and remarks on them."""
    if arm.sources:
        heading("Sources")
        for source in arm.sources:
            paragraph(f"- {source}")
    if arm.notes:
        heading("Notes")
        for number, text in enumerate(re.split(r"\n\s*\n", arm.notes.strip())):
            if number:
                say()
            # A dash opens an item; other line ends only served the file.
            for item in re.split(r"\n(?=\s*- )", text):
                paragraph(item)
