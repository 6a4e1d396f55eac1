"""``dalembert bench``: this machine, side by side with whichever peers are installed."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.compile import timing as benches

from .printing import heading, paragraph, table
from .shaping_options import (
    AnglesAre,
    AnglesOption,
    ArgOption,
    ArmArgument,
    CleanOption,
    MimicOption,
    SkipOption,
    SpringsOption,
)
from .system_options import load_arm


def bench(
    arm: ArmArgument = "panda",
    function: Annotated[
        list[str] | None, typer.Option("--function", "-f", help="A function to compare; may be repeated.")
    ] = None,
    no_springs: SpringsOption = False,
    mimic: MimicOption = "refuse",
    skip: SkipOption = None,
    arg: ArgOption = None,
    states: Annotated[int, typer.Option("--states", min=1, help="States in a batch.")] = benches.STATES,
    angles: AnglesOption = AnglesAre.MEANT,
    clean: CleanOption = None,
) -> None:
    """Time per state of the compiled functions and of Pinocchio, MuJoCo, roboticstoolbox and CasADi."""
    if not benches.compiled_here():
        raise ArmError("there is no C compiler, so nothing is compiled and there is nothing to compare; install one")
    loaded = load_arm(arm, mimic=mimic, skip=skip, no_springs=no_springs, arg=arg, angles=angles, clean=clean)
    lines: list[benches.Line] = []
    for name in benches.available(function):
        lines += benches.compare_batch(loaded, name, states)
    heading(f"{loaded.name}: one thread, {states} states, ns per state")
    table(
        [
            ("function", [line.function for line in lines]),
            ("here", [f"{line.ours:.1f}" for line in lines]),
            ("limit", [f"{benches.roofline(loaded, line.function):.1f}" for line in lines]),
            ("peer", [line.peer or "-" for line in lines]),
            ("there", [_figure(line.theirs) for line in lines]),
            ("ratio", [_figure(line.ratio) for line in lines]),
            ("differs", [f"{line.difference:.0e}" if line.difference == line.difference else "-" for line in lines]),
        ]
    )
    for peer in dict.fromkeys(line.peer for line in lines if line.peer):
        ways = dict.fromkeys(line.how for line in lines if line.peer == peer)
        paragraph(f"{peer}: {', '.join(ways)}.")
    paragraph(
        "limit: what neither arithmetic nor memory of this machine could beat (the larger of operations over the "
        "measured peak and bytes over the measured bandwidth). differs: the largest difference, relative, in this run."
    )
    singles = [*benches.compare_single(loaded), benches.compare_threads(loaded, count=10 * states)]
    heading("inverse_dynamics: calls from Python, and threads, ns")
    table(
        [
            ("what", [line.what for line in singles]),
            ("here", [f"{line.ours:.1f}" for line in singles]),
            ("peer", [f"{line.peer}: {line.how}" if line.peer else "-" for line in singles]),
            ("there", [_figure(line.theirs) for line in singles]),
            ("ratio", [f"{line.ratio:.2f}" if line.ratio == line.ratio else "-" for line in singles]),
        ]
    )


def _figure(value: float) -> str:
    return f"{value:.1f}" if value == value else "-"
