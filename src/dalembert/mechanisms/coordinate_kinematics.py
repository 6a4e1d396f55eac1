"""Positions of a mechanism and its influence coefficients in the coordinates, on arrays of any batch shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arrays import one_state, vector_array
from . import position, transfer
from .batch import Array
from .chain_frames import FrameOn
from .continuation import follow, solved, solved_at_once
from .joined_chains import JoinedChains
from .resolved_motion import JointMotion, resolved


@dataclass(frozen=True)
class Influence:
    """Influence coefficients in the coordinates q: ``first`` ``(..., u, n)``, ``second`` ``(..., u, n, n)``.

    ``third`` ``(..., u, n, n, n)`` where it is asked for.
    """

    first: Array
    second: Array
    third: Array | None = None


class CoordinateKinematics(JoinedChains):
    """Positions and influence coefficients in the coordinates."""

    def _repr_html_(self) -> str:
        from .mechanism_notebook import mechanism_html

        return mechanism_html(self)

    # -- positions ------------------------------------------------------------------------------

    def coordinates_of(self, phi: ArrayLike) -> Array:
        """q ``(..., n)`` at these joints; a turn, which has no position, is 0."""

        def read(phi: Array) -> Array:
            placed = self.chains.place(phi)
            return self.assembly.value(self.assembly.coordinate_blocks(placed, 0), len(phi))[:, : self.n]

        return self.batched(read, self._joints(phi))

    def closure_error(self, phi: ArrayLike) -> Array:
        """Closure errors ``(..., r)`` (m, rad): zero where the mechanism is closed, and nowhere else."""
        return self.batched(lambda phi: self.assembly.closure_error(phi)[0], self._joints(phi))

    def position(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """The joints phi ``(..., m)`` of the closed mechanism at coordinates q, in the assembly mode of ``guess``.

        Newton's method with a line search; where it leads away from the guess, by continuation: two modes meet only
        where [G^w_phi] is singular, and a way that leads through such a place is refused. The guess is home by default.
        """
        near = self.home if guess is None else guess
        if np.ndim(q) == np.ndim(near) == 1:
            target, start = vector_array(self.n, "q", q, "coordinate"), vector_array(self.m, "guess", near)
            joints = solved_at_once(self.assembly, target, start)
            if joints is not None:
                return joints
        return self.batched(
            lambda q, phi: solved(self.assembly, q, phi), self._rates("q", q), ("guess", near, self.m, "joint")
        )

    def closed_near(self, phi: ArrayLike) -> Array:
        """The closed configurations near these joints, by steps of least length."""

        def close(phi: Array) -> Array:
            joints, residuals = position.newton(self.assembly, phi, None)
            good = position.closed(residuals)
            if not good.all():
                raise ArmError(position.cannot_close(self.assembly, joints[int(np.argmax(residuals))], 0))
            return joints

        return self.batched(close, self._joints(phi))

    def assembly_modes(self, q: ArrayLike, starts: int = 200, seed: int = 0) -> Array:
        """All configurations ``(k, m)`` at coordinates q that Newton finds from ``starts`` random guesses."""
        target = vector_array(self.n, "q", q, "coordinate")
        if target.ndim != 1:
            raise ArmError(f"assembly modes are found for one q at a time; got shape {target.shape}")
        return position.assembly_modes(self.assembly, target, max(1, int(starts)), seed, self.home)

    def follow(self, path: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Joints ``(t, m)`` along a path of coordinates ``(t, n)``, kept to one assembly mode from start to end."""
        start = self.home if guess is None else vector_array(self.m, "guess", guess)
        return follow(self.assembly, vector_array(self.n, "path", path, "coordinate"), start)

    def frame(self, phi: ArrayLike, frame: FrameOn | str) -> Array:
        """A frame in the world, ``(..., 4, 4)``."""
        carrier = self.chains.carrier(frame)

        def poses(phi: Array) -> Array:
            turn, shift = self.chains.place(phi).pose(carrier)
            pose = np.zeros((len(phi), 4, 4))
            pose[:, :3, :3], pose[:, :3, 3], pose[:, 3, 3] = turn, shift, 1.0
            return pose

        return self.batched(poses, self._joints(phi))

    # -- influence coefficients -----------------------------------------------------------------

    def influence(self, phi: ArrayLike) -> Influence:
        """[G^phi_q] ``(..., m, n)`` and [H^phi_qq] ``(..., m, n, n)`` (3-15), (3-19), closures included."""

        def tables(phi: Array) -> tuple[Array, Array]:
            carried = self.assembly.carried(phi)
            return carried.x, carried.x2

        return Influence(*self.batched(tables, self._joints(phi)))

    def third_order(self, phi: ArrayLike) -> Array:
        """[D^phi_qqq] ``(..., m, n, n, n)`` (3-47): its first index of q is that of the derivative of [H^phi_qq].

        phi''' = [G] q''' + q''.([H] + 2 [H]^T) q' + (q'.[D] q') q', coordinates that turn included.
        """

        def table(phi: Array) -> Array:
            x3 = self.assembly.carried(phi, 3).x3
            assert x3 is not None
            return x3

        return self.batched(table, self._joints(phi))

    def joint_jerk(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike) -> Array:
        """Third time derivative of phi for this motion (3-46), coordinates that turn included.

        (q''', 0) = [G^w] phi''' + phi''.(H + 2 H^T) phi' + (phi'.D phi') phi', H of a turn not being symmetric.
        """

        def move(phi: Array, qd: Array, qdd: Array, qddd: Array) -> Array:
            carried = self.assembly.carried(phi)
            rate, rate2 = carried.joint_motion(qd, qdd)
            right_side = np.concatenate([qddd, np.zeros((len(phi), self.r))], axis=1)
            for block in self.assembly.blocks(carried.placed, 3):
                jet, rate_block, rate2_block = block.jet, rate[:, block.joints], rate2[:, block.joints]
                right_side[:, block.rows] -= transfer.jerk_bias(jet.second, jet.third, rate_block, rate2_block)
            return transfer.times(carried.x_w, right_side)

        rates = (self._rates(name, values) for name, values in (("qd", qd), ("qdd", qdd), ("qddd", qddd)))
        return self.batched(move, self._joints(phi), *rates)

    def frame_influence(self, phi: ArrayLike, frame: FrameOn | str, order: int = 2) -> Influence:
        """Coefficients of a frame's origin (rows 0 to 2) and turn (rows 3 to 5) in q (3-22), (3-26); order 2 or 3."""
        carrier = self.chains.carrier(frame)
        if order not in (2, 3):
            raise ArmError(f"influence coefficients of a frame are given to order 2 or 3, not {order!r}")

        def tables(phi: Array) -> tuple[Array, ...]:
            carried = self.assembly.carried(phi, order)
            x_frame, x2_frame = carried.x[:, carrier.joints], carried.x2[:, carrier.joints]
            orders: list[list[Array]] = [[] for _ in range(order)]
            for jet in (carried.placed.point(carrier, order), carried.placed.turning(carrier, order)):
                orders[0].append(jet.first @ x_frame)
                # H^u X^T X + G^u . X2, the form of (3-26) that needs no inverse of its own.
                orders[1].append(transfer.quadratic(x_frame, jet.second) + transfer.dot(jet.first, x2_frame))
                if carried.x3 is not None:
                    x3_frame = carried.x3[:, carrier.joints]
                    orders[2].append(
                        transfer.dependent_third(jet.first, jet.second, jet.third, x_frame, x2_frame, x3_frame)
                    )
            return tuple(np.concatenate(order_rows, axis=1) for order_rows in orders)

        return Influence(*self.batched(tables, self._joints(phi)))

    def joint_motion(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array]:
        """phi' and phi'' for this motion of the coordinates (3-12), (3-13)."""

        def move(phi: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
            code = self.assembly.map
            rates = None if code is None else code.tables("joint_motion", phi, qd, qdd)
            return self.assembly.joint_motion(phi, qd, qdd)[1:] if rates is None else rates

        rate, rate2 = self.batched(move, self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd))
        return rate, rate2

    def resolve(
        self, poses: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, guess: ArrayLike | None = None
    ) -> JointMotion:
        """Joints and their three derivatives for a motion of the frame whose freedoms are the coordinates.

        ``poses`` ``(t, 4, 4)`` say where it is, ``qd``, ``qdd`` and ``qddd`` ``(t, n)`` its velocity, acceleration and
        jerk, turns as angular velocity and its derivatives, in the axes of the world (3-14), (3-18), (3-46). Of an arm
        with drives, ``driven.electric.voltages(*motion)`` are then the voltages for it (2-240).
        """
        start = self.home if guess is None else one_state(self.m, "guess", guess)
        derivatives = (("qd", qd), ("qdd", qdd), ("qddd", qddd))
        rates = [vector_array(self.n, name, values, "coordinate") for name, values in derivatives]
        return resolved(self, np.asarray(poses, dtype=float), (rates[0], rates[1], rates[2]), start)
