"""``dalembert show``: an arm as its description has it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import dalembert as da
from dalembert.arm.description import ArmDescription, Drive

from .arguments import ArmArgument, violations
from .geometry import print_geometry, roll_pitch_yaw
from .list_command import pattern
from .printing import figures, heading, paragraph, say, table, unit


def show(arm: ArmArgument) -> None:
    """Show an arm: its joints, where they stand, its links and where the numbers come from."""
    given = da.load(arm, physical="ignore")  # what no real body has is part of what is shown
    print_head(given)
    if given.n:
        print_joints(given)
    if given.joints:
        print_geometry(given)
    print_links(given)
    print_drives(given)
    print_sources(given)


def print_head(arm: ArmDescription) -> None:
    say(f"{arm.name}: {arm.title}" if arm.title else arm.name)
    gravity = ", ".join(f"{float(g):g}" for g in arm.gravity)
    count = f"{arm.n} joint{'s' * (arm.n != 1)} ({pattern(arm)})" if arm.n else "no moving joint"
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
            ("from", limited(limit.lower for limit in limits)),
            ("to", limited(limit.upper for limit in limits)),
            ("speed", limited(limit.velocity for limit in limits)),
            ("effort", limited(limit.effort for limit in limits)),
            ("units", [", ".join(unit(j, what) for what in ("position", "speed", "effort")) for j in arm.moving]),
        ]
    )


def limited(values: Iterable[float]) -> list[str]:
    """Limits as written numbers; "-" where there is none."""
    given = list(values)
    written = iter(figures(x for x in given if math.isfinite(x)))
    return [next(written) if math.isfinite(x) else "-" for x in given]


def print_links(arm: ArmDescription) -> None:
    """Mass, mass centre and inertia tensor about it, in the axes of the link frame."""
    links = [link for link in arm.links if link.inertia]
    without = [link.name for link in arm.links if not link.inertia]
    if links:
        names = [link.name for link in links]
        heading("Links: mass and mass centre in the link frame")
        centres = [[float(x) for x in link.inertia.com] for link in links]
        table(
            [
                ("link", names),
                ("mass\nkg", figures(float(link.inertia.mass) for link in links)),
                *((f"{axis}\nm", figures(row[k] for row in centres)) for k, axis in enumerate("xyz")),
            ]
        )
        entries = {
            f"I{'xyz'[i]}{'xyz'[j]}\nkg m^2": [float(link.inertia.central[i][j]) for link in links]
            for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        }
        shown = [(header, figures(entry)) for header, entry in entries.items() if any(entry)]
        if shown:
            heading("Inertia tensor about the mass centre, axes of the link frame")
            table([("link", names), *shown])
    if without:
        say(f"\nWithout mass: {', '.join(without)}")
    for name, carried in arm.loads:
        say(f"\nLoad on {name}: {float(carried.body.mass):g} kg")
    faults = violations(arm)
    if faults:
        heading("No real body has these inertias; they are used exactly as given")
        for name, fault in faults.items():
            paragraph(f"- {name}: {fault}")


def print_drives(arm: ArmDescription) -> None:
    """What is known of the drives, as given; a dash where nothing is."""
    drives = [joint.drive or Drive() for joint in arm.moving]
    forward = [drive.coulomb_friction and drive.coulomb_friction[0] for drive in drives]
    backward = [drive.coulomb_friction and drive.coulomb_friction[1] for drive in drives]
    columns = {
        "gear\nratio": [drive.gear_ratio for drive in drives],
        "motor inertia\nkg m^2": [drive.motor_inertia for drive in drives],
        "input inertia\nkg m^2 or kg": [drive.input_inertia for drive in drives],
        "viscous\nN m s/rad": [drive.viscous_friction for drive in drives],
        "Coulomb +\nN m": forward,
        "Coulomb -\nN m": backward,
        "stall\nN m or N": [drive.stall_torque for drive in drives],
    }
    known = {header: column for header, column in columns.items() if any(x is not None for x in column)}
    if known:
        heading("Drives; kept with the arm, not part of its link dynamics")
        table(
            [
                ("joint", arm.joint_names),
                *((header, limited(math.inf if x is None else x for x in column)) for header, column in known.items()),
            ]
        )


def print_sources(arm: ArmDescription) -> None:
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
