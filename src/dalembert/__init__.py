"""dalembert: robot-arm dynamics you can read, trust and run.

>>> import dalembert as da
>>> arm = da.load("puma560")
>>> tau = arm.inverse_dynamics(q, qd, qdd)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .api.arm import Arm
from .api.loading import catalog, load
from .arm.description import Drive, Joint, Limits, Link
from .arm.drives import Actuator, DriveTrain, Element, Friction, Motor, Rotor
from .arm.elastic import JointDamper, JointSpring, PointSpring
from .arm.errors import ArmError, PhysicalWarning, SkippedWarning
from .arm.exact import Angle
from .arm.force import Force
from .arm.inertia import Inertia, Load
from .arm.io.dh import DHRow
from .arm.placement import Placement
from .version import __version__

if TYPE_CHECKING:
    from .api.mechanism import Closure, FrameOn, Mechanism, Motors, Redundant, load_mechanism
    from .control.controllers import ComputedTorque, OperationalSpace, PDGravity, ServoFollowingInertia, StateFeedback
    from .control.trajectories import excitation, quintic, trapezoidal

_LATER = {
    **dict.fromkeys(("Closure", "FrameOn", "Mechanism", "Motors", "Redundant", "load_mechanism"), "api.mechanism"),
    **dict.fromkeys(
        ("ComputedTorque", "OperationalSpace", "PDGravity", "ServoFollowingInertia", "StateFeedback"),
        "control.controllers",
    ),
    **dict.fromkeys(("excitation", "quintic", "trapezoidal"), "control.trajectories"),
}
"""Names whose modules are imported when they are first asked for: they bring SciPy, which takes its time."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Actuator", "Angle", "Arm", "ArmError", "Closure", "ComputedTorque", "DHRow", "Drive", "DriveTrain", "Element",
    "Force", "FrameOn", "Friction", "Inertia", "Joint", "JointDamper", "JointSpring", "Limits", "Link", "Load",
    "Mechanism", "Motor", "Motors", "OperationalSpace", "PDGravity", "PhysicalWarning", "Placement", "PointSpring",
    "Redundant", "Rotor", "ServoFollowingInertia", "SkippedWarning", "StateFeedback", "__version__", "catalog",
    "excitation", "load", "load_mechanism", "quintic", "trapezoidal",
]  # fmt: skip
