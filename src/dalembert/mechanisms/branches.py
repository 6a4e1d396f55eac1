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
from .continuation import SMALLEST_STEP, ClosedConfiguration, coordinate_text
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

    def interpolated(self, function: Callable[..., Array], *arguments: ArrayLike) -> Array:
        """The value at the state of ``function(phi, *arguments)``, which takes one state."""
        if len(self.weights) == 1:
            return function(self.phi[0], *arguments)
        values = np.array([function(phi, *arguments) for phi in self.phi])
        return np.asarray(np.tensordot(self.weights, values, 1))


class AssemblyBranch:
    """Positions asked one after the other, each continued from the one before."""

    def __init__(self, assembly: Assembly, phi: Array, best: float = np.inf, integrated: bool = False) -> None:
        """``phi`` ``(m,)`` is closed; ``best`` is the lowest condition that is known of other states.

        ``integrated``: who asks shortens the way from state to state where there is nothing to pass.
        """
        self.assembly, self.integrated = assembly, integrated
        self.configuration = ClosedConfiguration(assembly, phi[None])
        self.q = coordinates(assembly, phi)
        self.best = min(best, self.configuration.condition)
        self.passage: BranchPassage | None = None
        self.no_passage = False
        """True where it is nearly singular and no change point was found to pass."""
        self._last_support: tuple[Array, Support] = (self.q, Support(self.configuration.phi, ONE))

    def joints(self, q: Array) -> Array:
        """The joints ``(m,)`` at coordinates ``q``."""
        return self.support(q).interpolated(lambda phi: phi)

    def support(self, q: Array) -> Support:
        """Where functions of the joints at coordinates ``q`` are to be evaluated."""
        if (q == self._last_support[0]).all():
            return self._last_support[1]
        if self.passage is not None:
            support = self.passage.support(q)
            if support is None:
                self.configuration, self.q = self.passage.side(q)
                self.passage = None
        if self.passage is None:
            support = self._followed(q)
        assert support is not None
        self._last_support = q.copy(), support
        return support

    def _followed(self, q: Array) -> Support:
        """From the last configuration on, through any number of change points."""
        while True:
            if self._walked(q):
                return Support(self.configuration.phi, ONE)
            if self.no_passage:
                raise UnreachableError(
                    f"near {coordinate_text(self.assembly, self.q)} the coordinates stop to determine the mechanism, "
                    f"since assembly modes meet there; mechanism.simulate passes such places, or choose other "
                    "coordinates"
                )
            self.passage = BranchPassage.beyond(self.assembly, self.configuration, self.q, q - self.q)
            if self.passage is None:
                self.no_passage = True
                continue
            support = self.passage.support(q)
            if support is not None:
                return support
            self.configuration, self.q = self.passage.side(q)
            self.passage = None

    def _walked(self, q: Array) -> bool:
        """Goes on towards q in steps of Newton that converge at once; False where one comes too near a singularity."""
        start, displacement, fraction, step = self.q, q - self.q, 0.0, 1.0
        smallest = SHORTEST if self.no_passage and self.integrated else SMALLEST_STEP
        while fraction < 1:
            ahead = min(1.0, fraction + step)
            target = q.copy() if ahead == 1 else start + ahead * displacement
            reached = self.configuration.continued(self.q, target)
            if reached is not None and self._is_regular(reached):
                self.configuration, self.q, fraction, step = reached, target, ahead, 2 * step
            elif step > smallest:
                step /= 2
            else:
                return False
        return True

    def _is_regular(self, configuration: ClosedConfiguration) -> bool:
        condition = configuration.condition
        self.best = min(self.best, condition)
        if condition < NEAR * self.best:
            self.no_passage = False
            return True
        return self.no_passage and condition < WORSE * self.best


class BranchPassage:
    """A change point on a line in the coordinates, with closed configurations before and behind it on one branch."""

    def __init__(self, assembly: Assembly, centre: Array, direction: Array, gate: float) -> None:
        self.assembly, self.centre, self.direction, self.gate = assembly, centre, direction, gate
        # Chebyshev's points in the square of the distance: both sides alike, none near the point itself.
        middle, half = (LAST**2 + FIRST**2) / 2, (LAST**2 - FIRST**2) / 2
        side = gate * np.sqrt(middle + half * np.cos(np.pi * (2 * np.arange(SIDE) + 1) / (2 * SIDE)))
        self.distances = np.concatenate([-side, side[::-1]])
        self.phi = np.empty((0, assembly.m))
        self.aside = np.zeros_like(centre)

    @classmethod
    def beyond(
        cls, assembly: Assembly, configuration: ClosedConfiguration, q: Array, towards: Array
    ) -> BranchPassage | None:
        """The passage of the change point that lies before a configuration at ``q``; None where there is none."""
        length = float(np.linalg.norm(towards))
        if not length:
            return None
        direction = towards / length
        gate = _distance(configuration, q, direction)
        if gate is None:
            return None
        passage = cls(assembly, q + gate * direction, direction, gate)
        return passage if passage._sides(configuration, q) and passage._is_closed() else None

    def _sides(self, configuration: ClosedConfiguration, q: Array) -> bool:
        """Joints at all distances: those before it by continuation, each behind it from where the others lead."""
        current, q_current = configuration, q
        before: list[Array] = []
        for distance in self.distances[:SIDE][::-1]:
            target = self.centre + distance * self.direction
            reached = current.continued(q_current, target)
            if reached is None:
                return False
            current, q_current = reached, target
            before.append(reached.phi[0])
        self.phi = np.array(before[::-1])
        for number in range(SIDE, 2 * SIDE):
            nodes, s = self.distances[:number], self.distances[number]
            ahead = lagrange(nodes[-SIDE - 1 :], s) @ self.phi[-SIDE - 1 :]
            solution, residual = newton(
                self.assembly, ahead[None], (self.centre + s * self.direction)[None], 25, near=True
            )
            travel = np.abs(self.phi[-1] - self.phi[number - 1 - SIDE]).max() + np.abs(solution[0] - self.phi[-1]).max()
            if not closed(residual)[0] or np.abs(solution[0] - ahead).max() > KINK * travel + 1e-9:
                return False
            self.phi = np.concatenate([self.phi, solution])
        return True

    def _is_closed(self) -> bool:
        """True if the loops are closed, at the coordinates wanted, all along between the sides."""
        along = self.gate * np.linspace(-WITHIN, WITHIN, 9)
        phi = np.array([lagrange(self.distances, s) @ self.phi for s in along])
        target = self.centre + along[:, None] * self.direction
        placed = self.assembly.chains.place(phi)
        q = self.assembly.value(self.assembly.coordinate_blocks(placed, 0), len(phi))[:, : self.assembly.n]
        return bool(np.abs(self.assembly.closure_error(phi)[0]).max() < CLOSED and np.abs(q - target).max() < CLOSED)

    def _split(self, q: Array) -> tuple[float, Array]:
        """How far q is along the way, and what is left aside of it."""
        offset = q - self.centre
        s = float(self.direction @ offset)
        aside = offset - s * self.direction
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
        target = self.centre + aside + self.distances[:, None] * self.direction
        phi, residual = newton(self.assembly, self.phi, target, 25, near=True)
        if not closed(residual).all() or np.abs(phi - self.phi).max() > self.gate + np.abs(phi[0] - phi[-1]).max():
            return False
        self.phi, self.aside = phi, aside
        return True

    def side(self, q: Array) -> tuple[ClosedConfiguration, Array]:
        """A closed configuration before or behind the change point, as q is, and its coordinates."""
        number = SIDE if self._split(q)[0] > 0 else SIDE - 1
        q_side = self.centre + self.aside + self.distances[number] * self.direction
        return ClosedConfiguration(self.assembly, self.phi[number : number + 1]), q_side


def _distance(configuration: ClosedConfiguration, q: Array, direction: Array) -> float | None:
    """How far the singularity is, where the reciprocal of the condition falls towards zero along ``direction``."""
    reciprocal, step_back = 1 / configuration.condition, 1e-3
    while step_back < 1:
        before = configuration.continued(q, q - step_back * direction)
        if before is None:
            return None
        reciprocal_before = 1 / before.condition
        if reciprocal_before > 1.5 * reciprocal:
            return step_back * reciprocal / (reciprocal_before - reciprocal)
        step_back *= 2
    return None


def lagrange(nodes: Array, s: float) -> Array:
    """The values at ``s`` of Lagrange's polynomials over ``nodes``."""
    to_nodes = s - nodes
    spacings = nodes[:, None] - nodes
    np.fill_diagonal(spacings, 1.0)
    table = np.tile(to_nodes, (len(nodes), 1))
    np.fill_diagonal(table, 1.0)
    return np.asarray((table / spacings).prod(axis=1))


def coordinates(assembly: Assembly, phi: Array) -> Array:
    """q ``(n,)`` at joints ``phi`` ``(m,)``."""
    placed = assembly.chains.place(phi[None])
    return assembly.value(assembly.coordinate_blocks(placed, 0), 1)[0, : assembly.n]
