"""``dalembert verify``: a printed formula against the exact one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .closed_form_options import At, Joints, note_load, restriction
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System


@system_command
def verify(
    system: System,
    formula: Annotated[str, typer.Argument(help='A coefficient and a formula, such as "D33 = m3*a3^2 + Izz3".')],
    parameters: Annotated[str, typer.Option(help="Parameters the formula is written in; found out if not given.")] = "",
    joints: Joints = "",
    at: At = "",
) -> None:
    """Compare a printed formula with the exact one; exit code 1 if they differ."""
    note_load(system, parameters)
    moving, resting = restriction(joints, at)
    verdict = system.verify(formula, parameters or None, joints=moving, at=resting)
    print(verdict)
    if not verdict:
        raise typer.Exit(1)
