"""A sampled controller: its last value is held, and a loop that sampling has made unstable is refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import SimulationError
from .inputs import Input
from .saturation import Saturation

Array = NDArray[np.float64]

SWINGS = 50
"""So many samples in a row from limit to limit make a sampled loop unstable."""


class Sampled:
    """A zero-order hold of ``source`` within ``limits``: ``value`` is that of the last sample, each ``period`` (s).

    An input that is cut at one limit and at the other in turn, sample after sample, swings at half the sampling
    frequency: the mark of gains too high for the period. Without limits such a motion diverges.
    """

    def __init__(self, source: Input, limits: Saturation | None, period: float) -> None:
        self.source, self.limits, self.period = source, limits, period
        self.value = self._side = self._swings = np.zeros(len(source.names))

    def sample(self, t: float, q: Array, qd: Array, extra: Array) -> None:
        """Take a sample at this state."""
        requested = self.source(t, q, qd, extra)
        self.value = requested if self.limits is None else self.limits(q, requested)
        side = np.sign(requested) * (self.value != requested)
        self._swings = np.where((side != 0) & (side == -self._side), self._swings + 1, 0)
        self._side = side
        if self._swings.max(initial=0) >= SWINGS:
            name = self.source.names[int(np.argmax(self._swings))]
            raise SimulationError(
                f"the sampled loop is unstable: the input of {name!r} has swung from limit to limit at {SWINGS} "
                f"samples up to t = {t:.6g} s; lower the gains, or shorten the period of {self.period:g} s"
            )
