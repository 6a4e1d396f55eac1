"""Linear models in joint coordinates (Freeman 1985, eqs 2-201 ff) and with motors (2-241 to 2-252).

The derivatives are exact, by dual numbers through the formulations; Freeman gives them in (2-203), (2-204), (2-225),
and those of outer loads in (2-206) to (2-208). Deviations of forces may be inputs (2-227).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.force import Force
from ..drives.motors import Electric, ElectricConstants
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


@dataclass(frozen=True)
class OuterForces:
    """Forces on the links at the operating point; deviations of ``disturbing`` ones are inputs."""

    steady: tuple[Force, ...] = ()
    disturbing: tuple[Force, ...] = ()

    @property
    def all(self) -> tuple[Force, ...]:
        """Whatever acts at the operating point."""
        return (*self.steady, *self.disturbing)


NO_FORCES = OuterForces()


def force_signals(forces: Sequence[Force], chain: str = "") -> tuple[Signal, ...]:
    """Names of the components of forces and moments as inputs; a second force on a link carries its number."""
    signals: list[Signal] = []
    for number, force in enumerate(forces):
        before = sum(earlier.link == force.link for earlier in forces[:number])
        name = f"{chain}{force.link}" + (f"_{before + 1}" if before else "")
        signals += [Signal(f"{quantity}_{axis}_{name}", unit) for quantity, unit in (("force", "N"), ("moment", "N m"))
                  for axis in "xyz"]  # fmt: skip
    return tuple(signals)


def links_model(arm: Any, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, forces: OuterForces = NO_FORCES) -> LinearModel:
    """States (q, qd), inputs the joint torques, about a state under torques ``tau``; of a reduced model too.

    A = [[0, 1], [d qdd/dq, d qdd/dqd]], B = [[0], [D^-1]].
    """
    if forces.all:  # reduced models, which answer too, take none
        to_q, to_qd, to_tau = arm.forward_dynamics_derivatives(q, qd, tau, forces=forces.all)
    else:
        to_q, to_qd, to_tau = arm.forward_dynamics_derivatives(q, qd, tau)
    positions, speeds, torques = joint_signals(arm)
    operating_point = {"q": np.asarray(q, float), "qd": np.asarray(qd, float), "tau": np.asarray(tau, float)}
    model = second_order(to_q, to_qd, to_tau, positions, speeds, torques, arm.name, operating_point)
    return _disturbed(model, arm, q, to_tau, forces.disturbing)


def driven_model(
    driven: DrivenSystem,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    width: float | None = None,
    forces: OuterForces = NO_FORCES,
) -> LinearModel:
    """States (q, qd) of the joints, inputs the motor torques, with rotors and friction, about this motion.

    Coulomb friction is constant away from rest and drops out, unless ``width`` regularises it.
    """
    to_q, to_qd, matrix, drive = _torque_derivatives(driven, q, qd, qdd, width, forces.all)
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    positions, speeds, _ = joint_signals(driven)
    motors = tuple(
        Signal(f"torque_{name}", unit) for name, unit in zip(driven.motor_names, driven.motor_units, strict=True)
    )
    operating_point = {"q": np.asarray(q, float), "qd": np.asarray(qd, float), "qdd": np.asarray(qdd, float)}
    model = second_order(
        -inverse @ to_q, -inverse @ to_qd, inverse @ drive.T, positions, speeds, motors, driven.name, operating_point
    )
    return _disturbed(model, driven, q, inverse, forces.disturbing)


def motor_model(
    driven: DrivenSystem,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    width: float | None = None,
    forces: OuterForces = NO_FORCES,
) -> LinearModel:
    """States position, velocity and current, inputs voltage (2-241).

    F21 = -I*^-1 dT/dphi (2-248; in print dT/dphi-dot), F22 = -I*^-1 (dT/dphi-dot + B), F23 = I*^-1 C_M,
    F32 = -L^-1 C_E, F33 = -L^-1 R, G31 = L^-1 (2-251, 2-252). Where a motor has no inductance currents are no states
    but outputs, as in a simulation.
    """
    electric = Electric(driven)
    mechanical = driven_model(driven, q, qd, qdd, width, forces)
    slopes = _speed_slopes(driven, q, qd) if driven.drives.turns is not None else None
    return with_currents(mechanical, electric, driven.motor_names, driven.transmission(q), slopes)


def with_currents(
    mechanical: LinearModel, motors: ElectricConstants, names: Sequence[str], speeds: Array, slopes: Array | None = None
) -> LinearModel:
    """The model whose first inputs are the torques of ``motors``, with their currents as states and voltages as inputs.

    ``speeds`` ``(motors, n)`` are the motors' speeds per rate of the coordinates, ``slopes`` what they change by with
    the positions; further inputs, of forces, stay (2-241), (2-251), (2-252). Where a motor has no inductance that of
    all is left out, as in a simulation: R i = V - C_E qd_a, and the currents are outputs.
    """
    if (motors.inductance == 0).any():
        return _with_steady_currents(mechanical, motors, names, speeds, slopes)
    count, size = len(names), len(mechanical.A)
    n = size // 2
    a = np.zeros((size + count, size + count))
    a[:size, :size] = mechanical.A
    a[:size, size:] = mechanical.B[:, :count] * motors.torque_constant
    emf_rate = (motors.speed_constant / motors.inductance)[:, None]
    a[size:, n:size] = -emf_rate * speeds
    if slopes is not None:
        a[size:, :n] = -emf_rate * slopes
    a[size:, size:] = -np.diag(motors.resistance / motors.inductance)
    b = np.zeros((size + count, mechanical.B.shape[1]))
    b[size:, :count] = np.diag(1 / motors.inductance)
    b[:size, count:] = mechanical.B[:, count:]
    currents, voltages = _circuit_signals(names)
    states = mechanical.states + currents
    inputs = voltages + mechanical.inputs[count:]
    return LinearModel(
        a, b, np.eye(size + count), np.zeros_like(b), states, inputs, states, mechanical.name, at=mechanical.at
    )


def _with_steady_currents(
    mechanical: LinearModel, motors: ElectricConstants, names: Sequence[str], speeds: Array, slopes: Array | None
) -> LinearModel:
    """The same without inductance: i = (V - C_E qd_a) / R is no state, and brakes as viscous friction does."""
    if (motors.resistance == 0).any():
        raise ArmError(
            f"{names[int(np.argmin(motors.resistance))]} has no resistance, and currents without inductance are V / R; "
            f"give its resistance, or all motors their inductance"
        )
    count, size = len(names), len(mechanical.A)
    n = size // 2
    current_rows = np.zeros((count, size))
    emf_current = (motors.speed_constant / motors.resistance)[:, None]
    current_rows[:, n:] = -emf_current * speeds
    if slopes is not None:
        current_rows[:, :n] = -emf_current * slopes
    pushed = mechanical.B[:, :count] * motors.torque_constant
    b = np.hstack([pushed / motors.resistance, mechanical.B[:, count:]])
    direct = np.zeros((size + count, b.shape[1]))
    direct[size:, :count] = np.diag(1 / motors.resistance)
    currents, voltages = _circuit_signals(names)
    return replace(
        mechanical, A=mechanical.A + pushed @ current_rows, B=b, C=np.vstack([np.eye(size), current_rows]), D=direct,
        inputs=voltages + mechanical.inputs[count:], outputs=mechanical.states + currents,
    )  # fmt: skip


def _circuit_signals(names: Sequence[str]) -> tuple[tuple[Signal, ...], tuple[Signal, ...]]:
    """Currents and voltages of motors."""
    return tuple(Signal(f"current_{name}", "A") for name in names), tuple(Signal(f"voltage_{n}", "V") for n in names)


def _torque_derivatives(
    driven: DrivenSystem,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    width: float | None,
    forces: Sequence[Force],
) -> tuple[Array, Array, Array, Array]:
    """d(required - applied)/dq and /dqd at the joints, D, and N, with friction and a varying transmission."""
    transmission = driven.transmission(q)
    if width is None:
        to_q, to_qd, matrix = driven.inverse_dynamics_derivatives(q, qd, qdd, forces=forces)
        needed = driven.inverse_dynamics(q, qd, qdd, forces=forces)
    else:
        frictionless = driven.frictionless()
        rubbed, rubbed_to_q, rubbed_to_qd = smooth_friction(driven, q, qd, width)
        to_q, to_qd, matrix = frictionless.inverse_dynamics_derivatives(q, qd, qdd, forces=forces)
        to_q, to_qd = to_q + rubbed_to_q, to_qd + rubbed_to_qd
        needed = frictionless.inverse_dynamics(q, qd, qdd, forces=forces) + rubbed
    if driven.drives.turns is not None:
        to_q = to_q - _lever_slopes(driven, q, driven.to_motors(q, needed))
    return to_q, to_qd, matrix, transmission


def smooth_friction(system: ArmSystem, q: ArrayLike, qd: ArrayLike, width: float) -> tuple[Array, Array, Array]:
    """Friction at the joints spread smoothly over ``width``, with its slopes to positions and velocities."""
    transmission, speed = system.transmission(q), np.asarray(qd, float)
    shafts, speed_slopes = transmission @ speed, _speed_slopes(system, q, qd)
    slope = system.motor_friction.smooth_slope(shafts, width)
    to_qd = transmission.T @ (slope[:, None] * transmission)
    joint_slope = system.joint_friction.smooth_slope(system.joint_ratios @ speed, width)
    to_qd = to_qd + system.joint_ratios.T @ (joint_slope[:, None] * system.joint_ratios)
    to_q = transmission.T @ (slope[:, None] * speed_slopes)
    to_q = to_q + _lever_slopes(system, q, system.motor_friction.smooth(shafts, width))
    return system.friction_torque(q, qd, width), to_q, to_qd


def _lever_slopes(driven: ArmSystem, q: ArrayLike, motor: Array) -> Array:
    """d(N^T F_a)/dq: the lever of a motor varies."""
    return np.einsum("ajk,a->jk", driven.transmission_slopes(q), motor)


def _speed_slopes(driven: ArmSystem, q: ArrayLike, qd: ArrayLike) -> Array:
    """d(N qd)/dq."""
    return np.einsum("ajk,j->ak", driven.transmission_slopes(q), np.asarray(qd, float))


def second_order(
    to_q: Array, to_qd: Array, to_input: Array, positions: tuple[Signal, ...], speeds: tuple[Signal, ...],
    inputs: tuple[Signal, ...], name: str, operating_point: dict[str, Array],
) -> LinearModel:  # fmt: skip
    """The state-space model of qdd = to_q q + to_qd qd + to_input u."""
    n = len(to_q)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [to_q, to_qd]])
    b = np.vstack([np.zeros((n, to_input.shape[1])), to_input])
    states = positions + speeds
    return LinearModel(
        a, b, np.eye(2 * n), np.zeros((2 * n, b.shape[1])), states, inputs, states, name, at=operating_point
    )


def with_inputs(model: LinearModel, columns: Array, inputs: tuple[Signal, ...]) -> LinearModel:
    """The model with further inputs, by their columns of B."""
    if not inputs:
        return model
    return replace(
        model,
        B=np.hstack([model.B, columns]),
        D=np.hstack([model.D, np.zeros((len(model.outputs), len(inputs)))]),
        inputs=model.inputs + inputs,
    )


def _disturbed(
    model: LinearModel, arm: ArmSystem, q: ArrayLike, inverse: Array, forces: Sequence[Force]
) -> LinearModel:
    """The model with components of forces as further inputs: qdd = D^-1 [G]^T df (2-227)."""
    if not forces:
        return model
    lower = inverse @ arm.force_influence(q, forces)
    return with_inputs(model, np.vstack([np.zeros_like(lower), lower]), force_signals(forces))
