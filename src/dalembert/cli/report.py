"""``dalembert report``: one self-contained page on what matters in an arm."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from dalembert.arm.description import ArmDescription, listed
from dalembert.arm.errors import ArmError
from dalembert.arm.expression import quantity
from dalembert.arm.inertia import Inertia, Load
from dalembert.report.findings import Report
from dalembert.report.write import plain, write_report

from .arguments import ArmArgument, load
from .printing import say
from .values import joint_values

MOTION = (
    "Also judge the terms along this motion: CSV with the columns t, q_JOINT and, if known, qd_JOINT, qdd_JOINT, as "
    "dalembert simulate --output writes it."
)
PAGES = (".html", ".htm")
LOAD = (
    "Compare with a load in the hand: mass (kg), mass:edge of a homogeneous cube (m), as in 1.8:0.0762, or "
    "mass,x,y,z with "
    "its centre in the tool frame (m), and :edge or :a,b,c after it."
)
BOX = "Range of a joint in place of its limits: joint3=0.2:0.9 (m or rad, or '-90 deg:90 deg'). May be repeated."
EACH = "One for all joints, or one for each."
TOLERANCE = (
    "Torque error of a reduced model as a share of the largest torque; may be repeated. 0.05 and 0.01 if left out."
)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report")(report)


def report(
    arm: ArmArgument,
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
    carried: Annotated[str | None, typer.Option("--load", metavar="LOAD", help=LOAD)] = None,
    box: Annotated[list[str] | None, typer.Option("--box", metavar="JOINT=LOW:HIGH", help=BOX)] = None,
    speed: Annotated[
        str | None, typer.Option("--speed", metavar="VALUES", help=f"Largest speeds, rad/s or m/s. {EACH}")
    ] = None,
    acceleration: Annotated[
        str | None,
        typer.Option("--acceleration", metavar="VALUES", help=f"Largest accelerations, rad/s^2 or m/s^2. {EACH}"),
    ] = None,
    tolerance: Annotated[list[float] | None, typer.Option("--tolerance", metavar="SHARE", help=TOLERANCE)] = None,
    motion: Annotated[Path | None, typer.Option("--motion", metavar="FILE", help=MOTION)] = None,
    against: Annotated[str, typer.Option("--against", metavar="ARM", help="Another arm to set beside this one.")] = "",
    q: Annotated[
        str | None, typer.Option("--q", metavar="VALUES", help="Pose in which the drawing starts, rad or m.")
    ] = None,
) -> None:
    """Write a report: the arm in 3D, its equations, ranges, what matters in it, reduced models with proof."""
    given = load(arm)
    if output.suffix.lower() not in PAGES:
        raise ArmError(f"the report is a page, so its name must end in .html, not {output.name!r}")
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
    with bar:
        task = bar.add_task("starting", total=1)

        def follow(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        found = write_report(
            given,
            output,
            load=load_of(carried),
            box=dict(box_of(given, text) for text in box or ()),
            speed=amounts(given, "--speed", speed),
            acceleration=amounts(given, "--acceleration", acceleration),
            tolerances=tuple(tolerance or (0.05, 0.01)),
            pose=joint_values(given, "--q", q).tolist() if q is not None else None,
            motion=motion,
            against=load(against) if against else None,
            pdf=output.with_suffix(".pdf") if pdf else None,
            csv=csv,
            json=json,
            progress=follow,
        )
    print_summary(found)
    beside = [str(output.with_suffix(".pdf"))] * pdf + [str(path) for path in (csv, json) if path is not None]
    say(f"\nThe report is {output}" + (f", beside it {listed(beside)}" if beside else "") + "; open it in a browser.")


def print_summary(found: Report) -> None:
    """What each section says, as the head of the page does."""
    say(f"{found.arm.name}: {found.arm.title}" if found.arm.title else found.arm.name)
    for section in found.sections:
        say(f"\n{section.title}")
        for line in textwrap.wrap(plain(str(section.meaning)).replace("\N{NO-BREAK SPACE}", " "), 76):
            say(f"  {line}")


def numbers(text: str, option: str, counts: Sequence[int]) -> list[float]:
    """So many numbers with commas between them."""
    words = text.split(",") if "," in text else text.split()
    if len(words) not in counts:
        raise ArmError(f"{option} takes {' or '.join(map(str, counts))} numbers with commas between them, not {text!r}")
    return [float(quantity(word, option)) for word in words]


def amounts(arm: ArmDescription, option: str, text: str | None) -> list[float] | None:
    """One number for each joint."""
    if text is None:
        return None
    found = numbers(text, option, (1, arm.n))
    return found * arm.n if len(found) == 1 else found


def load_of(text: str | None) -> Load | None:
    """The load that --load describes: mass, perhaps its centre, perhaps the edges of a homogeneous box."""
    if text is None:
        return None
    body, colon, size = text.partition(":")
    mass, *centre = numbers(body, "--load", (1, 4))
    com = tuple(centre) or (0.0, 0.0, 0.0)
    if mass < 0:
        raise ArmError(f"--load: the mass is negative ({mass:g} kg); give its magnitude")
    if not colon:
        return Load(mass, com)
    edges = numbers(size, "--load, after the colon,", (1, 3))
    if min(edges) < 0:
        raise ArmError(f"--load: an edge is negative ({min(edges):g} m)")
    return Load.of(Inertia.box(mass, edges * 3 if len(edges) == 1 else edges), com)


def box_of(arm: ArmDescription, text: str) -> tuple[str, tuple[float, float]]:
    """The joint and range that joint3=0.2:0.9 names."""
    name, equals, ends = text.rpartition("=")
    low, colon, high = ends.partition(":")
    if not equals or not colon or not name.strip():
        raise ArmError(f"--box takes a joint and its range, as in {arm.joint_names[0]}=0:1, not {text!r}")
    option = f"--box {name.strip()}"
    return name.strip(), (float(quantity(low, option)), float(quantity(high, option)))
