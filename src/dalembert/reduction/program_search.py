"""The search for the shortest program within a proved tolerance: prune, refit, prove, and correct the target.

The proved error of a program exceeds its largest error on the samples by a ratio that changes little from one program
to the next, joint by joint. Pruning works on samples, with the target

    tolerance / (back-off * ratio)

for each joint; every proof updates the ratio, and the back-off grows after a miss and shrinks after a hit. Work is
counted in control values, never timed: the same question has the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from ..bounds.waves import Wave, wave_of
from ..equations.polynomial import TrigPolynomial
from .certify import Key, Progress, torque_bounds
from .constant_forms import ParameterForm
from .hoist import Hoisted
from .program_polynomials import coefficients
from .prune import Pruner, count
from .recursion import Case, recursion
from .reduced_model import operations_of
from .refit import refitted
from .samples import Samples, worst
from .states import Array, States

Value = TypeVar("Value")

SEARCH_POSITIONS = 60
"""Sample positions for pruning, shared among the loads (at least 12 for each)."""
REFIT_POSITIONS = 600
"""Sample positions for the refits that follow a proof."""
MAX_ROUNDS = 6
"""Most rounds of the search; each prunes one program and, if it is new, proves it."""
FULL_STARTS = 2
"""Number of first rounds, which always run and start from the whole recursion. Of the later rounds the odd ones start
from the shortest program so far, if a pruned one meets the tolerance; all others start from the whole recursion."""
WORK_LIMIT = 1.2e9
"""Work limit (control values): once the proofs have used more, no refit begins, and no further round if a pruned
program meets the tolerance. A miss in the last of the ``FULL_STARTS`` rounds still gets one more round."""
GREED_EXPONENTS = ((1.0, 0.5), (0.7, 1.4))
"""Exponents g in the ranking of changes by (effect on the error) / (operations saved)^g. The first round tries both
exponents of the first pair, the second round both of the second, and proves the shorter program; later rounds try
one."""
NEAR_MISS = 1.15
"""Near miss: a program proved within this multiple of the tolerance is refitted to the ratios that its proof gave."""
MAX_REFITS = 2
"""Most such refits of one program, each with a new proof."""
RATIO_MARGIN = 1.01
"""Safety factor on the ratio of proved to sampled error, whenever a ratio is used for a target."""
BACKOFF_STEP = 1.03
"""Step of the back-off: a factor after a program that misses the tolerance, a divisor after one that meets it."""
INITIAL_BACKOFF = {6: 1.0, 7: 1.06}
"""Initial back-off by number of joints (the last entry serves larger arms): with seven joints only two or three proofs
fit in the work limit, so that the first target is set lower."""
MEDIAN_FRACTION = {6: 0.0, 7: 0.9}
"""Lower bound on the ratio of each joint as a fraction of the median over the joints, by number of joints: a joint with
small errors gives an unreliable ratio. 0 means no bound."""
TARGET_SHRINK = 0.75
"""Factor on the target, by way of the back-off, in every round after the first ``FULL_STARTS`` in which no pruned
program has met the tolerance yet."""
MEAN_WEIGHT = 0.01
"""Weight of the mean error against the largest one in refits of proved programs; pruning uses ``refit.MEAN_WEIGHT``."""
INITIAL_RATIO = {6: 1.15, 7: 3.5}
"""Assumed ratio of proved to sampled error before the first proof, by number of joints; also for joints with
hardly any sampled error."""
HASTY_RATIO = {6: 1.7, 7: 11.0}
"""The same for a search that is not thorough: its proofs are looser, and a first round that misses costs another."""
LARGEST_RATIO = 12.0
"""Largest ratio that is used; the smallest is 0.3."""
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
    proved error of each joint, relative to its torque scale, over all loads; ``quick`` marks a proof with little work,
    which is valid but looser.
    """

    program: Hoisted
    differences: list[dict[Key, Wave]]
    worst_load: int
    share: Array
    operations: int
    quick: bool


def by_size(table: Mapping[int, Value], n: int) -> Value:
    """The entry for ``n`` joints; the last one serves larger arms."""
    return next((value for size, value in sorted(table.items()) if n <= size), table[max(table)])


def steps_of(curve: bool) -> int:
    """Number of progress steps of a search, with or without the curve."""
    return 3 + 2 * MAX_ROUNDS + (len(SWEEP_FACTORS) if curve else 0)


class Steps:
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
        self, cases: Sequence[Case], states: States, scale: Array, refit: bool = True, steps: Steps | None = None,
        effort: float = 1.0,
    ) -> None:  # fmt: skip
        self.effort = effort
        self.cases, self.states, self.scale, self.refit = cases, states, scale, refit
        self.steps = steps or Steps(lambda _text, _share: None, 1)
        self.exact = [exact_coefficients(case) for case in cases]
        self.whole = recursion(cases)
        positions = SEARCH_POSITIONS if self.thorough else round(max(effort, 0.25) * SEARCH_POSITIONS)
        self.pruner = Pruner(self.whole, self._samples(positions), refit, self._report_pruning)
        self.work, self.backoff = 0.0, by_size(INITIAL_BACKOFF, states.n)
        self.tried: list[Candidate] = [self.certified(self.whole)]
        self.proof_ratio = np.full(states.n, self.initial_ratio)

    @property
    def thorough(self) -> bool:
        """Whether the search tries all it knows."""
        return self.effort >= THOROUGH

    @property
    def initial_ratio(self) -> float:
        """The ratio of proved to sampled error that is assumed where none is known."""
        return by_size(INITIAL_RATIO if self.thorough else HASTY_RATIO, self.states.n)

    def _report_pruning(self, count: int) -> None:
        """Reports the progress of the pruner."""
        self.steps.say("leaving out what does not matter", min(0.9, count / 12))

    def _report_proof(self, text: str, part: float) -> None:
        """Reports the progress of a proof."""
        self.steps.say(text, 0.9 * part)

    def _samples(self, positions: int) -> Samples:
        """Samples at this many positions, shared among the loads."""
        return Samples(self.whole, self.cases, self.states, self.scale, max(12, positions // len(self.cases)))

    @cached_property
    def fine(self) -> Samples:
        """Samples for the refits of proved programs."""
        return self._samples(REFIT_POSITIONS)

    def best(self, tolerance: float) -> Candidate:
        """The shortest program found whose proved error is within the tolerance."""
        for round_ in range(MAX_ROUNDS if tolerance > 0 else 0):
            best = self.shortest(tolerance)
            met = best is not self.tried[0]
            hit = np.all(self.tried[-1].share <= tolerance)
            if met and not self.thorough and round_ >= round(self.effort * MAX_ROUNDS):
                break
            if round_ >= FULL_STARTS and met and self.work > self.effort * WORK_LIMIT and (hit or round_ > FULL_STARTS):
                break
            if round_ >= FULL_STARTS and not met:
                # No pruned program has met the tolerance yet: lower the target.
                self.backoff /= TARGET_SHRINK
            if round_ % 2 and met and round_ >= FULL_STARTS:
                # Start from the shortest program so far: the unused part of the tolerance may allow further changes.
                self._update_ratio(best)
                program = self.pruner.pruned(tolerance / (self.backoff * self.proof_ratio), best.program, self.thorough)
                if program is best.program:
                    continue
            else:
                greeds = (
                    GREED_EXPONENTS[round_]
                    if round_ < len(GREED_EXPONENTS)
                    else (GREED_EXPONENTS[round_ % 2][round_ // 2 % 2],)
                )
                target = tolerance / (self.backoff * self.proof_ratio)
                program = min(
                    (
                        self.pruner.pruned(target, thorough=self.thorough, greed=greed)
                        for greed in (greeds if self.thorough else greeds[:1])
                    ),
                    key=lambda pruned: count(pruned, self.pruner.samples),
                )
            if all(program.definitions != candidate.program.definitions for candidate in self.tried):
                self._attempt(program, tolerance)
        return self._best_constants(self.shortest(tolerance), tolerance)

    def shortest(self, tolerance: float) -> Candidate:
        """The shortest candidate within the tolerance; the exact recursion always is."""
        fit = [c for c in self.tried if np.all(c.share <= tolerance)]
        return min(fit, key=lambda c: (c.operations, c.share.max(initial=0.0)))

    def _attempt(self, program: Hoisted, tolerance: float) -> None:
        """Proves a program; a near miss is refitted to the ratios of its proof and proved again."""
        self.steps.step("proving")
        candidate = self._prove(program)
        for _ in range(MAX_REFITS if self.refit else 0):
            ratio = float(candidate.share.max(initial=0.0)) / tolerance
            if (
                not 1 < ratio <= NEAR_MISS
                or candidate.operations >= self.shortest(tolerance).operations
                or self.work > self.effort * WORK_LIMIT
            ):
                break
            target = tolerance / (RATIO_MARGIN * self._proof_ratio(candidate, self.fine))
            refitted_program = refitted(candidate.program, self.fine, target, MEAN_WEIGHT)
            if np.any(worst(self.fine.error(refitted_program)) > target):
                break
            candidate = self._prove(refitted_program)
        # The back-off grows after a miss and shrinks after a hit, but never below one.
        self.backoff = max(
            1.0, self.backoff * (BACKOFF_STEP if np.any(candidate.share > tolerance) else 1 / BACKOFF_STEP)
        )
        self.steps.step("leaving out what does not matter")

    def _prove(self, program: Hoisted) -> Candidate:
        """Proves a program, keeps it, and updates the ratios."""
        candidate = self.certified(program)
        self.tried.append(candidate)
        self._update_ratio(candidate)
        return candidate

    def _update_ratio(self, candidate: Candidate) -> None:
        """Sets the ratio of proved to sampled error of each joint from a candidate."""
        ratio = self._proof_ratio(candidate, self.pruner.samples)
        # The ratio of a joint with small errors is unreliable: for large arms the median bounds it from below.
        ratio = np.maximum(ratio, by_size(MEDIAN_FRACTION, self.states.n) * np.median(ratio))
        self.proof_ratio = np.clip(RATIO_MARGIN * ratio, 0.3, LARGEST_RATIO)

    def _proof_ratio(self, candidate: Candidate, samples: Samples) -> Array:
        """The ratio of proved to sampled error of each joint."""
        sampled = worst(samples.error(candidate.program))
        nonzero = sampled > 1e-9 * sampled.max(initial=0.0)
        return np.where(nonzero, candidate.share / np.maximum(sampled, 1e-300), self.initial_ratio)

    def _best_constants(self, best: Candidate, tolerance: float) -> Candidate:
        """The same program with the constants of smallest proved error: unchanged, exact, or refitted once more."""
        if not self.refit or not self.thorough or not np.any(best.share) or self.work > self.effort * WORK_LIMIT:
            return best
        exact = Hoisted(best.program.outputs, {n: ParameterForm(f.terms) for n, f in best.program.definitions.items()})
        refitted_program = refitted(best.program, self.fine, np.full(self.states.n, tolerance), MEAN_WEIGHT)
        sampled = [float(worst(self.fine.error(program)).max()) for program in (best.program, exact, refitted_program)]
        for program, error, largest in (
            (exact, sampled[1], best.share.max()),
            (refitted_program, sampled[2], 0.98 * sampled[0]),
        ):
            # Sampled errors are attained, so a program that exceeds the proved bound on the samples cannot improve it.
            if error > largest or program.definitions == best.program.definitions:
                continue
            candidate = self.certified(program)
            self.tried.append(candidate)
            if candidate.operations <= best.operations and candidate.share.max() < best.share.max():
                best = candidate
        return best

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

    def certified(self, program: Hoisted, quick: bool = False) -> Candidate:
        """A program with its proved error against the exact coefficients for every load."""
        waves, shares = [], []
        for case, exact in zip(self.cases, self.exact, strict=True):
            polynomials = coefficients(program.outputs, exact["G", (0,)].space, program.values(case.parameters))
            differences = {
                key: wave_of(difference) for key, poly in polynomials.items() if (difference := poly - exact[key])
            }
            joints, work = torque_bounds(differences, self.states, self._report_proof, quick, self.effort)
            self.work += work
            waves.append(differences)
            shares.append(joints / self.scale)
        first = program.values(self.cases[0].parameters)
        worst_load = int(np.argmax([share.max(initial=0.0) for share in shares]))
        total = operations_of(program, first).total
        return Candidate(program, waves, worst_load, np.max(shares, axis=0), total, quick)


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
