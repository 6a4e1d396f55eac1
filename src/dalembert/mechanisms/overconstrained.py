"""Overconstrained systems: more motors than freedoms (Freeman 1985, ch. IV, 4-76 to 4-90).

Cooperating arms, hands and walking machines: the motion fixes the loads T_u that the coordinates need, and many loads
T_q of the motors give them,

    [G^q_u]^T T_q = T_u,                                                          (4-80)

least squares among them T_q = G (G^T G)^-1 T_u (4-85). Motors have limits, and contacts only push: then the best is a
small quadratic program. The round cone of Coulomb friction is no set of inequalities; planes that touch it are added
where the best so far lies outside, until it lies inside (cutting planes, Kelley 1960). What is left free are internal
forces, which squeeze and move nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.lazy_arrays import chunkwise
from ..systems.arrays import one_state
from . import qp, transfer
from .batch import Array
from .coordinates import Coordinate
from .loop_closures import Closure
from .mechanism import NONE, Forces, Mechanism
from .transfer import PartialModel

INSIDE = 1e-9
"""How far friction may lie outside its cone, as a share of the largest force of the closures."""
MOST_CUTS = 200
"""Planes for the cones of one state; a few steps for each contact are enough."""


@dataclass(frozen=True)
class ContactCone:
    """A contact that pushes: the rows of T_c that are its ``normal`` force and its friction, |f| <= mu f_z."""

    normal: int
    sides: tuple[int, ...]
    friction: float

    def cut(self, forces: Array) -> Array | None:
        """The plane that touches the cone where ``forces`` lie outside, mu f_z - d . f >= 0 with d along f; or None."""
        friction = forces[list(self.sides)]
        size = float(np.linalg.norm(friction))
        if size <= self.friction * forces[self.normal] + INSIDE * np.abs(forces).max():
            return None
        plane = np.zeros(len(forces))
        plane[self.normal] = self.friction
        plane[list(self.sides)] = -friction / size
        return plane


@dataclass(frozen=True)
class Shared:
    """Loads ``torque`` ``(..., k)`` at the ``motors``, the forces of the closures they cause, and T_u, which is needed.

    ``residual`` is how far [G^q_u]^T T_q is from T_u.
    """

    motors: tuple[str, ...]
    torque: Array
    closure_forces: Array
    wanted: Array
    residual: Array


@chunkwise(influence="phi", least_squares="phi wanted", partial_model="phi qd", distribute="phi qd qdd")
class Motors:
    """The motors of a mechanism, at least as many as it has freedoms.

    A motor stands at a joint, or drives whatever can be written as a coordinate, such as "left.a + left.b".
    """

    def __init__(self, mechanism: Mechanism, motors: Sequence[str]) -> None:
        self.mechanism = mechanism
        self.motions = [Coordinate(text, mechanism.chains) for text in motors]
        self.names = tuple(mechanism.joint_names[m.joint] if m.joint >= 0 else m.name for m in self.motions)
        if len(set(self.names)) != len(self.names):
            raise ArmError(f"a motor is named twice in {listed(motors)}; name each once")
        rank = int(np.linalg.matrix_rank(self.influence(mechanism.home), tol=1e-9))
        if rank < mechanism.n:
            raise ArmError(
                f"the motors {listed(self.names)} drive {rank} of {mechanism.n} freedoms; add motors for the others"
            )
        self.effort = np.array([mechanism.chains.effort[m.joint] if m.joint >= 0 else np.inf for m in self.motions])

    def _lazy_probe(self, name: str) -> Array | None:
        """A closed state, at which the shapes of answers to Dask arrays are asked."""
        return self.mechanism.home if name == "phi" else None

    def influence(self, phi: ArrayLike) -> Array:
        """[G^q_u] ``(k, n)``: the motors' rates in the coordinates of the mechanism (4-78)."""

        def tables(phi: Array) -> Array:
            return self._rows(phi) @ self.mechanism.first_influence(phi)

        return self.mechanism.batched(tables, ("phi", phi, self.mechanism.m, "joint"))

    def _rows(self, phi: Array) -> Array:
        """The motors' rates per joint rate, ``(b, k, m)``."""
        placed = self.mechanism.chains.place(phi)
        rows = np.zeros((len(phi), len(self.motions), self.mechanism.m))
        for k, motion in enumerate(self.motions):
            first = motion.jet(placed, 1).first
            assert first is not None
            rows[:, k, motion.joints] = first[:, 0]
        return rows

    def least_squares(self, phi: ArrayLike, wanted: ArrayLike, weight: ArrayLike | None = None) -> Array:
        """T_q ``(..., k)`` of least T.W T for loads ``wanted`` at the coordinates (4-85)."""
        w = qp.weight_array(weight, len(self.motions), "motor")

        def share(phi: Array, wanted: Array) -> Array:
            g = self.influence(phi)
            return qp.minimiser(w, np.zeros(len(g)), (g.T, wanted))

        m = self.mechanism
        return m.each(share, ("phi", phi, m.m, "joint"), ("wanted", wanted, m.n, "coordinate"))

    def partial_model(self, phi: ArrayLike, qd: ArrayLike | None = None, forces: Forces = NONE) -> PartialModel:
        """T_q = I*_qu u'' + u'.P*_quu u' - T^L_q (4-87): the loads of least squares at the motors for a motion of u.

        With [G]^-LT = G (G^T G)^-1 (4-86), I*_qu = [G]^-LT I*_uu (4-88), P*_quu = [G]^-LT . P*_uuu (4-89) and
        T^L_q = [G]^-LT T^L_u (4-90), u being the coordinates of the mechanism; ``qd`` matters to dampers and friction
        alone.
        """
        g = self.influence(phi)
        left_inverse = g @ np.linalg.inv(transfer.transposed(g) @ g)
        model = self.mechanism.model(phi, qd, forces)
        return PartialModel(
            left_inverse @ model.inertia,
            transfer.dot(left_inverse, model.power),
            transfer.times(left_inverse, model.load),
        )

    def internal(self, phi: ArrayLike) -> Array:
        """Loads ``(k, k - n)`` of the motors that balance each other at one configuration: an orthonormal basis."""
        u, s, _ = np.linalg.svd(self.influence(one_state(self.mechanism.m, "phi", phi)))
        return u[:, int((s > 1e-9 * s[0]).sum()) :]

    def distribute(
        self,
        phi: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        weight: ArrayLike | None = None,
        limits: ArrayLike | bool = True,
        push: float = 0.0,
        contacts: bool = True,
        preload: ArrayLike | None = None,
        forces: Forces = NONE,
    ) -> Shared:
        """Loads of the motors for this motion of the coordinates, nearest to ``preload`` (zero) in ``weight``.

        ``limits``: True for the effort limits of the joints, False for none, or largest loads ``(k,)``. Closures that
        push do so with at least ``push`` newtons, within their friction; ``contacts=False`` lets them pull as well.
        """
        count = len(self.motions)
        w = qp.weight_array(weight, count, "motor")
        centre = np.zeros(count) if preload is None else one_state(count, "preload", preload, "motor")
        bounds = self._limits(limits)
        cones = self._contacts() if contacts else []
        m = self.mechanism

        def share(phi: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
            return self._distributed(phi, qd, qdd, w, centre, bounds, cones, push, forces)

        rates = ((name, values, m.n, "coordinate") for name, values in (("qd", qd), ("qdd", qdd)))
        return Shared(self.names, *m.each(share, ("phi", phi, m.m, "joint"), *rates))

    def _distributed(
        self,
        phi: Array,
        qd: Array,
        qdd: Array,
        weight: Array | None,
        centre: Array,
        bounds: tuple[Array, Array],
        cones: Sequence[ContactCone],
        push: float,
        forces: Forces,
    ) -> tuple[Array, ...]:
        """Torques, closure forces, T_u and residual of one state; ``bounds`` are inequalities A T_q >= b."""
        mechanism, joints = self.mechanism, phi[None]
        carried = mechanism.assembly.carried(joints)
        moving = carried.joint_motion(qd[None], qdd[None])
        joint_load = mechanism.joint_loads(joints, *moving, mechanism._forces(forces))[0]
        x = carried.x[0]
        needed = x.T @ joint_load
        rows = self._rows(joints)[0]
        g = rows @ x
        # What the motors do not hold at the joints, the closures must: T_phi - S^T T_q = [G^c]^T T_c.
        closing = mechanism.assembly.closure_jacobian(joints)[0]
        pseudo = np.linalg.pinv(closing.T, rcond=1e-9) if mechanism.r else np.zeros((0, mechanism.m))
        per_motor = -pseudo @ rows.T
        fixed = pseudo @ joint_load
        table, lower = bounds

        def with_planes(planes: Sequence[Array], floor: float = 0.0) -> tuple[Array, Array]:
            """The inequalities and, for each plane, plane . T_c >= floor."""
            added = np.array(planes).reshape(-1, mechanism.r)
            return np.vstack([table, added @ per_motor]), np.concatenate([lower, floor - added @ fixed])

        table, lower = with_planes([np.eye(mechanism.r)[cone.normal] for cone in cones], max(push, 0.0))
        try:
            for _ in range(MOST_CUTS):
                torque = qp.minimiser(weight, centre, (g.T, needed), (table, lower))
                closure_forces = fixed + per_motor @ torque
                cuts = [plane for cone in cones if (plane := cone.cut(closure_forces)) is not None]
                if not cuts:
                    break
                table, lower = with_planes(cuts)
            else:
                raise qp.Infeasible("friction does not come to lie within its cones")
        except qp.Infeasible as fault:
            raise ArmError(
                f"no loads of {listed(self.names)} give this motion with contacts that push and motors within their "
                f"limits ({fault}); slow down, allow more friction, or take stronger motors"
            ) from None
        return torque, closure_forces, needed, np.abs(g.T @ torque - needed).max(initial=0)

    def _limits(self, limits: ArrayLike | bool) -> tuple[Array, Array]:
        """Rows A and bounds b with A T_q >= b: every load within plus and minus its largest."""
        count = len(self.motions)
        if limits is False:
            return np.zeros((0, count)), np.zeros(0)
        largest = self.effort
        if limits is not True:
            limit_array = np.asarray(limits, dtype=float)
            if limit_array.shape not in ((), (1,), (count,)):
                raise ArmError(f"limits must be one number, or {count}, one per motor; got shape {limit_array.shape}")
            largest = np.broadcast_to(limit_array, (count,))
        return np.vstack([np.eye(count), -np.eye(count)]), -np.concatenate([largest, largest])

    def _contacts(self) -> list[ContactCone]:
        """The cones of the closures that push."""
        assembly = self.mechanism.assembly
        cones: list[ContactCone] = []
        for numbers, part in zip(assembly.closures, assembly.closure_rows, strict=True):
            closure = numbers.closure
            if not isinstance(closure, Closure) or not closure.pushes:
                continue
            if "z" not in closure.held:
                raise ArmError(
                    f"closure {closure.name!r} pushes along z, which it does not hold; add z to what it holds"
                )
            row_of = {freedom: part.start - assembly.n + k for k, freedom in enumerate(closure.held)}
            sides = tuple(row_of[axis] for axis in ("x", "y") if axis in row_of)
            cones.append(ContactCone(row_of["z"], sides, closure.friction))
        return cones
