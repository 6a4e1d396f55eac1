"""Minimax fit of the constants of a short form, and the proof of its largest error.

The minimax error on a sample of positions is a linear program. Positions where the fitted form has a larger error join
the sample and the program is solved again, until the largest error found anywhere is that on the sample (the exchange
algorithm of Remez 1934). The error on a sample is a lower bound for every choice of constants, so terms that fail there
are ruled out; terms that pass are proved over the whole box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...bounds.box import Box
from ...bounds.ranges import LESS_WORK, range_of
from ...bounds.waves import Array, Wave, wave_of
from ...equations.polynomial import TrigPolynomial
from .monomials import Powers, columns, polynomial_of

SAMPLES, CORNERS, PROBES, WORST = 500, 200, 4000, 4
"""Random positions and corners of the first sample, positions probed for larger errors, and how many of the worst join
the sample for each sign and load."""
ROUNDS = 8
"""Most exchanges of positions; usually two or three suffice."""
MANY = 100
"""Terms beyond which a linear program and a proof take about a second each, and there is only one round."""
GAP, CLOSE = 0.02, 0.002
"""Gap of a proof as a fraction of the limit, and the smallest gap where the error is near the limit. A gap is at most
half of the attained error, so that every bound is informative."""
QUICK = 0.02
"""Fraction of the work limit for a first proof, whose search already finds positions of larger error, if any."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Terms with fitted constants: ``shift`` is added to the exact constant of each term, equally for all loads.

    ``constants`` numbers the constant of each term; terms whose exact constants are equal can share one. ``residuals``
    are the exact minus the short form for each load, and ``proofs`` their largest magnitudes, proved and attained; both
    are empty where the sample ruled a proof out.
    """

    kept: list[int]
    constants: list[int]
    shift: Array
    residuals: list[Wave]
    proofs: list[tuple[float, float]]
    within: bool


class Fitting:
    """One coefficient for each load: monomials, their exact constants, and the positions they are fitted on.

    ``values`` (terms, loads) are the exact constants, ``limits`` the largest errors allowed, ``table`` the monomials at
    the positions of the sample, ``probed`` those at further positions.
    """

    def __init__(
        self,
        polys: Sequence[TrigPolynomial],
        forms: Sequence[dict[Powers, Fraction]],
        waves: Sequence[Wave],
        limits: Array,
        box: Box,
        refit: bool,
        effort: float = 1.0,
    ) -> None:
        self.effort = effort
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

    def settled(self, terms: list[int]) -> Fit | None:
        """These terms with fitted constants, proved or not; None where the sample rules all constants out.

        Terms with equal exact constants share one (as d3 serves two terms of D2 in Bejczy 1974, Table 3) if that
        suffices.
        """
        shared = [self.owner[row] for row in terms]
        fit = self.fitted(terms, shared)
        if len(set(shared)) < len(terms) <= MANY and (fit is None or not fit.within):
            fit = self.fitted(terms, terms)
        return fit

    def fitted(self, terms: list[int], constants: list[int]) -> Fit | None:
        """The minimax fit with these shared constants, and its proof; None where the sample rules it out."""
        rounds = ROUNDS if self.refit and len(terms) <= MANY and np.all(self.limits > 0) else 1
        for rounds_left in range(rounds, 0, -1):
            shift, least_error = self.least_largest(terms, constants)
            error_constants = self.values.copy()
            error_constants[terms] = -shift[:, None]
            if least_error > 1 + 1e-6:
                return None
            if rounds_left > 1 and self.joined(error_constants, self.worst_probes(error_constants), least_error):
                continue
            if len(terms) < len(self) and (np.abs(self.probed @ error_constants) > self.limits).any():
                return Fit(terms, constants, shift, [], [], False)
            residuals = [self.difference(v, terms, shift) for v in range(len(self.waves))]
            for work in (QUICK, 1.0):
                proofs, positions = proved(residuals, self.box, self.limits, self.effort * work)
                within = all(bound <= limit for (bound, _), limit in zip(proofs, self.limits, strict=True))
                extended = rounds_left > 1 and self.joined(
                    error_constants, columns(self.poly, self.powers, positions), least_error
                )
                if extended or (within and all(bound <= 2 * attained for bound, attained in proofs)):
                    break
            if not extended:
                return Fit(terms, constants, shift, residuals, proofs, within)
        raise AssertionError("the last round asks for no more positions")

    def worst_probes(self, error_constants: Array) -> Array:
        """The monomials at the probed positions with the largest errors, a few for each sign and load."""
        errors = self.probed @ error_constants / self.limits
        order = [
            np.argsort(sign * errors[:, v], kind="stable")[:WORST] for v in range(errors.shape[1]) for sign in (1, -1)
        ]
        return self.probed[np.concatenate(order)]

    def joined(self, error_constants: Array, rows: Array, least_error: float) -> bool:
        """Whether errors at new positions, given by their monomials, exceed those on the sample; they then join it.

        ``error_constants`` are the constants of the exact minus the short form, for each load.
        """
        errors = (np.abs(rows @ error_constants) / self.limits).max(axis=1, initial=0.0)
        if errors.max(initial=0.0) <= 1.03 * least_error + 1e-12:
            return False
        self.table = np.concatenate([self.table, rows[errors > least_error]])
        return True

    def least_largest(self, terms: list[int], constants: list[int]) -> tuple[Array, float]:
        """The shift of the kept constants with the minimax error on the sample, and that error over its limit.

        The error is a lower bound for any shift; it is zero where the linear program was not solved.
        """
        no_shift = np.zeros(len(terms))
        if len(terms) == len(self) or not np.all(self.limits > 0):
            return no_shift, 0.0
        a, error = self.table[:, terms], (self.table @ self.values - self.table[:, terms] @ self.values[terms])
        error = error / self.limits
        if not terms or not self.refit:
            return no_shift, float(np.abs(error).max())
        names = list(dict.fromkeys(constants))
        tie = np.array([[float(name == constant) for name in names] for constant in constants])
        a = a @ tie
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        scaled = np.concatenate([a / sizes / limit for limit in self.limits])
        ones, rhs = np.ones((len(scaled), 1)), error.T.reshape(-1)
        from scipy.optimize import linprog  # SciPy takes its time: imported where it is used

        solution = linprog(
            np.append(np.zeros(len(names)), 1.0),
            np.concatenate([np.hstack([-scaled, -ones]), np.hstack([scaled, -ones])]),
            np.concatenate([-rhs, rhs]),
            bounds=[(None, None)] * (len(names) + 1),
            method="highs",
        )
        if not solution.success:
            return no_shift, 0.0
        change, least_error = tie @ (solution.x[:-1] / sizes), float(solution.x[-1])
        # The minimax fit is not unique: the smallest fraction of the shift that already gives nearly its error is used.
        for share in (0.0, 0.25, 0.5, 0.75):
            residual = error - share * (self.table[:, terms] @ change)[:, None] / self.limits
            if np.abs(residual).max() <= min(1.02 * least_error, max(least_error, 0.97)):
                return share * change, least_error
        return change, least_error

    def difference(self, load: int, terms: Sequence[int], shift: Array) -> Wave:
        """The exact minus the short form, as a wave."""
        short = self.poly - self.poly
        for index, row in enumerate(terms):
            value = Fraction(float(self.values[row, load] + shift[index]))
            short = short + polynomial_of(self.poly, self.powers[row]) * value
        return self.waves[load] - wave_of(short)


def corners(box: Box, size: int) -> Array:
    """Positions at limits and at multiples of an eighth of a turn, where extrema are likely."""
    rng = np.random.default_rng(5)
    eighths = rng.integers(-4, 5, (size, len(box.lower))) * np.pi / 4
    ends = np.where(rng.random(eighths.shape) < 0.5, box.lower, box.upper)
    return np.where(box.circle, eighths, ends)


def proved(residuals: Sequence[Wave], box: Box, limits: Array, work: float) -> tuple[list[tuple[float, float]], Array]:
    """(proved, attained) largest magnitude of each wave, and the positions of their extrema.

    For many terms the sum of moduli suffices where it is within the limit. ``work`` is a fraction of the work limit.
    """
    proofs: list[tuple[float, float]] = []
    positions = [np.zeros((0, len(box.lower)))]
    for wave, limit in zip(residuals, limits.tolist(), strict=True):
        largest = float(np.abs(wave(box.samples(500, 9))).max())
        if len(wave) > MANY and wave.most(box.reach) <= limit:
            proofs.append((wave.most(box.reach), largest))
            continue
        gap = min(GAP * limit, max((limit - largest) / 3, CLOSE * limit), max(largest / 2, 1e-3 * GAP * limit))
        gap = max(gap, 8 * wave.slack, 1e-300)
        spread = range_of(wave, box, gap, work=work * LESS_WORK / (4 if len(wave) > MANY else 1))
        proofs.append((spread.bound, spread.largest))
        positions.append(np.stack([spread.at_minimum, spread.at_maximum]))
    return proofs, np.concatenate(positions)
