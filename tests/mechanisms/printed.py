"""Comparing with printed tables: a number agrees if it is within one unit of the last digit that is printed."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(text: str) -> Any:
    """The rows of a printed table, one line each, and one unit of the last printed digit of every entry."""
    words = [line.split() for line in text.strip().splitlines()]
    units = [[10.0 ** -len(word.partition(".")[2]) for word in row] for row in words]
    return np.array([[float(word) for word in row] for row in words]), np.array(units)


def off(found: Any, text: str, units: float = 1.0, slack: Any = 0.0) -> list[tuple[int, ...]]:
    """The places (counted from 1) where a table is off by more than this many units of its last digit and ``slack``."""
    printed, unit = numbers(text)
    assert printed.shape == np.shape(found)
    places = np.argwhere(np.abs(found - printed) > units * unit + slack + 1e-12)
    return [tuple(int(k) + 1 for k in place) for place in places]
