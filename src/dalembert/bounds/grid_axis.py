"""The grids of one joint: points, basis functions there, and what a function may have above them between the points.

Of a sliding position x, linear interpolation between points h apart is off by at most h^2/8 max |g''|. Of an angle, let

    g(x) = Re sum_k c_k e^(ikx),    g~(x) = Re sum_k c_k e^(ikx) / cos(kh/2),

and let x be a local maximum of g between two points h apart, at (1 - u)/2 of the way. Interpolated there, g~ comes to
g(x) + Re sum_k c_k e^(ikx) z_k(u), z_k(u) = e^(i psi u) (1 - i u tan psi) - 1 with psi = kh/2; in the middle that is
g(x) itself (as in Ehlich and Zeller 1964). Since g'(x) = 0 and g''(x) <= 0, any multiple of k may be taken from the
imaginary parts of z_k, and any multiple of k^2 that is not negative from the real ones. With those of z_1,

    g(x) <= the larger g~ at the two points, + sum_(k > 1) |c_k| max_u |z_k(u) - k^2 Re z_1(u) - i k Im z_1(u)|,

which is of third order in h. At an end of a range g itself is taken, and the first point is half a cell from it: z_k is
the complex conjugate there, and the same holds. So a grid sees where a function bends, and to which side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import pi

import numpy as np

from .products import Single
from .waves import Array

CELLS = np.array([*range(1, 49), *range(52, 97, 4), *range(104, 401, 8)])
"""Numbers of cells a range may be divided into."""
WIDEST = 0.5
"""Largest k h / 2: coarser grids raise functions by so much that a finer one has to be made after them."""
EXPECTED = 0.75
"""-g'' / g about where a function is largest, by which the first grid is chosen."""
REFERENCE = 0.4
"""Cells (rad) for which the weights of the orders are exact; for others the largest quotient counts."""
STEPS, ROUNDING, WEIGHED = 256, 1e-14, 1e-6
"""Steps of u, more than rounding adds to a z_k, and more than it takes from weights in float32."""


@dataclass(frozen=True)
class GridAxis:
    """One joint: basis functions 1, cos x, sin x, ..., or powers of x (in units of its reach) where it slides.

    ``interpolated`` angles have h^2/8 max |g''| as well, which is better where next to nothing is left above them.
    """

    joint: int
    degree: int
    slides: bool
    low: float
    high: float
    circle: bool
    interpolated: bool = False

    @property
    def linear(self) -> bool:
        """Whether values are interpolated as they are, and not raised."""
        return self.slides or self.interpolated

    @property
    def size(self) -> int:
        """Number of basis functions."""
        return self.degree + 1 if self.slides else 2 * self.degree + 1

    @property
    def length(self) -> float:
        """The range that the points have to cover."""
        return 2 * pi if self.circle else self.high - self.low

    @property
    def bend(self) -> Array:
        """Factors of the second derivatives of the basis functions, in magnitude: k^2, or p (p - 1)."""
        orders = np.arange(self.degree + 1, dtype=float)
        return orders * (orders - 1) if self.slides else np.concatenate([[0.0], np.repeat(orders[1:] ** 2, 2)])

    @cached_property
    def weights(self) -> Array:
        """How much the modulus of each order counts for what lies above the points (``lost``)."""
        orders = np.arange(self.degree + 1)
        if self.linear:
            return np.asarray(orders * (orders - 1.0) if self.slides else orders**2.0)
        return np.array([unmatched(k, REFERENCE) / unmatched(2, REFERENCE) for k in orders.tolist()])

    def lost(self, cells: int) -> float:
        """By how much a function may exceed its raised values at the points, over its moduli times their weights."""
        width = self.length / cells
        if self.linear:
            return width**2 / 8 * (1 + WEIGHED)
        if self.degree * width / 2 > WIDEST:
            return np.inf
        weights = self.weights
        return max((unmatched(k, width) / weights[k] for k in range(2, self.degree + 1)), default=0.0) * (1 + WEIGHED)

    def raised(self, cells: int) -> Array:
        """Factors of the basis functions at the points: 1 / cos(kh/2) of order k, where such a grid may be used."""
        if self.linear:
            return np.ones(self.size)
        half = np.minimum(np.arange(1, self.degree + 1) * self.length / cells / 2, WIDEST)
        return np.concatenate([[1.0], np.repeat(1 / np.cos(half), 2)])

    def expected(self, cells: int) -> float:
        """By how much a large value is about raised, as a part of it."""
        return 0.0 if self.linear else EXPECTED * (self.length / cells) ** 2 / 8

    def basis(self, x: Array) -> Array:
        """The basis functions at positions."""
        if self.slides:
            return np.stack([x**p for p in range(self.degree + 1)], axis=1)
        rows = [np.ones_like(x)]
        for k in range(1, self.degree + 1):
            rows += [np.cos(k * x), np.sin(k * x)]
        return np.stack(rows, axis=1)

    def points(self, cells: int) -> Array:
        """Positions: those of a whole turn, the ends of cells where values are interpolated, else their middles and the
        two ends.
        """
        if self.circle:
            return np.asarray(self.low + 2 * pi / cells * np.arange(cells, dtype=np.float64))
        if self.linear:
            return np.linspace(self.low, self.high, cells + 1, dtype=np.float64)
        middles = self.low + (np.arange(cells) + 0.5) * (self.length / cells)
        return np.concatenate([[self.low], middles, [self.high]])

    def table(self, cells: int) -> Array:
        """The raised basis functions at the points; at the ends of a range as they are."""
        x = self.points(cells)
        table = self.basis(x) * self.raised(cells)
        if not self.circle and not self.linear:
            table[[0, -1]] = self.basis(x[[0, -1]])
        return np.asarray(table)

    @cached_property
    def choices(self) -> tuple[Array, Array]:
        """``lost`` and ``expected`` for every number of cells in ``CELLS``."""
        return _choices(replace(self, joint=0))

    @property
    def grids(self) -> list[tuple[Array, Single]]:
        """Points and raised basis functions there, for every number of cells in ``CELLS``."""
        return _grids(replace(self, joint=0))


@lru_cache(maxsize=64)
def _grids(axis: GridAxis) -> list[tuple[Array, Single]]:
    return [(axis.points(cells), axis.table(cells).astype(np.float32)) for cells in CELLS.tolist()]


@lru_cache(maxsize=64)
def _choices(axis: GridAxis) -> tuple[Array, Array]:
    lost, expected = (
        np.array([function(cells) for cells in CELLS.tolist()]) for function in (axis.lost, axis.expected)
    )
    return lost, expected


@lru_cache(maxsize=4096)
def unmatched(order: int, width: float) -> float:
    """max |z_k(u) - k^2 Re z_1(u) - i k Im z_1(u)| over u, for points ``width`` apart: no less than that.

    On a grid of u, with the second derivative along it: |z_k''| <= psi (tan psi - psi + psi tan psi) + psi tan psi.
    """
    if order < 2:
        return 0.0
    u = np.linspace(0.0, 1.0, STEPS + 1)
    half = np.array([1.0, order]) * width / 2
    slope = np.tan(half)
    first_order, own_order = np.exp(1j * half[:, None] * u) * (1 - 1j * slope[:, None] * u) - 1
    bent, own_bent = half * (slope - half + half * slope) + half * slope
    difference = np.abs(own_order - order**2 * first_order.real - 1j * order * first_order.imag).max()
    return float(difference + (own_bent + (order**2 + order) * bent) / STEPS**2 / 8 + ROUNDING * order**2)
