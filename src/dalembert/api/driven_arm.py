"""``DrivenArm``: an arm with its drives, and everything that can be asked of both together."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.following import followers_phrase
from ..arm.lazy_arrays import chunkwise
from ..drives.approximations import ApproximationError, compare
from ..drives.effective_inertia import InertiaRange, effective_inertia, inertia_range
from ..drives.motors import Electric
from ..drives.standstill import TorqueBand, shaft_states, torque_band
from ..systems.arm_system import Array
from ..systems.driven import DrivenSystem
from .questions import SystemQuestions

if TYPE_CHECKING:
    from .arm import Arm


@chunkwise(
    motor_torque_band="q qd qdd", effective_inertia="q",
)  # fmt: skip
class DrivenArm(DrivenSystem, SystemQuestions):
    """An arm with its drives: rotors, transmission, friction and motors are all in.

    ``inverse_dynamics`` gives torques at the joints, friction included, and ``forward_dynamics`` undoes it;
    ``motor_torques`` and ``direct_dynamics`` are the same at the motor shafts. ``arm`` is the arm alone.
    """

    @classmethod
    def of(cls, arm: ArmDescription, model: str = "exact") -> Self:
        """The arm with its drives counted by this model; refused where they do not fit the arm."""
        if model == "none":
            raise ArmError('an arm with drives counts them: "exact", or an approximation')
        values = {field.name: getattr(arm, field.name) for field in fields(ArmDescription)}
        driven = cls(**(values | {"drive_model": model}))
        driven.drives.check(driven)
        return driven

    @property
    def arm(self) -> Arm:
        """The arm alone, without its drives."""
        from .arm import Arm

        return Arm.of(super().counting_drives("none"))

    @property
    def driven(self) -> Self:
        """Itself: its drives count already."""
        return self

    def counting_drives(self, model: str = "exact") -> Any:
        """The same drives counted by this model, or ("none") the arm alone."""
        return self.arm if model == "none" else self.approximate(model)

    def approximate(self, name: str) -> Self:
        """The same drives by an approximation: "szkodny", "diagonal" or "paul"; "exact" goes back."""
        return type(self).of(self, name)

    @cached_property
    def electric(self) -> Electric:
        """The electric side of the motors."""
        return Electric(self)

    def motor_torque_band(self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> TorqueBand:
        """The motor torques that keep this motion: a band where shafts stand and friction holds them (Szkodny 17).

        Without ``qd`` and ``qdd`` the arm is at rest: torques within the band hold it, beyond it a shaft starts.
        """
        return torque_band(self, q, qd, qdd)

    def shaft_states(self, q: ArrayLike, qd: ArrayLike, motor_torque: ArrayLike) -> dict[str, str]:
        """What each shaft with Coulomb friction does in one state under these torques, by its name.

        It "moves", "stands", "starts forward" or "starts backward": (17) with the load and all couplings in.
        """
        torque = self.to_joints(q, motor_torque)
        return dict(shaft_states(self, q, qd, torque, self.forward_dynamics(q, qd, torque)))

    def effective_inertia(self, q: ArrayLike, others: str = "held") -> Array:
        """Inertia at each motor shaft (kg m^2), the other motors "held" or "free"."""
        return effective_inertia(self, q, others)

    def inertia_range(self, others: str = "held", samples: int = 2000) -> InertiaRange:
        """Least and greatest effective inertia of each motor within the joint limits, searched."""
        return inertia_range(self, self.lower, self.upper, others, samples)

    def approximation_errors(
        self, speed: float = 1.0, acceleration: float = 1.0, samples: int = 500
    ) -> dict[str, ApproximationError]:
        """How wrong each approximation of the drives is, over random motions within the joint limits."""
        return compare(self, self.lower, self.upper, speed, acceleration, samples)

    def __repr__(self) -> str:
        shortcut = "" if self.drive_model == "exact" else f", rotors by {self.drive_model!r}"
        joints = f"{self.n} joints{followers_phrase(self.followers)}"
        return f"<DrivenArm {self.name!r}: {joints}, motors {', '.join(self.motor_names)}{shortcut}>"
