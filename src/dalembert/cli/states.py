"""The states an analysis is about, as the command line gives them: loads, ranges of joints, speeds, accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia, Load
from dalembert.arm.io.expression import quantity

EACH = "One for all joints, or one for each."
LoadOption = Annotated[
    str,
    typer.Option(
        "--load",
        metavar="LOAD",
        help="A load in the hand: mass (kg), mass:edge of a homogeneous cube (m), as in 1.8:0.0762, or mass,x,y,z with "
        "its centre in the tool frame (m), and :edge or :a,b,c after it.",
    ),
]
BoxOption = Annotated[
    list[str] | None,
    typer.Option(
        "--box",
        metavar="JOINT=LOW:HIGH",
        help="Range of a joint in place of its limits: joint3=0.2:0.9 (m or rad, or '-90 deg:90 deg'); may be repeated",
    ),
]
SpeedOption = Annotated[
    str | None, typer.Option("--speed", metavar="VALUES", help=f"Largest speeds, rad/s or m/s. {EACH}")
]
AccelerationOption = Annotated[
    str | None,
    typer.Option("--acceleration", metavar="VALUES", help=f"Largest accelerations, rad/s^2 or m/s^2. {EACH}"),
]


def read_load(text: str | None) -> Load | None:
    """The load that --load describes: mass, perhaps its centre, perhaps the edges of a homogeneous box."""
    if not text:
        return None
    body, colon, size = text.partition(":")
    mass, *centre = numbers(body, "--load", (1, 4))
    com = tuple(centre) or (0.0, 0.0, 0.0)
    if mass < 0:
        raise ArmError(f"--load: the mass is negative ({mass:g} kg); give its magnitude")
    if not colon:
        return Load(mass, com)
    edges = numbers(size, "--load, after the colon,", (1, 3))
    if min(edges) < 0:
        raise ArmError(f"--load: an edge is negative ({min(edges):g} m)")
    return Load.of(Inertia.box(mass, edges * 3 if len(edges) == 1 else edges), com)


def read_boxes(arm: ArmDescription, words: Sequence[str] | None) -> dict[str | int, tuple[float, float]] | None:
    """The joints and ranges that --box names, as in joint3=0.2:0.9."""
    found: dict[str | int, tuple[float, float]] = {}
    for word in words or ():
        name, equals, ends = word.rpartition("=")
        low, colon, high = ends.partition(":")
        if not equals or not colon or not name.strip():
            raise ArmError(f"--box takes a joint and its range, as in {arm.joint_names[0]}=0:1, not {word!r}")
        option = f"--box {name.strip()}"
        found[name.strip()] = float(quantity(low, option)), float(quantity(high, option))
    return found or None


def amounts(arm: ArmDescription, option: str, text: str | None) -> list[float] | None:
    """One number for each joint."""
    if text is None:
        return None
    found = numbers(text, option, (1, arm.n))
    return found * arm.n if len(found) == 1 else found


def numbers(text: str, option: str, counts: Sequence[int]) -> list[float]:
    """So many numbers with commas between them."""
    words = text.split(",") if "," in text else text.split()
    if len(words) not in counts:
        raise ArmError(f"{option} takes {' or '.join(map(str, counts))} numbers with commas between them, not {text!r}")
    return [float(quantity(word, option)) for word in words]
