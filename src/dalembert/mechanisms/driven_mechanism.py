"""A mechanism under its motors: a system in its coordinates whose inputs are motor torques, currents or voltages.

A motor turns at N X q', N being the transmission at the joints and X = [G^phi_q]; its torque loads the coordinates by
(N X)^T F_a. Both vary with the configuration, as a transmission of an arm may (Freeman 1985, eqs 2-228 to 2-240).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape
from ..arm.drives import DriveTrain
from ..arm.errors import ArmError
from ..arm.lazy_arrays import chunkwise
from ..drives.motors import Electric
from ..systems.arrays import vector_array
from ..systems.driven import MotorSystem
from .mechanism import NONE, Forces, Mechanism
from .mechanism_motors import MechanismMotors
from .mechanism_system import MechanismSystem

if TYPE_CHECKING:
    from ..linear.linear_model import LinearModel

Array = NDArray[np.float64]


@chunkwise(
    transmission="q", transmission_slopes="q", motor_velocities="q qd", motor_torques="q qd qdd",
    to_motors="q joint_torque", to_joints="q motor_torque",
)  # fmt: skip
class DrivenMechanism(MechanismSystem, MotorSystem):
    """A mechanism and its motors: those of chains whose drives count, and its own."""

    def __init__(self, mechanism: Mechanism, near: ArrayLike | None = None) -> None:
        """``near`` are joints phi in the assembly mode that is meant; home by default."""
        super().__init__(mechanism, near)
        self.motors = MechanismMotors(mechanism)
        self.drives = DriveTrain(tuple(self.motors.actuators), turns=_varies)

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the motors, chain by chain."""
        return self.motors.names

    @property
    def motor_units(self) -> tuple[str, ...]:
        """Units of their torques."""
        return self.motors.units

    @cached_property
    def electric(self) -> Electric:
        """Currents and voltages of the motors (Freeman 1985, eqs 2-238 to 2-240)."""
        return Electric(self)

    def transmission(self, q: ArrayLike) -> Array:
        """N X ``(..., motors, n)``: the motors' speeds per rate of the coordinates."""
        return self._table(q, lambda phi: self.motors.rows(phi) @ self.mechanism.first_influence(phi))

    def transmission_slopes(self, q: ArrayLike) -> Array:
        """d(N X)_aj/dq_k ``(..., motors, n, n)``."""

        def slopes(phi: Array) -> Array:
            carried = self.mechanism.assembly.carried(phi)
            bend = np.einsum("bam,bmkj->bajk", self.motors.rows(phi), carried.x2)
            return bend + np.einsum("bami,bmj,bik->bajk", self.motors.row_slopes(phi), carried.x, carried.x)

        return self._table(q, slopes)

    def _table(self, q: ArrayLike, table: Callable[[Array], Array]) -> Array:
        def table_at(phi: Array) -> Array:
            values = table(phi.reshape(-1, self.mechanism.m))
            return np.asarray(values.reshape(*phi.shape[:-1], *values.shape[1:]), dtype=np.float64)

        return self._evaluated(table_at, q)

    def motor_velocities(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """N X q' (rad/s, or m/s)."""
        speed = vector_array(self.n, "qd", qd, "coordinate")
        common_shape([("q", np.asarray(q)), ("qd", speed)])
        return np.einsum("...aj,...j->...a", self.transmission(q), speed)

    def to_motors(self, q: ArrayLike, joint_torque: ArrayLike) -> Array:
        """F_a = (N X)^-T T_q."""
        self.refuse_shared()
        lever = np.swapaxes(self.transmission(q), -1, -2)
        load = vector_array(self.n, "torque", joint_torque, "coordinate")
        common_shape([("q", np.asarray(q)), ("torque", load)])
        try:
            return np.asarray(np.linalg.solve(lever, load[..., None])[..., 0], dtype=np.float64)
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{self.name}: its motors do not drive all of its freedoms here; keep away from this configuration"
            ) from None

    def refuse_shared(self) -> None:
        """Refuse to tell torques of motors that are not one for each freedom."""
        if len(self.motor_names) != self.n:
            raise ArmError(
                f"{self.name}: {len(self.motor_names)} motors drive {self.n} freedoms, so that the share of each is "
                f"not determined; da.Motors shares loads, or ask for those at the coordinates"
            )

    def to_joints(self, q: ArrayLike, motor_torque: ArrayLike) -> Array:
        """(N X)^T F_a, the loads at the coordinates."""
        torque = vector_array(len(self.motor_names), "motor torque", motor_torque, "motor")
        common_shape([("q", np.asarray(q)), ("motor torque", torque)])
        return np.einsum("...aj,...a->...j", self.transmission(q), torque)

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        input: str | None = None,
        width: float | None = None,
        forces: Forces = NONE,
        disturbances: Forces = NONE,
    ) -> LinearModel:
        """The linear model about (q, qd) under loads ``tau``; inputs are motor torques unless ``input`` says else."""
        input_kind = input or "motor torque"
        return super().linearize(q, qd, tau, input=input_kind, width=width, forces=forces, disturbances=disturbances)


def _varies(ring: Any, q: Sequence[Any]) -> list[Any]:
    raise ArmError("motors of a mechanism turn with its joints, which follow from the coordinates by search alone")
