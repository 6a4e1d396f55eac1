"""Ranges of total inertia and gravity load: Bejczy 1974, Tables 1 and 2 and Figure 3, for any arm, certified."""

from __future__ import annotations

import math

from ...bounds.ranges import Range
from ...design.range_tables import gravity_table, inertia_table, pretty
from ...design.tables import GravityRow, InertiaRow, LoadTables
from ...markup.elements import Html
from ...markup.numbers import joint_label, listed, percent, written
from ..charts.bar_chart import BarChart, Bars
from ..charts.figures import ChartAxis, Figure
from ..section import Part, Section, paragraph


def section(found: LoadTables) -> Section:
    """Tables and figures of the ranges of D_ii and G_i, and what of them is proved."""
    parts: list[Part | None] = [
        inertia_table(found),
        variation_figure(found),
        gravity_table(found),
        *gravity_figures(found),
        proof(found),
    ]
    return Section(
        "ranges",
        "Ranges of inertia and gravity load",
        meaning(found),
        tuple(part for part in parts if part is not None),
    )


def meaning(found: LoadTables) -> str:
    """The joint whose inertia varies most and the joint that gravity loads most, in one sentence."""
    rows = [row for row in found.inertia if math.isfinite(row.relative)]
    widest = max(rows, key=lambda row: row.relative, default=None)
    said = "The inertia seen at a joint never reaches zero"
    if widest is not None:
        place = found.inertia.index(widest)
        factor = written(widest.relative, 3)
        said = f"Total inertia varies most at {joint_label(place, widest.joint)}, by a factor of {factor}"
        if widest.relative_loaded is not None:
            said += f" ({written(widest.relative_loaded, 3)} with the load)"
    shares = [(row.share(row.loaded or row.empty), place, row) for place, row in enumerate(found.gravity)]
    known = [(share, place, row) for share, place, row in shares if share is not None]
    heaviest = max(known, key=lambda item: item[0], default=None)
    if heaviest is not None and heaviest[0] > 0:
        share, place, row = heaviest
        load = " with the load" if row.loaded is not None else ""
        said += (
            f", and holding still takes up to {percent(share)} of what {joint_label(place, row.joint)} can give{load}"
        )
    else:
        idle = [str(place + 1) for place, row in enumerate(found.gravity) if row.empty.bound == 0]
        said += f"; gravity never loads joint{'s' * (len(idle) > 1)} {listed(idle)}" if idle else ""
    return said + "."


def variation_figure(found: LoadTables) -> Figure | None:
    """Bejczy 1974, Figure 3: by how much the inertia at each joint changes."""
    rows = [(place, row) for place, row in enumerate(found.inertia) if math.isfinite(row.relative)]
    if not rows:
        return None
    names = tuple(joint_label(place, row.joint) for place, row in rows)
    bars = [Bars("without load", tuple(row.relative for _, row in rows), (1.0,) * len(rows))]
    if any(row.relative_loaded is not None for _, row in rows):
        bars.append(
            Bars(f"with {found.load}", tuple(loaded_ratio(row) for _, row in rows), (1.0,) * len(rows)),
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


def gravity_figures(found: LoadTables) -> list[Figure]:
    """The ranges as bars, one figure for each unit."""
    made: list[Figure] = []
    for unit in dict.fromkeys(row.unit for row in found.gravity):
        rows = [(place, row) for place, row in enumerate(found.gravity) if row.unit == unit]
        if not any(row.empty.bound for _, row in rows):
            continue
        names = tuple(joint_label(place, row.joint) for place, row in rows)
        bars = [spans("without load", [row.empty for _, row in rows])]
        held = [row.loaded for _, row in rows if row.loaded is not None]
        if len(held) == len(rows):
            bars.append(spans(f"with {found.load}", held))
        caption = "Each bar spans all loads that gravity can put on the joint within its box of positions."
        what = "torque" if "m" in unit else "force"
        made.append(
            BarChart(
                f"gravity-{what}",
                f"Gravity load, {what}",
                caption,
                axis=ChartAxis("gravity load", pretty(unit)),
                names=names,
                bars=tuple(bars),
            )
        )
    return made


def spans(name: str, ranges: list[Range]) -> Bars:
    """Bars from the least to the largest value of each range."""
    return Bars(name, tuple(one.maximum for one in ranges), tuple(one.minimum for one in ranges))


def proof(found: LoadTables) -> Html:
    """Gap to which branch and bound has certified the ranges, and the proved enclosures of the others."""
    rows: list[InertiaRow | GravityRow] = [*found.inertia, *found.gravity]
    ranges = [one for row in rows for one in (row.empty, row.loaded) if one is not None]
    closed = [one for one in ranges if one.certified and one.joints]
    said = ""
    if closed:
        worst = max(one.gap / max(one.largest, 1e-300) for one in closed)
        said = (
            "Every least and largest value is reached at the pose shown, and branch and bound on the exact closed form "
            f"proves that no pose in the box goes further than {percent(worst, 2)} of the value beyond it."
        )
    open_ = list(dict.fromkeys(row.name for row in rows if not row.certified))
    if open_:
        ends = {one.name: (one.lower, one.upper) for one in ranges if not one.certified}
        proved = "; ".join(f"{name} {written(low, 3)} to {written(high, 3)}" for name, (low, high) in ends.items())
        said += (
            f" Searched, not proved: {listed(open_)}. They have too many terms for branch and bound to close the gap "
            "in the work allowed; the values shown are reached, and poses beyond them are not excluded. Proved is "
            f"only: {proved}."
        )
    return paragraph(said.strip() or "No value depends on the pose.", kind="note")
