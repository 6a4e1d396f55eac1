"""Proofs of shorter programs: their errors in the torques against the exact coefficients, with every load.

What proofs have shown of one program serves the next: where errors were largest, and by how much a proof exceeds what
it met. Work is counted, never timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..bounds.waves import OUTWARD, Wave, waves_of
from ..equations.polynomial import TrigPolynomial
from . import climb
from .certify import Key, Progress, torque_bounds
from .hoist import Hoisted
from .program_polynomials import coefficients
from .recursion import Case
from .reduced_model import operations_of
from .states import Array, States

KEPT_WORST = 240
"""Positions that are kept of those where climbs and proofs found the largest errors: the latest."""
WORK_LIMIT = 1.2e10
"""Work limit (numbers computed by the proofs): once the proofs have used more, no refit begins, and no further program
once one meets the tolerance."""
PROVABLE = 1.02
"""Proved error over the largest error met that a proof is taken to come to where there was none."""
CLOSE, DEAR_CLOSE, DEAR = 1.1, 1.15, 0.4
"""Proved error over the largest error met from which on a joint is proved once more for the best program, and the same
where proofs have used more than this part of the work limit: what another one comes to is likely to be no closer."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A program with its proof.

    ``differences`` are those of all coefficients, for each load; ``worst_load`` has the largest error. ``share`` is the
    proved error of each joint, relative to its torque scale, over all loads, ``attained`` the largest sum of errors the
    proof met, ``within_reach`` the least that a proof is likely to come to; ``quick`` marks a proof with little work,
    which is valid but looser.
    """

    program: Hoisted
    differences: list[dict[Key, Wave]]
    worst_load: int
    share: Array
    attained: Array
    within_reach: Array
    operations: int
    quick: bool


def exact_coefficients(case: Case) -> dict[Key, TrigPolynomial]:
    """All exact coefficients of a system, by key."""
    eq, n = case.equations, case.system.n
    polynomials: dict[Key, TrigPolynomial] = {("G", (i,)): eq.gravity[i] for i in range(n)}
    polynomials |= {("D", (i, j)): eq.mass_matrix[i, j] for i in range(n) for j in range(n)}
    return polynomials | {
        ("C", (i, j, k)): eq.christoffel[i, j, k] for i in range(n) for j in range(n) for k in range(j, n)
    }


class ProgramProofs:
    """Proofs for one arm, with its loads and states.

    ``worst_positions`` are where the largest errors were met, ``reach`` is what the last proof came to over the largest
    error it met, ``work`` and ``last_work`` are what all proofs and the last one used.
    """

    def __init__(self, cases: Sequence[Case], states: States, scale: Array, effort: float, tell: Progress) -> None:
        self.cases, self.states, self.scale, self.effort, self._tell = cases, states, scale, effort, tell
        self.exact = [exact_coefficients(case) for case in cases]
        self.worst_positions: Array = np.zeros((0, states.n))
        self.work, self.last_work = 0.0, 0.0
        self.reach = np.full(states.n, PROVABLE)

    @property
    def spent(self) -> float:
        """The share of the work limit that is used."""
        return self.work / WORK_LIMIT

    def meet(self, positions: Array) -> None:
        """Keep positions where errors are largest."""
        self.worst_positions = np.concatenate([self.worst_positions, positions])[-KEPT_WORST:]

    def _differences(self, program: Hoisted, load: int) -> dict[Key, Wave]:
        """What the coefficients of a program differ from the exact ones by, with one of the loads."""
        exact, values = self.exact[load], program.values(self.cases[load].parameters)
        polynomials = coefficients(program.outputs, exact["G", (0,)].space, values)
        differences = {key: difference for key, poly in polynomials.items() if (difference := poly - exact[key])}
        return dict(zip(differences, waves_of([*differences.values()]), strict=True))

    def certified(
        self, program: Hoisted, quick: bool = False, tolerance: float | None = None, previous: Candidate | None = None
    ) -> Candidate:
        """A program with its proved error against the exact coefficients for every load; to reach a ``tolerance``, as
        long as that can be. What the ``previous`` proof of it showed puts the joint that is hardest to prove first, and
        leaves out those that are proved closely.
        """
        waves, shares, attained, reach = [], [], [], []
        work_before, order = self.work, None
        if previous is not None:
            close = CLOSE if self.spent <= DEAR else DEAR_CLOSE
            order = [
                i
                for i in np.argsort(-previous.attained).tolist()
                if not previous.share[i] <= close * previous.attained[i]
            ]
        goal = None if tolerance is None else tolerance / OUTWARD**2 * self.scale
        extra_positions = self.worst_positions[-2 * climb.POOL * self.states.n :]
        known_differences = previous.differences if previous is not None and previous.program is program else []
        for load in range(len(self.cases)):
            differences = known_differences[load] if known_differences else self._differences(program, load)
            joints = torque_bounds(
                differences, self.states, self._tell, quick, self.effort, goal, order, extra_positions
            )
            self.work += joints.work
            if not quick and differences:
                self.meet(joints.at)
            waves.append(differences)
            shares.append(joints.proved / self.scale)
            attained.append(joints.attained / self.scale)
            reach.append(joints.within_reach / self.scale)
        self.last_work = self.work - work_before
        first_values = program.values(self.cases[0].parameters)
        worst_load = int(np.argmax([share.max(initial=0.0) for share in shares]))
        total = operations_of(program, first_values).total
        largest_met, share = np.max(attained, axis=0), np.max(shares, axis=0)
        if previous is not None:
            largest_met, share = np.maximum(largest_met, previous.attained), np.minimum(share, previous.share)
        likely, broken_off = np.max(reach, axis=0), tolerance is not None and bool(np.any(share > tolerance))
        # what was left out, or broken off at an error above the tolerance, shows nothing of what a proof comes to
        likely = np.where(
            np.isfinite(likely) & ~(largest_met > (tolerance or np.inf)), likely, self.reach * largest_met
        )
        if goal is not None:
            self.reach = np.maximum(likely / np.where(largest_met > 0, largest_met, 1.0), PROVABLE)
        return Candidate(program, waves, worst_load, share, largest_met, likely, total, quick or broken_off)
