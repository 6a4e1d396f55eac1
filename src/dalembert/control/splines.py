"""Splines through via points, and motions from rest to rest with bounded jerk: all joints over the same time.

Cubic splines have continuous accelerations, quintic ones continuous jerks and snaps too; ends are "clamped" (at rest)
or "natural" (no acceleration, for the quintic no jerk and no snap). Biagiotti and Melchiorri 2008, chapters 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import make_interp_spline

from ..arm.array_input import real_array
from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.time_span import SHORTEST
from .trajectories import Polynomials, joint_limit, joint_points

Array = NDArray[np.float64]
ENDS = {
    ("cubic", "clamped"): (1,),
    ("cubic", "natural"): (2,),
    ("quintic", "clamped"): (1, 2),
    ("quintic", "natural"): (3, 4),
}
"""The derivatives that vanish at both ends."""


def spline(
    points: Sequence[ArrayLike],
    times: Sequence[float] | None = None,
    *,
    kind: str = "cubic",
    ends: str = "clamped",
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Polynomials:
    """The spline through ``points`` (rad or m), at these ``times`` (s), or as fast as the limits allow.

    ``kind`` is "cubic" or "quintic", ``ends`` "clamped" or "natural". ``speed`` and ``acceleration`` are one limit for
    all joints, or one for each. Without times the points are spaced by how far the slowest joint has to go, and the
    whole is stretched until every limit holds; with times a limit that is exceeded is an error.
    """
    positions = joint_points(points)
    if (kind, ends) not in ENDS:
        raise ArmError(f"a spline is {listed(k for k, e in ENDS if e == 'clamped')} with ends clamped or natural, not "
                       f"{kind!r} with {ends!r}")  # fmt: skip
    n = positions.shape[1]
    fastest = None if speed is None else joint_limit("speed", speed, (n,))
    hardest = None if acceleration is None else joint_limit("acceleration", acceleration, (n,))
    if times is None:
        if fastest is None and hardest is None:
            raise ArmError("a spline needs the times of its points, or a speed or acceleration to keep to")
        knots = _chords(positions, fastest, hardest)
    else:
        knots = real_array("times", times)
        if knots.shape != (len(positions),) or not (np.isfinite(knots).all() and (np.diff(knots) >= SHORTEST).all()):
            raise ArmError(f"{len(positions)} points need {len(positions)} times that grow; got {knots.tolist()}")
    path = interpolated(knots, positions, 3 if kind == "cubic" else 5, ENDS[kind, ends])
    use = _use(path, fastest, hardest)
    if times is None:
        return stretched(path, use)
    if use > 1 + 1e-9:
        raise ArmError(f"at these times the spline needs {use:.3g} times the speed allowed; leave the times out, or "
                       f"make them {use:.3g} times as long")  # fmt: skip
    return path


def interpolated(knots: Array, positions: Array, degree: int, vanishing: Sequence[int] | None) -> Polynomials:
    """The spline of this degree through positions; ``vanishing`` derivatives at both ends, None for a free curve."""
    bounds = None
    if vanishing is not None:
        conditions = [(order, np.zeros(positions.shape[1])) for order in vanishing]
        bounds = (conditions, conditions)
    curve = make_interp_spline(knots, positions, degree, bc_type=bounds)
    breakpoints = np.unique(curve.t[degree : len(curve.t) - degree])
    table = np.stack([curve.derivative(p)(breakpoints[:-1]) / factorial(p) for p in range(degree + 1)], axis=1)
    return Polynomials(breakpoints, table)


def stretched(path: Polynomials, factor: float) -> Polynomials:
    """The same curve over ``factor`` times the time."""
    powers = factor ** -np.arange(path.coefficients.shape[1], dtype=float)
    start = path.times[0]
    return Polynomials(start + factor * (path.times - start), path.coefficients * powers[None, :, None])


def largest(path: Polynomials, order: int) -> Array:
    """The largest magnitude of a derivative of each joint: at ends of pieces, or where its own slope is zero."""
    values = np.zeros(path.n)
    for k, table in enumerate(path.coefficients):
        span = path.times[k + 1] - path.times[k]
        for j in range(path.n):
            curve = (
                np.polynomial.Polynomial(table[:, j]).deriv(order) if order else np.polynomial.Polynomial(table[:, j])
            )
            slope = curve.deriv().trim()
            extrema = [0.0, span]
            if slope.degree() > 0:
                roots = slope.roots()
                real = roots[np.abs(roots.imag) < 1e-9 * span].real
                extrema += [float(x) for x in real if 0 < x < span]
            values[j] = max(values[j], np.abs(curve(np.array(extrema))).max())
    return values


def s_curve(
    start: ArrayLike, end: ArrayLike, speed: ArrayLike, acceleration: ArrayLike, jerk: ArrayLike
) -> Polynomials:
    """From rest to rest with bounded speed, acceleration and jerk, all joints over the same time.

    The seven phases of Biagiotti and Melchiorri 2008, section 3.4; the joint that needs longest sets the time.
    """
    a, b = joint_points([start, end])
    limits = [joint_limit(name, value, a.shape) for name, value in
              (("speed", speed), ("acceleration", acceleration), ("jerk", jerk))]  # fmt: skip
    distance = np.abs(b - a)
    if not distance.any():
        raise ArmError("the s-curve starts where it ends; give two different points")
    moves = distance > 0
    law = seven_phases(*(float(np.min(limit[moves] / distance[moves])) for limit in limits))
    table = law.coefficients * (b - a)
    table[:, 0] += a
    return Polynomials(law.times, table)


def seven_phases(speed: float, acceleration: float, jerk: float) -> Polynomials:
    """s from 0 to 1 at rest at both ends, within these limits."""
    if not np.isfinite(jerk):
        raise ArmError("the jerk of an s-curve is finite; without a limit of it take a trapezoidal motion")
    if speed * jerk < acceleration**2:
        rise = np.sqrt(speed / jerk)
        ramp = 2 * rise
    else:
        rise = acceleration / jerk
        ramp = rise + (speed / acceleration if np.isfinite(acceleration) else 0.0)
    cruise = 1 / speed - ramp
    if not cruise >= 0:  # the speed is not reached, or not bounded
        cruise, rise = 0.0, acceleration / jerk
        ramp = rise / 2 + np.sqrt(rise**2 / 4 + 1 / acceleration) if np.isfinite(rise) else 0.0
        if ramp < 2 * rise:  # nor is the acceleration
            rise = (1 / (2 * jerk)) ** (1 / 3)
            ramp = 2 * rise
    flat = ramp - 2 * rise
    spans = np.array([rise, flat, rise, cruise, rise, flat, rise])
    jerks = jerk * np.array([1.0, 0, -1, 0, -1, 0, 1])
    nonzero = spans > 1e-12 * spans.sum()
    state, rows = np.zeros(3), []
    for span, push in zip(spans[nonzero], jerks[nonzero], strict=True):
        position, rate, pull = state
        rows.append([position, rate, pull / 2, push / 6])
        state = np.array(
            [
                position + rate * span + pull * span**2 / 2 + push * span**3 / 6,
                rate + pull * span + push * span**2 / 2,
                pull + push * span,
            ]
        )
    return Polynomials(np.concatenate([[0.0], np.cumsum(spans[nonzero])]), np.array(rows)[:, :, None])


def _chords(positions: Array, speed: Array | None, acceleration: Array | None) -> Array:
    """Times by how far the slowest joint has to go between two points."""
    far = np.abs(np.diff(positions, axis=0))
    spans = np.zeros(len(far))
    if speed is not None:
        spans = np.maximum(spans, (far / speed).max(axis=1))
    if acceleration is not None:
        spans = np.maximum(spans, np.sqrt(far / acceleration).max(axis=1))
    if not spans.any():
        raise ArmError("all points of the spline are one, or no limit is finite; give points apart and finite limits")
    return np.concatenate([[0.0], np.cumsum(np.maximum(spans, 1e-3 * spans.max()))])


def _use(path: Polynomials, speed: Array | None, acceleration: Array | None) -> float:
    """By what factor the time has to grow so that the limits hold."""
    need = [0.0]
    if speed is not None:
        need.append(float((largest(path, 1) / speed).max()))
    if acceleration is not None:
        need.append(float(np.sqrt((largest(path, 2) / acceleration).max())))
    return max(need)
