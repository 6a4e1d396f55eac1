"""An arm as numbers, on arrays ``(..., n)``: with the loads it holds, its springs, and its drives where they count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.elastic import JointSpring
from ..arm.errors import ArmError
from ..arm.force import Force
from ..arm.inertia import PARAMETERS
from ..arm.lazy_arrays import chunkwise, is_lazy, mapped
from ..compile import joint_recursion
from ..formulations import newton_euler
from ..formulations.registry import TORQUES
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from ..rings.ring import Scalar
from .applied_forces import force_columns, force_load, force_slopes
from .arrays import joint_array, joint_states
from .evaluated_arm import EvaluatedArm
from .friction_arrays import Shafts, check_smoothing
from .solutions import solved
from .split import EnergyParts, TorqueParts, torque_parts
from .sticking import Contact

Array = NDArray[np.float64]
Call = Callable[..., Any]


@chunkwise(
    force_load="q", contact_rows="q", contact_drift="q qd", friction_torque="q qd", viscous_matrix="q",
    all_positions="q", transmission="q", transmission_slopes="q", force_influence="q", _force_slopes="q",
    parts="q qd qdd", kinetic_energy_parts="q qd",
)  # fmt: skip
class ArmSystem(EvaluatedArm):
    """Inverse and forward dynamics, their coefficients, parts, derivatives and regressor.

    tau = D qdd + h + G + F - Q: links with their loads, rotors and friction F where the drives count, Q the load of
    springs and dampers. Every method answers for exactly this system.
    """

    @property
    def lower(self) -> Array:
        """Lower position limits (rad or m), -inf where unknown."""
        return np.array([joint.limits.lower for joint in self.moving])

    @property
    def upper(self) -> Array:
        """Upper position limits (rad or m), inf where unknown."""
        return np.array([joint.limits.upper for joint in self.moving])

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds (rad/s or m/s), inf where unknown."""
        return np.array([joint.limits.velocity for joint in self.moving])

    @property
    def effort_limits(self) -> Array:
        """Largest torques (N m) or forces (N), inf where unknown."""
        return np.array([joint.limits.effort for joint in self.moving])

    # -- torques and accelerations --------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        formulation: str = "newton-euler",
        *,
        forces: Sequence[Force] = (),
    ) -> Array:
        """Torques (N m, or N at prismatic joints) for this motion: tau = D(q) qdd + h(q, qd) + G(q) + F - Q.

        F is the friction of the drives where they count: moving friction, and for a shaft that stands and is to
        start, its starting friction. Q are the loads that ``forces`` and the arm's springs and dampers put on the
        joints. ``formulation`` is "newton-euler", "lagrange-euler", "generalized-dalembert", "influence" or
        "tourassis-neuman"; all give the same torques. q, qd and qdd are ``(..., n)`` and broadcast, and so is tau.

        >>> import dalembert as da
        >>> da.load("planar-2r").inverse_dynamics([[0, 0], [0, 0]], [0, 0], [[0, 0], [3, 0]])
        array([[19.62 ,  4.905],
               [27.62 ,  7.405]])
        """
        if formulation == "newton-euler":
            kernel = self._kernel("inverse_dynamics")
            if kernel is not None:
                tau = kernel(q, qd, qdd)
                return tau - self.force_load(q, forces) if forces else tau
        elif formulation not in TORQUES:
            raise ArmError(f"no formulation {formulation!r}; there are {listed(TORQUES)}")
        method, system = TORQUES[formulation], self._massive
        tau = self._evaluate(lambda x, v, a: system.torque(REAL, x, v, a, method), q=q, qd=qd, qdd=qdd)
        return tau - self.force_load(q, forces) if forces else tau

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, forces: Sequence[Force] = ()) -> Array:
        """Accelerations (rad/s^2 or m/s^2) under torques (N m or N), ``forces``, springs, dampers and friction.

        It undoes ``inverse_dynamics``, with the same shapes. Where shafts with Coulomb friction stand, who sticks
        and who starts is decided with the load and all couplings (``systems/sticking.py``).
        """
        if not self.contacts and not forces:
            return self._smooth_acceleration(q, qd, tau)
        if is_lazy(q, qd, tau):
            return mapped(partial(self.forward_dynamics, forces=forces), q, qd, tau)
        if forces:
            return self.forward_dynamics(q, qd, joint_array(self, "tau", tau) + self.force_load(q, forces))
        from .contacts import with_stiction

        position, velocity, torque = self._states(q=q, qd=qd, tau=tau)
        qdd = self._smooth_acceleration(position, velocity, torque)
        return with_stiction(self, position, velocity, qdd, self.mass_matrix)

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """Accelerations of single states in a loop, without the checks of a public call; no shaft sticks."""
        return self._compiled("forward_dynamics", None) or self._smooth_acceleration

    def _smooth_acceleration(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Accelerations with moving friction; shafts at rest resist nothing."""
        kernel = self._kernel("forward_dynamics")
        if kernel is not None:
            return kernel(q, qd, tau)
        if self._too_long("forward_dynamics") and self._kernel("mass_matrix") is not None:
            if is_lazy(q, qd, tau):
                return mapped(self._smooth_acceleration, q, qd, tau)
            position, velocity, torque = self._states(q=q, qd=qd, tau=tau)
            rest = torque - self.bias(position, velocity)
            return solved(self, self.mass_matrix(q), rest[..., None])[..., 0]
        system = self._massive
        return self._divided(lambda *x: system.acceleration(REAL, *x), q=q, qd=qd, tau=tau)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """The shafts at which Coulomb friction acts, motors and joints; empty where the drives do not count."""
        if not self.counts_drives:
            return ()
        from .contacts import contacts

        return contacts(self)

    @property
    def has_dampers(self) -> bool:
        """True if something elastic on it has damping."""
        return any(getattr(part, "damping", 0) for part in self.elastic if not isinstance(part, JointSpring))

    @property
    def contacts_vary(self) -> bool:
        """True if motors turn with the joints at ratios that vary with their positions."""
        return self.counts_drives and self.drives.turns is not None

    def contact_rows(self, q: ArrayLike) -> Array:
        """Speed of each contact per joint speed, ``(..., contacts, n)``."""
        from .contacts import contact_rows

        return contact_rows(self, joint_array(self, "q", q))

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Acceleration of each contact that joint velocities alone give it, where the transmission varies."""
        from .contacts import contact_drift

        return contact_drift(self, *self._states(q=q, qd=qd))

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """The torques at zero acceleration: h(q, qd) + G(q), moving friction, springs and dampers."""
        kernel = self._kernel("bias")
        if kernel is not None:
            return kernel(q, qd)
        system, zero = self._massive, [0] * self.n
        return self._evaluate(lambda x, v: system.torque(REAL, x, v, zero), q=q, qd=qd)

    def force_load(self, q: ArrayLike, forces: Sequence[Force]) -> Array:
        """Q ``(..., n)`` (N m or N) of forces and moments on the joints (Freeman 1985, eq. 2-147)."""
        return force_load(self, self.over_reals, joint_array(self, "q", q), forces)

    def joint_reactions(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """``(..., bodies, 6)``: force (N), then moment (N m), that each moving link takes from the one before it.

        There is a moving link for every joint of ``all_moving``. In base axes, the moment about the joint's origin:
        what bearings and links must stand. For the links without applied loads; the components along the joint axes are
        the torques of the joints, whatever supplies them: a drive, or the coupling to a joint that is followed.
        """
        self._links_only("reactions at the joints")
        links = self._massive.links

        def act(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> list[list[Scalar]]:
            return newton_euler.reactions_in_base(links, REAL, *links.coupling.motion(q, qd, qdd))

        return self._evaluate(act, q=q, qd=qd, qdd=qdd)

    # -- coefficients ---------------------------------------------------------------------------

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D(q), ``(..., n, n)``: kg m^2 between joints that turn, kg between those that slide, kg m between the two.

        >>> import dalembert as da
        >>> da.load("planar-2r").mass_matrix([0, 0]).round(4)
        array([[2.6667, 0.8333],
               [0.8333, 0.3333]])
        """
        kernel = self._kernel("mass_matrix")
        if kernel is not None:
            return kernel(q)
        system = self._massive
        return self._evaluate(lambda x: system.mass_matrix(REAL, x), q=q)

    def inverse_mass_matrix(self, q: ArrayLike) -> Array:
        """The inverse of D(q), ``(..., n, n)``."""
        kernel = self._kernel("inverse_mass_matrix")
        if kernel is not None:
            return kernel(q)
        system = self._massive
        return self._divided(lambda x: system.inverse_mass_matrix(REAL, x), q=q)

    def christoffel(self, q: ArrayLike) -> Array:
        """``(..., n, n, n)``: ``[i, j, k]`` is the effect on joint i of the velocities of j and k."""
        if joint_recursion.fits(self, "coriolis_matrix") and self._kernel("coriolis_matrix") is not None:
            if is_lazy(q):
                return mapped(self.christoffel, q)
            # C(q, qd) is linear in qd: at the speed of joint k alone it is c_ijk.
            (position,) = self._states(q=q)
            symbols = np.moveaxis(self.coriolis_matrix(position[..., None, :], np.eye(self.n)), -3, -1)
            return np.asarray((symbols + np.swapaxes(symbols, -2, -1)) / 2)
        system = self._massive
        return self._evaluate(lambda x: system.christoffel(REAL, x), q=q)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """C(q, qd) from the Christoffel symbols: C qd = h, and dD/dt - 2C is skew-symmetric."""
        kernel = self._kernel("coriolis_matrix")
        if kernel is not None:
            return kernel(q, qd)
        system = self._massive
        return self._evaluate(lambda *x: system.coriolis_matrix(REAL, *x), q=q, qd=qd)

    def gravity_load(self, q: ArrayLike) -> Array:
        """G(q) = dV/dq ``(..., n)`` (N m or N): what holds the arm still against gravity."""
        kernel = self._kernel("gravity_load")
        if kernel is not None:
            return kernel(q)
        system = self._massive
        return self._evaluate(lambda x: system.gravity(REAL, x), q=q)

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """What moving friction of motors and joints takes, seen at the joints; zero where the drives do not count.

        With ``width`` (rad/s or m/s) the jump at zero speed is spread by a smooth ``law``.
        """
        from .contacts import contact_speeds

        check_smoothing(width, law)
        position, speed = self._states(q=q, qd=qd)
        if not self.counts_drives:
            return np.zeros(speed.shape)
        matrix = self.transmission(position)
        shafts = contact_speeds(matrix, speed)
        turning = speed @ self.joint_ratios.T
        if width is None:
            motor, joint = self.motor_friction.moving(shafts), self.joint_friction.moving(turning)
        else:
            motor, joint = (
                self.motor_friction.smooth(shafts, width, law),
                self.joint_friction.smooth(turning, width, law),
            )
        return joint @ self.joint_ratios + np.einsum("...aj,...a->...j", matrix, motor)

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """B(q) = N^T diag(b_a) N + A^T diag(b) A, ``(..., n, n)``: viscous friction at the joints is B qd."""
        position = joint_array(self, "q", q)
        if not self.counts_drives:
            return np.zeros((*position.shape, self.n))
        turning = self.transmission(position)
        braked = np.swapaxes(turning, -1, -2) @ (self.motor_friction.viscous[:, None] * turning)
        joint_viscous = self.joint_ratios.T @ (self.joint_friction.viscous[:, None] * self.joint_ratios)
        return np.asarray(braked + joint_viscous, dtype=np.float64)

    @cached_property
    def motor_friction(self) -> Shafts:
        """Friction of the motor shafts."""
        return Shafts([actuator.friction for actuator in self.drives.actuators])

    @cached_property
    def joint_friction(self) -> Shafts:
        """Friction of the joints themselves, of all that move."""
        return Shafts([self.drives.friction_of(joint.name) for joint in self.all_moving])

    @cached_property
    def joint_ratios(self) -> Array:
        """A, ``(joints that move, n)``: qd_J = A qd; the identity where no joint follows another."""
        rows = np.zeros((len(self.all_moving), self.n))
        for row, coupled in zip(rows, self.couplings, strict=True):
            row[coupled.coordinate] = float(coupled.multiplier)
        rows.flags.writeable = False
        return rows

    def all_positions(self, q: ArrayLike) -> Array:
        """A q + b, ``(..., joints that move)``: positions of all joints, those included that follow others."""
        position = joint_array(self, "q", q)
        return position @ self.joint_ratios.T + np.array([coupled.start for coupled in self.couplings])

    def transmission(self, q: ArrayLike) -> Array:
        """N(q), ``(..., motors, n)``: qd_a = N qd."""
        position = joint_array(self, "q", q)
        if self.drives.turns is None:
            return np.broadcast_to(self.ratios, (*position.shape[:-1], *self.ratios.shape))
        return self._evaluate(lambda x: self._train.transmission(REAL, x).first, q=position)

    def transmission_slopes(self, q: ArrayLike) -> Array:
        """dN_aj/dq_k, ``(..., motors, n, n)``; zeros for constant ratios."""
        position = joint_array(self, "q", q)
        if self.drives.turns is None:
            return np.zeros((*position.shape[:-1], *self.ratios.shape, self.n))
        return self._evaluate(lambda x: self._train.transmission(REAL, x).second, q=position)

    @property
    def _train(self) -> Any:
        train = self.over_reals.train
        return train if train is not None else SystemOverRing(self.counting_drives(), REAL).train

    @cached_property
    def ratios(self) -> Array:
        """The constant transmission matrix N, motors by joints."""
        rows = np.array([[float(x) for x in row] for row in self.drives.rows(self)]).reshape(-1, self.n)
        rows.flags.writeable = False
        return rows

    def parts(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> TorqueParts:
        """The torques as inertia, centrifugal, Coriolis, gravity, friction and elastic torques, by the d'Alembert form.

        Rotors that turn with the joints count as rotation; bodies that drives move on a link are split as links are.
        """
        return torque_parts(self, self._massive, q, qd, qdd)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T = qd . D qd / 2 (J)."""
        if joint_recursion.fits(self, "mass_matrix") and self._kernel("mass_matrix") is not None:
            if is_lazy(q, qd):
                return mapped(self.kinetic_energy, q, qd)
            _, speed = self._states(q=q, qd=qd)
            return np.einsum("...i,...ij,...j->...", speed, self.mass_matrix(q), speed) / 2
        system = self._massive
        return self._evaluate(lambda *x: system.kinetic_energy(REAL, *x), q=q, qd=qd)

    def kinetic_energy_parts(self, q: ArrayLike, qd: ArrayLike) -> EnergyParts:
        """T by the motion of the mass centres and the turning about them (Lee, Lee and Nigam 1982, eq. 10)."""
        system = self._massive
        return EnergyParts(*self._evaluate(lambda *x: system.kinetic_energy_parts(REAL, *x), q=q, qd=qd))

    def potential_energy(self, q: ArrayLike) -> Array:
        """V (J) of gravity, zero for masses at the height of the base frame, and of the arm's springs."""
        system = self._massive
        return self._evaluate(lambda x: system.potential_energy(REAL, x), q=q)

    # -- derivatives and parameters -------------------------------------------------------------

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, forces: Sequence[Force] = ()
    ) -> tuple[Array, Array, Array]:
        """d tau/dq, d tau/dqd, d tau/dqdd, each ``(..., n, n)``, exact; springs, dampers and viscous friction in.

        ``forces`` keep their components while their points, and axes of links, move with the arm (Freeman 1985, eqs
        2-206 to 2-208).
        """
        kernel = self._kernel("inverse_dynamics_derivatives")
        if kernel is not None:
            to_q, to_qd, mass = kernel(q, qd, qdd)
        else:
            system = self._massive

            def tables(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> Any:
                return (*system.torque_derivatives(REAL, q, qd, qdd), system.mass_matrix(REAL, q))

            to_q, to_qd, mass = self._evaluate(tables, q=q, qd=qd, qdd=qdd)
        return (to_q - self._force_slopes(q, forces) if forces else to_q), to_qd, mass

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, forces: Sequence[Force] = ()
    ) -> tuple[Array, Array, Array]:
        """d qdd/dq, d qdd/dqd, d qdd/dtau, each ``(..., n, n)``, exact; springs, dampers and viscous friction in."""
        kernel = self._kernel("forward_dynamics_derivatives")
        by_parts = kernel is None and self.n > joint_recursion.FEW_JOINTS["forward_dynamics_derivatives"]
        if by_parts and is_lazy(q, qd, tau):
            return mapped(partial(self.forward_dynamics_derivatives, forces=forces), q, qd, tau)
        if forces:
            push: Any = tau if is_lazy(tau) else joint_array(self, "tau", tau)
            tau = push + self.force_load(q, forces)
        if kernel is not None:
            to_q, to_qd, inverse = kernel(q, qd, tau)
        elif by_parts:
            to_q, to_qd, matrix = self.inverse_dynamics_derivatives(q, qd, self._smooth_acceleration(q, qd, tau))
            inverse = solved(self, matrix, np.eye(self.n))
            inverse = (inverse + np.swapaxes(inverse, -1, -2)) / 2
            to_q, to_qd = -inverse @ to_q, -inverse @ to_qd
        else:
            system = self._massive
            to_q, to_qd, inverse = self._divided(
                lambda *x: system.acceleration_derivatives(REAL, *x), q=q, qd=qd, tau=tau
            )
        return (to_q + inverse @ self._force_slopes(q, forces) if forces else to_q), to_qd, inverse

    def _force_slopes(self, q: ArrayLike, forces: Sequence[Force]) -> Array:
        """dQ/dq of forces and moments on the joints."""
        return force_slopes(self, self.over_reals, joint_array(self, "q", q), forces)

    def force_influence(self, q: ArrayLike, forces: Sequence[Force]) -> Array:
        """[G]^T ``(..., n, 6 k)`` (Freeman 1985, eq. 2-227): loads at the joints per component of k forces.

        Of each the three components of its force, then those of its moment, in its axes, at its point.
        """
        return force_columns(self, self.over_reals, joint_array(self, "q", q), forces)

    @cached_property
    def parameters(self) -> Array:
        """The inertial parameters the torques of the links are linear in: per body m, mx, my, mz, Ixx, ..., Izz.

        About the frame of the link each joint moves, with everything fixed to that link and its load. Read-only.
        """
        values = np.array([float(x) for body in self.bodies for x in body.inertia.parameters])
        values.flags.writeable = False
        return values

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of ``parameters``, bodies counted from 1: "m1", "mx1", ..., "Izz6"."""
        return tuple(f"{name}{index + 1}" for index in range(len(self.bodies)) for name in PARAMETERS)

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y ``(..., n, 10 bodies)`` with tau = Y @ parameters for the links without springs and dampers.

        There is a body for every joint that moves, so that it has 10 n columns where no joint follows another.
        """
        self._links_only("the regressor")
        kernel = self._kernel("regressor")
        if kernel is not None:
            return kernel(q, qd, qdd)
        return self._evaluate(lambda *x: self.over_reals.regressor(REAL, *x), q=q, qd=qd, qdd=qdd)

    # -- helpers --------------------------------------------------------------------------------

    def _states(self, **arguments: ArrayLike) -> list[Array]:
        """Arguments by their names, as arrays of one batch shape."""
        return joint_states(self, **arguments)

    def _links_only(self, what: str) -> None:
        if self.counts_drives:
            raise ArmError(
                f"{self.where}{self.name}: {what} would leave out the drives that this system counts; ask its links"
            )
