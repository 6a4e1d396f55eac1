"""Six turning joints of any geometry: up to sixteen solutions (Raghavan and Roth 1993; Manocha and Canny 1994).

The last joint leaves the direction l and a point p of its own axis where they are, so that

    e3 e4 e5 (l, p) = e2^-1 e1^-1 T' (l, p)

holds without it: six equations, and with them eight more, of p.p, p.l, p x l and (p.p) l - 2 (p.l) p. All fourteen are
linear in (1, cos, sin) of each joint. Seen as linear in the eight products of joints 1 and 2 they leave six equations
in joints 3, 4, 5. In half tangents these and their products with x4 are twelve in the twelve monomials x4^i x5^j,
i < 4, j < 3: a matrix that is quadratic in x3, which is singular at the solutions. Its eigenvalues are x3 (and, eight
times, the +-i that half tangents bring in), its eigenvectors give x4 and x5.

The coefficients are not expanded: a function that is linear in (1, cos, sin) is known by its values at three angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .screw_chain import Screw, ScrewChain, perpendicular
from .subproblems import LOST, finite

Array = NDArray[np.float64]
MOST = 16
THIRDS = 2 * np.pi * np.arange(3) / 3
FIT = np.linalg.inv(np.stack([np.ones(3), np.cos(THIRDS), np.sin(THIRDS)], axis=1))
HALF_TANGENTS = np.array([[1.0, 1, 0], [0, 0, 2], [1, -1, 0]])
"""Rows are powers of x = tan(angle / 2), columns 1, cos and sin times 1 + x^2."""
ORIGINS = (0.41, 1.13, 2.17)
"""Where the angles of joints 3, 4 and 5 are counted from: half tangents of solutions are then seldom at infinity."""
LOOKS = 8
RANK = 1e-12
"""Matrices whose singular values are farther apart than this count as singular."""


def turned(screw: Screw, angle: Array, v: Array) -> Array:
    """Directions ``(..., 3)`` after the motion by angles ``(...)`` (Rodrigues)."""
    h = screw.direction
    sin, cos = np.sin(angle)[..., None], np.cos(angle)[..., None]
    return cos * v + sin * np.cross(h, v) + (1 - cos) * (v @ h)[..., None] * h


def moved(screw: Screw, angle: Array, lines: tuple[Array, Array]) -> tuple[Array, Array]:
    """Directions and points after the motion."""
    direction, point = lines
    return turned(screw, angle, direction), turned(screw, angle, point - screw.point) + screw.point


def fourteen(lines: tuple[Array, Array]) -> Array:
    """l, p, p.p, p.l, p x l and (p.p) l - 2 (p.l) p ``(..., 14)``."""
    direction, p = lines
    pp, pl = (p * p).sum(-1, keepdims=True), (p * direction).sum(-1, keepdims=True)
    last = pp * direction - 2 * pl * p
    return np.concatenate([direction, p, pp, pl, np.cross(p, direction), last], axis=-1)


@dataclass(frozen=True, eq=False)
class GeneralSix:
    """Six turning joints, their axes anywhere, read from the base or (``inverted``) from the tool."""

    chain: ScrewChain
    inverted: bool
    words = "six axes, by eigenvalues"
    degree = 16

    @property
    def length(self) -> float:
        """The size of the arm (m)."""
        return self.chain.length

    def candidates(self, target: Array, preferred: Array, compiled: bool = True) -> tuple[Array, Array]:
        """``(poses, 16, joints)``, and ``LOST`` for poses where the way fails; the other arguments change nothing."""
        turn, place = target[:, :3, :3], target[:, :3, 3] / self.length
        if self.inverted:
            turn = np.swapaxes(turn, 1, 2)
            place = -np.einsum("nij,nj->ni", turn, place)
        turn = turn @ self.chain.turn.T
        q = np.zeros((len(target), MOST, preferred.shape[-1]))
        if not len(target):
            return q, np.zeros((0, MOST))
        with np.errstate(all="ignore"):
            found, lost = self.positions(turn, place - turn @ self.chain.shift)
        for k, screw in enumerate(self.chain.screws):
            if screw.joint >= 0:
                q[..., screw.joint] = finite(found[..., k])
        return q, np.broadcast_to(np.where(lost[:, None], LOST, 0.0), q.shape[:-1])

    @cached_property
    def _left(self) -> Array:
        """``(14, 3, 3, 3)``: the fourteen of e3 e4 e5 (l, p) by 1, cos, sin of joints 3, 4 and 5."""
        screws = self.chain.screws
        three, four, five = (THIRDS + origin for origin in ORIGINS)
        lines = np.broadcast_to(screws[5].direction, (3, 3, 3, 3)), np.broadcast_to(screws[5].point, (3, 3, 3, 3))
        for k, angle in ((4, five), (3, four[:, None]), (2, three[:, None, None])):
            lines = moved(screws[k], np.broadcast_to(angle, (3, 3, 3)), lines)
        return np.einsum("abcf,ia,jb,kc->fijk", fourteen(lines), FIT, FIT, FIT)

    def _right(self, turn: Array, shift: Array) -> Array:
        """``(poses, 14, 3, 3)``: the fourteen of e2^-1 e1^-1 T' (l, p) by 1, cos, sin of joints 1 and 2."""
        one, two, last = (self.chain.screws[k] for k in (0, 1, 5))
        shape = (len(turn), 3, 3)
        both = turn @ last.direction, turn @ last.point + shift
        spread = [np.broadcast_to(part[:, None, None], (*shape, 3)) for part in both]
        lines = moved(one, np.broadcast_to(-THIRDS[:, None], shape), (spread[0], spread[1]))
        lines = moved(two, np.broadcast_to(-THIRDS, shape), lines)
        return np.einsum("nabf,ia,jb->nfij", fourteen(lines), FIT, FIT)

    def positions(self, turn: Array, shift: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Candidates ``(poses, 16, 6)`` for displacements T' = (turn, shift), and the poses where the way fails."""
        right = self._right(turn, shift)
        count = len(turn)
        products = right.reshape(count, 14, 9)[:, :, 1:]
        basis, size, _ = np.linalg.svd(products)
        equations = np.einsum("nfk,fabc->nkabc", basis[:, :, 8:], self._left)
        equations[:, :, 0, 0, 0] -= np.einsum("nfk,nf->nk", basis[:, :, 8:], right[:, :, 0, 0])
        halves = np.einsum("nkabc,jb,lc->nkajl", equations, HALF_TANGENTS, HALF_TANGENTS)
        # rows: the six and their products with x4; columns: x4^j x5^l
        square = np.zeros((count, 3, 12, 12))
        square[:, :, :6, :9] = np.moveaxis(halves, 2, 1).reshape(count, 3, 6, 9)
        square[:, :, 6:, 3:] = square[:, :, :6, :9]
        angle, vector, lost = _singular(square)
        x4, x5 = _ratios(vector)
        third = angle + ORIGINS[0]
        fourth, fifth = 2 * np.arctan(x4) + ORIGINS[1], 2 * np.arctan(x5) + ORIGINS[2]
        known = np.zeros((count, MOST, 6))
        known[..., 2], known[..., 3], known[..., 4] = third, fourth, fifth
        self._others(known, turn, right)
        return known, lost | (size[:, -1] < RANK * size[:, 0])

    def _others(self, known: Array, turn: Array, right: Array) -> None:
        """Joints 1, 2 from the fourteen equations, which are linear in their products; joint 6 from what is left."""
        screws = self.chain.screws
        lines = (
            np.broadcast_to(screws[5].direction, (*known.shape[:-1], 3)),
            np.broadcast_to(screws[5].point, (*known.shape[:-1], 3)),
        )
        for k in (4, 3, 2):
            lines = moved(screws[k], known[..., k], lines)
        products = right.reshape(len(turn), 14, 9)
        left = fourteen(lines) - products[:, None, :, 0]
        # columns of right: 1, c2, s2, c1, c1c2, c1s2, s1, s1c2, s1s2
        solved = np.einsum("nkf,njf->nkj", left, np.linalg.pinv(products[:, :, 1:]))
        known[..., 0] = np.arctan2(solved[..., 5], solved[..., 2])
        known[..., 1] = np.arctan2(solved[..., 1], solved[..., 0])
        h6 = screws[5].direction
        spoke = perpendicular(h6)
        v = np.broadcast_to((turn @ spoke)[:, None], (*known.shape[:-1], 3))
        for k in range(5):
            v = turned(screws[k], -known[..., k], v)
        known[..., 5] = np.arctan2(v @ np.cross(h6, spoke), v @ spoke)


def _singular(square: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Angles at which S0 + S1 cos + S2 sin is singular, the sixteen that are nearest to real, and its null vectors.

    Also which of them are singular at every angle.
    """
    count = len(square)
    looks = 2 * np.pi * np.arange(LOOKS) / LOOKS
    basis = np.stack([np.ones(LOOKS), np.cos(looks), np.sin(looks)], axis=1)
    _, size = np.linalg.slogdet(np.einsum("la,naij->nlij", basis, square))
    # half tangents about the angle opposite to where it is farthest from singular: none is at infinity
    origin = looks[np.argmax(size, axis=1)] - np.pi
    c, s = np.cos(origin)[:, None, None], np.sin(origin)[:, None, None]
    s0, s1, s2 = square[:, 0], square[:, 1] * c + square[:, 2] * s, square[:, 2] * c - square[:, 1] * s
    inverse, lost = _inverse(s0 - s1)
    companion = np.zeros((count, 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    companion[:, 12:, :12] = -inverse @ (s0 + s1)
    companion[:, 12:, 12:] = -inverse @ (2 * s2)
    values, vectors = np.linalg.eig(companion)
    angles = 2 * np.arctan(values)
    order = np.argsort(np.nan_to_num(np.abs(angles.imag), nan=np.inf), axis=1)[:, :MOST]
    angle = np.take_along_axis(angles.real, order, axis=1) + origin[:, None]
    vector = np.take_along_axis(np.moveaxis(vectors[:, :12], 1, 2), order[..., None], axis=1)
    # a null vector of a real root is real up to a factor: that which makes its largest entry 1
    largest = np.take_along_axis(vector, np.argmax(np.abs(vector), axis=2)[..., None], axis=2)
    return angle, (vector / largest).real, lost


def _inverse(matrix: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Inverses; where there is none, the identity, and True."""
    size = np.linalg.svd(matrix, compute_uv=False)
    lost = ~(size[:, -1] > RANK * size[:, 0])
    return np.linalg.inv(np.where(lost[:, None, None], np.eye(matrix.shape[-1]), matrix)), lost


def _ratios(vector: Array) -> tuple[Array, Array]:
    """x4 and x5 of vectors of the monomials x4^j x5^l, by the ratios of neighbours in least squares."""
    table = vector.reshape(*vector.shape[:-1], 4, 3)
    found = []
    for low, high in ((table[..., :-1, :], table[..., 1:, :]), (table[..., :-1], table[..., 1:])):
        found.append((low * high).sum(axis=(-1, -2)) / np.maximum((low * low).sum(axis=(-1, -2)), 1e-300))
    return found[0], found[1]
