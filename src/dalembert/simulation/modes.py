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


@dataclass(frozen=True)
class Modes:
    """The mode of each contact (-1 or 1 sliding, 0 sticking) and of each joint (-1 or 1 at a stop, 0 free)."""

    sliding: tuple[int, ...]
    stopped: tuple[int, ...]

    @property
    def held(self) -> bool:
        """Whether any constraint is active: a contact sticks or a joint is at a stop."""
        return 0 in self.sliding or any(self.stopped)


class Mechanics:
    """A plant with its contacts and stops: accelerations in a given mode, and the transitions between modes."""

    def __init__(self, plant: Plant, lower: Array, upper: Array) -> None:
        self.plant, self.n = plant, plant.n
        self.lower, self.upper = lower, upper
        self.contacts = plant.contacts
        self._rows: Array | None = None if plant.varies else plant.rows(np.zeros(self.n))
        self._free: dict[Modes, tuple[Array, Array, Array, Array]] = {}

    def rows(self, q: Array) -> Array:
        """The contact Jacobian: the speed of each contact is rows @ qd."""
        return self.plant.rows(q) if self._rows is None else self._rows

    def friction(self, q: Array, modes: Modes) -> Array:
        """Coulomb friction of sliding contacts, at the joints."""
        forces = np.array(
            [c.sliding(s) if s else 0.0 for c, s in zip(self.contacts, modes.sliding, strict=True)], dtype=float
        )
        return self.rows(q).T @ forces

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
            torque = torque + self.friction(q, modes)
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
        return dynamics_torque - torque - (self.friction(q, modes) if self.contacts else 0.0)

    def share(self, q: Array, qd: Array, torque: Array, modes: Modes) -> float:
        """The fraction of the holding forces used by the active constraints; above 1 one of them is released."""
        rows, low, high, _ = self._constraints(q, modes)
        return holding_share(rows, self.needed(q, qd, torque, modes), low, high)

    def settle(
        self,
        q: Array,
        qd: Array,
        torque: Array,
        standing: set[int],
        leaning: dict[int, int],
        starting: dict[int, int] | None = None,
        before: Modes | None = None,
    ) -> tuple[Modes, Array]:
        """The mode after an event: which ``standing`` contacts and ``leaning`` joints stay constrained.

        ``starting`` contacts have just been released, in this direction; a contact that slides but still has zero speed
        keeps the direction it had ``before``. Returns the mode, and the velocity projected onto its constraints.
        """
        speeds = self.rows(q) @ qd if self.contacts else np.zeros(0)
        sliding = [0 if c in standing else (1 if speeds[c] > 0 else -1) for c in range(len(self.contacts))]
        for c, speed in enumerate(speeds):
            if c not in standing and speed == 0 and before is not None and before.sliding[c]:
                sliding[c] = before.sliding[c]
        for c, direction in (starting or {}).items():
            sliding[c] = direction
        order = [c for c in range(len(self.contacts)) if c in standing]
        stops = sorted(leaning)
        if not order and not stops:
            return Modes(tuple(sliding), (0,) * self.n), qd
        rows = np.array([*(self.rows(q)[c] for c in order), *(-leaning[j] * np.eye(self.n)[j] for j in stops)])
        low = np.array([*(-self.contacts[c].hold for c in order), *(0.0 for _ in stops)])
        high = np.array([*(self.contacts[c].hold for c in order), *(np.inf for _ in stops)])
        friction = np.zeros(self.n)
        for c, s in enumerate(sliding):
            if s:
                friction += self.rows(q)[c] * self.contacts[c].sliding(s)
        mass = self.plant.mass_matrix(q)
        net_torque = torque + friction - self.plant.bias(q, qd)
        drift = None
        if self.plant.varies:
            drifts = self.plant.drift(q, qd)
            drift = np.array([*(drifts[c] for c in order), *(0.0 for _ in stops)])
        force, rate = contact_forces(mass, net_torque, rows, low, _finite(high, net_torque), drift)
        size = 1e-12 * (1.0 + np.abs(rate).max(initial=0.0))
        for index, c in enumerate(order):
            at_limit = self.contacts[c].hold - abs(force[index]) <= 1e-12 * (1.0 + self.contacts[c].hold)
            if at_limit and (abs(rate[index]) > size or self.contacts[c].hold == 0):
                sliding[c] = 1 if (rate[index] > 0 if abs(rate[index]) > size else force[index] < 0) else -1
        stopped = [0] * self.n
        for index, j in enumerate(stops, start=len(order)):
            if force[index] > 0 or rate[index] <= size:
                stopped[j] = leaning[j]
        modes = Modes(tuple(sliding), tuple(stopped))
        return modes, self.still(q, qd, modes)

    def release(self, q: Array, qd: Array, torque: Array, modes: Modes) -> tuple[set[int], set[int], list[int]]:
        """The sticking contacts and stops whose force is at its limit, and the directions of sliding."""
        rows, low, high, _ = self._constraints(q, modes)
        needed = self.needed(q, qd, torque, modes)
        force = np.linalg.lstsq(rows.T, needed, rcond=None)[0]
        if np.linalg.matrix_rank(rows) < len(rows):
            force, _ = contact_forces(self.plant.mass_matrix(q), -needed, rows, low, _finite(high, needed))
        order = [c for c, s in enumerate(modes.sliding) if not s]
        stops = [j for j, s in enumerate(modes.stopped) if s]
        slipping = {
            c for index, c in enumerate(order) if abs(force[index]) >= self.contacts[c].hold * (1 - 1e-7) - 1e-14
        }
        leaving = {
            j for index, j in enumerate(stops, start=len(order)) if force[index] <= 1e-9 * (1 + np.abs(needed).max())
        }
        direction = [0] * len(self.contacts)
        for index, c in enumerate(order):
            direction[c] = -1 if force[index] > 0 else 1
        return slipping, leaving, direction

    def still(self, q: Array, qd: Array, modes: Modes) -> Array:
        """The velocity closest to ``qd`` in the kinetic-energy norm that satisfies the active constraints."""
        if not modes.held:
            return qd
        _, _, _, free = self._constraints(q, modes)
        if free.shape[1] == 0:
            return np.zeros(self.n)
        mass = self.plant.mass_matrix(q)
        return free @ np.linalg.solve(free.T @ mass @ free, free.T @ (mass @ qd))


def _finite(high: Array, torque: Array) -> Array:
    """Large finite limits in place of infinite ones, which keeps the bounded least squares well scaled."""
    return np.where(np.isfinite(high), high, 1e6 * (1.0 + np.abs(torque).max()))
