"""The search for the shortest program within a proved tolerance: prune, refit, prove, and correct the target.

The proved error of a program exceeds its largest error on the samples by a ratio that changes little from one program
to the next, joint by joint. Pruning works on samples, with the target

    tolerance / (back-off * ratio)

for each joint; every proof updates the ratio, and the back-off grows after a miss and shrinks after a hit. A proof also
says where the errors are largest, and these positions join the samples. Work is counted, never timed: the same question
has the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bounds.waves import OUTWARD, Wave, waves_of
from ..equations.polynomial import TrigPolynomial
from . import climb
from .certify import Key, Progress, torque_bounds
from .constant_forms import ParameterForm
from .hoist import Hoisted
from .program_polynomials import coefficients
from .prune import Pruner
from .recursion import Case, plain_recursion, recursion
from .reduced_model import operations_of
from .refit import refitted
from .samples import Samples
from .states import Array, States
from .sweep import worst

SEARCH_POSITIONS = 60
"""Sample positions for pruning, shared among the loads (at least 12 for each)."""
MOST_WORST = 60
"""Most positions that are added to these because a proof found the largest error of a joint there."""
REFIT_POSITIONS = 600
"""Sample positions for the refits that follow a proof."""
GREED_EXPONENTS = (1.0, 0.5)
"""Exponents g in the ranking of changes by (effect on the error) / (operations saved)^g, by which programs are pruned
further one after the other."""
ANOTHER_START = 0.1
"""Part of the work limit up to which programs are pruned from the whole recursion by every exponent and not by the
first alone."""
MAX_STARTS = 4
"""Most programs pruned from the whole recursion until one of them meets the tolerance."""
MAX_RUNS, SOON = 3, 10
"""Most times that a search begins with the whole recursion, later ones with the positions met so far among the samples,
and the number of programs tried from which it does not begin anew."""
MAX_CONTINUED, MAX_MISSES = 6, 6
"""How often each exponent goes on from the shortest program that meets the tolerance, and how many programs in a row
may miss it."""
WORK_LIMIT = 1.2e10
"""Work limit (numbers computed by the proofs): once the proofs have used more, no refit begins, and no further program
once one meets the tolerance."""
NEAR_MISS = 1.15
"""Near miss: a program proved within this multiple of the tolerance is refitted to the ratios that its proof gave."""
MAX_REFITS = 6
"""Most such refits of one program, each with a new proof."""
RATIO_MARGIN = 1.01
"""Safety factor on the ratio of proved to sampled error, whenever a ratio is used for a target."""
PROVABLE = 1.02
"""Proved error over the largest error met that a proof is taken to come to where there was none."""
LITTLE, ROUNDING = 3.0e7, 1e-9
"""Work of the last proof up to which the next is tried for every program that is not seen above the tolerance, and by
how much the errors that are seen may be off."""
CHEAP = 0.1
"""Part of the work limit up to which other constants are tried for the best program."""
BETTER = 0.98
"""Part of the sampled error to which other constants have to bring it to be tried in place of those there are."""
BACKOFF_STEP = 1.03
"""Factor on the back-off after a program that misses the tolerance."""
MEAN_WEIGHT = 0.01
"""Weight of the mean error against the largest one in refits of proved programs; pruning uses ``refit.MEAN_WEIGHT``."""
RELIABLE = 0.02
"""Sampled error, as a part of the largest one, from which a joint has a ratio of its own; others take the largest of
those."""
THOROUGH = 1.0
"""Effort from which a round tries every exponent and every single change with a refit of its own, and the constants of
the best program are tried once more. Below it the share of the usual effort is also that of the rounds and, down to a
quarter, of the sample positions for pruning."""
SWEEP_FACTORS = (0.06, 0.125, 0.25, 0.4, 0.6, 0.8, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Multiples of the tolerance for which the curve of error against operations gets a point."""


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


def steps_of(curve: bool) -> int:
    """Number of progress steps of a search, with or without the curve."""
    return 4 + 2 * MAX_CONTINUED * len(GREED_EXPONENTS) + (len(SWEEP_FACTORS) if curve else 0)


class SearchSteps:
    """Monotonic progress, in steps of equal share."""

    def __init__(self, tell: Progress, count: int) -> None:
        self.tell, self.count, self.done, self.share = tell, count, 0, 0.0

    def say(self, text: str, part: float = 0.0) -> None:
        """Reports ``text`` at the fraction ``part`` of the current step."""
        self.share = max(self.share, min(1.0, (self.done + part) / self.count))
        self.tell(text, self.share)

    def step(self, text: str) -> None:
        """Completes a step and reports ``text``."""
        self.done += 1
        self.say(text)


class Search:
    """The search for one arm, with its loads and states; ``tried`` keeps all candidates, the exact recursion first."""

    def __init__(
        self, cases: Sequence[Case], states: States, scale: Array, refit: bool = True, steps: SearchSteps | None = None,
        effort: float = 1.0,
    ) -> None:  # fmt: skip
        self.effort = effort
        self.cases, self.states, self.scale, self.refit = cases, states, scale, refit
        self.steps = steps or SearchSteps(lambda _text, _share: None, 1)
        self.exact = [exact_coefficients(case) for case in cases]
        self.whole = recursion(cases)
        self.positions = SEARCH_POSITIONS if self.thorough else round(max(effort, 0.25) * SEARCH_POSITIONS)
        self.worst_positions: Array = np.zeros((0, states.n))
        self._fine: Samples | None = None
        self.pruner = Pruner(self.whole, self._samples(self.positions), refit, self._report_pruning)
        self.work, self.last_work, self.backoff = 0.0, 0.0, 1.0
        self.climbed_to: Array = np.zeros((0, states.n))
        self.climbs, self.reach = 0, np.full(states.n, PROVABLE)
        self.tried: list[Candidate] = [self.certified(self.whole)]
        self.missed: list[Candidate] = []
        self.since, self.programs = 0, 0
        self.proof_ratio = np.ones(states.n)

    @property
    def thorough(self) -> bool:
        """Whether the search tries all it knows."""
        return self.effort >= THOROUGH

    def _report_pruning(self, count: int) -> None:
        """Reports the progress of the pruner."""
        self.steps.say("leaving out what does not matter", min(0.9, count / 12))

    def _report_proof(self, text: str, part: float) -> None:
        """Reports the progress of a proof."""
        self.steps.say(text, 0.9 * part)

    def _samples(self, positions: int) -> Samples:
        """Samples at this many positions, shared among the loads."""
        size = max(12, positions // len(self.cases))
        return Samples(self.whole, self.cases, self.states, self.scale, size, self.worst_positions)

    @property
    def fine(self) -> Samples:
        """Samples for the refits of proved programs."""
        if self._fine is None:
            self._fine = self._samples(REFIT_POSITIONS)
        return self._fine

    def best(self, tolerance: float) -> Candidate:
        """The shortest program found whose proved error is within the tolerance.

        The first program is pruned as if samples were proofs; its proof shows the ratio of the two for this arm. A
        search that ends soon begins anew, and goes on only where it begins no worse than before.
        """
        if tolerance > 0:
            exponents, begun = GREED_EXPONENTS[: None if self.thorough else 1], np.inf
            for run in range(MAX_RUNS if self.thorough else 1):
                if run and (self.programs >= SOON or self.work > ANOTHER_START * WORK_LIMIT):
                    break
                self.since = len(self.tried)
                for greed in exponents:
                    if greed == exponents[0] or self.work <= ANOTHER_START * WORK_LIMIT:
                        self._start(greed, tolerance)
                if (operations := self.shortest(tolerance, self.since).operations) <= begun:
                    begun = operations
                    self._continue(exponents, tolerance)
        return self._best_constants(self.shortest(tolerance), tolerance)

    def _start(self, greed: float, tolerance: float) -> None:
        """Programs pruned in haste from the whole recursion, until one meets the tolerance."""
        self.backoff = 1.0
        for _ in range(MAX_STARTS):
            target = tolerance / (self.backoff * self.proof_ratio)
            found = self._attempt(self.pruner.pruned(target, thorough=False, greed=greed), tolerance)
            if found is None or np.all(found.share <= tolerance):
                return

    def _continue(self, exponents: Sequence[float], tolerance: float) -> None:
        """Goes on from the shortest program, whose proof shows how much of the tolerance is left, by each exponent in
        turn, until none of them leads on or too many programs in a row have missed the tolerance.
        """
        self.backoff, misses, idle = 1.0, 0, 0
        rounds = MAX_CONTINUED if self.thorough else round(self.effort * MAX_CONTINUED)
        for greed in (*exponents,) * rounds:
            best = self.shortest(tolerance, self.since)
            proved = best is not self.tried[0]
            if misses == MAX_MISSES or idle == len(exponents) or (proved and self.work > self.effort * WORK_LIMIT):
                return
            if proved:
                target = tolerance / (self.backoff * RATIO_MARGIN * self._proof_ratio(best, self.pruner.samples))
            else:
                target = tolerance / (self.backoff * self.proof_ratio)
            program = self.pruner.pruned(target, best.program, self.thorough, greed)
            found = None if program is best.program else self._attempt(program, tolerance)
            idle = idle + 1 if found is None else 0
            if found is None:
                continue
            if self.shortest(tolerance, self.since) is best:
                misses += 1
            else:
                self.backoff, misses = 1.0, 0

    def shortest(self, tolerance: float, since: int = 0) -> Candidate:
        """The shortest candidate within the tolerance, of those tried from number ``since`` on; the exact recursion
        always is.
        """
        fit = [c for c in (self.tried[0], *self.tried[since:]) if np.all(c.share <= tolerance)]
        return min(fit, key=lambda c: (c.operations, c.share.max(initial=0.0)))

    def _attempt(self, program: Hoisted, tolerance: float) -> Candidate | None:
        """A program with its proof, None if it was tried before; a near miss is refitted to the ratios of its proof and
        proved again.
        """
        if any(program.same_as(candidate.program) for candidate in (*self.tried, *self.missed)):
            return None
        self.steps.step("proving")
        self.programs += 1
        candidate = self._prove(program, tolerance)
        for _ in range(MAX_REFITS if self.refit else 0):
            ratio = float(self._provable(candidate).max(initial=0.0)) / tolerance
            if (
                not 1 < ratio <= NEAR_MISS
                or candidate.operations >= self.shortest(tolerance, self.since).operations
                or self.work > self.effort * WORK_LIMIT
            ):
                break
            target = tolerance / (RATIO_MARGIN * self._proof_ratio(candidate, self.fine))
            refitted_program = refitted(candidate.program, self.fine, target, MEAN_WEIGHT)
            if np.any(worst(self.fine.error(refitted_program)) > target):
                break
            candidate = self._prove(refitted_program, tolerance)
        if np.any(candidate.share > tolerance):
            self.backoff *= BACKOFF_STEP
        self.steps.step("leaving out what does not matter")
        return candidate

    def _prove(self, program: Hoisted, tolerance: float) -> Candidate:
        """Proves a program and keeps it, unless errors above the tolerance are met before; where its errors are largest
        is where pruning looks from now on.
        """
        candidate = self._seen_to_fail(program, tolerance)
        if candidate is None:
            candidate = self.certified(program, tolerance=tolerance)
            self.tried.append(candidate)
        else:
            self.missed.append(candidate)
        ratio = RATIO_MARGIN * self._proof_ratio(candidate, self.pruner.samples)
        first = len(self.tried) + len(self.missed) == 2
        # what one program shows another one may show too
        self.proof_ratio = ratio if first else np.maximum(ratio, np.sqrt(ratio * self.proof_ratio))
        self._fine = None
        self.pruner = Pruner(self.whole, self._samples(self.positions), self.refit, self._report_pruning)
        return candidate

    def _seen_to_fail(self, program: Hoisted, tolerance: float) -> Candidate | None:
        """A program whose errors are above the tolerance somewhere, or, where proofs take time, so close to it that the
        last one would not have shown them to be below, with these errors in place of a proof; None where no such
        position is found.
        """
        samples = self.pruner.samples
        self.climbs += 1
        found, at = climb.climbed(samples, program, self.whole, self.states, self.worst_positions, self.climbs)
        self.climbed_to = at
        within_reach = self.reach * found
        # where a proof takes no more time than the climb, it decides all that is not above the tolerance for sure
        known = found * (1 - ROUNDING) if self.last_work <= LITTLE else within_reach
        if np.all(known <= tolerance):
            return None
        self.worst_positions = np.concatenate([self.worst_positions, at])[-MOST_WORST:]
        total = operations_of(program, program.values(self.cases[0].parameters)).total
        return Candidate(program, [], 0, np.full(self.states.n, np.inf), found, within_reach, total, True)

    def _proof_ratio(self, candidate: Candidate, samples: Samples) -> Array:
        """The ratio of provable to sampled error of each joint."""
        sampled = worst(samples.error(candidate.program))
        provable = self._provable(candidate)
        # an error that is nothing but rounding tells nothing
        known = (provable > 0) & (sampled > max(RELIABLE * float(sampled.max(initial=0.0)), 1e-300))
        ratio = provable / np.where(known, sampled, 1.0)
        return np.where(known, ratio, ratio[known].max() if known.any() else 1.0)

    def _provable(self, candidate: Candidate) -> Array:
        """The error that a proof comes to where it has to."""
        return np.minimum(candidate.share, candidate.within_reach)

    def _best_constants(self, best: Candidate, tolerance: float) -> Candidate:
        """The same program with the constants of smallest error, unchanged, exact, or refitted once more, its error
        proved as closely as the work allows.
        """
        if not np.any(best.share):
            return best
        programs = [best.program]
        if self.refit and self.thorough and self.work <= CHEAP * WORK_LIMIT:
            definitions = {name: ParameterForm(form.terms) for name, form in best.program.definitions.items()}
            programs += [
                Hoisted(best.program.outputs, definitions),
                refitted(best.program, self.fine, np.full(self.states.n, tolerance), MEAN_WEIGHT),
            ]
        sampled = [float(worst(self.fine.error(program)).max()) for program in programs]
        for rank in np.argsort(sampled, kind="stable").tolist():
            if rank and (sampled[rank] > BETTER * sampled[0] or programs[rank].same_as(best.program)):
                continue
            self.steps.say("proving closely")
            candidate = self.certified(programs[rank])
            if not rank:
                # both proofs hold
                candidate = replace(candidate, share=np.minimum(candidate.share, best.share))
            self.tried.append(candidate)
            if candidate.operations <= best.operations and np.all(candidate.share <= tolerance):
                return candidate
        return best

    def no_longer_than_exact(self, best: Candidate) -> Candidate:
        """The candidate, or the exact recursion as it is written where that is shorter: hoisting may cost operations
        where numbers of this arm happen to be equal.
        """
        plain = plain_recursion(self.cases)
        if operations_of(plain, plain.values(self.cases[0].parameters)).total >= best.operations:
            return best
        self.tried.append(self.certified(plain))
        return self.tried[-1]

    def sweep(self, tolerance: float) -> Candidate:
        """Programs for multiples of the tolerance, each with a quick proof; the shortest within it is proved fully."""
        for factor in SWEEP_FACTORS:
            self.steps.step("error against operations")
            program = self.pruner.pruned(factor * tolerance / self.proof_ratio, thorough=False)
            self.tried.append(self.certified(program, quick=True))
        best = self.shortest(tolerance)
        if best.quick:
            best = self.certified(best.program)
            self.tried.append(best)
        return best

    def certified(self, program: Hoisted, quick: bool = False, tolerance: float | None = None) -> Candidate:
        """A program with its proved error against the exact coefficients for every load; to reach a ``tolerance``, or
        quickly once an error above it is met.
        """
        waves, shares, attained, reach = [], [], [], []
        before = self.work
        goal = None if tolerance is None else tolerance / OUTWARD**2 * self.scale
        for case, exact in zip(self.cases, self.exact, strict=True):
            polynomials = coefficients(program.outputs, exact["G", (0,)].space, program.values(case.parameters))
            left = {key: rest for key, poly in polynomials.items() if (rest := poly - exact[key])}
            differences = dict(zip(left, waves_of([*left.values()]), strict=True))
            also = self.climbed_to
            joints = torque_bounds(differences, self.states, self._report_proof, quick, self.effort, goal, also)
            self.work += joints.work
            if not quick and differences:
                self.worst_positions = np.concatenate([self.worst_positions, joints.at])[-MOST_WORST:]
            waves.append(differences)
            shares.append(joints.proved / self.scale)
            attained.append(joints.attained / self.scale)
            reach.append(joints.within_reach / self.scale)
        self.last_work = self.work - before
        first = program.values(self.cases[0].parameters)
        worst_load = int(np.argmax([share.max(initial=0.0) for share in shares]))
        total = operations_of(program, first).total
        found = np.max(attained, axis=0)
        quick |= tolerance is not None and bool(np.any(found > tolerance))
        if goal is not None:
            self.reach = np.maximum(np.max(reach, axis=0) / np.where(found > 0, found, 1.0), PROVABLE)
        return Candidate(program, waves, worst_load, np.max(shares, axis=0), found, np.max(reach, axis=0), total, quick)


def exact_coefficients(case: Case) -> dict[Key, TrigPolynomial]:
    """All exact coefficients of a system, by key."""
    eq, n = case.equations, case.system.n
    polynomials: dict[Key, TrigPolynomial] = {("G", (i,)): eq.gravity[i] for i in range(n)}
    polynomials |= {("D", (i, j)): eq.mass_matrix[i, j] for i in range(n) for j in range(n)}
    return polynomials | {
        ("C", (i, j, k)): eq.christoffel[i, j, k] for i in range(n) for j in range(n) for k in range(j, n)
    }


def front(tried: Sequence[Candidate]) -> list[Candidate]:
    """The Pareto front of operations against error, least error first."""
    efficient: list[Candidate] = []
    for candidate in sorted(tried, key=lambda c: (float(c.share.max(initial=0.0)), c.operations)):
        if not efficient or candidate.operations < efficient[-1].operations:
            efficient.append(candidate)
    return efficient
