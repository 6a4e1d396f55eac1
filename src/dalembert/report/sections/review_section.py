"""The design review: the guidelines of Tourassis and Neuman 1985 with verdicts and figures, and remedies."""

from __future__ import annotations

from collections.abc import Sequence

from ...design.counterbalance import Counterbalance
from ...design.review import Finding
from ...design.sensitivity import Sensitivity
from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, tag
from ...markup.numbers import joint_label, listed, written
from ..section import Part, Section

CLASSES = {"met": "good", "partly met": "warn", "not met": "bad"}


def section(
    findings: Sequence[Finding],
    names: Sequence[str] = (),
    balances: Sequence[Counterbalance] = (),
    sensitivities: Sequence[Sensitivity] = (),
) -> Section:
    """``names`` are those of the joints, in their order."""
    broken = [one for one in findings if one.verdict != "met"]
    met = len(findings) - len(broken)
    relief = [one for one in balances if one.before > 0 and one.after < 0.5 * one.before]
    said = f"{met} of {len(findings)} guidelines are met"
    if broken:
        said += f" (not, or in part: {listed([one.guideline.lower() for one in broken])})"
    if relief:
        best = max(relief, key=lambda one: one.before - one.after)
        said += (
            f", and a weight of {written(best.mass, 2)} kg would cut the gravity load of "
            f"{label(best.joint, names)} from "
            f"{written(best.before, 3)} to {written(best.after, 3)} {best.unit}"
        )
    parts: list[Part] = [items(findings)]
    if balances:
        parts.append(balance_table(balances, names))
    if sensitivities:
        parts.append(sensitivity_table(sensitivities))
    return Section("review", "Design review", f"{said}.", tuple(parts))


def items(findings: Sequence[Finding]) -> Html:
    """The guidelines as a list; verdicts are written out, not only coloured."""
    return tag(
        "ul",
        *(
            tag(
                "li",
                tag("b", one.guideline),
                ": ",
                tag("span", one.verdict, class_=CLASSES.get(one.verdict)),
                tag("p", one.text[:1].upper() + one.text[1:]),
            )
            for one in findings
        ),
        class_="advice",
    )


def balance_table(balances: Sequence[Counterbalance], names: Sequence[str]) -> DataTable:
    """Counterweights: mass (kg), position (m, link frame), gravity load without and with them (N m)."""
    columns = (
        Column("joint", "joint"),
        Column("link", "weight on link"),
        Column("mass", "mass", "kg", "number"),
        *(Column(axis, axis, "m", "number") for axis in "xyz"),
        Column("before", "gravity load now", kind="number"),
        Column("after", "with the weight", kind="number"),
        Column("unit", "", kind="unit"),
        Column("exact", "vanishes for every pose"),
    )
    rows = tuple(
        (label(one.joint, names), one.link, one.mass, *one.place, one.before, one.after, one.unit, one.exact)
        for one in balances
    )
    note = (
        "Solved exactly from the closed form. Where the load does not vanish, the rest comes from joints farther "
        "out, which "
        "a weight on this link cannot follow; a load that grows says that this weight alone does harm over the "
        "whole box."
    )
    return DataTable("counterbalance", "Weights that balance a joint", columns, rows, note)


def label(name: str, names: Sequence[str]) -> str:
    """Number and name of a joint; the name alone where ``names`` lacks it."""
    return joint_label(list(names).index(name), name) if name in names else name


def sensitivity_table(found: Sequence[Sensitivity]) -> DataTable:
    """Derivatives of the least and the largest inertia with respect to parameters, per SI unit."""
    columns = (
        Column("coefficient", "", kind="name"),
        Column("parameter", "parameter"),
        Column("value", "value", kind="number"),
        Column("least", "change of the least value", kind="number"),
        Column("largest", "change of the largest", kind="number"),
        Column("relative", "percent for one percent", kind="number"),
    )
    rows = tuple(
        (one.coefficient, one.parameter, one.value, one.of_minimum, one.of_maximum, one.relative) for one in found
    )
    note = "Changes for a unit of the parameter, SI units, at the poses of the least and the largest value."
    return DataTable("sensitivity", "What the ranges of inertia hang on", columns, rows, note, first=12)
