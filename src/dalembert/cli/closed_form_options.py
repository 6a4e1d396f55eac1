"""Which closed form a command is about: its parameters, the joints that move, where the others rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.api.system import SystemQuestions as System
from dalembert.arm.errors import ArmError

if TYPE_CHECKING:
    from dalembert.equations.closed_form import Equations

Parameters = Annotated[
    str,
    typer.Option(help="What becomes a symbol: symbols, numbers, inertial, full, centre, gyration, lengths, twists, "
                      "gravity, load, or names such as m3; join several with +."),
]  # fmt: skip


def closed_form(system: System, parameters: str, joints: str = "", at: str = "") -> Equations:
    """The equations that the options of the command line ask for."""
    moving = [which(word) for word in joints.replace(" ", "").split(",")] if joints else None
    resting: dict[str | int, object] = {}
    for word in at.replace(" ", "").split(",") if at else []:
        name, sign, value = word.partition("=")
        if not sign:
            raise ArmError(f"--at takes joint=position pairs such as 4=0.5, not {word!r}")
        resting[which(name)] = value
    return system.equations(parameters, moving, resting)


def which(word: str) -> int | str:
    """A joint by its number, counted from 1, or by its name."""
    return int(word) - 1 if word.isdigit() else word
