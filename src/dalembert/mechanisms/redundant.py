"""Redundant systems: more coordinates q than the motion u that is wanted (Freeman 1985, ch. IV, 4-65 to 4-75).

u' = [G^u_q] q' leaves q' free in part; a weight decides. With W the weight,

    [G]^-R = W^-1 G^T (G W^-1 G^T)^-1                                            (4-70)

makes q' = [G]^-R u' the motion of least q'.W q'. With W = I*_qq that is the least kinetic energy.

(4-71) and (4-72) carry accelerations over as if [G]^-R were an inverse: their q'' is that of least q''.W q'', and the
rates it leads to are no longer [G]^-R u'. The derivative of q' = [G]^-R u' has a part more, which does not move u:

    q'' = [G]^-R (u'' - q'.[H^u_qq] q') + (1 - [G]^-R G) W^-1 (G'^T (G W^-1 G^T)^-1 u' - W' q')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.lazy_arrays import chunkwise
from . import qp, transfer
from .batch import Array
from .chain_frames import FrameOn
from .loop_closures import FREEDOMS
from .mechanism import NONE, Forces, Mechanism
from .redundant_tracking import Criterion, Resolved, track

WEIGHTS = ("energy", "joints")


def right_inverse(g: Array, weight: Array | None = None) -> Array:
    """[G]^-R ``(..., m, n)`` of least q'.W q' (4-70)."""
    turned = transfer.transposed(g)
    mixed = turned if weight is None else np.linalg.solve(weight, turned)
    return mixed @ np.linalg.inv(g @ mixed)


def null_projector(g: Array, weight: Array | None = None) -> Array:
    """1 - [G]^-R [G]: projector of q' on the motions that do not change u."""
    return np.eye(g.shape[-1]) - right_inverse(g, weight) @ g


def second(inverse: Array, h: Array) -> Array:
    """[H^q_uu] = -[G]^-RT ([G]^-R . [H^u_qq]) [G]^-R (4-72)."""
    return -transfer.quadratic(inverse, transfer.dot(inverse, h))


def second_of_inverse(g: Array, h: Array, weight: Array, slope: Array | None = None) -> Array:
    """[H^q_uu] ``(..., m, n, n)`` as the derivative of (4-68): q'' = [G]^-R u'' + u'.[H^q_uu] u' where q' = [G]^-R u'.

    ``slope`` is dW/dq ``(..., m, m, m)``, the derivative last; none where W is constant. Of the two indices of u the
    first is that of the derivative.
    """
    turned = transfer.transposed(g)
    through = np.linalg.solve(weight, turned)
    multiplier = np.linalg.inv(g @ through)
    inverse = through @ multiplier
    rate = np.einsum("...umn,...ma->...aun", h, inverse)  # G' for u' along each freedom
    bend = np.einsum("...aun,...nb->...uab", rate, inverse)
    pull = np.einsum("...aun,...ub->...nab", rate, multiplier)
    if slope is not None:
        pull = pull - np.einsum("...ijk,...ka,...jb->...iab", slope, inverse, inverse, optimize=True)
    free = np.linalg.inv(weight) - through @ multiplier @ transfer.transposed(through)
    return transfer.dot(free, pull) - transfer.dot(inverse, bend)


def partial_model(model: transfer.TransferredModel, inverse: Array, h: Array) -> transfer.PartialModel:
    """T_q = I*_qu u'' + u'.P*_quu u' - T^L_q (4-73): the loads at q for a wanted motion of u.

    I*_qu = I*_qq [G]^-R (4-74), P*_quu = [G]^-RT (P*_qqq - (I*_qu . [H^u_qq])) [G]^-R (4-75).
    """
    inertia = model.inertia @ inverse
    return transfer.PartialModel(
        inertia, transfer.quadratic(inverse, model.power - transfer.dot(inertia, h)), model.load
    )


@chunkwise(
    influence="phi", inverse_influence="phi", partial_model="phi qd", rates="phi ud secondary",
    accelerations="phi qd udd secondary", least_torque="phi qd udd",
)  # fmt: skip
class Redundant:
    """A mechanism with a frame that is to move in some of its freedoms, fewer than the mechanism has."""

    def __init__(
        self,
        mechanism: Mechanism,
        frame: FrameOn | str,
        freedoms: Sequence[str] = FREEDOMS,
        weight: str | ArrayLike = "energy",
    ) -> None:
        """``weight`` is "energy" (least kinetic energy), "joints" (least rates) or a matrix ``(n, n)``."""
        unknown = [freedom for freedom in freedoms if freedom not in FREEDOMS]
        if unknown:
            raise ArmError(f"no freedom {unknown[0]!r}; a frame moves in {listed(FREEDOMS)}")
        if isinstance(weight, str) and weight not in WEIGHTS:
            raise ArmError(f"no weight {weight!r}; choose {listed(WEIGHTS)} or give a matrix")
        self.mechanism, self.frame, self.freedoms = mechanism, frame, tuple(freedoms)
        self.weight = weight if isinstance(weight, str) else qp.weight_array(weight, mechanism.n, "coordinate")
        self.rows = [FREEDOMS.index(freedom) for freedom in freedoms]
        if len(self.rows) > mechanism.n:
            raise ArmError(
                f"{len(self.rows)} freedoms of the frame are wanted and the mechanism has {mechanism.n}; want fewer"
            )

    def _lazy_probe(self, name: str) -> Array | None:
        """A closed state, at which the shapes of answers to Dask arrays are asked."""
        return self.mechanism.home if name == "phi" else None

    def influence(self, phi: ArrayLike) -> tuple[Array, Array]:
        """[G^u_q] and [H^u_qq] of the wanted freedoms."""
        influence = self.mechanism.frame_influence(phi, self.frame)
        return influence.first[..., self.rows, :], influence.second[..., self.rows, :, :]

    def weight_at(self, phi: ArrayLike) -> Array:
        """W of (4-70), ``(..., n, n)``: I*_qq for "energy", the identity for "joints", or the user's matrix."""
        if isinstance(self.weight, np.ndarray):
            return self.weight
        return self.mechanism.mass_matrix(phi) if self.weight == "energy" else np.eye(self.mechanism.n)

    def inverse_influence(self, phi: ArrayLike) -> tuple[Array, Array]:
        """[G^q_u] = [G]^-R and [H^q_uu], its derivative along the motion: q'' = [G^q_u] u'' + u'.[H^q_uu] u'.

        These accelerations keep q' = [G]^-R u', as ``track`` does; those of (4-71), which ``accelerations`` gives for
        the same q', do not.
        """
        g, h = self.influence(phi)
        weight = np.broadcast_to(self.weight_at(phi), (*g.shape[:-2], self.mechanism.n, self.mechanism.n))
        slope = self._inertia_slope(phi) if isinstance(self.weight, str) and self.weight == "energy" else None
        return right_inverse(g, weight), second_of_inverse(g, h, weight, slope)

    def _inertia_slope(self, phi: ArrayLike) -> Array:
        """dI*_qq/dq ``(..., n, n, n)``, exact: the slope of the loads that accelerations alone add at rest."""
        n = self.mechanism.n
        joints = np.asarray(phi, dtype=float)[..., None, :]
        accelerations = np.concatenate([np.zeros((1, n)), np.eye(n)])
        slopes = self.mechanism.inverse_dynamics_derivatives(joints, np.zeros(n), accelerations)[0]
        return np.swapaxes(slopes[..., 1:, :, :] - slopes[..., :1, :, :], -3, -2)

    def partial_model(
        self, phi: ArrayLike, qd: ArrayLike | None = None, forces: Forces = NONE, keep_rates: bool = False
    ) -> transfer.PartialModel:
        """T_q = I*_qu u'' + u'.P*_quu u' - T^L_q (4-73): the loads at the coordinates for a motion of the frame.

        For u'' and u' of the wanted freedoms alone, the rest of q' and q'' being what the weight makes of them (4-70),
        (4-71); ``qd`` matters to dampers and friction alone. With ``keep_rates`` q'' is the derivative of [G]^-R u' in
        place of (4-71), so that the loads lead along the path of ``track``.
        """
        model = self.mechanism.model(phi, qd, forces)
        if keep_rates:
            inverse, h = self.inverse_influence(phi)
            inertia = model.inertia @ inverse
            power = transfer.quadratic(inverse, model.power) + transfer.dot(model.inertia, h)
            return transfer.PartialModel(inertia, power, model.load)
        g, h = self.influence(phi)
        return partial_model(model, right_inverse(g, self.weight_at(phi)), h)

    def rates(
        self, phi: ArrayLike, ud: ArrayLike, secondary: ArrayLike | None = None, dt: float | None = None
    ) -> Array:
        """q' ``(..., n)`` for the frame's rates ``ud``: nearest to ``secondary`` (zero by default) in the weight.

        With ``dt``, no joint that is a coordinate passes its limits within that time, nor its largest speed.
        """

        def resolve(phi: Array, ud: Array, centre: Array) -> Array:
            g, _ = self.influence(phi)
            bounds = None if dt is None else self._bounds(phi, dt)
            try:
                return qp.minimiser(self.weight_at(phi), centre, (g, ud), bounds)
            except qp.Infeasible:
                raise ArmError(
                    f"no motion within the limits of the joints gives these rates of {self.frame}; slow down, or give "
                    f"up a freedom"
                ) from None

        return self._each(resolve, phi, ("ud", ud), secondary=secondary)

    def accelerations(self, phi: ArrayLike, qd: ArrayLike, udd: ArrayLike, secondary: ArrayLike | None = None) -> Array:
        """q'' ``(..., n)`` for the frame's accelerations ``udd``, nearest to ``secondary`` in the weight.

        Without ``secondary``, and with q' = [G]^-R u', this is (4-71); ``inverse_influence`` keeps those rates.
        """

        def resolve(phi: Array, udd: Array, centre: Array, qd: Array) -> Array:
            g, h = self.influence(phi)
            return qp.minimiser(self.weight_at(phi), centre, (g, udd - transfer.form(qd, h)))

        return self._each(resolve, phi, ("udd", udd), ("qd", qd), secondary=secondary)

    def _each(
        self,
        function: Callable[..., Any],
        phi: ArrayLike,
        frame_motion: tuple[str, ArrayLike],
        *rates: tuple[str, ArrayLike],
        secondary: ArrayLike | None = None,
    ) -> Any:
        """``function`` of single states: joints, wanted motion of the frame, secondary motion, rates of q."""
        m = self.mechanism
        name, values = frame_motion
        coordinate_motions = [("secondary", np.zeros(m.n) if secondary is None else secondary), *rates]
        return m.each(
            function,
            ("phi", phi, m.m, "joint"),
            (name, values, len(self.rows), "freedom"),
            *((name, values, m.n, "coordinate") for name, values in coordinate_motions),
        )

    def least_torque(
        self, phi: ArrayLike, qd: ArrayLike, udd: ArrayLike, weight: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """T_q and q'' for the frame's accelerations ``udd`` with the least T.W T: the torque norm at this instant."""
        w = qp.weight_array(weight, self.mechanism.n, "coordinate")

        def resolve(phi: Array, udd: Array, centre: Array, qd: Array) -> tuple[Array, Array]:
            g, h = self.influence(phi)
            bias = self.mechanism.inverse_dynamics(phi, qd, centre)
            inertia = self.mechanism.mass_matrix(phi)
            through = np.linalg.solve(inertia, g.T).T  # G I*^-1, since q'' = I*^-1 (T - bias)
            torque = qp.minimiser(w, centre, (through, udd - transfer.form(qd, h) + through @ bias))
            return torque, np.linalg.solve(inertia, torque - bias)

        solution: tuple[Array, Array] = self._each(resolve, phi, ("udd", udd), ("qd", qd))
        return solution

    def error(self, phi: ArrayLike, target: ArrayLike) -> Array:
        """Error of the frame from the pose ``target`` ``(4, 4)`` in the wanted freedoms (m, rad, world axes)."""
        pose, target_pose = self.mechanism.frame(phi, self.frame), np.asarray(target, dtype=float)
        turn = target_pose[:3, :3] @ pose[:3, :3].T
        twist = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        sine, cosine = np.linalg.norm(twist) / 2, (np.trace(turn) - 1) / 2
        angle = np.arctan2(sine, cosine)
        twist = twist / 2 * (angle / sine if sine > 1e-12 else 1.0)
        return np.concatenate([target_pose[:3, 3] - pose[:3, 3], twist])[self.rows]

    def track(
        self,
        t: ArrayLike,
        poses: ArrayLike,
        phi: ArrayLike,
        secondary: ArrayLike | None = None,
        limits: bool = True,
        criterion: Criterion | None = None,
        gain: float = 1.0,
    ) -> Resolved:
        """Joints that lead the frame through ``poses`` ``(t, 4, 4)`` from ``phi``, loops closed.

        Each step is resolved in rates, then corrected until the frame is there. ``secondary`` are wanted rates of the
        coordinates ``(n,)`` or ``(t, n)``, followed as far as the hand's motion leaves them free. With a ``criterion``,
        a function of phi, they go down its slope, ``gain`` times. ``limits``: no joint passes its limits or its largest
        speed.
        """
        return track(self, t, poses, phi, secondary, limits, criterion, gain)

    def _bounds(self, phi: Array, dt: float) -> tuple[Array, Array]:
        """Rows A and b with A q' >= b: no joint, coordinate or not, passes a limit within ``dt``, nor its speed."""
        system = self.mechanism.chains
        speed = np.array([joint.limits.velocity for arm in system.arms.values() for joint in arm.moving])
        down = np.maximum((system.lower - phi) / dt, -speed)
        up = np.maximum((phi - system.upper) / dt, -speed)
        rows = self.mechanism.influence(phi).first
        table, lower = np.concatenate([rows, -rows]), np.concatenate([down, up])
        finite = np.isfinite(lower)
        return table[finite], lower[finite]
