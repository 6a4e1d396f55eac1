"""A study as tables: its outputs, why designs failed, indices of sensitivity, a tolerance budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from ..markup.data_tables import Column, DataTable, Value
from .sensitivity_indices import MorrisEffect, SobolIndex, ToleranceBudget

if TYPE_CHECKING:
    from .optimum import DesignOptimum
    from .study_result import StudyResult

MOST_REASONS = 20


def sensitivity_tables(result: StudyResult) -> tuple[list[DataTable], list[str]]:
    """Sobol indices or effects of Morris, of designs that are made for them, with the reason of each that cannot be."""
    makers: dict[str, Callable[[str, str], DataTable]] = {
        "saltelli": lambda name, unit: sobol_table(name, result.sobol(name)),
        "morris": lambda name, unit: morris_table(name, result.morris(name), unit),
    }
    make = makers.get(result.design)
    return _tables_and_reasons([partial(make, name, unit) for name, unit in result.outputs] if make else [])


def budget_tables(result: StudyResult, budgets: Mapping[str, float | None]) -> tuple[list[DataTable], list[str]]:
    """Tolerance budgets, with the reason of each that cannot be."""
    return _tables_and_reasons([partial(_budget, result, name, allowed) for name, allowed in budgets.items()])


def _budget(result: StudyResult, name: str, allowed: float | None) -> DataTable:
    return budget_table(result.budget(name, allowed), {name: unit for name, (unit, _) in result.columns.items()})


def _tables_and_reasons(makers: Sequence[Callable[[], DataTable]]) -> tuple[list[DataTable], list[str]]:
    """Tables, and sentences in place of those that too few designs have outputs for: what was worked out is shown."""
    tables, reasons = [], []
    for make in makers:
        try:
            tables.append(make())
        except ArmError as fault:
            reasons.append(str(fault))
    return tables, reasons


def summary_table(result: StudyResult) -> DataTable:
    """Least, mean, standard deviation and most of every output, over the designs that have them."""
    heads = (("output", "output", "text"), ("unit", "unit", "unit"), *((x, x, "number") for x in ("least", "mean")))
    columns = [Column(key, head, kind=kind) for key, head, kind in heads]
    columns += [Column("spread", "standard deviation", kind="number"), Column("most", "most", kind="number")]
    rows: list[tuple[Value, ...]] = []
    for k, (name, unit) in enumerate(result.outputs):
        values = result.values[:, k]
        values = values[np.isfinite(values)]
        figures: tuple[Value, ...] = (None,) * 4
        if len(values):
            spread = float(values.std()) if np.ptp(values) else 0.0  # the mean of equal numbers is rounded
            figures = (float(values.min()), float(values.mean()), spread, float(values.max()))
        rows.append((name, unit, *figures))
    return DataTable("outputs", "Outputs over all designs", tuple(columns), tuple(rows))


def factor_table(result: StudyResult) -> DataTable:
    """The factors, with the ends of their values in the designs."""
    columns = (
        Column("factor", "factor"), Column("unit", "unit", kind="unit"), Column("distribution", "distribution"),
        Column("least", "least", kind="number"), Column("most", "most", kind="number"),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for k, (factor, unit) in enumerate(zip(result.factors, result.units, strict=True)):
        values = result.designs[:, k]
        distribution = "values" if factor.values else factor.distribution
        relative = " (share of the present value)" if factor.relative else ""
        rows.append((factor.name, unit, f"{distribution}{relative}", float(values.min()), float(values.max())))
    return DataTable("factors", "Factors", columns, tuple(rows))


def failure_table(result: StudyResult) -> DataTable | None:
    """The reasons of failures and how many designs each has; None where none failed."""
    if not result.reasons:
        return None
    rows: tuple[tuple[Value, ...], ...] = tuple((reason, count) for reason, count in result.reasons[:MOST_REASONS])
    unlisted = len(result.reasons) - MOST_REASONS
    note = f"{unlisted} more reasons are in the results." if unlisted > 0 else ""
    columns = (Column("reason", "reason"), Column("designs", "designs", kind="number"))
    return DataTable("failures", "Designs without outputs", columns, rows, note)


def sobol_table(output: str, indices: Sequence[SobolIndex]) -> DataTable:
    """First-order and total Sobol indices with their intervals."""
    heads = (
        ("first", "alone"), ("first_low", "from"), ("first_high", "to"),
        ("total", "with interactions"), ("total_low", "from "), ("total_high", "to "),
    )  # fmt: skip
    columns = (Column("factor", "factor"), *(Column(key, head, kind="number") for key, head in heads))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (row.factor, *(float(getattr(row, key)) for key, _ in heads)) for row in indices
    )
    note = "Shares in the variance of the output, with bootstrap intervals of 95 percent."
    return DataTable(f"sobol-{output}", f"Sobol indices of {output}", columns, rows, note)


def morris_table(output: str, effects: Sequence[MorrisEffect], unit: str) -> DataTable:
    """Elementary effects over the range of each factor."""
    heads = (("mean", "mean effect"), ("largest", "mean magnitude"), ("spread", "spread"))
    columns = (Column("factor", "factor"), *(Column(key, head, unit, "number") for key, head in heads))
    rows: tuple[tuple[Value, ...], ...] = tuple((row.factor, row.mean, row.largest, row.spread) for row in effects)
    note = "A spread as large as the mean magnitude: not linear, or it depends on other factors."
    return DataTable(f"morris-{output}", f"Effects on {output}", columns, rows, note)


def budget_table(budget: ToleranceBudget, units: Mapping[str, str]) -> DataTable:
    """Shares of the factors in the variance of an output; ``units`` are those of factors and outputs by name."""
    unit = units[budget.output]
    unit_text = f" {unit}" if unit not in ("", "1") else ""
    columns = (
        Column("factor", "factor"), Column("share", "share of the variance", kind="share"),
        Column("slope", "output per unit of the factor", unit, "number"), Column("spread", "spread now", kind="number"),
        Column("allowed", "spread allowed", kind="number"), Column("unit", "unit", kind="unit"),
    )  # fmt: skip
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (row.factor, row.share, row.slope, row.spread, row.allowed, units[row.factor]) for row in budget.shares
    )
    note = (
        f"{budget.output}: {budget.mean:.5g}{unit_text} with a standard deviation of {budget.spread:.4g}{unit_text}; a "
        f"linear fit explains {100 * budget.linear:.4g} percent of the variance. "
        f"Allowed is {budget.allowed:.4g}{unit_text}."
    )
    if not budget.drawn:
        note += " Spreads are those of the designs, which are laid out and not drawn from the distributions."
    caption = f"Tolerance budget of {budget.output}" + (f" [{unit}]" if unit_text else "")
    return DataTable(f"budget-{budget.output}", caption, columns, rows, note)


def optimum_table(optimum: DesignOptimum) -> DataTable:
    """The factors of a best design, and what holds them."""
    columns = (
        Column("factor", "factor"), Column("value", "best value", kind="number"), Column("unit", "unit", kind="unit"),
    )  # fmt: skip
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, value, optimum.units[name]) for name, value in optimum.values.items()
    )
    active = [f"Held by {', '.join(optimum.active)}."] if optimum.active else []
    unfinished = "The search did not end where no step betters the design; try more starts, or nearer ends."
    if optimum.interrupted:
        unfinished = "The search was interrupted; this is the best design met by then, a better one may be left."
    sentences = [*active, *([] if optimum.converged else [unfinished])]
    return DataTable("optimum", "Best design", columns, rows, " ".join(sentences))
