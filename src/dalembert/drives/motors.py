"""D-c motors (Freeman 1985, eqs 2-228 to 2-240): currents and voltages for a motion, saturation.

    L di/dt + R i + C_E qd_a = V              (2-229)
    C_M i = N^-T T_phi + friction             (2-238), T_phi with the rotor inertia in it
    di/dt = C_M^-1 d/dt (...)                 (2-239), which needs the jerk of the joints
    V = L di/dt + R i + C_E N qd              (2-240)

In print the derivative in (2-248) F21 is to the velocity; it is to the position. (2-238) is written with T_phi at
the joints and C_M carried there; the same is done here at the motor shafts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.drives import Actuator, Motor
from ..arm.errors import ArmError
from ..arm.lazy_arrays import chunkwise
from ..formulations.motor_circuit import back_emf, current_rate, motor_torque, steady_current
from ..systems.arrays import vector_array
from .standstill import TorqueBand, torque_band

if TYPE_CHECKING:
    from ..systems.driven import MotorSystem

Array = NDArray[np.float64]
UNKNOWN = Motor(*6 * (np.nan,))
"""A motor of which nothing electric is known."""


class ElectricConstants:
    """Constants of motors as arrays: C_M, C_E, R, L, supply, largest current.

    A motor of which nothing electric is known is refused, or has NaN where ``partial``.
    """

    def __init__(self, actuators: Sequence[Actuator], partial: bool = False) -> None:
        missing = [actuator.name for actuator in actuators if actuator.motor is None]
        if missing and not partial:
            raise ArmError(f"no electric data for {', '.join(missing)}; give each of them a motor with its constants")
        motors = [UNKNOWN if actuator.motor is None else actuator.motor for actuator in actuators]
        self.torque_constant = np.array([m.torque_constant for m in motors])
        self.speed_constant = np.array([m.back_emf for m in motors])
        self.resistance = np.array([m.resistance for m in motors])
        self.inductance = np.array([m.inductance for m in motors])
        self.supply = np.array([m.supply for m in motors])
        self.largest_current = np.array([m.largest_current for m in motors])


@chunkwise(
    currents="q qd qdd", current_band="q qd qdd", voltage_band="q qd qdd jerk", current_rates="q qd qdd jerk",
    voltages="q qd qdd jerk", current_dynamics="q qd current voltage", steady_current="q qd voltage",
    torque="current", torque_limits="q qd",
)  # fmt: skip
class Electric(ElectricConstants):
    """The motors of an arm with drives, or of a mechanism: constants, currents, voltages, limits."""

    def __init__(self, driven: MotorSystem, partial: bool = False) -> None:
        super().__init__(driven.drives.actuators, partial)
        self.driven = driven

    _lazy_alone = True  # the motors may be those of a mechanism, which remembers where it was

    def _lazy_probe(self, name: str) -> Array | None:
        """A state of the arm or mechanism, at which the shapes of answers to Dask arrays are asked."""
        probe = getattr(self.driven, "_lazy_probe", None)
        return None if probe is None else probe(name)

    @property
    def stall_torque(self) -> Array:
        """Torque at standstill under full supply, or at the largest current (N m)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            stall = np.where(self.resistance > 0, self.supply / self.resistance, np.inf)
        return self.torque_constant * np.minimum(stall, self.largest_current)

    def currents(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """i (A) for this motion (2-238), friction included."""
        return self.driven.motor_torques(q, qd, qdd) / self.torque_constant

    def current_band(self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> TorqueBand:
        """The currents (A) that keep this motion, or without one an arm at rest: a band where shafts stand."""
        from ..systems.driven import DrivenSystem

        if not isinstance(self.driven, DrivenSystem):
            raise ArmError("what friction holds at rest is known of arms; ask the arm of a chain of the mechanism")
        return torque_band(self.driven, q, qd, qdd).scaled(1 / self.torque_constant, "A")

    def voltage_band(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        jerk: ArrayLike | None = None,
    ) -> TorqueBand:
        """The voltages (V) that keep this motion; a band where shafts stand. Without ``jerk`` no inductance counts."""
        zero = np.zeros(self.driven.n)
        speed, rate = zero if qd is None else qd, zero if qdd is None else qdd
        emf = self.speed_constant * self.driven.motor_velocities(q, speed)
        if jerk is not None:
            emf = emf + self.inductance * self.current_rates(q, speed, rate, jerk)
        return self.current_band(q, qd, qdd).scaled(self.resistance, "V", emf)

    def current_rates(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, jerk: ArrayLike) -> Array:
        """di/dt (A/s) by (2-239): the derivatives of the torque times velocity, acceleration and jerk.

        Viscous friction is part of the torque, Coulomb friction is constant between reversals. A transmission that
        varies adds d(N^-T)/dt F = -N^-T dN^T/dt F_a.
        """
        driven = self.driven
        to_q, to_qd, mass = driven.inverse_dynamics_derivatives(q, qd, qdd)
        speed, rate = vector_array(driven.n, "qd", qd), vector_array(driven.n, "qdd", qdd)
        third = vector_array(driven.n, "jerk", jerk)
        change = sum(
            np.einsum("...ij,...j->...i", matrix, vector)
            for matrix, vector in ((to_q, speed), (to_qd, rate), (mass, third))
        )
        if driven.drives.turns is not None:
            bend = np.einsum("...ajk,...k->...aj", driven.transmission_slopes(q), speed)
            change = change - np.einsum("...aj,...a->...j", bend, driven.motor_torques(q, qd, qdd))
        return driven.to_motors(q, change) / self.torque_constant

    def voltages(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, jerk: ArrayLike | None = None) -> Array:
        """V (2-240); without ``jerk`` the inductance is left out."""
        voltage = self.resistance * self.currents(q, qd, qdd)
        voltage = voltage + self.speed_constant * self.driven.motor_velocities(q, qd)
        return voltage if jerk is None else voltage + self.inductance * self.current_rates(q, qd, qdd, jerk)

    def current_dynamics(self, q: ArrayLike, qd: ArrayLike, current: ArrayLike, voltage: ArrayLike) -> Array:
        """di/dt (2-229) under these voltages, cut to the supply."""
        if (self.inductance == 0).any():
            raise ArmError("a motor without inductance has no current of its own; use steady_current")
        pushed = np.clip(voltage, -self.supply, self.supply)
        emf = back_emf(self.speed_constant, self.driven.motor_velocities(q, qd))
        return current_rate(pushed, np.asarray(current), emf, self.resistance, self.inductance)

    def steady_current(self, q: ArrayLike, qd: ArrayLike, voltage: ArrayLike) -> Array:
        """i of motors whose inductance is left out."""
        emf = back_emf(self.speed_constant, self.driven.motor_velocities(q, qd))
        return steady_current(np.clip(voltage, -self.supply, self.supply), emf, self.resistance)

    def torque(self, current: ArrayLike) -> Array:
        """C_M i, the current cut to what the motor may carry."""
        return motor_torque(self.torque_constant, np.clip(current, -self.largest_current, self.largest_current))

    def torque_limits(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """Least and greatest torque at this speed: R i + C_E qd_a within the supply, i within its limit."""
        emf = self.speed_constant * self.driven.motor_velocities(q, qd)
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.where(self.resistance > 0, (-self.supply - emf) / self.resistance, -np.inf)
            high = np.where(self.resistance > 0, (self.supply - emf) / self.resistance, np.inf)
        limit = self.largest_current
        return self.torque_constant * np.clip(low, -limit, limit), self.torque_constant * np.clip(high, -limit, limit)
