"""The Bernstein form of a wave on a box: control values whose least and greatest enclose the function.

On an arc of half-width d about t = 0 let A = sin((d - t)/2), B = sin((d + t)/2). Both are positive inside, and

    1 = (A^2 + 2 cos(d) AB + B^2) / sin(d)^2,    exp(it) = (e^(-id) A^2 + 2 AB + e^(id) B^2) / sin(d)^2,

so every trigonometric polynomial of degree n is a form of degree 2n in A and B, and an average of its control values
with positive weights that add up to one (Peña 1997, "Shape preserving representations for trigonometric polynomial
curves", for the basis). On a part of a straight line the same holds with the Bernstein polynomials. Control values at
the ends are values of the function; the others are off by its bend on the box, second order in its width, and over
several joints by the bend along each joint alone: what is linear in every joint is enclosed exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import ceil, comb, cos, pi, prod, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .waves import UNIT, Array, Complex, Wave, monomials

WIDEST = 2 * pi / 3
"""The widest arc; weights stay positive below a half turn, and control values near the function well below it."""
NARROW = 9
"""Entries after an axis up to which a matrix on it is applied as a larger one."""
EYES = [np.eye(size) for size in range(NARROW + 1)]


@cache
def arc_weights(degree: int, half: float) -> Array:
    """The form of degree 2n of the constant one, but for the factor sin(d)^-2n."""
    found: Array = np.ones(1)
    for _ in range(degree):
        found = np.convolve(found, [1.0, 2 * cos(half), 1.0])
    return found


def arc(degree: int, centre: float, half: float) -> Complex:
    """Control values (rows) of exp(ikx) for k = -n .. n (columns) on an arc."""
    one, turn = np.array([1.0, 2 * cos(half), 1.0]), np.array([np.exp(-1j * half), 2.0, np.exp(1j * half)])
    found = np.zeros((2 * degree + 1, 2 * degree + 1), np.complex128)
    for k in range(-degree, degree + 1):
        form: Complex = np.ones(1, np.complex128)
        for place in range(degree):
            form = np.convolve(form, one if place >= abs(k) else turn if k > 0 else np.conj(turn))
        found[:, k + degree] = form / arc_weights(degree, half) * np.exp(1j * k * centre)
    return found


@cache
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
    # Rows are averages: what rounding takes from their sum is given back.
    left /= left.sum(axis=1, keepdims=True)
    return left, left[::-1, ::-1].copy()


def line(degree: int, low: float, high: float) -> Array:
    """Control values (rows) of x^e for e = 0 .. n (columns) between two positions."""
    found = np.zeros((degree + 1, degree + 1))
    for e in range(degree + 1):
        form: Array = np.ones(1)
        for place in range(degree):
            form = np.convolve(form, [low, high] if place < e else [1.0, 1.0])
        found[:, e] = form / [comb(degree, i) for i in range(degree + 1)]
    return found


@cache
def line_halves(degree: int) -> tuple[Array, Array]:
    """The same for a straight line (de Casteljau)."""
    left = np.array([[comb(i, j) / 2**i if j <= i else 0.0 for j in range(degree + 1)] for i in range(degree + 1)])
    return left, left[::-1, ::-1].copy()


@cache
def elevation(low: int, high: int, half: float | None) -> Array:
    """Control values of degree ``high`` from those of degree ``low``, on an arc of this half-width or on a line (None).

    A form in A and B goes up by a product with the form of the constant one.
    """
    if half is None:
        weights = [np.array([float(comb(n, i)) for i in range(n + 1)]) for n in (low, high, high - low)]
    else:
        weights = [arc_weights(n, half) for n in (low, high, high - low)]
    below, above, more = weights
    found = np.zeros((len(above), len(below)))
    for i, weight in enumerate(below):
        found[i : i + len(more), i] = weight * more
    return found / above[:, None]


def along(net: NDArray[Any], matrix: NDArray[Any], axis: int) -> NDArray[Any]:
    """A matrix applied to the axis after the first and ``axis`` more."""
    if net.dtype.kind == "c" and matrix.dtype.kind != "c":
        parts = along(np.ascontiguousarray(net).view(net.real.dtype).reshape(*net.shape, 2), matrix, axis)
        return np.ascontiguousarray(parts).view(net.dtype)[..., 0]
    shape = net.shape
    rows = net.reshape(prod(shape[: axis + 1]), shape[axis + 1], -1)
    if rows.shape[2] <= NARROW:
        # Many small products take long; with the identity on what comes after they are one large product.
        size = rows.shape[2]
        wide = (matrix.T[:, None, :, None] * EYES[size][:, None, :]).reshape(matrix.shape[1] * size, -1)
        made = rows.reshape(len(rows), -1) @ wide
    else:
        made = np.matmul(matrix, rows)
    return np.asarray(made.reshape(*shape[: axis + 1], len(matrix), *shape[axis + 2 :]))


def degree(wave: Wave, joint: int) -> int:
    """The highest multiple or power of a joint's position."""
    return int(max(np.abs(wave.k[:, joint]).max(initial=0), wave.p[:, joint].max(initial=0)))


class Form:
    """One wave over the joints of a box, ready to be put into Bernstein form on any part of it."""

    def __init__(self, wave: Wave, box: Box, joints: Sequence[int]) -> None:
        self.wave, self.joints = wave, tuple(joints)
        self.slides = [bool(wave.p[:, j].any()) for j in joints]
        self.degrees = [degree(wave, j) for j in joints]
        self.shape = [n + 1 if slide else 2 * n + 1 for n, slide in zip(self.degrees, self.slides, strict=True)]
        self.size = prod(self.shape)
        self.rounding = self._rounding(box)

    def fourier(self) -> Complex:
        """The coefficients of exp(ik.x) and of powers as one dense block (waves of joint 1, of joint 2, ...)."""
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

    def basis(self, place: int, low: float, high: float) -> Array | Complex:
        """The matrix that takes one joint from waves or powers to control values between two positions."""
        n = self.degrees[place]
        return line(n, low, high) if self.slides[place] else arc(n, (low + high) / 2, (high - low) / 2)

    def halves(self, place: int, half: float) -> tuple[Array, Array] | None:
        """The matrices that halve a box across one joint; None where the wave does not depend on it."""
        n = self.degrees[place]
        if not n:
            return None
        return line_halves(n) if self.slides[place] else arc_halves(n, half)

    def _rounding(self, box: Box) -> float:
        """What rounding can change in any control value: of the coefficients, of the sums that make the first control
        values, and of at most forty halvings of each joint, all of them averages.
        """
        wave = self.wave
        weight = wave.size * monomials(box.reach[None], wave.p)[0] if len(wave) else np.zeros(0)
        for place, j in enumerate(self.joints):
            if not self.slides[place] and self.degrees[place]:
                widest = WIDEST / 2 if box.circle[j] else min(WIDEST / 2, box.half[j])
                weight = weight * np.cos(widest) ** -np.abs(wave.k[:, j]).astype(float)
        turned = float((np.abs(wave.k) @ np.where(wave.p.any(axis=0), 0.0, box.reach)).max(initial=0.0))
        steps = len(wave) + 32 * (2 + turned) + 48 * sum(s + 4 for s in self.shape)
        slide = float(np.prod(np.maximum(1.0, box.reach) ** wave.p.max(axis=0, initial=0)))
        return wave.slack * slide + UNIT * steps * float(weight.sum())


def pieces(box: Box, joint: int, slides: bool) -> list[tuple[float, float]]:
    """The range of a joint in equal parts, none wider than ``WIDEST`` where it turns."""
    low, high = float(box.lower[joint]), float(box.upper[joint])
    count = 1 if slides else max(1, ceil((high - low) / WIDEST - 1e-9))
    ends = np.linspace(low, high, count + 1)
    return [(float(a), float(b)) for a, b in pairwise(ends)]
