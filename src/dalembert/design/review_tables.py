"""The findings of a design review as a list, and the weights that balance joints as a table."""

from __future__ import annotations

from collections.abc import Sequence

from ..markup.data_tables import Column, DataTable
from ..markup.elements import Html, tag
from ..markup.numbers import joint_label
from .counterbalance import Counterbalance
from .review import Finding

CLASSES = {"met": "good", "partly met": "warn", "not met": "bad"}


def findings_list(findings: Sequence[Finding]) -> Html:
    """The guidelines as a list; verdicts are written out, not only coloured."""
    return tag(
        "ul",
        *(
            tag(
                "li",
                tag("b", finding.guideline),
                ": ",
                tag("span", finding.verdict, class_=CLASSES.get(finding.verdict)),
                tag("p", finding.text[:1].upper() + finding.text[1:]),
            )
            for finding in findings
        ),
        class_="advice",
    )


def balance_table(balances: Sequence[Counterbalance], names: Sequence[str] = ()) -> DataTable:
    """Counterweights: mass (kg), position (m, link frame), gravity load without and with them (N m)."""
    columns = (
        Column("joint", "joint"),
        Column("link", "weight on link"),
        Column("mass", "mass", "kg", "number"),
        *(Column(axis, axis, "m", "number") for axis in "xyz"),
        Column("before", "gravity load now", kind="number"),
        Column("after", "with the weight", kind="number"),
        Column("proved", "proved at most", kind="number bound"),
        Column("least", "no weight leaves less than", kind="number"),
        Column("unit", "", kind="unit"),
        Column("exact", "vanishes for every pose"),
        Column("moves", "the joint moves", "kg", "number"),
        Column("spring", "spring k a b", "N m", "number"),
        Column("heavy", "too heavy to build"),
    )
    rows = tuple(
        (label(b.joint, names), b.link, b.mass, *b.place, b.before, b.after, b.proved, b.least,
         b.unit, b.exact,
         b.moves, b.spring, b.heavy)
        for b in balances
    )  # fmt: skip
    note = (
        "Solved exactly from the closed form where the load vanishes. Elsewhere joints farther out move part of it, "
        "which no weight on this link can follow; the weight is then the one that makes the largest load over the "
        "whole box. A weight above half of what the joint moves is too heavy to build; a spring without free length, "
        "of stiffness k from a point at a above a level joint axis to one at b on the link, does the same and adds no "
        "inertia."
    )
    return DataTable("counterbalance", "Weights that balance a joint", columns, rows, note)


def label(name: str, names: Sequence[str]) -> str:
    """Number and name of a joint; the name alone where ``names`` lacks it."""
    return joint_label(list(names).index(name), name) if name in names else name
