"""``dalembert review``: a design against guidelines, with figures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError

from .arguments import ArmArgument, load
from .printing import figures, heading, paragraph, say, table
from .ranges_command import optional
from .states import BoxOption, LoadOption, read_boxes, read_load

if TYPE_CHECKING:
    from dalembert.design.compare import Compared


GROUPS = {
    "mass": "Masses",
    "inertia": "Inertia at the joints, drives included",
    "gravity": "Gravity load",
    "motor": "At the motor, and of what the drives give",
    "coupling": "Largest coupling k of pairs of joints",
}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("review")(review)


def review(
    arm: ArmArgument,
    box: BoxOption = None,
    against: Annotated[str, typer.Option("--against", metavar="ARM", help="Another arm to set beside this one.")] = "",
    load_: LoadOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="With --against: print JSON.")] = False,
) -> None:
    """Review a design: coupling, gravity, masses, counterweights; or compare it with another."""
    from dalembert.design.compare import compared
    from dalembert.design.review import review as reviewed

    given = load(arm)
    domain, held = read_boxes(given, box), read_load(load_)
    if against:
        other = load(against)
        side_by_side(given.name, other.name, compared(given, other, box=domain, load=held), as_json)
        return
    if as_json:
        raise ArmError("--json goes with --against; the review itself is text")
    given = given.holding(held) if held is not None else given
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


def side_by_side(first: str, second: str, rows: Sequence[Compared], as_json: bool) -> None:
    """Two designs, group by group, with what changed."""
    if as_json:
        found = [
            {"group": r.group, "name": r.name, "unit": r.unit, "first": r.first, "second": r.second,
             "change": r.change if r.change is not None and math.isfinite(r.change) else None, "proved": r.proved}
            for r in rows
        ]  # fmt: skip
        print(json.dumps({"first": first, "second": second, "rows": found}, indent=2))
        return
    for group, title in GROUPS.items():
        mine = [r for r in rows if r.group == group]
        if not mine:
            continue
        heading(title)
        changes = [None if r.change is None else 100 * r.change for r in mine]
        table([("", [r.name for r in mine]), (first, optional([r.first for r in mine])),
               (second, optional([r.second for r in mine])), ("unit", [r.unit for r in mine]),
               ("change\npercent", optional([x if x is None else round(x, 2) for x in changes]))])  # fmt: skip
    moved = sum(r.changed for r in rows)
    say()
    paragraph(f"{moved} of {len(rows)} figures differ. Joints are taken in their order.")
    loose = [r.name for r in rows if not r.proved]
    if loose:
        paragraph(f"Found by search, not proved to the tolerance: {', '.join(loose)}.")
