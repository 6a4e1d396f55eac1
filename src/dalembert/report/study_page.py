"""A study as a page: its designs in parallel coordinates and a scatter plot, to be brushed; what makes the outputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..markup.data_tables import Column, DataTable, Value
from ..markup.elements import Html, data, tag
from ..studies.optimum import DesignOptimum
from ..studies.study_result import StudyResult
from ..studies.study_tables import (
    budget_tables,
    factor_table,
    failure_table,
    optimum_table,
    sensitivity_tables,
    summary_table,
)
from .html.page import asset, page
from .html.page_files import write_page
from .section import Part, Section, paragraph

MOST_DESIGNS = 3000
"""Designs that are drawn, and of those on a front; of more, every so many-th."""
MOST_COLUMNS = 24
MOST_TABLES = 12
"""Outputs whose sensitivities have a table of their own."""
MOST_FRONT = 200


def study_page(
    result: StudyResult,
    pareto: Mapping[str, str] | None = None,
    budgets: Mapping[str, float | None] | None = None,
    optimum: DesignOptimum | None = None,
) -> str:
    """The page; ``pareto`` are goals of a front, ``budgets`` outputs with the spread that is allowed of each."""
    front = result.pareto(pareto) if pareto else np.empty(0, dtype=np.intp)
    sections = [_designs(result, front), _outputs(result)]
    if pareto:
        sections.append(_front(result, pareto, front))
    shares = _sensitivities(result)
    if shares is not None:
        sections.append(shares)
    if budgets:
        tables, reasons = budget_tables(result, budgets)
        parts: tuple[Part, ...] = (*tables, *map(_reason, reasons))
        sections.append(Section("budgets", "Tolerance budgets", "Which tolerance makes how much of the spread.", parts))
    if optimum is not None:
        sections.append(_optimum(optimum))
    subtitle = f"{len(result):,} designs of {len(result.factors)} factors ({result.design}, seed {result.seed})"
    return page(result.name, subtitle, Html(), sections, what="study", angles="radians")


def write_study_page(
    result: StudyResult,
    path: str | Path,
    pareto: Mapping[str, str] | None = None,
    budgets: Mapping[str, float | None] | None = None,
    optimum: DesignOptimum | None = None,
) -> None:
    """Write the page of a study: one file that is complete in itself."""
    write_page(path, study_page(result, pareto, budgets, optimum))


def _designs(result: StudyResult, front: np.ndarray) -> Section:
    successful = np.flatnonzero([not failure for failure in result.failures])
    drawn_rows = np.union1d(_thinned(successful), _thinned(np.intersect1d(front, successful)))
    columns = list(result.columns.items())
    columns_kept = [*columns[: len(result.factors)], *columns[len(result.factors) :]][:MOST_COLUMNS]
    table = (
        np.stack([values[drawn_rows] for _, (_, values) in columns_kept], axis=1)
        if len(drawn_rows)
        else np.empty((0, len(columns_kept)))
    )
    content = {
        "names": [name for name, _ in columns_kept],
        "units": [unit for _, (unit, _) in columns_kept],
        "factors": min(len(result.factors), len(columns_kept)),
        "rows": np.stack([_rounded(column) for column in table.T], axis=1).tolist(),
        "numbers": [int(row) for row in drawn_rows],
        "front": [int(row) for row in np.flatnonzero(np.isin(drawn_rows, front))],
    }
    drawn = (
        f"{len(drawn_rows):,} of {len(successful):,} designs are drawn"
        if len(drawn_rows) < len(successful)
        else "All designs are drawn"
    )
    left_out = len(columns) - len(columns_kept)
    omitted = f"; {left_out} more columns are in the results" if left_out else ""
    parts: tuple[Part, ...] = (
        paragraph(
            "Drag along an axis, or over the scatter plot, to keep the designs there; a click on an axis lets go of "
            "it. The table below takes the same ends as numbers.",
            kind="note",
        ),
        tag(
            "p", tag("span", id="study-count", class_="readout", role="status"),
            tag("button", "Keep all", id="study-clear", type="button"),
        ),
        tag(
            "div", tag("canvas", id="study-parallel", role="img", aria_label="Parallel coordinates of all designs"),
            class_="scroll", id="study-parallel-box",
        ),
        tag(
            "p", tag("label", "across ", tag("select", id="study-x")), tag("label", "up ", tag("select", id="study-y")),
            tag("label", "colour ", tag("select", id="study-colour")), class_="views",
        ),
        tag("canvas", id="study-scatter", role="img", aria_label="Scatter plot of two columns"),
        tag("div", id="study-ends", class_="table scroll"),
        data(content, "study-data"),
    )  # fmt: skip
    failed = f" {len(result.failed):,} of them have no outputs." if len(result.failed) else ""
    return Section("designs", "Designs", f"{drawn}{omitted}.{failed}", parts, script=asset("study.js"))


def _thinned(rows: np.ndarray) -> np.ndarray:
    """So many of these designs as are drawn, from all over: neighbours in a grid are alike."""
    return rows[:: -(-len(rows) // MOST_DESIGNS) or 1]


def _rounded(column: np.ndarray) -> np.ndarray:
    """With six digits of what varies in it, where it has them: within tolerances designs differ in their last."""
    known = np.array([float(f"{x:.12g}") for x in column])
    width = float(np.ptp(known)) if len(known) else 0.0
    return np.round(known, 5 - math.floor(math.log10(width))) if width else known


def _outputs(result: StudyResult) -> Section:
    failed = failure_table(result)
    parts: tuple[Part, ...] = (summary_table(result), factor_table(result), *([failed] if failed is not None else []))
    widest = max(
        (x for x in enumerate(result.outputs)), key=lambda x: _variation(result.values[:, x[0]]), default=(0, ("", ""))
    )
    meaning = f"Of the outputs {widest[1][0]} varies most, relative to its mean." if result.outputs else ""
    return Section("outputs", "Outputs and factors", meaning, parts)


def _variation(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.std() / abs(finite.mean())) if len(finite) and finite.mean() else 0.0


def _front(result: StudyResult, goals: Mapping[str, str], front: np.ndarray) -> Section:
    columns = result.columns
    output_columns = (Column(name, name, unit, "number") for name, (unit, _) in columns.items())
    heads = (Column("design", "design", kind="number"), *output_columns)
    order = front[np.argsort(result.column(next(iter(goals)))[front], kind="stable")][:MOST_FRONT]
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (int(row), *(float(values[row]) for _, values in columns.values())) for row in order
    )
    goals_text = ", ".join(f"{goal} {name}" for name, goal in goals.items())
    meaning = (
        f"{len(front):,} designs are on the front of {goals_text}: no other betters one goal without a loss in another."
    )
    note = "" if len(front) <= MOST_FRONT else f"The first {MOST_FRONT} of {len(front):,}."
    table = DataTable("front", "Pareto front", heads, rows, note, first=20)
    return Section("front", "Pareto front", meaning, (table,))


def _sensitivities(result: StudyResult) -> Section | None:
    title = {"saltelli": "Sobol indices", "morris": "Effects of the factors"}.get(result.design)
    if title is None:
        return None
    tables, reasons = sensitivity_tables(result)
    first = str(tables[0].rows[0][0]) if tables and tables[0].rows else ""
    meaning = f"{first} matters most to {result.outputs[0][0]}." if first and not reasons else ""
    return Section("sensitivities", title, meaning, (*tables[:MOST_TABLES], *map(_reason, reasons[:MOST_TABLES])))


def _reason(said: str) -> Html:
    return paragraph(f"{said}.", kind="note")


def _optimum(optimum: DesignOptimum) -> Section:
    return Section("optimum", "Best design", f"{optimum.summary}.", (optimum_table(optimum),))
