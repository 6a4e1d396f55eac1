"""Which coefficients there are, what each depends on, and why the others are zero (Tourassis and Neuman 1985)."""

from __future__ import annotations

from ...equations.structure import Structure
from ...equations.structure_tables import counts_table, dependence_table, reasons
from ...markup.numbers import percent
from ..section import Section


def section(structure: Structure, names: tuple[str, ...]) -> Section:
    """Numbers of coefficients, the joint positions they depend on, and why the others vanish."""
    zero = structure.independent - structure.total
    constant = sum(count.constant for count in structure.counts.values())
    meaning = (
        f"Of the {structure.independent} coefficients that an arm of this many joints can have, {structure.total} "
        f"{'is' if structure.total == 1 else 'are'} not zero here ({percent(float(structure.sparsity), 2)}), "
        f"{constant or 'none'} of them constant"
        + (
            f"; {'one' if zero == 1 else f'the other {zero}'} never {'needs' if zero == 1 else 'need'} computing."
            if zero
            else "."
        )
    )
    return Section(
        "structure",
        "Structure",
        meaning,
        (counts_table(structure), dependence_table(structure, names), reasons(structure)),
    )
