"""Vectors and matrices of numbers of any ring, as plain tuples, with structural constants folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .ring import Scalar

Vec: TypeAlias = tuple[Scalar, Scalar, Scalar]
Mat: TypeAlias = tuple[Vec, Vec, Vec]
Square: TypeAlias = tuple[tuple[Scalar, ...], ...]

ZERO: Vec = (0, 0, 0)
EYE: Mat = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def add(a: Scalar, b: Scalar) -> Scalar:
    """a + b; a structural zero is dropped."""
    if type(a) is int and a == 0:
        return b
    if type(b) is int and b == 0:
        return a
    return a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """a - b; a structural zero is dropped."""
    if type(b) is int and b == 0:
        return a
    if type(a) is int and a == 0:
        return -b
    return a - b


def mul(a: Scalar, b: Scalar) -> Scalar:
    """a b; a structural 0, 1 or -1 costs no multiplication."""
    if type(a) is int:
        if a == 0:
            return 0
        if a == 1:
            return b
        if a == -1:
            return -b
    if type(b) is int:
        if b == 0:
            return 0
        if b == 1:
            return a
        if b == -1:
            return -a
    return a * b


def total(values: Sequence[Scalar]) -> Scalar:
    """The sum of the values; a structural zero if there are none."""
    result: Scalar = 0
    for value in values:
        result = add(result, value)
    return result


def plus(u: Vec, v: Vec) -> Vec:
    """u + v."""
    return add(u[0], v[0]), add(u[1], v[1]), add(u[2], v[2])


def minus(u: Vec, v: Vec) -> Vec:
    """u - v."""
    return sub(u[0], v[0]), sub(u[1], v[1]), sub(u[2], v[2])


def scale(a: Scalar, v: Vec) -> Vec:
    """a v."""
    return mul(a, v[0]), mul(a, v[1]), mul(a, v[2])


def dot(u: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """The scalar product u . v."""
    result: Scalar = 0
    for a, b in zip(u, v, strict=True):
        result = add(result, mul(a, b))
    return result


def cross(u: Vec, v: Vec) -> Vec:
    """The vector product u x v."""
    return (
        sub(mul(u[1], v[2]), mul(u[2], v[1])),
        sub(mul(u[2], v[0]), mul(u[0], v[2])),
        sub(mul(u[0], v[1]), mul(u[1], v[0])),
    )


def transpose(a: Any) -> Any:
    """The transpose."""
    return tuple(zip(*a, strict=True))


def matvec(a: Any, v: Any) -> Any:
    """The product A v."""
    return tuple(dot(row, v) for row in a)


def matmul(a: Any, b: Any) -> Any:
    """The product A B."""
    columns = transpose(b)
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def matplus(a: Any, b: Any) -> Any:
    """The sum A + B."""
    return tuple(tuple(add(x, y) for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))


def trace_of_product(a: Square, b: Square) -> Scalar:
    """Trace(A B), without forming the product."""
    return total([mul(a[i][k], b[k][i]) for i in range(len(a)) for k in range(len(b))])


def as_matrix(rows: Any) -> Mat:
    """Rows of any sequence type as a tuple of tuples."""
    matrix: Any = tuple(tuple(row) for row in rows)
    return matrix


def column(a: Any, j: int) -> Any:
    """Column j of a matrix."""
    return tuple(row[j] for row in a)


def flat(table: Any) -> list[Scalar]:
    """The numbers of a nest of lists and tuples, row by row."""
    return [x for part in table for x in flat(part)] if isinstance(table, (list, tuple)) else [table]
