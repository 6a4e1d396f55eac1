"""The design review: the guidelines of Tourassis and Neuman 1985 with verdicts and figures, and remedies."""

from __future__ import annotations

from collections.abc import Sequence

from ...design.counterbalance import Counterbalance
from ...design.review import Finding
from ...design.review_tables import balance_table, findings_list, label
from ...design.sensitivity import Sensitivity
from ...markup.data_tables import Column, DataTable
from ...markup.numbers import formatted, listed
from ..section import Part, Section


def section(
    findings: Sequence[Finding],
    names: Sequence[str] = (),
    balances: Sequence[Counterbalance] = (),
    sensitivities: Sequence[Sensitivity] = (),
) -> Section:
    """``names`` are those of the joints, in their order."""
    broken = [item for item in findings if item.verdict != "met"]
    met = len(findings) - len(broken)
    relief = [item for item in balances if item.before > 0 and item.after < 0.5 * item.before]
    sentence = f"{met} of {len(findings)} guidelines are met"
    if broken:
        sentence += f" (not, or in part: {listed([item.guideline.lower() for item in broken])})"
    if relief:
        best = max(relief, key=lambda item: item.before - item.after)
        means = f"a weight of {formatted(best.mass, 2)} kg"
        if best.heavy:
            means = f"a spring of k a b = {formatted(best.spring, 3)} N m"
        sentence += (
            f", and {means} would cut the gravity load of "
            f"{label(best.joint, names)} from "
            f"{formatted(best.before, 3)} to {formatted(best.after, 3)} {best.unit}"
        )
    parts: list[Part] = [findings_list(findings)]
    if balances:
        parts.append(balance_table(balances, names))
    if sensitivities:
        parts.append(sensitivity_table(sensitivities))
    return Section("review", "Design review", f"{sentence}.", tuple(parts))


def sensitivity_table(sensitivities: Sequence[Sensitivity]) -> DataTable:
    """Derivatives of the least and the largest inertia with respect to parameters, per SI unit."""
    columns = (
        Column("coefficient", "coefficient", kind="name"),
        Column("parameter", "parameter"),
        Column("value", "value", kind="number"),
        Column("unit", "", kind="unit"),
        Column("least", "change of the least value", kind="number"),
        Column("largest", "change of the largest", kind="number"),
        Column("unit of change", "", kind="unit"),
        Column("relative", "percent for one percent", kind="number"),
    )
    rows = tuple(
        (s.coefficient, s.parameter, s.value, s.unit, s.of_minimum, s.of_maximum, s.slope_unit, s.relative)
        for s in sensitivities
    )
    note = "Changes for one unit of the parameter, at the poses of the least and the largest value."
    return DataTable("sensitivity", "What the ranges of inertia hang on", columns, rows, note, first=12)
