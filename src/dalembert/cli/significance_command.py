"""``dalembert significance``: every term of every torque by what it contributes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from dalembert.arm.errors import ArmError

from .arguments import ArmArgument, load
from .printing import figures, heading, paragraph, say, table
from .states import AccelerationOption, BoxOption, LoadOption, SpeedOption, amounts, read_boxes, read_load

MOTION = (
    "Judge the terms along this motion (CSV with the columns t, q_JOINT, and if known qd_JOINT, qdd_JOINT) "
    "instead of over all states."
)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("significance")(significance)


def significance(
    arm: ArmArgument,
    motion: Annotated[Path | None, typer.Option("--motion", metavar="FILE", help=MOTION)] = None,
    speed: SpeedOption = None,
    acceleration: AccelerationOption = None,
    box: BoxOption = None,
    load_: LoadOption = "",
    links_only: Annotated[bool, typer.Option("--links-only", help="Without the input inertia of the drives.")] = False,
    least: Annotated[
        float, typer.Option(help="Leave out terms below this share of the largest term of their joint.")
    ] = 0.01,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, all terms.")] = False,
) -> None:
    """Rank every term of every joint's torque by its largest and RMS contribution."""
    from dalembert.design.significance import significance as ranked
    from dalembert.simulation.motion_files import motion_of

    given = load(arm)
    if motion is not None and (speed or acceleration or box):
        raise ArmError(
            "--motion has its own positions, speeds and accelerations; leave out --speed, --acceleration, --box"
        )
    held = read_load(load_)
    found = ranked(
        given.holding(held) if held is not None else given,
        speed=amounts(given, "--speed", speed),
        acceleration=amounts(given, "--acceleration", acceleration),
        box=read_boxes(given, box),
        drives=not links_only,
        motion=motion_of(given, motion) if motion is not None else None,
    )
    if as_json:
        rows = [
            {"joint": one.joint, "term": one.name, "times": one.motion, "largest": one.largest, "proved": one.proved,
             "rms": one.rms, "share": one.share}
            for one in found
        ]  # fmt: skip
        print(json.dumps({"arm": given.name, "motion": str(motion) if motion else None, "terms": rows}, indent=2))
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
    if motion is not None:
        paragraph(f"Along {motion}, means over its time; inertia {'without' if links_only else 'with'} the drives.")
    else:
        paragraph(
            "Largest: attained over all positions, times the largest speeds and accelerations. Proved: what no state "
            "exceeds. The RMS is exact, all states alike."
        )
