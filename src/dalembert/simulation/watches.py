"""What ends a mode: functions of the state that fall through zero, and the instant at which the first of them does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from .modes import Modes

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Watch:
    """Ends a mode where ``value`` falls through zero: a contact comes to "rest", a constraint is to "release" what it
    holds, or a joint meets its "lower" or "upper" stop."""

    kind: str
    index: int
    value: Callable[[float, Array], float]


def watches(run: Simulation, modes: Modes) -> list[Watch]:
    """The watches of a mode."""
    mechanics, n = run.mechanics, run.n
    watched = [Watch("rest", c, _speed(run, c, slides)) for c, slides in enumerate(modes.sliding) if slides]
    if modes.held:

        def spare(t: float, x: Array) -> float:
            q, qd, extra = run.split(x)
            return mechanics.spare(q, qd, run.torque(t, q, qd, extra), modes)

        watched.append(Watch("release", -1, spare))
    for j in range(n):
        if not modes.stopped[j]:
            if np.isfinite(run.lower[j]):
                watched.append(Watch("lower", j, _beyond(j, run.lower[j], 1.0)))
            if np.isfinite(run.upper[j]):
                watched.append(Watch("upper", j, _beyond(j, run.upper[j], -1.0)))
    return watched


def first_crossing(
    watched: list[Watch], before: list[float], after: list[float], path: Any
) -> tuple[float, Watch] | None:
    """The first watch that falls through zero on ``path``, the interpolant of a step, and when."""
    crossed = [
        (_instant(path, watch, a), k)
        for k, (watch, a, b) in enumerate(zip(watched, before, after, strict=True))
        if falls(a, b)
    ]
    if not crossed:
        return None
    instant, k = min(crossed)
    return instant, watched[k]


def falls(before: float, after: float) -> bool:
    """Whether a watch falls through zero; one that starts at zero must fall by more than rounding."""
    return (before > 0 and after <= 0) or (before <= 0 and after < min(before, 0.0) - 1e-14)


def _instant(path: Any, watch: Watch, before: float) -> float:
    """When ``watch`` reaches zero on the interpolant of a step at whose end it is below."""
    start, end = path.t_min, path.t_max
    if watch.value(end, path(end)) > 0:
        # the interpolant is off by rounding at the very end
        return float(end)
    if before <= 0:
        # from zero it may have risen first, as a joint that bounced does: the fall comes after that
        span = end - start
        while span > 1e-9 * (end - start):
            span /= 2
            if watch.value(start + span, path(start + span)) > 0:
                start, end = start + span, start + 2 * span
                break
        else:
            return float(start)
    instant, beyond = float(brentq(lambda t: watch.value(t, path(t)), start, end, xtol=1e-15, rtol=1e-14)), 1e-15
    while instant < end and watch.value(instant, path(instant)) > 0:
        # on the far side of zero, where the event has happened: before it nothing would change, time after time
        instant, beyond = min(instant + beyond, end), 2 * beyond
    return float(instant)


def _speed(run: Simulation, contact: int, slides: int) -> Callable[[float, Array], float]:
    """The speed of a contact in the direction it slides."""
    return lambda t, x: slides * float(run.mechanics.rows(x[: run.n])[contact] @ x[run.n : 2 * run.n])


def _beyond(joint: int, limit: float, side: float) -> Callable[[float, Array], float]:
    """How far a joint is from its stop."""
    return lambda t, x: side * float(x[joint] - limit)
