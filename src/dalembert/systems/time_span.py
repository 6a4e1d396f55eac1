"""How long and how much a simulation may be: the same for arms and mechanisms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.errors import ArmError

MOST_EVALUATIONS = 1_000_000
MOST_SAMPLES = 10_000_000
MOST_NUMBERS = 1_000_000_000
"""Most positions that are kept of many motions."""
TOO_FAST = 1e4
"""Speed (rad/s or m/s) beyond which a motion counts as divergent."""
SHORTEST, LONGEST = 1e-9, 1e9
"""Shortest and longest simulation (s)."""


def check_span(duration: float, what: str = "the duration is") -> None:
    """Refuse a simulation that is no time, or more than any motion takes."""
    if not SHORTEST <= duration <= LONGEST:
        raise ArmError(f"{what} {duration:g} s; give a time between {SHORTEST:g} and {LONGEST:g} s")


def check_samples(samples: object, what: str = "samples is", least: int = 1) -> None:
    """Refuse a number of rows that is none, or more than memory holds."""
    if isinstance(samples, bool) or not isinstance(samples, int) or not least <= samples <= MOST_SAMPLES:
        raise ArmError(f"{what} {samples!r}; give a whole number between {least} and {MOST_SAMPLES:,}")


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that no step could keep, or that keep nothing."""
    if not 0 < rtol < 1:
        raise ArmError(f"the relative tolerance is {rtol:g}; give a number between 0 and 1, such as 1e-8")
    if not 0 < atol < math.inf:
        raise ArmError(f"the absolute tolerance is {atol:g}; give a number above zero, such as 1e-10")


def fixed_steps(duration: float, step: float, every: int | None) -> tuple[int, int]:
    """Of a run in fixed steps: after how many a state is kept, and how many states that makes; None keeps the last."""
    if not step >= SHORTEST or not step <= duration <= LONGEST:
        raise ArmError(
            f"step {step:g} s and duration {duration:g} s: the step must be {SHORTEST:g} s or more and fit into a "
            f"duration of at most {LONGEST:g} s"
        )
    count = round(duration / step)
    if abs(count * step - duration) > 1e-9 * duration:
        raise ArmError(f"{duration:g} s is no whole number of steps of {step:g} s; change one of them")
    stride = count if every is None else every
    if not 1 <= stride <= count:
        raise ArmError(f"every {stride} steps of {count} cannot be kept; give a number between 1 and {count}")
    return stride, count // stride


def rising_times(times: ArrayLike) -> NDArray[np.float64]:
    """Moments of a recording (s), finite and in order."""
    moments = np.ascontiguousarray(real_array("times", times))
    if moments.ndim != 1 or not np.isfinite(moments).all():
        raise ArmError("times are a list of finite moments (s)")
    late = np.flatnonzero(np.diff(moments) < 0)
    if len(late):
        before, after = moments[late[0]], moments[late[0] + 1]
        raise ArmError(f"times must rise, and {after:g} s comes after {before:g} s; sort them")
    return moments
