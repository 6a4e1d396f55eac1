"""Stick-slip modes of a simulation: which contacts stick and which joints rest at a stop, and the motion in a mode.

A mode fixes the direction of every Coulomb friction force and the set of active constraints; the simulation is smooth
within a mode and switches modes at events. Contact forces at a switch solve the complementarity problem of
``systems/sticking.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..systems.sticking import contact_forces, free_directions, holding_share
from .plant import Plant

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""An acceleration below this share of what the friction of a contact alone would give it counts as none."""


@dataclass(frozen=True)
class Modes:
    """The mode of each contact (-1 or 1 sliding, 0 sticking) and of each joint (-1 or 1 at a stop, 0 free)."""

    sliding: tuple[int, ...]
    stopped: tuple[int, ...]

    @property
    def held(self) -> bool:
        """Whether any constraint is active: a contact sticks or a joint is at a stop."""
        return 0 in self.sliding or any(self.stopped)

    @property
    def standing(self) -> set[int]:
        """The contacts that stick."""
        return {c for c, slides in enumerate(self.sliding) if not slides}

    @property
    def leaning(self) -> dict[int, int]:
        """The joints at a stop, and on which side."""
        return {j: side for j, side in enumerate(self.stopped) if side}


class Mechanics:
    """A plant with its contacts and stops: accelerations in a given mode, and the transitions between modes."""

    def __init__(self, plant: Plant, lower: Array, upper: Array) -> None:
        self.plant, self.n = plant, plant.n
        self.lower, self.upper = lower, upper
        self.contacts = plant.contacts
        self._rows: Array | None = None if plant.varies else plant.rows(np.zeros(self.n))
        self._speed_counts = any(contact.varies for contact in plant.contacts)
        # of modes that come again, while the rows are constant
        self._free: dict[Modes, tuple[Array, Array, Array, Array]] = {}
        self._friction: dict[tuple[int, ...], Array] = {}

    def rows(self, q: Array) -> Array:
        """The contact Jacobian: the speed of each contact is rows @ qd."""
        return self.plant.rows(q) if self._rows is None else self._rows

    def friction(self, q: Array, qd: Array, sliding: tuple[int, ...]) -> Array:
        """Coulomb friction at the joints of contacts that slide in these directions at the speeds of ``qd``."""
        if sliding in self._friction:
            return self._friction[sliding]
        rows = self.rows(q)
        speeds = rows @ qd
        forces = np.array(
            [c.sliding(s, v) if s else 0.0 for c, s, v in zip(self.contacts, sliding, speeds, strict=True)], dtype=float
        )
        torque = rows.T @ forces
        if self._rows is not None and not self._speed_counts:
            self._friction[sliding] = torque
        return torque

    def _constraints(self, q: Array, modes: Modes) -> tuple[Array, Array, Array, Array]:
        """Jacobian of the active constraints, the limits of their forces, and a basis of the free directions."""
        if self._rows is not None and modes in self._free:
            return self._free[modes]
        rows, low, high = [], [], []
        for contact, row, slides in zip(self.contacts, self.rows(q), modes.sliding, strict=True):
            if not slides:
                rows.append(row)
                low.append(-contact.hold)
                high.append(contact.hold)
        for j, stop in enumerate(modes.stopped):
            if stop:
                rows.append(-stop * np.eye(self.n)[j])
                low.append(0.0)
                high.append(np.inf)
        table = np.array(rows).reshape(-1, self.n)
        constraints = table, np.array(low), np.array(high), free_directions(table, self.n)
        if self._rows is not None:
            self._free[modes] = constraints
        return constraints

    def acceleration(self, q: Array, qd: Array, torque: Array, modes: Modes) -> Array:
        """qdd in ``modes`` under joint torque ``torque``, which does not yet include Coulomb friction."""
        if self.contacts:
            torque = torque + self.friction(q, qd, modes.sliding)
        if not modes.held:
            return self.plant.acceleration(q, qd, torque)
        rows, _, _, free = self._constraints(q, modes)
        offset = np.zeros(self.n)
        if self.plant.varies:
            drift = np.r_[self._drift(q, qd, modes), np.zeros(sum(map(bool, modes.stopped)))]
            if drift.any():
                offset = np.linalg.lstsq(rows, -drift, rcond=None)[0]
        if free.shape[1] == 0:
            return offset
        mass = self.plant.mass_matrix(q)
        net_torque = torque - self.plant.bias(q, qd) - mass @ offset
        return free @ np.linalg.solve(free.T @ mass @ free, free.T @ net_torque) + offset

    def _drift(self, q: Array, qd: Array, modes: Modes) -> Array:
        """d(rows)/dt qd of the sticking contacts."""
        drifts = self.plant.drift(q, qd)
        return np.array([d for d, s in zip(drifts, modes.sliding, strict=True) if not s])

    def needed(self, q: Array, qd: Array, torque: Array, modes: Modes) -> Array:
        """C^T lambda, the joint torque required of the active constraints."""
        qdd = self.acceleration(q, qd, torque, modes)
        dynamics_torque = self.plant.bias(q, qd) + (self.plant.mass_matrix(q) @ qdd if qdd.any() else 0.0)
        return dynamics_torque - torque - (self.friction(q, qd, modes.sliding) if self.contacts else 0.0)

    def spare(self, q: Array, qd: Array, torque: Array, modes: Modes) -> float:
        """What is left of the holding forces; below zero one of the active constraints is released.

        A little more than the limits is allowed, so that a constraint is released where its force is beyond its limit
        by more than rounding, and ``settle`` then sees which way it goes.
        """
        rows, low, high, _ = self._constraints(q, modes)
        used, slack = holding_share(rows, self.needed(q, qd, torque, modes), low, high)
        return 1.0 + slack - used

    def settle(
        self, q: Array, qd: Array, torque: Array, standing: set[int], leaning: dict[int, int]
    ) -> tuple[Modes, Array]:
        """The mode at a state: which ``standing`` contacts and ``leaning`` joints stay held, which way others go.

        Forces of all of them at once solve the complementarity problem. A contact that starts is braked by its moving
        friction, which may be less than what held it; that may start others, so the problem is solved again with the
        lower limit until no more start. Returns the mode, and the velocity projected onto its constraints.
        """
        rows = self.rows(q)
        speeds = rows @ qd if self.contacts else np.zeros(0)
        sliding = [0 if c in standing else (1 if speeds[c] > 0 else -1) for c in range(len(self.contacts))]
        order, stops = sorted(standing), sorted(leaning)
        if not order and not stops:
            return Modes(tuple(sliding), (0,) * self.n), qd
        table = np.array([*(rows[c] for c in order), *(-leaning[j] * np.eye(self.n)[j] for j in stops)])
        low = np.array([*(-self.contacts[c].hold for c in order), *(0.0 for _ in stops)])
        high = np.array([*(self.contacts[c].hold for c in order), *(np.inf for _ in stops)])
        mass = self.plant.mass_matrix(q)
        net = torque - self.plant.bias(q, qd) + self.friction(q, qd, tuple(sliding))
        drift = None
        if self.plant.varies:
            drifts = self.plant.drift(q, qd)
            drift = np.array([*(drifts[c] for c in order), *(0.0 for _ in stops)])
        levers = np.linalg.solve(mass.T, table.T).T
        strength = np.einsum("ij,ij->i", levers, table) * np.where(np.isfinite(high), high, 0.0)
        # an acceleration below this is rounding of what cancels in it
        threshold = ROUNDING * strength + 1e-14 * (np.abs(levers) @ np.abs(net))
        started: set[int] = set()
        while True:
            top = finite(high, net)
            force, rate = contact_forces(mass, net, table, low, top, drift)
            # who starts is at the limit that opposes it
            forward = (rate > threshold) & (force <= low + ROUNDING * np.abs(low))
            backward = (rate < -threshold) & (force >= top - ROUNDING * top)
            starting = set(np.flatnonzero((forward | backward)[: len(order)]).tolist()) - started
            if not starting:
                break
            started |= starting
            for k in starting:
                contact = self.contacts[order[k]]
                low[k], high[k] = contact.sliding(1), contact.sliding(-1)
        for k, c in enumerate(order):
            sliding[c] = int(forward[k]) - int(backward[k])
        stopped = [0] * self.n
        for k, j in enumerate(stops, start=len(order)):
            stopped[j] = 0 if forward[k] else leaning[j]
        modes = Modes(tuple(sliding), tuple(stopped))
        return modes, self.projected_velocity(q, qd, modes)

    def projected_velocity(self, q: Array, qd: Array, modes: Modes) -> Array:
        """The velocity closest to ``qd`` in the kinetic-energy norm that satisfies the active constraints."""
        if not modes.held:
            return qd
        _, _, _, free = self._constraints(q, modes)
        if free.shape[1] == 0:
            return np.zeros(self.n)
        mass = self.plant.mass_matrix(q)
        return free @ np.linalg.solve(free.T @ mass @ free, free.T @ (mass @ qd))


def finite(high: Array, torque: Array) -> Array:
    """Large finite limits in place of infinite ones, which keeps the bounded least squares well scaled."""
    return np.where(np.isfinite(high), high, 1e6 * (1.0 + np.abs(torque).max()))
