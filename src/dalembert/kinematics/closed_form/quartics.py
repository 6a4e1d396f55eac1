"""Real roots where elimination leaves one equation of fourth degree in the half tangent of an angle, over floats.

The equation g(x) = 0 is known by its values alone. In the angle x of a joint that turns it is a trigonometric
polynomial of degree two, five values of which give its five coefficients; of one that slides, g (1 + x^2)^-2 is that in
2 atan x. Half tangents are taken about the angle opposite to where |g| is largest, so that none is at infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...rings.ring import Scalar
from .subproblems import JointAxis, Value

Array = NDArray[np.float64]
SAMPLES = 2 * np.pi * np.arange(5) / 5 + 0.3
_COLUMNS = [np.ones(5), np.cos(SAMPLES), np.sin(SAMPLES), np.cos(2 * SAMPLES), np.sin(2 * SAMPLES)]
FIT = np.linalg.inv(np.stack(_COLUMNS, axis=1))
LOOKS = 16
VANISHES = 1e-11
"""An equation whose terms are all below this says nothing."""


def roots(axis: JointAxis, g: Callable[[Value], Scalar]) -> list[tuple[Value, Scalar]]:
    """Four values of the joint: the real parts of the roots, whether they are real or not; 1 where any value is one."""
    if axis.revolute:
        angles, free = _angles([g((float(np.sin(x)), float(np.cos(x)))) for x in SAMPLES])
        return [((np.sin(x), np.cos(x)), free) for x in angles]
    angles, free = _angles([g((float(np.tan(x / 2)), 1)) * float(np.cos(x / 2)) ** 4 for x in SAMPLES])
    return [((np.tan(x / 2), 1), free) for x in angles]


def _angles(values: list[Any]) -> tuple[list[Array], Array]:
    """Angles at which a0 + a1 cos x + b1 sin x + a2 cos 2x + b2 sin 2x vanishes, from its values at ``SAMPLES``.

    Real parts of the four roots in the half tangent, eigenvalues of its companion matrix; and 1 where all terms vanish.
    """
    table = np.stack(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)), axis=-1)
    shape = table.shape[:-1]
    free = (np.abs(table).max(axis=-1, initial=0.0) < VANISHES).astype(float)
    a0, a1, b1, a2, b2 = (table.reshape(-1, 5) @ FIT.T).T
    looks = 2 * np.pi * np.arange(LOOKS) / LOOKS
    at_looks = a0 + sum(
        np.outer(np.cos(k * looks), a) + np.outer(np.sin(k * looks), b) for k, a, b in ((1, a1, b1), (2, a2, b2))
    )
    origin = looks[np.argmax(np.abs(at_looks), axis=0)] - np.pi
    c, s, cc, ss = np.cos(origin), np.sin(origin), np.cos(2 * origin), np.sin(2 * origin)
    a1, b1, a2, b2 = a1 * c + b1 * s, b1 * c - a1 * s, a2 * cc + b2 * ss, b2 * cc - a2 * ss
    lead = a0 - a1 + a2
    lead = np.where(lead == 0, 1.0, lead)
    coefficients = np.stack([2 * b1 - 4 * b2, 2 * a0 - 6 * a2, 2 * b1 + 4 * b2, a0 + a1 + a2], axis=-1) / lead[:, None]
    companion = np.zeros((len(coefficients), 4, 4))
    companion[:, 0, :] = -coefficients
    companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
    half = np.linalg.eigvals(companion).real
    angles = 2 * np.arctan(half) + origin[:, None]
    return [angles[:, k].reshape(shape) for k in range(4)], free
