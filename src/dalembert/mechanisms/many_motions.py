"""Many motions of one mechanism at once, fixed step: Runge-Kutta of order four over a batch of closed states.

The state is (q, phi, q'). Stages follow phi' = X q', an error of fourth order in the step, and after each step Newton
puts phi back onto the closures at q: loops stay closed to rounding for any number of steps. A motion that comes near a
singularity leaves the batch for as long: its steps are taken on its own branch (``branches``), through change points,
or end there with a sentence while the others go on.

A step counts where its fourth stage has the joint speeds with which it ends: k4 differs from the slope of the new state
by an error of third order, so h/6 (k4 - k1') is the distance to an embedded method of order three, here in joint
speeds, which a singularity magnifies as it does energy. The slope of the new state is the first of the next step, and
costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape
from ..arm.errors import ArmError, SimulationInterrupt
from ..systems.arrays import vector_array
from ..systems.time_span import MOST_NUMBERS, fixed_steps
from .batch import Array
from .branches import NEAR, AssemblyBranch
from .continuation import coordinate_text, solved, solved_where_near

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
    stride, frames = fixed_steps(duration, step, every)
    m, n = mechanism.m, mechanism.n
    start = vector_array(m, "phi", phi)
    rate, load = vector_array(n, "qd", qd, "coordinate"), vector_array(n, "tau", tau, "coordinate")
    batch = common_shape([("phi", start), ("qd", rate), ("tau", load)])
    if len(batch) > 1:
        raise ArmError(f"the motions stand along one axis; got a batch of shape {batch}")
    batch_size = batch[0] if batch else 1
    joints, v, push = (np.array(np.broadcast_to(x, (batch_size, x.shape[-1]))) for x in (start, rate, load))
    q = mechanism.coordinates_of(joints)
    joints = solved(mechanism.assembly, q, joints)
    if frames * batch_size * (m + 2 * n) > MOST_NUMBERS:
        raise ArmError(f"{frames} states of {batch_size} motions are more than can be kept; keep fewer with every")
    saved_phi, saved_q, saved_qd = (np.empty((frames + 1, batch_size, width)) for width in (m, n, n))
    saved_phi[0], saved_q[0], saved_qd[0] = joints, q, v
    states = _States(mechanism, q, joints, v, push)
    compiled = mechanism.assembly.map is not None

    def motions(finished: int) -> ManyMotions:
        t: Array = step * stride * np.arange(finished + 1, dtype=np.float64)
        kept_phi, kept_q, kept_qd = (saved[: finished + 1] for saved in (saved_phi, saved_q, saved_qd))
        steps = batch_size * stride * finished
        return ManyMotions(
            mechanism.name, t, kept_phi, kept_q, kept_qd, mechanism.coordinates, steps, compiled, tuple(states.faults)
        )  # fmt: skip

    finished = 0
    try:
        for frame in range(1, frames + 1):
            for _ in range(stride):
                states.advance(step)
            saved_phi[frame], saved_q[frame], saved_qd[frame] = states.phi, states.q, states.v
            finished = frame
    except KeyboardInterrupt:
        raise SimulationInterrupt(
            f"interrupted after t = {step * stride * finished:.6g} s", motions(finished)
        ) from None
    return motions(frames)


class _States:
    """The states of all motions under constant loads ``push``, advanced together; those in trouble alone."""

    def __init__(self, mechanism: Mechanism, q: Array, phi: Array, v: Array, push: Array) -> None:
        self.mechanism, self.assembly = mechanism, mechanism.assembly
        self.q, self.phi, self.v, self.push = q, phi, v, push
        self.slopes = self.rates(phi, v, push)
        """Rates of the states, and their condition: of those in the batch alone."""
        self.worst = NEAR * self.slopes[2]
        """Condition of [G^w_phi] above which a motion leaves the batch."""
        self.in_batch = np.ones(len(q), dtype=bool)
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
        indices = np.flatnonzero(self.in_batch)
        if len(indices):
            q, phi, v, slopes, good = self._ahead(indices, step)
            for index in indices[~good].tolist():
                self.in_batch[index] = False
                self.alone[index] = AssemblyBranch(
                    self.assembly, self.phi[index], self.worst[index] / NEAR, integrated=True
                )
            accepted = indices[good]
            self.q[accepted], self.phi[accepted], self.v[accepted] = q[good], phi[good], v[good]
            for stored, updated in zip(self.slopes, slopes, strict=True):
                stored[accepted] = updated[good]
        for index, branch in list(self.alone.items()):
            self._advance_alone(index, branch, step)

    def _ahead(
        self, indices: NDArray[np.intp], step: float
    ) -> tuple[Array, Array, Array, tuple[Array, Array, Array], NDArray[np.bool_]]:
        """The next states of some motions, their rates, and where they count."""
        q, phi, v, push = self.q[indices], self.phi[indices], self.v[indices], self.push[indices]
        half = step / 2
        p1, a1, c1 = (values[indices] for values in self.slopes)
        v2 = v + half * a1
        p2, a2, c2 = self.rates(phi + half * p1, v2, push)
        v3 = v + half * a2
        p3, a3, c3 = self.rates(phi + half * p2, v3, push)
        v4 = v + step * a3
        p4, a4, c4 = self.rates(phi + step * p3, v4, push)
        ahead = phi + step / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
        q_next = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
        rate = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        good = (np.maximum(np.maximum(c1, c2), np.maximum(c3, c4)) < self.worst[indices]) & _finite(ahead, q_next, rate)
        if good.any():
            ahead[good], good[good] = solved_where_near(self.assembly, q_next[good], ahead[good])
        slopes = self.rates(ahead, rate, push)
        return q_next, ahead, rate, slopes, good & np.isfinite(slopes[2]) & ~_coarse(p1, p4, slopes[0], step)

    def _advance_alone(self, index: int, branch: AssemblyBranch, step: float) -> None:
        """The same step of one motion, its joints a function of its coordinates."""
        q, v, push, half = self.q[index], self.v[index], self.push[index], step / 2

        def acceleration(q: Array, v: Array) -> Array:
            return branch.support(q).interpolated(self.mechanism.forward_dynamics, v, push)

        def speeds(q: Array, v: Array) -> Array:
            return branch.support(q).interpolated(lambda phi: self.mechanism.joint_motion(phi, v, np.zeros_like(v))[0])

        try:
            a1, p1 = acceleration(q, v), speeds(q, v)
            v2 = v + half * a1
            a2 = acceleration(q + half * v, v2)
            v3 = v + half * a2
            a3 = acceleration(q + half * v2, v3)
            v4 = v + step * a3
            a4, p4 = acceleration(q + step * v3, v4), speeds(q + step * v3, v4)
            q_next, rate = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4), v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            phi = branch.joints(q_next)
            if _coarse(p1, p4, speeds(q_next, rate), step):
                raise ArmError(
                    f"steps of {step:g} s are too long for how it moves here; shorten them, or simulate it by itself"
                )
        except ArmError as fault:
            self.faults[index] = (
                f"{self.mechanism.name}: the motion ends at {coordinate_text(self.assembly, q)}: {fault}"
            )
            self.q[index] = self.phi[index] = self.v[index] = np.nan
            self._leave(index)
            return
        self.q[index], self.phi[index], self.v[index] = q_next, phi, rate
        if branch.passage is None and branch.configuration.condition < self.worst[index] / 2:
            self._leave(index)

    def _leave(self, index: int) -> None:
        """Back into the batch, where a motion that has ended stays as it is."""
        del self.alone[index]
        self.in_batch[index] = not self.faults[index]
        if self.in_batch[index]:
            row = slice(index, index + 1)
            for stored, updated in zip(
                self.slopes, self.rates(self.phi[row], self.v[row], self.push[row]), strict=True
            ):
                stored[row] = updated


def _coarse(before: Array, fourth: Array, after: Array, step: float) -> NDArray[np.bool_]:
    """Where the fourth stage of a step is not the end of it: joint speeds ``(..., m)`` before, there and after."""
    size = np.maximum(np.abs(before).max(axis=-1), np.abs(after).max(axis=-1))
    difference = np.abs(fourth - after).max(axis=-1)
    return np.asarray(~(difference <= COARSE * size + STILL / step))


def _finite(*arrays: Array) -> NDArray[np.bool_]:
    return np.logical_and.reduce([np.isfinite(array).all(axis=-1) for array in arrays])
