"""Slopes by central differences: what exact derivatives are held against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def slope(function: Callable[[np.ndarray], Any], x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """(f(x + h e_k) - f(x - h e_k)) / 2h for each entry of ``x``, along the last axis."""
    return np.stack([(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))], -1)
