"""Which coefficients there are, what each depends on, and why the others are zero (Tourassis and Neuman 1985)."""

from __future__ import annotations

from ...equations.structure import Structure
from ...equations.structure_tables import counts_table, dependence_table, reasons
from ...markup.numbers import percent
from ..section import Section


def section(found: Structure, names: tuple[str, ...]) -> Section:
    """Numbers of coefficients, the joint positions they depend on, and why the others vanish."""
    zero = found.independent - found.total
    constant = sum(count.constant for count in found.counts.values())
    meaning = (
        f"Of the {found.independent} coefficients an arm with {found.n} joints can have, {found.total} are not "
        "zero here "
        f"({percent(float(found.sparsity), 2)}) and {constant} of those are constant, so {zero} never need computing."
    )
    return Section(
        "structure", "Structure", meaning, (counts_table(found), dependence_table(found, names), reasons(found))
    )
