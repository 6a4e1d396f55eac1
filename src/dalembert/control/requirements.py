"""What a trajectory asks of an arm: torques, currents, voltages, and which limit it meets first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..drives.driven import Driven
from .trajectories import Trajectory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Use:
    """The largest use of one limit: its name, of which joint or motor, as a share of the limit, and when (s)."""

    what: str
    name: str
    share: float
    time: float

    def __str__(self) -> str:
        return f"{self.what} of {self.name}: {100 * self.share:.0f} % of its limit at {self.time:.3g} s"


@dataclass(frozen=True)
class Requirements:
    """Time histories ``(times, n)`` and the use of every known limit, highest first."""

    times: Array
    joint_torque: Array
    motor_torque: Array | None
    current: Array | None
    voltage: Array | None
    uses: tuple[Use, ...] = field(default=())

    @property
    def first_limit(self) -> Use | None:
        """The limit that is met first when the trajectory is made faster or larger: the one used most."""
        return self.uses[0] if self.uses else None

    @property
    def feasible(self) -> bool:
        return not self.uses or self.uses[0].share <= 1.0


def requirements(model: Any, trajectory: Trajectory, samples: int = 501) -> Requirements:
    """Torques at joints and motors, currents and voltages with jerk (Freeman 1985, 2-238 to 2-240), and limits."""
    t = np.linspace(0, trajectory.duration, samples)
    q, qd, qdd, jerk = (
        trajectory.position(t), trajectory.velocity(t), trajectory.acceleration(t), trajectory.jerk(t),
    )  # fmt: skip
    driven = model if isinstance(model, Driven) else None
    arm: Any = driven.links if driven is not None else model
    torque = model.inverse_dynamics(q, qd, qdd)
    uses = [
        *_uses("position, upper", arm.joint_names, q, arm.upper, t),
        *_uses("position, lower", arm.joint_names, -q, -arm.lower, t),
        *_uses("speed", arm.joint_names, np.abs(qd), arm.velocity_limits, t),
    ]
    motor = current = voltage = None
    if driven is None:
        uses += _uses("torque", arm.joint_names, np.abs(torque), arm.effort_limits, t)
    else:
        torque = torque + driven.friction_torque(q, qd)
        uses += _uses("torque", arm.joint_names, np.abs(torque), arm.effort_limits, t)
        motor = driven.motor_torques(q, qd, qdd)
        if all(actuator.motor is not None for actuator in driven.train.actuators):
            electric = driven.electric
            current = motor / electric.torque_constant
            voltage = electric.voltages(q, qd, qdd, jerk)
            uses += _uses("current", driven.motor_names, np.abs(current), electric.largest_current, t)
            uses += _uses("voltage", driven.motor_names, np.abs(voltage), electric.supply, t)
            uses += _uses("stall torque", driven.motor_names, np.abs(motor), electric.stall_torque, t)
    order = tuple(sorted(uses, key=lambda use: -use.share))
    return Requirements(t, torque, motor, current, voltage, order)


def _uses(what: str, names: tuple[str, ...], values: Array, limits: Array, t: Array) -> list[Use]:
    found = []
    for j, (name, limit) in enumerate(zip(names, limits, strict=True)):
        if np.isfinite(limit) and limit > 0:
            worst = int(np.argmax(values[:, j]))
            found.append(Use(what, name, float(values[worst, j] / limit), float(t[worst])))
    return found
