"""``dalembert significance``: every term of every torque by what it contributes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError

from .dynamics_command import about
from .printing import figures, heading, paragraph, say, table
from .system_options import analysis_command

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis

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

    given = ask.system
    if motion is not None and ask.narrowed:
        raise ArmError(
            "--motion has its own positions, speeds and accelerations; leave out --speed, --acceleration, --box"
        )
    if split:
        if motion is not None:
            raise ArmError("--split judges over all states; leave out --motion")
        if only:
            raise ArmError("--split is of the inertias and velocity terms of all joints; leave out --only")
        from .split_tables import print_split_shares

        print_split_shares(ask, 0.01 if least is None else least, as_json)
        return
    found = ask.significance(motion_of(given, motion) if motion is not None else None)
    zero: tuple[str, ...] = ()
    if only:
        found, zero = found.named(separate(only), given.n)
    floor = least if least is not None else 0.0 if only else 0.01
    if as_json:
        rows = [
            {"joint": one.joint, "term": one.name, "times": one.motion, "largest": one.largest, "proved": one.proved,
             "rms": one.rms, "share": one.share}
            for one in found
        ]  # fmt: skip
        print(
            json.dumps(
                {
                    "arm": given.name,
                    "drives": given.drive_model,
                    "motion": str(motion) if motion else None,
                    "terms": rows,
                    **({"zero": list(zero)} if only else {}),
                },
                indent=2,
            )
        )
        return
    for joint in given.moving:
        mine = [one for one in found if one.joint == joint.name]
        if only and not mine:
            continue
        shown = [one for one in mine if one.share >= floor]
        unit = "N m" if joint.kind == "revolute" else "N"
        reached = f"{len(shown)} of {len(mine)} terms reach {100 * floor:g} percent of the largest"
        heading(f"{joint.name}: {reached if floor else 'the terms asked for'}")
        if not shown:
            say("no term")
            continue
        columns = [
            ("term", [f"{one.name} {one.motion}".strip() for one in shown]),
            (f"largest\n{unit}", figures(one.largest for one in shown)),
        ]
        if motion is None:
            columns.append(("proved\nat most", figures(one.proved for one in shown)))
        columns += [(f"RMS\n{unit}", figures(one.rms for one in shown)),
                    ("percent of\nthe largest", figures(round(100 * one.share, 2) for one in shown))]  # fmt: skip
        table(columns)
    say()
    if zero:
        paragraph(f"Zero: {', '.join(zero)}.")
    counted = f"{about(given)}{'; friction, which is no term, is not ranked' if given.counts_drives else ''}"
    if motion is not None:
        paragraph(f"Along {motion}, means over its time; {counted}.")
    else:
        paragraph(
            "Largest: attained over all positions, times the largest speeds and accelerations. Proved: what no state "
            f"exceeds. The RMS is exact, all states alike. {counted[:1].upper()}{counted[1:]}."
        )
