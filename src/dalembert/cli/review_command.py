"""``dalembert review``: a design against guidelines, with figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase

from .notes import note
from .printing import bounds, figures, figures_or_dashes, heading, json_text, paragraph, say, table
from .reducing_bar import asking_bar
from .shaping_options import BoxOption
from .system_options import read_analysis, shaped_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.compare import Compared
    from dalembert.design.counterbalance import Counterbalance


GROUPS = {
    "mass": "Masses",
    "inertia": "Inertia at the joints",
    "gravity": "Gravity load",
    "motor": "At the motor, and of what the drives give",
    "coupling": "Largest coupling k of pairs of joints",
}


@shaped_command
def review(
    system: System,
    shaped: Callable[[str], System],
    against: Annotated[str, typer.Option("--against", metavar="ARM", help="Another arm to set beside this one.")] = "",
    box: BoxOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --against: print JSON.")] = False,
) -> None:
    """Review a design: coupling, gravity, masses, counterweights; or compare it with another under the same options."""
    from dalembert.bounds.ranges import LESS_WORK

    ask = read_analysis(system, box)
    ask.work = LESS_WORK
    if against:
        second_system = shaped(against)
        with asking_bar(ask, "comparison"):
            first, second = ask, ask.of(second_system)
            if system.loads:
                empty = first.of(system.holding(None)), second.of(second_system.holding(None))
                rows = empty[0].compare(empty[1], (first, second))
            else:
                rows = first.compare(second)
        side_by_side(system.name, second_system.name, rows, as_json)
        return
    if as_json:
        raise ArmError("--json goes with --against; the review itself is text")
    with asking_bar(ask, "review"):
        reviewed = ask.review(partial=True)
    if reviewed.interrupted:
        note(
            f"interrupted; {len(reviewed.couplings)} couplings and {len(reviewed.balances)} counterweights were "
            "worked out by then, the others are left out"
        )
    heading(f"{system.name}, {system_phrase(system)}, against the guidelines of Tourassis and Neuman (1985)")
    for finding in reviewed.findings:
        paragraph(f"- {finding.guideline}: {finding.verdict}. {finding.text[:1].upper()}{finding.text[1:]}")
    if reviewed.couplings:
        heading("Coupling of joints: k = |Dij| / sqrt(Dii Djj)")
        table([("joints", [f"{c.first}, {c.second}" for c in reviewed.couplings]),
               ("k largest", figures(c.largest for c in reviewed.couplings)),
               ("proved\nat most", bounds(c.proved for c in reviewed.couplings)),
               ("loading\nfactor", figures(c.loading for c in reviewed.couplings)),
               ("kinematic\nfactor", figures(c.kinematic for c in reviewed.couplings))])  # fmt: skip
    if reviewed.balances:
        heading("Counterweights 0.2 m from the joint axis")
        table([("joint", [b.joint for b in reviewed.balances]),
               ("mass\nkg", figures(b.mass for b in reviewed.balances)),
               ("load before\nN m", figures(b.before for b in reviewed.balances)),
               ("after\nN m", figures(b.after for b in reviewed.balances)),
               ("proved\nat most", bounds(b.proved for b in reviewed.balances)),
               ("spring\nN m", figures(b.spring for b in reviewed.balances)),
               ("", [balance_verdict(b) for b in reviewed.balances])])  # fmt: skip
        paragraph(
            "Where the load does not vanish, no weight on the link leaves less than the one told. A weight above half "
            "of what its joint moves is too heavy to build. A spring without free length, from a point at a above a "
            "level joint axis to one at b on the link, with k a b as under spring, does what the weight does and adds "
            "no inertia."
        )


def balance_verdict(balance: Counterbalance) -> str:
    """What to think of a counterweight."""
    return ", ".join(
        word for word, applies in (("vanishes", balance.exact), ("too heavy: a spring", balance.heavy)) if applies
    )


def side_by_side(first: str, second: str, rows: Sequence[Compared], as_json: bool) -> None:
    """Two designs, group by group, with what changed."""
    if as_json:
        records = [
            {"group": r.group, "name": r.name, "unit": r.unit, "first": r.first, "second": r.second,
             "change": r.change, "proved": r.proved}
            for r in rows
        ]  # fmt: skip
        print(json_text({"first": first, "second": second, "rows": records}))
        return
    for group, title in GROUPS.items():
        in_group = [r for r in rows if r.group == group]
        if not in_group:
            continue
        heading(title)
        changes = [None if r.change is None else 100 * r.change for r in in_group]
        table([("", [r.name for r in in_group]), (first, figures_or_dashes([r.first for r in in_group])),
               (second, figures_or_dashes([r.second for r in in_group])), ("unit", [r.unit for r in in_group]),
               ("change\npercent", figures_or_dashes([x if x is None else round(x, 2) for x in changes]))])  # fmt: skip
    changed = sum(r.changed for r in rows)
    say()
    paragraph(f"{changed} of {len(rows)} figures differ. Joints are taken in their order.")
    uncertified = [r.name for r in rows if not r.proved]
    if uncertified:
        paragraph(f"Found by search, not proved to the tolerance: {', '.join(uncertified)}.")
