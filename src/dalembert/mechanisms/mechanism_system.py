"""A mechanism as a system in its coordinates q: simulation, control and linear models ask it as they ask an arm.

    T_q = I*(q) q'' + q'.P*(q) q' - T^L

The joints phi follow from q in one assembly mode, the one of ``near``: by continuation from there to the q asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, UnreachableError
from ..arm.inertia import Load
from ..systems.arrays import vector_array
from ..systems.sticking import Contact
from . import transfer
from .continuation import PositionTrack, told
from .mechanism import NONE, Forces, Mechanism

if TYPE_CHECKING:
    from ..linear.linear_model import LinearModel

Array = NDArray[np.float64]
WORSE = 1e4
"""Condition of [G^w_phi] against that at the start at which a motion in the coordinates ends."""


@dataclass(frozen=True)
class MechanismCoordinate:
    """A coordinate of a mechanism: its name, and whether it turns (rad) or slides (m)."""

    name: str
    kind: str


class MechanismSystem:
    """What ``systems/protocol.py`` asks of a system, answered by a mechanism in its coordinates."""

    def __init__(self, mechanism: Mechanism, near: ArrayLike | None = None) -> None:
        """``near`` are joints phi in the assembly mode that is meant; home by default."""
        turning = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
        if turning:
            raise ArmError(
                f"coordinate {turning[0]!r} of {mechanism.name} is a turn, whose rate is no derivative of a position; "
                f"choose joints, positions of frames or sums of these with with_coordinates([...])"
            )
        self.mechanism = mechanism
        self.near = mechanism.home if near is None else mechanism.closed_near(vector_array(mechanism.m, "near", near))

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.mechanism.name

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.mechanism.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.mechanism.coordinates

    @cached_property
    def moving(self) -> tuple[MechanismCoordinate, ...]:
        """The coordinates and their kinds."""
        revolute = self.mechanism.chains.revolute
        return tuple(
            MechanismCoordinate(c.name, "revolute" if c.is_angle(revolute) else "prismatic")
            for c in self.mechanism.assembly.coordinates
        )

    @property
    def lower(self) -> Array:
        """Lower limits of coordinates that are joints; -inf for others."""
        return self._limits(self.mechanism.chains.lower, -np.inf)

    @property
    def upper(self) -> Array:
        """Upper limits of coordinates that are joints; inf for others."""
        return self._limits(self.mechanism.chains.upper, np.inf)

    @property
    def effort_limits(self) -> Array:
        """Largest torques (N m) or forces (N) of coordinates that are joints; inf for others."""
        return self._limits(self.mechanism.chains.effort, np.inf)

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds (rad/s or m/s) of coordinates that are joints; inf for others."""
        return self._limits(self.mechanism.chains.velocity, np.inf)

    @property
    def counts_drives(self) -> bool:
        """True if the drives of some chain count, or the mechanism has motors of its own."""
        return bool(self.mechanism.parts.drives) or any(
            arm.counts_drives for arm in self.mechanism.chains.arms.values()
        )

    @property
    def has_dampers(self) -> bool:
        """True if some chain has dampers, or there are some between chains."""
        damped = any(element.damping and not element.is_drive for element in self.mechanism.assembly.elements)
        return damped or any(arm.has_dampers for arm in self.mechanism.chains.arms.values())

    def _limits(self, joints: Array, none: float) -> Array:
        places = [coordinate.joint for coordinate in self.mechanism.assembly.coordinates]
        return np.array([joints[k] if k >= 0 else none for k in places])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: coordinates {', '.join(self.joint_names)}>"

    # -- the mechanism at q ---------------------------------------------------------------------

    def joints(self, q: ArrayLike) -> Array:
        """phi ``(..., m)`` of the closed mechanism at coordinates q."""
        wanted = np.asarray(q, dtype=float)
        if wanted.ndim != 1:
            try:
                return self.mechanism.position(q, self.near)
            except UnreachableError:
                # A motion goes round a singularity that the straight way from ``near`` meets: each from the one before.
                track = PositionTrack(self.mechanism.assembly, self.near)
                flat = vector_array(self.n, "q", wanted, "coordinate").reshape(-1, self.n)
                return np.array([track.to(state) for state in flat]).reshape(*wanted.shape[:-1], self.mechanism.m)
        # One state is asked several things in a row (inertia, bias, contacts): its position is sought once.
        return self._track.to(vector_array(self.n, "q", wanted, "coordinate"))

    @cached_property
    def _track(self) -> PositionTrack:
        return PositionTrack(self.mechanism.assembly, self.near)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """T_q ``(..., n)`` for this motion."""
        return self.mechanism.inverse_dynamics(self.joints(q), qd, qdd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """q'' ``(..., n)`` under these loads; it undoes ``inverse_dynamics``, standing shafts included."""
        return self.mechanism.forward_dynamics(self.joints(q), qd, tau)

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """Accelerations of single states in a loop, each position sought from the one before.

        States where the coordinates hardly determine the mechanism are refused: beyond, another mode would be as good.
        """
        mechanism, assembly = self.mechanism, self.mechanism.assembly
        track = PositionTrack(assembly, self.near)
        largest = WORSE * track.condition
        stops = [c.joint for c in assembly.coordinates if c.joint >= 0]  # the simulation has these

        def accelerate(q: Array, qd: Array, tau: Array) -> Array:
            phi = track.to(q)
            if not track.condition < largest:
                raise UnreachableError(
                    f"{mechanism.name}: at {told(assembly, q)} the coordinates hardly determine the mechanism, since "
                    f"assembly modes meet there; mechanism.simulate passes such places, or choose other coordinates"
                )
            beyond = mechanism.chains.beyond_limits(phi, stops)
            if beyond:
                raise UnreachableError(
                    f"{mechanism.name}: at {told(assembly, q)} joint {beyond}; stops act at joints that are "
                    f"coordinates, so make it one, or take its limits off"
                )
            return mechanism.forward_dynamics(phi, qd, tau)

        return accelerate

    def mass_matrix(self, q: ArrayLike) -> Array:
        """I*_qq ``(..., n, n)``."""
        return self.mechanism.mass_matrix(self.joints(q))

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The loads at zero acceleration; standing shafts resist nothing."""
        return self.mechanism.bias(self.joints(q), qd)

    def gravity_load(self, q: ArrayLike) -> Array:
        """What holds the weight."""
        return self.mechanism.gravity_load(self.joints(q))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T (J)."""
        return self.mechanism.kinetic_energy(self.joints(q), qd)

    def potential_energy(self, q: ArrayLike) -> Array:
        """V (J) of gravity and springs."""
        return self.mechanism.potential_energy(self.joints(q))

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dT/dq, dT/dq', dT/dq'', each ``(..., n, n)``, exact (Freeman 1985, eqs 2-201 ff and 3-47)."""
        return self.mechanism.inverse_dynamics_derivatives(self.joints(q), qd, qdd, forces)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dq''/dq, dq''/dq', dq''/dT, each ``(..., n, n)``, exact."""
        return self.mechanism.forward_dynamics_derivatives(self.joints(q), qd, tau, forces)

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
        """The linear model about (q, qd) under loads ``tau``; see ``Mechanism.linearize``."""
        return self.mechanism.linearize(
            self.joints(q), qd, tau, input=input, width=width, forces=forces, disturbances=disturbances
        )

    def holding(self, load: Load | None) -> Self:
        """The same with ``load`` in the hand, where one chain has it."""
        return type(self)(self.mechanism.holding(load), self.near)

    def frictionless(self) -> Self:
        """The same with all friction of its drives taken off."""
        return type(self)(self.mechanism.frictionless(), self.near)

    # -- where Coulomb friction acts ------------------------------------------------------------

    @property
    def has_friction(self) -> bool:
        """True if some chain, or a motor of the mechanism itself, has friction."""
        rubbed = any(element.damping and element.is_drive for element in self.mechanism.assembly.elements)
        return rubbed or any(arm.has_friction for arm in self.mechanism.chains.arms.values())

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The shafts with Coulomb friction."""
        return self.mechanism.contacts

    @property
    def contacts_vary(self) -> bool:
        """Closures make every ratio vary."""
        return True

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """[G^phi_q]^T F_phi ``(..., n)``: what moving friction of all chains and motors takes."""
        phi = self.joints(q)
        flat = phi.reshape(-1, self.mechanism.m)
        first = self.mechanism.first_influence(flat).reshape(*phi.shape, self.n)
        rate = transfer.times(first, vector_array(self.n, "qd", qd, "coordinate"))
        chains = self.mechanism.chains
        own = [
            arm.friction_torque(phi[..., part], rate[..., part], width, law)
            for arm, part in zip(chains.arms.values(), chains.slices, strict=True)
        ]
        total = np.concatenate(own, axis=-1)
        if self.mechanism.parts.drives:
            flat = phi.reshape(-1, self.mechanism.m)
            rubbed = self.mechanism.elements.friction(flat).reshape(*phi.shape, self.mechanism.m)
            total = total + transfer.times(rubbed, rate)
        return np.asarray(transfer.load(total, first), dtype=np.float64)

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """B = [G^phi_q]^T B_phi [G^phi_q], ``(..., n, n)``: viscous friction at the coordinates is B q'."""
        phi = self.joints(q)
        flat = phi.reshape(-1, self.mechanism.m)
        chains = self.mechanism.chains
        joints = np.zeros((len(flat), self.mechanism.m, self.mechanism.m))
        for arm, part in zip(chains.arms.values(), chains.slices, strict=True):
            joints[:, part, part] = arm.viscous_matrix(flat[:, part])
        if self.mechanism.parts.drives:
            joints += self.mechanism.elements.friction(flat)
        found = transfer.inertia(joints, self.mechanism.first_influence(flat))
        return np.asarray(found.reshape(*phi.shape[:-1], self.n, self.n), dtype=np.float64)

    def contact_rows(self, q: ArrayLike) -> Array:
        """Speeds of the contacts per unit rate of each coordinate, ``(..., contacts, n)``."""
        phi = self.joints(q)
        flat = phi.reshape(-1, self.mechanism.m)
        rows = self.mechanism.contact_rows(flat) @ self.mechanism.first_influence(flat)
        return np.asarray(rows.reshape(*phi.shape[:-1], *rows.shape[1:]), dtype=np.float64)

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Accelerations of the contacts at constant rates of the coordinates, ``(..., contacts)``."""
        phi = self.joints(q)
        rate, bend = self.mechanism.joint_motion(phi, qd, np.zeros(self.n))
        flat = phi.reshape(-1, self.mechanism.m)
        rows = self.mechanism.contact_rows(flat)
        drift = transfer.times(rows, bend.reshape(flat.shape)) + self.mechanism.contact_drift(
            flat, rate.reshape(flat.shape)
        )
        return drift.reshape(*phi.shape[:-1], -1)
