"""Many motions of one mechanism at once, fixed step: Runge-Kutta of order four over a batch of closed states.

The state is (q, phi, q'). Stages follow phi' = X q', an error of fourth order in the step, and after each step Newton
puts phi back onto the closures at q: loops stay closed to rounding for any number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, SimulationInterrupt
from ..systems.arrays import vector_array
from ..systems.time_span import LONGEST, MOST_NUMBERS, SHORTEST
from .batch import Array
from .continuation import solved

if TYPE_CHECKING:
    from .mechanism import Mechanism

Rates = Callable[[Array, Array], tuple[Array, Array]]
"""phi' and q'' of states phi, q'."""


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
    rates = _rates(mechanism, push)
    compiled = mechanism.assembly.map is not None

    def motions(done: int) -> ManyMotions:
        t: Array = step * keep * np.arange(done + 1, dtype=np.float64)
        kept_phi, kept_q, kept_qd = (found[: done + 1] for found in (found_phi, found_q, found_qd))
        steps = many * keep * done
        return ManyMotions(mechanism.name, t, kept_phi, kept_q, kept_qd, mechanism.coordinates, steps, compiled)

    done = 0
    try:
        for frame in range(1, frames + 1):
            for _ in range(keep):
                q, at, v = _advanced(mechanism, rates, q, at, v, step)
            found_phi[frame], found_q[frame], found_qd[frame] = at, q, v
            done = frame
    except KeyboardInterrupt:
        raise SimulationInterrupt(f"interrupted after t = {step * keep * done:.6g} s", motions(done)) from None
    return motions(frames)


def _rates(mechanism: Mechanism, push: Array) -> Rates:
    code = mechanism.assembly.map

    def rates(phi: Array, qd: Array) -> tuple[Array, Array]:
        found = None if code is None else code.tables("rates", phi, qd, push)
        if found is not None:
            return found[0], found[1]
        # Near a singularity, and without a compiler: the same by way of NumPy, which refuses what is singular.
        rate = mechanism.joint_motion(phi, qd, np.zeros(mechanism.n))[0]
        return rate, mechanism.forward_dynamics(phi, qd, push)

    return rates


def _advanced(mechanism: Mechanism, rates: Rates, q: Array, phi: Array, v: Array, step: float) -> tuple[Array, ...]:
    """One step of the classical method, then the joints closed at the new coordinates."""
    half = step / 2
    p1, a1 = rates(phi, v)
    v2 = v + half * a1
    p2, a2 = rates(phi + half * p1, v2)
    v3 = v + half * a2
    p3, a3 = rates(phi + half * p2, v3)
    v4 = v + step * a3
    p4, a4 = rates(phi + step * p3, v4)
    ahead = phi + step / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
    wanted = q + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
    return wanted, solved(mechanism.assembly, wanted, ahead), v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
