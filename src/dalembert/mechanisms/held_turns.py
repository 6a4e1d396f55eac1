"""How far held turns are from closed, exact on the rotation group: zero for the one orientation that is meant, alone.

The equations of ``loop_closures`` are smooth, and no smooth equations on the rotation group have a single zero: three
products e_r . e_s' vanish at eight orientations, one of them meant. Rates and loads, which are asked at closed
configurations, take those equations; positions are found with the errors here, which have a crease half a turn away
and no other zero. Both have the same rows of [G^c] where the mechanism is closed.

R = R_A^T R_B is the orientation of B in the axes of A and omega the angular velocity of B against A, in those axes:

    three turns held   v = log R                                  v' = J(v)^-1 omega
    two turns held     v = k(c) e x u,  u = R e,  c = e . u       the shortest turn from e to u, k = arccos(c)/sin
    one turn held      psi = atan2(e_r . e_s', e_s . e_s')        where B can turn about that axis of A alone
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .batch import Array
from .jets import cross


def three_turns(turn: Array, spin: Array) -> tuple[Array, Array]:
    """log R ``(b, 3)`` and its slopes ``(b, 3, w)``, ``spin`` ``(b, 3, w)`` being omega per joint rate.

    J(v)^-1 = 1 - [v]/2 + (1 - (a/2) cot(a/2)) [v]^2/a^2, a = |v|, the inverse of the left Jacobian of the group.
    """
    v = Rotation.from_matrix(turn).as_rotvec().reshape(-1, 3)
    half = np.linalg.norm(v, axis=1) / 2
    small = half < 1e-3  # the series; the quotient loses its digits there
    safe = np.where(small, 1.0, half)
    factor = np.where(small, (1 + half**2 / 15) / 12, (1 - safe / np.tan(safe)) / (4 * safe**2))
    once = cross(v[:, None], np.swapaxes(spin, 1, 2))
    twice = cross(v[:, None], once)
    return v, spin - np.swapaxes(once, 1, 2) / 2 + factor[:, None, None] * np.swapaxes(twice, 1, 2)


def two_turns(turn: Array, spin: Array, free: int) -> tuple[Array, Array]:
    """The shortest turn from axis ``free`` of A to that of B, ``(b, 3)``, and its slopes ``(b, 3, w)``.

    dk/dc = (c k - 1)/(1 - c^2). Where the axes oppose each other every turn of half a circle is the shortest; one
    about the next axis is taken.
    """
    axis = np.eye(3)[free]
    u = turn[:, :, free]
    lever, c = cross(axis, u), u[:, free]
    sine = np.linalg.norm(lever, axis=1)
    opposed = (sine < 1e-9) & (c < 0)
    small = sine < 1e-4
    square = np.where(small, 1.0, sine) ** 2
    k = np.where(small & (c > 0), 1 + sine**2 / 6, np.arctan2(sine, c) / np.maximum(sine, 1e-9))
    bend = np.where(small & (c > 0), -1 / 3 - sine**2 / 15, (c * k - 1) / square)
    moved = cross(np.swapaxes(spin, 1, 2), u[:, None])  # u' per joint rate, (b, w, 3)
    slope = k[:, None, None] * cross(axis, moved) + (bend[:, None] * moved[..., free])[..., None] * lever[:, None]
    value = k[:, None] * lever
    value[opposed] = np.pi * np.eye(3)[(free + 1) % 3]
    slope[opposed] = np.swapaxes(spin, 1, 2)[opposed]
    return value, np.swapaxes(slope, 1, 2)


def one_turn(turn: Array, spin: Array, axis: int) -> tuple[Array, Array]:
    """psi ``(b, 1)`` about ``axis`` of A, the only one about which B can turn, and its slopes ``(b, 1, w)``."""
    r, s = (axis + 2) % 3, (axis + 1) % 3
    return np.arctan2(turn[:, r, s], turn[:, s, s])[:, None], spin[:, axis : axis + 1]
