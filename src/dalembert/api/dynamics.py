"""The dynamics of an arm as numbers, on arrays ``(..., n)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.force import Force
from ..arm.inertia import PARAMETERS
from ..compile.kernels import numeric
from ..formulations import (
    applied_loads,
    articulated_body,
    christoffel,
    coefficients,
    composite_body,
    derivatives,
    factor,
    generalized_dalembert,
    influence,
    lagrange_euler,
    newton_euler,
    regressor,
)
from ..formulations.chain import Chain, chain
from ..rings.real import REAL
from ..rings.ring import Field, Ring, Scalar
from ..systems.arrays import evaluate, joint_array

Array = NDArray[np.float64]

KINEMATIC = ("forward_kinematics", "jacobian", "regressor")
"""Functions that do not ask for masses."""

FORMULATIONS: dict[str, Callable[..., list[Scalar]]] = {
    "newton-euler": newton_euler.inverse_dynamics,
    "lagrange-euler": lagrange_euler.inverse_dynamics,
    "generalized-dalembert": generalized_dalembert.inverse_dynamics,
    "influence": influence.inverse_dynamics,
}


@dataclass(frozen=True)
class Share:
    """The part of the torques that one kind of motion causes (Lee, Lee and Nigam 1982): arrays ``(..., n)``."""

    inertia: Array
    centrifugal: Array
    coriolis: Array


@dataclass(frozen=True)
class TorqueParts:
    """The torques taken apart: arrays ``(..., n)`` that add up to ``total``.

    ``translational`` and ``rotational`` split the first three once more, by the motion of the mass centres and
    the turning of the bodies about them; gravity is all translational.
    """

    inertia: Array
    centrifugal: Array
    coriolis: Array
    gravity: Array
    translational: Share
    rotational: Share

    @property
    def velocity(self) -> Array:
        """Centrifugal and Coriolis torques together: h(q, qd)."""
        return self.centrifugal + self.coriolis

    @property
    def total(self) -> Array:
        """tau = D qdd + h + G."""
        return self.inertia + self.velocity + self.gravity


class Dynamics(ArmDescription):
    """Inverse and forward dynamics, their coefficients, parts, derivatives and regressor."""

    @cached_property
    def _chain(self) -> Chain:
        return chain(self, REAL)

    @cached_property
    def _elastics(self) -> applied_loads.Elastics:
        return applied_loads.elastics(self, REAL)

    @cached_property
    def _dynamic_chain(self) -> Chain:
        """The chain, once it is sure that something in it has mass."""
        if self.n and not any(body.inertia for body in self.bodies):
            raise ArmError(
                f"{self.where}{self.name}: no moving link has mass, so there is no dynamics; give the links masses "
                f"and inertias"
            )
        return self._chain

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
        """Torques (N m, or N at prismatic joints) for this motion: tau = D(q) qdd + h(q, qd) + G(q) - Q.

        Q are the loads that ``forces`` and the arm's springs and dampers put on the joints. ``formulation`` is
        "newton-euler", "lagrange-euler", "generalized-dalembert" or "influence"; all give the same torques.
        """
        if formulation == "newton-euler":
            kernel = self._kernel("inverse_dynamics")
            if kernel is not None:
                tau = kernel(q, qd, qdd)
                return tau - self._force_load(q, forces) if forces else tau
        elif formulation not in FORMULATIONS:
            raise ArmError(f"no formulation {formulation!r}; there are {listed(FORMULATIONS)}")
        method, model = FORMULATIONS[formulation], self._dynamic_chain
        tau = self._evaluate(lambda *x: method(model, REAL, *x), q=q, qd=qd, qdd=qdd)
        if self.elastic:
            tau = tau - self._elastic_load(q, qd)
        return tau - self._force_load(q, forces) if forces else tau

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, forces: Sequence[Force] = ()) -> Array:
        """Accelerations (rad/s^2 or m/s^2) under these torques, ``forces``, springs and dampers."""
        if forces:
            tau = joint_array(self, "tau", tau) + self._force_load(q, forces)
        kernel = self._kernel("forward_dynamics")
        if kernel is not None:
            return kernel(q, qd, tau)
        model = self._dynamic_chain
        if self.elastic:
            tau = joint_array(self, "tau", tau) + self._elastic_load(q, qd)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            qdd = self._evaluate(_forward(model), q=q, qd=qd, tau=tau)
        if not np.isfinite(qdd).all():
            self._say_singular(q)
        return qdd

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """h(q, qd) + G(q): the torques at zero acceleration, springs and dampers included."""
        kernel = self._kernel("bias")
        return kernel(q, qd) if kernel is not None else self.inverse_dynamics(q, qd, np.zeros(self.n))

    def _force_load(self, q: ArrayLike, forces: Sequence[Force]) -> Array:
        """Q of forces and moments on the joints (Freeman 1985, eq. 2-147)."""
        places = []
        arrays: list[tuple[str, Array]] = [("q", joint_array(self, "q", q))]
        for number, force in enumerate(forces):
            force.check(self)
            places.append((*applied_loads.link_in_body(self, REAL, force.link), force))
            arrays.append((f"force {number}", np.asarray(force.force, dtype=float)))
            arrays.append((f"moment {number}", np.asarray(force.moment, dtype=float)))

        def load(q: list[Scalar], *wrenches: list[Scalar]) -> list[Scalar]:
            applied = []
            for k, (body, frame, force) in enumerate(places):
                x, y, z = (float(c) for c in force.point)
                push, twist = (tuple(wrenches[2 * k + part]) for part in (0, 1))
                applied.append(applied_loads.AppliedForce(body, frame, (x, y, z), push, twist, force.axes == "base"))
            return applied_loads.force_load(self._chain, REAL, q, applied)

        return evaluate(load, arrays)

    def _elastic_load(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Q of springs and dampers on the joints."""
        return self._evaluate(
            lambda x, v: applied_loads.elastic_load(self._chain, REAL, x, v, self._elastics), q=q, qd=qd
        )

    def joint_reactions(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """``(..., n, 6)``: force (N), then moment (N m), that each moving link takes from the one before it.

        In base axes, the moment about the joint's origin: what bearings and links must stand. For the bare arm
        without applied loads; the components along the joint axis are the joint torques.
        """
        model = self._dynamic_chain

        def act(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> list[list[Scalar]]:
            return newton_euler.reactions_in_base(model, REAL, q, qd, qdd)

        return self._evaluate(act, q=q, qd=qd, qdd=qdd)

    # -- coefficients ---------------------------------------------------------------------------

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D(q), ``(..., n, n)``."""
        kernel = self._kernel("mass_matrix")
        if kernel is not None:
            return kernel(q)
        model = self._dynamic_chain
        return self._evaluate(lambda x: composite_body.mass_matrix(model, REAL, x), q=q)

    def inverse_mass_matrix(self, q: ArrayLike) -> Array:
        """The inverse of D(q), ``(..., n, n)``."""
        kernel = self._kernel("inverse_mass_matrix")
        if kernel is not None:
            return kernel(q)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self._evaluate(_inverse(self._dynamic_chain), q=q)
        if not np.isfinite(found).all():
            self._say_singular(q)
        return found

    def christoffel(self, q: ArrayLike) -> Array:
        """``(..., n, n, n)``: ``[i, j, k]`` is the effect on joint i of the velocities of j and k."""
        model = self._dynamic_chain
        return self._evaluate(lambda x: christoffel.christoffel(model, REAL, x), q=q)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """C(q, qd) from the Christoffel symbols: C qd = h, and dD/dt - 2C is skew-symmetric."""
        kernel = self._kernel("coriolis_matrix")
        if kernel is not None:
            return kernel(q, qd)
        model = self._dynamic_chain

        return self._evaluate(lambda *x: christoffel.coriolis_matrix(model, REAL, *x), q=q, qd=qd)

    def gravity_load(self, q: ArrayLike) -> Array:
        """G(q) = dV/dq (N m or N): what holds the arm still against gravity."""
        kernel = self._kernel("gravity_load")
        if kernel is not None:
            return kernel(q)
        model = self._dynamic_chain
        return self._evaluate(lambda x: composite_body.gravity(model, REAL, x), q=q)

    def parts(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> TorqueParts:
        """The torques of the bare arm as inertia, centrifugal, Coriolis and gravity torques, by the d'Alembert form."""
        model = self._dynamic_chain

        def split(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> tuple[list[Scalar], ...]:
            found = []
            for part in generalized_dalembert.parts(model, REAL, q):
                found.append([sum(d * a for d, a in zip(row, qdd, strict=True)) for row in part.inertia])
                found.append(coefficients.centrifugal(part.velocity, qd))
                found.append(coefficients.coriolis(part.velocity, qd))
            return (*found, generalized_dalembert.gravity(model, REAL, q))

        *six, gravity = self._evaluate(split, q=q, qd=qd, qdd=qdd)
        translational, rotational = Share(*six[:3]), Share(*six[3:])
        sums = [a + b for a, b in zip(six[:3], six[3:], strict=True)]
        return TorqueParts(sums[0], sums[1], sums[2], gravity, translational, rotational)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """T = qd . D qd / 2 (J)."""
        model = self._dynamic_chain
        return self._evaluate(lambda *x: composite_body.kinetic_energy(model, REAL, *x), q=q, qd=qd)

    def potential_energy(self, q: ArrayLike) -> Array:
        """V (J) of gravity, zero for masses at the height of the base frame, and of the arm's springs."""
        model = self._dynamic_chain

        def energy(q: list[Scalar]) -> Scalar:
            stored = applied_loads.elastic_energy(model, REAL, q, self._elastics)
            return composite_body.potential_energy(model, REAL, q) + stored

        return self._evaluate(energy, q=q)

    # -- derivatives and parameters -------------------------------------------------------------

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array, Array]:
        """d tau/dq, d tau/dqd, d tau/dqdd, each ``(..., n, n)``, exact; springs and dampers included."""
        kernel = self._kernel("inverse_dynamics_derivatives")
        if kernel is not None:
            return kernel(q, qd, qdd)
        model = self._dynamic_chain

        def tables(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> Any:
            return derivatives.inverse_dynamics_derivatives(model, REAL, q, qd, qdd, self._extra)

        return self._evaluate(tables, q=q, qd=qd, qdd=qdd)

    def forward_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> tuple[Array, Array, Array]:
        """d qdd/dq, d qdd/dqd, d qdd/dtau, each ``(..., n, n)``, exact; springs and dampers included."""
        kernel = self._kernel("forward_dynamics_derivatives")
        if kernel is not None:
            return kernel(q, qd, tau)
        model = self._dynamic_chain

        def tables(q: list[Scalar], qd: list[Scalar], tau: list[Scalar]) -> Any:
            return derivatives.forward_dynamics_derivatives(model, REAL, q, qd, tau, self._extra)

        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self._evaluate(tables, q=q, qd=qd, tau=tau)
        if not all(np.isfinite(table).all() for table in found):
            self._say_singular(q)
        return found

    @property
    def _extra(self) -> derivatives.Extra | None:
        if not self._elastics:
            return None

        def load(ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
            field: Field = ring  # type: ignore[assignment]
            return applied_loads.elastic_load(self._chain, field, q, qd, self._elastics)

        return load

    @cached_property
    def parameters(self) -> Array:
        """The 10 n inertial parameters the torques are linear in: per moving body m, mx, my, mz, Ixx, ..., Izz.

        About the frame of the link each joint moves, with everything fixed to that link and its load.
        """
        return np.array([float(x) for body in self.bodies for x in body.inertia.parameters])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of ``parameters``, bodies counted from 1: "m1", "mx1", ..., "Izz6"."""
        return tuple(f"{name}{index + 1}" for index in range(self.n) for name in PARAMETERS)

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y ``(..., n, 10 n)`` with tau = Y @ parameters for the bare arm."""
        kernel = self._kernel("regressor")
        if kernel is not None:
            return kernel(q, qd, qdd)
        return self._evaluate(lambda *x: regressor.regressor(self._chain, REAL, *x), q=q, qd=qd, qdd=qdd)

    # -- helpers --------------------------------------------------------------------------------

    @cached_property
    def _kernels(self) -> dict[str, Callable[..., Any] | None]:
        return {}

    def _kernel(self, name: str) -> Callable[..., Any] | None:
        """The compiled function ``name``, made at its first use, or None where NumPy computes."""
        try:
            return self._kernels[name]
        except KeyError:
            if name not in KINEMATIC:
                _ = self._dynamic_chain
            found = numeric(self, name, self._refuse)
            self._kernels[name] = None if found is None else found.fast
            return self._kernels[name]

    def _refuse(self, **arguments: Array) -> None:
        """Say which argument is not finite, or else why a result is not."""
        for name, values in arguments.items():
            joint_array(self, name, values)
        self._say_singular(arguments["q"])

    def _evaluate(self, function: Callable[..., Any], **arguments: ArrayLike) -> Any:
        return evaluate(function, [(name, joint_array(self, name, values)) for name, values in arguments.items()])

    def _say_singular(self, q: ArrayLike) -> None:
        """Say why accelerations came out infinite: a joint that moves no inertia, or numbers too large."""
        matrix = self.mass_matrix(q).reshape(-1, self.n, self.n)
        values, vectors = np.linalg.eigh(matrix)
        worst = int(np.argmin(values[:, 0] / values[:, -1]))
        if values[worst, 0] > self.n * np.finfo(float).eps * values[worst, -1]:
            raise ArmError(f"{self.where}{self.name}: the accelerations overflow; qd or tau are too large for floats")
        joint = self.joint_names[int(np.argmax(np.abs(vectors[worst, :, 0])))]
        raise ArmError(
            f"{self.where}{self.name}: joint {joint!r} moves no inertia, so its acceleration is not determined; "
            f"give the links it moves mass and inertia, or lock it"
        )


def _inverse(model: Chain) -> Callable[..., list[list[Scalar]]]:
    return lambda q: factor.inverse_matrix(model, REAL, composite_body.mass_matrix(model, REAL, q))


def _forward(model: Chain) -> Callable[..., list[Scalar]]:
    return lambda *x: articulated_body.forward_dynamics(model, REAL, *x)
