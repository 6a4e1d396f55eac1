"""Requirements of a trajectory: torques, currents, voltages, and the limit reached first."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..drives.motors import Electric
from ..markup.data_tables import Column, DataTable
from ..mechanisms.driven_mechanism import DrivenMechanism
from ..mechanisms.mechanism_system import MechanismSystem
from ..systems.arm_system import ArmSystem
from ..systems.driven import DrivenSystem
from ..systems.time_span import check_samples
from .trajectories import Trajectory, require_trajectory

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


@dataclass(frozen=True, repr=False)
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
        """True if the trajectory exceeds no known limit."""
        return not self.uses or self.uses[0].share <= 1.0

    def __repr__(self) -> str:
        first = f"first limit {self.first_limit}" if self.uses else "no limit is known"
        return f"<Requirements over {self.times[-1] - self.times[0]:.4g} s: {first}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading

        return framed(heading(repr(self)[1:-1]), uses_table(self.uses))


def uses_table(uses: tuple[Use, ...]) -> DataTable:
    """How much of each limit is used, highest first."""
    columns = (
        Column("limit", "limit"),
        Column("of", "of"),
        Column("share", "used", "%", "number"),
        Column("time", "at", "s", "number"),
    )
    rows = tuple((use.what, use.name, 100 * use.share, use.time) for use in uses)
    return DataTable("uses", "Use of the limits", columns, rows, first=12)


def requirements(system: ArmSystem | MechanismSystem, trajectory: Trajectory, samples: int = 501) -> Requirements:
    """Torques at joints and motors, currents and voltages with jerk (Freeman 1985, 2-238 to 2-240), and limits.

    Of a mechanism: loads at the coordinates, and the limits of all joints, which follow the path in one assembly mode.
    """
    require_trajectory(trajectory, system.n)
    check_samples(samples)
    t = np.linspace(0, trajectory.duration, samples)
    q, qd, qdd, jerk = (
        trajectory.position(t), trajectory.velocity(t), trajectory.acceleration(t), trajectory.jerk(t),
    )  # fmt: skip
    if isinstance(system, MechanismSystem):
        return _of_mechanism(system, t, q, qd, qdd, jerk)
    torque = system.inverse_dynamics(q, qd, qdd)
    uses = [
        *_position_uses(system.joint_names, q, system.lower, system.upper, t),
        *_uses("speed", system.joint_names, np.abs(qd), system.velocity_limits, t),
        *_uses("torque", system.joint_names, np.abs(torque), system.effort_limits, t),
    ]
    motor = current = voltage = None
    if isinstance(system, DrivenSystem):
        motor, current, voltage, motor_uses = _of_motors(system, t, (q, qd, qdd, jerk), torque)
        uses += motor_uses
    order = tuple(sorted(uses, key=lambda use: -use.share))
    return Requirements(t, torque, motor, current, voltage, order)


def _of_motors(
    system: DrivenSystem | DrivenMechanism, t: Array, motion: tuple[Array, Array, Array, Array], load: Array
) -> tuple[Array, Array | None, Array | None, list[Use]]:
    """Torques, currents and voltages of the motors, and how much of their limits they use."""
    motor = system.to_motors(motion[0], load)
    uses = _uses("stall torque", system.motor_names, np.abs(motor), np.array(system.drives.stall_torques), t)
    electric = Electric(system, partial=True)
    current, voltage = motor / electric.torque_constant, electric.voltages(*motion)
    uses += _uses("current", system.motor_names, np.abs(current), electric.largest_current, t)
    uses += _uses("voltage", system.motor_names, np.abs(voltage), electric.supply, t)
    if any(actuator.motor is None for actuator in system.drives.actuators):
        return motor, None, None, uses
    return motor, current, voltage, uses


def _of_mechanism(system: MechanismSystem, t: Array, q: Array, qd: Array, qdd: Array, jerk: Array) -> Requirements:
    """``requirements`` of a mechanism: joints follow the coordinates in one assembly mode."""
    mechanism, chains = system.mechanism, system.mechanism.chains
    phi = mechanism.follow(q, system.near)
    rate, _ = mechanism.joint_motion(phi, qd, qdd)
    load = mechanism.inverse_dynamics(phi, qd, qdd)
    uses = [
        *_position_uses(mechanism.joint_names, phi, chains.lower, chains.upper, t),
        *_uses("speed", mechanism.joint_names, np.abs(rate), chains.velocity, t),
        *_uses("load", system.joint_names, np.abs(load), system.effort_limits, t),
    ]
    motor = current = voltage = None
    if isinstance(system, DrivenMechanism):
        motor, current, voltage, motor_uses = _of_motors(system, t, (q, qd, qdd, jerk), load)
        uses += motor_uses
    return Requirements(t, load, motor, current, voltage, tuple(sorted(uses, key=lambda use: -use.share)))


def _position_uses(names: tuple[str, ...], q: Array, lower: Array, upper: Array, t: Array) -> list[Use]:
    """Shares of the way from zero to a limit; from the middle of a range that does not go from below to above zero."""
    origin = np.zeros(len(names))
    for j, (low, high) in enumerate(zip(lower, upper, strict=True)):
        if not low < 0 < high:  # one side at least is finite; without the other one the way is 1 rad or m
            origin[j] = 0.5 * ((low if np.isfinite(low) else high - 2) + (high if np.isfinite(high) else low + 2))
    above = _uses("position, upper", names, q - origin, upper - origin, t)
    return above + _uses("position, lower", names, origin - q, origin - lower, t)


def _uses(what: str, names: tuple[str, ...], values: Array, limits: Array, t: Array) -> list[Use]:
    uses = []
    for j, (name, limit) in enumerate(zip(names, limits, strict=True)):
        if np.isfinite(limit) and limit > 0:
            worst = int(np.argmax(values[:, j]))
            uses.append(Use(what, name, float(values[worst, j] / limit), float(t[worst])))
    return uses
