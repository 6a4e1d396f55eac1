"""Parallel robots as machines are built: the Gough-Stewart platform on six telescopic legs, and the delta robot."""

from __future__ import annotations

import math

import numpy as np

from ..arm.description import ArmDescription
from ..arm.exact import Angle
from ..arm.inertia import Inertia
from ..arm.io.dh import from_dh
from ..arm.placement import Placement
from .batch import Array
from .chain_frames import FrameOn
from .loop_closures import Closure
from .mechanism import Mechanism
from .mounting import carrying, free_body

QUARTER = Angle.quarters(1)
BASE_RADIUS, BASE_SPREAD = 0.9, 0.35
"""Circle of the six base joints (m), and half the angle between two of a pair (rad)."""
TOP_RADIUS, TOP_SPREAD = 0.5, 0.75
"""The same of the platform, whose pairs stand between those of the base."""


def ups_leg(name: str = "leg") -> ArmDescription:
    """A telescopic leg: two turns that cross (a universal joint), then the rod slides out of its cylinder."""
    rows = [
        {"name": "u1", "alpha": QUARTER, "mass": 0.2, "inertia": (0.0004, 0.0004, 0.0004)},
        {"name": "u2", "alpha": QUARTER, "mass": 3.0, "com": (0, 0, 0.25), "inertia": (0.06, 0.06, 0.004)},
        {"name": "slide", "type": "prismatic", "mass": 1.2, "com": (0, 0, -0.25), "inertia": (0.03, 0.03, 0.0006)},
    ]
    return from_dh(rows, name=name)


def stewart_ups(height: float = 0.9) -> Mechanism:
    """A Gough-Stewart platform 6-UPS, driven at the lengths of its legs: 24 joints, 18 equations, 6 freedoms."""
    base, top = _ring(BASE_RADIUS, BASE_SPREAD), _ring(TOP_RADIUS, TOP_SPREAD)
    plate = free_body("platform", Inertia.of(12, (0, 0, 0.03), (0.7, 0.75, 1.4)))
    chains: dict[str, ArmDescription] = {"platform": plate}
    bases, closures, home = {}, [], [0.0, 0.0, height, 0.0, 0.0, 0.0]
    # z of a leg's base is the first axis of its universal joint: x of the world.
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for k in range(6):
        name = f"leg{k + 1}"
        chains[name] = ups_leg(name)
        bases[name] = Placement.from_matrix(axes, base[k])
        anchor = FrameOn("platform", "platform", Placement.from_xyz_rpy(top[k]))
        closures.append(Closure(f"ball{k + 1}", anchor, name, "spherical"))
        along = axes.T @ (np.array(top[k]) + np.array((0, 0, height)) - np.array(base[k]))
        length = float(np.linalg.norm(along))
        home += [math.atan2(along[1], along[0]), math.acos(-along[2] / length), length]
    return Mechanism(
        chains,
        closures,
        [f"leg{k + 1}.slide" for k in range(6)],
        bases=bases,
        frames={"plate": "platform"},
        home=home,
        name="Stewart platform 6-UPS",
    )


def _ring(radius: float, half: float) -> list[tuple[float, float, float]]:
    """Six points on a circle, in three pairs that stand ``half`` to either side of each third of it."""
    angles = [2 * math.pi / 3 * k + side * half for k in range(3) for side in (-1, 1)]
    return [(radius * math.cos(angle), radius * math.sin(angle), 0.0) for angle in angles]


def delta(base: float = 0.2, upper: float = 0.25, fore: float = 0.5, plate: float = 0.06) -> Mechanism:
    """A delta robot 3-RUU (m): motor, universal joint, rod, universal joint in each leg; the plate stays parallel.

    Leg 1 carries the plate, legs 2 and 3 are fixed to it: 15 joints, 12 equations, 3 freedoms, driven at the motors.
    """
    rows = [
        {"name": "motor", "a": upper, "mass": 0.8, "com": (-upper / 2, 0, 0), "inertia": (0.0004, 0.0045, 0.0045)},
        {"name": "knee1", "alpha": QUARTER, "mass": 0.02, "inertia": (2e-6, 2e-6, 2e-6)},
        {"name": "knee2", "a": fore, "mass": 0.3, "com": (-fore / 2, 0, 0), "inertia": (0.0001, 0.0064, 0.0064)},
        {"name": "hand1", "alpha": -QUARTER, "mass": 0.02, "inertia": (2e-6, 2e-6, 2e-6)},
        {"name": "hand2", "mass": 0.02, "inertia": (2e-6, 2e-6, 2e-6)},
    ]
    # In the plane of a leg: x outward, y up, z along the axis of the motor.
    plane = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    tilt = -0.3
    reach = plate - base - upper * math.cos(tilt)
    knee = math.atan2(-math.sqrt(fore**2 - reach**2), reach) - tilt
    chains: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    home: list[float] = []
    for k in range(3):
        turn = 2 * math.pi / 3 * k
        round_z = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
        name = f"leg{k + 1}"
        frame: Array = round_z @ plane
        bases[name] = Placement.from_matrix(frame, round_z @ np.array([base, 0.0, 0.0]))
        chains[name] = from_dh(rows, name=name).with_tool(Placement.from_matrix(frame.T, (-plate, 0.0, 0.0)))
        home += [tilt, knee, 0.0, 0.0, -tilt - knee]
    chains["leg1"] = carrying(chains["leg1"], "plate", Inertia.of(0.5, (0, 0, -0.02), (0.0006, 0.0006, 0.001)))
    return Mechanism(
        chains,
        [Closure(f"plate{k}", "leg1:plate", f"leg{k}", "fixed") for k in (2, 3)],
        [f"leg{k + 1}.motor" for k in range(3)],
        bases=bases,
        frames={"plate": "leg1:plate"},
        home=home,
        name="delta robot",
    )
