"""Two designs side by side: ranges, gravity, coupling and motor-referred figures, and what changed most."""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.description import ArmDescription
from ...arm.inertia import Load
from ...design.compare import Compared
from ...markup.data_tables import Column, DataTable, finite
from ...markup.numbers import formatted, joint_label, listed, percent
from ..charts.bar_chart import BarChart, Bars
from ..charts.figures import ChartAxis, Figure
from ..section import Part, Section, paragraph

GROUPS = {
    "inertia": "Inertia at the joints",
    "gravity": "Gravity load",
    "motor": "At the motor, and of what the drives give",
    "coupling": "Largest coupling of pairs of joints",
    "mass": "Masses",
}
NOTABLE = 0.01


def section(first: ArmDescription, second: ArmDescription, rows: Sequence[Compared], load: Load | None) -> Section:
    """``rows`` compare ``first``, which the report is about, with ``second``."""
    parts: list[Part] = [kinds(first, second)]
    for group, caption in GROUPS.items():
        in_group = [row for row in rows if row.group == group]
        if in_group:
            parts.append(table(group, caption, in_group))
    parts += figures(first, second, rows)
    load_note = f" Figures with load are for {float(load.body.mass):g} kg in both hands." if load is not None else ""
    unproved = [row.name for row in rows if not row.proved]
    note = "Change: second design over the first, less one. Joints are taken in their order." + load_note
    if unproved:
        note += f" Found by search and not proved: {listed(unproved, 12)}."
    parts.append(paragraph(note, kind="note"))
    sentence = meaning(second, rows)
    if first.n != second.n:
        sentence += f" It has {second.n} joints where this arm has {first.n}."
    return Section("comparison", "Two designs side by side", sentence, tuple(parts))


def meaning(second: ArmDescription, rows: Sequence[Compared]) -> str:
    """How many figures differ, and which of the largest inertias and gravity loads fell and rose most."""
    comparable = [row for row in rows if row.group != "mass" and row.change is not None]
    differing = [row for row in comparable if row.change is None or abs(row.change) > NOTABLE]
    if not differing:
        return f"{second.name} differs from this arm by no more than {percent(NOTABLE)} in any figure."
    count = f"Of {len(comparable)} figures {len(differing)} differ in {second.name} by more than {percent(NOTABLE)}"
    heads = [row for row in differing if row.first and row.second and row.name.endswith((" greatest", " largest"))]
    ranked = sorted(heads, key=lambda row: row.change or 0.0)
    extremes = []
    if ranked and (ranked[0].change or 0.0) < 0:
        extremes.append(f"{change_clause(ranked[0], 'falls')}")
    if ranked and (ranked[-1].change or 0.0) > 0:
        extremes.append(f"{change_clause(ranked[-1], 'rises')}")
    return f"{count}{': ' if extremes else ''}{', '.join(extremes)}."


def change_clause(row: Compared, how: str) -> str:
    """A clause on one figure: its value and unit in the first and in the second design."""
    unit = row.unit.replace("^2", "²")
    return f"{row.name} {how} from {formatted(row.first, 3)} to {formatted(row.second, 3)} {unit}".rstrip()


def kinds(first: ArmDescription, second: ArmDescription) -> DataTable:
    """The joints of both designs, paired by their order."""
    columns = (Column("joint", "joint"), Column("first", first.name), Column("second", second.name))
    rows = []
    for index in range(max(first.n, second.n)):
        cells = [
            f"{arm.moving[index].name} ({arm.moving[index].kind})" if index < arm.n else "none"
            for arm in (first, second)
        ]
        rows.append((f"joint {index + 1}", *cells))
    return DataTable("compared-joints", "Joints beside each other", columns, tuple(rows))


def table(group: str, caption: str, rows: Sequence[Compared]) -> DataTable:
    """The figures of one group for both designs, and their relative change."""
    columns = (
        Column("figure", "figure"),
        Column("first", "this arm", kind="number"),
        Column("second", "the other", kind="number"),
        Column("unit", "", kind="unit"),
        Column("change", "change", kind="share"),
    )
    cells = []
    for row in rows:
        change = finite(row.change) if row.changed else 0.0
        cells.append((row.name, finite(row.first), finite(row.second), row.unit.replace("^2", "²"), change))
    return DataTable(f"compared-{group}", caption, columns, tuple(cells), first=24)


def figures(first: ArmDescription, second: ArmDescription, rows: Sequence[Compared]) -> list[Figure]:
    """By how much inertia and gravity load of each joint differ: second over first."""
    charts: list[Figure] = []
    for ending, name, title in (
        ("greatest", "compared-inertia-ratio", "Greatest inertia, second over first"),
        ("largest", "compared-gravity-ratio", "Largest gravity load, second over first"),
    ):
        pairs = [
            (index, row)
            for index in range(min(first.n, second.n))
            for row in rows
            if row.name.endswith(f" {ending}") and row.first and row.second and row.name.split(" ")[0] in
            (f"D{index + 1}{index + 1}", f"D{index + 1},{index + 1}", f"G{index + 1}")
        ]  # fmt: skip
        if pairs:
            labels = tuple(joint_label(index, first.moving[index].name) for index, _ in pairs)
            values = tuple((row.second or 0.0) / (row.first or 1.0) for _, row in pairs)
            charts.append(
                BarChart(
                    name,
                    title,
                    f"1 is this arm; {formatted(min(values), 3)} to {formatted(max(values), 3)}.",
                    axis=ChartAxis("second over first"),
                    names=labels,
                    bars=(Bars("ratio", values),),
                    numbers=True,
                )
            )
    return charts
