"""Numbers as people write them in an arm file: ``0.4318``, ``"1/3"``, ``"-3*pi/4"``, ``"90 deg"``.

A value is kept exactly, as a rational number plus a rational multiple of pi, so that ``"pi/2"`` is a right
angle and not the float nearest to one. The grammar is small on purpose, and nothing in it is ever executed::

    quantity = sum ["deg" | "rad"]
    sum      = product {("+" | "-") product}
    product  = factor {("*" | "/") factor}
    factor   = ("+" | "-") factor | decimal | "pi" | "(" sum ")"
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from reprlib import Repr

from ..errors import ArmError
from ..exact import Angle, bounded, decimal_of, exact
from .angle_reading import AngleReading

LARGEST = 10**30
LARGEST_ANGLE = 10**6
"""Largest magnitude of an angle (rad)."""
LONGEST = 10_000
"""Longest expression (characters)."""
DEEPEST = 20
"""Deepest nesting of brackets."""
TOKEN = re.compile(r"\s*(?:([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|([A-Za-z]+)|([-+*/()]))")
LONE = re.compile(r"\s*([-+]?[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)\s*(?:rad\s*)?")
"""A string that is one decimal of radians."""
EXAMPLES = 'such as 0.5, "1/3", "pi/2" or "90 deg"'


class _Short(Repr):
    """Values of files, cut short; decimals as they are written, also in lists and tables."""

    def repr_Decimal(self, value: Decimal, level: int) -> str:
        text = str(value)
        return text if len(text) <= self.maxother else f"{text[: self.maxother - 3]}..."


_short = _Short()
_short.maxstring = _short.maxother = _short.maxlong = 60


def shown(value: object) -> str:
    """A value for an error message, truncated where it is long."""
    return _short.repr(value)


@dataclass(frozen=True, slots=True)
class Quantity:
    """The number ``plain + turns * pi``."""

    plain: Fraction
    turns: Fraction = Fraction(0)

    def __float__(self) -> float:
        # Through degrees, so that "pi/2" and "90 deg" round to the same float as math.radians(90).
        return float(self.plain) + math.radians(self.turns * 180)

    @property
    def rational(self) -> Fraction:
        """The number itself where it is rational, else the decimal nearest to it."""
        return self.plain if not self.turns else exact(float(self))

    @property
    def angle(self) -> Angle:
        """The angle of this many radians."""
        return Angle.degrees(self.turns * 180) if not self.plain else Angle.of(self.rational)


def quantity(value: object, what: str) -> Quantity:
    """The number written as an int, a Decimal or a string, within ±1e30."""
    if isinstance(value, str):
        number = _Parser(value, what).read()
    elif isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ArmError(f"{what} must be a number, {EXAMPLES}; got {shown(value)}")
    elif isinstance(value, Decimal) and not value.is_finite():
        raise ArmError(f"{what} must be finite, got {value}")
    # Checked before the conversion, which would write out every digit of 1e999999.
    elif not -LARGEST <= value <= LARGEST:
        raise ArmError(f"{what} must lie within ±1e30, got {shown(value)}")
    else:
        number = Quantity(exact(value, what))
    if abs(number.plain) > LARGEST or abs(number.turns) > LARGEST:
        raise ArmError(f"{what} must lie within ±1e30, got {shown(value)}")
    return number


def says_angle(text: str) -> bool:
    """Whether the unit of an angle stands behind the number."""
    return text.rstrip().endswith(("deg", "rad"))


def angle(value: object, what: str, reading: AngleReading) -> Angle:
    """The angle written as ``value``, in radians unless it says deg; a lone decimal of radians goes by ``reading``.

    A table ``{cos = .., sin = ..}`` of two rational numbers gives a point of the circle exactly.
    """
    if isinstance(value, Mapping):
        return _on_circle(value, what)
    number = quantity(value, what)
    if abs(float(number)) > LARGEST_ANGLE:
        raise ArmError(f"{what} is {float(number):g} rad; give an angle within ±1e6 rad, whole turns left out")
    if isinstance(value, Decimal):
        return reading.angle(value, what)
    lone = LONE.fullmatch(value) if isinstance(value, str) else None
    if lone:
        return reading.angle(decimal_of(lone[1], what), what)
    if not number.turns:
        reading.judge(number.rational, what)
    return number.angle


def _on_circle(value: Mapping[str, object], what: str) -> Angle:
    """The angle of an exact point {cos, sin} of the unit circle."""
    if not {"cos", "sin"} <= set(value) <= {"cos", "sin", "radians"}:
        raise ArmError(f"{what}: an angle as a table has cos, sin and possibly radians; got {shown(dict(value))}")
    cos, sin = (quantity(value[key], f"{what} {key}").rational for key in ("cos", "sin"))
    if cos * cos + sin * sin != 1:
        raise ArmError(f"{what}: cos^2 + sin^2 is not exactly 1; give a rational point of the circle, such as 3/5, 4/5")
    radians = math.atan2(sin, cos)
    if "radians" in value:
        stated = float(quantity(value["radians"], f"{what} radians"))
        if abs(math.remainder(stated - radians, math.tau)) > 1e-9:
            raise ArmError(f"{what}: radians = {stated:g} is not the angle of this cos and sin; leave it out")
        radians = stated
    return Angle(cos, sin, radians)


class _Parser:
    """Recursive-descent parser of one string."""

    def __init__(self, text: str, what: str) -> None:
        self.text, self.what, self.depth, self.position = text, what, 0, 0
        if len(text) > LONGEST:
            raise self.wrong(f"it is longer than {LONGEST} characters")
        self.tokens = self.split()

    def wrong(self, why: str) -> ArmError:
        """The error with this reason."""
        return ArmError(f"{self.what}: {shown(self.text)} is not a number: {why}; write one {EXAMPLES}")

    def split(self) -> list[str]:
        """The tokens of the string."""
        tokens, position, text = [], 0, self.text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None:
                raise self.wrong(f"{text[position:].lstrip()[:1]!r} has no meaning here")
            tokens.append(match[match.lastindex or 0])
            position = match.end()
        if not tokens:
            raise self.wrong("it is empty")
        return tokens

    def peek(self) -> str:
        """The next token, or an empty string."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, *accepted: str) -> str:
        """The next token if it is one of these, consumed; else an empty string."""
        token = self.peek()
        if token and token in accepted:
            self.position += 1
            return token
        return ""

    def read(self) -> Quantity:
        value = self.sum()
        unit = self.take("deg", "rad")
        if self.peek():
            raise self.wrong(f"{shown(self.peek())} has no place there")
        if unit == "deg":
            if value.turns:
                raise self.wrong("pi and deg are two ways to write an angle, use one of them")
            value = Quantity(Fraction(0), value.plain / 180)
        return value

    def sum(self) -> Quantity:
        value = self.product()
        while sign := self.take("+", "-"):
            term, factor = self.product(), -1 if sign == "-" else 1
            value = self.bounded(value.plain + factor * term.plain, value.turns + factor * term.turns)
        return value

    def product(self) -> Quantity:
        value = self.factor()
        while sign := self.take("*", "/"):
            operand = self.factor()
            if sign == "*":
                if value.turns and operand.turns:
                    raise self.wrong("pi times pi is not a multiple of pi")
                plain = value.plain * operand.plain
                value = self.bounded(plain, value.turns * operand.plain + value.plain * operand.turns)
            elif operand.turns:
                raise self.wrong("it divides by pi")
            elif not operand.plain:
                raise self.wrong("it divides by zero")
            else:
                value = self.bounded(value.plain / operand.plain, value.turns / operand.plain)
        return value

    def bounded(self, plain: Fraction, turns: Fraction) -> Quantity:
        """The value of a step, refused where its digits grow without end."""
        return Quantity(bounded(plain, self.what), bounded(turns, self.what))

    def factor(self) -> Quantity:
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign == "-"
        value = self.atom()
        return Quantity(-value.plain, -value.turns) if negative else value

    def atom(self) -> Quantity:
        if self.take("pi"):
            return Quantity(Fraction(0), Fraction(1))
        if self.take("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise self.wrong(f"its brackets are nested more than {DEEPEST} deep")
            value = self.sum()
            if not self.take(")"):
                raise self.wrong("a bracket is not closed")
            self.depth -= 1
            return value
        token = self.peek()
        if not token[:1].isdigit() and token[:1] != ".":
            raise self.wrong(f"{shown(token)} has no place there" if token else "it ends too early")
        self.position += 1
        return Quantity(exact(token, self.what))
