"""The box of joint positions over which something is bounded."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TURN = 2 * math.pi
"""One revolution (rad)."""


@dataclass(frozen=True, eq=False)
class Box:
    """Lowest and highest position of each joint (rad or m); ``circle`` marks angles that go all the way round."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    circle: NDArray[np.bool_]

    @property
    def centre(self) -> NDArray[np.float64]:
        """Midpoint of the range of each joint, (lower + upper) / 2."""
        return (self.lower + self.upper) / 2

    @property
    def half(self) -> NDArray[np.float64]:
        """Half-width of the range of each joint, (upper - lower) / 2."""
        return (self.upper - self.lower) / 2

    @property
    def reach(self) -> NDArray[np.float64]:
        """Largest magnitude of each position."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def samples(self, count: int, seed: int = 0) -> NDArray[np.float64]:
        """Random positions (count, n), uniform over the box."""
        return np.random.default_rng(seed).uniform(self.lower, self.upper, (count, len(self.lower)))
