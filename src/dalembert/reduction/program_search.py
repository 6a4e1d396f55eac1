"""The search for the shortest program that a proof allows: leave out, refit, prove, and aim again.

What a proof says exceeds what the samples say by a factor that hardly changes from one program to the next, joint by
joint; each proof corrects it. The work is counted, never timed: the same question has the same answer everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from ..bounds.waves import Wave, wave_of
from ..equations.polynomial import TrigPolynomial
from .certify import Key, Progress, Proof, prove
from .constant_forms import Form
from .hoist import Hoisted
from .program_polynomials import coefficients
from .prune import Pruner, count
from .recursion import Case, recursion
from .reduced_model import operations_of
from .refit import refitted
from .samples import Samples, worst
from .states import Array, States

Value = TypeVar("Value")

POSITIONS, MORE = 120, 600
"""Sample positions that steer, and those of the last fit."""
ROUNDS, FRESH, WORK = 6, 2, 1.2e9
"""Programs tried at most, those from the whole recursion to begin with, and the work of proofs (control values) after
which no further one begins."""
GREED = ((1.0, 0.5), (0.7, 1.4))
"""Orders in which things are left out, round by round; the shortest program of a round is proved."""
NEAR, MENDS, SPARE, MISSED = 1.15, 2, 1.01, 1.03
"""A miss that fits may mend, and how often; what to spare when the next program is aimed, and more after a miss."""
SPARED = {6: 1.0, 7: 1.06}
"""What is spared at first besides, by number of joints: where proofs take long, a miss by a hair is too dear."""
OTHERS = {6: 0.0, 7: 0.9}
"""The part of the usual ratio of proof to samples that every joint is taken to have, by number of joints."""
SMALLER = 0.75
"""How much lower to aim, again and again, where no program has met the tolerance."""
MENDED = 0.01
"""What the mean error counts where only the worst is of interest."""
LOOSE = {6: 1.15, 7: 3.5}
"""A proof over the samples, before the first proof says so, by number of joints: the more, the looser the proof."""
LOOSEST = 12.0
POINTS = (0.06, 0.125, 0.25, 0.4, 0.6, 0.8, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Multiples of the tolerance at which the curve of error against operations is looked for."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A program with its proof: for the case with the largest error, and as shares over all cases."""

    program: Hoisted
    proof: Proof
    differences: list[dict[Key, Wave]]
    share: Array
    operations: int
    quick: bool


def by_size(table: Mapping[int, Value], n: int) -> Value:
    """The entry for ``n`` joints; the last one serves all larger arms."""
    return next((value for size, value in sorted(table.items()) if n <= size), table[max(table)])


def steps_of(curve: bool) -> int:
    """Steps of progress from the largest torques to the last proof."""
    return 3 + 2 * ROUNDS + (len(POINTS) if curve else 0)


class Steps:
    """Progress that only moves forward: each step is a part of the whole."""

    def __init__(self, tell: Progress, count: int) -> None:
        self.tell, self.count, self.done, self.share = tell, count, 0, 0.0

    def say(self, text: str, part: float = 0.0) -> None:
        self.share = max(self.share, min(1.0, (self.done + part) / self.count))
        self.tell(text, self.share)

    def step(self, text: str) -> None:
        self.done += 1
        self.say(text)


class Search:
    """One question: an arm, its loads, its states; all programs tried are kept."""

    def __init__(
        self, cases: Sequence[Case], states: States, scale: Array, refit: bool = True, steps: Steps | None = None
    ) -> None:
        self.cases, self.states, self.scale, self.refit = cases, states, scale, refit
        self.steps = steps or Steps(lambda _text, _share: None, 1)
        self.exact = [exact_coefficients(case) for case in cases]
        self.whole = recursion(cases)
        self.pruner = Pruner(self.whole, self._samples(POSITIONS), refit, self._passed)
        self.work, self.spare = 0.0, by_size(SPARED, states.n)
        self.tried: list[Candidate] = [self.certified(self.whole)]
        self.loose = np.full(states.n, by_size(LOOSE, states.n))

    def _passed(self, count: int) -> None:
        self.steps.say("leaving out what does not matter", min(0.9, count / 12))

    def _samples(self, positions: int) -> Samples:
        return Samples(self.whole, self.cases, self.states, self.scale, max(12, positions // len(self.cases)))

    @cached_property
    def fine(self) -> Samples:
        return self._samples(MORE)

    def best(self, tolerance: float) -> Candidate:
        """The shortest program found whose proof stays within the tolerance."""
        for place in range(ROUNDS if tolerance > 0 else 0):
            best = self.shortest(tolerance)
            met = best is not self.tried[0]
            hit = np.all(self.tried[-1].share <= tolerance)
            if place >= FRESH and met and self.work > WORK and (hit or place > FRESH):
                break
            if place >= FRESH and not met:
                # Nothing has met the tolerance yet: aim lower.
                self.spare /= SMALLER
            if place % 2 and met and place >= FRESH:
                # Again from the shortest so far: what it leaves of the tolerance may hold one thing more.
                self._learn(best)
                program = self.pruner.pruned(tolerance / (self.spare * self.loose), best.program)
                if program is best.program:
                    continue
            else:
                greeds = GREED[place] if place < len(GREED) else (GREED[place % 2][place // 2 % 2],)
                program = min(
                    (self.pruner.pruned(tolerance / (self.spare * self.loose), greed=greed) for greed in greeds),
                    key=lambda made: count(made, self.pruner.samples),
                )
            if all(program.definitions != one.program.definitions for one in self.tried):
                self._try(program, tolerance)
        return self._settled(self.shortest(tolerance), tolerance)

    def shortest(self, tolerance: float) -> Candidate:
        """Of all programs tried, the shortest within the tolerance; the whole recursion, tried first, is exact."""
        fit = [c for c in self.tried if np.all(c.share <= tolerance)]
        return min(fit, key=lambda c: (c.operations, c.share.max(initial=0.0)))

    def _try(self, program: Hoisted, tolerance: float) -> None:
        """Prove a program; one that misses the tolerance by little is fitted once more to what the proof said."""
        self.steps.step("proving")
        made = self._proved(program)
        for _ in range(MENDS if self.refit else 0):
            ratio = float(made.share.max(initial=0.0)) / tolerance
            if not 1 < ratio <= NEAR or made.operations >= self.shortest(tolerance).operations or self.work > WORK:
                break
            target = tolerance / (SPARE * self._ratio(made, self.fine))
            again = refitted(made.program, self.fine, target, MENDED)
            if np.any(worst(self.fine.error(again)) > target):
                break
            made = self._proved(again)
        # After a miss a little more is spared, after a hit a little less.
        self.spare = max(1.0, self.spare * (MISSED if np.any(made.share > tolerance) else 1 / MISSED))
        self.steps.step("leaving out what does not matter")

    def _proved(self, program: Hoisted) -> Candidate:
        made = self.certified(program)
        self.tried.append(made)
        self._learn(made)
        return made

    def _learn(self, made: Candidate) -> None:
        ratio = self._ratio(made, self.pruner.samples)
        # A joint of small errors says little about larger ones; where misses are dear, the others are listened to.
        ratio = np.maximum(ratio, by_size(OTHERS, self.states.n) * np.median(ratio))
        self.loose = np.clip(SPARE * ratio, 0.3, LOOSEST)

    def _ratio(self, made: Candidate, samples: Samples) -> Array:
        """How much more than the samples the proof says, joint by joint."""
        sampled = worst(samples.error(made.program))
        some = sampled > 1e-9 * sampled.max(initial=0.0)
        return np.where(some, made.share / np.maximum(sampled, 1e-300), by_size(LOOSE, self.states.n))

    def _settled(self, best: Candidate, tolerance: float) -> Candidate:
        """The same program with the constants that the proof likes best: as they are, fitted once more, or exact."""
        if not self.refit or not np.any(best.share) or self.work > WORK:
            return best
        exact = Hoisted(best.program.outputs, {n: Form(f.terms) for n, f in best.program.definitions.items()})
        again = refitted(best.program, self.fine, np.full(self.states.n, tolerance), MENDED)
        sampled = [float(worst(self.fine.error(program)).max()) for program in (best.program, exact, again)]
        for program, error, enough in ((exact, sampled[1], best.share.max()), (again, sampled[2], 0.98 * sampled[0])):
            # Errors on the samples are attained: where they exceed what is proved, a proof cannot say less.
            if error > enough or program.definitions == best.program.definitions:
                continue
            made = self.certified(program)
            self.tried.append(made)
            if made.operations <= best.operations and made.share.max() < best.share.max():
                best = made
        return best

    def sweep(self, tolerance: float) -> Candidate:
        """Programs for multiples of the tolerance, each with a quick proof: valid, looser. The best once more."""
        for factor in POINTS:
            self.steps.step("error against operations")
            program = self.pruner.pruned(factor * tolerance / self.loose, thorough=False)
            self.tried.append(self.certified(program, quick=True))
        best = self.shortest(tolerance)
        if best.quick:
            best = self.certified(best.program)
            self.tried.append(best)
        return best

    def certified(self, program: Hoisted, quick: bool = False) -> Candidate:
        """A program proved against the exact coefficients of every case."""
        proofs, waves, shares = [], [], []
        for case, right in zip(self.cases, self.exact, strict=True):
            found = coefficients(program.outputs, right["G", (0,)].space, program.values(case.parameters))
            differences = {key: wave_of(less) for key, poly in found.items() if (less := poly - right[key])}
            proofs.append(prove(differences, self.states, lambda text, part: self.steps.say(text, 0.9 * part), quick))
            self.work += proofs[-1].work
            waves.append(differences)
            shares.append(proofs[-1].joints / self.scale)
        first = program.values(self.cases[0].parameters)
        most = int(np.argmax([share.max(initial=0.0) for share in shares]))
        total = operations_of(program, first).total
        return Candidate(program, proofs[most], waves, np.max(shares, axis=0), total, quick)


def exact_coefficients(case: Case) -> dict[Key, TrigPolynomial]:
    """All exact coefficients of a system, by key."""
    eq, n = case.equations, case.system.n
    found: dict[Key, TrigPolynomial] = {("G", (i,)): eq.gravity[i] for i in range(n)}
    found |= {("D", (i, j)): eq.mass_matrix[i, j] for i in range(n) for j in range(n)}
    return found | {("C", (i, j, k)): eq.christoffel[i, j, k] for i in range(n) for j in range(n) for k in range(j, n)}


def front(tried: Sequence[Candidate]) -> list[Candidate]:
    """The programs that no other beats in both operations and error, least error first."""
    found: list[Candidate] = []
    for one in sorted(tried, key=lambda c: (float(c.share.max(initial=0.0)), c.operations)):
        if not found or one.operations < found[-1].operations:
            found.append(one)
    return found
