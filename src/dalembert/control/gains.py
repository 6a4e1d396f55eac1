"""Gains from linear models: linear-quadratic regulators and pole placement, at a point or along a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_continuous_are, solve_discrete_are
from scipy.signal import place_poles

from ..arm.array_input import real_array
from ..arm.errors import ArmError
from ..linear.joints import driven_model, links_model, motor_model
from ..linear.linear_model import LinearModel
from ..mechanisms.mechanism_system import MechanismSystem
from ..systems.driven import DrivenSystem, MotorSystem
from ..systems.protocol import System
from .controllers import StateFeedback, VoltageFeedback
from .friction_feed import WIDTH
from .trajectories import Trajectory, require_trajectory

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


def linear_at(model: System, trajectory: Trajectory, t: float, input: str | None = None) -> LinearModel:
    """The linear model of an arm, a shorter model or a mechanism at time ``t`` of a trajectory.

    ``input`` is "voltage" for states with currents (Freeman 1985, eq. 2-241), else torques.
    """
    require_trajectory(trajectory, model.n)
    q, qd, qdd = trajectory.position(t), trajectory.velocity(t), trajectory.acceleration(t)
    if isinstance(model, MechanismSystem):
        return model.linearize(q, qd, model.inverse_dynamics(q, qd, qdd), input=input)
    if isinstance(model, DrivenSystem):
        return (motor_model if input == "voltage" else driven_model)(model, q, qd, qdd)
    if input is not None:
        raise ArmError(f"{model.name}: {input} needs a system with motors, such as arm.driven")
    return links_model(model, q, qd, model.inverse_dynamics(q, qd, qdd))


def tracking_lqr(
    model: System, trajectory: Trajectory, q: ArrayLike = 100.0, r: ArrayLike = 0.01, knots: int = 11,
    friction: str = "reference", width: float = WIDTH, input: str | None = None,
) -> StateFeedback | VoltageFeedback:  # fmt: skip
    """LQR gains at ``knots`` times of the trajectory, its nominal torques fed forward (``StateFeedback``).

    With ``input="voltage"`` the currents of the motors are fed back too (``VoltageFeedback``).
    """
    return _tracking(model, trajectory, knots, lambda linear: lqr(linear, q, r), friction, width, input)


def tracking_poles(
    model: System, trajectory: Trajectory, poles: Sequence[complex], knots: int = 11, friction: str = "reference",
    width: float = WIDTH, input: str | None = None,
) -> StateFeedback | VoltageFeedback:  # fmt: skip
    """Gains that place the same poles at ``knots`` times of the trajectory; ``input`` as in ``tracking_lqr``."""
    return _tracking(model, trajectory, knots, lambda linear: place(linear, poles), friction, width, input)


def _tracking(
    model: System, trajectory: Trajectory, knots: int, gain: Callable[[LinearModel], Array], friction: str,
    width: float, input: str | None,
) -> StateFeedback | VoltageFeedback:  # fmt: skip
    """The gains of the linear models at ``knots`` times of the trajectory, with what it feeds forward."""
    if input not in (None, "voltage"):
        raise ArmError(f'input of a tracking controller is "voltage", or left out for torques; got {input!r}')
    require_trajectory(trajectory, model.n)
    times = np.linspace(0, trajectory.duration, knots)
    gains = np.array([gain(linear_at(model, trajectory, t, input)) for t in times])
    if input is None:
        return StateFeedback(model, trajectory, times, gains, friction, width)
    if not isinstance(model, MotorSystem):
        raise ArmError(f"{model.name}: voltages need a system with motors, such as arm.driven")
    if (friction, width) != ("reference", WIDTH):
        raise ArmError(
            f"{model.name}: voltages are those of the reference motion, friction in them; leave friction and width out"
        )
    return VoltageFeedback(model, trajectory, times, gains)


def _weight(values: ArrayLike, size: int) -> Array:
    array = real_array("a weight", values)
    if array.shape not in ((), (size,), (size, size)):
        raise ArmError(
            f"weights are one number, {size} numbers or a {size}x{size} matrix; got an array of shape {array.shape}"
        )
    return array if array.ndim == 2 else np.diag(np.broadcast_to(array, (size,)))
