"""A proof from values on a grid: for functions of many terms, where branch and bound would need too many boxes.

A trigonometric polynomial of degree N, known at M > 2 N evenly spaced points of the circle, obeys
max |f| <= max over the points |f| / cos(pi N / M) (Ehlich and Zeller 1964), and the same holds joint by joint. A
position x = c + h cos(phi) of a prismatic joint turns a polynomial into such a function of phi. On a part of the
circle, with points a distance 2 h apart and both ends among them, the largest value lies within h of a point at which
the slope vanishes, or on an end, so it exceeds the largest at a point by at most (N h)^2 / 2 times the largest value
on the whole circle (Bernstein's inequality).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .merge import merged
from .waves import UNIT, Wave

POINTS = 1_000_000
DENSITIES = (8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.6, 1.3)


def grid_bound(wave: Wave, box: Box, points: int = POINTS) -> tuple[float, NDArray[np.float64]]:
    """A proved bound on |f| over the box, and the grid point with the largest |f|."""
    if not wave.joints:
        return wave.most(box.reach), box.centre
    one = merged(wave, box)
    small = one.wave
    slides = np.asarray(wave.p.any(axis=0))
    everywhere, _ = _bound(small, Box(one.box.lower, one.box.upper, ~slides), points, 0.0)
    used = list(small.joints)
    if np.all((one.box.circle | slides)[used]):
        found, at = _bound(small, one.box, points, 0.0)
    else:
        found, at = _bound(small, one.box, points, everywhere)
    return min(found, everywhere), one.lifted(at)


def _bound(wave: Wave, box: Box, points: int, everywhere: float) -> tuple[float, NDArray[np.float64]]:
    joints = wave.joints
    degrees = [int(max(np.abs(wave.k[:, j]).max(), wave.p[:, j].max())) for j in joints]
    counts: list[int] = []
    for density in DENSITIES:
        counts = [max(3, math.ceil(2 * n * density) + 1) for n in degrees]
        if math.prod(counts) <= points:
            break
    factor, extra, axes, matrices = 1.0, 0.0, [], []
    for j, n, count in zip(joints, degrees, counts, strict=True):
        slides = bool(wave.p[:, j].any())
        if slides:
            phi = 2 * np.pi * np.arange(count // 2 + 1) / count
            x = (box.lower[j] + box.upper[j]) / 2 + (box.upper[j] - box.lower[j]) / 2 * np.cos(phi)
        elif box.circle[j]:
            x = 2 * np.pi * np.arange(count) / count - np.pi
        else:
            x = np.linspace(box.lower[j], box.upper[j], count)
        if slides or box.circle[j]:
            factor /= math.cos(math.pi * n / count) if count > 2 * n else 0.0
        else:
            extra += 0.5 * (n * (box.upper[j] - box.lower[j]) / (2 * (count - 1))) ** 2
        axes.append(x)
        powers = np.arange(n + 1) if slides else np.arange(-n, n + 1)
        matrices.append(x[:, None] ** powers if slides else np.exp(1j * x[:, None] * powers))
    shape = [m.shape[1] for m in matrices]
    dense = np.zeros(shape, np.complex128)
    index = tuple(
        wave.p[:, j] if wave.p[:, j].any() else wave.k[:, j] + n for j, n in zip(joints, degrees, strict=True)
    )
    np.add.at(dense, index, wave.c)
    for matrix in matrices:
        # The first axis goes, the new one comes last: after all of them the order is as before.
        dense = np.tensordot(dense, matrix, axes=([0], [1]))
    values = np.abs(dense.real)
    place = np.unravel_index(int(values.argmax()), values.shape)
    at = box.centre.copy()
    for j, x, a in zip(joints, axes, place, strict=True):
        at[j] = x[a]
    reach = np.where(wave.p.any(axis=0), box.reach, 1.0)
    moduli = float(wave.size @ np.prod(reach[None] ** wave.p, axis=1))
    slide = float(np.prod(np.maximum(1.0, reach) ** wave.p.max(axis=0)))
    rounding = wave.slack * slide + 64 * UNIT * (len(wave) + 64) * moduli
    return float(values.max() + rounding) * factor + extra * everywhere, at
