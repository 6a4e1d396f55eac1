"""Arms of the catalog as systems of every kind, for laws that hold of them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dalembert as da

CUBE = da.Load(1.8, (0.01, 0, 0.02), (0.002, 0.002, 0.002))
SHAPES: dict[str, Callable[[da.Arm], Any]] = {
    "links": lambda arm: arm,
    "loaded": lambda arm: arm.holding(CUBE),
    "driven": lambda arm: arm.driven,
    "driven and loaded": lambda arm: arm.driven.holding(CUBE),
    "driven by diagonal": lambda arm: arm.driven.approximate("diagonal"),
}
ARMS = ("irb6", "puma560", "jpl-rrp", "stanford", "planar-2r", "iiwa14")


def system_of(name: str, shape: str) -> Any:
    return SHAPES[shape](da.load(name, physical="ignore"))


def states(system: Any, count: int = 4) -> list[np.ndarray]:
    return list(np.random.default_rng(system.n).uniform(-1, 1, (3, count, system.n)))


def allowed(system: Any, q: np.ndarray) -> float:
    """2 kappa(D) eps of the scale (with a factor for the length of the recursions)."""
    return 200 * float(np.linalg.cond(system.mass_matrix(q)).max()) * np.finfo(float).eps
