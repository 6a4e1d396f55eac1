"""Names and units of the variables of an FMU: any name of a joint becomes a part of a structured name, and unique."""

from __future__ import annotations

import re
from collections.abc import Iterable

UNITS: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "rad": {"rad": 1},
    "m": {"m": 1},
    "rad/s": {"rad": 1, "s": -1},
    "m/s": {"m": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "m/s2": {"m": 1, "s": -2},
    "kg": {"kg": 1},
    "kg.m2": {"kg": 1, "m": 2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m.s/rad": {"kg": 1, "m": 2, "s": -1, "rad": -1},
    "N.s/m": {"kg": 1, "s": -1},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "A": {"A": 1},
    "A/s": {"A": 1, "s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "V.s/rad": {"kg": 1, "m": 2, "s": -2, "A": -1, "rad": -1},
    "N.m/A": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "V.s/m": {"kg": 1, "m": 1, "s": -2, "A": -1},
    "N/A": {"kg": 1, "m": 1, "s": -2, "A": -1},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "1": {},
}
"""Every unit, and its exponents of SI base units."""

LONGEST = 60


def structured(labels: Iterable[str]) -> tuple[str, ...]:
    """One identifier for each label, of ASCII letters, digits and underscores, no two the same."""
    used: set[str] = set()
    names = []
    for label in labels:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", label)[:LONGEST]
        stem = plain if plain and not plain[0].isdigit() else f"_{plain}"
        name, count = stem, 1
        while name.lower() in used:
            count += 1
            name = f"{stem}_{count}"
        used.add(name.lower())
        names.append(name)
    return tuple(names)


def xml_line(text: str) -> str:
    """``text`` on one line of at most 200 characters, with nothing that XML does not allow."""
    plain = "".join(c if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF and ord(c) < 0xFFFE else " " for c in text)
    return " ".join(plain.split())[:200]
