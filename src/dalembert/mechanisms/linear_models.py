"""Linear models of mechanisms with named signals, in the words of those of arms (``linear/models.py``).

    d/dt dq  = dq' + F11 dq
    d/dt dq' = I*^-1 (dT - (dT/dq') dq' - (dT/dq) dq)                       Freeman 1985, eqs 2-201 ff, 3-48 to 3-53

F11 = [G^q] (d(X q')/dq - dX/dt) is zero but for coordinates that turn, whose rates are no derivatives of positions.
Inputs are loads at the coordinates, torques of the motors or their voltages with currents as states (2-241), and
deviations of outer forces (2-227). A motor's lever on the coordinates, X^T N^T, varies with them; its nominal torque
then stands in A.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import listed
from ..arm.errors import ArmError
from ..drives.motors import ElectricConstants
from ..linear.joints import force_signals, second_order, smooth_friction, with_currents, with_inputs
from ..linear.linear_model import LinearModel, Signal
from ..linear.models import INPUTS
from ..systems.applied_forces import force_columns
from ..systems.arrays import one_state
from . import transfer
from .assembly import CoordinateTransfer
from .batch import Array
from .linearize import JointSlopes, joint_slopes, rate_slopes, transferred
from .mechanism_motors import MechanismMotors

if TYPE_CHECKING:
    from .mechanism import Forces, Mechanism


RESTS = 1e-9
"""The share of what the loads could do below which an acceleration is none."""


def linear_model(
    mechanism: Mechanism,
    phi: ArrayLike,
    qd: ArrayLike | None,
    tau: ArrayLike | None,
    input: str | None,
    width: float | None,
    forces: Forces,
    disturbances: Forces,
) -> LinearModel:
    """See ``Mechanism.linearize``."""
    input_kind = input or "joint torque"
    if input_kind not in INPUTS:
        raise ArmError(f"no input {input!r} of a linear model; there are {listed(INPUTS)}")
    if input_kind == "joint torque" and width is not None:
        raise ArmError("width makes the friction of drives smooth; it belongs to the inputs of motors")
    joints = one_state(mechanism.m, "phi", phi)[None]
    outer = _all_forces(forces, disturbances)
    rate = (np.zeros(mechanism.n) if qd is None else one_state(mechanism.n, "qd", qd, "coordinate"))[None]
    smooth = mechanism if width is None else mechanism._with_chains(lambda arm: arm.frictionless())
    load, rate2 = _operating_point(smooth, joints, rate, tau, outer, _smooth_load(mechanism, joints, rate, width))
    work = _Linearization(mechanism, smooth, joints, rate, rate2, outer, width)
    if input_kind == "joint torque":
        model = work.under_loads(load)
    else:
        motors = MechanismMotors(mechanism)
        model = work.under_motors(motors, load, input_kind == "voltage")
    columns, signals = work.disturbed(disturbances, len(model.states))
    return with_inputs(model, columns, signals)


def _all_forces(forces: Forces, disturbances: Forces) -> Forces:
    chains = dict.fromkeys((*forces, *disturbances))
    return {chain: (*forces.get(chain, ()), *disturbances.get(chain, ())) for chain in chains}


def _smooth_load(mechanism: Mechanism, phi: Array, qd: Array, width: float | None) -> Array:
    """X^T F: the friction of the chains spread over ``width``, at the coordinates ``(n,)``."""
    if width is None:
        return np.zeros(mechanism.n)
    x = mechanism.first_influence(phi)
    rate = np.einsum("bjn,bn->bj", x, qd)[0]
    torques = [
        arm.friction_torque(phi[0, joints], rate[joints], width)
        for arm, joints in zip(mechanism.chains.arms.values(), mechanism.chains.slices, strict=True)
    ]
    return transfer.load(np.concatenate(torques)[None], x)[0]


def _operating_point(
    mechanism: Mechanism, phi: Array, qd: Array, tau: ArrayLike | None, forces: Forces, resisting: Array
) -> tuple[Array, Array]:
    """Loads at the coordinates ``(n,)`` and accelerations ``(1, n)``; without loads those that hold it as it moves.

    ``resisting`` is what the loads overcome besides.
    """
    if tau is None:
        if mechanism.parts.passive:
            load, qdd = mechanism.with_passive(phi[0], qd[0], np.zeros(mechanism.n), forces, resisting)
            return load, qdd[None]
        return mechanism.bias(phi[0], qd[0], forces) + resisting, np.zeros((1, mechanism.n))
    load = one_state(mechanism.n, "tau", tau, "coordinate")
    qdd = mechanism.forward_dynamics(phi[0], qd[0], load - resisting, forces)
    if mechanism.contacts:  # dry friction takes its direction from an acceleration, and not from a rounding of zero
        x, zero_rate = mechanism.first_influence(phi)[0], np.zeros_like(phi)
        borne = np.abs(mechanism.joint_loads(phi, zero_rate, zero_rate, mechanism._forces(forces)))[0] @ np.abs(x)
        sizes = borne + np.abs(load) + np.abs(resisting)
        rounding = RESTS * np.abs(np.linalg.inv(mechanism.mass_matrix(phi[0]))) @ sizes
        qdd = np.where(np.abs(qdd) > rounding, qdd, 0.0)
    return load, qdd[None]


class _Linearization:
    """Tables about one state."""

    def __init__(
        self,
        mechanism: Mechanism,
        smooth: Mechanism,
        phi: Array,
        qd: Array,
        qdd: Array,
        forces: Forces,
        width: float | None,
    ) -> None:
        self.mechanism, self.phi, self.qd, self.qdd = mechanism, phi, qd, qdd
        # the friction of chains is made smooth; that of the mechanism's own motors is viscous, and smooth already
        self.carried: CoordinateTransfer = mechanism.assembly.carried(phi, 3)
        self.rate, rate2 = self.carried.joint_motion(qd, qdd)
        self.slopes = joint_slopes(smooth, phi, self.rate, rate2, mechanism._forces(forces))
        if width is not None:
            self.slopes = _with_smooth_friction(mechanism, phi, self.rate, self.slopes, width)

    def under_loads(self, load: Array) -> LinearModel:
        """Inputs are loads at the coordinates that are not passive."""
        mechanism = self.mechanism
        driven = [k for k in range(mechanism.n) if k not in mechanism.passive_indices]
        lever = np.eye(mechanism.n)[:, driven]
        units = ["N m" if angle else "N" for angle in self._angles()]
        inputs = tuple(Signal(f"tau_{mechanism.coordinates[k]}", units[k]) for k in driven)
        return self._model(self.slopes, lever, inputs, {"tau": load})

    def under_motors(self, motors: MechanismMotors, load: Array, electric: bool) -> LinearModel:
        """Inputs are torques of the motors, or voltages."""
        torque = motors.torques(self.phi[0], load)
        rows, bends = motors.rows(self.phi), motors.row_slopes(self.phi)
        slopes = replace(
            self.slopes,
            load=self.slopes.load - np.einsum("baj,a->bj", rows, torque),
            by_position=self.slopes.by_position - np.einsum("bajk,a->bjk", bends, torque),
        )
        x = self.carried.x
        speeds = (rows @ x)[0]
        inputs = tuple(Signal(f"torque_{name}", unit) for name, unit in zip(motors.names, motors.units, strict=True))
        model = self._model(slopes, speeds.T, inputs, {"tau": load, "motor torque": torque})
        if not electric:
            return model
        constants = ElectricConstants(motors.actuators)
        bend = rate_slopes(self.carried, self.qd)[0]
        varied = rows @ bend + np.einsum("bajk,bj,bki->bai", bends, self.rate, x)
        return with_currents(model, constants, motors.names, speeds, varied[0])

    def _model(
        self, slopes: JointSlopes, lever: Array, inputs: tuple[Signal, ...], nominal: dict[str, Array]
    ) -> LinearModel:
        """A and B of d/dt dq' = I*^-1 (lever du - (dT/dq') dq' - (dT/dq) dq), and F11 in A."""
        mechanism = self.mechanism
        to_q, to_qd, inertia = (table[0] for table in transferred(self.carried, self.qd, self.qdd, slopes))
        try:
            self.inverse = np.linalg.inv(inertia)
        except np.linalg.LinAlgError:
            raise ArmError(mechanism._massless_coordinate(inertia[None])) from None
        units = ["rad" if angle else "m" for angle in self._angles()]
        named_units = list(zip(mechanism.coordinates, units, strict=True))
        positions = tuple(Signal(f"q_{name}", unit) for name, unit in named_units)
        speeds = tuple(Signal(f"qd_{name}", f"{unit}/s") for name, unit in named_units)
        about = {"phi": self.phi[0], "qd": self.qd[0], "qdd": self.qdd[0], **nominal}
        inverse = self.inverse
        model = second_order(
            -inverse @ to_q, -inverse @ to_qd, inverse @ lever, positions, speeds, inputs, mechanism.name, about
        )
        bend, turning = rate_slopes(self.carried, self.qd)
        assembly, n = mechanism.assembly, mechanism.n
        blocks = assembly.coordinate_blocks(self.carried.placed, 1)
        g_q = assembly.jacobian(blocks, 1)[0, :n]
        model.A[:n, :n] = g_q @ (bend - turning)[0]
        return model

    def _angles(self) -> list[bool]:
        return [c.is_angle(self.mechanism.chains.revolute) for c in self.mechanism.assembly.coordinates]

    def disturbed(self, disturbances: Forces, states: int) -> tuple[Array, tuple[Signal, ...]]:
        """Columns of B of the components of forces, I*^-1 X^T [G]^T, and their names."""
        mechanism, chains = self.mechanism, self.mechanism.chains
        columns: list[Array] = [np.zeros((states, 0))]
        signals: tuple[Signal, ...] = ()
        loads = mechanism._forces(disturbances)
        turned = transfer.transposed(self.carried.x)[0]
        for chain, numbers, joints, chain_loads in zip(chains.names, chains.numbers, chains.slices, loads, strict=True):
            if not chain_loads:
                continue
            world_forces = [replace(f, axes="world") if f.axes == "base" else f for f in disturbances[chain]]
            table = force_columns(numbers.arm, numbers.system, self.phi[:, joints], world_forces)[0]
            base = mechanism.parts.bases.get(chain)
            for k, force in enumerate(disturbances[chain]):
                if force.axes == "base" and base is not None:
                    # Components in the axes of the chain's base, one after the other, in those of the world.
                    turn = np.array(base.exact[0], dtype=float)
                    for start in (6 * k, 6 * k + 3):
                        table[:, start : start + 3] = table[:, start : start + 3] @ turn
            column = np.zeros((states, table.shape[1]))
            column[mechanism.n : 2 * mechanism.n] = self.inverse @ turned[:, joints] @ table
            columns.append(column)
            signals += force_signals(disturbances[chain], f"{chain}.")
        return np.hstack(columns), signals


def _with_smooth_friction(
    mechanism: Mechanism, phi: Array, rate: Array, slopes: JointSlopes, width: float
) -> JointSlopes:
    """The slopes with the friction of all drives, smooth over ``width``."""
    load, by_position, by_rate = slopes.load.copy(), slopes.by_position.copy(), slopes.by_rate.copy()
    for arm, joints in zip(mechanism.chains.arms.values(), mechanism.chains.slices, strict=True):
        if arm.has_friction:
            torque, to_q, to_qd = smooth_friction(arm, phi[0, joints], rate[0, joints], width)
            load[0, joints] += torque
            by_position[0, joints, joints] += to_q
            by_rate[0, joints, joints] += to_qd
    return JointSlopes(load, by_position, by_rate, slopes.by_acceleration)
