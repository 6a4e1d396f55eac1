"""Number formats, and the units of joint quantities."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from typing import Protocol

MINUS = "\u2212"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEAST = 1e-6
"""The smallest fraction that is printed as a percentage."""


class HasKind(Protocol):
    """A joint with a kind, "revolute" or "prismatic"."""

    @property
    def kind(self) -> str:
        """ "revolute" or "prismatic"."""


UNITS = {
    "position": {"revolute": "rad", "prismatic": "m"},
    "shown": {"revolute": "deg", "prismatic": "m"},
    "speed": {"revolute": "rad/s", "prismatic": "m/s"},
    "acceleration": {"revolute": "rad/s²", "prismatic": "m/s²"},
    "effort": {"revolute": "N m", "prismatic": "N"},
    "inertia": {"revolute": "kg m²", "prismatic": "kg"},
}


def unit(joint: HasKind, quantity: str) -> str:
    """The unit of a quantity of this joint; "shown" is the unit in which positions are displayed."""
    return UNITS[quantity][joint.kind]


def formatted(value: float | None, digits: int = 4) -> str:
    """A number to ``digits`` significant digits; a dash for None."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -4 or size > 6:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return mantissa.replace("-", MINUS) + "·10" + str(int(exponent)).translate(RAISED)
    places = max(0, digits - 1 - size)
    plain = f"{value:.{places}f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return plain.replace("-", MINUS) if plain not in ("0", "-0") else "0"


def not_below(value: float, digits: int) -> float:
    """The least number of so many digits that is not below ``value``: what is proved to be a bound is one in print."""
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


def within_percent(share: float, digits: int = 3) -> str:
    """A bound as a fraction in percent, as it stands after "within" or "no further than"; rounded up."""
    return percent(not_below(100 * share, digits) / 100, digits).removeprefix("<\u00a0")


def percent(share: float | None, digits: int = 3) -> str:
    """A fraction in percent; below ``LEAST`` it is given as an upper bound."""
    if share is None or math.isnan(share):
        return "–"
    if 0 < abs(share) < LEAST:
        return f"<\u00a0{formatted(100 * LEAST)}\u00a0%"
    return f"{formatted(100 * share, digits)}\u00a0%"


def shown_position(joint: HasKind, value: float) -> float:
    """A position in display units: degrees for a revolute joint, metres for a prismatic one."""
    return math.degrees(value) if joint.kind == "revolute" else value


def listed(words: list[str], most: int = 6) -> str:
    """ "a, b and c"; only the first ``most`` where there are more."""
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def joint_label(index: int, name: str) -> str:
    """The label of a joint, counted from 1: its number, and its name where that adds something."""
    number = str(index + 1)
    normalised = name.lower().replace("_", "").replace(" ", "").replace("-", "")
    return f"joint {number}" if normalised in (f"joint{number}", f"j{number}", number) else f"joint {number}, {name}"


def drives_phrase(drives: bool, load: bool = False) -> str:
    """The phrase that says whether the drives are counted, and a load in the hand."""
    if load:
        return "drives and load included" if drives else "links and load"
    return "drives included" if drives else "links alone"
