"""The settings of a simulation: when to record, how exactly to integrate, what is solid, sampled, limited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from .loads import LoadChange

Array = NDArray[np.float64]

METHODS = ("auto", "DOP853", "RK45", "RK23", "LSODA", "Radau", "BDF")
""" "auto" is DOP853, and Radau from where the motion turns out to be stiff; the others are scipy's."""
MOST_EVALUATIONS = 1_000_000


@dataclass(frozen=True)
class SimulationSettings:
    """What ``system.simulate`` may be told; each field is described there."""

    times: ArrayLike | None = None
    samples: int = 501
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

    def span(self, duration: float) -> tuple[float, float]:
        """Start and end (s)."""
        if not duration > 0 or not np.isfinite(duration):
            raise ArmError(f"the duration is {duration:g} s; give a time above zero")
        return self.start, self.start + duration

    def grid(self, duration: float) -> Array:
        """When to record (s), within the span."""
        begin, end = self.span(duration)
        times = np.linspace(begin, end, self.samples) if self.times is None else np.asarray(self.times, dtype=float)
        return np.ascontiguousarray(times[(times >= begin) & (times <= end)])
