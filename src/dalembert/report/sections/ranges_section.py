"""Ranges of total inertia and gravity load: Bejczy 1974, Tables 1 and 2 and Figure 3, for any arm, certified."""

from __future__ import annotations

import math

from ...bounds.ranges import Range
from ...design.range_tables import gravity_table, inertia_table
from ...design.tables import GravityRow, InertiaRow, LoadTables
from ...markup.data_tables import raised
from ...markup.elements import Html
from ...markup.numbers import formatted, joint_label, listed, not_below, percent, within_percent
from ..charts.bar_chart import BarChart, Bars
from ..charts.figures import ChartAxis, Figure
from ..section import Part, Section, paragraph


def section(tables: LoadTables) -> Section:
    """Tables and figures of the ranges of D_ii and G_i, and what of them is proved."""
    parts: list[Part | None] = [
        inertia_table(tables),
        variation_figure(tables),
        gravity_table(tables),
        *gravity_figures(tables),
        proof(tables),
    ]
    return Section(
        "ranges",
        "Ranges of inertia and gravity load",
        meaning(tables),
        tuple(part for part in parts if part is not None),
    )


def meaning(tables: LoadTables) -> str:
    """The joint whose inertia varies most and the joint that gravity loads most, in one sentence."""
    rows = [row for row in tables.inertia if math.isfinite(row.relative)]
    widest = max(rows, key=lambda row: row.relative, default=None)
    sentence = "The inertia seen at a joint never reaches zero"
    if widest is not None:
        index = tables.inertia.index(widest)
        factor = formatted(widest.relative, 3)
        sentence = f"Total inertia varies most at {joint_label(index, widest.joint)}, by a factor of {factor}"
        if widest.relative_loaded is not None:
            sentence += f" ({formatted(widest.relative_loaded, 3)} with the load)"
    shares = [(row.share(row.loaded or row.empty), index, row) for index, row in enumerate(tables.gravity)]
    rated = [(share, index, row) for share, index, row in shares if share is not None]
    heaviest = max(rated, key=lambda item: item[0], default=None)
    if heaviest is not None and heaviest[0] > 0:
        share, index, row = heaviest
        load = " with the load" if row.loaded is not None else ""
        sentence += (
            f", and holding still takes up to {percent(share)} of what {joint_label(index, row.joint)} can give{load}"
        )
    else:
        idle = [str(index + 1) for index, row in enumerate(tables.gravity) if row.empty.bound == 0]
        sentence += f"; gravity never loads joint{'s' * (len(idle) > 1)} {listed(idle)}" if idle else ""
    return sentence + "."


def variation_figure(tables: LoadTables) -> Figure | None:
    """Bejczy 1974, Figure 3: by how much the inertia at each joint changes."""
    rows = [(index, row) for index, row in enumerate(tables.inertia) if math.isfinite(row.relative)]
    if not rows:
        return None
    names = tuple(joint_label(index, row.joint) for index, row in rows)
    bars = [Bars("without load", tuple(row.relative for _, row in rows), (1.0,) * len(rows))]
    if any(row.relative_loaded is not None for _, row in rows):
        bars.append(
            Bars(f"with {tables.load}", tuple(loaded_ratio(row) for _, row in rows), (1.0,) * len(rows)),
        )
    caption = "Bars run from the least inertia without load (1) to the largest; a short bar needs no change of gains."
    return BarChart(
        "variation",
        "Variation of total inertia",
        caption,
        axis=ChartAxis("inertia over its least value"),
        names=names,
        bars=tuple(bars),
        numbers=True,
    )


def loaded_ratio(row: InertiaRow) -> float:
    """Largest inertia with load over least without (Bejczy 1974, Table 1); the unloaded ratio without a load."""
    return row.relative_loaded if row.relative_loaded is not None else row.relative


def gravity_figures(tables: LoadTables) -> list[Figure]:
    """The ranges as bars, one figure for each unit."""
    charts: list[Figure] = []
    for unit in dict.fromkeys(row.unit for row in tables.gravity):
        rows = [(index, row) for index, row in enumerate(tables.gravity) if row.unit == unit]
        if not any(row.empty.bound for _, row in rows):
            continue
        names = tuple(joint_label(index, row.joint) for index, row in rows)
        bars = [spans("without load", [row.empty for _, row in rows])]
        loaded = [row.loaded for _, row in rows if row.loaded is not None]
        if len(loaded) == len(rows):
            bars.append(spans(f"with {tables.load}", loaded))
        caption = "Each bar spans all loads that gravity can put on the joint within its box of positions."
        quantity = "torque" if "m" in unit else "force"
        charts.append(
            BarChart(
                f"gravity-{quantity}",
                f"Gravity load, {quantity}",
                caption,
                axis=ChartAxis("gravity load", raised(unit)),
                names=names,
                bars=tuple(bars),
            )
        )
    return charts


def spans(name: str, ranges: list[Range]) -> Bars:
    """Bars from the least to the largest value of each range."""
    return Bars(name, tuple(range_.maximum for range_ in ranges), tuple(range_.minimum for range_ in ranges))


def proof(tables: LoadTables) -> Html:
    """Gap to which branch and bound has certified the ranges, and the proved enclosures of the others."""
    rows: list[InertiaRow | GravityRow] = [*tables.inertia, *tables.gravity]
    ranges = {f"{row.name} {case}".strip(): range_ for row in rows for case, range_ in row.ranges.items()}
    certified = [range_ for range_ in ranges.values() if range_.certified and range_.joints]
    sentence = ""
    if certified:
        worst = max(range_.gap / max(range_.largest, 1e-300) for range_ in certified)
        sentence = (
            "Every least and largest value is reached at the pose shown, and branch and bound on the exact closed form "
            f"proves that no pose in the box goes further than {within_percent(worst, 2)} of the value beyond it."
        )
    uncertified = list(dict.fromkeys(row.name for row in rows if not row.certified))
    if uncertified:
        proved = "; ".join(
            f"{name} {formatted(-not_below(-range_.lower, 3), 3)} to {formatted(not_below(range_.upper, 3), 3)}"
            for name, range_ in ranges.items()
            if not range_.certified
        )
        sentence += (
            f" Searched, not proved: {listed(uncertified)}. They have too many terms for branch and bound to close the "
            "gap in the work allowed; the values shown are reached, and poses beyond them are not excluded. Proved is "
            f"only: {proved}."
        )
    return paragraph(sentence.strip() or "No value depends on the pose.", kind="note")
