"""``dalembert structure``: what every coefficient depends on, and which are zero and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import printable

from .closed_form_options import Parameters, closed_form
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System


@system_command
def structure(
    system: System,
    parameters: Parameters = "symbols",
    zeros: Annotated[bool, typer.Option(help="List the zero coefficients and why they are zero.")] = True,
) -> None:
    """Print what every coefficient depends on, which are zero and why, counts and sparsity."""
    from dalembert.equations.structure import WHY

    result = closed_form(system, parameters).structure()
    print(f"{printable(result.arm)}: {result.n} joints, {result.revolute} of them revolute")
    for kind, count in result.counts.items():
        print(f"  {kind:8} {count.nonzero:4} of {count.independent:4} not zero, {count.constant} constant")
    print(f"  {'total':8} {result.total:4} of {result.independent:4}: sparsity {float(result.sparsity):.3f}")
    print(
        f"  degree of anthropomorphism {float(result.anthropomorphism):.3f}: the scaling law says "
        f"{float(result.sparsity_law):.3f}, {100 * result.law_error:+.1f} percent"
    )
    print("\ncoefficients and the joints they depend on")
    for item in result.coefficients:
        if item.zero is None:
            joints = ", ".join(f"q{j + 1}" for j in item.joints) or "constant"
            beyond = "" if item.as_predicted else "  (more than Tourassis and Neuman, Table 1)"
            print(f"  {item.name:6} {joints}{beyond}")
    if zeros:
        for reason, sentence in WHY.items():
            names = [name for name, why in result.zeros.items() if why == reason]
            if names:
                print(f"\n{sentence}:\n  {', '.join(names)}")
    print("\nrelations, decided exactly")
    for relation, broken in result.relations.items():
        print(f"  {relation}: {'holds' if not broken else 'broken by ' + ', '.join(broken)}")
