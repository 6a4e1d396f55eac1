"""Exact numbers of a description: decimals enter as written, angles become points on the circle.

An arm is described by rational numbers only. A decimal is the rational it spells (0.4318 is
4318/10000), and a fixed angle is a rational point (cos, sin) with cos^2 + sin^2 = 1 exactly, so every
fixed rotation is an exactly orthogonal matrix. All rings read these same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational, Real

from .errors import ArmError

QUARTER = math.pi / 2
"""A right angle (rad)."""
CIRCLE_TOLERANCE = Fraction(1, 4 * 10**15)
"""Largest error of tan(angle/2); the angle is then within twice as much."""
LARGEST_EXPONENT = 400
LONGEST_NUMBER = 1_000
"""Longest decimal (characters)."""
MOST_BITS = 14_000
"""Most bits of the numerator or denominator of an exact number that arithmetic in a file or a formula may make."""


def decimal_of(text: str, what: str = "number") -> Decimal:
    """The decimal that a text spells, digit for digit; the one place where text becomes a number."""
    if len(text) > LONGEST_NUMBER:
        raise ArmError(f"{what}: a number has more than {LONGEST_NUMBER} digits; shorten it")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ArmError(f"{what} must be a number within 1e±{LARGEST_EXPONENT}, got {text[:60]!r}") from None


def bounded(value: Fraction, what: str = "number") -> Fraction:
    """The number, refused where arithmetic has made it so long that more of it would never end."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise ArmError(f"{what}: its exact value has more than {MOST_BITS * 3 // 10} digits; write it rounded")
    return value


def whole_number(text: str) -> int | None:
    """The whole number that a text of at most nine plain digits spells, or None: a superscript 2 counts nothing."""
    return int(text) if len(text) <= 9 and text.isascii() and text.isdigit() else None


def exact(value: object, what: str = "number") -> Fraction:
    """The rational number that ``value`` spells: 0.1 is 1/10, not the binary fraction nearest to it."""
    if isinstance(value, bool):
        raise ArmError(f"{what} must be a number, got {value!r}")
    if isinstance(value, Fraction):
        return value  # also one that carries more than its value (rings/traced.py)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        decimal = value
    elif isinstance(value, Real | str):
        decimal = decimal_of(value if isinstance(value, str) else repr(float(value)), what)
    else:
        raise ArmError(f"{what} must be a number, got {value!r:.60}")
    if not decimal.is_finite():
        raise ArmError(f"{what} must be finite, got {value}")
    # Bounds the memory: Fraction(Decimal("1e999999999")) would try to write out that many digits.
    if decimal and abs(decimal.adjusted()) > LARGEST_EXPONENT:
        raise ArmError(f"{what} must lie within 1e±{LARGEST_EXPONENT}, got {str(value)[:60]}")
    return Fraction(decimal)


def exact_vector(values: object, what: str) -> tuple[Fraction, Fraction, Fraction]:
    """Three exact numbers."""
    try:
        items = list(values)  # type: ignore[call-overload]
    except TypeError:
        raise ArmError(f"{what} must be three numbers, got {values!r}") from None
    if isinstance(values, str) or len(items) != 3:
        raise ArmError(f"{what} must be three numbers, got {values!r}")
    x, y, z = (exact(item, f"{what}[{axis}]") for item, axis in zip(items, "xyz", strict=True))
    return x, y, z


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of smallest denominator in [low, high], by continued fractions (Stern-Brocot)."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    integer = low.numerator // low.denominator
    if integer == low:
        return Fraction(integer)
    if integer + 1 <= high:
        return Fraction(integer + 1)
    return integer + 1 / simplest_between(1 / (high - integer), 1 / (low - integer))


@dataclass(frozen=True, slots=True)
class Angle:
    """A fixed angle as a rational point (cos, sin) of the unit circle, within 1e-15 of ``radians``."""

    cos: Fraction
    sin: Fraction
    radians: float

    @classmethod
    def of(cls, value: object, what: str = "angle") -> Angle:
        """The angle of ``value`` radians; a float within rounding of a multiple of 90 degrees is exact."""
        if isinstance(value, Angle):
            return value
        radians = float(exact(value, what))
        quarters = round(radians / QUARTER)
        if abs(radians - quarters * QUARTER) <= 2 * math.ulp(max(abs(radians), QUARTER)):
            return cls.quarters(quarters)
        return cls._near(radians, quarters, radians - quarters * QUARTER)

    @classmethod
    def degrees(cls, value: object, what: str = "angle") -> Angle:
        """The angle of ``value`` degrees; multiples of 90 are exact."""
        number = exact(value, what)
        quarters = round(number / 90)
        if number == 90 * quarters:
            return cls.quarters(quarters)
        return cls._near(math.radians(number), quarters, math.radians(number - 90 * quarters))

    @classmethod
    def quarters(cls, count: int) -> Angle:
        """``count`` right angles, exactly."""
        cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[count % 4]
        return cls(Fraction(cos), Fraction(sin), count * QUARTER)

    @classmethod
    def _near(cls, radians: float, quarters: int, remainder: float) -> Angle:
        # cos = (1 - t^2)/(1 + t^2), sin = 2t/(1 + t^2) with t = tan(angle/2) rational; subtracting the
        # quarter turns first keeps |t| below tan(22.5 deg), where an error in t is at most doubled in the angle.
        half = Fraction(math.tan(remainder / 2))
        t = simplest_between(half - CIRCLE_TOLERANCE, half + CIRCLE_TOLERANCE)
        cos, sin = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        turn = cls.quarters(quarters)
        return cls(turn.cos * cos - turn.sin * sin, turn.sin * cos + turn.cos * sin, radians)

    def __neg__(self) -> Angle:
        return Angle(self.cos, -self.sin, -self.radians)

    def __bool__(self) -> bool:
        return self.cos != 1
