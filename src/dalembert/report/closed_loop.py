"""Computed torque on one motion with the exact and the reduced models: what the proved torque error costs in tracking.

The arm is exact, drives included. The controller asks its model for tau = ID(q, qd, qdd_ref + kd e' + kp e); with the
exact model the error obeys e'' + kd e' + kp e = 0 and stays zero, so that what remains is the model's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..control.trajectories import Polynomials, quintic
from ..formulations import composite_body, newton_euler
from ..formulations.model import chain
from ..reduction.model_waves import input_inertia
from ..reduction.states import States
from ..rings.real import REAL

Array: TypeAlias = NDArray[np.float64]
Torque: TypeAlias = Callable[[Array, Array, Array], Array]
KP, KD = 100.0, 20.0
SAMPLES = 161
SHARE = 0.6
"""Part of each joint's range that the motion covers."""


@dataclass(frozen=True, eq=False)
class Tracking:
    """Errors q - q_ref of each model along the motion, (times, joints) each."""

    times: Array
    duration: float
    errors: Mapping[str, Array]


def motion_within(states: States) -> Polynomials:
    """All joints through the middle of their ranges, as fast as the speeds and accelerations allow."""
    way = SHARE * 2 * states.box.half
    # The polynomial's largest speed is 15/8 and its largest acceleration 10/sqrt 3 of the way, in its own time.
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.concatenate([1.875 * way / states.speed, np.sqrt(5.7736 * way / states.acceleration)])
    duration = float(np.nanmax(np.where(np.isfinite(needed), needed, np.nan)))
    return quintic([states.box.centre - way / 2, states.box.centre + way / 2], [0.0, duration])


def track(arm: ArmDescription, models: Mapping[str, Torque], states: States) -> Tracking:
    """The motion under computed torque with each model; all of them in one integration."""
    motion, n, count = motion_within(states), arm.n, len(models)
    bodies, added = chain(arm, REAL), input_inertia(arm)
    still = np.zeros((count, n))

    def columns(values: Sequence[object]) -> Array:
        return np.stack([np.broadcast_to(np.asarray(x, float), (count,)) for x in values], axis=-1)

    def slope(t: float, x: Array) -> Array:
        q, qd = x.reshape(2, count, n)
        place, speed, rate = motion.state(t)
        wanted = rate + KD * (speed - qd) + KP * (place - q)
        torque = np.concatenate(
            [model(q[k : k + 1], qd[k : k + 1], wanted[k : k + 1]) for k, model in enumerate(models.values())]
        )
        rest = columns(newton_euler.inverse_dynamics(bodies, REAL, list(q.T), list(qd.T), list(still.T)))
        rows = composite_body.mass_matrix(bodies, REAL, list(q.T))
        matrix = np.stack([columns(row) for row in rows], axis=-2) + np.diag(added)
        try:
            qdd = np.linalg.solve(matrix, (torque - rest)[..., None])[..., 0]
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{arm.where}the inertia matrix of {arm.name} is singular on the way, so that torques do not say "
                "how it "
                "moves; give every joint some inertia"
            ) from None
        return np.stack([qd, qdd]).ravel()

    times = np.linspace(0.0, motion.duration, SAMPLES)
    begin = np.stack([np.tile(motion.state(0.0)[0], (count, 1)), still]).ravel()
    found = solve_ivp(slope, (0.0, motion.duration), begin, t_eval=times, rtol=1e-6, atol=1e-9)
    if not found.success:
        raise ArmError(f"{arm.where}the motion of {arm.name} under computed torque cannot be followed: {found.message}")
    reference = np.stack([motion.state(t)[0] for t in found.t])
    reached = found.y.T.reshape(len(found.t), 2, count, n)[:, 0]
    errors = {name: reached[:, k] - reference for k, name in enumerate(models)}
    return Tracking(found.t, motion.duration, errors)
