"""Sensitivity of accelerations and poles to the inertial parameters and to the payload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.inertia import Inertia, Load
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
    """Sensitivity of the model ``build(arm)`` to a point mass at ``com`` (tool frame), beside what it holds.

    A difference of second order between three exact models (with no mass, ``step`` and twice ``step`` added), so that
    no load is asked for that no body can be; the derivative of a pole is w . dA v / w . v with left and right
    eigenvectors w, v.
    """
    payload = dict(arm.loads).get(arm.tool_link)
    present = Inertia() if payload is None else payload.body
    lighter, heavier = (arm.holding(Load.of(present + Load(k * step, com).body)) for k in (1, 2))

    def slope(bare: Array, with_one: Array, with_two: Array) -> Array:
        return (4 * with_one - with_two - 3 * bare) / (2 * step)

    model, nearer, farther = build(arm), build(lighter), build(heavier)
    slope_a, slope_b = slope(model.A, nearer.A, farther.A), slope(model.B, nearer.B, farther.B)
    values, right = np.linalg.eig(model.A)
    left = np.linalg.inv(right)
    rates = np.array([left[k] @ slope_a @ right[:, k] for k in range(len(values))])
    gravity = slope(*(laden.gravity_load(q) for laden in (arm, lighter, heavier)))
    return LoadSensitivity(slope_a, slope_b, values, rates, gravity)
