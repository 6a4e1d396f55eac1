"""The ring of trigonometric polynomials: a number is an exact polynomial in sines, cosines and symbols.

Numbers live in Q[symbols][s_a, c_a] / (s_a^2 + c_a^2 - 1), on python-flint's multivariate rationals. Every
product is reduced at once (s_a^2 -> 1 - c_a^2), so each function has one normal form: two numbers are equal exactly if
their normal forms are, and no heuristic simplification is needed.

An angle a is the position of one revolute joint, or the sum of the positions of consecutive joints with
parallel axes (``rings/angles.py``), or a fixed angle that stays a symbol, such as a twist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from ..arm.exact import Angle
from .algebra import add, mul, sub
from .angles import Angles
from .joint_angles import CONSTANTS, JointAngle, NoPolynomial, NotTrigonometric, constant, constant_of
from .ring import Scalar, structural
from .sparse import terms

LARGEST_MULTIPLE = 8
"""Integer multiples of an angle up to this have closed forms: cos(m q) in powers of cos q has coefficients up to
2^(m-1), and evaluating it loses (1 + sqrt(2))^m, which is three digits at 8."""
MOST_TERMS, MOST_PRODUCTS = 300_000, 5_000_000
"""Most terms of a factor, and of a product before like ones are collected: each joint of a general arm multiplies them
by 5, and memory would be the bound."""


class TrigNumber:
    """A polynomial in normal form. ``angles`` has a bit for each angle whose sine or cosine may occur.

    The bits tell which relations a product can need; most products need none.
    """

    __slots__ = ("angles", "poly", "ring")

    def __init__(self, ring: TrigRing, poly: Any, angles: int) -> None:
        self.ring, self.poly, self.angles = ring, poly, angles

    @property
    def constant_value(self) -> Any:
        """The value of a number that is a constant (fmpq), or None."""
        return self.poly.leading_coefficient() if self.poly.is_constant() else None

    def __add__(self, other: Scalar) -> Scalar:
        if type(other) is TrigNumber:
            poly = self.poly + other.poly
            return TrigNumber(self.ring, poly, self.angles | other.angles) if poly else 0
        if not isinstance(other, CONSTANTS):
            return NotImplemented
        if other == 0:
            return self
        poly = self.poly + constant(other)
        return TrigNumber(self.ring, poly, self.angles) if poly else 0

    __radd__ = __add__

    def __neg__(self) -> TrigNumber:
        return TrigNumber(self.ring, -self.poly, self.angles)

    def __sub__(self, other: Scalar) -> Scalar:
        if type(other) is TrigNumber:
            poly = self.poly - other.poly
            return TrigNumber(self.ring, poly, self.angles | other.angles) if poly else 0
        return self + (-other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self) + other

    def __mul__(self, other: Scalar) -> Scalar:
        if type(other) is not TrigNumber:
            if not isinstance(other, CONSTANTS):
                return NotImplemented
            return TrigNumber(self.ring, self.poly * constant(other), self.angles) if other else 0
        if max(len(self.poly), len(other.poly)) > MOST_TERMS or len(self.poly) * len(other.poly) > MOST_PRODUCTS:
            raise self.ring.too_long(max(len(self.poly), len(other.poly)))
        poly = self.poly * other.poly
        common = self.angles & other.angles
        if common:
            poly = self.ring.reduced(poly, common)
            if not poly:
                return 0
        return TrigNumber(self.ring, poly, self.angles | other.angles)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TrigNumber):
            return self.ring is other.ring and bool(self.poly == other.poly)
        return isinstance(other, int | Fraction) and bool(self.poly == constant(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = self.ring.names
        monomials = ["*".join([str(k), *(f"{names[i]}^{e}" for i, e in m)]) for m, k in terms(self.poly).items()]
        return f"TrigNumber({' + '.join(monomials) or 0})"


def _turned(sin0: Scalar, cos0: Scalar, sin: Scalar, cos: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of the sum of two angles."""
    return add(mul(sin0, cos), mul(cos0, sin)), sub(mul(cos0, cos), mul(sin0, sin))


def _multiple(sin: Scalar, cos: Scalar, times: int) -> tuple[Scalar, Scalar]:
    """Sine and cosine of ``times`` an angle: (c + i s)^times, by squaring."""
    power: tuple[Scalar, Scalar] = (0, 1)
    while times:
        if times & 1:
            power = power[0] * cos + power[1] * sin, power[1] * cos - power[0] * sin
        sin, cos = 2 * sin * cos, cos * cos - sin * sin
        times >>= 1
    return power


class TrigRing:
    """Constants, joint positions and symbols of one arm.

    Variables, in the order that makes s_a^2 the leading term of its relation: all sines, all cosines, the
    positions of prismatic joints, then ``symbols`` in the order given.
    """

    def __init__(self, angles: Angles, symbols: Sequence[str] = ()) -> None:
        self.angles = angles
        self.symbols = tuple(symbols)
        self.tags = angles.tags
        count = len(self.tags)
        self.sliding = {joint: 2 * count + position for position, joint in enumerate(angles.prismatic)}
        names = [f"s{tag}" for tag in self.tags] + [f"c{tag}" for tag in self.tags]
        names += [f"q{joint + 1}" for joint in angles.prismatic]
        self.first_symbol = len(names)
        self.names: tuple[str, ...] = (*names, *self.symbols)
        if len(set(self.names)) != len(self.names):
            duplicate = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"two variables of the equations are named {duplicate!r}")
        # flint requires at least one variable, also for an arm without any. For the names see rings/sparse.py.
        self.context = fmpq_mpoly_ctx.get([f"v{i}" for i in range(max(1, len(self.names)))], Ordering.lex)
        gens = self.context.gens()
        self.gens = gens[: len(self.names)]
        self.sines, self.cosines = gens[:count], gens[count : 2 * count]
        self.rules = [s * s + c * c - 1 for s, c in zip(self.sines, self.cosines, strict=True)]
        self.one = self.context.constant(1)
        self.zero = self.context.constant(0)
        self.index = {name: position for position, name in enumerate(self.names)}
        self.too_long: Callable[[int], Exception] = lambda count: ValueError(f"a factor of {count} terms is too long")
        """The error for a product that grows beyond all bounds; whoever knows the arm says more."""

    # -- the Ring protocol -----------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return TrigRing, (self.angles, self.symbols)

    def number(self, value: Fraction) -> Scalar:
        """A rational constant; 0, 1 and -1 stay structural."""
        integer = structural(value)
        return self.wrap(self.one * constant(value), 0) if integer is None else integer

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of sums of integer multiples of joint angles and a fixed angle, by the addition theorems.

        Where axes are parallel the angle of a joint is the difference of two sums.
        """
        value = constant_of(angle)
        if value is not None:
            return self._fixed_pair(value)
        if not isinstance(angle, JointAngle):
            raise NotTrigonometric(
                "sine and cosine are taken of what is no sum of whole multiples of joint angles and a fixed angle"
            )
        pair = self._fixed_pair(angle.offset)
        for joint, times in angle.times:
            if abs(times) > LARGEST_MULTIPLE:
                raise NotTrigonometric(
                    f"sine and cosine are taken of {abs(times)} times the angle of joint {joint + 1}, and powers of "
                    f"sine and cosine lose all digits beyond {LARGEST_MULTIPLE} times"
                )
            pair = _turned(*pair, *self._joint_pair(joint, times))
        return pair

    def _fixed_pair(self, radians: Fraction) -> tuple[Scalar, Scalar]:
        """Sine and cosine of a fixed angle: a rational point of the circle (``arm/exact.py``)."""
        point = Angle.of(radians)
        return self.number(point.sin), self.number(point.cos)

    def _joint_pair(self, joint: int, times: int) -> tuple[Scalar, Scalar]:
        """Sine and cosine of a multiple of the angle of one joint."""
        upper, lower, sign = self.angles.of_joint[joint]
        sin, cos = self.pair(upper)
        if lower is not None:
            sin0, cos0 = self.pair(lower)
            sin, cos = sin * cos0 - cos * sin0, cos * cos0 + sin * sin0
        return _multiple(sin if (sign > 0) == (times > 0) else -sin, cos, abs(times))

    # -- elements --------------------------------------------------------------------------------

    def wrap(self, poly: Any, angles: int | None = None) -> TrigNumber:
        """A polynomial of this ring's context that is already in normal form, as a number."""
        return TrigNumber(self, poly, self.angles_in(poly) if angles is None else angles)

    def pair(self, angle: int) -> tuple[TrigNumber, TrigNumber]:
        """Sine and cosine of the angle with this index."""
        return self.wrap(self.sines[angle], 1 << angle), self.wrap(self.cosines[angle], 1 << angle)

    def fixed(self, name: str) -> tuple[TrigNumber, TrigNumber]:
        """Sine and cosine of a fixed angle that stays a symbol."""
        return self.pair(self.angles.fixed_index[name])

    def symbol(self, name: str) -> TrigNumber:
        """The symbol of this name."""
        return self.wrap(self.gens[self.index[name]], 0)

    def position(self, joint: int) -> JointAngle | TrigNumber:
        """The position of a joint (counted from 0): what formulations take as q."""
        return self.wrap(self.gens[self.sliding[joint]], 0) if joint in self.sliding else JointAngle(((joint, 1),))

    @cached_property
    def positions(self) -> list[JointAngle | TrigNumber]:
        """The positions of all joints, as formulations take them for q."""
        return [self.position(joint) for joint in range(self.angles.joints)]

    def reduced(self, poly: Any, angles: int | None = None) -> Any:
        """The normal form of a polynomial; ``angles`` limits the relations that can be needed."""
        for angle, rule in enumerate(self.rules):
            if angles is None or angles >> angle & 1:
                poly = poly % rule
        return poly

    def angles_in(self, poly: Any) -> int:
        """A bit for each angle that occurs in a polynomial."""
        count = len(self.tags)
        degrees = poly.degrees()
        return sum(1 << a for a in range(count) if degrees[a] > 0 or degrees[count + a] > 0)

    def derivative(self, poly: Any, joint: int) -> Any:
        """The partial derivative of a polynomial with respect to the position of a joint, in normal form."""
        if joint in self.sliding:
            return poly.derivative(self.sliding[joint])
        count = len(self.tags)
        total = self.zero
        for angle, weight in self.angles.moved_by[joint]:
            term = poly.derivative(angle) * self.cosines[angle]
            cosine_part = poly.derivative(count + angle)
            if cosine_part:
                term = term - (cosine_part * self.sines[angle]) % self.rules[angle]
            total = total + term if weight > 0 else total - term
        return total

    def poly_of(self, number: Scalar) -> Any:
        """The flint polynomial of a number of this ring, structural constants included."""
        if isinstance(number, TrigNumber):
            return number.poly
        if isinstance(number, NoPolynomial):
            raise NotTrigonometric("a joint angle itself stands in it, outside sine and cosine")
        return self.one * constant(number)
