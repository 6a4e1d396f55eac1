"""The fastest motion of a system along a path, within torques, speeds and accelerations of its joints and motors.

On q(s) with x = s'^2 and u = s'' the torques are D q' u + (D q'' + h(q, q')) x + G and what goes with the speed:
friction, dampers, back-emf. That is not linear in x, and is taken by its tangent at the speed of the pass before, pass
after pass until nothing changes (friction that grows with the square root of x is then met exactly). The first passes
take its chord from rest, which leads down to the right speeds from any higher one. Between places the limits hold to
the order of the spacing squared, places being set where dry friction changes its sign too; ``requirements`` of the
system tells how well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..drives.motor_limits import motor_limits
from ..systems.driven import MotorSystem
from ..systems.protocol import System
from .path_grid import path_samples, standing_knots, with_reversals
from .path_limits import LimitRows, limit_rows, linear_limits
from .reachable_speeds import NoSpeed, PathLimits, fastest
from .timing_laws import retimed
from .trajectories import Polynomials, joint_limit, require_path

Array = NDArray[np.float64]
PASSES = 30
CHORDS = 6
"""Passes by chords, before those by tangents."""
CHORD, TANGENT = 1e-3, 0.9
"""The share of the speed at which what goes with it is taken a second time."""
SETTLED = 1e-6
"""Relative change of the duration below which the passes end."""
UNSETTLED = 1e-3
"""Relative change of the duration at the last pass that is an error."""
SLOWEST = 1e-3
"""The share of the largest speed at which friction is taken where the motion is slower: near rest it has no tangent."""
BETWEEN = 32
"""Parts of a step at whose ends the limits of speed are looked at."""
BOUNDLESS = 1e9
"""A speed along the path (per s) that only a path without limits reaches."""
NEAR = 0.995
"""The share of a limit from which it counts as met."""


@dataclass(frozen=True)
class TimeOptimal(Polynomials):
    """A trajectory, with the places ``s`` of the path, the speeds ``rate`` = s' there, and which limit is met when."""

    s: Array = field(default_factory=lambda: np.zeros(0))
    rate: Array = field(default_factory=lambda: np.zeros(0))
    active: tuple[str, ...] = ()
    """For each step of the path the limit that is used most there."""
    name: str = ""

    @property
    def bottlenecks(self) -> dict[str, float]:
        """Share of the time (0 to 1) during which each limit holds the motion back, largest first."""
        spans = np.diff(self._sample_times)
        total: dict[str, float] = {}
        for label, span in zip(self.active, spans, strict=True):
            total[label] = total.get(label, 0.0) + float(span) / self.duration
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    @property
    def _sample_times(self) -> Array:
        """Times (s) at the places of the path."""
        return _times(self.s, self.rate)

    def __repr__(self) -> str:
        first = next(iter(self.bottlenecks), "")
        return f"<TimeOptimal of {self.name!r}: {self.duration:.4g} s, held back most by {first or 'nothing'}>"


def time_optimal(
    system: System,
    path: Polynomials,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    samples: int = 400,
) -> TimeOptimal:
    """The fastest motion from rest to rest along ``path`` (any polynomial path; its own times do not count).

    Limits are those of the system: speeds and efforts of its joints, and of counted drives the largest currents, the
    supply and stall torques of the motors; loads, rotors, friction, springs and dampers are in. ``speed``,
    ``acceleration`` and ``effort`` (rad/s or m/s, per s^2, N m or N; one number or one for each joint) replace or add
    limits. ``samples`` are the steps of the path. Where the path itself stands still, as a ``quintic`` does at each
    point, so does the motion. Pham and Pham 2018.
    """
    require_path(path)
    if path.n != system.n:
        raise ArmError(f"{system.name}: the path has {path.n} joints and the system {system.n}")
    if not isinstance(samples, int) or not 2 <= samples <= 100_000:
        raise ArmError("samples are a number of steps of the path, 2 to 100000")
    _refuse_undriven(system, effort)
    s, jumps = with_reversals(system, path, path_samples(path, samples))
    q, slope, bend = (path.derivative(s, order) for order in range(3))
    _refuse_corners(system, path)
    _refuse_waiting(system, path)
    _refuse_beyond(system, q)
    if not slope.any():
        raise ArmError(f"{system.name}: the path does not move; give one that does")

    def bound(path_s: Array) -> Array:
        return _speed_limit(system, path.derivative(path_s, 0), path.derivative(path_s, 1), speed)

    largest_x = _lowered_between(s, bound(s), bound)
    hardest = None if acceleration is None else joint_limit("acceleration", acceleration, (system.n,))
    effort_limit = None if effort is None else joint_limit("effort", effort, (system.n,))
    # where the path stands still the motion rests, whatever s' is there: as at the ends, s' is zero
    crossed = np.where(np.isin(s, standing_knots(path)), 0.0, largest_x)
    points = PathPoints(s, q, slope, bend, largest_x, crossed, jumps)
    rows, limits, x, u = _settled(system, points, hardest, effort_limit)
    rate = np.sqrt(np.maximum(x, 0.0))
    timed = retimed(path, _law(s, rate, u))
    active = _active(rows, limits, x, u, largest_x)
    return TimeOptimal(timed.times, timed.coefficients, s, rate, active, system.name)


@dataclass(frozen=True)
class PathPoints:
    """Places s of a path: q, q' and q'' there, the largest s'^2 by the limits of speed, and where torques jump.

    ``crossed`` is the largest s'^2 with which a place is crossed, zero where the path itself stands still.
    """

    s: Array
    q: Array
    slope: Array
    bend: Array
    largest_x: Array
    crossed: Array
    jumps: NDArray[np.bool_]


def _settled(
    system: System, points: PathPoints, hardest: Array | None, effort_limit: Array | None
) -> tuple[LimitRows, PathLimits, Array, Array]:
    """The fastest x = s'^2 and u = s'' after passes that have settled, with the limits of the last of them."""
    s, elapsed, change = points.s, np.inf, 0.0
    rate = np.full(len(s), 1e-3 * np.sqrt(min(float(np.min(points.largest_x)), 1.0)))
    for count in range(PASSES):
        fraction = CHORD if count < CHORDS else TANGENT
        rows = limit_rows(system, points.q, points.slope, points.bend, rate, fraction, hardest, effort_limit)
        limits, moving = linear_limits(rows, rate, fraction, s, points.crossed, points.jumps, first=count == 0)
        try:
            x, u = fastest(limits, 0.0, 0.0)
        except NoSpeed as none:
            raise _stuck(system, rows, none.index, s) from None
        rate = np.sqrt(np.maximum(x, 0.0))
        before, elapsed = elapsed, float(_times(s, rate)[-1])
        rate = np.maximum(rate, SLOWEST * rate.max())
        change = abs(elapsed - before) / elapsed if moving else 0.0
        if change <= SETTLED:
            break
    if (x >= 0.99 * BOUNDLESS**2).any():
        raise ArmError(
            f"{system.name}: no limit is known that holds the motion back; give speed, acceleration or effort"
        )
    if change > UNSETTLED:
        raise ArmError(
            f"{system.name}: after {PASSES} passes the time still changes by {100 * change:.2g} percent, so that "
            "limits that depend on the speed may not be kept; give other samples=, or a smoother path"
        )
    return rows, limits, x, u


def _refuse_corners(system: System, path: Polynomials) -> None:
    """A path whose direction jumps would have to stop there."""
    inner = path.times[1:-1]
    if not len(inner):
        return
    spans = np.diff(path.times)[:-1]
    powers = np.arange(1, path.coefficients.shape[1])
    before = np.einsum("kpj,kp->kj", path.coefficients[:-1, 1:] * powers[None, :, None], spans[:, None] ** (powers - 1))
    jump = np.abs(before - path.coefficients[1:, 1]).max(axis=1)
    if jump.max() > 1e-6 * np.abs(path.coefficients[:, 1]).max():
        knot = float(inner[int(np.argmax(jump))])
        raise ArmError(
            f"{system.name}: the path has a corner at {knot:g}, where the joints would have to stop; give a smooth "
            "path, such as a spline through its points"
        )


def _refuse_waiting(system: System, path: Polynomials) -> None:
    """A piece of a path on which nothing moves has no speed."""
    moves = np.abs(path.coefficients[:, 1:]).max(axis=(1, 2), initial=0.0) > 0
    if moves.any() and not moves.all():
        knot = float(path.times[int(np.argmin(moves))])
        raise ArmError(f"{system.name}: the path stands still from {knot:g} on for a while; leave that piece out")


def _refuse_undriven(system: System, effort: ArrayLike | None) -> None:
    """A path is that of all coordinates, so that all are driven, by motors within their limits where these count."""
    passive = getattr(system, "passive_indices", ())
    if passive:
        raise ArmError(
            f"{system.name}: coordinate {system.joint_names[passive[0]]!r} is passive, and nobody drives it along a "
            "path; choose coordinates that are driven with with_coordinates"
        )
    motors = getattr(system, "limited_motors", ())
    if motors and effort is None and not isinstance(system, MotorSystem):
        raise ArmError(
            f"{system.name}: loads at its coordinates know nothing of the limits of motor {motors[0]!r}; give "
            "as_system(motors=True), or the largest loads as effort="
        )


def _refuse_beyond(system: System, q: Array) -> None:
    """A path that leaves the range of a joint cannot be gone at any speed."""
    beyond = np.maximum(q - system.upper, system.lower - q).max(axis=0)
    if beyond.max() > 1e-9:
        name = system.joint_names[int(np.argmax(beyond))]
        raise ArmError(
            f"{system.name}: the path goes {beyond.max():.3g} (rad or m) beyond the range of {name}; lay it within the "
            "limits of the joints"
        )


def _speed_limit(system: System, q: Array, slope: Array, speed: ArrayLike | None) -> Array:
    """The largest s'^2 that the speeds of the joints allow at each place, and those of motors by their supply."""
    limits = getattr(system, "velocity_limits", None)
    if speed is not None:
        limits = joint_limit("speed", speed, (system.n,))
    bound = np.full(system.n, np.inf) if limits is None else np.asarray(limits)
    motors = motor_limits(system)
    with np.errstate(divide="ignore"):
        rate = (bound / np.abs(slope)).min(axis=1)
        if motors is not None and isinstance(system, MotorSystem):
            rate = np.minimum(rate, (motors.speed / np.abs(system.motor_velocities(q, slope))).min(axis=1))
    return np.minimum(np.asarray(rate), BOUNDLESS) ** 2


def _lowered_between(s: Array, largest_x: Array, bound: Callable[[Array], Array]) -> Array:
    """``largest_x`` at the samples, lowered so that s'^2, linear from one to the next, is below ``bound`` between.

    By how far the straight line through the bounds themselves is above them, or, where that is more than they differ,
    to the lowest of them.
    """
    inner = np.arange(1, BETWEEN) / BETWEEN
    between = s[:-1, None] + np.diff(s)[:, None] * inner
    bounds = bound(between.ravel()).reshape(between.shape)
    straight = largest_x[:-1, None] + np.diff(largest_x)[:, None] * inner
    above = np.maximum((straight - bounds).max(axis=1), 0.0)
    endpoints = np.stack([largest_x[:-1], largest_x[1:]])
    lowest = np.minimum(bounds.min(axis=1), endpoints.min(axis=0))
    endpoints = np.where((endpoints - above).min(axis=0) >= lowest, endpoints - above, lowest)
    lowered = largest_x.copy()
    lowered[:-1] = np.minimum(lowered[:-1], endpoints[0])
    lowered[1:] = np.minimum(lowered[1:], endpoints[1])
    return lowered


def _stuck(system: System, rows: LimitRows, index: int, s: Array) -> ArmError:
    """The error for a place that no speed passes."""
    load = rows.c[index] + rows.speed_terms[1][index]
    use = np.abs(load) / np.where(rows.high[index] > 0, rows.high[index], np.inf)
    fraction = (s[index] - s[0]) / (s[-1] - s[0])
    worst = int(np.argmax(use))
    cause = (
        f"to hold still it needs {use[worst]:.3g} times the {rows.names[worst]}"
        if use[worst] > 1
        else "speed that it must have and limits contradict each other there"
    )
    return ArmError(
        f"{system.name}: no speed keeps the limits at {100 * fraction:.0f} percent of the path: {cause}; go another "
        "way, take load off, or raise the limit"
    )


def _active(rows: LimitRows, limits: PathLimits, x: Array, u: Array, largest_x: Array) -> tuple[str, ...]:
    """The limit that is used most in each step."""
    names = [*rows.names, "speed"]
    labels = []
    for i, push in enumerate(u):
        best, label = 0.0, ""
        for k in (i, i + 1):
            value = limits.a[k] * push + limits.b[k] * x[k]
            with np.errstate(invalid="ignore", divide="ignore"):
                room = (limits.high[k] - limits.low[k]) / 2
                middle = (limits.high[k] + limits.low[k]) / 2
                use = np.where(np.isfinite(room) & (room > 0), np.abs(value - middle) / room, 0.0)
            use = np.append(use, np.sqrt(x[k] / largest_x[k]))
            top = int(np.argmax(use))
            if use[top] > best:
                best, label = float(use[top]), names[top]
        labels.append(label if best >= NEAR else "")
    return tuple(labels)


def _times(s: Array, rate: Array) -> Array:
    """When the places are passed, s'' being constant between them."""
    with np.errstate(divide="ignore"):
        spans = 2 * np.diff(s) / (rate[1:] + rate[:-1])
    return np.concatenate([[0.0], np.cumsum(spans)])


def _law(s: Array, rate: Array, u: Array) -> Polynomials:
    """s(t), a parabola a step."""
    table = np.stack([s[:-1], rate[:-1], u / 2], axis=1)[:, :, None]
    return Polynomials(_times(s, rate), table)
