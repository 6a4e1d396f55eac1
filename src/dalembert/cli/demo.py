"""``dalembert demo``: the main job on one built-in arm, and what to try next."""

from __future__ import annotations

import math

import numpy as np

import dalembert as da

from .dynamics import efforts, print_mass_matrix, print_state, print_torques
from .geometry import print_geometry
from .printing import figures, heading, joints_with_units, say, table
from .show import print_head, print_links

ARM = "jpl-rrp"
# Boom 60 degrees from upright and 0.4 m out, wrist bent, every joint moving: nothing vanishes by chance.
POSE = (0.5, math.radians(60), 0.4, 0.3, 0.6, -0.2)
SPEED = (0.4, -0.3, 0.2, 0.5, -0.4, 0.3)
ACCELERATION = (0.5, 0.5, -0.3, 1.0, 1.0, -1.0)

NEXT = """\
dalembert list                        the other built-in arms
dalembert show puma560                one of them, or your own .urdf or .toml
dalembert dynamics puma560 --q 0,-30,60,0,45,0 --degrees
                                      its torques by cause; --json for programs
dalembert convert puma560 --to urdf   the same arm for other tools

In Python:
    import dalembert as da
    arm = da.load("jpl-rrp")
    arm.inverse_dynamics(q, qd, qdd)  # q of shape (..., 6): a state or a batch"""


def demo() -> None:
    """A first look: the JPL arm, its mass matrix, gravity load and torques at a pose."""
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
    heading("What to try next")
    say(NEXT)
