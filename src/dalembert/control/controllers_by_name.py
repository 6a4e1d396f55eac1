"""The controllers by name, as the command line offers them: a new one is a class of this folder and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import ArrayLike

from ..systems.protocol import System
from .controllers import ComputedTorque, PDGravity, ServoFollowingInertia

if TYPE_CHECKING:
    from ..simulation.inputs import Control
    from .trajectories import Trajectory

Builder: TypeAlias = "Callable[..., Control]"


@dataclass(frozen=True)
class ControllerEntry:
    """How a controller is built from its model, a trajectory and the gains it reads, with their defaults."""

    build: Builder
    gains: dict[str, float]
    feeds_friction: bool = False

    def controller(
        self, model: System, trajectory: Trajectory, friction: str | None = None, **gains: ArrayLike | None
    ) -> Control:
        """The controller; gains and ``friction`` (``friction_feed.py``) that are None take their defaults."""
        chosen: dict[str, Any] = {
            name: value if gains.get(name) is None else gains[name] for name, value in self.gains.items()
        }
        if friction is not None:
            chosen["friction"] = friction
        return self.build(model, trajectory, **chosen)


def _lqr(model: Any, trajectory: Trajectory, friction: str = "reference") -> Any:
    from .gains import tracking_lqr

    return tracking_lqr(model, trajectory, friction=friction)


def _servo(model: System, trajectory: Trajectory, kp: ArrayLike, damping: ArrayLike) -> ServoFollowingInertia:
    # The plant of a simulation by name is the model, with rotors or without: its inertia is the one to follow.
    return ServoFollowingInertia(model, trajectory, kp, damping, reflected=False)


CONTROLLERS: dict[str, ControllerEntry] = {
    "pd": ControllerEntry(PDGravity, {"kp": 100.0, "kd": 20.0}),
    "computed-torque": ControllerEntry(ComputedTorque, {"kp": 100.0, "kd": 20.0}, feeds_friction=True),
    "servo": ControllerEntry(_servo, {"kp": 100.0, "damping": 1.0}),
    "lqr": ControllerEntry(_lqr, {}, feeds_friction=True),
}
"""Controllers that follow a trajectory."""
