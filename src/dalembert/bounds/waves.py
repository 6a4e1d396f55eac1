"""Waves: finite Fourier series in floating point with a bound on their rounding error.

f(x) = Re sum_m c_m exp(i k_m . x) prod_j x_j^p_mj, with integer k over the angles and powers p over the prismatic
positions. Exact closed forms (``equations/``) are converted to this once; sums and products are waves again. Every wave
carries ``slack``, a bound on the effect of rounding in its coefficients, so that bounds proved for the wave hold for
the exact function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import chain, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..equations.polynomial import TrigPolynomial
from .halves import Halves, halves

Array: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]
Whole: TypeAlias = NDArray[np.int64]
UNIT = 2.0**-52
"""Machine epsilon of float64."""
OUTWARD = 1 + 1e-12
"""A sum of up to a few thousand numbers that are not negative, times this, is a bound whatever was rounded."""
MANY = 1000
"""Terms times positions from which values come from tables of two halves of the joints (``halves.py``)."""
AT_ONCE = 100_000
"""Terms times positions of the others at once."""
TOGETHER = 2000
"""Terms up to which exact polynomials are converted together: more would leave the cache."""
FAR = 16.0
"""Angles (rad) from which whole turns are taken off before multiples of them are."""
LEAST = 2.0**-1070
"""What a number may lose below the range of normal floats, and a little more."""


@dataclass(frozen=True, eq=False)
class Wave:
    """A finite Fourier series with polynomial factors, f(x) = Re sum_m c_m exp(i k_m . x) prod_j x_j^p_mj.

    ``k`` (m, n) are integer frequencies, ``p`` (m, n) powers, ``c`` (m,) complex coefficients, with one row for each
    distinct (k, p). ``slack`` bounds the sum of the errors of all coefficients, of those that are left out as zero too;
    ``lost`` are the highest powers among the latter.
    """

    k: NDArray[np.int64]
    p: NDArray[np.int64]
    c: NDArray[np.complex128]
    slack: float = 0.0
    lost: NDArray[np.int64] | None = None

    @property
    def top(self) -> NDArray[np.int64]:
        """The highest power of each position, of terms that ``slack`` stands for as well."""
        own = self.p.max(axis=0, initial=0)
        return own if self.lost is None else np.maximum(own, self.lost)

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.k.shape[1])

    def __len__(self) -> int:
        return len(self.c)

    @cached_property
    def size(self) -> Array:
        """Moduli |c_m|."""
        return np.abs(self.c)

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The joints that the function depends on."""
        if not len(self):
            return ()
        used = np.any(self.k, axis=0) | np.any(self.p, axis=0)
        return tuple(int(j) for j in np.flatnonzero(used))

    # -- algebra ---------------------------------------------------------------------------------

    def __add__(self, other: Wave | float) -> Wave:
        other = other if isinstance(other, Wave) else constant(other, self.n)
        return collected(
            np.concatenate([self.k, other.k]),
            np.concatenate([self.p, other.p]),
            np.concatenate([self.c, other.c]),
            self.slack + other.slack,
            np.maximum(self.top, other.top),
        )

    def __neg__(self) -> Wave:
        return self.times(-1.0)

    def __sub__(self, other: Wave | float) -> Wave:
        return self + (-other if isinstance(other, Wave) else -float(other))

    def times(self, factor: float) -> Wave:
        """The function times a number."""
        if abs(factor) in (0, 1):
            extra = 0.0
        else:  # of the slack, too, something may be lost below the range of normal floats
            extra = UNIT * abs(factor) * float(self.size.sum()) + LEAST * (len(self) + (self.slack > 0))
        return Wave(self.k, self.p, self.c * factor, self.slack * abs(factor) + extra, self.lost)

    def scaled(self, exponent: int) -> Wave:
        """The function times 2^exponent, which is exact."""
        c = np.ldexp(self.c.real, exponent) + 1j * np.ldexp(self.c.imag, exponent)
        return Wave(self.k, self.p, c, float(np.ldexp(self.slack, exponent)), self.lost)

    def __mul__(self, other: Wave) -> Wave:
        """Re z Re w = Re(z w + z conj(w)) / 2; ``slack`` holds where powers of positions are at most one."""
        m, r = len(self), len(other)
        if not m or not r:
            return zero(self.n)
        k = np.concatenate([self.k[:, None] + other.k[None], self.k[:, None] - other.k[None]])
        p = np.broadcast_to(self.p[:, None] + other.p[None], (m, r, self.n))
        products = [self.c[:, None] * other.c[None], self.c[:, None] * np.conj(other.c)[None]]
        c: Complex = np.concatenate(products).astype(np.complex128) / 2
        mine, theirs = float(self.size.sum()), float(other.size.sum())
        slack = mine * other.slack + theirs * self.slack + self.slack * other.slack + 4 * UNIT * mine * theirs
        slack += 4 * m * r * LEAST
        powers = np.concatenate([p, p]).reshape(-1, self.n)
        return collected(k.reshape(-1, self.n), powers, c.reshape(-1), slack, self.top + other.top)

    def kept(self, rows: NDArray[Any]) -> Wave:
        """The terms with these row indices."""
        return Wave(self.k[rows], self.p[rows], self.c[rows], self.slack, self.top)

    # -- values ----------------------------------------------------------------------------------

    def __call__(self, q: Any) -> Array:
        """Values at positions (..., n)."""
        q = np.asarray(q, dtype=float)
        if not len(self):
            return np.zeros(q.shape[:-1])
        flat = self._near(q.reshape(-1, self.n))
        tables = self._tables(flat)
        if tables is not None:
            return tables.values(flat).reshape(q.shape[:-1])
        out = np.empty(len(flat))
        step = max(1, AT_ONCE // len(self))
        for start in range(0, len(flat), step):
            batch = flat[start : start + step]
            turning = np.exp(1j * (batch @ self.k.T))
            full = turning * monomials(batch, self.p) if self._slides else turning
            out[start : start + step] = (full @ self.c).real
        return out.reshape(q.shape[:-1])

    def _near(self, q: Array) -> Array:
        """The same positions, far angles within a turn: multiples and sums of far ones lose the digits that count."""
        far = np.abs(q).max(axis=0, initial=0.0) > FAR
        if not far.any() or not (far := far & self.k.any(axis=0)).any():
            return q
        q = q.copy()
        q[:, far] = np.arctan2(np.sin(q[:, far]), np.cos(q[:, far]))
        return q

    @cached_property
    def _slides(self) -> bool:
        """Whether there are powers of positions at all."""
        return bool(self.p.any())

    @cached_property
    def _halves(self) -> Halves | None:
        return halves(self.k, self.p, self.c)

    def _tables(self, q: Array) -> Halves | None:
        """The wave in two halves, where that is quicker at so many positions."""
        return self._halves if len(self) * len(q) >= MANY else None

    def gradients(self, q: Array) -> tuple[Array, Array]:
        """Values (N,) and gradients (N, n) at positions (N, n)."""
        q = self._near(q)
        tables = self._tables(q)
        if tables is not None:
            return tables.gradients(q)
        turning = np.exp(1j * (q @ self.k.T)) * self.c
        full = turning * monomials(q, self.p) if self._slides else turning
        slopes = -(full.imag @ self.k)
        for joint in np.flatnonzero(self.p.any(axis=0)) if self._slides else ():
            lowered = self.p.copy()
            lowered[:, joint] = np.maximum(lowered[:, joint] - 1, 0)
            slopes[:, joint] = (turning.real * self.p[:, joint] * monomials(q, lowered)).sum(axis=1)
        return full.real.sum(axis=1), slopes

    def most(self, reach: Array) -> float:
        """The sum of the moduli with prismatic positions bounded by ``reach``: a crude bound on |f|."""
        far = np.where(np.isfinite(reach), np.abs(reach), 1.0)
        return OUTWARD * (float(self.size @ monomials(far[None], self.p)[0]) + self.slack * self.stretch(far))

    def stretch(self, reach: Array) -> float:
        """How much an error of a coefficient may grow in a value, for positions within ``reach``."""
        return float(np.prod(np.where(np.isfinite(reach), np.maximum(1.0, np.abs(reach)), 1.0) ** self.top))


def rescaled(x: float, exponent: int, towards: float) -> float:
    """x times 2^exponent, a bound: where that is below the range of normal floats it is rounded ``towards``."""
    y = float(np.ldexp(x, exponent))
    return y if float(np.ldexp(y, -exponent)) == x else float(np.nextafter(y, towards))


def monomials(q: Array, p: NDArray[np.int64]) -> Array:
    """prod_j q_j^p_mj for states (N, n) and terms (m, n): (N, m)."""
    products = np.ones((len(q), len(p)))
    for joint in np.flatnonzero(p.any(axis=0)):
        powers = np.stack([q[:, joint] ** e for e in range(int(p[:, joint].max()) + 1)], axis=1)
        products *= powers[:, p[:, joint]]
    return products


def zero(n: int) -> Wave:
    """The zero function of n joints."""
    return Wave(np.zeros((0, n), np.int64), np.zeros((0, n), np.int64), np.zeros(0, np.complex128))


def constant(value: float, n: int) -> Wave:
    """A constant function of n joints."""
    return Wave(np.zeros((1, n), np.int64), np.zeros((1, n), np.int64), np.array([value], np.complex128))


def turning(n: int, joint: int, factor: complex = 1) -> Wave:
    """Re(factor exp(i x_joint)) as a function of n joints: a cosine for 1, a sine for -i."""
    k = np.zeros((1, n), np.int64)
    k[0, joint] = 1
    return Wave(k, np.zeros_like(k), np.array([factor], np.complex128))


def collected(
    k: NDArray[np.int64], p: NDArray[np.int64], c: NDArray[np.complex128], slack: float = 0.0,
    lost: NDArray[np.int64] | None = None,
) -> Wave:  # fmt: skip
    """Terms with equal (k, p) added up; of k and -k the one whose first non-zero entry is positive is kept."""
    if not len(c):
        return Wave(k, p, c, slack, lost)
    return several(np.zeros(len(c), np.int64), k, p, c, np.array([slack]), lost)[0]


def several(
    owner: NDArray[np.int64], k: NDArray[np.int64], p: NDArray[np.int64], c: NDArray[np.complex128], slack: Array,
    lost: NDArray[np.int64] | None = None,
) -> list[Wave]:  # fmt: skip
    """The same for several waves at once, ``owner`` (m,) saying to which each term belongs; each has a ``slack``."""
    count, n = len(slack), k.shape[1]
    tops = np.zeros((count, n), np.int64) if lost is None else np.tile(lost, (count, 1))
    columns = np.ascontiguousarray(k.T)
    sign = np.zeros(len(c), np.int64)
    for column in columns:
        sign = np.where(sign, sign, column)
    flip = sign < 0
    columns = np.where(flip, -columns, columns)
    c = np.where(flip, np.conj(c), c)
    c = np.where(sign, c, c.real)
    sliding = np.flatnonzero(p.any(axis=0)).tolist()
    for joint in sliding:
        np.maximum.at(tops[:, joint], owner, p[:, joint])
    index, inverse = distinct([*columns, *(p[:, joint] for joint in sliding), owner])
    total = np.bincount(inverse, c.real, len(index)) + 1j * np.bincount(inverse, c.imag, len(index))
    # Adding a few dozen numbers of one size: each sum is off by at most (count) units of what was added.
    moduli = np.bincount(inverse, np.abs(c), len(index))
    counts = np.bincount(inverse, minlength=len(index))
    owner_of_term, largest_modulus = owner[index], np.zeros(count)
    np.maximum.at(largest_modulus, owner_of_term, moduli)
    size = np.abs(total)
    alive = size > 1e-17 * largest_modulus[owner_of_term]
    slack = slack + UNIT * np.bincount(owner_of_term, np.where(counts > 1, moduli * counts, 0.0), count)
    slack = slack + np.bincount(owner_of_term, np.where(alive, 0.0, size), count)
    order = np.argsort(owner_of_term, kind="stable") if count > 1 else np.arange(len(index))
    order = order[alive[order]]
    ends = np.searchsorted(owner_of_term[order], np.arange(count + 1)).tolist()
    k, p, total = np.ascontiguousarray(columns[:, index[order]].T), p[index[order]], total[order]
    return [Wave(k[i:j], p[i:j], total[i:j], float(slack[w]), tops[w]) for w, (i, j) in enumerate(pairwise(ends))]


# -- from exact polynomials --------------------------------------------------------------------------


@cache
def circle(cosines: int, sines: int) -> tuple[tuple[int, ...], tuple[complex, ...]]:
    """cos^p sin^e as a sum of exponentials: frequencies and coefficients (dyadic rationals, hence exact)."""
    waves: dict[int, complex] = {0: 1.0}
    for count, factors in ((cosines, {1: 0.5, -1: 0.5}), (sines, {1: -0.5j, -1: 0.5j})):
        for _ in range(count):
            product: dict[int, complex] = {}
            for a, x in waves.items():
                for b, y in factors.items():
                    product[a + b] = product.get(a + b, 0) + x * y
            waves = {a: x for a, x in product.items() if x}
    return tuple(waves), tuple(waves.values())


def distinct(columns: Sequence[Whole]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of each kind of row, and for every row which kind it is."""
    keys, _ = packed(columns)
    _, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return index, inverse.reshape(-1)


def packed(columns: Sequence[Whole], least: Sequence[int] | None = None) -> tuple[NDArray[Any], list[tuple[int, int]]]:
    """Each row of whole numbers as one, its first column the least significant, and the (weight, radix) of each column,
    which is at least ``least``; whole numbers of any size where those of a machine word are too small.
    """
    lows = [int(column.min(initial=0)) for column in columns]
    spans = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, lows, strict=True)]
    spans = spans if least is None else [max(pair) for pair in zip(spans, least, strict=True)]
    large = prod(spans) >= 2**62
    keys: NDArray[Any] = np.zeros(len(columns[0]), object if large else np.int64)
    digits: list[tuple[int, int]] = []
    weight = 1
    for column, low, span in zip(columns, lows, spans, strict=True):
        keys = keys + (column.astype(object) if large else column) * weight - low * weight
        digits.append((weight, span))
        weight *= span
    return keys, digits


def wave_of(polynomial: TrigPolynomial) -> Wave:
    """The wave of an exact polynomial; symbols take the arm's numbers."""
    return waves_of([polynomial])[0]


def waves_of(polynomials: Sequence[TrigPolynomial]) -> list[Wave]:
    """The waves of exact polynomials of one ring, short ones together.

    Angle by angle the powers of cosine and sine become exponentials, and terms that are then alike are added up.
    """
    waves: list[Wave] = []
    batch: list[TrigPolynomial] = []
    for rank, polynomial in enumerate(polynomials, 1):
        batch.append(polynomial)
        if rank == len(polynomials) or sum(len(member.poly) for member in batch) > TOGETHER:
            waves += _waves_of(batch)
            batch = []
    return waves


def _waves_of(polynomials: Sequence[TrigPolynomial]) -> list[Wave]:
    ring = polynomials[0].ring
    joints, count, angles = ring.angles.joints, len(ring.tags), len(ring.angles.revolute)
    monomials_of = [polynomial.poly.monoms() for polynomial in polynomials]
    owner = np.repeat(np.arange(len(polynomials)), [len(rows) for rows in monomials_of])
    if not len(owner):
        return [zero(joints) for _ in polynomials]
    numbers: dict[str, object] = {}
    for polynomial in polynomials:
        if polynomial.parameters or ring.angles.fixed:
            numbers |= polynomial.space.values(polynomial.parameters)
    flat = chain.from_iterable(chain.from_iterable(monomials_of))
    powers = np.fromiter(flat, np.int64, len(owner) * len(ring.names)).reshape(-1, len(ring.names))
    c: Complex = np.array([int(x.p) / int(x.q) for poly in polynomials for x in poly.poly.coeffs()], np.complex128)
    steps = np.full(len(c), 2.0)
    sliding = list(ring.sliding.values())
    turning = [*range(angles), *range(count, count + angles)]
    for variable in set(np.flatnonzero(powers.any(axis=0)).tolist()) - set(sliding) - set(turning):
        c = c * float(numbers[ring.names[variable]]) ** powers[:, variable]  # type: ignore[arg-type]
        steps += np.where(powers[:, variable] > 0, 2 * powers[:, variable] + 2, 0)
    # rationals and symbols to floats and their products
    slack = OUTWARD * np.bincount(owner, UNIT * steps * np.abs(c) + LEAST, len(polynomials))
    # digits of a key: for each angle its powers of sine and cosine as one number, later its multiple in the exponent,
    # counted from -most; powers of positions; the owner
    sines, cosines = powers[:, :angles], powers[:, count : count + angles]
    highest = (sines + cosines).max(axis=0, initial=0)
    columns = [*(sines * (highest + 1) + cosines).T, *powers[:, sliding].T, owner]
    keys, digits = packed(columns, [*(2 * highest + 1).tolist(), *(1 for _ in sliding), len(polynomials)])
    if numbers:
        # terms that differed in their symbols alone
        keys, inverse = np.unique(keys, return_inverse=True)
        counts, moduli = np.bincount(inverse), np.bincount(inverse, np.abs(c))
        slack += OUTWARD * UNIT * np.bincount(digit(keys, digits[-1]), counts * moduli, len(polynomials))
        c = np.bincount(inverse, c.real).astype(np.complex128)
    for angle in np.flatnonzero(highest).tolist():
        keys, c, added = _as_exponentials(keys, c, digits[angle], int(highest[angle]), digits[-1])
        slack += added
    k = np.zeros((len(keys), joints), np.int64)
    for angle, weights in enumerate(ring.angles.weights[:angles]):
        multiple = digit(keys, digits[angle]) - highest[angle]
        for joint, sign in weights:
            k[:, joint] += sign * multiple
    p = np.zeros((len(keys), joints), np.int64)
    for joint, column in zip(ring.sliding, digits[angles:-1], strict=True):
        p[:, joint] = digit(keys, column)
    return several(digit(keys, digits[-1]), k, p, c, np.asarray(slack, np.float64))


def digit(keys: NDArray[Any], column: tuple[int, int]) -> Whole:
    """The numbers of one column of packed rows."""
    return np.asarray(keys // column[0] % column[1], np.int64)


def _as_exponentials(
    keys: NDArray[Any], c: Complex, column: tuple[int, int], highest: int, owners: tuple[int, int]
) -> tuple[NDArray[Any], Complex, Array]:
    """Terms with the powers of one angle as exponentials, those that are alike added up, and the rounding of it for
    each owner.

    Terms that agree in all else are rows of one matrix, whose columns are the powers; a product with the table of
    exponentials turns all of them at once.
    """
    kind = digit(keys, column)
    kinds = np.flatnonzero(np.bincount(kind))
    keys_of_rest, row = np.unique(keys - kind * column[0], return_inverse=True)
    table = np.zeros((len(keys_of_rest), len(kinds)), np.complex128)
    table[row.reshape(-1), np.searchsorted(kinds, kind)] = c
    turns = np.zeros((len(kinds), 2 * highest + 1), np.complex128)
    for number, code in enumerate(kinds.tolist()):
        sines, cosines = divmod(code, highest + 1)
        multiples, factors = circle(cosines, sines)
        turns[number, np.array(multiples) + highest] = factors
    products = table @ turns
    at, multiple = np.nonzero(products)
    # sums of products, as many in each as there are kinds in its row; the factors themselves are dyadic, hence exact
    moduli = np.abs(table) @ np.abs(turns).sum(axis=1) * np.count_nonzero(table, axis=1)
    added: Array = OUTWARD * 2 * UNIT * np.bincount(digit(keys_of_rest, owners), moduli, owners[1]).astype(np.float64)
    return keys_of_rest[at] + multiple * column[0], products[at, multiple], added


def total(waves: Sequence[Wave]) -> Wave:
    """The sum of waves (at least one)."""
    if not waves:
        raise ArmError("there is no wave to add")
    return reduce(lambda a, b: a + b, waves)
