"""``dalembert review``: a design against guidelines, with figures."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import ArmArgument, load
from .printing import figures, heading, paragraph, table
from .ranges import BoxOption, boxes


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("review")(review)


def review(
    arm: ArmArgument,
    box: BoxOption = None,
    against: Annotated[str, typer.Option("--against", metavar="ARM", help="Another arm to set beside this one.")] = "",
) -> None:
    """Review a design: coupling, gravity, masses, counterweights; or compare it with another."""
    from dalembert.design.review import compared
    from dalembert.design.review import review as reviewed

    given, domain = load(arm), boxes(box)
    if against:
        rows = compared(given, load(against), box=domain)
        table([("", [r.name for r in rows]), (given.name, figures(r.first for r in rows)),
               (against, figures(r.second for r in rows)), ("unit", [r.unit for r in rows])])  # fmt: skip
        return
    found = reviewed(given, box=domain)
    heading(f"{given.name} against the guidelines of Tourassis and Neuman (1985)")
    for finding in found.findings:
        paragraph(f"- {finding.guideline}: {finding.verdict}. {finding.text[:1].upper()}{finding.text[1:]}")
    if found.couplings:
        heading("Coupling of joints: k = |Dij| / sqrt(Dii Djj)")
        table([("joints", [f"{c.first}, {c.second}" for c in found.couplings]),
               ("k largest", figures(c.largest for c in found.couplings)),
               ("proved\nat most", figures(c.proved for c in found.couplings)),
               ("loading\nfactor", figures(c.loading for c in found.couplings)),
               ("kinematic\nfactor", figures(c.kinematic for c in found.couplings))])  # fmt: skip
    if found.balances:
        heading("Counterweights 0.2 m from the joint axis")
        table([("joint", [b.joint for b in found.balances]), ("mass\nkg", figures(b.mass for b in found.balances)),
               ("load before\nN m", figures(b.before for b in found.balances)),
               ("after\nN m", figures(b.after for b in found.balances)),
               ("", ["vanishes" if b.exact else "" for b in found.balances])])  # fmt: skip
