"""The argument that every command shares: which arm."""

from __future__ import annotations

import sys
from typing import Annotated, TypeAlias

import typer

import dalembert as da
from dalembert.arm.description import ArmDescription

ArmArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="ARM", help="A built-in arm (see: dalembert list) or a .toml, .urdf or .xml file.")
]


def load(name: str) -> da.Arm:
    """The arm, with one short note on stderr where no real body has some of its inertias."""
    arm = da.load(name, physical="ignore")
    links = list(violations(arm))
    if links:
        print(
            f"note: {arm.name}: no real body has the inertia of {', '.join(links)}; used as given, "
            f"and 'dalembert show {name}' says why",
            file=sys.stderr,
        )
    return arm


def violations(arm: ArmDescription) -> dict[str, str]:
    """What is wrong with the inertia of each link that no real body can have."""
    found = {link.name: link.inertia.violation() for link in arm.links}
    return {name: fault for name, fault in found.items() if fault}
