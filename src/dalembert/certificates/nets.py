"""Rigorous bounds of Fourier series over a box by control values, in floating point with a running error bound.

On an arc of half-width d <= pi/2 about t = 0 let A = sin((d - t)/2) and B = sin((d + t)/2), both >= 0. Then
1 = (A^2 + 2 cos(d) AB + B^2) / sin(d)^2 and e^(it) = (e^(-id) A^2 + 2 AB + e^(id) B^2) / sin(d)^2, so a trigonometric
polynomial of degree n is sum_i b_i w_i A^(2n-i) B^i / sin(d)^(2n) with the weights w_i >= 0 for which the constant one
has all b_i = 1. It is an average of its control values b_i: their least and greatest enclose it (Peña 1997). The same
holds for powers on an interval with Bernstein's weights, and for products of several variables. A variable that is not
cut yet keeps its coefficients: as |e^(ikx)| = 1, their moduli bound what it adds.

Every matrix is computed in ball arithmetic and then rounded; ``Matrix.error`` holds what that changed. The product M x
of floats, |x| <= X, sums of m products in any order, is off by at most (2 m + 8) u |M| X with u = 2^-52 (Higham 2002,
section 3.1, with room for complex numbers). So an error e of x becomes at most |M| e + (error + (2 m + 8) u |M|) X.
``Net.mapped`` keeps this account; the sums of ``Net.greatest`` add their own rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import comb, inf, prod
from typing import Any

import numpy as np
from flint import acb, arb, ctx
from numpy.typing import NDArray

from ..arm.errors import ArmError

UNIT = 2.0**-52
LOST = 2.0**-1000
"""More than underflow can take from a sum of products."""
ROOM = 1 + 2.0**-30
"""Covers the rounding of the bounds of errors themselves, sums and products of a few numbers that are not negative."""
BITS = 128
"""The precision of ball arithmetic; results hold at every precision."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix in floats; no row has a sum of moduli above ``size``, or of what rounding changed above ``error``."""

    values: NDArray[Any]
    size: float
    error: float

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Matrix:
        """A matrix of balls rounded to floats."""
        balls = [[acb(x) for x in row] for row in rows]
        values = np.array([[complex(float(x.real.mid()), float(x.imag.mid())) for x in row] for row in balls])
        off = [
            sum((abs(x - acb(complex(y))) for x, y in zip(row, near, strict=True)), arb(0))
            for row, near in zip(balls, values, strict=True)
        ]
        error = max(upward(x) for x in off)
        if not values.imag.any():
            values = np.ascontiguousarray(values.real)
        return cls(values, ROOM * (float(np.abs(values).sum(axis=1).max()) + error), error)


def upward(x: Any) -> float:
    """A float that is at least the upper end of a ball; infinite where there is none."""
    high = float(x.upper().mid()) if x.is_finite() else float("inf")
    return float(np.nextafter(high, np.inf))


@dataclass(frozen=True, eq=False)
class Variable:
    """A joint, or a sum of joints: its range, its degree, and into how many equal pieces it is cut first.

    A revolute range of more than 2.1 rad is not cut at first; a piece is at most 2.1 rad wide.
    """

    joint: int
    lower: Any
    width: Any
    degree: int
    slides: bool
    kept: dict[Any, Matrix] = field(default_factory=dict, repr=False)

    def matrix(self, which: str, index: int) -> Matrix:
        """``piece`` or ``halves`` of this index, computed once."""
        if (which, index) not in self.kept:
            with ctx.workprec(BITS):
                self.kept[which, index] = self.piece(index) if which == "piece" else self.halves(index)
        return self.kept[which, index]

    @cached_property
    def pieces(self) -> int:
        """The number of first pieces."""
        return 1 if self.slides else max(1, int(np.ceil(float(self.width.mid()) / 2.1)))

    @property
    def size(self) -> int:
        """The number of coefficients, and of control values."""
        return self.degree + 1 if self.slides else 2 * self.degree + 1

    def weights(self, half: Any) -> list[Any]:
        """w_i: binomials on an interval, the coefficients of (1 + 2 cos(d) z + z^2)^n on an arc."""
        if self.slides:
            return [arb(comb(self.degree, i)) for i in range(self.degree + 1)]
        return power([arb(1), 2 * half.cos(), arb(1)], self.degree)

    def piece(self, index: int) -> Matrix:
        """Control values on a first piece from coefficients of e^(ikx), k = -n .. n, or of x^k, k = 0 .. n."""
        half = self.width / (2 * self.pieces)
        if self.slides:
            ends, one = [self.lower, self.lower + self.width], [arb(1), arb(1)]
            forms = [convolved(power(ends, k), power(one, self.degree - k)) for k in range(self.degree + 1)]
        else:
            if not half < arb(1.57):
                raise ArmError("a piece of a revolute range is wider than half a turn")
            centre = self.lower + (2 * index + 1) * half
            one, forms = [arb(1), 2 * half.cos(), arb(1)], []
            for k in range(-self.degree, self.degree + 1):
                side = acb(0, half if k > 0 else -half).exp()
                form = convolved(power([1 / side, acb(2), side], abs(k)), power(one, self.degree - abs(k)))
                forms.append([x * acb(0, k * centre).exp() for x in form])
        weights = self.weights(half)
        return Matrix.of([[form[i] / weights[i] for form in forms] for i in range(self.size)])

    def halves(self, halvings: int) -> Matrix:
        """Control values on the left half, then on the right half, of a piece that was halved so often before.

        On the left half A = 2 cos(d/2) A' + B' and B = B' (on an interval A = A' + B'/2, B = B'/2); the right half is
        its mirror image.
        """
        n, half = self.size - 1, self.width / (2 * self.pieces * 2**halvings)
        old, new = self.weights(half), self.weights(half / 2)
        if self.slides:
            scale = [arb(1) / 2**r for r in range(n + 1)]
        else:
            shrunk, cosine = ((half / 2).sin() / half.sin()) ** n, (half / 2).cos()
            scale = [shrunk * (2 * cosine) ** (n - r) for r in range(n + 1)]
        left = [
            [scale[r] * old[i] * comb(n - i, r - i) / new[r] if r >= i else arb(0) for i in range(n + 1)]
            for r in range(n + 1)
        ]
        return Matrix.of([*left, *(row[::-1] for row in left[::-1])])


def power(form: list[Any], times: int) -> list[Any]:
    """The coefficients of a power of a polynomial."""
    found: list[Any] = [arb(1)]
    for _ in range(times):
        found = convolved(found, form)
    return found


def convolved(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """The coefficients of the product of two polynomials."""
    found = [arb(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] = found[i + j] + x * y
    return found


@dataclass(frozen=True, eq=False)
class Net:
    """A function on one part of the box: ``values`` with an axis for each variable, right to ``error`` each.

    ``halvings`` says how often each variable was halved since it was cut; -1 for one that is not cut, whose axis holds
    coefficients of e^(ikx).
    """

    values: NDArray[Any]
    error: float
    halvings: tuple[int, ...]

    @property
    def uncut(self) -> tuple[int, ...]:
        """Axes that hold coefficients."""
        return tuple(axis for axis, times in enumerate(self.halvings) if times < 0)

    def mapped(self, axis: int, matrix: Matrix) -> tuple[NDArray[Any], float]:
        """The matrix applied to one variable, and the error of what comes out."""
        most, count = float(np.abs(self.values).max()) + self.error, self.values.shape[axis]
        error = matrix.size * self.error + (matrix.error + (2 * count + 8) * UNIT * matrix.size) * most
        values = np.tensordot(matrix.values, self.values, (1, axis))
        return np.moveaxis(values, 0, axis), ROOM * error + LOST * (most > 0)

    def split(self, axis: int, variables: Sequence[Variable]) -> list[Net]:
        """The parts into which one variable divides this one: its first pieces, or halves."""
        variable, times = variables[axis], self.halvings[axis]
        halvings = (*self.halvings[:axis], times + 1, *self.halvings[axis + 1 :])
        if times >= 0:
            both, error = self.mapped(axis, variable.matrix("halves", times))
            return [Net(values, error, halvings) for values in np.split(both, 2, axis=axis)]
        parts = []
        for index in range(variable.pieces):
            values, error = self.mapped(axis, variable.matrix("piece", index))
            # control values of a real function are real
            parts.append(Net(np.ascontiguousarray(values.real) if min(halvings) >= 0 else values, error, halvings))
        return parts

    def greatest(self) -> float:
        """A number that the function does not exceed on this part; infinite where it is no number."""
        middle, off, uncut = self.values, self.error, self.uncut
        if uncut:
            zeroth = tuple(size // 2 if axis in uncut else slice(None) for axis, size in enumerate(self.values.shape))
            middle, count = self.values[zeroth].real, prod(self.values.shape[axis] for axis in uncut)
            moduli = np.abs(self.values).sum(axis=uncut)
            # as many errors as coefficients, the moduli of all but the zeroth, and the rounding of their sum
            off = count * self.error + (moduli - np.abs(middle)) + (count + 8) * UNIT * moduli
        most = float((middle + (ROOM * off + 2 * UNIT * np.abs(middle))).max())
        return most if most == most else inf


def first_net(series: Any, variables: Sequence[Variable]) -> Net:
    """An exact series as a net of the whole box; variables whose range is a single piece are cut."""
    values = np.zeros([variable.size for variable in variables], np.complex128)
    for k, (re, im) in series.items():
        values[tuple(m if v.slides else m + v.degree for m, v in zip(k, variables, strict=True))] = complex(
            nearest(re), nearest(im)
        )
    # each coefficient to half a unit; all that underflowed is still there
    error = UNIT * float(np.abs(values).max(initial=0.0)) + LOST * bool(series)
    # without a variable a function is its zeroth coefficient, which is real
    net = Net(values if variables else values.real, error, tuple(-1 for _ in variables))
    for axis, variable in enumerate(variables):
        if variable.pieces == 1:
            (net,) = net.split(axis, variables)
    return net


def nearest(x: Any) -> float:
    """The float nearest to a rational number."""
    return int(x.p) / int(x.q)
