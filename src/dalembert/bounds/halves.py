"""Values and slopes of long waves at many positions: the joints in two halves, tables of each, one matrix product.

    f(x) = Re sum_m c_m exp(i k_m . x) prod_j x_j^p_mj = Re sum_ab A_a(x) C_ab B_b(x),

A_a and B_b being the distinct products of the factors of the first and of the second half of the joints. They are few
where the terms are many, and C is then nearly full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]
Whole: TypeAlias = NDArray[np.int64]
Number = TypeVar("Number", np.float64, np.complex128)
MOST_PRODUCTS = 4
"""Products of all factors of one half, for each term of the wave, up to which tables are worth it."""
SPARSEST = 8
"""Entries of C for each term up to which the matrix product is worth it."""
AT_ONCE = 256
"""Positions at once, so that tables stay in the cache."""
QUIET = 40_000
"""Multiplications of one matrix product that a linear algebra library does without waking its threads, which would take
far longer than the product."""


@dataclass(frozen=True, eq=False)
class Factors:
    """exp(i k x) x^p of one joint for all pairs (k, p) that occur."""

    joint: int
    k: Whole
    p: Whole

    def values(self, q: Array) -> Complex:
        """At positions (N, n) of all joints: (N, pairs)."""
        x = q[:, self.joint, None]
        turned = np.exp(1j * x * self.k)
        return turned * x**self.p if self.slides else turned

    def slopes(self, q: Array) -> Complex:
        """Their derivatives."""
        x = q[:, self.joint, None]
        return np.asarray(np.exp(1j * x * self.k) * (1j * self.k * x**self.p + self.p * x ** np.maximum(self.p - 1, 0)))

    @property
    def slides(self) -> bool:
        """Whether powers of the position occur."""
        return bool(self.p.any())


@dataclass(frozen=True, eq=False)
class Half:
    """The distinct products of the factors of some joints: those at ``places`` in the table of all products.

    ``k`` (products, joints) are their frequencies.
    """

    factors: tuple[Factors, ...]
    places: Whole
    k: Array

    def table(self, values: list[Complex], count: int) -> Complex:
        """The products at ``count`` positions of the ``values`` of each factor: (N, products)."""
        table: Complex = np.ones((count, 1), np.complex128)
        for one in values:
            table = (table[:, :, None] * one[:, None, :]).reshape(count, -1)
        return table[:, self.places]


@dataclass(frozen=True, eq=False)
class Halves:
    """A wave as Re sum_ab A_a C_ab B_b."""

    first: Half
    second: Half
    c: Complex

    def values(self, q: Array) -> Array:
        """Values at positions (N, n)."""
        out = np.empty(len(q))
        for rows in parts(len(q)):
            part = q[rows]
            a, b = (half.table([one.values(part) for one in half.factors], len(part)) for half in self._both)
            out[rows] = np.einsum("na,na->n", product(a, self.c), b).real
        return out

    def gradients(self, q: Array) -> tuple[Array, Array]:
        """Values (N,) and gradients (N, n) at positions (N, n)."""
        values, slopes = np.empty(len(q)), np.empty(q.shape)
        for rows in parts(len(q)):
            values[rows], slopes[rows] = self._gradients(q[rows])
        return values, slopes

    def _gradients(self, q: Array) -> tuple[Array, Array]:
        factors = [[one.values(q) for one in half.factors] for half in self._both]
        a, b = (half.table(values, len(q)) for half, values in zip(self._both, factors, strict=True))
        rests = product(b, self.c.T), product(a, self.c)
        slopes = np.zeros(q.shape)
        for half, table, rest, values in zip(self._both, (a, b), rests, factors, strict=True):
            turned = -product((table * rest).imag, half.k)
            for at, one in enumerate(half.factors):
                if one.slides:
                    bent = half.table([*values[:at], one.slopes(q), *values[at + 1 :]], len(q))
                    turned[:, at] = np.einsum("na,na->n", bent, rest).real
                slopes[:, one.joint] = turned[:, at]
        return np.einsum("na,na->n", rests[1], b).real, slopes

    @property
    def _both(self) -> tuple[Half, Half]:
        return self.first, self.second


def parts(count: int) -> Iterator[slice]:
    """So many positions, as many as are looked at together."""
    return (slice(start, start + AT_ONCE) for start in range(0, count, AT_ONCE))


def product(rows: NDArray[Number], matrix: NDArray[Number]) -> NDArray[Number]:
    """The matrix product, a few rows at a time."""
    few = max(2, QUIET // max(1, matrix.size))
    whole = len(rows) // few * few
    stacks = np.matmul(rows[:whole].reshape(-1, few, rows.shape[1]), matrix).reshape(whole, matrix.shape[1])
    return np.concatenate([stacks, rows[whole:] @ matrix]) if whole < len(rows) else stacks


def distinct(codes: Whole) -> tuple[Whole, Whole]:
    """The distinct ones of small numbers that are not negative, and where each stands among them: without sorting."""
    seen = np.zeros(int(codes.max(initial=0)) + 1, bool)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[codes]


def halves(k: Whole, p: Whole, c: Complex) -> Halves | None:
    """The terms in two halves of their joints; None where there is nothing to gain."""
    joints = np.flatnonzero(k.any(axis=0) | p.any(axis=0))
    cut = (len(joints) + 1) // 2
    found: list[Half] = []
    rows: list[Whole] = []
    for some in (joints[:cut], joints[cut:]):
        factors, place, products = [], np.zeros(len(c), np.int64), 1
        for joint in some:
            least, powers = int(k[:, joint].min()), int(p[:, joint].max()) + 1
            pairs, which = distinct((k[:, joint] - least) * powers + p[:, joint])
            factors.append(Factors(int(joint), pairs // powers + least, pairs % powers))
            products *= len(pairs)
            if products > MOST_PRODUCTS * len(c):
                return None
            place = place * len(pairs) + which
        places, row = distinct(place)
        frequencies = np.zeros((len(places), len(some)))
        frequencies[row] = k[:, some]
        found.append(Half(tuple(factors), places, frequencies))
        rows.append(row)
    shape = len(found[0].places), len(found[1].places)
    if shape[0] * shape[1] > SPARSEST * len(c):
        return None
    matrix = np.zeros(shape, np.complex128)
    matrix[rows[0], rows[1]] = c
    return Halves(found[0], found[1], matrix)
