"""Trajectories of the joints: position, velocity, acceleration and jerk at any time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.errors import ArmError
from ..arm.joint_ranges import finite_ranges
from ..systems.time_span import SHORTEST

Array = NDArray[np.float64]


class Trajectory(Protocol):
    """The protocol of a joint trajectory; times may be an array, the last axis is the joint."""

    @property
    def n(self) -> int:
        """Number of joints."""

    @property
    def duration(self) -> float:
        """Duration (s)."""

    def position(self, t: ArrayLike) -> Array:
        """Positions at times ``t`` (rad or m)."""

    def velocity(self, t: ArrayLike) -> Array:
        """Velocities at times ``t``."""

    def acceleration(self, t: ArrayLike) -> Array:
        """Accelerations at times ``t``."""

    def jerk(self, t: ArrayLike) -> Array:
        """Third derivatives of the positions at times ``t``."""

    def state(self, t: float) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration at one time."""


def require_trajectory(trajectory: object, n: int | None = None) -> None:
    """Raises ArmError unless this is a trajectory, and of ``n`` joints where that is known."""
    if not callable(getattr(trajectory, "state", None)) or not hasattr(trajectory, "duration"):
        raise ArmError(
            f"what is followed is a trajectory, such as da.quintic([start, end], seconds); got {trajectory!r:.80}"
        )
    joints = getattr(trajectory, "n", n)
    if n is not None and joints != n:
        raise ArmError(f"the trajectory has {joints} joints and the system that follows it {n}; give it one value each")


def require_path(path: object) -> None:
    """Raises ArmError unless this is a path of polynomials, whose law of time can be another one."""
    if not isinstance(path, Polynomials):
        raise ArmError(f"a path is what da.line_path, da.arc_path, da.spline or da.quintic gives; got {path!r:.80}")


class Smooth(ABC):
    """A trajectory given by one formula for its derivatives of any order."""

    @abstractmethod
    def derivative(self, t: ArrayLike, order: int) -> Array:
        """The derivative of this order at the times ``t``; order 0 is the position."""

    def position(self, t: ArrayLike) -> Array:
        """Positions at times ``t`` (rad or m)."""
        return self.derivative(t, 0)

    def velocity(self, t: ArrayLike) -> Array:
        """Velocities at times ``t``."""
        return self.derivative(t, 1)

    def acceleration(self, t: ArrayLike) -> Array:
        """Accelerations at times ``t``."""
        return self.derivative(t, 2)

    def jerk(self, t: ArrayLike) -> Array:
        """Third derivatives of the positions at times ``t``."""
        return self.derivative(t, 3)


@dataclass(frozen=True, repr=False)
class Polynomials(Smooth):
    """Piecewise polynomials: ``coefficients[k, p, j]`` belongs to (t - times[k])^p of joint j in piece k.

    Before the start and after the end the joints are at rest at the first and the last position.
    """

    times: Array
    coefficients: Array

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.coefficients.shape[2]

    @property
    def duration(self) -> float:
        """Duration (s)."""
        return float(self.times[-1])

    def __repr__(self) -> str:
        pieces = f"{len(self.coefficients)} pieces of degree {self.coefficients.shape[1] - 1}"
        return f"<Trajectory of {self.n} joints: {self.duration:.4g} s, {pieces}>"

    @cached_property
    def _tables(self) -> list[Array]:
        """Coefficients of the polynomials and of their first two derivatives."""
        tables = [np.asarray(self.coefficients, dtype=float)]
        for _ in range(2):
            previous = tables[-1]
            tables.append(np.arange(1, previous.shape[1])[None, :, None] * previous[:, 1:])
        return tables

    def state(self, t: float) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration at one time; the fast path for control loops."""
        zero = np.zeros(self.n)
        if t < self.times[0]:
            return self._tables[0][0, 0], zero, zero
        k = min(bisect_right(self._knots, t), len(self._knots) - 1) - 1
        local = min(t, self._knots[-1]) - self._knots[k]
        powers = local ** np.arange(self.coefficients.shape[1])
        q, qd, qdd = (powers[: table.shape[1]] @ table[k] for table in self._tables)
        return (q, zero, zero) if t > self._knots[-1] else (q, qd, qdd)

    @cached_property
    def _knots(self) -> list[float]:
        """The times of the pieces as floats."""
        return [float(t) for t in self.times]

    def derivative(self, t: ArrayLike, order: int) -> Array:
        """The derivative of this order at time or times ``t``."""
        times = np.asarray(t, dtype=float)
        inside = np.clip(times, self.times[0], self.times[-1])
        piece = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, len(self.times) - 2)
        local = inside - self.times[piece]
        values = np.zeros((*times.shape, self.n))
        for power in reversed(range(order, self.coefficients.shape[1])):
            factor = np.prod(np.arange(power - order + 1, power + 1), dtype=float)
            values = values * local[..., None] + factor * self.coefficients[piece, power]
        if order:
            outside = (times < self.times[0]) | (times > self.times[-1])
            values[outside] = 0.0
        return values


def quintic(points: Sequence[ArrayLike], times: Sequence[float] | float) -> Polynomials:
    """Quintic blends through ``points``, at rest at each; ``times`` of the points, or the total duration.

    Between two points s = 10 u^3 - 15 u^4 + 6 u^5 with u from 0 to 1 (Biagiotti and Melchiorri 2008, chapter 2).

    >>> quintic([[0, 0], [1, -1]], 2.0).position(1.0)
    array([ 0.5, -0.5])
    """
    positions = joint_points(points)
    time_array = real_array("times", times)
    knots = np.linspace(0, float(time_array), len(positions)) if time_array.ndim == 0 else time_array
    if len(knots) != len(positions) or not (np.isfinite(knots).all() and (np.diff(knots) >= SHORTEST).all()):
        raise ArmError(f"{len(positions)} points need {len(positions)} times that grow; got {knots.tolist()}")
    table = np.zeros((len(positions) - 1, 6, positions.shape[1]))
    for k, (a, b) in enumerate(pairwise(positions)):
        span = knots[k + 1] - knots[k]
        table[k, 0] = a
        for power, factor in ((3, 10.0), (4, -15.0), (5, 6.0)):
            table[k, power] = factor * (b - a) / span**power
    return Polynomials(knots, table)


def trapezoidal(start: ArrayLike, end: ArrayLike, speed: ArrayLike, acceleration: ArrayLike) -> Polynomials:
    """From rest to rest with trapezoidal velocity, all joints over the same time.

    Speed and acceleration are bounded; the slowest joint sets the time, the others are scaled to it.
    """
    a, b = joint_points([start, end])
    limit_v, limit_a = joint_limit("speed", speed, a.shape), joint_limit("acceleration", acceleration, a.shape)
    distance = np.abs(b - a)
    if not distance.any():
        raise ArmError("the trapezoidal trajectory starts where it ends; give two different points")
    moves = distance > 0
    law = trapezoid(*(float(np.min(limit[moves] / distance[moves])) for limit in (limit_v, limit_a)))
    table = law.coefficients * (b - a)
    table[:, 0] += a
    return Polynomials(law.times, table)


def trapezoid(speed: float, acceleration: float) -> Polynomials:
    """s from 0 to 1, at rest at both ends, with speed at most ``speed`` and acceleration at most ``acceleration``."""
    if not np.isfinite(acceleration):
        raise ArmError("the acceleration of a trapezoidal motion is finite; give a limit of it")
    ramp = min(speed / acceleration, np.sqrt(1 / acceleration))
    peak = acceleration * ramp
    cruise = max((1 - peak * ramp) / peak, 0.0)
    pieces = [(ramp, 0.0, 0.0, acceleration / 2)]
    if cruise > 1e-12:
        pieces.append((cruise, peak * ramp / 2, peak, 0.0))
    pieces.append((ramp, 1 - peak * ramp / 2, peak, -acceleration / 2))
    times = np.cumsum([0.0, *(piece[0] for piece in pieces)])
    return Polynomials(times, np.array([piece[1:] for piece in pieces])[:, :, None])


@dataclass(frozen=True, repr=False)
class Fourier(Smooth):
    """A periodic excitation: q = centre + sum_k sin_k (sin(k w t))/(k w) - cos_k (cos(k w t))/(k w).

    The finite Fourier series of Swevers et al. 1997 for identification; ``sines`` and ``cosines`` are (harmonics, n).
    """

    centre: Array
    sines: Array
    cosines: Array
    period: float

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.centre)

    @property
    def duration(self) -> float:
        """One period (s)."""
        return self.period

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.n} joints: a period of {self.period:g} s, {len(self.sines)} harmonics>"

    def state(self, t: float) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration at one time."""
        return self.position(t), self.velocity(t), self.acceleration(t)

    def derivative(self, t: ArrayLike, order: int) -> Array:
        """The derivative of this order at times ``t``."""
        time = np.asarray(t, dtype=float)[..., None, None]
        k = np.arange(1, len(self.sines) + 1)[:, None]
        rate = 2 * np.pi * k / self.period
        # the derivative of order m of sin(x) is sin(x + m pi/2)
        phase = rate * time + order * np.pi / 2
        terms = (self.sines * np.sin(phase) - self.cosines * np.cos(phase)) * rate ** (order - 1)
        return terms.sum(axis=-2) + (self.centre if order == 0 else 0.0)


def random_excitation(
    lower: ArrayLike,
    upper: ArrayLike,
    period: float = 10.0,
    harmonics: int = 5,
    seed: int = 0,
    speed: ArrayLike = np.inf,
) -> Fourier:
    """A random excitation within position limits and ``speed``, scaled so that every joint uses its range."""
    if not SHORTEST <= period < np.inf or harmonics < 1:
        raise ArmError(
            f"an excitation has a period above zero and at least one harmonic, not {period:g} s, {harmonics}"
        )
    low, high = real_array("lower", lower), real_array("upper", upper)
    fastest = joint_limit("speed", speed, low.shape)
    low, high = finite_ranges(low, high, 1.0)
    rng = np.random.default_rng(seed)
    sines, cosines = rng.uniform(-1, 1, (2, harmonics, len(low)))
    raw = Fourier(np.zeros(len(low)), sines, cosines, period)
    t = np.linspace(0, period, 40 * harmonics + 1)
    positions = raw.position(t)
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    # A margin of 5 percent for extrema between the samples
    scale = (high - low) / (positions.max(axis=0) - positions.min(axis=0)) / 1.05
    scale = np.minimum(scale, fastest / (1.05 * np.abs(raw.velocity(t)).max(axis=0)))
    return Fourier((low + high) / 2 - scale * middle, scale * raw.sines, scale * raw.cosines, period)


def joint_limit(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A limit of all joints, or one for each, above zero."""
    limits = real_array(name, values)
    if limits.shape not in ((), shape) or not (limits > 0).all():
        raise ArmError(f"the {name} of a trajectory must be one number above zero, or one for each joint")
    return np.broadcast_to(limits, shape).astype(float)


def joint_points(points: Sequence[ArrayLike]) -> Array:
    """Points as an array (points, n), checked."""
    try:
        positions = np.array([real_array("a point of a trajectory", point) for point in points])
    except ValueError as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError("the points of a trajectory must be lists of numbers, one for each joint") from None
    if positions.ndim != 2 or len(positions) < 2 or not np.isfinite(positions).all():
        raise ArmError("a trajectory needs at least two points, each with one finite number for each joint")
    return positions
