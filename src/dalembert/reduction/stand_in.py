"""What a shorter model has from the system it stands for: joints, limits, and the friction of the drives."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..arm.description import Joint
from ..systems.arm_system import ArmSystem
from ..systems.sticking import Contact
from .states import Array


@dataclass(frozen=True, eq=False)
class StandIn:
    """The part of ``systems/protocol.py`` that shortening leaves as it is."""

    system: ArmSystem

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.system.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.system.joint_names

    @property
    def moving(self) -> tuple[Joint, ...]:
        """The joints."""
        return self.system.moving

    @property
    def lower(self) -> Array:
        """Lower position limits."""
        return self.system.lower

    @property
    def upper(self) -> Array:
        """Upper position limits."""
        return self.system.upper

    @property
    def effort_limits(self) -> Array:
        """As the system has them."""
        return self.system.effort_limits

    @property
    def counts_drives(self) -> bool:
        """As the system has it."""
        return self.system.counts_drives

    @property
    def has_dampers(self) -> bool:
        """As the system has it."""
        return self.system.has_dampers

    @property
    def has_friction(self) -> bool:
        """As the system has it: no program touches friction."""
        return self.system.has_friction

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The shafts of the system it stands for."""
        return self.system.contacts

    @property
    def contacts_vary(self) -> bool:
        """As the system has it."""
        return self.system.contacts_vary

    def contact_rows(self, q: ArrayLike) -> Array:
        """As the system has them."""
        return self.system.contact_rows(q)

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """As the system has it."""
        return self.system.contact_drift(q, qd)

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """As the system has it."""
        return self.system.friction_torque(q, qd, width, law)

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """As the system has it."""
        return self.system.viscous_matrix(q)
