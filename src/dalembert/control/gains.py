"""Gains from linear models: linear-quadratic regulators and pole placement, at a point or along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_continuous_are, solve_discrete_are
from scipy.signal import place_poles

from ..arm.errors import ArmError
from ..linear.joints import driven_model, links_model
from ..linear.linear_model import LinearModel
from ..systems.arm_system import ArmSystem
from ..systems.driven import DrivenSystem
from .controllers import StateFeedback
from .friction_feed import WIDTH
from .trajectories import Trajectory

Array = NDArray[np.float64]


def lqr(model: LinearModel, q: ArrayLike, r: ArrayLike) -> Array:
    """K of least integral of x.Q x + u.R u; numbers or vectors mean diagonals. Sampled models get the discrete K."""
    if not isinstance(model, LinearModel):
        raise ArmError(f"a regulator is for a linear model, such as arm.linearize(q); got {model!r}")
    n, m = model.B.shape
    weight, price = _weight(q, n), _weight(r, m)
    try:
        if model.period is None:
            solution = solve_continuous_are(model.A, model.B, weight, price)
            return np.linalg.solve(price, model.B.T @ solution)
        solution = solve_discrete_are(model.A, model.B, weight, price)
        return np.linalg.solve(price + model.B.T @ solution @ model.B, model.B.T @ solution @ model.A)
    except np.linalg.LinAlgError as fault:
        raise ArmError(
            f"no regulator for {model.name}: {fault}; check that it is controllable and the weights"
        ) from None


def place(model: LinearModel, poles: Sequence[complex]) -> Array:
    """K that puts the poles of A - B K there."""
    if len(poles) != len(model.A):
        raise ArmError(f"{len(model.A)} states need {len(model.A)} poles; got {len(poles)}")
    if not model.is_controllable:
        raise ArmError(f"{model.name} is not controllable at this point, so its poles cannot be placed")
    return place_poles(model.A, model.B, np.asarray(poles)).gain_matrix


def closed_loop_poles(model: LinearModel, gain: Array) -> NDArray[np.complex128]:
    """Poles of A - B K."""
    return np.sort_complex(np.asarray(np.linalg.eigvals(model.A - model.B @ gain), dtype=np.complex128))


def linear_at(model: ArmSystem, trajectory: Trajectory, t: float) -> LinearModel:
    """The linear model of an arm, with drives or without, or of a shorter model, at time ``t`` of a trajectory."""
    q, qd, qdd = trajectory.position(t), trajectory.velocity(t), trajectory.acceleration(t)
    if isinstance(model, DrivenSystem):
        return driven_model(model, q, qd, qdd)
    return links_model(model, q, qd, model.inverse_dynamics(q, qd, qdd))


def tracking_lqr(
    model: ArmSystem, trajectory: Trajectory, q: ArrayLike = 100.0, r: ArrayLike = 0.01, knots: int = 11,
    friction: str = "reference", width: float = WIDTH,
) -> StateFeedback:  # fmt: skip
    """LQR gains at ``knots`` times of the trajectory, its nominal torques fed forward (``StateFeedback``)."""
    times = np.linspace(0, trajectory.duration, knots)
    gains = np.array([lqr(linear_at(model, trajectory, t), q, r) for t in times])
    return StateFeedback(model, trajectory, times, gains, friction, width)


def tracking_poles(
    model: ArmSystem, trajectory: Trajectory, poles: Sequence[complex], knots: int = 11, friction: str = "reference",
    width: float = WIDTH,
) -> StateFeedback:  # fmt: skip
    """Gains that place the same poles at ``knots`` times of the trajectory."""
    times = np.linspace(0, trajectory.duration, knots)
    gains = np.array([place(linear_at(model, trajectory, t), poles) for t in times])
    return StateFeedback(model, trajectory, times, gains, friction, width)


def _weight(values: ArrayLike, size: int) -> Array:
    array = np.asarray(values, dtype=float)
    return array if array.ndim == 2 else np.diag(np.broadcast_to(array, (size,)))
