"""``dalembert demo``: the main job on one built-in arm, and what to try next."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import dalembert as da

from .dynamics_command import efforts, print_mass_matrix, print_state, print_torques
from .geometry import print_geometry
from .printing import figures, heading, joints_with_units, say, table
from .report_command import print_summary, progress_bar
from .show_command import print_head, print_links
from .system_options import read_load

ARM = "jpl-rrp"
# Boom 60 degrees from upright and 0.4 m out, wrist bent, every joint moving: nothing vanishes by chance.
POSE = (0.5, math.radians(60), 0.4, 0.3, 0.6, -0.2)
SPEED = (0.4, -0.3, 0.2, 0.5, -0.4, 0.3)
ACCELERATION = (0.5, 0.5, -0.3, 1.0, 1.0, -1.0)
# The load of Bejczy's tables: a cube of 1.8 kg and 442 cubic centimetres.
LOAD = "1.8:0.0762"

NEXT = """\
dalembert list                        the other built-in arms
dalembert show puma560                one of them, or your own .urdf or .toml
dalembert dynamics puma560 --q 0,-30,60,0,45,0 --degrees
                                      its torques by cause; --json for programs
dalembert equations puma560 --only D33,G3
                                      its exact equations of motion
dalembert reduce puma560 --tolerance 0.05
                                      a shorter model with a proved error
dalembert codegen puma560 -o controller
                                      plain C for a controller
dalembert report puma560 -o puma.html
                                      all that matters in it, on one page

In Python:
    import dalembert as da
    arm = da.load("jpl-rrp")
    arm.inverse_dynamics(q, qd, qdd)  # q of shape (..., 6): a state or a batch"""


def demo(
    page: Annotated[Path, typer.Option("-o", "--output", help="The page to write.")] = Path("jpl-rrp-report.html"),
    report: Annotated[bool, typer.Option(help="Also write the report on the arm, which takes half a minute.")] = True,
) -> None:
    """A first look: the JPL arm, its dynamics at a pose, and the report on what matters in it."""
    arm = da.load(ARM)
    q, qd, qdd = np.array(POSE), np.array(SPEED), np.array(ACCELERATION)
    print_head(arm)
    print_geometry(arm)
    print_links(arm)
    print_state(arm, q, qd, qdd)
    print_mass_matrix(arm, q)
    heading("Gravity load G")
    table([joints_with_units(arm, "effort"), ("G", figures(arm.gravity_load(q)))])
    print_torques(arm, efforts(arm, q, qd, qdd))
    if report:
        heading("What matters in this arm")
        from dalembert.report.write import write_report

        with progress_bar() as follow:
            written_report = write_report(arm.driven.holding(read_load(LOAD)), page, progress=follow)
        print_summary(written_report)
        say(f"\nThe report is {page}; open it in a browser.")
    heading("What to try next")
    say(NEXT)
