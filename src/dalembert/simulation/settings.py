"""The settings of a simulation: when to record, how exactly to integrate, what is solid, sampled, limited."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.arrays import vector_array
from ..systems.time_span import MOST_EVALUATIONS, check_samples, check_span, check_tolerances, rising_times
from .loads import LoadChange

Array = NDArray[np.float64]

METHODS = ("auto", "DOP853", "RK45", "RK23", "LSODA", "Radau", "BDF")
""" "auto" is DOP853, and Radau from where the motion turns out to be stiff; the others are scipy's."""
SAMPLES = 501
"""Even times at which a motion is recorded where nobody says when."""
LONGEST_PERIOD = 10.0
"""Sampling period (s) beyond which one that never ends within the motion is refused: a rate in Hz, perhaps."""


def start_state(n: int, q: ArrayLike, qd: ArrayLike | None, what: str = "joint") -> tuple[Array, Array]:
    """Where a simulation starts: positions, and speeds, zero where none are given."""
    position = vector_array(n, "q", q, what)
    speed = np.zeros(n) if qd is None else vector_array(n, "qd", qd, what)
    if position.shape != (n,) or speed.shape != (n,):
        raise ArmError("a simulation starts from one state; use simulate_many for a batch")
    return position, speed


@dataclass(frozen=True)
class SimulationSettings:
    """The options of ``system.simulate``; each field is described there."""

    times: ArrayLike | None = None
    samples: int | None = None
    start: float = 0.0
    method: str = "auto"
    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float | None = None
    stops: bool = False
    restitution: float = 0.0
    changes: Sequence[LoadChange] = field(default=())
    period: float | None = None
    saturate: bool | None = None
    most_evaluations: int = MOST_EVALUATIONS
    progress: bool = False
    tell: Callable[[float], object] | None = None

    def report(self, t: float) -> None:
        """Call ``tell`` with the time that the motion has come to; what it raises ends the motion."""
        if self.tell is not None:
            self.tell(t)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ArmError(f"no method {self.method!r}; there are {listed(METHODS)}")
        if self.period is not None and not self.period > 0:
            raise ArmError(f"the sampling period is {self.period:g} s; give a time above zero")
        if not 0 <= self.restitution <= 1:
            raise ArmError(f"the restitution of stops is {self.restitution:g}; it lies between 0 and 1")
        if self.restitution and not self.stops:
            raise ArmError("a restitution belongs to solid stops; ask for stops as well, or leave it out")
        if not self.most_evaluations > 0:
            raise ArmError(f"most_evaluations is {self.most_evaluations}; give a number above zero")
        check_tolerances(self.rtol, self.atol)
        if self.max_step is not None and not self.max_step > 0:
            raise ArmError(f"the largest step is {self.max_step:g} s; give a time above zero")
        if self.samples is not None:
            check_samples(self.samples)
        if self.times is not None and self.samples is not None:
            raise ArmError("samples are so many even times, and times are given; leave one of the two out")
        if not math.isfinite(self.start):
            raise ArmError(f"the start is {self.start:g} s; give a finite time")

    def span(self, duration: float) -> tuple[float, float]:
        """Start and end (s)."""
        check_span(duration)
        if duration < 1000 * math.ulp(self.start):
            raise ArmError(f"the duration of {duration:g} s is lost beside the start at {self.start:g} s; start at 0")
        if self.period is not None and duration > self.period * self.most_evaluations:
            raise ArmError(
                f"a sampling period of {self.period:g} s makes {duration / self.period:.3g} samples in {duration:g} s, "
                f"more than the {self.most_evaluations} evaluations that are allowed; lengthen it, or raise "
                "most_evaluations"
            )
        if self.period is not None and self.period > max(duration, LONGEST_PERIOD):
            raise ArmError(
                f"a sampling period of {self.period:g} s is longer than the motion of {duration:g} s; the period of "
                f"{self.period:g} Hz is {1 / self.period:g} s"
            )
        return self.start, self.start + duration

    def grid(self, duration: float) -> Array:
        """When to record (s), within the span."""
        begin, end = self.span(duration)
        if self.times is None:
            return np.linspace(begin, end, SAMPLES if self.samples is None else self.samples)
        times = rising_times(self.times)
        within = times[(times >= begin) & (times <= end)]
        if len(within) < len(times):
            raise ArmError(
                f"times reach from {times[0]:g} to {times[-1]:g} s, and the simulation from {begin:g} to {end:g} s; "
                "leave out those beyond it, or simulate longer"
            )
        return within

    def check_changes(self, duration: float) -> None:
        """Refuse a change of load that would never come."""
        begin, end = self.span(duration)
        for change in self.changes:
            if not isinstance(change, LoadChange):
                raise ArmError(f"a change of load is a da.LoadChange(time, load); got {change!r:.80}")
            if not begin <= change.time <= end:
                raise ArmError(
                    f"a change of load at {change.time:g} s lies outside the simulation from {begin:g} to {end:g} s"
                )
