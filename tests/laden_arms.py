"""Arms that carry everything at once: drives, a load in the hand, a counterweight, a tool, springs, a locked joint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import dalembert as da
from coupled_arms import PALLETIZER

SCREWS = Path(__file__).parents[1] / "examples" / "drives" / "irb6-screws.toml"
IN_HAND = da.Load(
    2.3, ("0.03", "-0.02", "0.11"), ((0.02, 0.001, -0.002), (0.001, 0.03, 0.0015), (-0.002, 0.0015, 0.025))
)
COUNTERWEIGHT = da.Load(4.1, ("-0.21", "0.02", "0.03"), (0.03, 0.02, 0.04))
TOOL = da.Placement.from_xyz_rpy(("0.02", "-0.03", "0.12"), (0.3, -0.4, 0.5))


def carrying(system: Any, locked: dict[str, object] | None = None) -> Any:
    """The system with all that an arm can carry, under gravity from aside."""
    names, links = system.joint_names, system.links
    system = system.with_tool(TOOL, system.tool_link).holding(IN_HAND).holding(COUNTERWEIGHT, links[2].name)
    system = system.with_elastic(
        da.JointSpring(names[1], 12.0, 0.3),
        da.JointDamper(names[2], 0.7),
        da.PointSpring(system.base, (0.1, -0.2, 0.9), links[3].name, (0.05, 0.1, -0.04), 35.0, 0.25, 0.6),
    ).with_gravity(("1.2", "-3.1", "-8.4"))
    return system.locked(locked) if locked else system


def uncounted_rotors(extra: bool = False) -> Any:
    """A Stanford arm whose motors have a mass of their own, coupled, with a wheel; ``extra``: one motor too many."""
    arm = da.load("stanford")
    names, links = arm.joint_names, arm.links
    motors = []
    for k, name in enumerate(names):
        place = links[max(k - 1, 0)].name, ("0.6", 0, "0.8"), ("0.01", "0.02", "0.1")
        rotor = da.Rotor.of("0.0003", *place, mass="0.4", across="0.0004", counted=False)
        ratios = {name: 30 + k} | ({names[3]: -5} if k == 4 else {})
        motors.append(da.Actuator.of(f"motor{k}", ratios, rotor, da.Friction((0.02, 0.03), 0.05, 0.001)))
    if extra:
        rotor = da.Rotor.of("0.0002", links[0].name)
        motors.append(da.Actuator.of("helper", {names[1]: 12, names[0]: 1}, rotor, da.Friction((0.01, 0.02), 0.03)))
    wheel = da.Element.of("wheel", {names[0]: 7, names[-1]: -3}, da.Rotor.of("0.0005", links[2].name, (0, 1, 0)))
    rubs = (names[1], da.Friction((0.4, 0.6), 0.8, 0.3)), (names[2], da.Friction((1, 2), 2, model=da.Stribeck(0.2)))
    return arm.with_drives(da.DriveTrain(tuple(motors), (wheel,), rubs))


def follower() -> Any:
    """A PUMA whose fifth joint follows its third, and leaves a motor too many."""
    arm = da.load("puma560", physical="ignore")
    follows = da.Follows("joint3", -1, da.Angle.of("0.2"))
    joints = tuple(replace(joint, follows=follows) if joint.name == "joint5" else joint for joint in arm.joints)
    return replace(arm, joints=joints).driven


LADEN: dict[str, Callable[[], Any]] = {
    "locked joint behind coupled motors": lambda: carrying(
        da.load("puma560", physical="ignore").driven, {"joint4": "0.3"}
    ),
    "slide and locked joint": lambda: carrying(da.load("jpl-rrp").driven, {"joint5": "-0.4"}),
    "screws": lambda: carrying(da.load("irb6").with_drives(SCREWS)),
    "rotors that no link counts": lambda: carrying(uncounted_rotors()),
    "a motor too many": lambda: carrying(uncounted_rotors(extra=True)),
    "follower and locked joint": lambda: carrying(follower(), {"joint4": "0.3"}),
    "fingers": lambda: carrying(da.load(PALLETIZER).driven),
    "drives by diagonal": lambda: carrying(da.load("puma560", physical="ignore").driven.approximate("diagonal")),
}
"""Each by what is special in it."""
