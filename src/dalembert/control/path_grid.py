"""Places along a path at which limits hold: finer where the speed grows as a root, and where shafts turn back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..systems.protocol import System
from .trajectories import Polynomials

Array = NDArray[np.float64]
GROWTH = 1.15
"""Places at the ends are closer together, where the speed grows as a root, or the path itself begins slowly."""
BISECTIONS = 20
"""Halvings of a step in which a shaft turns back."""
RESTS = 1e-9
"""The share of its largest speed below which a shaft rests."""


def path_samples(path: Polynomials, samples: int) -> Array:
    """Knots of the path and places between them, about evenly; finer where it begins, ends or stands still."""
    span = path.times[-1] - path.times[0]
    pieces = [path.times[:1]]
    for a, b in zip(path.times[:-1], path.times[1:], strict=True):
        count = max(int(np.ceil(samples * (b - a) / span)), 1)
        pieces.append(np.linspace(a, b, count + 1)[1:])
    s = np.concatenate(pieces)
    # away from there each place is a fixed share further than the one before, until the even spacing is finer: the
    # speed along the path grows as a root, or from endless values where the path itself goes slowly
    even = span / samples
    near = even * 1e-3 * GROWTH ** np.arange(1000)
    near = near[(near * (1 - 1 / GROWTH) < even) & (near < span / 2)]
    slow = (path.times[0], *standing_knots(path), path.times[-1])
    s = np.unique(np.concatenate([s, *(knot + sign * near for knot in slow for sign in (1, -1))]))
    return s[(s >= path.times[0]) & (s <= path.times[-1])]


def with_reversals(system: System, path: Polynomials, s: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The places, and one close on each side of where a shaft with dry friction turns back; where torques jump so."""
    if not system.contacts:
        return s, np.zeros(len(s) - 1, dtype=bool)

    def speeds(samples: Array) -> Array:
        q, slope = path.derivative(samples, 0), path.derivative(samples, 1)
        return np.asarray(np.einsum("kcj,kj->kc", system.contact_rows(q), slope))

    v = speeds(s)
    v[np.abs(v) <= RESTS * np.abs(v).max(axis=0)] = 0.0
    step, shaft = np.nonzero(v[:-1] * v[1:] < 0)
    low, high = s[step], s[step + 1]
    begins = np.sign(v[step, shaft])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        ahead = np.sign(speeds(middle)[np.arange(len(step)), shaft]) == begins
        low, high = np.where(ahead, middle, low), np.where(ahead, high, middle)
    refined = np.unique(np.concatenate([s, low, high]))
    return refined, np.isin(refined[:-1], low) & np.isin(refined[1:], high)


def standing_knots(path: Polynomials) -> Array:
    """Inner knots at which no joint moves."""
    inner = path.times[1:-1]
    between = np.abs(path.derivative(0.5 * (path.times[1:] + path.times[:-1]), 1)).max()
    return np.asarray(inner[np.abs(path.derivative(inner, 1)).max(axis=1, initial=0.0) <= 1e-9 * between])
