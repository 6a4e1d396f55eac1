"""Figures of data sheets in SI units, and back: ``si(27, "oz in")`` is 0.19066 N m.

A unit is a product of the words of ``WORDS`` with powers, and quotients: ``"g cm^2"``, ``"deg/s"``, ``"lbf ft"``,
``"oz in s^2"``, ``"rpm"``. Factors are those of the international yard and pound agreement of 1959 and of the standard
gravity, 9.80665 m/s^2, and exact but for pi.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArmError

GRAVITY: Final = Fraction("9.80665")
POUND: Final = Fraction("0.45359237")
INCH: Final = Fraction("0.0254")
WORDS: Final[dict[str, tuple[Fraction, int]]] = {
    "m": (Fraction(1), 0), "mm": (Fraction(1, 1000), 0), "cm": (Fraction(1, 100), 0), "um": (Fraction(1, 10**6), 0),
    "in": (INCH, 0), "ft": (12 * INCH, 0),
    "kg": (Fraction(1), 0), "g": (Fraction(1, 1000), 0), "lb": (POUND, 0), "slug": (POUND * GRAVITY / (12 * INCH), 0),
    "s": (Fraction(1), 0), "ms": (Fraction(1, 1000), 0), "min": (Fraction(60), 0), "h": (Fraction(3600), 0),
    "N": (Fraction(1), 0), "mN": (Fraction(1, 1000), 0), "kN": (Fraction(1000), 0), "kgf": (GRAVITY, 0),
    "gf": (GRAVITY / 1000, 0), "lbf": (POUND * GRAVITY, 0), "ozf": (POUND * GRAVITY / 16, 0),
    "oz": (POUND * GRAVITY / 16, 0),
    "Nm": (Fraction(1), 0), "mNm": (Fraction(1, 1000), 0),
    "J": (Fraction(1), 0), "W": (Fraction(1), 0), "kW": (Fraction(1000), 0),
    "hp": (550 * 12 * INCH * POUND * GRAVITY, 0),
    "A": (Fraction(1), 0), "mA": (Fraction(1, 1000), 0), "V": (Fraction(1), 0), "kV": (Fraction(1000), 0),
    "ohm": (Fraction(1), 0), "mohm": (Fraction(1, 1000), 0), "H": (Fraction(1), 0), "mH": (Fraction(1, 1000), 0),
    "uH": (Fraction(1, 10**6), 0), "Hz": (Fraction(1), 0),
    "rad": (Fraction(1), 0), "mrad": (Fraction(1, 1000), 0), "deg": (Fraction(1, 180), 1),
    "arcmin": (Fraction(1, 10800), 1), "arcsec": (Fraction(1, 648000), 1), "rev": (Fraction(2), 1),
    "rpm": (Fraction(1, 30), 1), "krpm": (Fraction(100, 3), 1),
}  # fmt: skip
"""For each word its factor to SI units, and the power of pi that goes with it; ``oz`` is a force, as in motor data."""
PART = re.compile(r"\s*([*/]?)\s*([A-Za-z]+)(?:\^(-?[0-9]))?\s*")
LONGEST = 80


def si(value: ArrayLike, unit: str) -> float | NDArray[np.float64]:
    """``value`` of ``unit`` in SI units and radians: a float, or an array of the same shape."""
    return _scaled(value, unit, to_si=True)


def in_unit(value: ArrayLike, unit: str) -> float | NDArray[np.float64]:
    """``value`` in SI units and radians as so many of ``unit``; undoes ``si``."""
    return _scaled(value, unit, to_si=False)


def _scaled(value: ArrayLike, unit: str, to_si: bool) -> float | NDArray[np.float64]:
    factor = factor_of(unit)
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArmError(f"{value!r:.60} is no number, nor an array of them") from None
    scaled = numbers * factor if to_si else numbers / factor
    return float(scaled) if scaled.ndim == 0 else scaled


def factor_of(unit: str) -> float:
    """What one of ``unit`` is in SI units and radians."""
    if not isinstance(unit, str) or not unit.strip() or len(unit) > LONGEST:
        raise ArmError(f'a unit is a text such as "oz in", "g cm^2" or "deg/s", not {unit!r:.60}')
    factor, turns, position = Fraction(1), 0, 0
    while position < len(unit):
        part = PART.match(unit, position)
        if part is None or (position == 0 and part[1]):
            raise ArmError(f'{unit!r} is no unit: write words and powers, as in "oz in", "g cm^2" or "deg/s"')
        if part[2] not in WORDS:
            raise ArmError(f"{unit!r} has {part[2]!r:.40}, which is no unit here; there are {', '.join(WORDS)}")
        power = int(part[3] or 1) * (-1 if part[1] == "/" else 1)
        scale, pi = WORDS[part[2]]
        factor, turns, position = factor * scale**power, turns + pi * power, part.end()
    return float(factor) * math.pi**turns
