"""Which coefficients there are, what each depends on, and why the others are zero, as tables."""

from __future__ import annotations

from ..markup.data_tables import Column, DataTable, Rich
from ..markup.elements import Html, coefficient, join, tag, with_symbols
from ..markup.numbers import joint_label
from .structure import WHY, Structure

KINDS = {
    "d_ii": "inertia at a joint, D_ii",
    "d_ij": "inertial coupling, D_ij",
    "c_jj(i)": "centrifugal, C_ijj",
    "c_jm(i)": "Coriolis, C_ijk",
    "G_i": "gravity load, G_i",
}


def counts_table(structure: Structure) -> DataTable:
    """Coefficients by kind: independent ones of a general arm, non-zero and constant ones of this arm."""
    columns = (
        Column("kind", "kind"),
        Column("independent", "in a general arm", kind="number"),
        Column("nonzero", "not zero here", kind="number"),
        Column("constant", "of these constant", kind="number"),
    )
    rows = tuple(
        (
            Rich(KINDS.get(kind, kind), with_symbols(KINDS.get(kind, kind))),
            count.independent,
            count.nonzero,
            count.constant,
        )
        for kind, count in structure.counts.items()
    )
    return DataTable("structure", "How many coefficients there are", columns, rows)


def dependence_table(structure: Structure, names: tuple[str, ...] = ()) -> DataTable:
    """Number of terms of each non-zero coefficient, and the joint positions it depends on."""
    columns = (
        Column("coefficient", "coefficient", kind="name"),
        Column("terms", "terms", kind="number"),
        Column("depends on", "depends on the positions of"),
    )
    rows = []
    for item in structure.coefficients:
        if item.zero is None:
            labels = [joint_label(j, names[j] if names else str(j + 1)) for j in item.joints]
            # Labels with a comma of their own, "joint 2, elbow", are kept apart by semicolons.
            between = "; " if any("," in text for text in labels) else ", "
            rows.append((item.name, item.terms, between.join(labels) or "nothing: it is constant"))
    return DataTable("dependence", "What each coefficient depends on", columns, tuple(rows), first=12)


def reasons(structure: Structure) -> Html:
    """Zero coefficients, grouped by why they vanish."""
    parts = []
    for reason, sentence in WHY.items():
        zero = [item.name for item in structure.coefficients if item.zero == reason]
        if zero:
            parts.append(
                tag("p", tag("b", f"{sentence[0].upper()}{sentence[1:]}: "), join((coefficient(n) for n in zero), ", "))
            )
    return join(parts)
