"""Which factors matter: Sobol indices, elementary effects of Morris, tolerance budgets, Pareto fronts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.toml_table import nearest
from .sampling import outermost
from .undominated import on_front

if TYPE_CHECKING:
    from .study_result import StudyResult

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SobolIndex:
    """Shares of a factor in the variance of an output: alone, and with all its interactions; 95 percent intervals."""

    factor: str
    first: float
    first_low: float
    first_high: float
    total: float
    total_low: float
    total_high: float


@dataclass(frozen=True)
class MorrisEffect:
    """Elementary effects of a factor over its whole range: mean, mean magnitude and spread (Morris 1991).

    ``largest`` is mu* of Campolongo et al. 2007; a ``spread`` of its size says that the effect is not linear or depends
    on other factors.
    """

    factor: str
    mean: float
    largest: float
    spread: float


@dataclass(frozen=True)
class ToleranceShare:
    """How much of the variance of an output the spread of one factor makes up, by a linear fit.

    ``slope`` is the output per unit of the factor, ``allowed`` the standard deviation the factor may have: all spreads
    change alike, by the share of its present spread that the output may have. What no line explains shrinks with them
    at least as fast; it grows faster where they widen.
    """

    factor: str
    slope: float
    spread: float
    share: float
    allowed: float


@dataclass(frozen=True)
class ToleranceBudget:
    """The spread of an output by the spreads of the factors; ``linear`` is the share of it that a linear fit has.

    Without ``drawn`` the designs are laid out over the ranges of the factors, in a grid or in walks of Morris, and not
    drawn from their distributions: all spreads are then those of the designs.
    """

    output: str
    mean: float
    spread: float
    allowed: float
    linear: float
    shares: tuple[ToleranceShare, ...]
    drawn: bool = True

    @property
    def scale(self) -> float:
        """By how much all tolerances alike may grow (above 1), or must shrink, to have the spread that is allowed."""
        return self.allowed / self.spread if self.spread else np.inf


def sobol_indices(result: StudyResult, output: str, resamples: int = 200) -> tuple[SobolIndex, ...]:
    """First-order (Saltelli et al. 2010) and total indices (Jansen 1999) of a "saltelli" study, largest total first.

    The intervals are by bootstrap over the samples. Of a design that failed all rows of its sample are left out.
    """
    if result.design != "saltelli":
        raise ArmError(
            f'{result.name}: Sobol indices need a study with design "saltelli"; this one is {result.design!r}'
        )
    count = len(result.factors)
    values = result.column(output).reshape(count + 2, -1)
    values = values[:, np.isfinite(values).all(axis=0)]
    if values.shape[1] < 2:
        raise ArmError(f"{result.name}: too few designs have {output!r}; Sobol indices need whole samples")
    if np.ptp(values[:2]) == 0:
        return tuple(SobolIndex(factor.name, *(0.0,) * 6) for factor in result.factors)
    first, total = _shares(values)
    rng = np.random.default_rng(result.seed)
    drawn = [_shares(values[:, rng.integers(0, values.shape[1], values.shape[1])]) for _ in range(resamples)]
    ends = np.quantile(np.array(drawn), (0.025, 0.975), axis=0)
    rows = [
        SobolIndex(
            factor.name, float(first[k]), float(ends[0, 0, k]), float(ends[1, 0, k]),
            float(total[k]), float(ends[0, 1, k]), float(ends[1, 1, k]),
        )
        for k, factor in enumerate(result.factors)
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: -row.total))


def _shares(values: Array) -> tuple[Array, Array]:
    """S_k = mean f_B (f_AB - f_A) / V (Saltelli et al. 2010), T_k = mean (f_A - f_AB)^2 / 2 V (Jansen 1999)."""
    centred = values - values[:2].mean()
    f_a, f_b, mixed = centred[0], centred[1], centred[2:]
    variance = max(float(np.var(values[:2])), np.finfo(float).tiny)
    first = (f_b * (mixed - f_a)).mean(axis=1) / variance
    total = ((f_a - mixed) ** 2).mean(axis=1) / (2 * variance)
    return first, total


def morris_effects(result: StudyResult, output: str) -> tuple[MorrisEffect, ...]:
    """Effects of each factor, largest first: the change of the output, carried on over the range of the factor."""
    if result.design != "morris":
        raise ArmError(
            f'{result.name}: effects of Morris need a study with design "morris"; this one is {result.design!r}'
        )
    count = len(result.factors)
    walks = result.column(output).reshape(-1, count + 1)
    points = result.designs.reshape(-1, count + 1, count)
    # the whole range, whichever part of it the walks came through; of a distribution without ends, its outer quantiles
    reach = np.array(
        [
            np.ptp(factor.values) if factor.values else np.ptp(factor.of_shares(outermost(factor)))
            for factor in result.factors
        ]
    )
    effects: list[list[float]] = [[] for _ in range(count)]
    for values, walk in zip(walks, points, strict=True):
        for move in range(count):
            step = walk[move + 1] - walk[move]
            moved = int(np.argmax(np.abs(step) / np.where(reach > 0, reach, 1.0)))
            change = values[move + 1] - values[move]
            if np.isfinite(change) and step[moved]:
                effects[moved].append(float(change / step[moved] * reach[moved]))
    rows = []
    for factor, ratios, wide in zip(result.factors, effects, reach, strict=True):
        if not ratios and wide:
            raise ArmError(
                f"{result.name}: too few designs have {output!r}: no walk has {output!r} before and after a step of "
                f"{factor.name!r:.60}; take more samples, or nearer ends"
            )
        of_factor = np.array(ratios or [0.0])
        rows.append(
            MorrisEffect(factor.name, float(of_factor.mean()), float(np.abs(of_factor).mean()), float(of_factor.std()))
        )
    return tuple(sorted(rows, key=lambda row: -row.largest))


def check_budget(output: str, allowed: float | None, columns: Sequence[str]) -> None:
    """Refuse a budget of a column that there is not, or of no spread."""
    check_column(output, columns)
    if allowed is not None and not allowed > 0:
        raise ArmError(f"the spread of {output!r:.60} that is allowed must be above zero, not {allowed:g}")


def check_goals(goals: Mapping[str, str], columns: Sequence[str]) -> None:
    """Refuse goals of columns that there are not, or that are neither "least" nor "most"."""
    for name, goal in goals.items():
        check_column(name, columns)
        if goal not in ("least", "most"):
            raise ArmError(f'of {name!r:.60} one wants the "least" or the "most", not {goal!r:.60}')


def check_column(name: str, columns: Sequence[str]) -> None:
    """Refuse a column that there is not."""
    if name not in columns:
        raise ArmError(f"the study has no column {name!r:.60}{nearest(name, columns)}; it has {listed(columns)}")


def tolerance_budget(result: StudyResult, output: str, allowed: float | None = None) -> ToleranceBudget:
    """Who makes the spread of an output: slopes of a linear fit times spreads of the factors, in shares of variance.

    ``allowed`` is the standard deviation that the output may have, its present one by default.
    """
    check_budget(output, allowed, list(result.columns))
    values = result.column(output)
    finite = np.isfinite(values)
    if finite.sum() < len(result.factors) + 2:
        raise ArmError(f"{result.name}: too few designs have {output!r} for a linear fit")
    points, values = result.designs[finite], values[finite]
    middle, spread = points.mean(axis=0), points.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    slopes, *_ = np.linalg.lstsq((points - middle) / scale, values - values.mean(), rcond=None)
    explained = float((slopes**2 * (spread > 0)).sum())
    total = float(values.std())
    limit = total if allowed is None else allowed
    rows = []
    for factor, slope, width, present in zip(result.factors, slopes, scale, spread, strict=True):
        share = float(slope**2 / explained) if explained else 0.0
        ratio = limit / total if total else np.inf
        rows.append(
            ToleranceShare(
                factor.name, float(slope / width), float(present), share, float(present * ratio) if present else 0.0
            )
        )
    residual = values - values.mean() - (points - middle) / scale @ slopes
    linear = 1 - float((residual**2).mean()) / total**2 if total else 1.0
    laid_out = result.design == "morris" or (result.design == "grid" and not all(x.values for x in result.factors))
    return ToleranceBudget(
        output, float(values.mean()), total, float(limit), linear, tuple(sorted(rows, key=lambda row: -row.share)),
        not laid_out,
    )  # fmt: skip


def pareto_front(result: StudyResult, goals: Mapping[str, str]) -> NDArray[np.intp]:
    """Rows of the designs that no other one betters in one goal without a loss in another.

    ``goals`` say of outputs, or factors, whether the "least" or the "most" of them is wanted.
    """
    check_goals(goals, list(result.columns))
    if not goals:
        raise ArmError(f'{result.name}: a front needs goals, such as {{"energy": "least"}}')
    costs = np.stack([result.column(name) * (1 if goal == "least" else -1) for name, goal in goals.items()], axis=1)
    rows = np.flatnonzero(np.isfinite(costs).all(axis=1))
    return np.asarray(rows[on_front(costs[rows])])
