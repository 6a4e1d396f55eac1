"""Velocities and accelerations from measured positions: zero-phase low-pass filters, their cut-off from the data.

Derivatives are differences of eighth order of positions (and velocities where they were measured) after a wide and flat
filter: up to the cut-off both together change an amplitude by less than 1e-6 where a log has eight samples a period
or more. Both sides of tau = Y(q, qd, qdd) pi then pass one Butterworth filter, forward and backward so that nothing is
shifted in time, and the band is sampled no faster than it needs (Gautier 1997, parallel decimation). So the filter
takes the same from both sides, and leaves no bias.

The cut-off lies where the spectrum of the positions comes down to that of their noise, ``CLEAR`` times the level of its
highest frequencies, or beyond all but a tenth of the power of the velocities where that is higher. Below it
accelerations are motion, above it noise times frequency squared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import interpolate, ndimage, signal

from ..arm.errors import ArmError
from .log import Array, Log

ORDER, FLAT = 4, 8
"""Order of the filter of both sides, and of the wider one before derivatives, each passed twice."""
DIFFERENCES = np.array([-1 / 280, 4 / 105, -1 / 5, 4 / 5, 0, -4 / 5, 1 / 5, -4 / 105, 1 / 280])
"""Central differences of eighth order, as a convolution: off by (w h)^8 / 630 of the derivative."""
CLEAR = 30.0
"""Times the level of the noise that a spectral density must have to be motion."""
SHAKING, BEYOND = 0.1, 1.3
"""Share of the power of the velocities that may lie above the cut-off, and how far beyond the rest it lies."""
HARMONICS, NOISY = 3.0, 0.05
"""Efforts hold products of speeds and the sign of friction, harmonics of the motion: so many times its band is kept,
unless the accelerations there are noise to this share."""
LEAST, MOST = 1.0, 0.4
"""Least cut-off (Hz), and the most as a share of the rate of sampling."""
OVERSAMPLED = 4.0
"""Samples that are kept for each period of the cut-off."""
WIDER = 1.5
"""Derivatives are taken in a band so many times wider, so that what the equations lose they lose on both sides."""
FINE = 32.0
"""Samples for each period of the cut-off at which functions of the motion are evaluated before they are filtered."""
EDGE = 2.0
"""Periods of the cut-off left out at each end of a stretch: what a filter makes of an end falls by e^-2.4 a period."""
BRIDGED = 0.1
"""Gaps up to this share of a period of the cut-off are bridged by a spline."""
APART = 8.0
"""Periods of the cut-off by which pieces of a long stretch overlap: what their ends leave is then below rounding."""
PIECE = 2048
"""Most samples that are kept of one piece."""
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
    lead: int | None = None
    trail: int | None = None
    """Samples left out at the beginning and the end of each stretch; ``EDGE`` periods where None."""
    reference: tuple[Array, Array, Array] | None = None
    """q, qd, qdd that the reference explains, free of what was measured wrongly."""
    noise: Array | None = None
    """Standard deviation of white noise of the positions, or velocities where these were measured, joint by joint."""
    speeds_measured: bool = False

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
        return self._thinned([signal.sosfiltfilt(filter_, values[part], axis=0) for part in self.stretches], 1)

    def evaluated(self, function: Callable[[Array, Array, Array], Array]) -> Array:
        """A smooth function of q, qd, qdd, filtered and thinned out: it may hold harmonics that efforts have lost."""
        filter_, step, parts = self._filter(self.coarse), self.coarse, []
        for part in self.stretches:
            values = function(self.q[part][::step], self.qd[part][::step], self.qdd[part][::step])
            parts.append(signal.sosfiltfilt(filter_, values, axis=0))
        return self._thinned(parts, step)

    def thinned(self, values: Array) -> Array:
        """Values at the samples that ``reduced`` keeps, as they are."""
        return self._thinned([values[part] for part in self.stretches], 1)

    def along_reference(self) -> Smoothed:
        """The same log on the motion that its reference explains."""
        assert self.reference is not None
        q, qd, qdd = self.reference
        return replace(self, q=q, qd=qd, qdd=qdd, reference=None)

    @property
    def kept(self) -> int:
        """Number of samples that are kept."""
        return sum(len(range(*self._span(part.stop - part.start))) for part in self.stretches)

    def pieces(self) -> Iterator[tuple[slice, Smoothed]]:
        """The log in pieces of bounded size that keep each sample once: the rows they come from, and themselves."""
        apart = -(-int(APART * self.rate / self.cutoff) // self.every) * self.every
        for part in self.stretches:
            first, last, every = self._span(part.stop - part.start)
            count = len(range(first, last, every))
            bounds = np.linspace(0, count, max(1, -(-count // PIECE)) + 1).astype(int).tolist() if count else []
            for a, b in pairwise(bounds):
                start, stop = first + a * every, first + (b - 1) * every + 1
                lead, trail = min(start, apart), min(part.stop - part.start - stop, apart)
                yield self._piece(slice(part.start + start - lead, part.start + stop + trail), lead, trail)

    def _piece(self, rows: slice, lead: int, trail: int) -> tuple[slice, Smoothed]:
        t, q, qd, qdd, effort = (x[rows] for x in (self.t, self.q, self.qd, self.qdd, self.effort))
        guide = None
        if self.reference is not None:
            guide = self.reference[0][rows], self.reference[1][rows], self.reference[2][rows]
        stretch = (slice(0, rows.stop - rows.start),)
        piece = Smoothed(t, q, qd, qdd, effort, stretch, self.cutoff, self.rate, self.name, lead, trail, guide)
        return rows, replace(piece, noise=self.noise, speeds_measured=self.speeds_measured)

    def beginning(self, samples: int) -> Smoothed:
        """The first stretches, cut to so many samples in all."""
        end = min(samples, len(self.t))
        _, part = self._piece(slice(0, end), 0, 0)
        stretches = tuple(slice(p.start, min(p.stop, end)) for p in self.stretches if p.start < end)
        return replace(part, stretches=stretches, lead=self.lead, trail=self.trail)

    def _filter(self, step: int) -> Array:
        return np.asarray(signal.butter(ORDER, self.cutoff, fs=self.rate / step, output="sos"))

    def _span(self, length: int) -> tuple[int, int, int]:
        """First and last (not included) sample that is kept of a stretch of this length, and the step."""
        every = self.every
        margin = -(-int(EDGE * self.rate / self.cutoff) // every) * every
        first = margin if self.lead is None else self.lead
        return first, max(length - (margin if self.trail is None else self.trail), first), every

    def _thinned(self, parts: list[Array], step: int) -> Array:
        """Of values at each ``step``-th sample those that are kept: the same moments for every ``step``."""
        kept = []
        for values, part in zip(parts, self.stretches, strict=True):
            first, last, every = self._span(part.stop - part.start)
            kept.append(values[first // step : -(-last // step) : every // step])
        return np.concatenate(kept)


def smoothed(log: Log, cutoff: float | None = None) -> Smoothed:
    """The log filtered at ``cutoff`` (Hz), or at the one its spectrum asks for."""
    rate, most = 1.0 / log.step, MOST / log.slowest_step
    if cutoff is None:
        cutoff = chosen_cutoff(log)
    elif not 0 < cutoff <= most:
        raise ArmError(
            f"{log.name}: a cut-off lies between 0 and {MOST:g} of the slowest rate of sampling, {most:.4g} Hz; "
            f"got {cutoff:g}"
        )
    needed = 2 * int((EDGE + 1) * rate / cutoff) + 8 * FLAT
    usable = [
        part for part in _bridged(log, cutoff) if round((log.t[part][-1] - log.t[part][0]) / log.step) + 1 >= needed
    ]
    if not usable:
        raise ArmError(
            f"{log.name}: no stretch between two gaps has the {needed} samples that a filter of {cutoff:.3g} Hz needs; "
            "measure longer, or give a higher cutoff"
        )
    filter_ = signal.butter(FLAT, min(WIDER * cutoff, most), fs=rate, output="sos")
    filtered = [_derivatives(log, part, filter_) for part in usable]
    ends = np.cumsum([0, *(len(table[0]) for table in filtered)]).tolist()
    stretches = tuple(slice(a, b) for a, b in pairwise(ends))
    t, q, qd, qdd, effort, *guide = (np.concatenate(column) for column in zip(*filtered, strict=True))
    reference = _tracked(q, guide) if guide else None
    return Smoothed(
        t, q, qd, qdd, effort, stretches, cutoff, rate, log.name, reference=reference, noise=white_noise(log),
        speeds_measured=log.qd is not None,
    )  # fmt: skip


def _bridged(log: Log, cutoff: float) -> list[slice]:
    """The stretches of a log, joined where the gap is short beside a period of the cut-off: a spline bridges it."""
    stretches: list[slice] = []
    for part in log.stretches:
        if stretches and log.t[part.start] - log.t[part.start - 1] < BRIDGED / cutoff:
            stretches[-1] = slice(stretches[-1].start, part.stop)
        else:
            stretches.append(part)
    return stretches


def _even(log: Log, part: slice) -> tuple[Array, Array, Array, Array | None, Array | None]:
    """Times, evenly spaced, positions, efforts, velocities and reference of one stretch at them."""
    t, q, effort = log.t[part], log.q[part], log.effort[part]
    qd, reference = (None if x is None else x[part] for x in (log.qd, log.reference))
    count = round((t[-1] - t[0]) / log.step) + 1
    if len(t) < 2 or (count == len(t) and np.ptp(np.diff(t)) <= EVEN * log.step):
        return t, q, effort, qd, reference
    even = np.linspace(t[0], t[-1], count)
    resampled = [
        None if x is None else np.asarray(interpolate.CubicSpline(t, x)(even)) for x in (q, effort, qd, reference)
    ]
    assert resampled[0] is not None
    assert resampled[1] is not None
    return even, resampled[0], resampled[1], resampled[2], resampled[3]


def _derivatives(log: Log, part: slice, filter_: Array) -> tuple[Array, ...]:
    """Times, evenly spaced, with filtered q, qd, qdd and the effort of one stretch; q, qd, qdd of the reference."""
    t, q, effort, qd, reference = _even(log, part)
    step = (t[-1] - t[0]) / (len(t) - 1)
    position = np.asarray(signal.sosfiltfilt(filter_, q, axis=0))
    speed = slope(position, step) if qd is None else np.asarray(signal.sosfiltfilt(filter_, qd, axis=0))
    motion = (t, position, speed, slope(speed, step), effort)
    if reference is None:
        return motion
    guide = np.asarray(signal.sosfiltfilt(filter_, reference, axis=0))
    rates = [guide]
    for _ in range(4):
        rates.append(slope(rates[-1], step))
    return *motion, *rates


def slope(values: Array, step: float) -> Array:
    """The derivative of values at even steps, by central differences."""
    return np.asarray(ndimage.convolve1d(values, DIFFERENCES / step, axis=0, mode="nearest"))


def _tracked(q: Array, guide: list[Array]) -> tuple[Array, Array, Array]:
    """The motion that the reference r explains: q = c_0 + c_1 r + c_2 r' + c_3 r'', joint by joint, and its rates.

    A drive follows its reference with a lag that is linear to this order; what it adds by itself is left out, as is
    all noise: the first stage of two-stage least squares.
    """
    motion = [np.empty_like(q) for _ in range(3)]
    for joint in range(q.shape[1]):
        rates = [rate[:, joint] for rate in guide]
        columns = np.column_stack([np.ones(len(q)), *rates[:3]])
        size = np.maximum(np.abs(columns).max(axis=0), 1e-300)
        factors = np.linalg.lstsq(columns / size, q[:, joint], rcond=None)[0] / size
        for order, target in enumerate(motion):
            target[:, joint] = sum(f * rates[k + order] for k, f in enumerate(factors[1:]))
        motion[0][:, joint] += factors[0]
    return motion[0], motion[1], motion[2]


def white_noise(log: Log) -> Array | None:
    """Standard deviation of the white noise of each joint, from the level of its highest frequencies.

    It is that of what derivatives are taken of: velocities where they were measured, else positions. None where times
    are uneven, since a spline through them has no noise left there.
    """
    longest = max(log.stretches, key=lambda part: part.stop - part.start)
    t, q, _, qd, _ = _even(log, longest)
    if len(t) != longest.stop - longest.start or not np.array_equal(t, log.t[longest]):
        return None
    rate, deviations = 1.0 / log.step, []
    for column in (q if qd is None else qd).T:
        power = spectrum(column, rate)[1]
        deviations.append(np.sqrt(np.median(power[3 * len(power) // 4 :]) * rate / 2))
    return np.array(deviations)


def spectrum(column: Array, rate: float) -> tuple[Array, Array]:
    """Frequencies (Hz) and spectral density of a motion."""
    size = min(len(column), max(256, int(8 * rate)))
    density = signal.welch(column, fs=rate, nperseg=size, detrend="linear", window="blackmanharris")
    return np.asarray(density[0]), np.asarray(density[1])


def chosen_cutoff(log: Log) -> float:
    """The cut-off (Hz) that the spectra of the positions ask for, of the joint that moves the fastest."""
    rate, most = 1.0 / log.step, MOST / log.slowest_step
    longest = max(log.stretches, key=lambda part: part.stop - part.start)
    t, q = _even(log, longest)[:2]
    even = len(t) == longest.stop - longest.start and np.array_equal(t, log.t[longest])
    band, quiet = LEAST, most
    for column in q.T:
        if np.ptp(column) == 0:
            continue
        frequency, power = spectrum(column, rate)
        # a spline through uneven times has no noise left at the highest frequencies
        upper = slice(3, 4) if even else slice(2, 3)
        floor = float(np.median(power[upper.start * len(power) // 4 : upper.stop * len(power) // 4]))
        clear = power >= CLEAR * floor
        clear[0] = True
        first = float(frequency[np.argmin(clear)]) if not clear.all() else most
        # a slow motion that shakes as well has a dip between: most of the power of the velocities has to lie below
        velocity_power = np.where(clear, power, 0.0) * frequency**2
        above = velocity_power[::-1].cumsum()[::-1] > SHAKING * velocity_power.sum()
        joint_band = max(first, BEYOND * float(frequency[np.flatnonzero(above)[-1]]) if above.any() else 0.0)
        band = max(band, joint_band)
        noise = np.cumsum(floor * frequency**4)
        loud = noise > NOISY**2 * (np.where(clear, power, 0.0) * frequency**4).sum()
        quiet = min(quiet, max(float(frequency[np.argmax(loud)]), joint_band)) if loud.any() else quiet
    return min(max(min(HARMONICS * band, quiet), band), most)
