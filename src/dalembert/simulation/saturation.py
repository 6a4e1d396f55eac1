"""Limits of the inputs: what motors and joints may give, cut from what a controller asks for.

Joint torques are cut to the effort limits of the joints; motor torques also to C_M i_max of the motors, and to their
stall torque where one is given. Where motors are coupled, the torques at the joints are cut first, N^T u within the
effort limits, and the motors' own limits come last. Motors that turn one joint together give less of it in the same
shares; of coupled motors that are more than the joints each changes as little as that takes, and where they are fewer
than the coordinates all give less in the same shares.
Currents and voltages are cut by the motors themselves (``drives/motors.py``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..systems.driven import DrivenSystem, MotorSystem
from .plant import MotorPlant, Plant

Array = NDArray[np.float64]


def largest_torque(part: Actuator) -> float:
    """C_M i_max of a motor, and its stall torque where that is given; what its supply leaves belongs to voltages."""
    stall = math.inf if part.stall is None else part.stall
    return stall if part.motor is None else min(stall, part.motor.torque_constant * part.motor.largest_current)


class Saturation:
    """The limits of a plant's inputs; infinite where unknown."""

    def __init__(self, plant: Plant) -> None:
        self.joints: Array = plant.system.effort_limits
        self.driven: MotorSystem | None = plant.driven if isinstance(plant, MotorPlant) else None
        self.inputs = self.joints
        self.coupled = False
        self.turned_joint: NDArray[np.intp] | None = None
        """The joint that each motor turns alone, where some joint is turned by several."""
        if self.driven is not None:
            self.inputs = np.array([largest_torque(part) for part in self.driven.drives.actuators])
            self._carry_to_motors(self.driven)

    def _carry_to_motors(self, driven: MotorSystem) -> None:
        """Effort limits at the shafts of motors that turn with one joint alone, and it with no other motor."""
        limited = bool(np.isfinite(self.joints).any())
        ratios = driven.ratios if isinstance(driven, DrivenSystem) and driven.drives.turns is None else None
        if ratios is None or not (np.count_nonzero(ratios, axis=1) == 1).all():
            self.coupled = limited
            return
        joint = np.argmax(ratios != 0, axis=1)
        if (np.count_nonzero(ratios, axis=0) > 1).any():
            self.coupled, self.turned_joint = limited, joint
        else:
            ratio = np.abs(ratios[np.arange(len(joint)), joint])
            self.inputs = np.minimum(self.inputs, self.joints[joint] / ratio)

    @property
    def has_limits(self) -> bool:
        """Whether any limit is known."""
        return bool(np.isfinite(self.inputs).any()) or self.coupled

    def __call__(self, q: Array, u: Array) -> Array:
        """The inputs within their limits."""
        if self.coupled and self.driven is not None:
            requested = self.driven.to_joints(q, u)
            allowed = np.clip(requested, -self.joints, self.joints)
            if (allowed != requested).any():
                u = self._within_joints(self.driven, q, u, requested, allowed)
        return np.clip(u, -self.inputs, self.inputs)

    def _within_joints(self, driven: MotorSystem, q: Array, u: Array, requested: Array, allowed: Array) -> Array:
        """The inputs that give the torques ``allowed`` at the joints in place of those ``requested``."""
        shares = np.divide(allowed, requested, out=np.ones_like(requested), where=requested != 0)
        if self.turned_joint is not None:
            return np.asarray(u * shares[self.turned_joint])
        motors, joints = u.shape[-1], allowed.shape[-1]
        if motors < joints:
            return np.asarray(u * shares.min(axis=-1, keepdims=True))
        if motors == joints:
            return driven.to_motors(q, allowed)
        # N^T (u + du) = allowed with the least |du|
        back = np.linalg.pinv(np.swapaxes(driven.transmission(q), -1, -2))
        return np.asarray(u + np.einsum("...aj,...j->...a", back, allowed - requested))

    def reached(self, q: Array, u: Array) -> NDArray[np.bool_]:
        """Which inputs are at a limit: their own, or for coupled motors that of a joint they turn."""
        at_limit = np.abs(u) >= self.inputs
        if self.coupled and self.driven is not None:
            joint_at_limit = np.abs(self.driven.to_joints(q, u)) >= self.joints * (1 - 1e-12)
            at_limit = at_limit | ((self.driven.transmission(q) != 0) & joint_at_limit).any(axis=-1)
        return np.asarray(at_limit)


def saturation_of(plant: Plant, saturate: bool | None) -> Saturation | None:
    """The limits that apply: where asked for, and by default for an arm with drives whose limits are known."""
    if isinstance(plant, MotorPlant) and plant.kind != "motor torque":
        if saturate is False:
            raise ArmError(f"{plant.name}: a {plant.kind} is cut by the limits of its motor always; leave saturate out")
        return None
    if saturate is False or (saturate is None and not plant.system.counts_drives):
        return None
    limits = Saturation(plant)
    if saturate and not limits.has_limits:
        raise ArmError(
            f"{plant.name}: no effort limit of a joint and no largest current of a motor is known to saturate at; "
            "give the joints limits, or leave saturate out"
        )
    return limits if limits.has_limits else None
