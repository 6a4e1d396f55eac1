"""Coordinates and closures of a mechanism as one set of equations, and the transfer of its joints to them.

Freeman 1985, chapter IV, in one step: the intermediate set is w = (q, c), the wanted coordinates q and the held
freedoms c of all closures. [G^w_phi] is square where no constraint is redundant; its inverse X_w holds dphi/dq in its
first columns, and with c' = c'' = 0 these are all that is left of the motion (4-31), (4-32). Redundant constraints
(Appendix D) give it more rows than columns; their equations agree, so its left inverse serves in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..rings.real import REAL
from . import transfer
from .batch import Array, over_columns
from .chain_frames import ChainFrames, JointFrames
from .closure_equations import ClosureEquations
from .coordinates import Coordinate
from .diagnose import RANK, refuse_singular
from .gears import GearNumbers, Tie
from .loop_closures import Block, ClosureNumbers

if TYPE_CHECKING:
    from .compiled_map import CompiledMap
    from .compiled_state import CompiledState
    from .springs import LoadElement

LARGEST_CONDITION = 1e11


@dataclass(frozen=True)
class CoordinateTransfer:
    """Transfer of the joints to the coordinates at a batch of configurations.

    ``x_w`` is X_w = [G^w_phi]^-1 ``(b, m, n + r)``; ``x`` ``(b, m, n)``, ``x2`` and ``x3`` are the influence
    coefficients of the joints in the coordinates, of first to third order; ``condition`` is that of [G^w_phi].
    """

    placed: JointFrames
    x_w: Array
    x: Array
    x2: Array
    x3: Array | None
    condition: Array

    def joint_motion(self, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """phi' = X q', phi'' = X q'' + q'.X2 q' (3-12), (3-13)."""
        return transfer.times(self.x, qd), transfer.times(self.x, qdd) + transfer.form(qd, self.x2)


class Assembly:
    """The equations of coordinates and closures over the joints of a system."""

    def __init__(self, system: ChainFrames, closures: Sequence[Tie], coordinates: Sequence[str]) -> None:
        self.chains = system
        self.closures = [closure.numbers(system) for closure in closures]
        self.coordinates = [Coordinate(text, system) for text in coordinates]
        self.n = len(self.coordinates)
        self.m = system.m
        starts = np.cumsum([self.n, *(len(closure.held) for closure in closures)])
        self.closure_rows = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        self.r = int(starts[-1]) - self.n
        self.kernel: CompiledState | None = None
        """Closures and chains in one compiled function; None without compilation."""
        self.elements: tuple[LoadElement, ...] = ()
        """Springs, dampers and rotors between chains, for whatever computes the dynamics from here."""
        self.home: Array | None = None
        """A closed configuration, once it is known."""
        self.map: CompiledMap | None = None
        """The transfer to the coordinates in machine code; None without compilation."""
        self.turning = [c for c in self.closures if isinstance(c, ClosureNumbers) and c.aligned_axes]
        """Closures whose equations also hold in orientations that are not meant."""
        self.geared = np.zeros(self.m, dtype=bool)
        """Joints of gears: a whole turn more is another position of the joint it is tied to."""
        for numbers in self.closures:
            if isinstance(numbers, GearNumbers):
                self.geared[numbers.joints] = True
        self.rank: int | None = None
        """Rank of [G^c_phi] where it is known: off the closures by a rounding, redundant equations seem independent."""
        self._equations = ClosureEquations(system, self.closures, REAL, [numbers.chain for numbers in system.numbers])
        self.equation_names = tuple(name for closure in closures for name in closure.equation_names)

    # -- equations ------------------------------------------------------------------------------

    def closure_blocks(self, placed: JointFrames, order: int) -> list[Block]:
        """Closure equations c with their influence coefficients G^c, H^c, D^c up to ``order``."""
        return [
            Block(rows, closure.joints, closure.jet(placed, order))
            for closure, rows in zip(self.closures, self.closure_rows, strict=True)
        ]

    def coordinate_blocks(self, placed: JointFrames, order: int) -> list[Block]:
        """Coordinates q with their influence coefficients G^q, H^q, D^q up to ``order``."""
        return [
            Block(slice(k, k + 1), coordinate.joints, coordinate.jet(placed, order))
            for k, coordinate in enumerate(self.coordinates)
        ]

    def blocks(self, placed: JointFrames, order: int) -> list[Block]:
        """w = (q, c) with its influence coefficients up to ``order``: coordinates, then closures."""
        return self.coordinate_blocks(placed, order) + self.closure_blocks(placed, order)

    def value(self, blocks: Sequence[Block], count: int) -> Array:
        """w = (q, c), ``(b, n + r)``."""
        w = np.zeros((count, self.n + self.r))
        for block in blocks:
            w[:, block.rows] = block.jet.value
        return w

    def jacobian(self, blocks: Sequence[Block], count: int) -> Array:
        """[G^w_phi], ``(b, n + r, m)``."""
        jacobian = np.zeros((count, self.n + self.r, self.m))
        for block in blocks:
            jacobian[:, block.rows, block.joints] = block.jet.first
        return jacobian

    def closures_at(self, phi: Array) -> tuple[Array, Array]:
        """c ``(b, r)`` and [G^c_phi] ``(b, r, m)``."""
        if self.kernel is not None:
            return self.kernel.state(phi, np.zeros_like(phi))[:2]
        if not self.r:
            return np.zeros((len(phi), 0)), np.zeros((len(phi), 0, self.m))
        value, g = over_columns(lambda q: self._equations.tables(q)[:2], phi)
        return value, g

    def closure_jacobian(self, phi: Array) -> Array:
        """[G^c_phi], ``(b, r, m)``."""
        return self.closures_at(phi)[1]

    def closure_error(self, phi: Array) -> tuple[Array, Array]:
        """Closure errors ``(b, r)`` in m and rad that vanish only where closed, and their slopes ``(b, r, m)``.

        Where the mechanism is closed the slopes are [G^c_phi]; elsewhere turns are measured on the rotation group.
        """
        value, g = (np.array(part) for part in self.closures_at(phi))
        placed = self.chains.place(phi)
        for closure, rows in zip(self.closures, self.closure_rows, strict=True):
            turns = closure.turn_error(placed)
            if turns is not None:
                local_rows, error, slope = turns
                first_row = rows.start - self.n
                turn_rows = slice(first_row + local_rows.start, first_row + local_rows.stop)
                value[:, turn_rows] = error
                g[:, turn_rows] = 0.0
                g[:, turn_rows, closure.joints] = slope
        return value, g

    def drift(self, phi: Array, rate: Array) -> tuple[Array, Array]:
        """[G^c_phi] and phi'.[H^c] phi' ``(b, r)``: what the closures' accelerations are at constant joint rates."""
        if self.kernel is not None:
            return self.kernel.state(phi, rate)[1:3]
        if not self.r:
            return np.zeros((len(phi), 0, self.m)), np.zeros((len(phi), 0))
        g, drift = over_columns(lambda q, qd: self._equations.tables(q, qd)[1:], phi, rate)
        return g, drift

    def first_order(self, phi: Array, as_error: bool = False) -> tuple[Array, Array]:
        """w = (q, c) ``(b, n + r)`` and [G^w_phi] ``(b, n + r, m)``; ``as_error``: c as ``closure_error`` has it."""
        value, g = np.zeros((len(phi), self.n + self.r)), np.zeros((len(phi), self.n + self.r, self.m))
        placed: JointFrames | None = None
        for k, coordinate in enumerate(self.coordinates):
            if coordinate.joint >= 0:
                value[:, k], g[:, k, coordinate.joint] = phi[:, coordinate.joint], 1.0
            else:
                placed = placed or self.chains.place(phi)
                jet = coordinate.jet(placed, 1)
                value[:, k : k + 1], g[:, k : k + 1, coordinate.joints] = jet.value, jet.first
        value[:, self.n :], g[:, self.n :] = self.closure_error(phi) if as_error else self.closures_at(phi)
        return value, g

    def x_w(self, phi: Array) -> Array:
        """X_w ``(b, m, n + r)``."""
        return self.checked_inverse(phi, self.first_order(phi)[1])

    def full_drift(self, placed: JointFrames, rate: Array, drift: Array) -> Array:
        """phi'.[H^w] phi' ``(b, n + r)``, given its part for the closures."""
        bend = np.zeros((placed.count, self.n + self.r))
        bend[:, self.n :] = drift
        for k, coordinate in enumerate(self.coordinates):
            if any(term.frame is not None for term in coordinate.terms):
                second = coordinate.jet(placed, 2).second
                bend[:, k] = transfer.form(rate[:, coordinate.joints], second)[:, 0]
        return bend

    def joint_motion(self, phi: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """X_w, phi' and phi'' for this motion of the coordinates: second order without its array."""
        placed = self.chains.place(phi)
        x_w = self.x_w(phi)
        rate = (x_w[:, :, : self.n] @ qd[:, :, None])[:, :, 0]
        bend = self.full_drift(placed, rate, self.drift(phi, rate)[1])
        bend[:, : self.n] -= qdd
        return x_w, rate, -(x_w @ bend[:, :, None])[:, :, 0]

    def null_space(self, g: Array) -> tuple[Array, Array]:
        """N ``(m, f)``, orthonormal, with [G^c] N = 0, and the pseudo-inverse of one [G^c_phi] ``(r, m)``."""
        if not g.shape[0]:
            return np.eye(g.shape[1]), np.zeros((g.shape[1], 0))
        u, s, vh = np.linalg.svd(g)
        rank = int((s > RANK * s[0]).sum())
        if self.rank is not None:
            rank = min(rank, self.rank)
        return vh[rank:].T, (vh[:rank].T / s[:rank]) @ u[:, :rank].T

    # -- transfer -------------------------------------------------------------------------------

    def carried(self, phi: Array, order: int = 2) -> CoordinateTransfer:
        """The transfer at closed configurations ``phi`` ``(b, m)``; refused where it is singular."""
        count = len(phi)
        placed = self.chains.place(phi)
        blocks = self.blocks(placed, order)
        g = self.jacobian(blocks, count)
        x_w, condition = self.inverse(g)
        self._refuse(phi, g, condition)
        x = np.ascontiguousarray(x_w[:, :, : self.n])
        bend = np.zeros((count, self.n + self.r, self.n, self.n))
        for block in blocks:
            bend[:, block.rows] = transfer.quadratic(x[:, block.joints], block.jet.second)
        x2 = -transfer.dot(x_w, bend)
        x3 = None
        if order >= 3:
            deep = np.zeros((count, self.n + self.r, self.n, self.n, self.n))
            for block in blocks:
                x_block, x2_block = x[:, block.joints], x2[:, block.joints]
                cubic = transfer.cubic(x_block, block.jet.third)
                deep[:, block.rows] = cubic + transfer.paired(block.jet.second, x_block, x2_block)
            x3 = -np.einsum("bpn,bnijk->bpijk", x_w, deep)
        return CoordinateTransfer(placed, x_w, x, x2, x3, condition)

    def checked_inverse(self, phi: Array, g: Array) -> Array:
        """X_w, refused where it is singular."""
        x_w, condition = self.inverse(g)
        self._refuse(phi, g, condition)
        for k, coordinate in enumerate(self.coordinates):
            if coordinate.joint >= 0:  # not the rounding of an inverse: a joint that stands has no speed
                x_w[:, coordinate.joint, : self.n] = np.eye(self.n)[k]
        return x_w

    def _refuse(self, phi: Array, g: Array, condition: Array) -> None:
        worst = int(np.argmax(condition)) if len(phi) else 0
        if len(phi) and not condition[worst] < LARGEST_CONDITION:
            refuse_singular(self, phi[worst], g[worst], float(condition[worst]))

    def inverse(self, g: Array) -> tuple[Array, Array]:
        """X_w and the condition of [G^w_phi] (in the largest row sum, as cheap as the inverse itself)."""
        if g.shape[1] == self.m:
            try:
                x_w = np.linalg.inv(g)
            except np.linalg.LinAlgError:
                # One singular configuration must not hide the others: invert one by one.
                x_w = np.stack([_inverse_or_nan(matrix) for matrix in g])
            norm = np.abs(g).sum(axis=2).max(axis=1) * np.abs(x_w).sum(axis=2).max(axis=1)
            return x_w, np.where(np.isfinite(norm), norm, np.inf)
        if g.shape[1] < self.m:
            return np.full((len(g), self.m, g.shape[1]), np.nan), np.full(len(g), np.inf)
        u, s, vh = np.linalg.svd(g, full_matrices=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            x_w = np.swapaxes(vh, 1, 2) @ (np.swapaxes(u, 1, 2) / s[:, :, None])
            return x_w, np.where(s[:, -1] > 0, s[:, 0] / s[:, -1], np.inf)


def _inverse_or_nan(matrix: Array) -> Array:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)
