"""The gains of Bejczy's servo in a simulation, and the inertia that they follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .printing import figures, heading, table

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.control.trajectories import Trajectory


def gains_followed(law: object, path: Trajectory) -> dict[str, np.ndarray]:
    """Position gains, damping ratios, and at both ends of the trajectory total inertia and velocity gains of a servo.

    Empty for a controller that is no servo.
    """
    from dalembert.control.controllers import ServoFollowingInertia

    if not isinstance(law, ServoFollowingInertia):
        return {}
    ends = path.position(0.0), path.position(path.duration)
    n = len(ends[0])
    gains = {"kp": np.broadcast_to(law.kp, (n,)), "damping": np.broadcast_to(law.damping, (n,))}
    for name, q in zip(("start", "end"), ends, strict=True):
        gains |= {f"inertia at {name}": law.total_inertia(q), f"kv at {name}": law.velocity_gain(q)}
    return gains


def show_gains(system: System, followed: dict[str, np.ndarray]) -> None:
    """The gains of Bejczy's servo, and the inertia they follow."""
    heading("Gains of the servo, which follow the total inertia at the joints")
    units = [("N m/rad", "kg m^2", "N m s/rad") if j.kind == "revolute" else ("N/m", "kg", "N s/m")
             for j in system.moving]  # fmt: skip
    columns = [("joint", list(system.joint_names)), ("kp", figures(followed["kp"])),
               ("damping\nratio", figures(followed["damping"]))]  # fmt: skip
    for name in ("start", "end"):
        columns += [(f"inertia\nat the {name}", figures(followed[f"inertia at {name}"])),
                    (f"kv\nat the {name}", figures(followed[f"kv at {name}"]))]  # fmt: skip
    table([*columns, ("units of kp, inertia, kv", [", ".join(three) for three in units])])
