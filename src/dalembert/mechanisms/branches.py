"""The joints as functions of the coordinates on one smooth branch, followed from state to state through change points.

Where assembly modes meet, [G^w_phi] is singular, but phi(q) of each mode goes through smoothly, and so do its influence
coefficients, I*, P* and loads: quotients that become 0/0 at one point of a line and are smooth functions along it. So
there each is found from its values on both sides,

    f(q) = sum_k l_k(s) f(q + (s_k - s) d),    s = d.(q - q_c),

l_k being Lagrange's polynomials over distances s_k before and behind the change point q_c on the way d. The far side
counts as the same branch if it is where the near side leads, and if the loops stay closed all along between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import UnreachableError
from .batch import Array
from .change_points import CLOSED
from .continuation import SMALLEST_STEP, Place, told
from .position import closed, newton

if TYPE_CHECKING:
    from .assembly import Assembly

NEAR = 50.0
"""Condition of [G^w_phi] against the best so far, above which values come from both sides of a change point."""
WORSE = 1e4
"""The same, at which a motion in the coordinates ends where there is no change point to pass."""
SIDE = 6
"""States on each side."""
FIRST, LAST, WITHIN = 2.0, 6.0, 1.2
"""Nearest and farthest of them from the change point, and up to where they are used, in distances of the gate."""
KINK = 0.01
"""Largest part of the way between the sides by which the joints may miss where the near side leads."""
SHORTEST = 2.0**-3
"""Part of the way to the next state below which the steps to it are not shortened where no change point is passed."""
ONE = np.ones(1)


@dataclass(frozen=True)
class Support:
    """Closed joints ``(k, m)`` with weights ``(k,)``: a function on the branch is the sum of its values there."""

    phi: Array
    weights: Array

    def of(self, function: Callable[..., Array], *given: ArrayLike) -> Array:
        """The value at the state of ``function(phi, *given)``, which takes one state."""
        if len(self.weights) == 1:
            return function(self.phi[0], *given)
        values = np.array([function(phi, *given) for phi in self.phi])
        return np.asarray(np.tensordot(self.weights, values, 1))


class AssemblyBranch:
    """Positions asked one after the other, each continued from the one before."""

    def __init__(self, assembly: Assembly, phi: Array, best: float = np.inf, integrated: bool = False) -> None:
        """``phi`` ``(m,)`` is closed; ``best`` is the lowest condition that is known of other states.

        ``integrated``: who asks shortens the way from state to state where there is nothing to pass.
        """
        self.assembly, self.integrated = assembly, integrated
        self.place = Place(assembly, phi[None])
        self.q = coordinates(assembly, phi)
        self.best = min(best, self.place.condition)
        self.passage: BranchPassage | None = None
        self.plain = False
        """True where it is nearly singular and no change point was found to pass."""
        self._last: tuple[Array, Support] = (self.q, Support(self.place.phi, ONE))

    def to(self, q: Array) -> Array:
        """The joints ``(m,)`` at coordinates ``q``."""
        return self.support(q).of(lambda phi: phi)

    def support(self, q: Array) -> Support:
        """Where functions of the joints at coordinates ``q`` are to be evaluated."""
        if (q == self._last[0]).all():
            return self._last[1]
        if self.passage is not None:
            found = self.passage.support(q)
            if found is None:
                self.place, self.q = self.passage.side(q)
                self.passage = None
        if self.passage is None:
            found = self._followed(q)
        assert found is not None
        self._last = q.copy(), found
        return found

    def _followed(self, q: Array) -> Support:
        """From the last place on, through any number of change points."""
        while True:
            if self._walked(q):
                return Support(self.place.phi, ONE)
            if self.plain:
                raise UnreachableError(
                    f"near {told(self.assembly, self.q)} the coordinates stop to determine the mechanism, since "
                    f"assembly modes meet there; mechanism.simulate passes such places, or choose other coordinates"
                )
            self.passage = BranchPassage.beyond(self.assembly, self.place, self.q, q - self.q)
            if self.passage is None:
                self.plain = True
                continue
            found = self.passage.support(q)
            if found is not None:
                return found
            self.place, self.q = self.passage.side(q)
            self.passage = None

    def _walked(self, q: Array) -> bool:
        """Goes on towards q in steps that find their place at once; False where one comes too near a singularity."""
        start, whole, done, share = self.q, q - self.q, 0.0, 1.0
        least = SHORTEST if self.plain and self.integrated else SMALLEST_STEP
        while done < 1:
            ahead = min(1.0, done + share)
            wanted = q.copy() if ahead == 1 else start + ahead * whole
            reached = self.place.to(self.q, wanted)
            if reached is not None and self._is_regular(reached):
                self.place, self.q, done, share = reached, wanted, ahead, 2 * share
            elif share > least:
                share /= 2
            else:
                return False
        return True

    def _is_regular(self, place: Place) -> bool:
        condition = place.condition
        self.best = min(self.best, condition)
        if condition < NEAR * self.best:
            self.plain = False
            return True
        return self.plain and condition < WORSE * self.best


class BranchPassage:
    """A change point on a line in the coordinates, with places before and behind it on one branch."""

    def __init__(self, assembly: Assembly, centre: Array, way: Array, gate: float) -> None:
        self.assembly, self.centre, self.way, self.gate = assembly, centre, way, gate
        # Chebyshev's points in the square of the distance: both sides alike, none near the point itself.
        middle, half = (LAST**2 + FIRST**2) / 2, (LAST**2 - FIRST**2) / 2
        side = gate * np.sqrt(middle + half * np.cos(np.pi * (2 * np.arange(SIDE) + 1) / (2 * SIDE)))
        self.distances = np.concatenate([-side, side[::-1]])
        self.phi = np.empty((0, assembly.m))
        self.aside = np.zeros_like(centre)

    @classmethod
    def beyond(cls, assembly: Assembly, place: Place, q: Array, towards: Array) -> BranchPassage | None:
        """The passage of the change point that lies before a place at ``q``; None where there is none."""
        length = float(np.linalg.norm(towards))
        if not length:
            return None
        way = towards / length
        gate = _distance(place, q, way)
        if gate is None:
            return None
        found = cls(assembly, q + gate * way, way, gate)
        return found if found._sides(place, q) and found._is_closed() else None

    def _sides(self, place: Place, q: Array) -> bool:
        """Joints at all distances: those before it by continuation, each behind it from where the others lead."""
        at, now = place, q
        before: list[Array] = []
        for distance in self.distances[:SIDE][::-1]:
            wanted = self.centre + distance * self.way
            reached = at.to(now, wanted)
            if reached is None:
                return False
            at, now = reached, wanted
            before.append(reached.phi[0])
        self.phi = np.array(before[::-1])
        for number in range(SIDE, 2 * SIDE):
            known, s = self.distances[:number], self.distances[number]
            ahead = lagrange(known[-SIDE - 1 :], s) @ self.phi[-SIDE - 1 :]
            found, off = newton(self.assembly, ahead[None], (self.centre + s * self.way)[None], 25, near=True)
            gone = np.abs(self.phi[-1] - self.phi[number - 1 - SIDE]).max() + np.abs(found[0] - self.phi[-1]).max()
            if not closed(off)[0] or np.abs(found[0] - ahead).max() > KINK * gone + 1e-9:
                return False
            self.phi = np.concatenate([self.phi, found])
        return True

    def _is_closed(self) -> bool:
        """True if the loops are closed, at the coordinates wanted, all along between the sides."""
        along = self.gate * np.linspace(-WITHIN, WITHIN, 9)
        phi = np.array([lagrange(self.distances, s) @ self.phi for s in along])
        wanted = self.centre + along[:, None] * self.way
        placed = self.assembly.chains.place(phi)
        q = self.assembly.value(self.assembly.coordinate_blocks(placed, 0), len(phi))[:, : self.assembly.n]
        return bool(np.abs(self.assembly.misfit(phi)[0]).max() < CLOSED and np.abs(q - wanted).max() < CLOSED)

    def _split(self, q: Array) -> tuple[float, Array]:
        """How far q is along the way, and what is left aside of it."""
        off = q - self.centre
        s = float(self.way @ off)
        aside = off - s * self.way
        return s, np.where(np.abs(aside) > 1e-15 * (1 + np.abs(q)), aside, 0.0)

    def support(self, q: Array) -> Support | None:
        """The states of both sides with their weights at q; None where q is not between them."""
        s, aside = self._split(q)
        if abs(s) > WITHIN * self.gate or np.abs(aside).max(initial=0.0) > self.gate or not self._moved(aside):
            return None
        return Support(self.phi, lagrange(self.distances, s))

    def _moved(self, aside: Array) -> bool:
        """Both sides at coordinates that differ from the way by ``aside``; False where they are not found."""
        if (aside == self.aside).all():
            return True
        wanted = self.centre + aside + self.distances[:, None] * self.way
        phi, off = newton(self.assembly, self.phi, wanted, 25, near=True)
        if not closed(off).all() or np.abs(phi - self.phi).max() > self.gate + np.abs(phi[0] - phi[-1]).max():
            return False
        self.phi, self.aside = phi, aside
        return True

    def side(self, q: Array) -> tuple[Place, Array]:
        """A place before or behind the change point, as q is, and its coordinates."""
        number = SIDE if self._split(q)[0] > 0 else SIDE - 1
        at = self.centre + self.aside + self.distances[number] * self.way
        return Place(self.assembly, self.phi[number : number + 1]), at


def _distance(place: Place, q: Array, way: Array) -> float | None:
    """How far the singularity is, where the reciprocal of the condition falls towards zero along ``way``."""
    here, back = 1 / place.condition, 1e-3
    while back < 1:
        before = place.to(q, q - back * way)
        if before is None:
            return None
        there = 1 / before.condition
        if there > 1.5 * here:
            return back * here / (there - here)
        back *= 2
    return None


def lagrange(nodes: Array, s: float) -> Array:
    """The values at ``s`` of Lagrange's polynomials over ``nodes``."""
    off = s - nodes
    apart = nodes[:, None] - nodes
    np.fill_diagonal(apart, 1.0)
    table = np.tile(off, (len(nodes), 1))
    np.fill_diagonal(table, 1.0)
    return np.asarray((table / apart).prod(axis=1))


def coordinates(assembly: Assembly, phi: Array) -> Array:
    """q ``(n,)`` at joints ``phi`` ``(m,)``."""
    placed = assembly.chains.place(phi[None])
    return assembly.value(assembly.coordinate_blocks(placed, 0), 1)[0, : assembly.n]
