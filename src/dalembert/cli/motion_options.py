"""Which trajectory the options of a simulation mean, and which of them nothing would read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arm.description import listed
from dalembert.arm.errors import ArmError
from dalembert.control.controllers_by_name import CONTROLLERS
from dalembert.systems.time_span import check_span

from .poses import TaskKind, read_pose
from .values import joint_values, note_outside_limits

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.control.trajectories import Polynomials, Trajectory


class PathKind(StrEnum):
    """The kind of trajectory."""

    quintic = "quintic"
    trapezoidal = "trapezoidal"
    s_curve = "s-curve"
    spline = "spline"
    line = "line"
    time_optimal = "time-optimal"
    excitation = "excitation"
    hold = "hold"


LIMITED = {
    PathKind.trapezoidal: ("--speed", "--acceleration"),
    PathKind.excitation: ("--speed",),
    PathKind.s_curve: ("--speed", "--acceleration", "--jerk"),
    PathKind.spline: ("--speed", "--acceleration", "--via"),
    PathKind.line: ("--speed", "--acceleration", "--jerk", "--pose", "--task"),
    PathKind.time_optimal: ("--speed", "--acceleration", "--via", "--pose", "--task"),
}
"""The options that shape each kind of trajectory."""


def refuse_unused(
    controller: str, trajectory: PathKind | None, to: str | None, values: Mapping[str, object], model_load: str | None,
    friction: str | None, model: str | None,
) -> None:  # fmt: skip
    """An option that nothing would read is refused."""
    kind = trajectory or PathKind.quintic
    if trajectory is not None and controller not in CONTROLLERS:
        raise ArmError("--trajectory is what a controller follows; name one with --controller, or leave it out")
    limited = LIMITED.get(kind, ())
    entry = CONTROLLERS.get(controller)
    gains = tuple(f"--{name}" for name in entry.gains) if entry is not None else ()
    for option, value in values.items():
        if value is not None and option not in (*limited, *gains):
            raise ArmError(f"{option} has no effect with --controller {controller} and --trajectory {kind.value}")
    if friction is not None and (entry is None or not entry.feeds_friction):
        feeding = listed([name for name, row in CONTROLLERS.items() if row.feeds_friction])
        raise ArmError(f"--friction is for a controller that feeds friction forward: {feeding}")
    if entry is None and (to is not None or model_load is not None or model is not None):
        raise ArmError("--to, --model-load and --model are for a controller; name one with --controller")
    if to is not None and kind in (PathKind.hold, PathKind.excitation, PathKind.line):
        raise ArmError(f"--to has no effect with --trajectory {kind.value}")


@dataclass(frozen=True)
class PathOptions:
    """What the command line says of a trajectory."""

    kind: PathKind
    duration: float
    to: str | None = None
    via: str | None = None
    pose: str | None = None
    speed: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    task: TaskKind | None = None


def trajectory_of(system: System, start: np.ndarray, options: PathOptions) -> Trajectory:
    """The trajectory that the options mean."""
    from dalembert.control.splines import s_curve, spline
    from dalembert.control.trajectories import quintic, random_excitation, trapezoidal

    kind, duration, speed, acceleration = options.kind, options.duration, options.speed, options.acceleration
    if not system.n:
        raise ArmError(f"{system.where}{system.name}: no joint moves, so that there is nothing to simulate; free one")
    check_span(duration, "--duration is")
    fastest = 1.0 if speed is None else speed
    hardest = 2.0 if acceleration is None else acceleration
    if kind is PathKind.excitation:
        return random_excitation(system.lower, system.upper, duration, speed=fastest)
    if kind is PathKind.line:
        from dalembert.control.timing_laws import timed

        return timed(_line(system, start, options), fastest, hardest, options.jerk)
    if kind is PathKind.time_optimal:
        from dalembert.control.time_optimal import time_optimal

        if options.task is not None and options.pose is None:
            raise ArmError("--task says what of --pose is asked for; give --pose, or leave it out")
        path = _line(system, start, options) if options.pose is not None else None
        if path is None:
            points = _points(system, start, options)
            path = spline(points, np.linspace(0, 1, len(points)).tolist())
        elif options.via is not None or options.to is not None:
            raise ArmError("--pose ends the trajectory, and so do --via and --to; give one of the two")
        return time_optimal(system, path, speed=speed, acceleration=acceleration)
    if kind is PathKind.spline:
        points = _points(system, start, options)
        if speed is None and acceleration is None:
            return spline(points, np.linspace(0, duration, len(points)).tolist())
        return spline(points, speed=speed, acceleration=acceleration)
    if kind is PathKind.hold or options.to is None:
        return quintic([start, start], duration)
    end = joint_values(system, "--to", options.to)
    note_outside_limits(system, end)
    if kind is PathKind.trapezoidal:
        return trapezoidal(start, end, fastest, hardest)
    if kind is PathKind.s_curve:
        return s_curve(start, end, fastest, hardest, 20.0 if options.jerk is None else options.jerk)
    return quintic([start, end], duration)


def _points(system: System, start: np.ndarray, options: PathOptions) -> list[np.ndarray]:
    """The start, the points of --via, the end."""
    if options.to is None:
        raise ArmError(f"--trajectory {options.kind.value} needs an end: give --to")
    via = [part for part in (options.via or "").split(";") if part.strip()]
    return [start, *(joint_values(system, "--via", part) for part in via), joint_values(system, "--to", options.to)]


def _line(system: System, start: np.ndarray, options: PathOptions) -> Polynomials:
    """The line of the hand to --pose."""
    from dalembert.control.cartesian_paths import line_path

    pose, task = options.pose, options.task or TaskKind.pose
    if pose is None:
        raise ArmError(
            "a line of the hand needs its end: give --pose x,y,z,roll,pitch,yaw, or x,y,z to keep its rotation"
        )
    target = read_pose("--pose", pose, True if task is TaskKind.orientation else None)
    if len(pose.replace(",", " ").split()) == 3:
        target[:3, :3] = system.forward_kinematics(start)[:3, :3]
    return line_path(system, start, target, task=task.value)
