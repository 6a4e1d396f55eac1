"""Dual numbers with sparse tangents, over any ring: forward-mode automatic differentiation.

A dual number is a value and, for each variable it depends on, the partial derivative with respect to that variable:
(f, f') (g, g') = (f g, f' g + f g') (Griewank and Walther 2008, chapter 3). Tangents that are structurally zero are
never stored, so a quantity that does not depend on a joint costs nothing for that joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .algebra import add, mul, sub
from .ring import Field, Ring, Scalar


class Dual:
    """A value with its partial derivatives with respect to variables, which are numbered by integers."""

    __slots__ = ("tangents", "value")
    __array_ufunc__ = None  # a NumPy array on the left must defer to the reflected operator of this class

    def __init__(self, value: Scalar, tangents: Mapping[int, Scalar]) -> None:
        self.value = value
        self.tangents = dict(tangents)

    def __add__(self, other: Scalar) -> Dual:
        if not isinstance(other, Dual):
            return Dual(add(self.value, other), self.tangents)
        tangents = dict(self.tangents)
        for key, slope in other.tangents.items():
            tangents[key] = add(tangents[key], slope) if key in tangents else slope
        return Dual(add(self.value, other.value), tangents)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, {key: -slope for key, slope in self.tangents.items()})

    def __sub__(self, other: Scalar) -> Dual:
        if not isinstance(other, Dual):
            return Dual(sub(self.value, other), self.tangents)
        tangents = dict(self.tangents)
        for key, slope in other.tangents.items():
            tangents[key] = sub(tangents[key], slope) if key in tangents else -slope
        return Dual(sub(self.value, other.value), tangents)

    def __rsub__(self, other: Scalar) -> Dual:
        return (-self) + other

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Dual):
            return Dual(mul(self.value, other), {key: mul(slope, other) for key, slope in self.tangents.items()})
        a, b = self.value, other.value
        tangents = {} if type(b) is int and not b else {k: mul(s, b) for k, s in self.tangents.items()}
        if type(a) is int and not a:
            return Dual(0, tangents) if tangents else 0
        for key, slope in other.tangents.items():
            product = mul(a, slope)
            tangents[key] = add(tangents[key], product) if key in tangents else product
        return Dual(mul(a, b), tangents)

    __rmul__ = __mul__


def value_of(number: Scalar) -> Scalar:
    """The value of a number that may or may not be dual."""
    return number.value if isinstance(number, Dual) else number


def slope_of(number: Scalar, key: int) -> Scalar:
    """The derivative of a number with respect to variable ``key``; a structural zero where it is independent of it."""
    return number.tangents.get(key, 0) if isinstance(number, Dual) else 0


def lifted(number: Scalar, levels: int) -> Scalar:
    """A number of the base as a constant of duals over it, ``levels`` times over.

    Numbers that are no duals are constants at every level. Those that are have slopes to variables of their own, which
    a product with duals over them would take for slopes to the variables of these.
    """
    for _ in range(levels if isinstance(number, Dual) else 0):
        number = Dual(number, {})
    return number


def levels_above(ring: Ring, base: Ring) -> int:
    """How many times ``ring`` is dual numbers over ``base``."""
    return _levels(ring) - _levels(base)


def _levels(ring: Ring) -> int:
    return 1 + _levels(ring.base) if isinstance(ring, Duals) else 0


class Duals:
    """The ring of dual numbers over ``base``."""

    def __init__(self, base: Ring) -> None:
        self.base = base

    def variable(self, value: Scalar, key: int) -> Dual:
        """``value`` as the variable ``key``: its derivative with respect to itself is one."""
        return Dual(value, {key: 1})

    def number(self, value: Fraction) -> Scalar:
        """A constant of the base ring, without tangents."""
        return self.base.number(value)

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """(sin x)' = cos(x) x' and (cos x)' = -sin(x) x'."""
        if not isinstance(angle, Dual):
            return self.base.sincos(angle)
        sin, cos = self.base.sincos(angle.value)
        return (
            Dual(sin, {key: mul(cos, slope) for key, slope in angle.tangents.items()}),
            Dual(cos, {key: mul(-sin, slope) for key, slope in angle.tangents.items()}),
        )

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """(a/b)' = (a' - (a/b) b') / b; only over a field."""
        field: Field = self.base  # type: ignore[assignment]
        if not isinstance(a, Dual) and not isinstance(b, Dual):
            return field.divide(a, b)
        denominator = value_of(b)
        ratio = field.divide(value_of(a), denominator)
        keys = (a.tangents if isinstance(a, Dual) else {}) | (b.tangents if isinstance(b, Dual) else {})
        slopes = {key: sub(slope_of(a, key), mul(ratio, slope_of(b, key))) for key in keys}
        return Dual(ratio, {key: field.divide(slope, denominator) for key, slope in slopes.items()})

    def sqrt(self, a: Scalar) -> Scalar:
        """(sqrt a)' = a' / (2 sqrt a); only over a field."""
        field: Field = self.base  # type: ignore[assignment]
        if not isinstance(a, Dual):
            return field.sqrt(a)
        root = field.sqrt(a.value)
        return Dual(root, {key: field.divide(slope, add(root, root)) for key, slope in a.tangents.items()})

    def sign(self, a: Scalar) -> Scalar:
        """The sign of the value; it is level on either side of zero."""
        field: Field = self.base  # type: ignore[assignment]
        return field.sign(value_of(a))
