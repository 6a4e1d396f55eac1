"""Effective inertia seen by each motor: the parameter by which servo gains are set (Szkodny 1995, section 4).

Carried to the motor shafts, D_a = N^-T D N^-1. Its diagonal is what a motor feels while the other motors are held
by their servos; the reciprocal of the diagonal of D_a^-1 is what it feels while they are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.joint_ranges import finite_ranges
from ..systems.arrays import joint_array

if TYPE_CHECKING:
    from ..systems.driven import DrivenSystem

Array = NDArray[np.float64]

OTHERS = ("held", "free")
"""What the other motors do: their servos hold them, or nothing does."""


@dataclass(frozen=True)
class InertiaRange:
    """Least and greatest effective inertia of each motor (kg m^2) and where they are reached."""

    motors: tuple[str, ...]
    least: Array
    greatest: Array
    at_least: Array
    at_greatest: Array

    @property
    def ratio(self) -> Array:
        """Greatest over least: how far a servo gain must follow."""
        return self.greatest / self.least


def motor_mass_matrix(driven: DrivenSystem, q: ArrayLike) -> Array:
    """D_a = N^-T D N^-1, ``(..., motors, motors)``."""
    position = joint_array(driven, "q", q)[..., None, :]
    half = driven.to_motors(position, driven.mass_matrix(q))
    return driven.to_motors(position, np.swapaxes(half, -1, -2))


def effective_inertia(driven: DrivenSystem, q: ArrayLike, others: str = "held") -> Array:
    """Inertia at each motor shaft (kg m^2), the other motors "held" or "free"."""
    if others not in OTHERS:
        raise ArmError(f"no way {others!r} for the other motors; they are {listed(OTHERS)}")
    matrix = motor_mass_matrix(driven, q)
    if others == "free":
        return 1 / np.diagonal(np.linalg.inv(matrix), axis1=-2, axis2=-1)
    return np.diagonal(matrix, axis1=-2, axis2=-1).copy()


def inertia_range(
    driven: DrivenSystem, lower: Array, upper: Array, others: str = "held", samples: int = 2000, seed: int = 0
) -> InertiaRange:
    """The range over all configurations: the best of ``samples`` random ones, each then improved by descent.

    A joint without limits counts with one full turn, one with a single limit with a full turn from there.
    """
    from scipy.optimize import minimize  # SciPy takes its time: imported where it is used

    low, high = finite_ranges(lower, upper, np.pi)
    positions = low + (high - low) * np.random.default_rng(seed).random((samples, driven.n))
    values = effective_inertia(driven, positions, others)
    bounds = list(zip(low, high, strict=True))
    extremes: dict[str, list[Array]] = {"least": [], "greatest": []}
    for motor in range(driven.n):
        for name, sign, start in (
            ("least", 1.0, np.argmin(values[:, motor])),
            ("greatest", -1.0, np.argmax(values[:, motor])),
        ):
            size = float(values[start, motor])

            def cost(q: Array, motor: int = motor, sign: float = sign, size: float = size) -> float:
                return sign * float(effective_inertia(driven, q, others)[motor]) / size

            better = minimize(cost, positions[start], bounds=bounds, method="L-BFGS-B", options={"maxiter": 30})
            extremes[name].append(better.x if better.fun < sign else positions[start])
    at_least, at_greatest = np.array(extremes["least"]), np.array(extremes["greatest"])
    pick = np.arange(driven.n)
    return InertiaRange(
        driven.motor_names,
        effective_inertia(driven, at_least, others)[pick, pick],
        effective_inertia(driven, at_greatest, others)[pick, pick],
        at_least,
        at_greatest,
    )
