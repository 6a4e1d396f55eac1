"""``dalembert report``: one self-contained page on what matters in an arm."""

from __future__ import annotations

import contextlib
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from dalembert.arm.description import listed

from .notes import note
from .printing import say
from .shaping_options import AccelerationOption, BoxOption, SpeedOption
from .system_options import amounts, read_boxes, shaped_command
from .values import joint_values

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.report.assemble import Report

MOTION = (
    "Also judge the terms along this motion: CSV with the columns t, q_JOINT and, if known, qd_JOINT, qdd_JOINT, as "
    "dalembert simulate --output writes it."
)
PAUSE = 10.0
"""Seconds between two lines of progress within a section."""
TOLERANCE = (
    "Torque error of a reduced model as a share of the largest torque; may be repeated. 0.05 and 0.01 if left out."
)


@shaped_command
def report(
    system: System,
    shaped: Callable[[str], System],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The page to write (.html); an old one is replaced.")
    ] = Path("report.html"),
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also print it as PDF beside the page; needs Chromium or Chrome.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="Write every table as CSV into this folder.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write every table into this JSON file.")
    ] = None,
    box: BoxOption = None,
    speed: SpeedOption = None,
    acceleration: AccelerationOption = None,
    tolerance: Annotated[list[float] | None, typer.Option("--tolerance", metavar="SHARE", help=TOLERANCE)] = None,
    motion: Annotated[Path | None, typer.Option("--motion", metavar="FILE", help=MOTION)] = None,
    against: Annotated[str, typer.Option("--against", metavar="ARM", help="Another arm to set beside this one.")] = "",
    q: Annotated[
        str | None, typer.Option("--q", metavar="VALUES", help="Pose in which the drawing starts, rad or m.")
    ] = None,
) -> None:
    """Write a report: the arm in 3D, its equations, ranges, what matters in it, reduced models with proof."""
    from dalembert.report.write import write_report

    begun: list[str] = []
    try:
        with progress_bar() as follow:

            def section(step: str, done: int, total: int) -> None:
                begun.append(step.partition(":")[0])
                follow(step, done, total)

            written_report = write_report(
                system,
                output,
                box=read_boxes(system, box),
                speed=amounts(system, "--speed", speed),
                acceleration=amounts(system, "--acceleration", acceleration),
                tolerances=tuple(tolerance or (0.05, 0.01)),
                pose=joint_values(system, "--q", q).tolist() if q is not None else None,
                motion=motion,
                against=shaped(against) if against else None,
                pdf=output.with_suffix(".pdf") if pdf else None,
                csv=csv,
                json=json,
                progress=section,
            )
    except KeyboardInterrupt:
        # the page is written whenever a section is done
        kept = f"{output} has the sections that were done" if len(set(begun)) > 1 else "no section was done"
        note(f"interrupted ({begun[-1] if begun else 'starting'}); {kept}")
        raise
    print_summary(written_report)
    beside = [str(output.with_suffix(".pdf"))] * pdf + [str(path) for path in (csv, json) if path is not None]
    say(f"\nThe report is {output}" + (f", beside it {listed(beside)}" if beside else "") + "; open it in a browser.")


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """What tells the progress of a report: a bar on a terminal, lines in a log."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description:<44.44}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    lines = ProgressLines()
    with bar:
        task = bar.add_task("starting", total=1)

        def follow(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)
            if not console.is_terminal:
                lines(what, done, total)

        yield follow


class ProgressLines:
    """Progress for a log: a line for each section, and one now and then within a long one."""

    def __init__(self) -> None:
        self.section, self.said = "", 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        """A line on stderr, unless one of the same section was printed within the last ten seconds."""
        section, now = step.partition(":")[0], time.monotonic()
        if section != self.section or now - self.said >= PAUSE:
            print(f"report: {100 * done // total:3} % {step}", file=sys.stderr, flush=True)
            self.section, self.said = section, now


def print_summary(report_: Report) -> None:
    """What each section says, as the head of the page does."""
    from dalembert.report.write import plain

    say(f"{report_.arm.name}: {report_.arm.title}" if report_.arm.title else report_.arm.name)
    for section in report_.sections:
        say(f"\n{section.title}")
        for line in textwrap.wrap(plain(str(section.meaning)).replace("\N{NO-BREAK SPACE}", " "), 76):
            say(f"  {line}")
