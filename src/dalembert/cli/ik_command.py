"""``dalembert ik``: the joint positions that bring the hand to a pose."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dalembert.arm.system_phrase import system_phrase

from .dynamics_command import system_data
from .poses import POSE_HELP, TaskKind, read_pose
from .printing import figures, heading, joints_with_units, json_text, paragraph, say, table, unit
from .system_options import system_command
from .values import joint_values

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.kinematics.joint_solutions import JointSolutions

NOT_REACHED = 1


class Spare(StrEnum):
    """What joints to spare are for."""

    limits = "limits"
    manipulability = "manipulability"


@system_command
def ik(
    system: System,
    pose: Annotated[str, typer.Option("--pose", metavar="POSE", help=POSE_HELP)],
    frame: Annotated[
        str | None, typer.Option("--frame", metavar="LINK", help="Bring this link there, not the tool.")
    ] = None,
    task: Annotated[
        TaskKind, typer.Option("--task", metavar="KIND", help=f"What of the pose is asked for: {', '.join(TaskKind)}.")
    ] = TaskKind.pose,
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            metavar="VALUES",
            help="Begin here, and prefer what is near: one value for each joint, base first, as in 0,0.5,-1.",
        ),
    ] = None,
    limits: Annotated[
        bool, typer.Option("--limits/--no-limits", help="Keep to the position limits of the joints.")
    ] = True,
    solutions: Annotated[
        bool, typer.Option("--solutions", help="All distinct solutions, and whether there may be others.")
    ] = False,
    criterion: Annotated[
        Spare | None,
        typer.Option(
            "--criterion",
            metavar="WHAT",
            help="What joints to spare are for: off their limits (limits), or off singular poses (manipulability).",
        ),
    ] = None,
    starts: Annotated[
        int, typer.Option("--starts", help="Starts to try at most, 1 to 256, where no closed form gives the answer.")
    ] = 256,
    degrees: Annotated[bool, typer.Option("--degrees", help="Angles of joints in degrees, but for --json.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
) -> None:
    """Joint positions that bring the tool to a pose, and the torques that hold the arm there.

    The exit code is 1 where the pose is not reached.
    """
    target = read_pose("--pose", pose, task is not TaskKind.position)
    begin = None if near is None else joint_values(system, "--near", near, degrees)
    solution = system.inverse_kinematics(
        target, frame=frame, task=task.value, near=begin, limits=limits, solutions=solutions, starts=starts,
        criterion=None if criterion is None else criterion.value,
    )  # fmt: skip
    if as_json:
        print(json_text(as_data(system, solution, frame)))
    else:
        show(system, solution, frame, degrees)
    if not bool(solution.converged):
        raise typer.Exit(NOT_REACHED)


def holding_effort(system: System, q: np.ndarray) -> np.ndarray:
    """What the joints bear at rest: gravity, and springs where there are some."""
    still = np.zeros(system.n)
    return np.asarray(system.inverse_dynamics(q, still, still))


def as_data(system: System, solution: JointSolutions, frame: str | None) -> dict[str, Any]:
    """The result as JSON can hold it; manipulability is of the frame that was asked for."""
    translational = system.manipulability(solution.q, frame, directions="translation")
    return {
        **system_data(system),
        "reached": bool(solution.converged),
        "q": solution.q.tolist(),
        "position_error": float(solution.position_error),
        "orientation_error": float(solution.orientation_error),
        "at_limit": [name for name, at_limit in zip(solution.joint_names, solution.at_limit, strict=True) if at_limit],
        "starts": int(solution.starts),
        "holding_effort": holding_effort(system, solution.q).tolist(),
        "manipulability": float(system.manipulability(solution.q, frame).measure),
        "manipulability_translation": float(translational.measure),
        "method": solution.method,
        "complete": bool(solution.complete),
        "solutions": [part.tolist() for part in solution.solutions[0]] if solution.solutions else None,
    }


def show(system: System, solution: JointSolutions, frame: str | None, degrees: bool) -> None:
    """The result for a person."""
    reached = bool(solution.converged)
    heading(f"{system.name}, {system_phrase(system)}: the pose is {'reached' if reached else 'NOT reached'}")
    if not reached:
        paragraph(f"{solution.missed()[:1].upper()}{solution.missed()[1:]}.")
    units = [unit(joint, "effort") for joint in system.moving]
    turn = np.array([degrees and joint.kind == "revolute" for joint in system.moving])
    scale = np.where(turn, 180 / np.pi, 1.0)
    names = joints_with_units(system, "position")
    if degrees:
        names = names[0], [text.replace("[rad]", "[deg]") for text in names[1]]
    hold = (f"to hold it\n[{', '.join(dict.fromkeys(units))}]", figures(holding_effort(system, solution.q)))
    table([names, ("position", figures(solution.q * scale)), hold])
    say(f"Off by {solution.position_error:.2g} m and {solution.orientation_error:.2g} rad.")
    translational = system.manipulability(solution.q, frame, directions="translation")
    say(f"Manipulability {float(translational.measure):.4g} in translation.")
    if solution.solutions:
        several = solution.solutions[0]
        heading(f"{len(several)} solution{'s' * (len(several) != 1)}")
        if len(several):
            table([names, *((f"{k + 1}", figures(q * scale)) for k, q in enumerate(several))])
        say(solution.found())
