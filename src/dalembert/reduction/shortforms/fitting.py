"""Constants of a short form that make its largest error least, and the proof of that error.

The least largest error on a sample of positions is a linear program. Positions where the form that comes out is off by
more join the sample and the program is solved again, until the largest error found anywhere is the one on the sample
(the exchange of Remez). What a sample says is a lower bound for every choice of constants, so terms that fail on it
are out for good; terms that pass are proved over the whole box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from ...bounds.box import Box
from ...bounds.ranges import LESS_WORK, range_of
from ...bounds.waves import Array, Wave, wave_of
from ...equations.polynomial import TrigPolynomial
from .monomials import Powers, columns, polynomial_of

SAMPLES, CORNERS, PROBES, WORST = 500, 200, 4000, 4
ROUNDS = 8
"""Exchanges of positions at most; two or three do, as a rule."""
MANY = 100
"""Terms beyond which a program and a proof take about a second each, and one round must do."""
GAP, CLOSE = 0.02, 0.002
"""Gap of a proof as a share of the limit, and the least gap where the error is near the limit. A gap is never more than
half of the error found, so that no bound is idle."""
QUICK = 0.02
"""Share of the work of a proof after which its search has found where the error is larger than thought, if it is."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Terms with fitted constants: ``shift`` is added to the exact constant of each term, for every load alike.

    ``constants`` numbers the constant of each term; terms whose exact constants are equal can share one. ``rest`` is
    exact less short, for each load, and ``proofs`` its largest magnitude, proved and found; both are empty where the
    sample left no hope of a proof.
    """

    kept: list[int]
    constants: list[int]
    shift: Array
    rest: list[Wave]
    proofs: list[tuple[float, float]]
    within: bool


class Fitting:
    """One coefficient for each load: monomials, their exact constants, and the positions they are fitted on.

    ``values`` (terms, loads) are the exact constants, ``limits`` the largest errors allowed, ``table`` the monomials at
    the positions of the sample.
    """

    def __init__(
        self,
        polys: Sequence[TrigPolynomial],
        forms: Sequence[dict[Powers, Fraction]],
        waves: Sequence[Wave],
        limits: Array,
        box: Box,
        refit: bool,
    ) -> None:
        self.poly, self.waves, self.limits, self.box, self.refit = polys[0], list(waves), limits, box, refit
        self.powers = list(dict.fromkeys(p for form in forms for p in form))
        rows = [tuple(form.get(p, Fraction(0)) for form in forms) for p in self.powers]
        self.values = np.array([[float(x) for x in row] for row in rows]).reshape(len(rows), len(polys))
        self.owner = [rows.index(row) for row in rows]
        self.table = columns(self.poly, self.powers, np.concatenate([box.samples(SAMPLES), corners(box, CORNERS)]))
        probes = np.concatenate([box.samples(PROBES, 9), corners(box, PROBES // 8)])
        self.probed = columns(self.poly, self.powers, probes)

    def __len__(self) -> int:
        return len(self.powers)

    def settled(self, kept: list[int]) -> Fit | None:
        """These terms with fitted constants, proved or not, or None where the sample shows that no constants will do.

        Terms with equal exact constants share one (as d3 serves two terms of D2 in Bejczy 1974, Table 3) if that does.
        """
        shared = [self.owner[row] for row in kept]
        fit = self.fitted(kept, shared)
        if len(set(shared)) < len(kept) <= MANY and (fit is None or not fit.within):
            fit = self.fitted(kept, kept)
        return fit

    def fitted(self, kept: list[int], constants: list[int]) -> Fit | None:
        rounds = ROUNDS if self.refit and len(kept) <= MANY and np.all(self.limits > 0) else 1
        for left in range(rounds, 0, -1):
            shift, least = self.least_largest(kept, constants)
            gone = self.values.copy()
            gone[kept] = -shift[:, None]
            if least > 1 + 1e-6:
                return None
            if left > 1 and self.joined(gone, self.worst_probes(gone), least):
                continue
            if len(kept) < len(self) and (np.abs(self.probed @ gone) > self.limits).any():
                return Fit(kept, constants, shift, [], [], False)
            rest = [self.difference(v, kept, shift) for v in range(len(self.waves))]
            for work in (QUICK, 1.0):
                proofs, poses = proved(rest, self.box, self.limits, work)
                within = all(bound <= limit for (bound, _), limit in zip(proofs, self.limits, strict=True))
                more = left > 1 and self.joined(gone, columns(self.poly, self.powers, poses), least)
                if more or (within and all(bound <= 2 * found for bound, found in proofs)):
                    break
            if not more:
                return Fit(kept, constants, shift, rest, proofs, within)
        raise AssertionError("the last round asks for no more positions")

    def worst_probes(self, gone: Array) -> Array:
        """The monomials at the probed positions with the largest errors, a few for each sign and load."""
        errors = self.probed @ gone / self.limits
        order = [
            np.argsort(sign * errors[:, v], kind="stable")[:WORST] for v in range(errors.shape[1]) for sign in (1, -1)
        ]
        return self.probed[np.concatenate(order)]

    def joined(self, gone: Array, new: Array, least: float) -> bool:
        """Whether errors at new positions, given by their monomials, are larger than on the sample; they then join it.

        ``gone`` are the constants of exact less short, for each load.
        """
        worse = (np.abs(new @ gone) / self.limits).max(axis=1, initial=0.0)
        if worse.max(initial=0.0) <= 1.03 * least + 1e-12:
            return False
        self.table = np.concatenate([self.table, new[worse > least]])
        return True

    def least_largest(self, kept: list[int], constants: list[int]) -> tuple[Array, float]:
        """The change of the kept constants that makes the largest error on the sample least, and that error over its
        limit: a lower bound for any change (zero where the program was not solved).
        """
        none = np.zeros(len(kept))
        if len(kept) == len(self) or not np.all(self.limits > 0):
            return none, 0.0
        a, error = self.table[:, kept], (self.table @ self.values - self.table[:, kept] @ self.values[kept])
        error = error / self.limits
        if not kept or not self.refit:
            return none, float(np.abs(error).max())
        names = list(dict.fromkeys(constants))
        tie = np.array([[float(name == own) for name in names] for own in constants])
        a = a @ tie
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        part = np.concatenate([a / sizes / limit for limit in self.limits])
        ones, right = np.ones((len(part), 1)), error.T.reshape(-1)
        found = linprog(
            np.append(np.zeros(len(names)), 1.0),
            np.concatenate([np.hstack([-part, -ones]), np.hstack([part, -ones])]),
            np.concatenate([-right, right]),
            bounds=[(None, None)] * (len(names) + 1),
            method="highs",
        )
        if not found.success:
            return none, 0.0
        change, least = tie @ (found.x[:-1] / sizes), float(found.x[-1])
        # Many fits can be equally good at worst: take the part of the way that already gives what fitting can give.
        for share in (0.0, 0.25, 0.5, 0.75):
            left = error - share * (self.table[:, kept] @ change)[:, None] / self.limits
            if np.abs(left).max() <= min(1.02 * least, max(least, 0.97)):
                return share * change, least
        return change, least

    def difference(self, load: int, kept: Sequence[int], shift: Array) -> Wave:
        """Exact less short, as a wave."""
        short = self.poly - self.poly
        for place, row in enumerate(kept):
            value = Fraction(float(self.values[row, load] + shift[place]))
            short = short + polynomial_of(self.poly, self.powers[row]) * value
        return self.waves[load] - wave_of(short)


def corners(box: Box, size: int) -> Array:
    """Positions at ends of limits and at eighths of a turn, where extremes like to be."""
    rng = np.random.default_rng(5)
    eighths = rng.integers(-4, 5, (size, len(box.lower))) * np.pi / 4
    ends = np.where(rng.random(eighths.shape) < 0.5, box.lower, box.upper)
    return np.where(box.circle, eighths, ends)


def proved(rest: Sequence[Wave], box: Box, limits: Array, work: float) -> tuple[list[tuple[float, float]], Array]:
    """(proved, found) largest magnitude of each wave, and the positions of their extremes.

    Of many terms the sum of moduli will do where it is within the limit. ``work`` is a share of what is allowed.
    """
    proofs: list[tuple[float, float]] = []
    poses = [np.zeros((0, len(box.lower)))]
    for wave, limit in zip(rest, limits.tolist(), strict=True):
        largest = float(np.abs(wave(box.samples(500, 9))).max())
        if len(wave) > MANY and wave.most(box.reach) <= limit:
            proofs.append((wave.most(box.reach), largest))
            continue
        gap = min(GAP * limit, max((limit - largest) / 3, CLOSE * limit), max(largest / 2, 1e-3 * GAP * limit))
        gap = max(gap, 8 * wave.slack, 1e-300)
        spread = range_of(wave, box, gap, work=work * LESS_WORK / (4 if len(wave) > MANY else 1))
        proofs.append((spread.bound, spread.largest))
        poses.append(np.stack([spread.at_minimum, spread.at_maximum]))
    return proofs, np.concatenate(poses)
