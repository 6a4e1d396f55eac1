"""``dalembert significance``: every term of every torque by what it contributes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase

from .counted_states import print_states, states_data
from .notes import note
from .printing import bounds, figures, heading, json_text, paragraph, say, table, units_by_quantity
from .reducing_bar import asking_bar
from .system_options import analysis_command

if TYPE_CHECKING:
    from dalembert.arm.description import Joint
    from dalembert.design.analysis import Analysis
    from dalembert.design.significance import TermShare

MOTION = (
    "Judge the terms along this motion (CSV with the columns t, q_JOINT, and if known qd_JOINT, qdd_JOINT) "
    "instead of over all states."
)


@analysis_command
def significance(
    ask: Analysis,
    motion: Annotated[Path | None, typer.Option("--motion", metavar="FILE", help=MOTION)] = None,
    only: Annotated[
        str, typer.Option(help="Only the terms of these coefficients, such as D12,C112,G2, or D112 after Bejczy 1974.")
    ] = "",
    least: Annotated[
        float | None,
        typer.Option(help="Leave out terms below this share of the largest term of their joint (0.01; 0 with --only)."),
    ] = None,
    split: Annotated[
        bool,
        typer.Option(
            "--split",
            help="Shares of translation and rotation instead, and the simplified models that keep the larger "
            "(Lee, Lee and Nigam 1982, section 3), with their errors.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, all terms.")] = False,
) -> None:
    """Rank every term of every joint's torque by its largest and RMS contribution."""
    from dalembert.equations.names import separate
    from dalembert.simulation.motion_files import motion_of

    system = ask.system
    if motion is not None and ask.narrowed:
        raise ArmError(
            "--motion has its own positions, speeds and accelerations; leave out --speed, --acceleration, --box"
        )
    if as_json and least is not None:
        raise ArmError("--json prints all terms; leave out --least")
    if split:
        if motion is not None:
            raise ArmError("--split judges over all states; leave out --motion")
        if only:
            raise ArmError("--split is of the inertias and velocity terms of all joints; leave out --only")
        from .split_tables import print_split_shares

        with asking_bar(ask, "shares"):
            print_split_shares(ask, 0.01 if least is None else least, as_json)
        return
    samples = motion_of(system, motion) if motion is not None else None
    with asking_bar(ask, "terms"):
        # of terms that are named a part is not told from those that are zero
        ranked = ask.significance(samples, partial=not only)
    if ranked.interrupted:
        bounded = dict.fromkeys(term.joint for term in ranked)
        note(f"interrupted; these are the terms of {', '.join(bounded)}, the others are left out")
    zero: tuple[str, ...] = ()
    if only:
        ranked, zero = ranked.named(separate(only), system.n)
    floor = least if least is not None else 0.0 if only else 0.01
    if as_json:
        rows = [
            {"joint": t.joint, "term": t.name, "times": t.motion, "largest": t.largest, "proved": t.proved,
             "rms": t.rms, "share": t.share}
            for t in ranked
        ]  # fmt: skip
        print(
            json_text(
                {
                    "arm": system.name,
                    "drives": system.drive_model,
                    "joints": list(system.joint_names),
                    "units": units_by_quantity(system, "effort"),
                    "motion": str(motion) if motion else None,
                    **({} if motion else {"states": states_data(ask)}),
                    "interrupted": ranked.interrupted,
                    "terms": rows,
                    **({"zero": list(zero)} if only else {}),
                }
            )
        )
        return
    for joint in system.moving:
        of_joint = [t for t in ranked if t.joint == joint.name]
        if (only or ranked.interrupted) and not of_joint:
            continue
        print_terms(joint, of_joint, floor, proved=motion is None)
    if motion is None:
        print_states(ask)
    say()
    if zero:
        paragraph(f"Zero: {', '.join(zero)}.")
    counted = f"{system_phrase(system)}{'; friction, which is no term, is not ranked' if system.counts_drives else ''}"
    if motion is not None:
        paragraph(f"Along {motion}, means over its time; {counted}.")
    else:
        paragraph(
            "Largest: attained over all positions, times the largest speeds and accelerations. Proved: what no state "
            f"exceeds. The RMS is exact, all states alike. {counted[:1].upper()}{counted[1:]}."
        )


def print_terms(joint: Joint, terms: Sequence[TermShare], floor: float, proved: bool) -> None:
    """The terms of one joint that reach the share ``floor``; what is ``proved`` of them where that is known."""
    listed = [t for t in terms if t.share >= floor]
    unit = "N m" if joint.kind == "revolute" else "N"
    reached = f"{len(listed)} of {len(terms)} terms reach {100 * floor:g} percent of the largest"
    heading(f"{joint.name}: {reached if floor else 'the terms asked for'}")
    if not listed:
        say("no term")
        return
    columns = [
        ("term", [f"{t.name} {t.motion}".strip() for t in listed]),
        (f"largest\n{unit}", figures(t.largest for t in listed)),
    ]
    if proved:
        columns.append(("proved\nat most", bounds(t.proved for t in listed)))
    columns += [(f"RMS\n{unit}", figures(t.rms for t in listed)),
                ("percent of\nthe largest", figures(round(100 * t.share, 2) for t in listed))]  # fmt: skip
    table(columns)
