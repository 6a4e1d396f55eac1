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
    least: Annotated[
        float, typer.Option(help="Leave out terms below this share of the largest term of their joint.")
    ] = 0.01,
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
    from dalembert.simulation.motion_files import motion_of

    given = ask.system
    if motion is not None and ask.narrowed:
        raise ArmError(
            "--motion has its own positions, speeds and accelerations; leave out --speed, --acceleration, --box"
        )
    if split:
        if motion is not None:
            raise ArmError("--split judges over all states; leave out --motion")
        from .split_tables import print_split_shares

        print_split_shares(ask, least, as_json)
        return
    found = ask.significance(motion_of(given, motion) if motion is not None else None)
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
                },
                indent=2,
            )
        )
        return
    for joint in given.moving:
        mine = [one for one in found if one.joint == joint.name]
        shown = [one for one in mine if one.share >= least]
        unit = "N m" if joint.kind == "revolute" else "N"
        heading(f"{joint.name}: {len(shown)} of {len(mine)} terms reach {100 * least:g} percent of the largest")
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
    counted = f"{about(given)}{'; friction, which is no term, is not ranked' if given.counts_drives else ''}"
    if motion is not None:
        paragraph(f"Along {motion}, means over its time; {counted}.")
    else:
        paragraph(
            "Largest: attained over all positions, times the largest speeds and accelerations. Proved: what no state "
            f"exceeds. The RMS is exact, all states alike. {counted[:1].upper()}{counted[1:]}."
        )
