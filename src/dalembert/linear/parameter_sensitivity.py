"""Sensitivity of accelerations and poles to the inertial parameters and to the payload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.inertia import Load
from .linear_model import LinearModel

Array = NDArray[np.float64]


def acceleration_to_parameters(arm: Any, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """d qdd/d p, ``(n, 10 n)``, exact: tau = Y p is linear in the parameters, so D dqdd = -Y dp."""
    qdd = arm.forward_dynamics(q, qd, tau)
    return -np.linalg.solve(arm.mass_matrix(q), arm.regressor(q, qd, qdd))


@dataclass(frozen=True)
class LoadSensitivity:
    """Derivatives with respect to the mass of a payload (per kg): of A, B, the poles and the gravity load."""

    A: Array
    B: Array
    poles: Array
    pole_rates: NDArray[np.complex128]
    gravity: Array


def to_load(
    arm: Any, build: Callable[[Any], LinearModel], q: ArrayLike, com: object = (0, 0, 0), step: float = 1e-3
) -> LoadSensitivity:
    """Sensitivity of the model ``build(arm)`` to a point load in the hand at ``com`` (tool frame).

    A central difference between two exact models (masses ``step`` above and below the present load); the
    derivative of a pole is w . dA v / w . v with left and right eigenvectors w, v.
    """
    payload = dict(arm.loads).get(arm.tool_link)
    mass_now = float(payload.mass) if payload is not None else 0.0
    masses = (mass_now + step, max(mass_now - step, 0.0))
    heavy, light = (arm.holding(Load(mass, com)) if mass else arm.holding(None) for mass in masses)
    above, below = build(heavy), build(light)
    change = masses[0] - masses[1]
    slope_a, slope_b = (above.A - below.A) / change, (above.B - below.B) / change
    model = build(arm)
    values, right = np.linalg.eig(model.A)
    left = np.linalg.inv(right)
    rates = np.array([left[k] @ slope_a @ right[:, k] for k in range(len(values))])
    gravity = (heavy.gravity_load(q) - light.gravity_load(q)) / change
    return LoadSensitivity(slope_a, slope_b, values, rates, gravity)
