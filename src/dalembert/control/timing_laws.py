"""A path of the joints in time: q(s(t)), exactly, where both are piecewise polynomials."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from .splines import largest, seven_phases, stretched
from .trajectories import Polynomials, joint_limit, require_path, trapezoid

Array = NDArray[np.float64]


def retimed(path: Polynomials, law: Polynomials) -> Polynomials:
    """q(s(t)) of a path q(s) and a law s(t) that never goes back: pieces end where either of them does."""
    times, tables = [float(law.times[0])], []
    knots = path.times
    for k, table in enumerate(law.coefficients[:, :, 0]):
        begin, end = float(law.times[k]), float(law.times[k + 1])
        run = np.polynomial.Polynomial(table)
        breaks = [0.0, *_crossings(run, knots, end - begin), end - begin]
        for a, b in pairwise(breaks):
            middle = float(run((a + b) / 2))
            index = int(np.clip(np.searchsorted(knots, middle, side="right") - 1, 0, len(knots) - 2))
            # s as a polynomial of the time since the piece began, from the knot of the path on
            inner = run(np.polynomial.Polynomial([a, 1.0])) - float(knots[index])
            tables.append(_composed(path.coefficients[index], inner))
            times.append(begin + b)
    width = max(len(table) for table in tables)
    coefficients = np.zeros((len(tables), width, path.n))
    for row, table in zip(coefficients, tables, strict=True):
        row[: len(table)] = table
    return Polynomials(np.array(times), coefficients)


def _crossings(run: np.polynomial.Polynomial, knots: Array, span: float) -> list[float]:
    """When s passes the knots of the path strictly within a piece of the law."""
    low, high = sorted((float(run(0.0)), float(run(span))))
    crossings = []
    for knot in knots[(knots > low) & (knots < high)]:
        roots = (run - float(knot)).roots()
        real = roots[np.abs(roots.imag) < 1e-9 * max(span, 1e-9)].real
        inside = real[(real > 1e-12 * span) & (real < span * (1 - 1e-12))]
        crossings += [float(x) for x in inside[:1]]
    return sorted(crossings)


def _composed(table: Array, inner: np.polynomial.Polynomial) -> Array:
    """Coefficients ``(powers, joints)`` of the polynomials of ``table`` at ``inner``."""
    degree = (len(table) - 1) * max(inner.degree(), 1)
    composed = np.zeros((degree + 1, table.shape[1]))
    power = np.polynomial.Polynomial([1.0])
    for row in table:
        composed[: len(power.coef)] += power.coef[:, None] * row
        power = power * inner
    return composed


def timed(path: Polynomials, speed: ArrayLike, acceleration: ArrayLike, jerk: ArrayLike | None = None) -> Polynomials:
    """The path from rest to rest, each joint within ``speed`` and ``acceleration``.

    |q'| v <= speed and |q''| v^2 + |q'| a <= acceleration with the largest derivatives along the path: safe, and slower
    than ``time_optimal``, which looks at each place by itself. With ``jerk`` the law is an s-curve, and the whole is
    stretched until the jerk that the bends of the path add is within it, too; else it is a trapezoid.
    """
    require_path(path)
    bend, turn = largest(path, 1), largest(path, 2)
    span = float(path.times[-1] - path.times[0])
    if not bend.any():
        raise ArmError("the path does not move; give one that does")
    moves = bend > 1e-12 * bend.max()
    fastest, hardest = (
        joint_limit("speed", speed, bend.shape)[moves],
        joint_limit("acceleration", acceleration, bend.shape)[moves],
    )
    bend, turn = bend[moves], turn[moves]
    with np.errstate(divide="ignore"):
        rate = min(float((fastest / bend).min()), float(np.sqrt(0.5 * hardest / turn).min()))
    pull = float(((hardest - turn * rate**2) / bend).min())
    if jerk is None:
        law = trapezoid(rate / span, pull / span)
    else:
        _refuse_jumps(path, float(turn.max()))
        sharp = float((joint_limit("jerk", jerk, (path.n,))[moves] / bend).min())
        law = seven_phases(rate / span, pull / span, sharp / span)
    table = law.coefficients * span
    table[:, 0] += path.times[0]
    motion = retimed(path, Polynomials(law.times, table))
    if jerk is None:
        return motion
    use = float((largest(motion, 3) / joint_limit("jerk", jerk, (path.n,))).max())
    return stretched(motion, use ** (1 / 3)) if use > 1 else motion


def _refuse_jumps(path: Polynomials, size: float) -> None:
    """Where the second derivative of a path jumps, so does the acceleration of whatever moves along it."""
    inner = path.times[1:-1]
    if not len(inner):
        return
    spans = np.diff(path.times)[:-1]
    powers = np.arange(2, path.coefficients.shape[1])
    before = np.einsum("kpj,kp->kj", path.coefficients[:-1, 2:], powers * (powers - 1) * spans[:, None] ** (powers - 2))
    jump = np.abs(before - path.derivative(inner, 2)).max(axis=1)
    if jump.max() > 1e-6 * size:
        raise ArmError(
            f"the acceleration along the path jumps at {float(inner[int(np.argmax(jump))]):g} of it, so that no motion "
            "along it has a finite jerk; give a smooth path, such as a spline, or leave the jerk out"
        )
