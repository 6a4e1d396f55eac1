"""What motors can give along a motion: their largest torque, and what their supply leaves of it at a speed.

With currents that have settled, V = R i + C_E qd_a and tau_a = C_M i (Freeman 1985, eqs 2-238 and 2-240 without L), so
that a supply V is kept where |tau_a + (C_M C_E / R) qd_a| <= C_M V / R, without resistance where |qd_a| <= V / C_E.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..systems.driven import MotorSystem
from ..systems.protocol import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MotorLimits:
    """Of each motor: |tau_a| <= ``torque``, |tau_a + ``drag`` qd_a| <= ``supply``, |qd_a| <= ``speed``.

    Infinite where unknown.
    """

    torque: Array
    supply: Array
    drag: Array
    speed: Array

    @property
    def known(self) -> NDArray[np.bool_]:
        """Of which motors some limit is known."""
        return np.asarray(np.isfinite([self.torque, self.supply, self.speed]).any(axis=0))


def motor_limits(system: System) -> MotorLimits | None:
    """The limits of the motors of a system; None where none is known, or no drives count."""
    if not isinstance(system, MotorSystem) or not system.counts_drives:
        return None
    actuators = system.drives.actuators
    limited = [actuator.name for actuator in actuators if actuator.is_limited]
    if not limited:
        return None
    if len(actuators) != system.n:
        raise ArmError(
            f"{system.name}: {len(actuators)} motors drive {system.n} coordinates, so that the share of each is "
            f"not determined and the limits of motor {limited[0]} cannot be kept; take them off and give effort="
        )
    current, supply, speed, drag = (np.full(len(actuators), value) for value in (np.inf, np.inf, np.inf, 0.0))
    for k, motor in enumerate(actuator.motor for actuator in actuators):
        if motor is not None:
            current[k] = motor.torque_constant * motor.largest_current
            if motor.resistance > 0 and np.isfinite(motor.supply):
                supply[k] = motor.torque_constant * motor.supply / motor.resistance
                drag[k] = motor.torque_constant * motor.back_emf / motor.resistance
            elif motor.resistance == 0 < motor.back_emf:
                speed[k] = motor.supply / motor.back_emf
    return MotorLimits(np.minimum(system.drives.stall_torques, current), supply, drag, speed)
