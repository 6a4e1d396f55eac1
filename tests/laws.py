"""What the tests of the laws share: random arms and states for hypothesis, and how exact a torque can be."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import dalembert as da
from random_arms import random_arm

EPS = float(np.finfo(float).eps)


@st.composite
def arms(draw: st.DrawFn, smallest: int = 1, largest: int = 9, tree: bool | None = None) -> da.Arm:
    """Chains and trees of 1 to 9 joints, mixed kinds, any axes, any gravity, real bodies."""
    joints = draw(st.integers(smallest, largest))
    branching = draw(st.booleans()) if tree is None else tree
    return da.Arm.of(random_arm(draw(st.integers(0, 2**32)), joints, tree=branching))


@st.composite
def moving_arms(draw: st.DrawFn, **kind: object) -> tuple[da.Arm, np.ndarray, np.ndarray, np.ndarray]:
    """An arm with positions, velocities and accelerations."""
    arm = draw(arms(**kind))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    q, qd, qdd = rng.uniform(-3, 3, size=(3, arm.n))
    return arm, q, qd, qdd


def weight_scale(arm: da.Arm, q: np.ndarray) -> float:
    """The size of the products that weights enter as moments about a joint.

    Gravity times the masses times their distances from the base and from the joint: a formulation in base axes
    takes the difference of two such distances, so it is they that rounding is relative to.
    """
    frames = arm.link_frames(q)
    gravity = np.linalg.norm([float(g) for g in arm.gravity])
    origins = [np.linalg.norm(frames[body.joint.child][:3, 3]) for body in arm.bodies]
    levers = [
        float(body.inertia.mass) * np.linalg.norm(frames[body.joint.child] @ [*map(float, body.inertia.com), 1.0])
        for body in arm.bodies
    ]
    return float(gravity * (sum(levers) + max(origins) * sum(float(body.inertia.mass) for body in arm.bodies)))


def inertia_scale(arm: da.Arm, q: np.ndarray) -> float:
    """The size of the numbers D is summed from: its own entries, and the moments of inertia of the bodies."""
    moments = [float(body.inertia.placed(body.after).tensor[k][k]) for body in arm.bodies for k in range(3)]
    return float(np.abs(arm.mass_matrix(q)).max()) + sum(moments)


def torque_scale(arm: da.Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """The size of the terms a torque is summed from, before they cancel."""
    inertia = np.abs(arm.mass_matrix(q)) @ np.abs(qdd)
    velocity = np.einsum("ijk,j,k->i", np.abs(arm.christoffel(q)), np.abs(qd), np.abs(qd))
    return float((inertia + velocity).max()) + weight_scale(arm, q)


def rounding(arm: da.Arm, q: np.ndarray) -> float:
    """2 kappa(D) eps: the relative error a torque or an acceleration may have from rounding alone."""
    return 2 * float(np.linalg.cond(arm.mass_matrix(q))) * EPS


def elastic(arm: da.Arm) -> da.Arm:
    """The arm with springs and dampers of every kind, from its base to its last link."""
    first, last = arm.joint_names[0], arm.links[-1].name
    return arm.with_elastic(
        da.JointSpring(first, 3.0, 0.2),
        da.JointDamper(first, 0.4),
        da.PointSpring(arm.base, (0.1, 0.2, 1.5), last, (0.3, 0.1, 0.2), stiffness=20.0, rest=0.3, damping=2.0),
        da.PointSpring(arm.base, (0.0, 1.0, 0.0), last, (0.0, 0.0, 0.1), stiffness=5.0),
    )
