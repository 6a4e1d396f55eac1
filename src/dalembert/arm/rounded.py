"""Which angle a rounded decimal means: files write 1.5708 or 1.57079632679 for a quarter turn.

Taken to the digit, such a number is 3.7e-6 rad off the right angle it stands for; every product of rotations then has
terms of that size, which no model of the arm has, and closed forms grow by a factor of a hundred.

The rule: a decimal with at least four digits behind the point that is a multiple of pi/12 (15 degrees) rounded to its
last digit, or cut off there, means that angle. So 1.5708 and 1.5707 are 90 degrees; 1.57, 1.5709 and 0.785 are
themselves. The components of a unit vector or a unit quaternion that are
sines of multiples of pi/24 are taken likewise, all of them or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

FEWEST_DECIMALS = 4
"""Digits behind the point from which a decimal is taken as rounded."""
ACCURACY = Fraction(1, 10**15)
"""Accuracy of every fixed angle (``Angle``): digits beyond it decide nothing."""
PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
STEP = PI / 12


def rounded_from(written: Decimal, value: Fraction) -> bool:
    """Whether the decimal is ``value`` to the nearest unit of its last digit, or cut off there.

    Trailing zeros count as digits. Digits beyond the accuracy of fixed angles decide nothing.
    """
    exponent = written.as_tuple().exponent
    assert isinstance(exponent, int)
    distance, unit = abs(Fraction(written) - value), Fraction(10) ** exponent
    if distance <= ACCURACY:
        return True
    cut_off = abs(Fraction(written)) < abs(value) and distance < unit
    return -exponent >= FEWEST_DECIMALS and (cut_off or distance <= unit / 2)


def meant_degrees(written: Decimal) -> int | None:
    """The multiple of 15 degrees that this number of radians means, or None where it means itself.

    Zero has no digits to be rounded to: only what no fixed angle can tell from zero is zero.
    """
    value = Fraction(written)
    steps = round(value / STEP)
    meant = rounded_from(written, steps * STEP) if steps else abs(value) <= ACCURACY
    return 15 * steps if meant else None


def departure(written: Decimal, degrees: int) -> float:
    """How far the number lies from so many degrees (rad)."""
    return float(abs(Fraction(written) - degrees * STEP / 15))


def _sines() -> tuple[Fraction, ...]:
    """Sines of 0, 7.5, 15, ..., 90 degrees: 0, 1/2 and 1 exactly, the others to 40 digits."""
    with localcontext(prec=60):
        cos15 = (Decimal(6).sqrt() + Decimal(2).sqrt()) / 4
        cos, sin = ((1 + cos15) / 2).sqrt(), ((1 - cos15) / 2).sqrt()
        x, y, sines = Decimal(1), Decimal(0), []
        for _ in range(13):
            sines.append(Fraction(round(y, 40)))
            x, y = x * cos - y * sin, y * cos + x * sin
    return tuple(sines)


SINES = _sines()
RATIONAL = (SINES[0], SINES[4], SINES[12])


def meant_unit(written: Sequence[Decimal]) -> tuple[Fraction, ...] | None:
    """The unit vector or quaternion that these components are rounded from, or None where they mean themselves."""
    sines = [_meant_sine(component) for component in written]
    recognised = [component for component in sines if component is not None]
    # Roundings of single numbers make a direction only together: their squares have to add up to one.
    if len(recognised) < len(sines) or abs(sum((x * x for x in recognised), Fraction(-1))) > Fraction(1, 10**30):
        return None
    return tuple(recognised)


def _meant_sine(written: Decimal) -> Fraction | None:
    """The sine, with its sign, that a component is rounded from."""
    size, sign = abs(Fraction(written)), -1 if written < 0 else 1
    for sine in SINES:
        if abs(size - sine) <= ACCURACY or (sine not in RATIONAL and rounded_from(abs(written), sine)):
            return sign * sine
    return None


def spelled_out(text: str) -> str:
    """The decimal of an angle, with zeros behind it where its own digits would be read as another angle."""
    written = Decimal(text)
    degrees = meant_degrees(written)
    if degrees is None or departure(written, degrees) <= ACCURACY:
        return text
    return format(written, ".16f")
