"""Which closed form a command is about: its parameters, the joints that move, where the others rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.api.questions import SystemQuestions as System
from dalembert.arm.errors import ArmError
from dalembert.arm.exact import whole_number

from .notes import note

if TYPE_CHECKING:
    from dalembert.equations.closed_form import Equations

Parameters = Annotated[
    str,
    typer.Option(help="What becomes a symbol: symbols, numbers, inertial, full, centre, gyration, lengths, twists, "
                      "gravity, load, or names such as m3; join several with +."),
]  # fmt: skip


Joints = Annotated[str, typer.Option(help="Joints that move, such as 1,2,3; the others rest.")]
At = Annotated[str, typer.Option(help="Where resting joints rest, such as 4=0,5=0.5.")]


def closed_form(
    system: System, parameters: str, joints: str = "", at: str = "", formulation: str = "composite-body"
) -> Equations:
    """The equations that the options of the command line ask for."""
    note_load(system, parameters)
    return system.equations(parameters, *restriction(joints, at), formulation)


def restriction(joints: str, at: str) -> tuple[list[int | str] | None, dict[str | int, object]]:
    """The joints that move, None for all, and where others rest."""
    moving = [joint_reference(word) for word in joints.replace(" ", "").split(",")] if joints else None
    resting: dict[str | int, object] = {}
    for word in at.replace(" ", "").split(",") if at else []:
        name, sign, value = word.partition("=")
        if not sign:
            raise ArmError(f"--at takes joint=position pairs such as 4=0.5, not {word!r}")
        joint = joint_reference(name)
        if joint in resting:
            raise ArmError(f"--at names joint {name} twice; name it once")
        resting[joint] = value
    return moving, resting


def note_load(system: System, parameters: str) -> None:
    """One note on stderr where symbols of links stand for a load as well, so that no term shows it."""
    words = set(parameters.split("+"))
    if system.loads and not words & {"load", "numbers"}:
        links = ", ".join(link for link, _ in system.loads)
        note(
            f"the inertial parameters of {links} stand for the load it holds as well; --parameters "
            f"{parameters or 'symbols'}+load keeps it apart"
        )


def joint_reference(word: str) -> int | str:
    """A joint by its number, counted from 1, or by its name."""
    number = whole_number(word)
    return word if number is None else number - 1
