"""An arm with its drives: joint torques, motor torques and motion, exact or by a named approximation.

    F   = D qdd + h + G                  links and rotors, at the joints        Szkodny 1995, eq. (7)
    F_a = N^-T F                         at the motor shafts                    (13)
    F_d = N^T (F_a - friction)           what motor torques do at the joints    (19)

The printed (19) sums dq_aj/dq_j; it is dq_aj/dq_i that makes it the inverse of (13).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription
from ..arm.drives import Actuator, DriveTrain
from ..arm.errors import ArmError
from ..formulations import rotors
from ..formulations.chain import Chain, chain
from ..formulations.drive_train import RingTrain
from ..rings.dual import Duals, slope_of
from ..rings.real import REAL
from ..rings.ring import Ring, Scalar
from .batch import joint_values, over_batch
from .friction import Shafts
from .kernels import kernel

Array = NDArray[np.float64]


class Links(Protocol):
    """What is asked of the arm that carries the drives: the dynamics of its links on arrays ``(..., n)``."""

    @property
    def n(self) -> int: ...
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, formulation: str = ...) -> Array: ...
    def mass_matrix(self, q: ArrayLike) -> Array: ...
    def christoffel(self, q: ArrayLike) -> Array: ...
    def gravity_load(self, q: ArrayLike) -> Array: ...
    def potential_energy(self, q: ArrayLike) -> Array: ...
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array: ...
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
    ) -> tuple[Array, Array, Array]: ...


class Driven:
    """Links, rotors, transmission, friction and motors together.

    Positions q are those of the joints. ``links`` already holds the rotors as locked masses.
    """

    def __init__(self, links: Any, train: DriveTrain, approximation: str = "exact") -> None:
        description: ArmDescription = links
        train.check(description)
        self.links: Links = links
        self._description = description
        self._kernels: dict[str, Any] = {}
        self.train, self.approximation = train, approximation
        self.n, self.joint_names = description.n, description.joint_names
        self._chain: Chain = chain(description, REAL)
        self._parts = RingTrain(description, train, REAL, approximation)
        self.motor_friction = Shafts([actuator.friction for actuator in train.actuators])
        self.joint_friction = Shafts([train.friction_of(name) for name in self.joint_names])

    def __repr__(self) -> str:
        name = self._description.name
        shortcut = "" if self.approximation == "exact" else f", rotors by {self.approximation!r}"
        return f"<{type(self).__name__} {name!r}: {self.n} joints, motors {', '.join(self.motor_names)}{shortcut}>"

    @property
    def motor_names(self) -> tuple[str, ...]:
        return self.train.names

    def approximate(self, name: str) -> Self:
        """The same drives by an approximation: "szkodny", "diagonal" or "paul"; "exact" goes back."""
        return type(self)(self.links, self.train, name)

    # -- transmission ---------------------------------------------------------------------------

    def transmission(self, q: ArrayLike) -> Array:
        """N(q), ``(..., motors, n)``: qd_a = N qd."""
        place = self._q("q", q)
        if self.train.turns is None:
            return np.broadcast_to(self._ratios, (*place.shape[:-1], self.n, self.n))
        return over_batch(lambda x: self._parts.transmission(REAL, x).first, place)

    @cached_property
    def _ratios(self) -> Array:
        return np.array(self._parts.rows, dtype=float).reshape(self.n, self.n)

    def motor_positions(self, q: ArrayLike) -> Array:
        """q_a (rad)."""
        place = self._q("q", q)
        if self.train.turns is None:
            return place @ self._ratios.T
        turns = self.train.turns
        return over_batch(lambda x: list(turns(REAL, x)), place)

    def motor_velocities(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """qd_a = N qd."""
        return np.einsum("...aj,...j->...a", self.transmission(q), self._q("qd", qd))

    def joint_positions(self, motors: ArrayLike) -> Array:
        """q = N^-1 q_a, for a constant transmission."""
        if self.train.turns is not None:
            raise ArmError("the transmission varies, so joint positions do not follow from motor positions directly")
        turned = joint_values(self.n, "motors", motors, "motors")
        return np.asarray(np.linalg.solve(self._ratios, turned[..., None])[..., 0], dtype=np.float64)

    # -- joint side -----------------------------------------------------------------------------

    def _kernel(self, name: str) -> Any:
        """The compiled function ``name`` of links and rotors, or None where there is no compiler."""
        if name not in self._kernels:
            self._kernels[name] = kernel(self._description, self.train, name, self.approximation)
        return self._kernels[name]

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D of links and rotors, ``(..., n, n)``."""
        fast = self._kernel("mass_matrix")
        if fast is not None:
            return fast(self._q("q", q))
        return self.links.mass_matrix(q) + self._over(rotors.mass_matrix, q)

    def christoffel(self, q: ArrayLike) -> Array:
        """Christoffel symbols of links and rotors, ``(..., n, n, n)``."""
        return self.links.christoffel(q) + self._over(rotors.christoffel, q)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """C(q, qd), for which dD/dt - 2C is skew-symmetric."""
        return np.einsum("...ijk,...k->...ij", self.christoffel(q), self._q("qd", qd))

    def gravity_load(self, q: ArrayLike) -> Array:
        """G(q); axisymmetric rotors do not change it."""
        return self.links.gravity_load(q)

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, formulation: str = "newton-euler") -> Array:
        """F: joint torques (N m or N) that links and rotors need for this motion, friction left out."""
        fast = self._kernel("inverse_dynamics") if formulation == "newton-euler" else None
        if fast is not None:
            return fast(self._q("q", q), self._q("qd", qd), self._q("qdd", qdd))
        links = self.links.inverse_dynamics(q, qd, qdd, formulation)
        return links + self._over(rotors.torque, q, self._q("qd", qd), self._q("qdd", qdd))

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """h + G: joint torques at zero acceleration."""
        fast = self._kernel("bias")
        if fast is not None:
            return fast(self._q("q", q), self._q("qd", qd))
        return self.inverse_dynamics(q, qd, np.zeros(self.n))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T of links and rotors (J)."""
        return self.links.kinetic_energy(q, qd) + self._over(
            lambda c, r, x, s, n, v: rotors.kinetic_energy(c, r, x, v, s, n), q, self._q("qd", qd)
        )

    def potential_energy(self, q: ArrayLike) -> Array:
        return self.links.potential_energy(q)

    def joint_acceleration(self, q: ArrayLike, qd: ArrayLike, joint_torque: ArrayLike) -> Array:
        """qdd under torques at the joints, friction left out: (20a), (21)."""
        fast = self._kernel("forward_dynamics")
        if fast is not None:
            return fast(self._q("q", q), self._q("qd", qd), self._q("torque", joint_torque))
        rest = self._q("torque", joint_torque) - self.bias(q, qd)
        return np.asarray(np.linalg.solve(self.mass_matrix(q), rest[..., None])[..., 0], dtype=np.float64)

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """What friction of motors and joints takes, seen at the joints; zero at rest, or smooth over ``width``."""
        speed, matrix = self._q("qd", qd), self.transmission(q)
        shafts = np.einsum("...aj,...j->...a", matrix, speed)
        if width is None:
            motor, own = self.motor_friction.moving(shafts), self.joint_friction.moving(speed)
        else:
            motor, own = (
                self.motor_friction.smooth(shafts, width, law),
                self.joint_friction.smooth(speed, width, law),
            )
        return own + np.einsum("...aj,...a->...j", matrix, motor)

    # -- motor side -----------------------------------------------------------------------------

    def motor_torques(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, friction: bool = True) -> Array:
        """F_aid: the torques the motors must give for this motion (the inverse problem), ``(..., motors)``."""
        joint = self.inverse_dynamics(q, qd, qdd)
        if friction:
            joint = joint + self.friction_torque(q, qd)
        return self.to_motors(q, joint)

    def to_motors(self, q: ArrayLike, joint_torque: ArrayLike) -> Array:
        """F_a = N^-T F (13)."""
        matrix = np.swapaxes(self.transmission(q), -1, -2)
        try:
            found = np.asarray(
                np.linalg.solve(matrix, self._q("torque", joint_torque)[..., None])[..., 0], dtype=np.float64
            )
        except np.linalg.LinAlgError:
            raise ArmError(
                "the transmission matrix is singular at this position; keep away from its dead point"
            ) from None
        return found

    def to_joints(self, q: ArrayLike, motor_torque: ArrayLike) -> Array:
        """N^T F_a (19)."""
        torque = joint_values(self.n, "motor torque", motor_torque, "motors")
        return np.einsum("...aj,...a->...j", self.transmission(q), torque)

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, motor_torque: ArrayLike, width: float | None = None
    ) -> Array:
        """qdd of the joints under motor torques (the direct problem, 19 to 21), moving or smooth friction on.

        A shaft at rest has no friction here unless ``width`` is given; ``acceleration`` in ``drives/sticking.py``
        decides who sticks, and so does the simulation.
        """
        torque = self.to_joints(q, motor_torque) - self.friction_torque(q, qd, width)
        return self.joint_acceleration(q, qd, torque)

    # -- derivatives ----------------------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array, Array]:
        """dF/dq, dF/dqd, dF/dqdd of links and rotors, friction left out, exact."""
        fast = self._kernel("inverse_dynamics_derivatives")
        if fast is not None:
            return fast(self._q("q", q), self._q("qd", qd), self._q("qdd", qdd))
        links = self.links.inverse_dynamics_derivatives(q, qd, qdd)
        place, speed, rate = self._q("q", q), self._q("qd", qd), self._q("qdd", qdd)

        def tables(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> Any:
            n, duals = self.n, Duals(REAL)
            x = [duals.variable(value, k) for k, value in enumerate(q)]
            v = [duals.variable(value, n + k) for k, value in enumerate(qd)]
            torque = rotors.torque(self._chain, duals, x, v, qdd, *self._parts.spins(duals, x))
            return (
                [[slope_of(t, k) for k in range(n)] for t in torque],
                [[slope_of(t, n + k) for k in range(n)] for t in torque],
            )

        to_q, to_qd = over_batch(tables, place, speed, rate)
        return links[0] + to_q, links[1] + to_qd, self.mass_matrix(q)

    # -- motors ---------------------------------------------------------------------------------

    @cached_property
    def electric(self) -> Any:
        """The electric side of the motors (``drives/motors.py``)."""
        from .motors import Electric

        return Electric(self)

    def actuator(self, name: str) -> Actuator:
        for actuator in self.train.actuators:
            if actuator.name == name:
                return actuator
        raise ArmError(f"no motor {name!r}; the motors are {', '.join(self.motor_names)}")

    # -- helpers --------------------------------------------------------------------------------

    def _q(self, name: str, values: ArrayLike) -> Array:
        return joint_values(self.n, name, values)

    def _over(self, function: Callable[..., Any], q: ArrayLike, *others: Array) -> Any:
        """A page of ``formulations/rotors.py`` on arrays."""

        def page(x: list[Scalar], *rest: list[Scalar]) -> Any:
            spins, ratios = self._parts.spins(REAL, x)
            if function is rotors.torque:
                return rotors.torque(self._chain, REAL, x, rest[0], rest[1], spins, ratios)
            return function(self._chain, REAL, x, spins, ratios, *rest)

        return over_batch(page, self._q("q", q), *others)


def ring_model(
    arm: ArmDescription, train: DriveTrain, ring: Ring, model: Chain, approximation: str = "exact"
) -> Callable[[Sequence[Scalar]], tuple[list[list[Scalar]], Any]]:
    """D and Christoffel symbols that the drives add, over any ring: for closed forms and kernels."""
    parts = RingTrain(arm, train, ring, approximation)

    def coefficients(q: Sequence[Scalar]) -> tuple[list[list[Scalar]], Any]:
        spins, ratios = parts.spins(ring, q)
        return rotors.mass_matrix(model, ring, q, spins, ratios), rotors.christoffel(model, ring, q, spins, ratios)

    return coefficients
