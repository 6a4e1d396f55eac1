"""One joint of a closed loop of six that turn, by eigenvalues (Raghavan and Roth 1993; Manocha and Canny 1994).

The last joint leaves the direction l and a point p of its own axis where they are, so that

    e3 e4 e5 (l, p) = e2^-1 e1^-1 T' (l, p)

holds without it: six equations, and with them eight more, of p.p, p.l, p x l and (p.p) l - 2 (p.l) p. All fourteen are
linear in (1, cos, sin) of each joint. Seen as linear in the eight products of joints 1 and 2 they leave six equations
in joints 3, 4, 5. In half tangents these and their products with x4 are twelve in the twelve monomials x4^i x5^j,
i < 4, j < 3: a matrix that is quadratic in x3, which is singular at the solutions. Its eigenvalues are x3 (and, eight
times, the +-i that half tangents bring in), its null vectors give x4 and x5. Those of solutions that share x3 span a
space V; with V_low its rows without the highest power of x4 and V_high those without the lowest, V_low^+ V_high has the
eigenvalues x4 (the same for x5).

The coefficients are not expanded: a function that is linear in (1, cos, sin) is known by its values at three angles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MOST = 16
THIRDS = 2 * np.pi * np.arange(3) / 3
FIT = np.linalg.inv(np.stack([np.ones(3), np.cos(THIRDS), np.sin(THIRDS)], axis=1))
FIT_THREE = np.kron(FIT, np.kron(FIT, FIT))
HALF_TANGENTS = np.array([[1.0, 1, 0], [0, 0, 2], [1, -1, 0]])
"""Rows are powers of x = tan(angle / 2), columns 1, cos and sin times 1 + x^2."""
ORIGINS = (0.41, 1.13, 2.17)
"""Where the angles of joints 3, 4 and 5 are counted from: half tangents of solutions are then seldom at infinity."""
LOOKS = 8
REGULAR = 1e-9
"""A matrix whose singular values are farther apart than this is too near to singular for its eigenvalues to count."""
RANK, COMPLEX, MIX = 1e-6, 1e-3, 0.37
"""Singular values below the first are none; what is farther from real than the second is complex; x4 + MIX x5 tells
solutions that share x4, or x5, apart."""
TOGETHER = 1e-4
"""Angles (rad) closer than this are one eigenvalue."""


def turned(h: Array, angle: Array, v: Array) -> Array:
    """Directions ``(..., 3)`` after a turn by angles ``(...)`` about axes along ``h`` (Rodrigues)."""
    sin, cos = np.sin(angle)[..., None], np.cos(angle)[..., None]
    return np.asarray(cos * v + sin * np.cross(h, v) + (1 - cos) * (v * h).sum(-1, keepdims=True) * h)


@dataclass(frozen=True, eq=False)
class Axes:
    """Directions and points of the six axes ``(poses, 6, 3)``, which may differ from pose to pose."""

    direction: Array
    point: Array

    def spread(self, k: int, dims: int) -> tuple[Array, Array]:
        """Direction and point of an axis with so many dimensions between the poses and the components."""
        shape = (len(self.direction), *(1,) * dims, 3)
        return self.direction[:, k].reshape(shape), self.point[:, k].reshape(shape)

    def moved(self, k: int, angle: Array, lines: tuple[Array, Array]) -> tuple[Array, Array]:
        """Directions and points ``(poses, ..., 3)`` after the motion of a joint by angles ``(poses, ...)``."""
        h, p = self.spread(k, angle.ndim - 1)
        return turned(h, angle, lines[0]), turned(h, angle, lines[1] - p) + p


def fourteen(lines: tuple[Array, Array]) -> Array:
    """l, p, p.p, p.l, p x l and (p.p) l - 2 (p.l) p ``(..., 14)``."""
    direction, p = lines
    pp, pl = (p * p).sum(-1, keepdims=True), (p * direction).sum(-1, keepdims=True)
    combination = pp * direction - 2 * pl * p
    return np.concatenate([direction, p, pp, pl, np.cross(p, direction), combination], axis=-1)


@dataclass(frozen=True, eq=False)
class Eliminated:
    """Candidates ``(poses, 16, 6)`` of a loop; angles of joint 3 that any solution has, and how far each is from real.

    ``regular`` are the poses of which the eigenvalues are to be trusted.
    """

    q: Array
    angle: Array
    imaginary: Array
    regular: NDArray[np.bool_]


def eliminated(axes: Axes, turn: Array, shift: Array) -> Eliminated:
    """All candidates of e1 ... e6 = T' = (turn, shift)."""
    count = len(turn)
    left, right = _left(axes), _right(axes, turn, shift)
    products = right.reshape(count, 14, 9)[:, :, 1:]
    basis, _, _ = np.linalg.svd(products)
    equations = np.einsum("nfk,nfabc->nkabc", basis[:, :, 8:], left)
    equations[:, :, 0, 0, 0] -= np.einsum("nfk,nf->nk", basis[:, :, 8:], right[:, :, 0, 0])
    halves = np.einsum("nkabc,jb,lc->nkajl", equations, HALF_TANGENTS, HALF_TANGENTS)
    # rows: the six and their products with x4; columns: x4^j x5^l
    square = np.zeros((count, 3, 12, 12))
    square[:, :, :6, :9] = np.moveaxis(halves, 2, 1).reshape(count, 3, 6, 9)
    square[:, :, 6:, 3:] = square[:, :, :6, :9]
    angle, imaginary, vector, regular = _singular(square)
    x4, x5 = _ratios(vector)
    _shared(angle, imaginary, square, x4, x5)
    q = np.zeros((count, MOST, 6))
    q[..., 2] = angle + ORIGINS[0]
    q[..., 3], q[..., 4] = 2 * np.arctan(x4) + ORIGINS[1], 2 * np.arctan(x5) + ORIGINS[2]
    _remaining_joints(axes, q, turn, right)
    return Eliminated(q, q[..., 2].copy(), imaginary, regular)


def _left(axes: Axes) -> Array:
    """``(poses, 14, 3, 3, 3)``: the fourteen of e3 e4 e5 (l, p) by 1, cos, sin of joints 3, 4 and 5."""
    shape = (len(axes.point), 3, 3, 3)
    three, four, five = (THIRDS + origin for origin in ORIGINS)
    lines = axes.spread(5, 3)
    for k, angle in ((4, five), (3, four[:, None]), (2, three[:, None, None])):
        lines = axes.moved(k, np.broadcast_to(angle, shape), lines)
    fitted = fourteen(lines).reshape(len(axes.point), 27, 14)
    return np.moveaxis(FIT_THREE @ fitted, 1, 2).reshape(-1, 14, 3, 3, 3)


def _right(axes: Axes, turn: Array, shift: Array) -> Array:
    """``(poses, 14, 3, 3)``: the fourteen of e2^-1 e1^-1 T' (l, p) by 1, cos, sin of joints 1 and 2."""
    shape = (len(turn), 3, 3)
    moved = [np.einsum("nij,nj->ni", turn, x[:, 5]) for x in (axes.direction, axes.point)]
    lines = moved[0][:, None, None], (moved[1] + shift)[:, None, None]
    lines = axes.moved(0, np.broadcast_to(-THIRDS[:, None], shape), lines)
    lines = axes.moved(1, np.broadcast_to(-THIRDS, shape), lines)
    return np.einsum("nabf,ia,jb->nfij", fourteen(lines), FIT, FIT, optimize=True)


def _remaining_joints(axes: Axes, q: Array, turn: Array, right: Array) -> None:
    """Joints 1, 2 from the fourteen equations, which are linear in their products; joint 6 from what is left."""
    lines = axes.spread(5, 1)
    for k in (4, 3, 2):
        lines = axes.moved(k, q[..., k], lines)
    products = right.reshape(len(turn), 14, 9)
    difference = fourteen(lines) - products[:, None, :, 0]
    # columns of right: 1, c2, s2, c1, c1c2, c1s2, s1, s1c2, s1s2
    solved = np.einsum("nkf,njf->nkj", difference, np.linalg.pinv(products[:, :, 1:]))
    q[..., 0] = np.arctan2(solved[..., 5], solved[..., 2])
    q[..., 1] = np.arctan2(solved[..., 1], solved[..., 0])
    h6 = axes.direction[:, 5]
    spoke = np.cross(h6, np.eye(3)[np.argmin(np.abs(h6), axis=1)])
    spoke = spoke / np.linalg.norm(spoke, axis=1, keepdims=True)
    v = np.broadcast_to(np.einsum("nij,nj->ni", turn, spoke)[:, None], (*q.shape[:-1], 3))
    for k in range(5):
        v = turned(axes.spread(k, 1)[0], -q[..., k], v)
    q[..., 5] = np.arctan2((v * np.cross(h6, spoke)[:, None]).sum(-1), (v * spoke[:, None]).sum(-1))


def _singular(square: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Angles at which S0 + S1 cos + S2 sin is singular, the sixteen that are nearest to real, and its null vectors.

    With them how far they are from real, and for which the pencil is well away from being singular at every angle.
    """
    count = len(square)
    looks = 2 * np.pi * np.arange(LOOKS) / LOOKS
    basis = np.stack([np.ones(LOOKS), np.cos(looks), np.sin(looks)], axis=1)
    _, size = np.linalg.slogdet(np.einsum("la,naij->nlij", basis, square))
    # half tangents about the angle opposite to where it is farthest from singular: none is at infinity
    origin = looks[np.argmax(size, axis=1)] - np.pi
    c, s = np.cos(origin)[:, None, None], np.sin(origin)[:, None, None]
    s0, s1, s2 = square[:, 0], square[:, 1] * c + square[:, 2] * s, square[:, 2] * c - square[:, 1] * s
    inverse, regular = _inverse(s0 - s1)
    companion = np.zeros((count, 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    companion[:, 12:, :12] = -inverse @ (s0 + s1)
    companion[:, 12:, 12:] = -inverse @ (2 * s2)
    values, vectors = np.linalg.eig(companion)
    angles = 2 * np.arctan(values)
    order = np.argsort(np.nan_to_num(np.abs(angles.imag), nan=np.inf), axis=1)[:, :MOST]
    chosen = np.take_along_axis(angles, order, axis=1)
    vector = np.take_along_axis(np.moveaxis(vectors[:, :12], 1, 2), order[..., None], axis=1)
    # a null vector of a real root is real up to a factor: that which makes its largest entry 1
    largest = np.take_along_axis(vector, np.argmax(np.abs(vector), axis=2)[..., None], axis=2)
    return chosen.real + origin[:, None], np.abs(chosen.imag), (vector / largest).real, regular


def _inverse(matrix: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Inverses, and where they are good; elsewhere the identity if there is none."""
    size = np.linalg.svd(matrix, compute_uv=False)
    none = ~(size[:, -1] > 1e-3 * REGULAR * size[:, 0])
    inverse = np.linalg.inv(np.where(none[:, None, None], np.eye(matrix.shape[-1]), matrix))
    return inverse, np.asarray(size[:, -1] > REGULAR * size[:, 0])


def _ratios(vector: Array) -> tuple[Array, Array]:
    """x4 and x5 of vectors of the monomials x4^j x5^l, by the ratios of neighbours in least squares."""
    table = vector.reshape(*vector.shape[:-1], 4, 3)
    ratios = []
    for low, high in ((table[..., :-1, :], table[..., 1:, :]), (table[..., :-1], table[..., 1:])):
        ratios.append((low * high).sum(axis=(-1, -2)) / np.maximum((low * low).sum(axis=(-1, -2)), 1e-300))
    return ratios[0], ratios[1]


def _shared(angle: Array, imaginary: Array, square: Array, x4: Array, x5: Array) -> None:
    """x4 and x5 of solutions that share their x3, in place; those of them that are complex are far from real.

    Null vectors of real solutions lie in the space V of a cluster if no more of them are null, and are eigenvectors of
    V_low^+ V_high with real eigenvalues if V_low has full rank: then a complex eigenvalue belongs to no real solution.
    """
    difference = np.abs(np.remainder(angle[:, :, None] - angle[:, None, :] + np.pi, 2 * np.pi) - np.pi)
    real = imaginary < TOGETHER
    alike = (difference < TOGETHER) & real[:, :, None] & real[:, None, :]
    leading = np.argmax(alike, axis=2) == np.arange(MOST)
    for pose, k in np.argwhere(leading & (alike.sum(axis=2) > 1)):
        members = np.flatnonzero(alike[pose, k])
        size = len(members)
        centre = angle[pose, k] + np.remainder(angle[pose, members] - angle[pose, k] + np.pi, 2 * np.pi).mean() - np.pi
        matrix = square[pose, 0] + np.cos(centre) * square[pose, 1] + np.sin(centre) * square[pose, 2]
        _, worth, rows = np.linalg.svd(matrix)
        if size >= 9 or not np.isfinite(rows).all():
            continue
        space = rows[-size:].T.reshape(4, 3, size)
        pairs = ((space[:-1], space[1:]), (space[:, :-1], space[:, 1:]))
        halves = [(low.reshape(-1, size), high.reshape(-1, size)) for low, high in pairs]
        ranks = [np.linalg.svd(low, compute_uv=False)[-1] for low, _ in halves]
        four, five = (np.linalg.lstsq(low, high, rcond=None)[0] for low, high in halves)
        values, vectors = np.linalg.eig(four + MIX * five)
        null_vectors = (space.reshape(12, size) @ vectors).T
        null_vectors = null_vectors / null_vectors[np.arange(size), np.argmax(np.abs(null_vectors), axis=1)][:, None]
        x4[pose, members], x5[pose, members] = _ratios(null_vectors.real)
        if worth[-size - 1] > RANK * worth[0] and min(ranks) > RANK:
            away = np.abs(values.imag) > COMPLEX * (1 + np.abs(values) ** 2)
            imaginary[pose, members] = np.where(away, np.inf, imaginary[pose, members])
