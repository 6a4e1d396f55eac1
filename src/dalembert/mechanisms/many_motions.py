"""Many motions of one mechanism at once, fixed step: Runge-Kutta of order four over a batch of closed states.

The state is (q, phi, q'). Stages follow phi' = X q', an error of fourth order in the step, and after each step Newton
puts phi back onto the closures at q: loops stay closed to rounding for any number of steps. A motion that comes near a
singularity leaves the batch for as long: its steps are taken on its own branch (``branches``), through change points,
or end there with a sentence while the others go on.

A step counts where its fourth stage has the joint speeds with which it ends: k4 differs from the slope of the new state
by an error of third order, so h/6 (k4 - k1') is the distance to an embedded method of order three, told here in joint
speeds, which a singularity magnifies as it does energy. The slope of the new state is the first of the next step, and
costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, SimulationInterrupt
from ..systems.arrays import vector_array
from ..systems.time_span import LONGEST, MOST_NUMBERS, SHORTEST
from .batch import Array
from .branches import NEAR, AssemblyBranch
from .continuation import solved, solved_where_near, told

if TYPE_CHECKING:
    from .mechanism import Mechanism

COARSE = 0.03
"""Largest difference of joint speeds between the fourth stage of a step and its end, against these speeds."""
STILL = 1e-9
"""Motion of a joint in one step (rad or m) below which that difference says nothing."""


@dataclass(frozen=True)
class ManyMotions:
    """States of many motions at ``t``: ``phi`` (times, b, m), ``q`` and ``qd`` (times, b, n); ``steps`` in all."""

    name: str
    t: Array
    phi: Array
    q: Array
    qd: Array
    coordinates: tuple[str, ...]
    steps: int
    compiled: bool
    faults: tuple[str, ...] = ()
    """Why each motion ended before its time, its states being NaN from there on; empty where it did not."""

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Motions whose last state is not finite."""
        return ~(np.isfinite(self.phi[-1]).all(axis=-1) & np.isfinite(self.qd[-1]).all(axis=-1))


def simulate_many(
    mechanism: Mechanism,
    tau: ArrayLike,
    phi: ArrayLike,
    qd: ArrayLike,
    duration: float,
    step: float = 1e-3,
    every: int | None = None,
) -> ManyMotions:
    """See ``Mechanism.simulate_many``."""
    if mechanism.contacts:
        raise ArmError(
            f"{mechanism.name}: many motions at once run without events, which the Coulomb friction of its drives "
            "needs; take it off with frictionless(), or simulate one by one"
        )
    turning = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
    if turning:
        raise ArmError(f"coordinate {turning[0]!r} is a turn and has no position to follow; choose joints or positions")
    if not step >= SHORTEST or not step <= duration <= LONGEST:
        raise ArmError(
            f"step {step:g} s and duration {duration:g} s: the step must be {SHORTEST:g} s or more and fit into a "
            f"duration of at most {LONGEST:g} s"
        )
    count = round(duration / step)
    if abs(count * step - duration) > 1e-9 * duration:
        raise ArmError(f"{duration:g} s is no whole number of steps of {step:g} s; change one of them")
    keep = count if every is None else every
    if not 1 <= keep <= count:
        raise ArmError(f"every {keep} steps of {count} cannot be kept; give a number between 1 and {count}")
    m, n = mechanism.m, mechanism.n
    start = vector_array(m, "phi", phi)
    rate, load = vector_array(n, "qd", qd, "coordinate"), vector_array(n, "tau", tau, "coordinate")
    batch = np.broadcast_shapes(start.shape[:-1], rate.shape[:-1], load.shape[:-1])
    if len(batch) > 1:
        raise ArmError(f"the motions stand along one axis; got a batch of shape {batch}")
    many = batch[0] if batch else 1
    at, v, push = (np.array(np.broadcast_to(x, (many, x.shape[-1]))) for x in (start, rate, load))
    q = mechanism.coordinates_of(at)
    at = solved(mechanism.assembly, q, at)
    frames = count // keep
    if frames * many * (m + 2 * n) > MOST_NUMBERS:
        raise ArmError(f"{frames} states of {many} motions are more than can be kept; keep fewer with every")
    found_phi, found_q, found_qd = (np.empty((frames + 1, many, width)) for width in (m, n, n))
    found_phi[0], found_q[0], found_qd[0] = at, q, v
    states = _States(mechanism, q, at, v, push)
    compiled = mechanism.assembly.map is not None

    def motions(done: int) -> ManyMotions:
        t: Array = step * keep * np.arange(done + 1, dtype=np.float64)
        kept_phi, kept_q, kept_qd = (found[: done + 1] for found in (found_phi, found_q, found_qd))
        steps = many * keep * done
        return ManyMotions(
            mechanism.name, t, kept_phi, kept_q, kept_qd, mechanism.coordinates, steps, compiled, tuple(states.faults)
        )  # fmt: skip

    done = 0
    try:
        for frame in range(1, frames + 1):
            for _ in range(keep):
                states.advance(step)
            found_phi[frame], found_q[frame], found_qd[frame] = states.phi, states.q, states.v
            done = frame
    except KeyboardInterrupt:
        raise SimulationInterrupt(f"interrupted after t = {step * keep * done:.6g} s", motions(done)) from None
    return motions(frames)


class _States:
    """The states of all motions under constant loads ``push``, advanced together; those in trouble alone."""

    def __init__(self, mechanism: Mechanism, q: Array, phi: Array, v: Array, push: Array) -> None:
        self.mechanism, self.assembly = mechanism, mechanism.assembly
        self.q, self.phi, self.v, self.push = q, phi, v, push
        self.now = self.rates(phi, v, push)
        """Rates of the states, and their condition: of those in the batch alone."""
        self.worst = NEAR * self.now[2]
        """Condition of [G^w_phi] above which a motion leaves the batch."""
        self.together = np.ones(len(q), dtype=bool)
        self.alone: dict[int, AssemblyBranch] = {}
        self.faults = [""] * len(q)

    def rates(self, phi: Array, v: Array, push: Array) -> tuple[Array, Array, Array]:
        """phi' and q'' of states, and the condition of [G^w_phi]: infinite where there is no answer."""
        good = _finite(phi, v)
        if not good.all():  # a stage has gone astray: it is asked elsewhere, and not counted
            phi, v = np.where(good[:, None], phi, self.mechanism.home), np.where(good[:, None], v, 0.0)
        if self.assembly.map is not None:
            rate, qdd, spread = self.assembly.map.kernel("rates")(phi, v, push)
            return rate, qdd, np.where(good & _finite(qdd), np.sqrt(spread[:, 0]), np.inf)
        condition = np.where(good, self.assembly.inverse(self.assembly.first_order(phi)[1])[1], np.inf)
        rate, qdd = np.zeros_like(phi), np.zeros_like(v)
        good = condition < 1e9
        if good.any():
            rate[good] = self.mechanism.joint_motion(phi[good], v[good], np.zeros(self.mechanism.n))[0]
            qdd[good] = self.mechanism.forward_dynamics(phi[good], v[good], push[good])
        return rate, qdd, condition

    def advance(self, step: float) -> None:
        """One step of the classical method, then the joints closed at the new coordinates."""
        which = np.flatnonzero(self.together)
        if len(which):
            q, phi, v, now, good = self._ahead(which, step)
            for index in which[~good].tolist():
                self.together[index] = False
                self.alone[index] = AssemblyBranch(
                    self.assembly, self.phi[index], self.worst[index] / NEAR, integrated=True
                )
            those = which[good]
            self.q[those], self.phi[those], self.v[those] = q[good], phi[good], v[good]
            for kept, found in zip(self.now, now, strict=True):
                kept[those] = found[good]
        for index, branch in list(self.alone.items()):
            self._advance_alone(index, branch, step)

    def _ahead(
        self, which: NDArray[np.intp], step: float
    ) -> tuple[Array, Array, Array, tuple[Array, Array, Array], NDArray[np.bool_]]:
        """The next states of some motions, their rates, and where they count."""
        q, phi, v, push = self.q[which], self.phi[which], self.v[which], self.push[which]
        half = step / 2
        p1, a1, c1 = (found[which] for found in self.now)
        v2 = v + half * a1
        p2, a2, c2 = self.rates(phi + half * p1, v2, push)
        v3 = v + half * a2
        p3, a3, c3 = self.rates(phi + half * p2, v3, push)
        v4 = v + step * a3
        p4, a4, c4 = self.rates(phi + step * p3, v4, push)
        ahead = phi + step / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
        wanted = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
        rate = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        good = (np.maximum(np.maximum(c1, c2), np.maximum(c3, c4)) < self.worst[which]) & _finite(ahead, wanted, rate)
        if good.any():
            ahead[good], good[good] = solved_where_near(self.assembly, wanted[good], ahead[good])
        now = self.rates(ahead, rate, push)
        return wanted, ahead, rate, now, good & np.isfinite(now[2]) & ~_coarse(p1, p4, now[0], step)

    def _advance_alone(self, index: int, branch: AssemblyBranch, step: float) -> None:
        """The same step of one motion, its joints a function of its coordinates."""
        q, v, push, half = self.q[index], self.v[index], self.push[index], step / 2

        def acceleration(q: Array, v: Array) -> Array:
            return branch.support(q).of(self.mechanism.forward_dynamics, v, push)

        def speeds(q: Array, v: Array) -> Array:
            return branch.support(q).of(lambda phi: self.mechanism.joint_motion(phi, v, np.zeros_like(v))[0])

        try:
            a1, p1 = acceleration(q, v), speeds(q, v)
            v2 = v + half * a1
            a2 = acceleration(q + half * v, v2)
            v3 = v + half * a2
            a3 = acceleration(q + half * v2, v3)
            v4 = v + step * a3
            a4, p4 = acceleration(q + step * v3, v4), speeds(q + step * v3, v4)
            wanted, rate = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4), v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            phi = branch.to(wanted)
            if _coarse(p1, p4, speeds(wanted, rate), step):
                raise ArmError(
                    f"steps of {step:g} s are too long for how it moves here; shorten them, or simulate it by itself"
                )
        except ArmError as fault:
            self.faults[index] = f"{self.mechanism.name}: the motion ends at {told(self.assembly, q)}: {fault}"
            self.q[index] = self.phi[index] = self.v[index] = np.nan
            self._leave(index)
            return
        self.q[index], self.phi[index], self.v[index] = wanted, phi, rate
        if branch.passage is None and branch.place.condition < self.worst[index] / 2:
            self._leave(index)

    def _leave(self, index: int) -> None:
        """Back into the batch, where a motion that has ended stays as it is."""
        del self.alone[index]
        self.together[index] = not self.faults[index]
        if self.together[index]:
            one = slice(index, index + 1)
            for kept, found in zip(self.now, self.rates(self.phi[one], self.v[one], self.push[one]), strict=True):
                kept[one] = found


def _coarse(before: Array, fourth: Array, after: Array, step: float) -> NDArray[np.bool_]:
    """Where the fourth stage of a step is not the end of it: joint speeds ``(..., m)`` before, there and after."""
    size = np.maximum(np.abs(before).max(axis=-1), np.abs(after).max(axis=-1))
    off = np.abs(fourth - after).max(axis=-1)
    return np.asarray(~(off <= COARSE * size + STILL / step))


def _finite(*arrays: Array) -> NDArray[np.bool_]:
    return np.logical_and.reduce([np.isfinite(array).all(axis=-1) for array in arrays])
