"""Time steps with complementarity: where events follow each other without end, or feedback switches like a relay.

Moreau's scheme (Moreau 1988; Anitescu and Potra 1997): over a step h the velocity changes by the impulse of what acts
and by impulses of friction and stops within their limits, all found together,

    D (qd+ - qd) = h (tau - h_bias) + C^T p,   |p_c| <= h F_c,  p_s >= 0,  complementary to the speeds C qd+.

A contact that stands, one that would stop within the step and a stop that is touched are cases of the same problem, so
that the work for a stretch of time is known beforehand, whatever happens in it. The error is of the order of h. The
motion tells where it was found in this way (``Motion.stepped``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..systems.sticking import contact_forces
from .impacts import SLOW, rebound, stop_rows
from .modes import finite

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]

STEP = 1e-5
"""h (s)."""
STRETCH, LONGEST = 1e-3, 0.064
"""How long (s) before events are tried again: at first, and at most, doubled each time that was too early."""


class Line:
    """The state between the two ends of a step, as recorded: linear in time."""

    def __init__(self, start: float, end: float, x: Array, y: Array) -> None:
        self.t_min, self.t_max, self.x, self.y = start, end, x, y

    def __call__(self, t: float) -> Array:
        share = (t - self.t_min) / (self.t_max - self.t_min)
        return (1 - share) * self.x + share * self.y


def take_steps(run: Simulation, end: float) -> None:
    """Carry ``run`` to ``end`` in time steps."""
    while run.t < end:
        # steps end at ``end`` itself, without a last one that is mere rounding
        to = end if end - run.t < 1.5 * STEP else run.t + STEP
        x = run.state
        y = _step(run, to - run.t)
        run.judge(to, y)
        run.record.take(Line(run.t, to, x, y), run.t, to, run)
        run.take(to, y)
        run.steps += 1
        run.show(to)


def _step(run: Simulation, h: float) -> Array:
    """The state after one step."""
    plant, mechanics, q, qd, extra = run.plant, run.mechanics, run.q, run.qd, run.extra
    run.count()
    u = run.control(run.t, q, qd)
    torque, supplied, rate, braked = plant.drive(q, qd, extra, u)
    mass = plant.mass_matrix(q)
    gained = h * (torque - plant.bias(q, qd))
    momentum = mass @ qd + gained
    touched = run.touched(q + h * qd)
    rows = np.vstack([mechanics.rows(q), stop_rows(touched, run.n)])
    after, force = qd, np.zeros(run.n)
    if len(rows):
        contacts = mechanics.contacts
        stand = run.standing()
        still = [c in stand for c in range(len(contacts))]
        low = [-h * (c.hold if stands else c.forward) for c, stands in zip(contacts, still, strict=True)]
        high = [h * (c.hold if stands else c.backward) for c, stands in zip(contacts, still, strict=True)]
        drift = np.zeros(len(rows))
        if plant.varies:
            drift[: len(contacts)] = h * plant.drift(q, qd)
        # a touch as slow as what one or two steps give a joint is rest: else it would bounce on by itself
        stops = rows[len(contacts) :]
        slow = np.maximum(SLOW, 2 * np.abs(stops @ np.linalg.solve(mass, gained)))
        drift[len(contacts) :] = rebound(stops, qd, run.settings.restitution, slow)
        limits = np.array([*high, *(np.inf for _ in touched)])
        impulse, _ = contact_forces(
            mass, momentum, rows, np.array([*low, *(0.0 for _ in touched)]), finite(limits, momentum), drift
        )
        force = rows.T @ impulse
    after = np.linalg.solve(mass, momentum + force)
    mean = (qd + after) / 2
    place = np.clip(q + h * mean, np.minimum(q, run.lower), np.maximum(q, run.upper))
    return np.concatenate(
        [place, after, extra + h * rate, [run.work + h * (mean @ supplied), run.lost + h * braked - mean @ force]]
    )
