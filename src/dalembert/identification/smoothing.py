"""Velocities and accelerations from measured positions: zero-phase low-pass filters, their cut-off from the data.

Derivatives are central differences of positions (and velocities where they were measured) after a wide filter. Both
sides of tau = Y(q, qd, qdd) pi then pass one Butterworth filter, forward and backward so that nothing is shifted in
time, and the band is sampled no faster than it needs (Gautier 1997, parallel decimation).

The cut-off lies where the spectrum of the positions comes down to that of their noise, ``CLEAR`` times the level of its
highest frequencies, or beyond all but a tenth of the power of the velocities where that is higher. Below it
accelerations are motion, above it noise times frequency squared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import interpolate, signal

from ..arm.errors import ArmError
from .log import Array, Log

ORDER = 4
"""Order of the filter, passed twice."""
CLEAR = 30.0
"""Times the level of the noise that a spectral density must have to be motion."""
SHAKING, BEYOND = 0.1, 1.3
"""Share of the power of the velocities that may lie above the cut-off, and how far beyond the rest it lies."""
LEAST, MOST = 1.0, 0.4
"""Least cut-off (Hz), and the most as a share of the rate of sampling."""
OVERSAMPLED = 8.0
"""Samples that are kept for each period of the cut-off."""
WIDER = 3.0
"""Derivatives are taken in a band so many times wider, so that what the equations lose they lose on both sides."""
FINE = 32.0
"""Samples for each period of the cut-off at which functions of the motion are evaluated before they are filtered."""
EDGE = 2.0
"""Periods of the cut-off left out at each end of a stretch: what a filter makes of an end falls by e^-2.4 a period."""
EVEN = 0.01
"""Share of a step by which times may differ and still count as evenly spaced."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A log with velocities and accelerations, filtered at ``cutoff`` (Hz), at every sample.

    ``effort`` is as measured. ``reduced`` takes any quantity of the samples through the same filter to the rate that
    the band needs, without the ends of each stretch between two gaps.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    stretches: tuple[slice, ...]
    cutoff: float
    rate: float
    name: str

    @property
    def coarse(self) -> int:
        """Each so many samples one is enough to evaluate smooth functions of the motion, their harmonics included."""
        return max(1, int(self.rate / (FINE * self.cutoff)))

    @property
    def every(self) -> int:
        """Each so many samples one is kept."""
        return self.coarse * max(1, int(self.rate / (OVERSAMPLED * self.cutoff)) // self.coarse)

    def reduced(self, values: Array) -> Array:
        """Values at every sample, filtered and thinned out."""
        filter_ = self._filter(1)
        return self._kept([signal.sosfiltfilt(filter_, values[part], axis=0) for part in self.stretches], 1)

    def evaluated(self, function: Callable[[Array, Array, Array], Array]) -> Array:
        """A smooth function of q, qd, qdd, filtered and thinned out: it may hold harmonics that efforts have lost."""
        filter_, step, parts = self._filter(self.coarse), self.coarse, []
        for part in self.stretches:
            values = function(self.q[part][::step], self.qd[part][::step], self.qdd[part][::step])
            parts.append(signal.sosfiltfilt(filter_, values, axis=0))
        return self._kept(parts, step)

    def thinned(self, values: Array) -> Array:
        """Values at the samples that ``reduced`` keeps, as they are."""
        return self._kept([values[part] for part in self.stretches], 1)

    def _filter(self, step: int) -> Array:
        return np.asarray(signal.butter(ORDER, self.cutoff, fs=self.rate / step, output="sos"))

    def _kept(self, parts: list[Array], step: int) -> Array:
        """Of values at each ``step``-th sample those that are kept: the same moments for every ``step``."""
        every = self.every
        margin = -(-int(EDGE * self.rate / self.cutoff) // every) * every
        kept = []
        for values, part in zip(parts, self.stretches, strict=True):
            last = part.stop - part.start - margin
            kept.append(values[margin // step : max(-(-last // step), margin // step) : every // step])
        return np.concatenate(kept)


def smoothed(log: Log, cutoff: float | None = None) -> Smoothed:
    """The log filtered at ``cutoff`` (Hz), or at the one its spectrum asks for."""
    rate = 1.0 / log.step
    if cutoff is None:
        cutoff = chosen_cutoff(log)
    elif not 0 < cutoff <= MOST * rate:
        raise ArmError(
            f"{log.name}: a cut-off lies between 0 and {MOST:g} of the rate of sampling, {MOST * rate:.4g} Hz; "
            f"got {cutoff:g}"
        )
    needed = 2 * int((EDGE + 1) * rate / cutoff) + 8 * ORDER
    long = [part for part in log.stretches if part.stop - part.start >= needed]
    if not long:
        raise ArmError(
            f"{log.name}: no stretch between two gaps has the {needed} samples that a filter of {cutoff:.3g} Hz needs; "
            "measure longer, or give a higher cutoff"
        )
    filter_ = signal.butter(ORDER, min(WIDER * cutoff, MOST * rate), fs=rate, output="sos")
    tables = [_derivatives(log, part, filter_) for part in long]
    ends = np.cumsum([0, *(len(table[0]) for table in tables)]).tolist()
    stretches = tuple(slice(a, b) for a, b in pairwise(ends))
    t, q, qd, qdd, effort = (np.concatenate(column) for column in zip(*tables, strict=True))
    return Smoothed(t, q, qd, qdd, effort, stretches, cutoff, rate, log.name)


def _derivatives(log: Log, part: slice, filter_: Array) -> tuple[Array, ...]:
    """Times, evenly spaced, with filtered q, qd, qdd and the effort of one stretch."""
    t, q, effort = log.t[part], log.q[part], log.effort[part]
    qd = None if log.qd is None else log.qd[part]
    if np.ptp(np.diff(t)) > EVEN * log.step:
        even = np.linspace(t[0], t[-1], len(t))
        q = interpolate.CubicSpline(t, q)(even)
        qd = None if qd is None else interpolate.CubicSpline(t, qd)(even)
        effort = np.stack([np.interp(even, t, column) for column in effort.T], axis=1)
        t = even
    step = (t[-1] - t[0]) / (len(t) - 1)
    position = np.asarray(signal.sosfiltfilt(filter_, q, axis=0))
    speed = np.gradient(position, step, axis=0) if qd is None else np.asarray(signal.sosfiltfilt(filter_, qd, axis=0))
    return t, position, speed, np.gradient(speed, step, axis=0), effort


def chosen_cutoff(log: Log) -> float:
    """The cut-off (Hz) that the spectra of the positions ask for, of the joint that moves the fastest."""
    rate = 1.0 / log.step
    longest = max(log.stretches, key=lambda part: part.stop - part.start)
    q = log.q[longest]
    size = min(len(q), max(256, int(8 * rate)))
    found = LEAST
    for column in q.T:
        if np.ptp(column) == 0:
            continue
        frequency, power = signal.welch(column, fs=rate, nperseg=size, detrend="linear", window="blackmanharris")
        floor = float(np.median(power[3 * len(power) // 4 :]))
        clear = power >= CLEAR * floor
        clear[0] = True
        first = float(frequency[np.argmin(clear)]) if not clear.all() else MOST * rate
        # a slow motion that shakes as well has a dip between: most of the power of the velocities has to lie below
        moved = np.where(clear, power, 0.0) * frequency**2
        above = moved[::-1].cumsum()[::-1] > SHAKING * moved.sum()
        found = max(found, first, BEYOND * float(frequency[np.flatnonzero(above)[-1]]) if above.any() else 0.0)
    return min(found, MOST * rate)
