"""What is asked of any system: an arm, an arm with a load or with drives, a reduced model, a mechanism.

Simulation, control and linear models ask nothing else, so that whatever fulfils this can be simulated, controlled
and compared. The law that ties it together: ``forward_dynamics`` undoes ``inverse_dynamics``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.inertia import Load
from .sticking import Contact

Array = NDArray[np.float64]


class SystemCoordinate(Protocol):
    """A coordinate of a system: its name, and whether it turns (rad) or slides (m)."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def kind(self) -> str:
        """ "revolute" or "prismatic"."""
        ...


class System(Protocol):
    """tau = D qdd + h + G + F - Q in coordinates q, with all that the system has."""

    @property
    def name(self) -> str:
        """What the system is called."""
        ...

    @property
    def n(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        ...

    @property
    def moving(self) -> Any:
        """The coordinates: a sequence of ``SystemCoordinate``."""
        ...

    @property
    def lower(self) -> Array:
        """Lower limits of the coordinates (rad or m)."""
        ...

    @property
    def upper(self) -> Array:
        """Upper limits of the coordinates (rad or m)."""
        ...

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """tau for this motion."""
        ...

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """qdd under tau."""
        ...

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """The same for single states in a loop, without the checks of a public call."""
        ...

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D."""
        ...

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """tau at zero acceleration."""
        ...

    def gravity_load(self, q: ArrayLike) -> Array:
        """G."""
        ...

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T (J)."""
        ...

    def potential_energy(self, q: ArrayLike) -> Array:
        """V (J)."""
        ...

    def frictionless(self) -> Self:
        """The same system with all friction taken off."""
        ...

    @property
    def effort_limits(self) -> Array:
        """Largest torques (N m) or forces (N) at the coordinates, inf where unknown."""
        ...

    @property
    def counts_drives(self) -> bool:
        """True if drives are part of it."""
        ...

    @property
    def has_dampers(self) -> bool:
        """True if dampers take energy from it, beside friction."""
        ...

    @property
    def has_friction(self) -> bool:
        """True if Coulomb or viscous friction acts on it."""
        ...

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The shafts at which Coulomb friction acts."""
        ...

    @property
    def contacts_vary(self) -> bool:
        """True if the shafts turn with the coordinates at ratios that change on the way."""
        ...

    def contact_rows(self, q: ArrayLike) -> Array:
        """Speed of each contact per unit rate of each coordinate."""
        ...

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Acceleration of each contact at constant rates of the coordinates."""
        ...

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """F of moving shafts at the coordinates; with ``width`` its jump at zero speed is spread by ``law``."""
        ...

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """B: viscous friction at the coordinates is B qd."""
        ...

    def holding(self, load: Load | None) -> Self:
        """The same system with ``load`` in its hand."""
        ...
