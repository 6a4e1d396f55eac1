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
        exponentials = np.exp(1j * x * self.k)
        return exponentials * x**self.p if self.slides else exponentials

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
        for factor_values in values:
            table = (table[:, :, None] * factor_values[:, None, :]).reshape(count, -1)
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
            positions = q[rows]
            a, b = (
                half.table([factor.values(positions) for factor in half.factors], len(positions)) for half in self._both
            )
            out[rows] = np.einsum("na,na->n", product(a, self.c), b).real
        return out

    def gradients(self, q: Array) -> tuple[Array, Array]:
        """Values (N,) and gradients (N, n) at positions (N, n)."""
        values, slopes = np.empty(len(q)), np.empty(q.shape)
        for rows in parts(len(q)):
            values[rows], slopes[rows] = self._gradients(q[rows])
        return values, slopes

    def _gradients(self, q: Array) -> tuple[Array, Array]:
        factors = [[factor.values(q) for factor in half.factors] for half in self._both]
        a, b = (half.table(values, len(q)) for half, values in zip(self._both, factors, strict=True))
        cofactor_pair = product(b, self.c.T), product(a, self.c)
        slopes = np.zeros(q.shape)
        for half, table, cofactors, values in zip(self._both, (a, b), cofactor_pair, factors, strict=True):
            slope = -product((table * cofactors).imag, half.k)
            for at, factor in enumerate(half.factors):
                if factor.slides:
                    bent = half.table([*values[:at], factor.slopes(q), *values[at + 1 :]], len(q))
                    slope[:, at] = np.einsum("na,na->n", bent, cofactors).real
                slopes[:, factor.joint] = slope[:, at]
        return np.einsum("na,na->n", cofactor_pair[1], b).real, slopes

    @property
    def _both(self) -> tuple[Half, Half]:
        return self.first, self.second


def parts(count: int) -> Iterator[slice]:
    """So many positions, as many as are looked at together."""
    return (slice(start, start + AT_ONCE) for start in range(0, count, AT_ONCE))


def product(rows: NDArray[Number], matrix: NDArray[Number]) -> NDArray[Number]:
    """The matrix product, a few rows at a time."""
    few = max(2, QUIET // max(1, matrix.size))
    even = len(rows) // few * few
    stacks = np.matmul(rows[:even].reshape(-1, few, rows.shape[1]), matrix).reshape(even, matrix.shape[1])
    return np.concatenate([stacks, rows[even:] @ matrix]) if even < len(rows) else stacks


def distinct(codes: Whole) -> tuple[Whole, Whole]:
    """The distinct ones of small numbers that are not negative, and where each stands among them: without sorting."""
    occurs = np.zeros(int(codes.max(initial=0)) + 1, bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def halves(k: Whole, p: Whole, c: Complex) -> Halves | None:
    """The terms in two halves of their joints; None where there is nothing to gain."""
    joints = np.flatnonzero(k.any(axis=0) | p.any(axis=0))
    cut = (len(joints) + 1) // 2
    both: list[Half] = []
    rows: list[Whole] = []
    for joints_of_half in (joints[:cut], joints[cut:]):
        factors, code, products = [], np.zeros(len(c), np.int64), 1
        for joint in joints_of_half:
            lowest, powers = int(k[:, joint].min()), int(p[:, joint].max()) + 1
            pairs, kinds = distinct((k[:, joint] - lowest) * powers + p[:, joint])
            factors.append(Factors(int(joint), pairs // powers + lowest, pairs % powers))
            products *= len(pairs)
            if products > MOST_PRODUCTS * len(c):
                return None
            code = code * len(pairs) + kinds
        codes, row = distinct(code)
        frequencies = np.zeros((len(codes), len(joints_of_half)))
        frequencies[row] = k[:, joints_of_half]
        both.append(Half(tuple(factors), codes, frequencies))
        rows.append(row)
    shape = len(both[0].places), len(both[1].places)
    if shape[0] * shape[1] > SPARSEST * len(c):
        return None
    matrix = np.zeros(shape, np.complex128)
    matrix[rows[0], rows[1]] = c
    return Halves(both[0], both[1], matrix)
