"""Arrays of exact polynomials over one denominator, and linear equations among polynomials by Cramer's rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from ..arm.errors import ArmError
from ..equations.polynomial import TrigPolynomial
from ..equations.polynomial_array import PolynomialArray

Polynomials = NDArray[np.object_]
MOST_PRODUCTS = 40_000_000
"""Most products of terms that a quotient is written out for."""


@dataclass(frozen=True)
class ClosedQuotients:
    """An array of polynomials over one denominator."""

    numerator: PolynomialArray
    denominator: TrigPolynomial

    def __call__(self, phi: ArrayLike) -> NDArray[np.float64]:
        """The values at joints phi ``(..., m)``."""
        denominator = np.asarray(self.denominator(phi))
        values = np.array([entry(phi) for entry in self.numerator.reshape(-1)])
        values = np.moveaxis(values, 0, -1) / denominator[..., None]
        return np.asarray(values.reshape(*denominator.shape, *self.numerator.shape))


class Products:
    """Sums of products of polynomials of one mechanism, as long as there is room for them."""

    def __init__(self, name: str, one: TrigPolynomial) -> None:
        self.name, self.one, self.zero, self.count = name, one, one * 0, 0

    def begin(self) -> None:
        """Count anew: room is that of one quantity."""
        self.count = 0

    def times(self, a: TrigPolynomial, b: TrigPolynomial) -> TrigPolynomial:
        """a b."""
        self.count += len(a) * len(b)
        if self.count > MOST_PRODUCTS:
            raise ArmError(
                f"{self.name}: this quotient has too many terms to be written out; evaluate it from what it is made "
                "of, mass_matrix, christoffel, influence and second_order, or ask for numbers"
            )
        return a * b

    def total(self, a: Iterable[Any], b: Iterable[Any]) -> TrigPolynomial:
        """sum a_k b_k."""
        polynomial = self.zero
        for x, y in zip(a, b, strict=True):
            if x and y:
                polynomial = polynomial + self.times(x, y)
        return polynomial

    def matrix(self, a: Any, b: Any) -> Polynomials:
        """The matrix product."""
        product = np.empty((len(a), b.shape[1]), dtype=object)
        for i, j in np.ndindex(product.shape):
            product[i, j] = self.total(a[i], b[:, j])
        return product

    def power(self, a: TrigPolynomial, exponent: int) -> TrigPolynomial:
        """a^exponent."""
        power = self.one
        for _ in range(exponent):
            power = self.times(power, a)
        return power


class PolynomialSystem:
    """Linear equations A x = b whose matrix is of polynomials, block by block as its zeros allow.

    A block triangular order of rows and columns (Dulmage and Mendelsohn 1958) makes the determinant the product of
    those of the blocks, so that loops which only follow others, and gears, are solved one after the other.
    """

    def __init__(self, matrix: Polynomials, products: Products) -> None:
        self.matrix, self.products = matrix, products
        filled = np.array([[bool(entry) for entry in row] for row in matrix], dtype=bool).reshape(matrix.shape)
        self.blocks = _blocks(filled)
        self._adjugates = [adjugate(matrix[np.ix_(rows, columns)], products) for rows, columns in self.blocks]
        self.determinant = products.one
        for _, block_determinant in self._adjugates:
            self.determinant = products.times(self.determinant, block_determinant)

    def solve(self, right: Polynomials) -> Polynomials:
        """det A times x, for columns b ``(r, k)``."""
        products = self.products
        solution = np.full(right.shape, products.zero, dtype=object)
        solved: list[int] = []
        determinant = products.one
        for (rows, columns), (cofactors, block_determinant) in zip(self.blocks, self._adjugates, strict=True):
            right_side = _scaled(right[rows], determinant, products)
            if solved:
                right_side = right_side - products.matrix(self.matrix[np.ix_(rows, solved)], solution[solved])
            solution[solved] = _scaled(solution[solved], block_determinant, products)
            solution[columns] = products.matrix(cofactors, right_side)
            solved += columns
            determinant = products.times(determinant, block_determinant)
        return solution


def _scaled(table: Polynomials, factor: TrigPolynomial, products: Products) -> Polynomials:
    scaled = np.empty(table.shape, dtype=object)
    for index in np.ndindex(table.shape):
        entry: Any = table[index]
        scaled[index] = products.times(entry, factor)
    return scaled


def block_sizes(filled: NDArray[np.bool_]) -> list[int]:
    """Sizes of the blocks that are solved at once, by which entries are other than zero.

    Empty where there is no choice of one such entry in each row and column: the determinant is zero everywhere.
    """
    return [len(rows) for rows, _ in _blocks(filled)]


def _blocks(filled: NDArray[np.bool_]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of the blocks, each block needing those before it alone."""
    size = len(filled)
    partner = maximum_bipartite_matching(csr_array(filled), perm_type="column") if size else np.zeros(0, dtype=int)
    if (partner < 0).any():
        return []
    # row i determines its unknown partner[i]; it needs row j where it holds the unknown of j
    needs = filled[:, partner]
    count, label = connected_components(csr_array(needs), connection="strong")
    members = [[int(i) for i in np.flatnonzero(label == k)] for k in range(count)]
    ordered: list[list[int]] = []
    remaining = list(range(count))
    while remaining:
        # strong components form no circle: one of those left needs none but itself and those ordered
        solved = {i for block in ordered for i in block}
        k = next(
            k
            for k in remaining
            if all(j in solved or label[j] == k for i in members[k] for j in np.flatnonzero(needs[i]))
        )
        ordered.append(members[k])
        remaining.remove(k)
    return [(rows, [int(partner[i]) for i in rows]) for rows in ordered]


def adjugate(matrix: Polynomials, products: Products) -> tuple[Polynomials, TrigPolynomial]:
    """adj A, for which A adj A = det A, and det A, by Laplace, each minor once."""
    size = len(matrix)

    @cache
    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> TrigPolynomial:
        if not rows:
            return products.one
        total = products.zero
        for k, row in enumerate(rows):
            if matrix[row, columns[0]]:
                term = products.times(matrix[row, columns[0]], minor(rows[:k] + rows[k + 1 :], columns[1:]))
                total = total + term if k % 2 == 0 else total - term
        return total

    indices = tuple(range(size))
    cofactors = np.empty((size, size), dtype=object)
    for i, j in np.ndindex(size, size):
        cofactor = minor(indices[:j] + indices[j + 1 :], indices[:i] + indices[i + 1 :])
        cofactors[i, j] = cofactor if (i + j) % 2 == 0 else -cofactor
    return cofactors, minor(indices, indices)
