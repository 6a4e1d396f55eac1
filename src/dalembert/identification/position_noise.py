"""What noise of the positions does to an estimate: as much noise once more, and the parameters found again.

Least squares think the regressor exact. Noise of variance s^2 in it moves the estimate by b s^2 to first order, so that
positions with as much noise again move it by as much again: the shift that is seen is the one that is there already
(simulation extrapolation, Cook and Stefanski 1994). Where noise is strong the second shift is less than the first, so
what is told is a lower bound of the bias, and no correction of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import signal

from .least_squares import fit
from .log import Array
from .observations import Observations
from .smoothing import FLAT, MOST, WIDER, Smoothed, slope

if TYPE_CHECKING:
    from .result import Identification

REPEATS = 4
SAMPLES = 50_000
"""Samples of each log that are looked at."""
FAINT = 0.01
"""Share of the accelerations below which noise is not looked at: its square is what it moves."""


@dataclass(frozen=True, eq=False)
class PositionNoise:
    """Noise of the positions of each joint, or of its velocities where these were measured.

    ``spread`` is that of white noise as the spectra show it (rad, m, or per second), ``share`` its part in the
    accelerations, ``shifts`` by how many standard errors it moves each parameter.
    """

    spread: Array
    share: Array
    shifts: Array


def position_noise(identified: Identification) -> PositionNoise | None:
    """The noise of the logs of an identification; None where it is faint, unknown, or where instruments see to it."""
    levels = [log.noise for log in identified.logs if log.noise is not None]
    if len(levels) < len(identified.logs) or identified.estimate.plain is not None:
        return None
    rng = np.random.default_rng(0)
    subset = [log.beginning(SAMPLES) for log in identified.logs]
    share = np.max([_share(log, rng) for log in subset], axis=0)
    if not share.max() > FAINT:
        return None
    values = identified.values[: identified.unknowns.inertial]
    known = [torque[:SAMPLES] for torque in identified.known]

    def estimate(logs: Sequence[Smoothed]) -> Array:
        observations = Observations(identified.described, identified.unknowns, identified.base.columns, logs, known)
        return fit(partial(observations.blocks, identified.shape, values), identified.robust).values

    clean = estimate(subset)
    shift = np.mean([estimate([noisier(log, rng) for log in subset]) for _ in range(REPEATS)], axis=0) - clean
    errors = np.sqrt(np.maximum(np.diag(identified.estimate.covariance), 1e-300))
    return PositionNoise(np.max(levels, axis=0), share, shift / errors)


def noisier(log: Smoothed, rng: np.random.Generator) -> Smoothed:
    """The log with as much noise again, through the filter and differences that its motion went through."""
    q, qd, qdd = _noise(log, rng)
    return replace(log, q=log.q + q, qd=log.qd + qd, qdd=log.qdd + qdd)


def _noise(log: Smoothed, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """White noise of q, qd and qdd as strong as that of the log, filtered and differentiated as its motion was."""
    assert log.noise is not None
    filter_ = signal.butter(FLAT, min(WIDER * log.cutoff, MOST * log.rate), fs=log.rate, output="sos")
    noise = np.asarray(signal.sosfiltfilt(filter_, rng.normal(size=log.q.shape) * log.noise, axis=0))
    rate = slope(noise, 1 / log.rate)
    if log.speeds_measured:
        return np.zeros_like(noise), noise, rate
    return noise, rate, slope(rate, 1 / log.rate)


def _share(log: Smoothed, rng: np.random.Generator) -> Array:
    """Noise in the accelerations of each joint that moves, over all of them, root mean square."""
    size = np.sqrt((log.qdd**2).mean(axis=0))
    noise = np.sqrt((_noise(log, rng)[2] ** 2).mean(axis=0))
    return np.asarray(np.where(size > 0.05 * size.max(), noise / np.maximum(size, 1e-300), 0.0))


def check_noise(identified: Identification) -> list[str]:
    """A sentence where noise of the positions moves parameters by more than their standard errors."""
    noise = identified.noise
    if noise is None or not np.abs(noise.shifts).max() > 1.0:
        return []
    k = int(np.abs(noise.shifts).argmax())
    joint = int(noise.share.argmax())
    noisy = "velocities" if any(log.speeds_measured for log in identified.logs) else "positions"
    return [
        f"noise of the {noisy} is {noise.share[joint]:.0%} of the accelerations of joint "
        f"{identified.described.joint_names[joint]!r} and moves {identified.parameters[k].name} by "
        f"{abs(noise.shifts[k]):.2g} standard errors or more, which these do not count; give the reference of the "
        f"motion and instruments=True, or a cutoff below {identified.logs[0].cutoff:.2g} Hz"
    ]
