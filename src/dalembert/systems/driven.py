"""An arm with its drives, seen from the motors: transmission, motor torques, the direct problem of the drives.

    F   = D qdd + h + G + friction       links, rotors, friction, at the joints   Szkodny 1995, eq. (7)
    F_a = N^-T F                         at the motor shafts                      (13)
    F_d = N^T F_a                        what motor torques do at the joints      (19)

The printed (19) sums dq_aj/dq_j; it is dq_aj/dq_i that makes it the inverse of (13).
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape
from ..arm.drives import Actuator, DriveTrain
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..arm.lazy_arrays import chunkwise
from ..arm.motor_units import motor_units
from .arm_kinematics import MovingArm
from .arrays import joint_array, vector_array

Array = NDArray[np.float64]


class MotorSystem:
    """A system that motors drive, at speeds N(q) qd; N may vary. What plants, electric circuits and controllers ask."""

    drives: DriveTrain

    @property
    def n(self) -> int:
        """Number of coordinates."""
        raise NotImplementedError

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the motors, in the order of the rows of N."""
        raise NotImplementedError

    @property
    def motor_units(self) -> tuple[str, ...]:
        """Units of their torques."""
        raise NotImplementedError

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Loads at the coordinates for this motion."""
        raise NotImplementedError

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array, Array]:
        """Their slopes to q, qd and qdd."""
        raise NotImplementedError

    def transmission(self, q: ArrayLike) -> Array:
        """N(q), ``(..., motors, n)``."""
        raise NotImplementedError

    def transmission_slopes(self, q: ArrayLike) -> Array:
        """dN_aj/dq_k, ``(..., motors, n, n)``."""
        raise NotImplementedError

    def motor_velocities(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """N qd."""
        raise NotImplementedError

    def motor_torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, friction: bool = True) -> Array:
        """F_aid: the torques that the motors must give for this motion (the inverse problem), ``(..., motors)``."""
        system = self if friction else self.frictionless()
        return self.to_motors(q, system.inverse_dynamics(q, qd, qdd))

    def to_motors(self, q: ArrayLike, joint_torque: ArrayLike) -> Array:
        """Torques of the motors that load the coordinates so."""
        raise NotImplementedError

    def to_joints(self, q: ArrayLike, motor_torque: ArrayLike) -> Array:
        """N^T F_a."""
        raise NotImplementedError

    def holding(self, load: Load | None) -> Self:
        """The same with ``load`` in the hand."""
        raise NotImplementedError

    def frictionless(self) -> Self:
        """The same with all friction of its drives taken off."""
        raise NotImplementedError


@chunkwise(
    motor_positions="q", motor_velocities="q qd", motor_torques="q qd qdd", direct_dynamics="q qd motor_torque",
    to_motors="q joint_torque", to_joints="q motor_torque", joint_positions="motors",
)  # fmt: skip
class DrivenSystem(MovingArm, MotorSystem):
    """Links, rotors, transmission, friction and motors together. Positions q are those of the joints."""

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the motors, in the order of the rows of N."""
        return self.drives.names

    @property
    def motor_units(self) -> tuple[str, ...]:
        """N of motors that slide, and of those written as a force on a sliding joint; N m of others."""
        return motor_units(self)

    def motor_positions(self, q: ArrayLike) -> Array:
        """q_a (rad); joints that are locked count where they stand."""
        position = joint_array(self, "q", q)
        turns = self.drives.turns
        if turns is None:
            return position @ self.ratios.T + self._held_turns
        from ..rings.real import REAL

        return self._evaluate(lambda x: list(turns(REAL, x)), q=position)

    @property
    def _held_turns(self) -> Array:
        """What locked joints have turned the motors by, and offsets of joints that follow others."""
        offsets = {joint.name: joint.held for joint in self.joints if joint.held}
        offsets |= {joint.name: c.start for joint, c in zip(self.all_moving, self.couplings, strict=True) if c.start}
        return np.array(
            [sum(float(n) * offsets.get(name, 0.0) for name, n in motor.ratios) for motor in self.drives.actuators]
        )

    def motor_velocities(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """qd_a = N qd."""
        position, speed = self._states(q=q, qd=qd)
        return np.einsum("...aj,...j->...a", self.transmission(position), speed)

    def joint_positions(self, motors: ArrayLike) -> Array:
        """q = N^-1 q_a, for a constant transmission."""
        if self.drives.turns is not None:
            raise ArmError("the transmission varies, so joint positions do not follow from motor positions directly")
        self._one_motor_a_joint()
        turned = vector_array(self.n, "motors", motors, "motor") - self._held_turns
        return np.asarray(np.linalg.solve(self.ratios, turned[..., None])[..., 0], dtype=np.float64)

    def direct_dynamics(self, q: ArrayLike, qd: ArrayLike, motor_torque: ArrayLike) -> Array:
        """qdd of the joints under motor torques: the direct problem (Szkodny 1995, eqs 19 to 21), friction in."""
        return self.forward_dynamics(q, qd, self.to_joints(q, motor_torque))

    def to_motors(self, q: ArrayLike, joint_torque: ArrayLike) -> Array:
        """F_a = N^-T F (13)."""
        self._one_motor_a_joint()
        matrix = np.swapaxes(self.transmission(q), -1, -2)
        torque = joint_array(self, "torque", joint_torque)
        common_shape([("q", np.asarray(q)), ("torque", torque)])
        try:
            return np.asarray(np.linalg.solve(matrix, torque[..., None])[..., 0], dtype=np.float64)
        except np.linalg.LinAlgError:
            raise ArmError(
                "the transmission matrix is singular at this position; keep away from its dead point"
            ) from None

    def to_joints(self, q: ArrayLike, motor_torque: ArrayLike) -> Array:
        """N^T F_a (19)."""
        torque = vector_array(len(self.drives.actuators), "motor torque", motor_torque, "motor")
        common_shape([("q", np.asarray(q)), ("motor torque", torque)])
        return np.einsum("...aj,...a->...j", self.transmission(q), torque)

    def _one_motor_a_joint(self) -> None:
        if len(self.drives.actuators) != self.n:
            raise ArmError(
                f"{self.where}{self.name}: {len(self.drives.actuators)} motors turn with {self.n} joints, so that the "
                "share of each is not determined; ask for torques at the joints"
            )

    def actuator(self, name: str) -> Actuator:
        """The motor of this name."""
        for actuator in self.drives.actuators:
            if actuator.name == name:
                return actuator
        raise ArmError(f"no motor {name!r}; the motors are {', '.join(self.motor_names)}")
