"""Random arms whose joints follow others, the same arms with all joints free, and the matrix A between them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

import dalembert as da
from dalembert.arm.drives import DriveTrain, Element
from dalembert.arm.elastic import JointDamper, JointSpring, PointSpring
from random_arms import coupled_motors, decimal, random_arm

PALLETIZER = """
name = "palletizer"
convention = "modified"
[[joints]]
name = "turn"
type = "revolute"
dh = { d = 0.3 }
limits = { lower = -2.5, upper = 2.5, velocity = 2.0, effort = 200.0 }
friction = 1.0
damping = 0.5
link = { name = "column", mass = 10.0, com = [0, 0, -0.1], inertia = [0.2, 0.2, 0.1] }
[[joints]]
name = "shoulder"
type = "revolute"
dh = { alpha = "pi/2" }
limits = { lower = -1.5, upper = 1.5, velocity = 2.0, effort = 300.0 }
link = { name = "upper", mass = 8.0, com = [0.3, 0, 0.01], inertia = [0.05, 0.3, 0.3] }
[[joints]]
name = "elbow"
type = "revolute"
dh = { a = 0.6 }
limits = { lower = -2.0, upper = 2.0, velocity = 2.0, effort = 150.0 }
link = { name = "fore", mass = 5.0, com = [0.25, 0.02, 0], inertia = [0.02, 0.15, 0.15] }
[[joints]]
name = "level"
type = "revolute"
dh = { a = 0.5 }
follows = { joint = "elbow", multiplier = -1, offset = 0.2 }
friction = 0.3
damping = 0.1
armature = 0.02
limits = { lower = -1.6, upper = 1.9, velocity = 1.5, effort = 20.0 }
link = { name = "hand", mass = 2.0, com = [0.05, 0, 0.02], inertia = [0.004, 0.005, 0.006] }
[[joints]]
name = "finger1"
type = "prismatic"
dh = { alpha = "pi/2", d = 0.05 }
limits = { lower = 0.0, upper = 0.04, velocity = 0.2, effort = 70.0 }
link = { name = "left_finger", mass = 0.1, com = [0.01, 0, 0.02], inertia = [1e-5, 1e-5, 1e-5] }
[[joints]]
name = "finger2"
parent = "hand"
type = "prismatic"
dh = { alpha = "-pi/2", d = 0.05 }
follows = { joint = "finger1", multiplier = 0.5, offset = 0.01 }
link = { name = "right_finger", mass = 0.12, com = [0.01, 0, 0.02], inertia = [1e-5, 1e-5, 1e-5] }
"""
"""An arm whose hand is turned back by what the elbow turns, with two fingers that go together."""


def coupled(arm: da.Arm, rng: random.Random, *, whole: bool = False) -> da.Arm:
    """The arm with some of its joints following others, in chains too; ``whole``: by ratios that have closed forms."""
    order = list(arm.all_moving)
    rng.shuffle(order)
    tied = {}
    for index, joint in enumerate(order[1:], start=1):
        masters = [other for other in order[:index] if not whole or other.kind == joint.kind]
        if masters and rng.random() < 0.5:
            turns = whole and joint.kind == "revolute"
            ratio = rng.choice((-2, -1, 1, 2)) if turns else decimal(rng, 0.2, 2) * rng.choice((-1, 1))
            offset = decimal(rng, -1, 1) if rng.random() < 0.7 else 0
            tied[joint.name] = da.Follows(rng.choice(masters).name, ratio, offset)
    joints = tuple(replace(joint, follows=tied.get(joint.name), limits=da.Limits()) for joint in arm.joints)
    return replace(arm, joints=joints)


def free(arm: da.Arm) -> da.Arm:
    """The same arm with all joints free."""
    return replace(arm, joints=tuple(replace(joint, follows=None) for joint in arm.joints))


def relation(arm: da.Arm) -> tuple[np.ndarray, np.ndarray]:
    """A and b, from the relations as they are written, one joint after another."""
    names = list(arm.joint_names)
    rows: dict[str, tuple[np.ndarray, float]] = {name: (np.eye(len(names))[k], 0.0) for k, name in enumerate(names)}
    waiting = [joint for joint in arm.joints if joint.follows is not None]
    while waiting:
        for joint in list(waiting):
            follows = joint.follows
            if follows.joint in rows:
                row, start = rows[follows.joint]
                ratio, offset = float(follows.multiplier), getattr(follows.offset, "radians", follows.offset)
                rows[joint.name] = ratio * row, ratio * start + float(offset)
                waiting.remove(joint)
    found = [rows[joint.name] for joint in arm.joints if joint.moves]
    return np.array([row for row, _ in found]).reshape(-1, len(names)), np.array([start for _, start in found])


def coupled_chain(seed: int, joints: int = 4, *, whole: bool = False) -> da.Arm:
    """A random chain or tree with followers."""
    rng = random.Random(seed)
    return coupled(da.Arm.of(random_arm(rng, joints, tree=bool(seed % 2))), rng, whole=whole)


def laden(seed: int, joints: int = 4) -> da.Arm:
    """The same with drives at every joint, friction on motors and joints, an element, a load, springs and dampers."""
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, joints, tree=bool(seed % 2)))
    motors = coupled_motors(rng, arm)
    names = arm.joint_names
    wheel = Element.of("wheel", {names[0]: 7, names[-1]: -3}, motors[0].rotor)
    rubs = tuple((name, da.Friction((rng.uniform(0, 5), rng.uniform(0, 5)), viscous=1.0)) for name in names)
    arm = arm.with_elastic(
        JointSpring(names[-1], 3.0, 0.4),
        JointDamper(names[0], 0.7),
        PointSpring(arm.base, (0.1, 0, 2.0), arm.links[-1].name, (0, 0.1, 0), 20.0, 0.3, 0.5),
    ).holding(da.Load(1.5, (0.1, 0, 0.2), (0.01, 0.02, 0.03)))
    arm = replace(arm, drives=DriveTrain(tuple(motors), (wheel,), rubs))
    return coupled(arm, rng)
