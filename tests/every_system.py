"""Arms of the catalog as systems of every kind, for laws that hold of them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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
PROGRAMS: dict[str, Callable[[da.Arm], Any]] = {
    "reduced": lambda arm: arm.driven.analysis(effort=0.05).reduce(0.05),
    "short forms": lambda arm: arm.analysis(effort=0.05).short_forms(tolerance=0.1),
    "short forms without velocity terms": lambda arm: arm.driven.analysis(effort=0.05).short_forms(velocity="none"),
    "short forms of all D, driven and loaded": lambda arm: (
        arm.driven.holding(CUBE).analysis(effort=0.05).short_forms("all", 0.1)
    ),
}
"""Shorter models, which are systems too."""
ARMS = ("irb6", "puma560", "jpl-rrp", "stanford", "planar-2r", "iiwa14")


def system_of(name: str, shape: str) -> Any:
    return SHAPES[shape](da.load(name, physical="ignore"))


@cache
def program_of(name: str, shape: str) -> Any:
    return PROGRAMS[shape](da.load(name, physical="ignore"))


def states(system: Any, count: int = 4) -> list[np.ndarray]:
    return list(np.random.default_rng(system.n).uniform(-1, 1, (3, count, system.n)))


def allowed(system: Any, q: np.ndarray) -> float:
    """2 kappa(D) eps of the scale (with a factor for the length of the recursions)."""
    return 200 * float(np.linalg.cond(system.mass_matrix(q)).max()) * np.finfo(float).eps
