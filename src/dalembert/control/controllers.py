"""Controllers: functions of time, position and velocity that give torques; any of them drives a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.errors import ArmError
from ..drives.motors import Electric
from ..formulations.control_laws import feedback
from ..formulations.system import SystemOverRing
from ..rings.dual import Dual, Duals, slope_of, value_of
from ..rings.real import REAL
from ..systems.arm_system import ArmSystem
from ..systems.driven import MotorSystem
from ..systems.protocol import System
from .friction_feed import WIDTH, FrictionFeed
from .trajectories import Trajectory, require_trajectory

Array = NDArray[np.float64]
ToolPath: TypeAlias = "Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]"
"""Position, velocity and acceleration of the tool (m) at a time."""


def _to_input(model: System, q: Array, torque: Array) -> Array:
    return model.to_motors(q, torque) if isinstance(model, MotorSystem) else torque


def _check_gains(name: str, values: ArrayLike, n: int) -> None:
    """Raises ArmError unless these are one finite number for all joints, or one for each."""
    gains = real_array(name, values)
    if gains.shape not in ((), (n,)) or not np.isfinite(gains).all():
        raise ArmError(f"{name} is one number for all joints, or {n}, one for each; got {values!r:.80}")


class _Following:
    """A controller whose ``model``, ``trajectory`` and gains are looked at when it is made."""

    model: Any
    trajectory: Trajectory

    def __post_init__(self) -> None:
        if not callable(getattr(self.model, "inverse_dynamics", None)):
            raise ArmError(f"the model of a controller is a system, such as an arm; got {self.model!r:.80}")
        require_trajectory(self.trajectory, self.model.n)
        for name in ("kp", "kd", "damping"):
            if hasattr(self, name):
                _check_gains(name, getattr(self, name), self.model.n)


class _Feeding(_Following):
    """One that feeds the friction of its model forward, by ``friction`` and ``width`` (``friction_feed.py``)."""

    model: System
    friction: str
    width: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.feed

    @cached_property
    def feed(self) -> FrictionFeed:
        """The friction that is fed forward."""
        return FrictionFeed(self.model, self.friction, self.width)


@dataclass(frozen=True)
class PDGravity(_Following):
    """tau = G(q) + kp (q_ref - q) + kd (qd_ref - qd), gains at the joints."""

    model: System
    trajectory: Trajectory
    kp: ArrayLike
    kd: ArrayLike

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        q_ref, qd_ref, _ = self.trajectory.state(t)
        torque = self.model.gravity_load(q) + feedback(np.asarray(self.kp), np.asarray(self.kd), q_ref, qd_ref, q, qd)
        return _to_input(self.model, q, torque)


@dataclass(frozen=True)
class ComputedTorque(_Feeding):
    """tau = ID(q, qd, qdd_ref + kd (qd_ref - qd) + kp (q_ref - q)) with any model: exact, reduced, wrong load.

    With the exact model and no friction the error obeys e'' + kd e' + kp e = 0. ``friction`` ("reference", "smooth",
    "none") says how the friction of drives enters ID (``friction_feed.py``), ``width`` (rad/s or m/s) how smooth.
    """

    model: System
    trajectory: Trajectory
    kp: ArrayLike = 100.0
    kd: ArrayLike = 20.0
    friction: str = "reference"
    width: float = WIDTH

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        q_ref, qd_ref, qdd_ref = self.trajectory.state(t)
        acceleration = qdd_ref + feedback(np.asarray(self.kp), np.asarray(self.kd), q_ref, qd_ref, q, qd)
        return _to_input(
            self.model, q, self.feed.rigid.inverse_dynamics(q, qd, acceleration) + self.feed(q, qd, qd_ref)
        )


@dataclass(frozen=True)
class ServoFollowingInertia(_Following):
    """Bejczy's position servo (1974, section II): one loop a joint, its velocity gain follows the inertia.

    tau_i = kp_i (q_ref - q)_i + kv_i (qd_ref - qd)_i + G_i, kv_i = 2 zeta_i sqrt(kp_i J_i(q)), with J_i = D_ii the
    total effective inertia at the joint drive. If J_i falls by n, damping and frequency rise by sqrt(n); a velocity
    gain lower by sqrt(n) restores the damping. What the drives reflect to the joints is in J_i where the arm has
    drives, also of a model that is the links alone; ``reflected=False`` leaves it out, for a plant without rotors.
    ``adapt=False`` keeps the gain of the configuration ``at``. ``kp`` and ``damping`` are one number or one for each
    joint.
    """

    model: System
    trajectory: Trajectory
    kp: ArrayLike
    damping: ArrayLike = 1.0
    adapt: bool = True
    at: ArrayLike | None = None
    reflected: bool = True

    @cached_property
    def _inertial(self) -> System:
        """The system whose inertia a joint drive feels."""
        model = self.model
        links_alone = isinstance(model, ArmSystem) and bool(model.drives) and not model.counts_drives
        return model.counting_drives() if self.reflected and links_alone else model  # type: ignore[attr-defined]

    def total_inertia(self, q: Array) -> Array:
        """J_i = D_ii, kg m^2 or kg, at ``q``, or at ``at`` without ``adapt``."""
        configuration = q if self.adapt else np.asarray(self.trajectory.position(0.0) if self.at is None else self.at)
        return np.diagonal(self._inertial.mass_matrix(configuration), axis1=-2, axis2=-1)

    def velocity_gain(self, q: Array) -> Array:
        """kv_i = 2 zeta_i sqrt(kp_i J_i), N m s/rad or N s/m."""
        return 2 * np.asarray(self.damping) * np.sqrt(np.asarray(self.kp) * self.total_inertia(q))

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        q_ref, qd_ref, _ = self.trajectory.state(t)
        pull = feedback(np.asarray(self.kp), self.velocity_gain(q), q_ref, qd_ref, q, qd)
        torque = pull + self.model.gravity_load(q)
        return _to_input(self.model, q, torque)


@dataclass(frozen=True)
class StateFeedback(_Feeding):
    """u = u_ref(t) - K(t) (x - x_ref(t)); gains on a grid of times, linear between.

    u_ref is the input of the reference motion, with the friction that ``friction`` and ``width`` say, as in
    ``ComputedTorque``: "smooth" is of the measured speed.
    """

    model: System
    trajectory: Trajectory
    times: Array
    gains: Array
    friction: str = "reference"
    width: float = WIDTH

    def gain(self, t: float) -> Array:
        """K(t), interpolated linearly; constant before the first and after the last time of the grid."""
        return scheduled(self.times, self.gains, t)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        q_ref, qd_ref, qdd_ref = self.trajectory.state(t)
        torque = self.feed.rigid.inverse_dynamics(q_ref, qd_ref, qdd_ref) + self.feed(q_ref, qd, qd_ref)
        return _to_input(self.model, q_ref, torque) - self.gain(t) @ np.concatenate([q - q_ref, qd - qd_ref])


@dataclass(frozen=True)
class VoltageFeedback(_Following):
    """V = V_ref(t) - K(t) (x - x_ref(t)) with x = (q, qd, i), the states of (2-241) of Freeman 1985.

    It sees the currents of the motors: a simulation under voltages calls it with (t, q, qd, i). V_ref and i_ref are
    the voltages and currents of the reference motion (2-238) to (2-240), its jerk and friction in them.
    """

    model: MotorSystem
    trajectory: Trajectory
    times: Array
    gains: Array

    sees_currents: ClassVar[bool] = True

    @cached_property
    def electric(self) -> Electric:
        """The motors of the model."""
        return Electric(self.model)

    def gain(self, t: float) -> Array:
        """K(t), interpolated linearly; constant before the first and after the last time of the grid."""
        return scheduled(self.times, self.gains, t)

    def __call__(self, t: float, q: Array, qd: Array, current: Array) -> Array:
        q_ref, qd_ref, qdd_ref = self.trajectory.state(t)
        i_ref = self.electric.currents(q_ref, qd_ref, qdd_ref)
        voltage = self.electric.voltages(q_ref, qd_ref, qdd_ref, self.trajectory.jerk(t))
        return voltage - self.gain(t) @ np.concatenate([q - q_ref, qd - qd_ref, current - i_ref])


def scheduled(times: Array, gains: Array, t: float) -> Array:
    """Gains on a grid of times, linear between and constant beyond."""
    if len(times) == 1 or t <= times[0]:
        return np.asarray(gains[0])
    k = min(int(np.searchsorted(times, t)), len(times) - 1)
    fraction = min((t - times[k - 1]) / (times[k] - times[k - 1]), 1.0)
    return np.asarray((1 - fraction) * gains[k - 1] + fraction * gains[k])


class OperationalSpace:
    """Operational-space control of the tool position (Khatib 1987): tau = J^T Lambda (a - Jdot qd) + h + G.

    Lambda = (J D^-1 J^T)^-1 and a = x''_ref + kd (x'_ref - x') + kp (x_ref - x); motion in the
    null space of J is damped by ``rest_damping``. ``path(t)`` gives position, velocity and acceleration of the tool.
    ``friction`` and ``width`` are those of ``ComputedTorque``; the reference speed of the joints is
    D^-1 J^T Lambda x'_ref.
    """

    def __init__(
        self, arm: ArmSystem, path: ToolPath, kp: float = 100.0, kd: float = 20.0, rest_damping: float = 5.0,
        friction: str = "reference", width: float = WIDTH,
    ) -> None:  # fmt: skip
        if not callable(path):
            raise ArmError(
                "the tool follows a function path(t) that gives its position, velocity and acceleration (m, per s); "
                f"got {path!r:.80}"
            )
        self.arm, self.path, self.feed = arm, path, FrictionFeed(arm, friction, width)
        self.kp, self.kd, self.rest_damping = kp, kd, rest_damping
        self._over_reals = SystemOverRing(arm, REAL)

    def _hand(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Tool position, J of the position, and Jdot qd, by one pass of dual numbers along qd."""
        duals = Duals(REAL)
        x = [Dual(float(a), {0: float(b)}) for a, b in zip(q, qd, strict=True)]
        rows = self._over_reals.jacobian(duals, x)[:3]
        jacobian = np.array([[float(value_of(e)) for e in row] for row in rows])
        rate = np.array([[float(slope_of(e, 0)) for e in row] for row in rows])
        _, position = self._over_reals.tool_frame(REAL, [float(a) for a in q])
        return np.array([float(c) for c in position]), jacobian, rate @ qd

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        position, jacobian, drift = self._hand(q, qd)
        x_ref, xd_ref, xdd_ref = (np.asarray(x, dtype=float) for x in self.path(t))
        acceleration = xdd_ref + feedback(self.kp, self.kd, x_ref, xd_ref, position, jacobian @ qd)
        mass = self.arm.mass_matrix(q)
        leverage = np.linalg.solve(mass, jacobian.T)
        inertia = np.linalg.inv(jacobian @ leverage)
        task = jacobian.T @ inertia @ (acceleration - drift)
        null_torque = -self.rest_damping * mass @ qd
        null_torque = null_torque - jacobian.T @ inertia @ (leverage.T @ null_torque)
        rubbed = self.feed(q, qd, leverage @ inertia @ xd_ref)
        return _to_input(self.arm, q, task + null_torque + self.feed.rigid.bias(q, qd) + rubbed)
