"""Which trajectory the options of a simulation mean, and which of them nothing would read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arm.description import listed
from dalembert.arm.errors import ArmError
from dalembert.control.controllers_by_name import CONTROLLERS
from dalembert.systems.time_span import check_span

from .values import joint_values

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.control.trajectories import Trajectory


class PathKind(StrEnum):
    """The kind of trajectory."""

    quintic = "quintic"
    trapezoidal = "trapezoidal"
    excitation = "excitation"
    hold = "hold"


def refuse_unused(
    controller: str, trajectory: PathKind | None, to: str | None, given: Mapping[str, object], model_load: str | None,
    friction: str | None, model: str | None,
) -> None:  # fmt: skip
    """An option that nothing would read is refused."""
    kind = trajectory or PathKind.quintic
    if trajectory is not None and controller not in CONTROLLERS:
        raise ArmError("--trajectory is what a controller follows; name one with --controller, or leave it out")
    limited = {PathKind.trapezoidal: ("--speed", "--acceleration"), PathKind.excitation: ("--speed",)}.get(kind, ())
    entry = CONTROLLERS.get(controller)
    gains = tuple(f"--{name}" for name in entry.gains) if entry is not None else ()
    for option, value in given.items():
        if value is not None and option not in (*limited, *gains):
            raise ArmError(f"{option} has no effect with --controller {controller} and --trajectory {kind.value}")
    if friction is not None and (entry is None or not entry.feeds_friction):
        feeding = listed([name for name, one in CONTROLLERS.items() if one.feeds_friction])
        raise ArmError(f"--friction is for a controller that feeds friction forward: {feeding}")
    if entry is None and (to is not None or model_load is not None or model is not None):
        raise ArmError("--to, --model-load and --model are for a controller; name one with --controller")
    if to is not None and kind in (PathKind.hold, PathKind.excitation):
        raise ArmError(f"--to has no effect with --trajectory {kind.value}")


def trajectory_of(
    system: System, kind: PathKind, duration: float, start: np.ndarray, to: str | None, speed: float | None,
    acceleration: float | None,
) -> Trajectory:  # fmt: skip
    """The trajectory that the options mean."""
    from dalembert.control.trajectories import quintic, random_excitation, trapezoidal

    if not system.n:
        raise ArmError(f"{system.where}{system.name}: no joint moves, so that there is nothing to simulate; free one")
    check_span(duration, "--duration is")
    fastest = 1.0 if speed is None else speed
    if kind is PathKind.excitation:
        return random_excitation(system.lower, system.upper, duration, speed=fastest)
    if kind is PathKind.hold or to is None:
        return quintic([start, start], duration)
    end = joint_values(system, "--to", to)
    if kind is PathKind.trapezoidal:
        return trapezoidal(start, end, fastest, 2.0 if acceleration is None else acceleration)
    return quintic([start, end], duration)
