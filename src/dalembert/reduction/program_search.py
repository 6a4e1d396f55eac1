"""The search for the shortest program within a proved tolerance: prune, refit, climb, and prove what is left.

The largest error of a program exceeds that on the samples by a ratio that changes little from one program to the next,
joint by joint. Pruning works on samples, with the target

    tolerance / ratio

for each joint, and every climb (``climb.py``) measures the ratio. It is larger for a program that has just been pruned,
which has made the most of the samples, than for one whose largest errors are among them: climbs and proofs say where
errors are largest, and these positions join the samples. A program is pruned further with its own ratio, or, where
that misses the tolerance, with one between its own and that of new programs. What a chain of ever shorter programs
ends with is proved, else the one before it. Work is counted, never timed: the same question has the same answer on
every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import climb
from .certify import Progress
from .constant_forms import ParameterForm
from .hoist import Hoisted
from .program_proofs import Candidate, ProgramProofs
from .prune import Pruner, Room
from .recursion import Case, plain_recursion, recursion
from .reduced_model import operations_of
from .refit import refitted
from .samples import Samples
from .states import Array, States
from .sweep import worst

SEARCH_POSITIONS, SEARCH_WORST = 40, 80
"""Sample positions for pruning: those spread evenly, shared among the loads (at least 12 for each), and the latest of
those where climbs and proofs found the largest errors."""
REFIT_POSITIONS = 200
"""Sample positions, spread evenly, for the refits that follow a climb or proof; beside them all of the latter."""
GREED_EXPONENTS = (1.0, 0.5)
"""Exponents g in the ranking of changes by (effect on the error) / (operations saved)^g, by which programs are pruned
further one after the other."""
MOST_STARTS = 16
"""Most programs pruned from the whole recursion."""
MAX_CONTINUED = 6
"""How often each exponent goes on from a program."""
SEARCH_LIMIT = 5.0e7
"""Numbers computed by pruning up to which another program is pruned from the whole recursion, once one is proved."""
NEAR_MISS = 1.15
"""Near miss: a program proved within this multiple of the tolerance is refitted to the ratios that its proof gave."""
MAX_REFITS = 6
"""Most such refits of one program, each with a new proof."""
LITTLE, ROUNDING = 3.0e7, 1e-9
"""Work of the last proof up to which the next is tried for every program that is not seen above the tolerance, and by
how much the errors that are seen may be off."""
CHEAP = 0.1
"""Part of the work limit up to which other constants are tried for the best program."""
BETTER = 0.98
"""Part of the sampled error to which other constants have to bring it to be tried in place of those there are."""
CAUTION = 0.1
"""Down to which the search halves where the ratio to prune with lies, between the smallest that is likely (0) and that
of new programs (1)."""
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


def steps_of(curve: bool) -> int:
    """Number of progress steps of a search, with or without the curve."""
    return 4 + 2 * MAX_CONTINUED * len(GREED_EXPONENTS) + (len(SWEEP_FACTORS) if curve else 0)


class SearchSteps:
    """Monotonic progress, in steps of equal share."""

    def __init__(self, tell: Progress, count: int) -> None:
        self.tell, self.count, self.done, self.share = tell, count, 0, 0.0

    def say(self, text: str, fraction: float = 0.0) -> None:
        """Reports ``text`` at the fraction ``fraction`` of the current step."""
        self.share = max(self.share, min(1.0, (self.done + fraction) / self.count))
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
        self.whole = recursion(cases)
        self.positions = SEARCH_POSITIONS if self.thorough else round(max(effort, 0.25) * SEARCH_POSITIONS)
        self.proofs = ProgramProofs(cases, states, scale, effort, self._report_proof)
        self._fine: Samples | None = None
        self.room = Room()
        self.pruner = self._pruner()
        self.climbs = 0
        self.tried: list[Candidate] = [self.proofs.certified(self.whole)]
        self.climbed: list[Candidate] = []
        self.fresh_ratio, self.own_ratio = np.ones(states.n), np.ones(states.n)

    @property
    def thorough(self) -> bool:
        """Whether the search tries all it knows."""
        return self.effort >= THOROUGH

    def _report_pruning(self, count: int) -> None:
        """Reports the progress of the pruner."""
        self.steps.say("leaving out what does not matter", min(0.9, count / 12))

    def _report_proof(self, text: str, fraction: float) -> None:
        """Reports the progress of a proof."""
        self.steps.say(text, 0.9 * fraction)

    def _samples(self, positions: int, worst_positions: Array) -> Samples:
        """Samples at this many positions, shared among the loads, and at those with the largest errors."""
        size = max(12, positions // len(self.cases))
        return Samples(self.whole, self.cases, self.states, self.scale, size, worst_positions)

    def _pruner(self) -> Pruner:
        """The pruner with the samples of now."""
        samples = self._samples(self.positions, self.proofs.worst_positions[-SEARCH_WORST:])
        return Pruner(self.whole, samples, self.refit, self._report_pruning, self.room)

    @property
    def fine(self) -> Samples:
        """Samples for the refits of proved programs."""
        if self._fine is None:
            self._fine = self._samples(REFIT_POSITIONS, self.proofs.worst_positions)
        return self._fine

    def best(self, tolerance: float) -> Candidate:
        """The shortest program found whose proved error is within the tolerance.

        The first program is pruned as if samples were proofs; its climb shows the ratio of the two for this arm. What
        lies between a ratio with which a program missed the tolerance and one with which it was met is halved from
        start to start, until one leads to nothing shorter.
        """
        caution, bold, shy = 0.0, 0.0, np.inf
        exponents = GREED_EXPONENTS[: None if self.thorough else 1]
        for run in range(MOST_STARTS if tolerance > 0 else 0):
            is_first, shortest_before, greed = not run, self.shortest(tolerance), exponents[run % len(exponents)]
            target = tolerance / self._ratio(self.own_ratio, caution)
            start = self._attempt(self.pruner.pruned(target, thorough=False, greed=greed), tolerance)
            if self._met(start, tolerance):
                shy = shy if is_first else caution  # nothing was measured before the first
                chain = self._continue(start, exponents, tolerance)
                self.own_ratio = self._proof_ratio(chain[-1], self.pruner.samples)
                self._prove_one(chain, tolerance)
                if shortest_before is not self.tried[0] and shortest_before is self.shortest(tolerance):
                    break
                if self.shortest(tolerance) is self.tried[0]:
                    bold, shy = 2 * caution, np.inf  # no proof comes so close: further from the tolerance
            else:
                bold = caution
            if self._spent(tolerance) or (shy - bold < CAUTION and self.shortest(tolerance) is not self.tried[0]):
                break
            caution = (bold + shy) / 2 if bold < shy < np.inf else bold + 1.0
        return self._best_constants(self.shortest(tolerance), tolerance)

    def _continue(self, start: Candidate, exponents: Sequence[float], tolerance: float) -> list[Candidate]:
        """The program and ever shorter ones that climbs do not see to miss the tolerance, by each exponent in turn,
        until none of them leads on.
        """
        chain = [start]
        caution, bold, shy = 0.0, 0.0, 1.0
        rounds = MAX_CONTINUED if self.thorough else round(self.effort * MAX_CONTINUED)
        for greed in (*exponents,) * rounds:
            best = chain[-1]
            ratio = self._ratio(self._proof_ratio(best, self.pruner.samples), caution)
            program = self.pruner.pruned(tolerance / ratio, best.program, self.thorough, greed)
            if program is best.program:
                shy = caution
            elif self._met(shorter := self._attempt(program, tolerance), tolerance):
                chain.append(shorter)
                caution, bold, shy = 0.0, 0.0, 1.0
                continue
            else:
                bold = caution
            if shy - bold < CAUTION:
                break
            caution = (bold + shy) / 2
        return chain

    def _ratio(self, own_ratio: Array, caution: float) -> Array:
        """A ratio between that of a program whose worst positions are among the samples and that of new programs."""
        return np.asarray(own_ratio * np.maximum(self.fresh_ratio / own_ratio, 1.0) ** caution)

    def _prove_one(self, chain: Sequence[Candidate], tolerance: float) -> None:
        """Proves the shortest program of a chain that can be proved, where it is shorter than all before."""
        for candidate in reversed(chain):
            if candidate.operations >= self.shortest(tolerance).operations:
                return
            self.steps.step("proving")
            for _ in range(1 + (MAX_REFITS if self.refit else 0)):
                proved = self.proofs.certified(candidate.program, tolerance=tolerance, previous=candidate)
                self._renew()
                if np.all(np.isfinite(proved.share)):
                    self.tried.append(proved)
                if np.all(proved.share <= tolerance):
                    return
                refit = self._refitted(proved, tolerance)
                if refit is None or not self._met(candidate := self._climbed(refit), tolerance):
                    break

    def _met(self, candidate: Candidate, tolerance: float) -> bool:
        """Whether a program is likely to be proved."""
        return bool(np.all(self._known(candidate) <= tolerance))

    def _spent(self, tolerance: float) -> bool:
        """Whether the work of proofs or of pruning is done, and some program meets the tolerance."""
        spent = self.proofs.spent > self.effort or self.room.used > self.effort * SEARCH_LIMIT
        return spent and self.shortest(tolerance) is not self.tried[0]

    def shortest(self, tolerance: float) -> Candidate:
        """The shortest candidate within the tolerance; the exact recursion always is."""
        fit = [c for c in self.tried if np.all(c.share <= tolerance)]
        return min(fit, key=lambda c: (c.operations, c.share.max(initial=0.0)))

    def _attempt(self, program: Hoisted, tolerance: float) -> Candidate:
        """A program after a climb; a near miss is refitted to the ratios of its climb, and climbed again."""
        for candidate in self.climbed:
            if program.same_as(candidate.program):
                return candidate
        self.steps.step("leaving out what does not matter")
        candidate = self._climbed(program)
        ratio = self._proof_ratio(candidate, self.pruner.samples)
        # what one program shows another one may show too
        self.fresh_ratio = np.maximum(ratio, np.sqrt(ratio * self.fresh_ratio)) if self.climbed else ratio
        self.climbed.append(candidate)
        self._renew()
        for _ in range(MAX_REFITS if self.refit else 0):
            if self._met(candidate, tolerance):
                break
            refit = self._refitted(candidate, tolerance)
            if refit is None:
                break
            candidate = self._climbed(refit)
            self._renew()
        return candidate

    def _refitted(self, candidate: Candidate, tolerance: float) -> Hoisted | None:
        """A near miss with constants that meet the tolerance on the samples, by the ratios of its climb or proof."""
        if float(self._provable(candidate).max(initial=0.0)) > NEAR_MISS * tolerance:
            return None
        target = tolerance / self._proof_ratio(candidate, self.fine)
        program = refitted(candidate.program, self.fine, target, MEAN_WEIGHT)
        return None if np.any(worst(self.fine.error(program)) > target) else program

    def _renew(self) -> None:
        """Pruning looks from now on where errors are largest."""
        self._fine = None
        self.pruner = self._pruner()

    def _climbed(self, program: Hoisted) -> Candidate:
        """A program with the largest errors that are met in place of a proof; their positions join the samples."""
        self.climbs += 1
        errors, at = climb.climbed(
            self.pruner.samples, program, self.whole, self.states, self.proofs.worst_positions, self.climbs
        )
        self.proofs.meet(at)
        total = operations_of(program, program.values(self.cases[0].parameters)).total
        return Candidate(
            program, [], 0, np.full(self.states.n, np.inf), errors, self.proofs.reach * errors, total, True
        )

    def _known(self, candidate: Candidate) -> Array:
        """The errors of a program after a climb: where a proof takes no more time than that, those that are met, since
        it decides all that is not above the tolerance for sure; else those that the last proof would have come to.
        """
        return candidate.attained * (1 - ROUNDING) if self.proofs.last_work <= LITTLE else candidate.within_reach

    def _proof_ratio(self, candidate: Candidate, samples: Samples) -> Array:
        """The ratio of provable to sampled error of each joint."""
        sampled = worst(samples.error(candidate.program))
        provable = self._provable(candidate)
        # an error that is nothing but rounding tells nothing
        reliable = (provable > 0) & (sampled > max(RELIABLE * float(sampled.max(initial=0.0)), 1e-300))
        ratio = provable / np.where(reliable, sampled, 1.0)
        return np.where(reliable, ratio, ratio[reliable].max() if reliable.any() else 1.0)

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
        if self.refit and self.thorough and self.proofs.spent <= CHEAP:
            definitions = {name: ParameterForm(form.terms) for name, form in best.program.definitions.items()}
            programs += [
                best.program.with_definitions(definitions),
                refitted(best.program, self.fine, np.full(self.states.n, tolerance), MEAN_WEIGHT),
            ]
        sampled = [float(worst(self.fine.error(program)).max()) for program in programs]
        for rank in np.argsort(sampled, kind="stable").tolist():
            variant = programs[rank]
            if rank and (sampled[rank] > BETTER * sampled[0] or variant.same_as(best.program)):
                continue
            if rank and not self._met(self._climbed(variant), tolerance):
                continue
            self.steps.say("proving closely")
            # of the same program both proofs hold, and what the first shows closely is not shown again
            candidate = self.proofs.certified(variant, previous=None if rank else best)
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
        self.tried.append(self.proofs.certified(plain))
        return self.tried[-1]

    def sweep(self, tolerance: float) -> Candidate:
        """Programs for multiples of the tolerance, each with a quick proof; the shortest within it is proved fully."""
        for factor in SWEEP_FACTORS:
            self.steps.step("error against operations")
            program = self.pruner.pruned(factor * tolerance / self.fresh_ratio, thorough=False)
            self.tried.append(self.proofs.certified(program, quick=True))
        best = self.shortest(tolerance)
        if best.quick:
            best = self.proofs.certified(best.program)
            self.tried.append(best)
        return best


def front(tried: Sequence[Candidate]) -> list[Candidate]:
    """The Pareto front of operations against error, least error first."""
    efficient: list[Candidate] = []
    for candidate in sorted(tried, key=lambda c: (float(c.share.max(initial=0.0)), c.operations)):
        if not efficient or candidate.operations < efficient[-1].operations:
            efficient.append(candidate)
    return efficient
