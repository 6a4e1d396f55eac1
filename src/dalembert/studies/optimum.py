"""``da.optimize_design``: the design with the least peak torque, energy, or worst case over all poses.

A peak is the least s with f_k(x) <= s for all of its pieces k (the epigraph form of a minimax problem), so that
gradients are exact and the optimizer (SLSQP, Kraft 1988) sees smooth functions; pieces far below the peak wait
outside until they matter. A worst case over all poses has endlessly many pieces: the certified range of each best
design so far names the pose that is missing (the exchange method of Blankenship and Falk 1976), until the proved
bound meets the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description_numbers import with_numbers
from ..arm.errors import ArmError
from ..bounds.ranges import Range
from ..design.analysis import Analysis
from ..simulation.motion_files import motion_of
from ..systems.arm_system import ArmSystem
from .factors import Factor, FactorSet, factors_of
from .optimum_terms import PEAKS, SMOOTH, DesignTerms, Pieces, Smooth

Array = NDArray[np.float64]
Limit = tuple[str, Sequence[str], float | Sequence[float]]
"""Kind, joints (all where none is named) and the most that is allowed: one number, or for peaks one for each joint."""

NEAR = 0.5
"""Pieces below this share of the peak are left out of a round."""
ROUNDS = 30
SCREENED = 6
"""Two to this power points are tried before the best of them are starts."""
CLOSE = 1e-6
"""How near, relatively, a proved worst case has to come to the value of the optimum."""


@dataclass(frozen=True, eq=False)
class DesignOptimum:
    """The best design that was found: factors by name, its objective, that of the present numbers, and the system.

    ``bound`` is the certified range of the coefficient where the objective is a worst case over all poses: no pose
    exceeds its ``upper`` or falls below its ``lower``. ``certified`` says that the bound meets the value.
    ``active`` are limits and ends that hold the design where it is.
    """

    objective: str
    values: Mapping[str, float]
    value: float
    before: float
    system: Any
    active: tuple[str, ...]
    bound: Range | None
    certified: bool
    converged: bool
    rounds: int

    def __repr__(self) -> str:
        proved = ", certified over all poses" if self.certified else ""
        return f"<DesignOptimum {self.objective}: {self.value:.6g} (before: {self.before:.6g}){proved}>"

    def _repr_html_(self) -> str:
        from ..markup.data_tables import Column, DataTable
        from ..markup.notebook import framed, heading, note

        columns = (Column("factor", "factor"), Column("value", "best value", kind="number"))
        rows = tuple((name, value) for name, value in self.values.items())
        held = f"Held by {', '.join(self.active)}." if self.active else ""
        return framed(heading(repr(self)[1:-1]), DataTable("optimum", "Best design", columns, rows), note(held))


def optimize_design(
    system: ArmSystem,
    factors: Sequence[Factor] | dict[str, object],
    objective: str = "peak_torque",
    *,
    motion: Any = None,
    joints: Sequence[str] = (),
    weights: Sequence[float] | None = None,
    coefficient: str = "",
    box: Mapping[str | int, tuple[float, float]] | None = None,
    limits: Sequence[Limit] = (),
    starts: int = 4,
    seed: int = 0,
) -> DesignOptimum:
    """The values of the factors, between their ends, with the least ``objective``.

    "peak_torque" is the largest |tau_j| / weight_j along ``motion``, of ``joints``; "rms_torque" and "energy" are those
    of a study; "mass" is the mass of all that moves. "range" is the largest magnitude of a ``coefficient`` ("D11",
    "G2") over all poses of ``box``, joint limits by default, and is certified. ``limits`` are (kind, joints, most) of
    the same kinds but "range". The search starts from the present numbers and from the ``starts`` - 1 best of 64 points
    of a Sobol sequence; the best end of all is taken. A better design somewhere else is not ruled out.
    """
    found = FactorSet(system, factors_of(factors))
    for factor in found.factors:
        if factor.values or factor.low is None or factor.high is None:
            raise ArmError(f"factor {factor.name!r:.80}: the best design is looked for between low and high; give both")
    if objective not in (*PEAKS, *SMOOTH):
        raise ArmError(f"no objective {objective!r:.60}; there are {', '.join((*PEAKS, *SMOOTH))}")
    if objective == "range" and not coefficient:
        raise ArmError('the worst case over all poses is of a coefficient, as in coefficient="D11"')
    if objective != "range" and (coefficient or box is not None):
        raise ArmError(f'coefficient and box belong to the objective "range", not to {objective!r}')
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise ArmError(f"starts must be a whole number of at least 1, not {starts!r:.60}")
    terms = DesignTerms(found, None if motion is None else motion_of(system, motion))
    search = _Search(terms, objective, joints, weights, coefficient, box, limits)
    best = min((search.run(start) for start in search.starts(starts, seed)), key=lambda end: (not end[2], end[1]))
    return search.answer(*best)


class _Search:
    """One problem: the objective as pieces or as a smooth function, and the limits as smooth constraints."""

    def __init__(
        self, terms: DesignTerms, objective: str, joints: Sequence[str], weights: Sequence[float] | None,
        coefficient: str, box: Mapping[str | int, tuple[float, float]] | None, limits: Sequence[Limit],
    ) -> None:  # fmt: skip
        self.terms, self.objective, self.coefficient, self.box = terms, objective, coefficient, box
        self.rows = terms.rows(joints)
        self.weights = terms.weights(weights, self.rows)
        factors = terms.factors.factors
        self.low = np.array([factor.low for factor in factors], dtype=float)
        self.wide = np.array([factor.high for factor in factors], dtype=float) - self.low
        self.poses = np.empty((0, terms.system.n))
        self.limits = [(kind, self._limit(kind, own, most)) for kind, own, most in limits]
        self.rounds = 0

    def _limit(self, kind: str, joints: Sequence[str], most: float | Sequence[float]) -> Callable[[Array], Pieces]:
        """g(x) <= 0 as pieces, each a share of what is allowed."""
        terms, rows = self.terms, self.terms.rows(joints)
        if kind == "peak_torque":
            allowed = terms.weights(np.broadcast_to(np.asarray(most, dtype=float), (len(rows),)).tolist(), rows)

            def peaks(x: Array) -> Pieces:
                values, slopes = terms.peak(x, rows, allowed)
                return values - 1, slopes

            return peaks
        if kind not in SMOOTH:
            raise ArmError(f"no limit {kind!r:.60}; there are peak_torque, {', '.join(SMOOTH)}")
        scale = float(np.asarray(most, dtype=float).reshape(-1)[0])
        if not np.isfinite(scale) or scale <= 0:
            raise ArmError(f"the most that is allowed of {kind} must be above zero, not {most!r:.60}")

        def smooth(x: Array) -> Pieces:
            value, slope = self._smooth(kind, x, rows)
            return np.array([value / scale - 1]), slope[None] / scale

        return smooth

    def _smooth(self, kind: str, x: Array, rows: Sequence[int], weights: Array | None = None) -> Smooth:
        if kind == "energy":
            return self.terms.energy(x, rows)
        if kind == "mass":
            return self.terms.mass(x)
        return self.terms.rms_torque(x, rows, np.ones(len(rows)) if weights is None else weights)

    def pieces(self, x: Array) -> Pieces:
        """What the objective is the largest of."""
        if self.objective == "peak_torque":
            return self.terms.peak(x, self.rows, self.weights)
        if self.objective == "range":
            return self.terms.coefficient(x, self.coefficient, self.poses)
        value, slope = self._smooth(self.objective, x, self.rows, self.weights)
        return np.array([value]), slope[None]

    def starts(self, count: int, seed: int) -> list[Array]:
        """The present design, and the best of points spread over the cube between the ends.

        A weight of zero mass is a place where no gradient says to where it should be moved; points inside know better.
        """
        from scipy.stats import qmc

        pairs = zip(self.terms.factors.factors, self._firsts, strict=True)
        present = np.array([1.0 if factor.relative else number for factor, number in pairs])
        unit = np.clip((present - self.low) / self.wide, 0, 1)
        if count == 1:
            return [unit]
        spread = qmc.Sobol(len(unit), rng=np.random.default_rng(seed)).random_base2(SCREENED)
        if self.objective == "range":
            self.poses = Analysis(self.terms.system, self.box).samples
        values = []
        for x in self.low + self.wide * spread:
            worst = float(self.pieces(x)[0].max())
            values.append(worst * (1 + max(self._excess(x), 0.0)))
        self.poses = self.poses[:0]
        return [unit, *spread[np.argsort(values, kind="stable")[: count - 1]]]

    @property
    def _firsts(self) -> list[float]:
        known = {number.name: float(number.value) for number in self.terms.factors.numbers}
        return [known[factor.numbers[0]] for factor in self.terms.factors.factors]

    def run(self, start: Array) -> tuple[Array, float, bool, Range | None]:
        """From a point of the cube: the best one, its objective, whether it is feasible and met, and the proof."""
        unit, bound, met = start, None, True
        if self.objective == "range":
            self._learn(unit)
        for _ in range(ROUNDS):
            self.rounds += 1
            unit, value, met = self._round(unit)
            if self.objective != "range":
                worst = float(self.pieces(self.low + self.wide * unit)[0].max())
                if worst <= value + CLOSE * max(abs(worst), 1e-12):
                    break
                continue
            bound = self._learn(unit)
            worst = max(bound.maximum, -bound.minimum)
            if worst <= value + max(CLOSE * abs(worst), bound.gap):
                break
        x = self.low + self.wide * unit
        value = float(self.pieces(x)[0].max())
        return unit, value, met and self._excess(x) <= CLOSE, bound

    def _learn(self, unit: Array) -> Range:
        """The certified range of the coefficient for this design; the poses of its ends are pieces from now on."""
        found = Analysis(self.design(self.low + self.wide * unit), self.box).range_of(self.coefficient)
        self.poses = np.vstack([self.poses, found.at_maximum, found.at_minimum])
        return found

    def design(self, x: Array) -> ArmSystem:
        """The system with these values of the factors."""
        values = self.terms.factors.values(x)
        return with_numbers(
            self.terms.system, {name: float(v) for name, v in zip(self.terms.factors.names, values, strict=True)}
        )

    def _excess(self, x: Array) -> float:
        return max((float(limit(x)[0].max()) for _, limit in self.limits), default=-np.inf)

    def _round(self, unit: Array) -> tuple[Array, float, bool]:
        """One smooth problem: the least s above all pieces that are near the peak, within the limits."""
        from scipy.optimize import minimize

        start, _ = self.pieces(self.low + self.wide * unit)
        scale = max(float(np.abs(start).max()), 1e-12)
        # Of a worst case all poses count: there are few, and each has been the worst of some design.
        chosen = np.flatnonzero((start >= NEAR * start.max() - 1e-12) | (self.objective == "range"))

        def above(z: Array) -> Array:
            return z[-1] - self.pieces(self.low + self.wide * z[:-1])[0][chosen] / scale

        def above_slope(z: Array) -> Array:
            slopes = self.pieces(self.low + self.wide * z[:-1])[1][chosen] * self.wide / scale
            return np.hstack([-slopes, np.ones((len(chosen), 1))])

        constraints = [{"type": "ineq", "fun": above, "jac": above_slope}]
        for _, limit in self.limits:
            constraints.append(self._constraint(limit))
        last = np.zeros(len(unit) + 1)
        last[-1] = 1.0
        found = minimize(
            lambda z: z[-1], np.append(unit, start.max() / scale), jac=lambda z: last, method="SLSQP",
            bounds=[*((0.0, 1.0) for _ in unit), (None, None)], constraints=constraints,
            options={"maxiter": 200, "ftol": 1e-12},
        )  # fmt: skip
        best = np.clip(found.x[:-1], 0, 1)
        return best, float(found.x[-1]) * scale, bool(found.success) or found.status == 8

    def _constraint(self, limit: Callable[[Array], Pieces]) -> dict[str, Any]:
        def slack(z: Array) -> Array:
            return -limit(self.low + self.wide * z[:-1])[0]

        def slope(z: Array) -> Array:
            slopes = -limit(self.low + self.wide * z[:-1])[1] * self.wide
            return np.hstack([slopes, np.zeros((len(slopes), 1))])

        return {"type": "ineq", "fun": slack, "jac": slope}

    def answer(self, unit: Array, value: float, met: bool, bound: Range | None) -> DesignOptimum:
        """The best end as a result."""
        x = self.low + self.wide * unit
        factors = self.terms.factors.factors
        pairs = [(factor, u) for factor, u in zip(factors, unit, strict=True) if min(u, 1 - u) < 1e-6]
        ends = [f"{factor.name} at its {'lower' if u < 0.5 else 'upper'} end" for factor, u in pairs]
        held = [f"the limit of {kind}" for kind, limit in self.limits if float(limit(x)[0].max()) > -1e-4]
        if self.limits and self._excess(x) > 1e-4:
            raise ArmError(
                f"{self.terms.system.name}: no design between the ends of the factors was found that keeps the limits; "
                "the nearest exceeds one by "
                f"{100 * self._excess(x):.3g} percent; widen the factors or the limits"
            )
        if bound is not None:
            value = max(bound.maximum, -bound.minimum)
        start = np.array([1.0 if f.relative else v for f, v in zip(factors, self._firsts, strict=True)])
        before = float(self.pieces(start)[0].max())
        if bound is not None:
            now = Analysis(self.terms.system, self.box).range_of(self.coefficient)
            before = max(now.maximum, -now.minimum)
        certified = bound is not None and max(bound.upper, -bound.lower) <= value + max(CLOSE * abs(value), bound.gap)
        return DesignOptimum(
            f"{self.objective} {self.coefficient}".strip(),
            {factor.name: float(v) for factor, v in zip(factors, x, strict=True)},
            value, before, self.design(x), tuple(ends + held), bound, certified, met, self.rounds,
        )  # fmt: skip
