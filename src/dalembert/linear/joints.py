"""Linear models in joint coordinates (Freeman 1985, eqs 2-201 ff) and with motors (2-241 to 2-252).

The derivatives are exact, by dual numbers through the formulations; Freeman gives them in (2-203), (2-204), (2-225).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..drives.motors import Electric
from ..systems.arm_system import ArmSystem
from ..systems.driven import DrivenSystem
from .linear_model import LinearModel, Signal

Array = NDArray[np.float64]


def joint_signals(arm: ArmSystem) -> tuple[tuple[Signal, ...], tuple[Signal, ...], tuple[Signal, ...]]:
    """Positions, velocities and torques of the joints as named signals with units."""
    turning = [joint.kind == "revolute" for joint in arm.moving]
    pairs = list(zip(arm.joint_names, turning, strict=True))
    return (
        tuple(Signal(f"q_{name}", "rad" if t else "m") for name, t in pairs),
        tuple(Signal(f"qd_{name}", "rad/s" if t else "m/s") for name, t in pairs),
        tuple(Signal(f"tau_{name}", "N m" if t else "N") for name, t in pairs),
    )


def links_model(arm: ArmSystem, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> LinearModel:
    """States (q, qd), inputs the joint torques, about a state under torques ``tau``.

    A = [[0, 1], [d qdd/dq, d qdd/dqd]], B = [[0], [D^-1]].
    """
    to_q, to_qd, to_tau = arm.forward_dynamics_derivatives(q, qd, tau)
    positions, speeds, torques = joint_signals(arm)
    at = {"q": np.asarray(q, float), "qd": np.asarray(qd, float), "tau": np.asarray(tau, float)}
    return _second_order(to_q, to_qd, to_tau, positions, speeds, torques, arm.name, at)


def driven_model(
    driven: DrivenSystem, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, width: float | None = None
) -> LinearModel:
    """States (q, qd) of the joints, inputs the motor torques, with rotors and friction, about this motion.

    Coulomb friction is constant away from rest and drops out, unless ``width`` regularises it.
    """
    to_q, to_qd, matrix, drive = _torque_derivatives(driven, q, qd, qdd, width)
    inverse = np.linalg.inv(matrix)
    positions, speeds, _ = joint_signals(driven)
    motors = tuple(Signal(f"torque_{name}", "N m") for name in driven.motor_names)
    at = {"q": np.asarray(q, float), "qd": np.asarray(qd, float), "qdd": np.asarray(qdd, float)}
    return _second_order(
        -inverse @ to_q, -inverse @ to_qd, inverse @ drive.T, positions, speeds, motors, driven.name, at
    )


def motor_model(
    driven: DrivenSystem, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, width: float | None = None
) -> LinearModel:
    """States position, velocity and current, inputs voltage (2-241).

    F21 = -I*^-1 dT/dphi (2-248; in print dT/dphi-dot), F22 = -I*^-1 (dT/dphi-dot + B), F23 = I*^-1 C_M,
    F32 = -L^-1 C_E, F33 = -L^-1 R, G31 = L^-1 (2-251, 2-252).
    """
    electric = Electric(driven)
    if (electric.inductance == 0).any():
        raise ArmError(
            f"{driven.motor_names[int(np.argmin(electric.inductance))]} has no inductance, so its current is no "
            f"state; give its inductance"
        )
    mechanical = driven_model(driven, q, qd, qdd, width)
    n, size = driven.n, 2 * driven.n + len(driven.motor_names)
    transmission = driven.transmission(q)
    a = np.zeros((size, size))
    a[: 2 * n, : 2 * n] = mechanical.A
    a[: 2 * n, 2 * n :] = mechanical.B * electric.torque_constant
    a[2 * n :, n : 2 * n] = -(electric.speed_constant / electric.inductance)[:, None] * transmission
    if driven.drives.turns is not None:
        speed_slopes = _speed_slopes(driven, q, qd)
        a[2 * n :, :n] = -(electric.speed_constant / electric.inductance)[:, None] * speed_slopes
    a[2 * n :, 2 * n :] = -np.diag(electric.resistance / electric.inductance)
    b = np.zeros((size, size - 2 * n))
    b[2 * n :] = np.diag(1 / electric.inductance)
    currents = tuple(Signal(f"current_{name}", "A") for name in driven.motor_names)
    voltages = tuple(Signal(f"voltage_{name}", "V") for name in driven.motor_names)
    states = mechanical.states + currents
    return LinearModel(
        a, b, np.eye(size), np.zeros_like(b), states, voltages, states, mechanical.name, at=mechanical.at
    )


def _torque_derivatives(
    driven: DrivenSystem, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, width: float | None
) -> tuple[Array, Array, Array, Array]:
    """d(required - applied)/dq and /dqd at the joints, D, and N, with friction and a varying transmission."""
    transmission, speed = driven.transmission(q), np.asarray(qd, float)
    if width is None:
        to_q, to_qd, matrix = driven.inverse_dynamics_derivatives(q, qd, qdd)
        needed = driven.inverse_dynamics(q, qd, qdd)
    else:
        plain, motor_speeds, speed_slopes = driven.frictionless(), transmission @ speed, _speed_slopes(driven, q, qd)
        to_q, to_qd, matrix = plain.inverse_dynamics_derivatives(q, qd, qdd)
        slope = driven.motor_friction.smooth_slope(motor_speeds, width)
        to_qd = to_qd + transmission.T @ (slope[:, None] * transmission)
        own = driven.joint_friction.smooth_slope(driven.joint_ratios @ speed, width)
        to_qd = to_qd + driven.joint_ratios.T @ (own[:, None] * driven.joint_ratios)
        to_q = to_q + transmission.T @ (slope[:, None] * speed_slopes)
        to_q = to_q + _lever_slopes(driven, q, driven.motor_friction.smooth(motor_speeds, width))
        needed = plain.inverse_dynamics(q, qd, qdd) + driven.friction_torque(q, qd, width)
    if driven.drives.turns is not None:
        to_q = to_q - _lever_slopes(driven, q, driven.to_motors(q, needed))
    return to_q, to_qd, matrix, transmission


def _lever_slopes(driven: DrivenSystem, q: ArrayLike, motor: Array) -> Array:
    """d(N^T F_a)/dq: the lever of a motor varies."""
    return np.einsum("ajk,a->jk", driven.transmission_slopes(q), motor)


def _speed_slopes(driven: DrivenSystem, q: ArrayLike, qd: ArrayLike) -> Array:
    """d(N qd)/dq."""
    return np.einsum("ajk,j->ak", driven.transmission_slopes(q), np.asarray(qd, float))


def _second_order(
    to_q: Array, to_qd: Array, to_input: Array, positions: tuple[Signal, ...], speeds: tuple[Signal, ...],
    inputs: tuple[Signal, ...], name: str, at: dict[str, Array],
) -> LinearModel:  # fmt: skip
    """The state-space model of qdd = to_q q + to_qd qd + to_input u."""
    n = len(to_q)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [to_q, to_qd]])
    b = np.vstack([np.zeros((n, to_input.shape[1])), to_input])
    states = positions + speeds
    return LinearModel(a, b, np.eye(2 * n), np.zeros((2 * n, b.shape[1])), states, inputs, states, name, at=at)
