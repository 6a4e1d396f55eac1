"""``dalembert operations``: what the torques of an arm cost, by formulation (Lee, Lee and Nigam 1982, Table 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.arm.system_phrase import system_phrase
from dalembert.compile import operations as counts
from dalembert.compile.functions import FUNCTIONS, function, unfit
from dalembert.formulations.registry import TORQUES

from .printing import heading, paragraph, table
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System


@system_command
def operations(system: System) -> None:
    """Multiplications and additions of inverse dynamics by each formulation, and of every compiled function."""
    lee = counts.lee(system.n)
    rows: list[tuple[str, counts.Operations]] = []
    for name in TORQUES:
        if name in lee:
            rows.append((f"{name}: Lee, Table 1, n = {system.n}", lee[name]))
        rows.append((f"{name}: general code", counts.general(system, name)))
        rows.append((f"{name}: generated for this arm", counts.generated(system, name)))
    rows.append(("newton-euler: generated, inertia regrouped", counts.regrouped(system.counting_drives("none"))))
    rows += [(f"{name}, n = {system.n}", formula(system.n)) for name, formula in counts.PUBLISHED]
    heading(f"Inverse dynamics of the links of {system.name}: operations for one state")
    print_counts("way", rows)
    paragraph(
        "General code knows the joints and the tree of the arm but none of its numbers. Generated code leaves out "
        "what is zero or one and computes repeated expressions once. Lee's formulas and the published counts are for "
        "general arms with revolute joints."
    )
    heading("Generalized d'Alembert, general code, step by step (Lee, Lee and Nigam 1982, Figure 2)")
    print_counts("step, with its equation", list(counts.dalembert_blocks(system).items()))
    heading(f"Compiled functions, {system_phrase(system)}")
    names = [name for name in FUNCTIONS if not unfit(system, name)]
    print_counts("function", [(name, counts.count(function(system, name).nodes)) for name in names])


def print_counts(head: str, rows: list[tuple[str, counts.Operations]]) -> None:
    """Operations, row by row."""
    table(
        [
            (head, [name for name, _ in rows]),
            ("mult", [str(count.multiplications) for _, count in rows]),
            ("add", [str(count.additions) for _, count in rows]),
            *([("div", [str(count.divisions) for _, count in rows])] if any(f.divisions for _, f in rows) else []),
            ("total", [str(count.total) for _, count in rows]),
            ("sin-cos", [str(count.sine_cosine_pairs or "") or "-" for _, count in rows]),
        ]
    )
