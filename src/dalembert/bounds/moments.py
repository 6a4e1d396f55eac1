"""Exact mean and mean square of a function over a box, for uniformly distributed positions.

Over whole turns Parseval's theorem holds: the mean square is the sum of |c_m|^2 / 2. Over a part of the circle waves
are not orthogonal: the mean of exp(i k x) over [-h, h] is sin(k h)/(k h), and the sum runs over all pairs of terms.
Where a function is small beside its coefficients, which nearly cancel over a small box, that sum has lost its digits:
there the squares of values at the points of Gauss are added up, which are as good as the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb

import numpy as np

from .box import Box
from .waves import Array, Complex, Wave, Whole

CANCELLED, MOST_POINTS = 1e-6, 500_000
"""Mean square, as a share of the squared sum of coefficients, below which sums of pairs have lost digits, and how many
points at most have values taken instead."""


def mean(wave: Wave, box: Box) -> float:
    """The mean of the function over the box."""
    if not len(wave):
        return 0.0
    return float((wave.c * _averages(wave.k, wave.p, box)).real.sum())


def mean_square(wave: Wave, box: Box) -> float:
    """The mean of the square of the function over the box: conj(F) . (S_1 x S_2 x ...) F, one S for each joint."""
    if not len(wave):
        return 0.0
    joints = wave.joints
    if not joints:
        return float(np.square(wave.c.real.sum()))
    slides = [bool(wave.p[:, j].any()) for j in joints]
    degrees = [int(max(np.abs(wave.k[:, j]).max(), wave.p[:, j].max())) for j in joints]
    shape = [n + 1 if slide else 2 * n + 1 for n, slide in zip(degrees, slides, strict=True)]
    dense = np.zeros(shape, np.complex128)
    for sign, c in ((1, wave.c / 2), (-1, np.conj(wave.c) / 2)):
        index = tuple(
            wave.p[:, j] if slide else sign * wave.k[:, j] + n
            for j, n, slide in zip(joints, degrees, slides, strict=True)
        )
        np.add.at(dense, index, c)
    summed: Complex = dense
    for j, n, slide in zip(joints, degrees, slides, strict=True):
        # The contraction removes the first axis and appends the new one: after all joints the order is restored.
        summed = np.tensordot(summed, _gram(n, slide, box, j), axes=([0], [0]))
    total, size = float((summed * np.conj(dense)).real.sum()), float(np.abs(dense).sum())
    if total < CANCELLED * size * size:
        rules = [_points(n, slide, box, j) for j, n, slide in zip(joints, degrees, slides, strict=True)]
        if np.prod([len(x) for x, _ in rules]) <= MOST_POINTS:
            tables = [_basis(n, slide, x) for n, slide, (x, _) in zip(degrees, slides, rules, strict=True)]
            return _sampled(dense, tables, [weight for _, weight in rules])
    return max(total, 0.0)


def _sampled(dense: Complex, tables: Sequence[Complex], weights: Sequence[Array]) -> float:
    """The mean square from values at all combinations of the points of each joint, its basis functions in a table."""
    values, axes = dense, ([0], [0])
    for table in tables:
        values = np.tensordot(values, table, axes=axes)
    squares: Array = np.square(values.real)
    for weight in weights:
        squares = np.tensordot(squares, weight, axes=axes)
    return float(squares)


def _points(n: int, slide: bool, box: Box, j: int) -> tuple[Array, Array]:
    """Points and weights (of sum one) that give the mean of a square of this degree: all digits of it over small boxes.

    Gauss and Legendre with m points are right for polynomials of degree 2 m - 1, and for cos(2 n x) over +- h once m is
    well above n h.
    """
    if box.circle[j] and not slide:
        count = 2 * n + 1
        return np.linspace(0, 2 * np.pi, count, endpoint=False), np.full(count, 1 / count)
    x, w = np.polynomial.legendre.leggauss(n + 1 if slide else int(np.ceil(2 * n * box.half[j])) + 8)
    return np.asarray(box.centre[j] + box.half[j] * x, np.float64), np.asarray(w / 2, np.float64)


def _basis(n: int, slide: bool, x: Array) -> Complex:
    """The powers of a sliding position, or exp(i k x) for k from -n to n, in rows, at the points x."""
    row = np.arange(0 if slide else -n, n + 1)[:, None]
    return np.asarray(x**row if slide else np.exp(1j * row * x), np.complex128)


def _gram(n: int, slide: bool, box: Box, j: int) -> Complex:
    """The Gram matrix of one joint: means of products of two powers, or of exp(i k x) with a conjugate."""
    row = np.arange(n + 1) if slide else np.arange(-n, n + 1)
    pairs = (row[:, None] + row[None] if slide else row[:, None] - row[None]).reshape(-1)
    k = np.zeros((len(pairs), len(box.lower)), np.int64)
    p = k.copy()
    (p if slide else k)[:, j] = pairs
    return _averages(k, p, box).reshape(len(row), len(row))


def rms(wave: Wave, box: Box) -> float:
    """The root of the mean square over the box; scaled by a power of two, so that no square is out of range."""
    exponent = exponent_of([wave])
    return float(np.ldexp(np.sqrt(mean_square(wave.scaled(-exponent), box)), exponent))


def exponent_of(waves: Iterable[Wave]) -> int:
    """The power of two of the largest coefficient."""
    return int(np.frexp(max((float(wave.size.max(initial=0.0)) for wave in waves), default=0.0))[1])


def _averages(k: Whole, p: Whole, box: Box) -> Complex:
    """The mean of exp(i k.x) prod x^p over the box, term by term."""
    means = np.ones(len(k), np.complex128)
    for j in range(k.shape[1]):
        if box.circle[j]:
            means *= k[:, j] == 0
        elif k[:, j].any():
            means *= np.sinc(k[:, j] * box.half[j] / np.pi) * np.exp(1j * k[:, j] * box.centre[j])
        if p[:, j].any():
            means *= np.array([_power(int(e), box.centre[j], box.half[j]) for e in range(p[:, j].max() + 1)])[p[:, j]]
    return means


def _power(e: int, centre: float, half: float) -> float:
    """The mean of x^e over centre +- half: odd powers of the distance from the centre have none."""
    return float(sum(comb(e, j) * centre ** (e - j) * half**j / (j + 1) for j in range(0, e + 1, 2)))
