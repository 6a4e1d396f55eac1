"""The Bernstein form of a wave on a box: control values whose least and greatest enclose the function.

Control values are the Bernstein coefficients of the function. On an arc of half-width d about t = 0 let
A = sin((d - t)/2), B = sin((d + t)/2). Both are positive inside, and

    1 = (A^2 + 2 cos(d) AB + B^2) / sin(d)^2,    exp(it) = (e^(-id) A^2 + 2 AB + e^(id) B^2) / sin(d)^2,

so every trigonometric polynomial of degree n is a form of degree 2n in A and B, and an average of its control values
with positive weights that add up to one (Peña 1997 for this basis). On an interval of a prismatic position the same
holds with the Bernstein polynomials (Cargo and Shisha 1966, Farouki 2012). Control values at the ends are values of the
function; the others differ from it by its curvature on the box, which is of second order in the width (Garloff 1986).
Over several joints only the curvature along each joint alone counts: what is linear in every joint is enclosed exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, comb, cos, pi, prod, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .waves import OUTWARD, UNIT, Array, Complex, Wave, monomials

WIDEST = 2 * pi / 3
"""The widest arc (rad). The weights are positive up to half a turn; well below that the enclosure is also tight."""
NARROWEST = 1e-12
"""Half-width (rad or m) at which a joint is not subdivided any further."""
NARROW = 9
"""Up to this many trailing entries, ``along`` multiplies by one Kronecker product instead of many small matrices."""
EYES = [np.eye(size) for size in range(NARROW + 1)]
"""Identity matrices by size."""


KEPT = 4096
"""Matrices remembered of each kind."""


@lru_cache(maxsize=KEPT)
def arc_weights(degree: int, half: float) -> Array:
    """The Bernstein weights of degree 2n on an arc: the form of the constant one, without the factor sin(d)^-2n."""
    weights: Array = np.ones(1)
    for _ in range(degree):
        weights = np.convolve(weights, [1.0, 2 * cos(half), 1.0])
    return weights


@lru_cache(maxsize=KEPT)
def arc(degree: int, centre: float, half: float) -> Complex:
    """Control values (rows) of exp(ikx) for k = -n .. n (columns) on an arc."""
    constant_form, turn = np.array([1.0, 2 * cos(half), 1.0]), np.array([np.exp(-1j * half), 2.0, np.exp(1j * half)])
    values = np.zeros((2 * degree + 1, 2 * degree + 1), np.complex128)
    for k in range(-degree, degree + 1):
        form: Complex = np.ones(1, np.complex128)
        for factor in range(degree):
            form = np.convolve(form, constant_form if factor >= abs(k) else turn if k > 0 else np.conj(turn))
        values[:, k + degree] = form / arc_weights(degree, half) * np.exp(1j * k * centre)
    return values


@lru_cache(maxsize=KEPT)
def arc_halves(degree: int, half: float) -> tuple[Array, Array]:
    """Control values on the left and the right half of an arc from those on the whole of it.

    With A', B' of the left half, A = 2 cos(d/2) A' + B' and B = B'; the right half is its mirror image.
    """
    size = 2 * degree
    left = np.zeros((size + 1, size + 1))
    for i, weight in enumerate(arc_weights(degree, half)):
        for r in range(size - i + 1):
            left[i + r, i] = weight * comb(size - i, r) * (2 * cos(half / 2)) ** (size - i - r)
    left *= (sin(half / 2) / sin(half)) ** size / arc_weights(degree, half / 2)[:, None] if half > 0 else 1.0
    # Rows are convex combinations: normalising undoes what rounding changed in their sums.
    left /= left.sum(axis=1, keepdims=True)
    return left, left[::-1, ::-1].copy()


def line(degree: int, low: float, high: float) -> Array:
    """Control values (rows) of x^e for e = 0 .. n (columns) between two positions."""
    values = np.zeros((degree + 1, degree + 1))
    for e in range(degree + 1):
        form: Array = np.ones(1)
        for factor in range(degree):
            form = np.convolve(form, [low, high] if factor < e else [1.0, 1.0])
        values[:, e] = form / [comb(degree, i) for i in range(degree + 1)]
    return values


@lru_cache(maxsize=KEPT)
def line_halves(degree: int) -> tuple[Array, Array]:
    """The subdivision of ``arc_halves`` for an interval (de Casteljau's algorithm at the midpoint)."""
    left = np.array([[comb(i, j) / 2**i if j <= i else 0.0 for j in range(degree + 1)] for i in range(degree + 1)])
    return left, left[::-1, ::-1].copy()


@lru_cache(maxsize=KEPT)
def elevation(low: int, high: int, half: float | None) -> Array:
    """Degree elevation: control values of degree ``high`` from those of degree ``low``.

    ``half`` is the half-width of the arc, None on an interval. A form in A and B is raised by multiplying it with the
    form of the constant one (Farouki 2012 for polynomials).
    """
    if half is None:
        weights = [np.array([float(comb(n, i)) for i in range(n + 1)]) for n in (low, high, high - low)]
    else:
        weights = [arc_weights(n, half) for n in (low, high, high - low)]
    low_weights, high_weights, one_weights = weights
    matrix = np.zeros((len(high_weights), len(low_weights)))
    for i, weight in enumerate(low_weights):
        matrix[i : i + len(one_weights), i] = weight * one_weights
    return matrix / high_weights[:, None]


def along(net: NDArray[Any], matrix: NDArray[Any], axis: int) -> NDArray[Any]:
    """The matrix applied to the array axis ``axis + 1`` of the net."""
    if net.dtype.kind == "c" and matrix.dtype.kind != "c":
        real_pairs = along(np.ascontiguousarray(net).view(net.real.dtype).reshape(*net.shape, 2), matrix, axis)
        return np.ascontiguousarray(real_pairs).view(net.dtype)[..., 0]
    shape = net.shape
    rows = net.reshape(prod(shape[: axis + 1]), shape[axis + 1], -1)
    if rows.shape[2] <= NARROW:
        # Many small products are slow; the Kronecker product with an identity on the trailing axes makes them one.
        size = rows.shape[2]
        wide = (matrix.T[:, None, :, None] * EYES[size][:, None, :]).reshape(matrix.shape[1] * size, -1)
        product = rows.reshape(len(rows), -1) @ wide
    else:
        product = np.matmul(matrix, rows)
    return np.asarray(product.reshape(*shape[: axis + 1], len(matrix), *shape[axis + 2 :]))


def degree(wave: Wave, joint: int) -> int:
    """The degree of the wave in a joint: the highest multiple of its angle or power of its position."""
    return int(max(np.abs(wave.k[:, joint]).max(initial=0), wave.p[:, joint].max(initial=0)))


class BernsteinForm:
    """One wave over the joints of a box, from which its Bernstein form on any part of the box is computed."""

    def __init__(self, wave: Wave, box: Box, joints: Sequence[int]) -> None:
        self.wave, self.joints = wave, tuple(joints)
        self.slides = [bool(wave.p[:, j].any()) for j in joints]
        self.degrees = [degree(wave, j) for j in joints]
        self.shape = [n + 1 if slide else 2 * n + 1 for n, slide in zip(self.degrees, self.slides, strict=True)]
        self.size = prod(self.shape)
        self.rounding, self.per_halving = self._rounding(box)

    def fourier(self) -> Complex:
        """The coefficients of exp(ik.x) and of powers as one dense array, with one axis for each joint."""
        dense = np.zeros(self.shape, np.complex128)
        for sign, c in ((1, self.wave.c / 2), (-1, np.conj(self.wave.c) / 2)):
            index = tuple(
                self.wave.p[:, j] if slide else sign * self.wave.k[:, j] + n
                for j, n, slide in zip(self.joints, self.degrees, self.slides, strict=True)
            )
            if index:
                np.add.at(dense, index, c)
            else:
                dense += c.sum()
        return dense

    def basis(self, axis: int, centre: float, half: float) -> Array | Complex:
        """The change of basis along one joint, from exponentials or powers to control values on centre +- half."""
        n = self.degrees[axis]
        return line(n, centre - half, centre + half) if self.slides[axis] else arc(n, centre, half)

    def halves(self, axis: int, half: float) -> tuple[Array, Array] | None:
        """The subdivision matrices of one joint; None where the wave does not depend on it."""
        n = self.degrees[axis]
        if not n:
            return None
        return line_halves(n) if self.slides[axis] else arc_halves(n, half)

    def _rounding(self, box: Box) -> tuple[float, float]:
        """Bounds on the rounding error of a control value on the whole box, and on what each halving adds to it.

        docs/proofs.md derives both. The first covers the coefficients and the change of basis, the sums of which have
        Fourier coefficients and control values of all joints as terms. A halving is a convex combination with weights
        that are right to 18 degree + 16 units, so that errors add up and do not grow.
        """
        wave = self.wave
        weight = wave.size * monomials(box.reach[None], wave.p)[0] if len(wave) else np.zeros(0)
        for axis, j in enumerate(self.joints):
            if not self.slides[axis] and self.degrees[axis]:
                widest = WIDEST / 2 if box.circle[j] else min(WIDEST / 2, box.half[j])
                weight = weight * np.cos(widest) ** -np.abs(wave.k[:, j]).astype(float)
        angle = float((np.abs(wave.k) @ np.where(wave.p.any(axis=0), 0.0, box.reach)).max(initial=0.0))
        steps = 2 * len(wave) + 32 * (2 + angle) + 16 * sum(s + 4 for s in self.shape)
        most = self.unit = OUTWARD * UNIT * float(weight.sum())
        whole_box = wave.slack * wave.stretch(box.reach) + steps * most
        return OUTWARD * whole_box, 64 * (2 + max(self.degrees, default=0)) * most


@dataclass(frozen=True)
class Pieces:
    """The range of a joint in equal parts: their centres, and their half-width."""

    centres: tuple[float, ...]
    half: float

    def __len__(self) -> int:
        return len(self.centres)


def pieces(box: Box, joint: int, slides: bool) -> Pieces:
    """The range of a joint in equal parts, none wider than ``WIDEST`` for an angle."""
    low, high = float(box.lower[joint]), float(box.upper[joint])
    count = 1 if slides else max(1, ceil((high - low) / WIDEST - 1e-9))
    half = (high - low) / (2 * count)
    return Pieces(tuple(low + (2 * i + 1) * half for i in range(count)), half)
