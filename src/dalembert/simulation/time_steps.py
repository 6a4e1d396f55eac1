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
from .impacts import SLOW, after_impact, stop_rows
from .modes import ROUNDING, Mechanics, Modes, finite

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]

STEP = 1e-5
"""h (s)."""
STRETCH, LONGEST = 1e-3, 0.064
"""How long (s) before events are tried again: at first, and at most, doubled each time that was too early."""


class StraightPath:
    """The state between the two ends of a step, as recorded: linear in time."""

    def __init__(self, start: float, end: float, x: Array, y: Array) -> None:
        self.t_min, self.t_max, self.x, self.y = start, end, x, y

    def __call__(self, t: float) -> Array:
        fraction = (t - self.t_min) / (self.t_max - self.t_min)
        return (1 - fraction) * self.x + fraction * self.y


def take_steps(run: Simulation, end: float) -> None:
    """Carry ``run`` to ``end`` in time steps."""
    while run.t < end:
        # steps end at ``end`` itself, without a last one that is mere rounding
        t_next = end if end - run.t < 1.5 * STEP else run.t + STEP
        x = run.state
        y = _step(run, t_next - run.t)
        run.judge(t_next, y)
        run.record.take(StraightPath(run.t, t_next, x, y), run.t, t_next, run)
        run.accept(t_next, y)
        run.steps += 1
        run.show(t_next)


def _step(run: Simulation, h: float) -> Array:
    """The state after one step: impacts first, in which friction has no part, then what acts over h."""
    plant, mechanics, q, extra = run.plant, run.mechanics, run.q, run.extra
    run.count()
    u = run.control(run.t, q, run.qd, run.extra)
    torque, supplied, rate, braked = plant.drive(q, run.qd, extra, u)
    mass = plant.mass_matrix(q)
    gained = h * (torque - plant.bias(q, run.qd))
    touched = run.touched(q + h * run.qd)
    qd, lost = run.qd, run.lost
    if any(side * qd[joint] > 0 for joint, side in touched.items()):
        # a touch as slow as what one or two steps give a joint is rest: else it would bounce on by itself
        slow = np.maximum(SLOW, 2 * np.abs(np.linalg.solve(mass, gained)))
        qd = after_impact(mass, qd, touched, run.settings.restitution, slow)
        lost += float(plant.kinetic_energy(q, run.qd) - plant.kinetic_energy(q, qd))
    leaning = {joint: side for joint, side in touched.items() if abs(qd[joint]) <= run.rest_speed(qd)}
    after, force = _velocity_after(mechanics, q, qd, mass, mass @ qd + gained, leaning, run.standing(), h)
    mean = (qd + after) / 2
    position = np.clip(q + h * mean, np.minimum(q, run.lower), np.maximum(q, run.upper))
    flow = extra + h * rate / (1 + h * plant.decay)  # implicit: time constants may be far shorter than h
    return np.concatenate([position, after, flow, [run.work + h * (mean @ supplied), lost + h * braked - mean @ force]])


def _velocity_after(
    mechanics: Mechanics, q: Array, qd: Array, mass: Array, momentum: Array, leaning: dict[int, int],
    standing: set[int], h: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Velocity after a step, and C^T p at the joints, of friction and of stops that joints lean on."""
    rows, contacts = mechanics.rows(q), mechanics.contacts
    if not leaning and not standing:
        # if all slide on there is nothing to solve
        directions = tuple(np.sign(rows @ qd).astype(int).tolist())
        force = h * mechanics.friction(q, qd, directions)
        after: Array = np.asarray(np.linalg.solve(mass, momentum + force), dtype=np.float64)
        if (np.sign(rows @ after) == directions).all():
            return after, force
    speeds, rows = rows @ qd, np.vstack([rows, stop_rows(leaning, len(q))])
    low, high = np.zeros(len(rows)), np.full(len(rows), np.inf)
    for k, (contact, speed) in enumerate(zip(contacts, speeds, strict=True)):
        low[k] = h * (-contact.hold if k in standing else contact.sliding(1, speed))
        high[k] = h * (contact.hold if k in standing else contact.sliding(-1, speed))
    high = finite(high, momentum)
    drift = None
    if mechanics.plant.varies:
        drift = np.zeros(len(rows))
        drift[: len(contacts)] = h * mechanics.plant.drift(q, qd)
    impulse, _ = contact_forces(mass, momentum, rows, low, high, drift)
    force = rows.T @ impulse
    # who is held is held exactly
    free = (impulse <= low + ROUNDING * np.abs(low)) | (impulse >= high - ROUNDING * high)
    stopped = [0] * len(q)
    for k, (joint, side) in enumerate(leaning.items(), start=len(contacts)):
        stopped[joint] = 0 if free[k] else side
    modes = Modes(tuple(int(x) for x in free[: len(contacts)]), tuple(stopped))
    after = np.asarray(np.linalg.solve(mass, momentum + force), dtype=np.float64)
    return mechanics.projected_velocity(q, after, modes), force
