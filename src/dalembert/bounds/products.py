"""The largest |sum_r y_r w_r| over factors y_r that are not free of each other: 1, squares and products of speeds.

A torque error is sum_j dD_j qdd_j + sum_jk dC_jk qd_j qd_k + dG. With x_j = qd_j / v_j between -1 and 1, the waves dG,
dC_jj v_j^2 and 2 dC_jk v_j v_k have the factors 1, x_j^2 and x_j x_k, and those of the accelerations free ones between
-1 and 1. With numbers g, c_j and p_jk for the waves at one position, what the first three come to is at most

    s g + sum_j max(0, s c_j) + max over x_j = -1, 1 of sum_j<k s p_jk x_j x_k                              (corners)
    max over x of s g + sum_j s c_j x_j^2 + sum_j<k s p_jk x_j x_k, + sum_(s c_j < 0, j not t) |c_j| / 4        (knots)

for the signs s = 1, -1 of the error, x_j being -1 or 1 where s c_j >= 0, else -1, 0 or 1, and x_t anything between, t
the number with the least s c_j: products of different numbers are affine in each of them, so that sums with squares
that bend upwards are largest at corners, and -x^2 <= 1/4 - |x|, which is affine between the knots -1, 0 and 1. The
lesser of the two counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .waves import Array

Single: TypeAlias = NDArray[np.float32]
Factor: TypeAlias = tuple[int, ...] | None
"""() is 1, (j, j) is x_j^2, (j, k) is x_j x_k; None is a number of its own between -1 and 1."""
MOST_SIGNED = 7
"""Most numbers x_j whose signs are told apart; what others are factors of counts with its magnitude."""
BLOCK = 2 ** (MOST_SIGNED - 1)
"""Corners in a table, the first one several times where there are fewer."""
LITTLE = 0.002
"""Squares below this part of the sum of magnitudes count as the corners have them, not as the knots."""


@lru_cache(maxsize=MOST_SIGNED + 1)
def _corners(count: int) -> Array:
    """x_j x_k for j < k at the corners of so many numbers; one of x and -x will do, which have the same products."""
    x = np.array(np.meshgrid(*((-1.0, 1.0),) * count, indexing="ij")).reshape(count, -1)[:, : 2 ** (count - 1)]
    x = np.concatenate([x, np.repeat(x[:, :1], BLOCK - x.shape[1], axis=1)], axis=1)
    return np.array([x[j] * x[k] for j, k in combinations(range(count), 2)]).reshape(-1, BLOCK)


@dataclass(frozen=True, eq=False)
class SpeedProducts:
    """Which factors waves have: of wave w a part ``fixed[w]`` has the factor 1, a part ``free[w]`` a free one, and for
    each term, the pairs of ``speeds`` numbers and then their squares, a part ``weight`` of the wave ``lane``.

    The magnitudes of the parts of a wave add up to one.
    """

    speeds: int
    free: Array
    fixed: Array
    lane: NDArray[np.int32]
    weight: Array

    @property
    def pairs(self) -> int:
        """Number of terms that are products of two different numbers."""
        return self.speeds * (self.speeds - 1) // 2

    @property
    def corners(self) -> Array:
        """The factors of the pairs at all corners (pairs, corners)."""
        return _corners(self.speeds)

    def largest(self, values: Array | Single, enough: Array | float = -np.inf) -> tuple[Array, Array]:
        """Bounds of |sum_r y_r w_r| over all factors, and what is attained, for values (points, waves) of the waves:
        at rest, at the corners, and at the knots where these are looked at. Where the corners show no more than
        ``enough``, they will do.
        """
        values = np.asarray(values, np.float64)
        free, g, terms = np.abs(values) @ self.free, values @ self.fixed, values[:, self.lane] * self.weight
        squares, sums = terms[:, self.pairs :], terms[:, : self.pairs] @ self.corners
        above, below = np.maximum(squares, 0).sum(axis=1), np.maximum(-squares, 0).sum(axis=1)
        high, low, corner = sums.max(axis=1), sums.min(axis=1), g + above - below
        attained = free + np.maximum(np.abs(g), np.maximum(corner + high, -corner - low))
        up, down = g + above + high, below - g - low
        rows = np.flatnonzero(~(free + np.maximum(up, down) <= enough))
        if len(rows):
            little = LITTLE * np.abs(values[rows]).sum(axis=1)
            for s, side in ((1, up), (-1, down)):
                knots, over = self._at_knots(s * sums[rows], s * squares[rows], little)
                side[rows] = np.minimum(side[rows], s * g[rows] + knots)
                attained[rows] = np.maximum(attained[rows], free[rows] + s * g[rows] + knots - over)
        return free + np.maximum(up, down), attained

    def _at_knots(self, sums: Array, squares: Array, little: Array) -> tuple[Array, Array]:
        """Bounds of the largest sum of products and squares, from those of products at the corners (points, corners):
        at zero a sum is the mean of those at -1 and 1. And by how much they may be more than what is attained: at the
        knots themselves squares are what they are.
        """
        m = self.speeds
        bent = np.where(squares <= -little[:, None], np.minimum(squares, 0.0), 0.0)
        half = sums[:, : 2 ** (m - 1)]
        # of the first number only -1 is there: x and -x have the same products
        by_signs = np.concatenate([half, half[:, ::-1]], axis=1).reshape(-1, *(2,) * m)
        top, largest = bent.argmin(axis=1), np.zeros(len(sums))
        added = (bent.min(axis=1) - bent.sum(axis=1)) / 4
        for t in np.unique(top).tolist():
            rows = np.flatnonzero(top == t)
            at = np.moveaxis(by_signs[rows], 1 + t, 1)
            other_squares = np.delete(bent[rows], t, axis=1)
            for number in range(m - 1):
                low, high = np.moveaxis(at, 2 + number, 0)
                c = other_squares[:, number].reshape(-1, *(1,) * (m - 1))
                at = np.stack([low + c, high + c, (low + high) / 2], axis=2 + number)
            low, high = np.moveaxis(at.reshape(len(rows), 2, -1), 1, 0)
            c, mean, slope = -bent[rows, t][:, None], (low + high) / 2, np.abs(high - low) / 2
            with np.errstate(divide="ignore", invalid="ignore"):
                tops = mean + np.where(slope < 2 * c, slope * slope / (4 * c), slope - c)
            largest[rows] = tops.max(axis=1)
        left_out = (bent - np.minimum(squares, 0.0)).sum(axis=1)
        return np.asarray(largest + np.maximum(squares, 0).sum(axis=1) + added), added + left_out


def products(parts: Sequence[Sequence[tuple[Factor, float]]], sizes: Array) -> SpeedProducts | None:
    """The factors of waves, each with the factors of its ``parts`` and how much of the wave these are; None where all
    are free of each other. ``sizes`` are the largest values of the waves.
    """
    owners: dict[tuple[int, ...], list[tuple[int, float]]] = {}
    free, fixed, shares = np.zeros(len(parts)), np.zeros(len(parts)), dict[int, float]()
    for wave, factors in enumerate(parts):
        for factor, amount in factors:
            if factor is None:
                free[wave] += abs(amount)
            elif not factor:
                fixed[wave] += amount
            else:
                owners.setdefault(tuple(sorted(factor)), []).append((wave, amount))
                for j in factor:
                    shares[j] = shares.get(j, 0.0) + abs(amount) * float(sizes[wave])
    if not owners or (len(owners) == 1 and not fixed.any()):
        return None
    chosen = sorted(sorted(shares, key=lambda j: -shares[j])[:MOST_SIGNED])
    terms = [*combinations(chosen, 2), *((j, j) for j in chosen)]
    lane, weight = np.zeros(len(terms), np.int32), np.zeros(len(terms))
    for term, pairs in owners.items():
        # what is not told apart, or a second wave with the same factor, counts with its magnitude
        for number, (wave, amount) in enumerate(pairs):
            if number or term not in terms:
                free[wave] += abs(amount)
            else:
                lane[terms.index(term)], weight[terms.index(term)] = wave, amount
    return SpeedProducts(len(chosen), free, fixed, lane, weight)
