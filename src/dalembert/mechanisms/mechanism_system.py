"""A mechanism as a system in its coordinates q: simulation, control and linear models ask it as they ask an arm.

    T_q = I*(q) q'' + q'.P*(q) q' - T^L

The joints phi follow from q on one smooth branch, the assembly mode of ``near``: by continuation from there to the q
asked for, through change points where the branch goes on (``branches``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, UnreachableError
from ..arm.inertia import Load
from ..arm.lazy_arrays import chunkwise
from ..systems.arrays import vector_array
from ..systems.sticking import Contact
from .arm_words import refuse_word
from .branches import NEAR, AssemblyBranch, Support
from .continuation import coordinate_text
from .mechanism import NONE, Forces, Mechanism

if TYPE_CHECKING:
    from ..linear.linear_model import LinearModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MechanismCoordinate:
    """A coordinate of a mechanism: its name, and whether it turns (rad) or slides (m)."""

    name: str
    kind: str


@chunkwise(
    bias="q qd", center_of_mass="q", center_of_mass_jacobian="q", contact_drift="q qd", contact_rows="q",
    forward_dynamics="q qd tau", forward_dynamics_derivatives="q qd tau", friction_torque="q qd", gravity_load="q",
    inverse_dynamics="q qd qdd", inverse_dynamics_derivatives="q qd qdd", joints="q", kinetic_energy="q qd",
    mass_matrix="q", momentum="q qd", momentum_matrix="q", potential_energy="q", viscous_matrix="q",
)  # fmt: skip
class MechanismSystem:
    """What ``systems/protocol.py`` asks of a system, answered by a mechanism in its coordinates."""

    if not TYPE_CHECKING:  # for a type checker a name that is not there stays an error

        def __getattr__(self, word: str) -> NoReturn:
            refuse_word(word, vars(self).get("mechanism"))

    def __init__(self, mechanism: Mechanism, near: ArrayLike | None = None) -> None:
        """``near`` are joints phi in the assembly mode that is meant; home by default."""
        turning = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
        if turning:
            raise ArmError(
                f"coordinate {turning[0]!r} of {mechanism.name} is a turn, whose rate is no derivative of a position; "
                f"choose joints, positions of frames or sums of these with with_coordinates([...])"
            )
        self.mechanism = mechanism
        self._last_walk: tuple[Array, list[Support]] | None = None  # several things are asked of a whole motion
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

    @property
    def passive_indices(self) -> list[int]:
        """Which coordinates nobody drives, counted from 0."""
        return self.mechanism.passive_indices

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
    def limited_motors(self) -> tuple[str, ...]:
        """Names of motors that count and whose limits are known."""
        if not self.counts_drives:
            return ()
        arms = self.mechanism.chains.arms.items()
        chains = [(f"{name}.", drive) for name, arm in arms if arm.counts_drives for drive in arm.drives.actuators]
        motors = [*chains, *(("", drive) for drive in self.mechanism.parts.drives)]
        return tuple(f"{chain}{drive.name}" for chain, drive in motors if drive.is_limited)

    @property
    def has_dampers(self) -> bool:
        """True if some chain has dampers, or there are some between chains."""
        damped = any(element.damping and not element.is_drive for element in self.mechanism.assembly.elements)
        return damped or any(arm.has_dampers for arm in self.mechanism.chains.arms.values())

    def _limits(self, joints: Array, none: float) -> Array:
        indices = [coordinate.joint for coordinate in self.mechanism.assembly.coordinates]
        return np.array([joints[k] if k >= 0 else none for k in indices])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: coordinates {', '.join(self.joint_names)}>"

    def _repr_html_(self) -> str:
        from .mechanism_notebook import system_html

        return system_html(self)

    # -- the mechanism at q ---------------------------------------------------------------------

    _lazy_alone = True

    def _lazy_probe(self, name: str) -> Array | None:
        """A state on the branch, at which the shapes of answers to Dask arrays are asked."""
        return self.mechanism.coordinates_of(self.near) if name == "q" else None

    def joints(self, q: ArrayLike) -> Array:
        """phi ``(..., m)`` of the closed mechanism at coordinates q."""
        return self._evaluated(lambda phi: phi, q)

    @cached_property
    def branch(self) -> AssemblyBranch:
        """The joints as functions of the coordinates, from one state that is asked to the next."""
        return AssemblyBranch(self.mechanism.assembly, self.near)

    def _evaluated(self, function: Callable[..., Array], q: ArrayLike, *arguments: ArrayLike) -> Array:
        """``function(phi, *arguments)`` at coordinates q; rates and loads ``arguments`` broadcast with them."""
        target = vector_array(self.n, "q", q, "coordinate")
        if target.ndim == 1 and all(np.ndim(x) == 1 for x in arguments):
            # One state is asked several things in a row (inertia, bias, contacts): its position is sought once.
            return self.branch.support(target).interpolated(function, *arguments)
        phi = self._direct_joints(target)
        if phi is not None:
            return function(phi, *arguments)
        supports = self._supports(target.reshape(-1, self.n))
        rates = [np.broadcast_to(x, np.broadcast_shapes(np.shape(x), target.shape)) for x in arguments]
        shape = np.broadcast_shapes(target.shape, *(x.shape for x in rates))[:-1]
        chosen = np.broadcast_to(np.arange(len(supports)).reshape(target.shape[:-1]), shape).reshape(-1)
        rows = [np.broadcast_to(x, (*shape, self.n)).reshape(-1, self.n) for x in rates]
        values = np.array([supports[k].interpolated(function, *(x[i] for x in rows)) for i, k in enumerate(chosen)])
        return values.reshape(*shape, *values.shape[1:])

    def _supports(self, states: Array) -> list[Support]:
        """Each from the one before, as motions go: round singularities of the straight way, through change points."""
        walk = self._last_walk  # threads may ask for other states meanwhile
        if walk is None or not np.array_equal(walk[0], states):
            branch = AssemblyBranch(self.mechanism.assembly, self.near)
            walk = self._last_walk = states.copy(), [branch.support(state) for state in states]
        return walk[1]

    def _direct_joints(self, q: Array) -> Array | None:
        """phi of states on the straight way from ``near`` with no singularity on it or near them; else None."""
        mechanism = self.mechanism
        try:
            phi = mechanism.position(q, self.near)
        except UnreachableError:
            return None
        if not mechanism.r or not q.size:
            return phi
        g = mechanism.assembly.first_order(phi.reshape(-1, mechanism.m))[1]
        return phi if mechanism.assembly.inverse(g)[1].max() < NEAR * self._start else None

    @cached_property
    def _start(self) -> float:
        """Condition of [G^w_phi] at ``near``."""
        assembly = self.mechanism.assembly
        return float(assembly.inverse(assembly.first_order(self.near[None])[1])[1][0])

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """T_q ``(..., n)`` for this motion."""
        return self._evaluated(self.mechanism.inverse_dynamics, q, qd, qdd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """q'' ``(..., n)`` under these loads; it undoes ``inverse_dynamics``, standing shafts included."""
        return self._evaluated(self.mechanism.forward_dynamics, q, qd, tau)

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """Accelerations of single states in a loop, each position sought from the one before.

        States where the coordinates hardly determine the mechanism are refused: beyond, another mode would be as good.
        """
        mechanism, assembly = self.mechanism, self.mechanism.assembly
        branch = AssemblyBranch(assembly, self.near, integrated=True)
        stops = [c.joint for c in assembly.coordinates if c.joint >= 0]  # the simulation has these
        limited = bool(np.isfinite([mechanism.chains.lower, mechanism.chains.upper]).any())

        def accelerate(q: Array, qd: Array, tau: Array) -> Array:
            support = branch.support(q)
            beyond = mechanism.chains.beyond_limits(_middle(support), stops) if limited else ""
            if beyond:
                raise UnreachableError(
                    f"{mechanism.name}: at {coordinate_text(assembly, q)} joint {beyond}; stops act at joints that are "
                    f"coordinates, so make it one, or take its limits off"
                )
            return support.interpolated(mechanism.forward_dynamics, qd, tau)

        return accelerate

    def mass_matrix(self, q: ArrayLike) -> Array:
        """I*_qq ``(..., n, n)``."""
        return self._evaluated(self.mechanism.mass_matrix, q)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The loads at zero acceleration; standing shafts resist nothing."""
        return self._evaluated(self.mechanism.bias, q, qd)

    def gravity_load(self, q: ArrayLike) -> Array:
        """What holds the weight."""
        return self._evaluated(self.mechanism.gravity_load, q)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T (J)."""
        return self._evaluated(self.mechanism.kinetic_energy, q, qd)

    def potential_energy(self, q: ArrayLike) -> Array:
        """V (J) of gravity and springs."""
        return self._evaluated(self.mechanism.potential_energy, q)

    @property
    def mass(self) -> float:
        """Mass of all that moves (kg)."""
        return self.mechanism.mass

    def center_of_mass(self, q: ArrayLike) -> Array:
        """The mass centre of all that moves, in the ground ``(..., 3)`` (m)."""
        return self._evaluated(self.mechanism.center_of_mass, q)

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """``(..., 3, n)``: velocity of the mass centre per rate of the coordinates."""
        return self._evaluated(self.mechanism.center_of_mass_jacobian, q)

    def momentum_matrix(self, q: ArrayLike, about: str = "center") -> Array:
        """``(..., 6, n)``: linear, then angular momentum per rate of the coordinates; see ``Mechanism``."""
        return self._evaluated(lambda phi: self.mechanism.momentum_matrix(phi, about), q)

    def momentum(self, q: ArrayLike, qd: ArrayLike, about: str = "center") -> Array:
        """``(..., 6)``: linear momentum (N s), then angular momentum (N m s), of all that moves."""
        return self._evaluated(lambda phi, qd: self.mechanism.momentum(phi, qd, about), q, qd)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dT/dq, dT/dq', dT/dq'', each ``(..., n, n)``, exact (Freeman 1985, eqs 2-201 ff and 3-47)."""
        return self._slopes(self.mechanism.inverse_dynamics_derivatives, forces, q, qd, qdd)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dq''/dq, dq''/dq', dq''/dT, each ``(..., n, n)``, exact."""
        return self._slopes(self.mechanism.forward_dynamics_derivatives, forces, q, qd, tau)

    def _slopes(
        self, function: Callable[..., tuple[Array, Array, Array]], forces: Forces, *state: ArrayLike
    ) -> tuple[Array, Array, Array]:
        """Three tables at once, each ``(..., n, n)``."""
        tables = self._evaluated(lambda *arguments: np.stack(function(*arguments, forces), axis=-3), *state)
        return tables[..., 0, :, :], tables[..., 1, :, :], tables[..., 2, :, :]

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
        return self._evaluated(lambda phi, qd: self.mechanism.friction_torque(phi, qd, width, law), q, qd)

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """B = [G^phi_q]^T B_phi [G^phi_q], ``(..., n, n)``: viscous friction at the coordinates is B q'."""
        return self._evaluated(self.mechanism.viscous_matrix, q)

    def contact_rows(self, q: ArrayLike) -> Array:
        """Speeds of the contacts per unit rate of each coordinate, ``(..., contacts, n)``."""
        return self._evaluated(self.mechanism.coordinate_contact_rows, q)

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Accelerations of the contacts at constant rates of the coordinates, ``(..., contacts)``."""
        return self._evaluated(self.mechanism.coordinate_contact_drift, q, qd)


def _middle(support: Support) -> Array:
    """The joints of the state itself."""
    return support.interpolated(lambda phi: phi)
