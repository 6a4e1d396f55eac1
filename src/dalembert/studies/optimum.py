"""``da.optimize_design``: the design with the least peak torque, energy, or worst case over all poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..bounds.ranges import Range
from ..design.analysis import Analysis
from ..simulation.motion_files import motion_of
from .design_numbers import Designed, designed
from .factors import Factor, FactorSet, factors_of
from .optimum_search import CLOSE, DesignSearch, Limit, SearchEnd
from .optimum_terms import PEAKS, SMOOTH, DesignTerms
from .search_course import Progress

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DesignOptimum:
    """The best design that was found: factors by name, its objective, that of the present numbers, and the system.

    ``bound`` is the certified range of the coefficient where the objective is a worst case over all poses: no pose
    exceeds its ``upper`` or falls below its ``lower``. ``certified`` says that the bound meets the value.
    ``interrupted`` says that the search was ended before its time: it is the best design met by then that keeps the
    limits. ``active`` are limits and ends that hold the design where it is. ``unit`` is that of ``value`` and
    ``before`` ("1" where torques are set against weights, empty where joints have different ones), ``units`` those of
    the factors.
    """

    objective: str
    values: Mapping[str, float]
    units: Mapping[str, str]
    value: float
    before: float
    unit: str
    system: Any
    active: tuple[str, ...]
    bound: Range | None
    certified: bool
    converged: bool
    rounds: int
    interrupted: bool = False

    def __repr__(self) -> str:
        return f"<DesignOptimum {self.summary}>"

    @property
    def summary(self) -> str:
        """Objective and value in one line, with what they were and whether they are certified."""
        proved = ", certified over all poses" if self.certified else ""
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        ended = ", interrupted" if self.interrupted else ""
        return f"{self.objective}: {self.value:.6g}{unit} (before: {self.before:.6g}{unit}){proved}{ended}"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading
        from .study_tables import optimum_table

        return framed(heading(repr(self)[1:-1]), optimum_table(self))


def optimize_design(
    system: Designed,
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
    progress: Progress | None = None,
) -> DesignOptimum:
    """The values of the factors, between their ends, with the least ``objective``.

    "peak_torque" is the largest |tau_j| / weight_j along ``motion``, of ``joints``; "peak_motor_torque" the same at the
    motors, which ``joints`` then names; "rms_torque" and "energy" are those of a study; "mass" is the mass of all that
    moves. "range" is the largest magnitude of a ``coefficient`` ("D11", "G2") over all poses of ``box``, joint limits
    by default, and is certified. ``limits`` are (kind, joints, most) of the same kinds but "range". The search starts
    from the present numbers and from the ``starts`` - 1 best of 64 points of a Sobol sequence; the best end of all is
    taken. A better design somewhere else is not ruled out.

    ``system`` may be a mechanism, whose loops are closed anew for each design; it has no "range".
    ``progress`` is called with what is being done and the share that is. An interrupt (Ctrl-C) ends with the best
    design met by then that keeps the limits, which says so; before there is one it is an interrupt.
    """
    search = design_search(
        system, factors, objective, motion=motion, joints=joints, weights=weights, coefficient=coefficient, box=box,
        limits=limits, starts=starts, progress=progress,
    )  # fmt: skip
    try:
        answer = _answer(search, search.best(search.starts(starts, seed)))
        search.course.progress("done", 1.0)
    except KeyboardInterrupt:
        if search.least is None:
            raise
        search.course.progress = lambda text, share: None  # what it raises has ended the search already
        return _answer(search, search.least, interrupted=True)
    return answer


def design_search(
    system: Designed,
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
    progress: Progress | None = None,
) -> DesignSearch:
    """The search that ``optimize_design`` makes, with all that can be refused of it refused."""
    factor_set = FactorSet(designed(system), factors_of(factors))
    for factor in factor_set.factors:
        if factor.values or factor.low is None or factor.high is None:
            raise ArmError(f"factor {factor.name!r:.80}: the best design is looked for between low and high; give both")
    if objective not in (*PEAKS, *SMOOTH):
        raise ArmError(f"no objective {objective!r:.60}; there are {', '.join((*PEAKS, *SMOOTH))}")
    for limit in limits:
        if isinstance(limit, str) or len(limit) != 3:
            raise ArmError(
                f'a limit is its kind, joints and the most, as in ("peak_torque", ["joint1"], 80), not {limit!r:.80}'
            )
    terms = DesignTerms(factor_set, None if motion is None else motion_of(factor_set.system, motion))
    for kind in (objective, *(limit[0] for limit in limits)):
        terms.refuse_unfit(kind)
    if objective == "range" and not coefficient:
        raise ArmError('the worst case over all poses is of a coefficient, as in coefficient="D11"')
    if objective != "range" and (coefficient or box is not None):
        raise ArmError(f'coefficient and box belong to the objective "range", not to {objective!r}')
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise ArmError(f"starts must be a whole number of at least 1, not {starts!r:.60}")
    return DesignSearch(terms, objective, joints, weights, coefficient, box, limits, progress)


def _answer(search: DesignSearch, end: SearchEnd, interrupted: bool = False) -> DesignOptimum:
    """The best end as a result."""
    terms, excess = search.terms, search.excess
    unit, value, bound = end.unit, end.value, end.bound
    x = search.low + search.wide * unit
    factors = terms.factors.factors
    at_ends = [(factor, u) for factor, u in zip(factors, unit, strict=True) if min(u, 1 - u) < 1e-6]
    ends = [f"{factor.name} at its {'lower' if u < 0.5 else 'upper'} end" for factor, u in at_ends]
    active_limits = [f"the limit of {kind}" for kind, limit in search.limits if float(limit(x)[0].max()) > -1e-4]
    if search.limits and excess(x) > 1e-4:
        raise ArmError(
            f"{terms.system.name}: no design between the ends of the factors was found that keeps the limits; "
            "the nearest exceeds one by "
            f"{100 * excess(x):.3g} percent; widen the factors or the limits"
        )
    if bound is not None:
        value = max(bound.maximum, -bound.minimum)
    before = float(search.pieces(search.present)[0].max())
    if bound is not None:
        present = Analysis(terms.system, search.box).range_of(search.coefficient)
        before = max(present.maximum, -present.minimum)
    certified = bound is not None and bound.bound <= value + max(CLOSE * abs(value), bound.tolerance)
    return DesignOptimum(
        f"{search.objective} {search.coefficient}".strip(),
        {factor.name: float(v) for factor, v in zip(factors, x, strict=True)},
        {factor.name: unit for factor, unit in zip(factors, terms.factors.units, strict=True)},
        value + 0.0, before + 0.0, search.unit if bound is None else bound.unit,
        terms.design(x), tuple(ends + active_limits), bound, certified, end.met, search.rounds, interrupted,
    )  # fmt: skip
