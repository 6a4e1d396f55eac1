"""Limits of torques, motors and accelerations along a path, as rows that are linear in u = s'' and x = s'^2.

On q(s) the torques are D q' u + (D q'' + h(q, q')) x + G and what goes with the speed: friction, dampers, back-emf.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..drives.motor_limits import MotorLimits, motor_limits
from ..systems.driven import MotorSystem
from ..systems.protocol import System
from .reachable_speeds import PathLimits

Array = NDArray[np.float64]


@dataclass
class LimitRows:
    """Rows of limits, each with its name: a u + b x + c + rest(s') within low and high."""

    a: Array
    b: Array
    c: Array
    speed_terms: list[Array]
    low: Array
    high: Array
    names: list[str]


def limit_rows(
    system: System, q: Array, slope: Array, bend: Array, rate: Array, fraction: float,
    hardest: Array | None, effort_limit: Array | None,
) -> LimitRows:  # fmt: skip
    """All limits of torque and acceleration; what goes with the speed at this rate, and at a share of it."""
    quiet = system.frictionless()
    mass = system.mass_matrix(q)
    static = quiet.bias(q, np.zeros_like(q))
    whirl = 0.5 * (quiet.bias(q, slope) + quiet.bias(q, -slope)) - static
    a = np.einsum("kij,kj->ki", mass, slope)
    b = np.einsum("kij,kj->ki", mass, bend) + whirl
    rates = [rate, fraction * rate]
    speed_terms = [system.bias(q, slope * r[:, None]) - whirl * r[:, None] ** 2 - static for r in rates]
    torque = system.effort_limits if effort_limit is None else effort_limit
    rows = [
        LimitRows(a, b, static, speed_terms, *_band(a, torque), [f"effort of {name}" for name in system.joint_names])
    ]
    if hardest is not None:
        zero = np.zeros_like(a)
        names = [f"acceleration of {name}" for name in system.joint_names]
        rows.append(LimitRows(slope, bend, zero, [zero, zero], *_band(a, hardest), names))
    motors = motor_limits(system)
    if motors is not None and isinstance(system, MotorSystem):
        rows += _motor_rows(system, motors, q, slope, rates, rows[0])

    def joined(columns: list[Array]) -> Array:
        return np.concatenate(columns, axis=1)

    return LimitRows(
        joined([row.a for row in rows]), joined([row.b for row in rows]), joined([row.c for row in rows]),
        [joined([row.speed_terms[k] for row in rows]) for k in range(2)], joined([row.low for row in rows]),
        joined([row.high for row in rows]), [name for row in rows for name in row.names],
    )  # fmt: skip


def _motor_rows(
    system: MotorSystem, limits: MotorLimits, q: Array, slope: Array, rates: list[Array], joints: LimitRows
) -> list[LimitRows]:
    """Largest current, stall torque and supply, at the shafts."""
    names = system.motor_names
    a, b, c, *speed_terms = (system.to_motors(q, part) for part in (joints.a, joints.b, joints.c, *joints.speed_terms))
    rows = []
    if np.isfinite(limits.torque).any():
        rows.append(LimitRows(a, b, c, speed_terms, *_band(a, limits.torque), [f"torque of motor {x}" for x in names]))
    if np.isfinite(limits.supply).any():
        drag = limits.drag * system.motor_velocities(q, slope)
        speed_terms = [part + drag * r[:, None] for part, r in zip(speed_terms, rates, strict=True)]
        rows.append(LimitRows(a, b, c, speed_terms, *_band(a, limits.supply), [f"supply of motor {x}" for x in names]))
    return rows


def _band(like: Array, bound: Array) -> tuple[Array, Array]:
    return np.broadcast_to(-bound, like.shape), np.broadcast_to(bound, like.shape)


def linear_limits(
    rows: LimitRows, rate: Array, fraction: float, s: Array, largest_x: Array, jumps: NDArray[np.bool_], *, first: bool
) -> tuple[PathLimits, bool]:
    """The rows with what goes with the speed linear in x, between a share of the rate and it; whether there is any.

    In the ``first`` pass it is as at rest, so that speeds come down to the right ones: where they are too low a tangent
    tells far too much of a higher one.
    """
    x = rate[:, None] ** 2
    slope = (rows.speed_terms[0] - rows.speed_terms[1]) / ((1 - fraction**2) * x)
    moving = np.abs(slope * x).max(initial=0.0) > 1e-12 * np.abs(rows.speed_terms[0]).max(initial=0.0)
    if first or not moving:
        slope = np.zeros_like(slope)
    level = rows.c + rows.speed_terms[0] - slope * x
    return PathLimits(s, rows.a, rows.b + slope, rows.low - level, rows.high - level, largest_x, jumps), moving
