"""Random trees with random welds, pins and balls, against rigid bodies in maximal coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription, Joint, Link
from dalembert.arm.drives import Actuator, DriveTrain, Friction, Rotor
from dalembert.mechanisms.mechanism import Mechanism
from mechanisms.maximal import Maximal, RandomTree, Tie, frame

GRAVITY = (1.0, -2.0, -9.0)
EQUATIONS = {"fixed": 6, "revolute": 5, "spherical": 3}


def described(tree: RandomTree) -> ArmDescription:
    links, joints = [Link("base")], []
    for k, parent in enumerate(tree.parents):
        links.append(Link(f"body{k}", da.Inertia.of(tree.mass[k], tree.com[k].tolist(), tree.inertia[k].tolist())))
        before = da.Placement.from_matrix(tree.before[k][:3, :3], tree.before[k][:3, 3])
        kind: Any = "revolute" if tree.revolute[k] else "prismatic"
        joints.append(Joint(f"joint{k}", kind, "base" if parent < 0 else f"body{parent}", f"body{k}", before))
    return ArmDescription("tree", tuple(links), tuple(joints))


def ancestors(tree: RandomTree, body: int) -> set[int]:
    """The joints that carry a body."""
    found = set()
    while body >= 0:
        found.add(body)
        body = tree.parents[body]
    return found


def random_ties(rng: np.random.Generator, tree: RandomTree, phi: Any) -> list[Tie]:
    """Ties that hold at ``phi`` and leave some freedom, between bodies that are not neighbours."""
    poses, _ = tree.place(phi)
    n = len(poses)
    free, ties = n, []
    for _ in range(20):
        kind = str(rng.choice(list(EQUATIONS), p=[0.5, 0.3, 0.2]))
        b = int(rng.integers(1, n))
        a = int(rng.integers(-1, b))
        apart = len(ancestors(tree, a) ^ ancestors(tree, b))
        if free - EQUATIONS[kind] < 1 or apart < EQUATIONS[kind] + 1 or any({t.a, t.b} == {a, b} for t in ties):
            continue
        on_b = frame(rng)
        pose = poses[b] @ on_b
        on_a = np.linalg.inv(poses[a]) @ pose if a >= 0 else pose
        ties.append(Tie(kind, a, b, on_a, on_b))
        free -= EQUATIONS[kind]
    return ties


def mechanism_of(tree: RandomTree, ties: list[Tie], phi: Any) -> Mechanism:
    def on(body: int, pose: Any) -> da.FrameOn:
        at = da.Placement.from_matrix(pose[:3, :3], pose[:3, 3])
        return da.FrameOn("ground", at=at) if body < 0 else da.FrameOn("tree", f"body{body}", at)

    closures = [da.Closure(f"tie{k}", on(t.a, t.on_a), on(t.b, t.on_b), t.kind) for k, t in enumerate(ties)]
    return da.Mechanism({"tree": described(tree)}, closures, None, home=phi, gravity=GRAVITY)


@pytest.mark.parametrize("seed", range(16))
def test_accelerations_of_a_random_mechanism_are_those_of_free_bodies_held_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = RandomTree.of(rng, int(rng.integers(6, 14)))
    phi = rng.uniform(-1, 1, len(tree.parents))
    ties = random_ties(rng, tree, phi)
    ours = mechanism_of(tree, ties, phi)
    np.testing.assert_allclose(ours.home, phi, atol=1e-9)
    qd, torque = rng.normal(size=ours.n), rng.normal(size=ours.n)
    rate, _ = ours.joint_motion(ours.home, qd, np.zeros(ours.n))
    bodies = Maximal(tree, ties, ours.home, rate, GRAVITY)
    assert bodies.closed() < 1e-9 * (1 + np.abs(rate).max())
    at_joints = np.zeros(ours.m)
    at_joints[[c.joint for c in ours.assembly.coordinates]] = torque
    wanted = bodies.acceleration(at_joints)
    qdd = ours.forward_dynamics(ours.home, qd, torque)
    _, rate2 = ours.joint_motion(ours.home, qd, qdd)
    np.testing.assert_allclose(rate2, wanted, atol=1e-8 * (1 + np.abs(wanted).max()))
    np.testing.assert_allclose(
        ours.inverse_dynamics(ours.home, qd, qdd), torque, atol=1e-8 * (1 + np.abs(wanted).max())
    )


@pytest.mark.parametrize("seed", [0, 3, 5, 11])
def test_drives_loads_and_springs_of_a_random_mechanism_act_on_free_bodies_as_well(seed: int) -> None:
    """Rotors and viscous friction at every joint, a load, springs and dampers between bodies and the world."""
    rng = np.random.default_rng(seed)
    tree = RandomTree.of(rng, int(rng.integers(6, 12)))
    n = len(tree.parents)
    phi = rng.uniform(-1, 1, n)
    ties = random_ties(rng, tree, phi)
    ratio, inertia, viscous = rng.uniform(5, 50, n), rng.uniform(1e-4, 1e-3, n), rng.uniform(1e-4, 1e-3, n)
    motors = [
        Actuator.of(f"m{k}", {f"joint{k}": ratio[k]}, Rotor.of(inertia[k]), Friction(viscous=viscous[k]))
        for k in range(n)
    ]
    held, mass, com = int(rng.integers(n)), 1.3, rng.uniform(-0.2, 0.2, 3)
    own = np.diag([0.02, 0.03, 0.04])
    bare = mechanism_of(tree, ties, phi)
    arm = bare.parts.chains["tree"].holding(da.Load(mass, com.tolist(), own.tolist()), f"body{held}")
    arm = replace(arm, drives=DriveTrain(tuple(motors)), drive_model="exact")
    points = rng.uniform(-0.3, 0.3, (4, 3))
    springs = [
        da.Spring("s", frame_at("tree", f"body{n - 1}", points[0]), frame_at("tree", "body0", points[1]), stiffness=40,
                  rest=0.1, damping=3),
        da.Spring("t", frame_at("ground", "", points[2]), frame_at("tree", f"body{n - 2}", points[3]), stiffness=25,
                  damping=1),
    ]  # fmt: skip
    ours = Mechanism({"tree": arm}, bare.parts.closures, bare.coordinates, home=phi, gravity=GRAVITY, springs=springs)
    qd, torque = rng.normal(size=ours.n), rng.normal(size=ours.n)
    rate, _ = ours.joint_motion(ours.home, qd, np.zeros(ours.n))
    bodies = Maximal(tree.holding(held, mass, com, own), ties, ours.home, rate, GRAVITY)
    bodies.spring([(n - 1, points[0]), (0, points[1])], 40, 0.1, 3)
    bodies.spring([(-1, points[2]), (n - 2, points[3])], 25, 0, 1)
    at_joints = -viscous * ratio**2 * rate
    at_joints[[c.joint for c in ours.assembly.coordinates]] += torque
    wanted = bodies.with_rotors(at_joints, inertia * ratio**2)
    qdd = ours.forward_dynamics(ours.home, qd, torque)
    _, rate2 = ours.joint_motion(ours.home, qd, qdd)
    np.testing.assert_allclose(rate2, wanted, atol=1e-8 * (1 + np.abs(wanted).max()))
    np.testing.assert_allclose(
        ours.inverse_dynamics(ours.home, qd, qdd), torque, atol=1e-8 * (1 + np.abs(wanted).max())
    )


def frame_at(chain: str, link: str, at: Any) -> da.FrameOn:
    return da.FrameOn(chain, link, da.Placement.from_xyz_rpy(at.tolist()))


def test_random_mechanisms_have_welds_pins_and_balls() -> None:
    kinds: list[str] = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        tree = RandomTree.of(rng, int(rng.integers(6, 14)))
        kinds += [tie.kind for tie in random_ties(rng, tree, rng.uniform(-1, 1, len(tree.parents)))]
    assert all(kinds.count(kind) >= 3 for kind in EQUATIONS), {kind: kinds.count(kind) for kind in EQUATIONS}
