"""Change points: configurations where assembly modes meet, and how a motion passes them.

There [G^c_phi] has a rank less than elsewhere: a parallelogram laid flat can go on as a parallelogram or crossed. A
mechanism that arrives with speed goes on smoothly, in the mode of its velocity, since to turn into the other takes an
impulse that nothing gives; its accelerations are smooth functions of time on both sides and through the point. But
they are quotients that become 0/0 there, and rounding decides what an integrator makes of them. So a motion is passed
through by its accelerations on both sides: these are interpolated over the short time in which [G^c_phi] is nearly
singular, and integrated from the near side to the far one,

    phi'' = sum_k l_k(t) phi''(t_k),    t_k before and after, l_k Lagrange's polynomials,

again and again until the far side does not change any more. The passage counts if the loops stay closed all along it;
where they do not, the modes only come near each other, and the integrator must find its way between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import DOP853
from scipy.interpolate import BarycentricInterpolator

from .batch import Array

if TYPE_CHECKING:
    from .assembly import Assembly

NEAR = 0.02
"""Of the regularity that the motion had at best: below, the closures are nearly singular."""
TOO_NEAR = 1e-4
"""Of the same: below, accelerations are rounding."""
CLOSED = 1e-10
"""Largest closure error (m, rad) along a passage."""
NODES = 7
"""Instants on each side whose accelerations are interpolated."""
SAMPLES = 8
"""Instants of a step at which the regularity is looked at."""
State = Array
"""Joints and their rates, ``(2 m,)``."""


@dataclass(frozen=True)
class Passage:
    """From ``start`` to ``end`` (s) through a change point at about ``time``: the state at the end, and in between."""

    start: float
    time: float
    end: float
    state: State
    between: Callable[[float], State]


class ChangePoints:
    """Watches the closures along a motion whose slope is ``slope(t, y)``, y being joints and rates."""

    def __init__(
        self,
        assembly: Assembly,
        slope: Callable[[float, State], State],
        project: Callable[[State], State | None],
        phi: Array,
        begin: float,
        tolerances: tuple[float, float],
    ) -> None:
        self.assembly, self.slope, self.project, self.begin = assembly, slope, project, begin
        self.rtol, self.atol = tolerances
        self.best = float(self.regularity(phi[None])[0])

    def regularity(self, phi: Array) -> Array:
        """Smallest singular value of [G^c_phi] that its rank counts, over the largest, ``(b,)``."""
        rank = self.assembly.rank
        if not rank or not len(phi):
            return np.full(len(phi), np.inf)
        s = np.linalg.svd(self.assembly.closure_jacobian(phi), compute_uv=False)
        return s[:, rank - 1] / s[:, 0]

    def near(self, phi: Array) -> Array:
        """Where the closures are nearly singular."""
        return self.regularity(phi) < NEAR * self.best

    def gate(self, start: float, end: float, between: Callable[[float], State]) -> float | None:
        """The first instant of a step at which the closures are nearly singular, or about to be; None if never."""
        if not self.assembly.rank:
            return None
        m = self.assembly.m
        times = np.linspace(start, end, SAMPLES + 1)
        phi = np.array([between(t)[:m] for t in times])
        regularity = self.regularity(phi)
        self.best = max(self.best, float(regularity.max()))
        limit = NEAR * self.best
        steady = (regularity[1:] + regularity[:-1]).min() > 8 * np.abs(np.diff(regularity)).max()
        if steady and regularity.min() >= limit:
            return None  # it changes too slowly to vanish between two instants
        turned = self._singular_between(phi)
        for k in range(1, SAMPLES + 1):
            end = times[k]
            if turned[k - 1] and regularity[k] >= limit:  # both samples are beyond it: look between them
                before = phi[k - 1]

                def is_beyond(y: State, before: Array = before) -> bool:
                    return self._singular_between(np.array([before, y[:m]]))[0]

                end = self._first_instant(times[k - 1], end, between, is_beyond)
            elif regularity[k] >= limit:
                continue
            return self._first_instant(times[k - 1], end, between, lambda y: bool(self.near(y[None, :m])[0]))
        return None

    def _first_instant(
        self, start: float, end: float, between: Callable[[float], State], holds: Callable[[State], bool]
    ) -> float:
        """By bisection, a time at which it is not yet there, and 2^-12 of the interval later it is."""
        for _ in range(12):
            middle = (start + end) / 2
            if holds(between(middle)):
                end = middle
            else:
                start = middle
        return start

    def is_lost(self, before: State, after: State) -> bool:
        """True if a singularity lies between two states, or is so near that rounding decides what comes next."""
        phi = np.array([before, after])[:, : self.assembly.m]
        return self._singular_between(phi)[0] or bool(self.regularity(phi[1:])[0] < TOO_NEAR * self.best)

    def _singular_between(self, phi: Array) -> list[bool]:
        """Where a singularity lies between configurations that follow each other.

        The rows that count and the free directions of one, N, make a square table [G^c; N^T] of the next.
        """
        rank = self.assembly.rank
        assert rank is not None
        u, s, vh = np.linalg.svd(self.assembly.closure_jacobian(phi))
        g = (u[:, :, :rank] * s[:, None, :rank]) @ vh[:, :rank]
        crossed = []
        for k in range(len(phi) - 1):
            rows, free = u[k][:, :rank].T, vh[k][rank:]
            signs = [np.linalg.slogdet(np.vstack([rows @ table, free]))[0] for table in (g[k], g[k + 1])]
            crossed.append(bool(signs[0] * signs[1] < 0))
        return crossed

    def passed(self, start: float, state: State) -> Passage | None:
        """The way from a state at the gate to the far side of a change point; None where there is none."""
        m = self.assembly.m
        speed, regularity = self._rate_of_regularity(state)
        if not speed < 0:
            return None  # it leads away, or rests
        span = -2.2 * regularity / speed
        for _ in range(4):
            if np.abs(state[m:]).max() * span > 0.5:
                return None  # too slow: what happens meanwhile is not short
            passage = self._passage(start, state, start + span)
            if passage is not None:
                return passage
            span *= 1.4
        return None

    def _rate_of_regularity(self, state: State) -> tuple[float, float]:
        """The regularity's slope in time, by a difference backwards along phi', and the regularity itself."""
        m = self.assembly.m
        phi, rate = state[:m], state[m:]
        largest = np.abs(rate).max()
        if not largest > 0:
            return 0.0, 0.0
        step = 1e-4 * NEAR / largest
        behind, current = self.regularity(np.array([phi - step * rate, phi]))
        return float((current - behind) / step), float(current)

    def _passage(self, start: float, state: State, end: float) -> Passage | None:
        """From ``start`` to ``end``: accelerations interpolated from both sides, integrated until the far side settles.

        None where it does not, or where the loops open on the way.
        """
        m, span = self.assembly.m, end - start
        earliest = max(self.begin, start - 1.5 * span)
        if start - earliest < 0.5 * span:
            return None  # the motion has not been on its way for long enough to say where it leads
        before = self._accelerations(start, state, earliest)
        if before is None:
            return None
        times, accelerations = before
        ahead = _integrated(times, accelerations, start, state)
        arrival = np.full_like(state, np.inf)
        for _ in range(8):
            landed = self.project(ahead(end))
            if landed is None or self.near(landed[None, :m])[0] or np.abs(landed - ahead(end))[:m].max() > 1e-4:
                return None
            change, arrival = np.abs(landed - arrival).max(), landed
            if change < 1e-12 * (1 + np.abs(landed).max()):
                break
            after = self._accelerations(end, landed, end + 1.5 * span)
            if after is None:
                return None
            ahead = _integrated(
                np.concatenate([times, after[0]]), np.concatenate([accelerations, after[1]]), start, state
            )
        instants = np.linspace(start, end, 33)
        phi = np.array([ahead(t)[:m] for t in instants])
        if np.abs(self.assembly.closure_error(phi)[0]).max() > CLOSED:
            return None
        return Passage(start, float(instants[np.argmin(self.regularity(phi))]), end, arrival, ahead)

    def _accelerations(self, start: float, state: State, end: float) -> tuple[Array, Array] | None:
        """phi'' at ``NODES`` instants from ``start`` to ``end``, which may be earlier."""
        m = self.assembly.m
        times = start + (end - start) * (1 - np.cos(np.pi * np.arange(NODES) / (2 * NODES - 1)))
        accelerations: list[Array] = []
        between: Callable[[float], State] | None = None
        solver: Any = DOP853(self.slope, start, state, end, rtol=self.rtol, atol=self.atol)
        for t in times:
            while solver.status == "running" and (solver.t - t) * np.sign(end - start) < 0:
                solver.step()
                between = None
            if solver.status == "failed":
                return None
            if t != start:
                between = between or solver.dense_output()
            y = state if between is None else self.project(between(t))
            if y is None or (t != start and self.near(y[None, :m])[0]):
                return None
            accelerations.append(self.slope(t, y)[m:])
        return times, np.array(accelerations)


def _integrated(times: Array, accelerations: Array, start: float, state: State) -> Callable[[float], State]:
    """Joints and rates as functions of time, from polynomials through accelerations at some times."""
    m = len(state) // 2
    scale = float(np.ptp(times))
    nodes = (times - start) / scale
    curve = BarycentricInterpolator(nodes, accelerations)
    points, weights = np.polynomial.legendre.leggauss(NODES + 1)

    def state_at(t: float) -> State:
        x = (t - start) / scale
        # Exact for polynomials of this degree: phi' = int a, phi = phi0 + x phi0' + int (x - s) a(s) ds.
        s = x * (points + 1) / 2
        a = curve(s)
        w = weights[:, None] * x / 2
        rate = state[m:] + scale * (w * a).sum(axis=0)
        phi = state[:m] + scale * x * state[m:] + scale**2 * (w * (x - s)[:, None] * a).sum(axis=0)
        return np.concatenate([phi, rate])

    return state_at
