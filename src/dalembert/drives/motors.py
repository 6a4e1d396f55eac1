"""D-c motors (Freeman 1985, eqs 2-228 to 2-240): currents and voltages for a motion, saturation.

    L di/dt + R i + C_E qd_a = V              (2-229)
    C_M i = N^-T T_phi + friction             (2-238), T_phi with the rotor inertia in it
    di/dt = C_M^-1 d/dt (...)                 (2-239), which needs the jerk of the joints
    V = L di/dt + R i + C_E N qd              (2-240)

In print the derivative in (2-248) F21 is to the velocity; it is to the position. (2-238) is written with T_phi at
the joints and C_M carried there; the same is done here at the motor shafts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from .batch import joint_values

if TYPE_CHECKING:
    from .driven import Driven

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Limit:
    """The first limit that a motion hits: of which motor or joint, what, how far (1 is the limit itself), when."""

    name: str
    what: str
    share: float
    index: int


class Electric:
    """The motors of a ``Driven`` as arrays: constants, currents, voltages, limits."""

    def __init__(self, driven: Driven) -> None:
        missing = [actuator.name for actuator in driven.train.actuators if actuator.motor is None]
        if missing:
            raise ArmError(f"no electric data for {', '.join(missing)}; give each of them a motor with its constants")
        motors = [actuator.motor for actuator in driven.train.actuators if actuator.motor is not None]
        self.driven = driven
        self.torque_constant = np.array([m.torque_constant for m in motors])
        self.speed_constant = np.array([m.back_emf for m in motors])
        self.resistance = np.array([m.resistance for m in motors])
        self.inductance = np.array([m.inductance for m in motors])
        self.supply = np.array([m.supply for m in motors])
        self.largest_current = np.array([m.largest_current for m in motors])

    @property
    def stall_torque(self) -> Array:
        """Torque at standstill under full supply, or at the largest current (N m)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            stall = np.where(self.resistance > 0, self.supply / self.resistance, np.inf)
        return self.torque_constant * np.minimum(stall, self.largest_current)

    def currents(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """i (A) for this motion (2-238), friction included."""
        return self.driven.motor_torques(q, qd, qdd) / self.torque_constant

    def current_rates(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, jerk: ArrayLike) -> Array:
        """di/dt (A/s) by (2-239): the derivatives of the torque times velocity, acceleration and jerk.

        Coulomb friction is constant between reversals and does not enter. A transmission that varies adds
        d(N^-T)/dt F = -N^-T dN^T/dt F_a.
        """
        driven = self.driven
        to_q, to_qd, mass = driven.inverse_dynamics_derivatives(q, qd, qdd)
        speed, rate = joint_values(driven.n, "qd", qd), joint_values(driven.n, "qdd", qdd)
        third = joint_values(driven.n, "jerk", jerk)
        change = sum(
            np.einsum("...ij,...j->...i", matrix, vector)
            for matrix, vector in ((to_q, speed), (to_qd, rate), (mass, third))
        )
        change = change + driven.joint_friction.viscous * rate
        turning = driven.transmission(q)
        motor = driven.to_motors(q, change)
        shaft_rate = np.einsum("...aj,...j->...a", turning, rate)
        if driven.train.turns is not None:
            bend = _transmission_rate(driven, q, speed)
            load = driven.to_motors(q, driven.inverse_dynamics(q, qd, qdd) + driven.joint_friction.moving(speed))
            motor = motor - driven.to_motors(q, np.einsum("...aj,...a->...j", bend, load))
            shaft_rate = shaft_rate + np.einsum("...aj,...j->...a", bend, speed)
        return (motor + driven.motor_friction.viscous * shaft_rate) / self.torque_constant

    def voltages(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, jerk: ArrayLike | None = None) -> Array:
        """V (2-240); without ``jerk`` the inductance is left out."""
        found = self.resistance * self.currents(q, qd, qdd)
        found = found + self.speed_constant * self.driven.motor_velocities(q, qd)
        return found if jerk is None else found + self.inductance * self.current_rates(q, qd, qdd, jerk)

    def current_dynamics(self, q: ArrayLike, qd: ArrayLike, current: ArrayLike, voltage: ArrayLike) -> Array:
        """di/dt (2-229) under these voltages, cut to the supply."""
        if (self.inductance == 0).any():
            raise ArmError("a motor without inductance has no current of its own; use steady_current")
        pushed = np.clip(voltage, -self.supply, self.supply)
        back = self.speed_constant * self.driven.motor_velocities(q, qd)
        return (pushed - self.resistance * np.asarray(current) - back) / self.inductance

    def steady_current(self, q: ArrayLike, qd: ArrayLike, voltage: ArrayLike) -> Array:
        """i of motors whose inductance is left out."""
        back = self.speed_constant * self.driven.motor_velocities(q, qd)
        return (np.clip(voltage, -self.supply, self.supply) - back) / self.resistance

    def torque(self, current: ArrayLike) -> Array:
        """C_M i, the current cut to what the motor may carry."""
        return self.torque_constant * np.clip(current, -self.largest_current, self.largest_current)

    def torque_limits(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Least and greatest torque at this speed: R i + C_E qd_a within the supply, i within its limit."""
        back = self.speed_constant * self.driven.motor_velocities(q, qd)
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.where(self.resistance > 0, (-self.supply - back) / self.resistance, -np.inf)
            high = np.where(self.resistance > 0, (self.supply - back) / self.resistance, np.inf)
        limit = self.largest_current
        return self.torque_constant * np.clip(low, -limit, limit), self.torque_constant * np.clip(high, -limit, limit)


def _transmission_rate(driven: Driven, q: ArrayLike, qd: Array) -> Array:
    """dN/dt = sum_k dN/dq_k qd_k."""
    from ..rings.real import REAL
    from .batch import over_batch

    place = joint_values(driven.n, "q", q)
    second = over_batch(lambda x: driven._parts.transmission(REAL, x).second, place)
    return np.einsum("...ajk,...k->...aj", second, qd)
