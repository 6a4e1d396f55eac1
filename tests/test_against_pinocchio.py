"""The same numbers as Pinocchio, on random URDF trees: two programs that share no code but the file they read."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.urdf import read_urdf, write_urdf
from random_arms import random_arm, random_state

pin = pytest.importorskip("pinocchio")

TREES = 100
RELATIVE = 1e-11


class Oracle:
    """Pinocchio's model of a URDF, with vectors and matrices in the order of our joints."""

    def __init__(self, text: str, arm: da.Arm) -> None:
        self.model = pin.buildModelFromXML(text)
        self.model.gravity.linear = np.array([float(g) for g in arm.gravity])
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in arm.joint_names]
        self.order = np.array([joint.idx_v for joint in self.joints])

    def positions(self, q: np.ndarray) -> np.ndarray:
        there = np.empty(self.model.nq)
        for joint, value in zip(self.joints, q, strict=True):
            # Pinocchio writes the position of a continuous joint as a cosine and a sine.
            there[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
        return there

    def there(self, values: np.ndarray) -> np.ndarray:
        found = np.empty(self.model.nv)
        found[self.order] = values
        return found

    def vector(self, values: np.ndarray) -> np.ndarray:
        return np.array(values)[self.order]

    def matrix(self, values: np.ndarray) -> np.ndarray:
        return np.array(values)[np.ix_(self.order, self.order)]


def difference(ours: np.ndarray, theirs: np.ndarray, scale: float = 0.0) -> float:
    """The largest difference over the largest entry, or over ``scale`` where that is larger."""
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), scale))


@pytest.mark.parametrize("seed", range(TREES))
def test_a_random_tree_has_the_dynamics_pinocchio_gives_it(seed: int):
    rng = random.Random(seed)
    # Every fifth has inertias as unreal as some published ones: the numbers are to be used as they are.
    unreal = seed % 5 == 4
    text = write_urdf(random_arm(rng, 1 + seed % 9, tree=True, physical=not unreal))
    arm = da.Arm.of(read_urdf(text, "random.urdf", physical="ignore" if unreal else "error"))
    oracle = Oracle(text, arm)
    model, data = oracle.model, oracle.data
    assert model.nv == arm.n
    q, qd, qdd = (np.array(values) for values in random_state(rng, arm))
    position, velocity = oracle.positions(q), oracle.there(qd)

    mass = arm.mass_matrix(q)
    torques = oracle.vector(pin.rnea(model, data, position, velocity, oracle.there(qdd)))
    assert difference(arm.inverse_dynamics(q, qd, qdd), torques) < RELATIVE
    assert difference(mass, oracle.matrix(pin.crba(model, data, position))) < RELATIVE
    gravity = oracle.vector(pin.computeGeneralizedGravity(model, data, position))
    assert difference(arm.gravity_load(q), gravity) < RELATIVE
    coriolis = oracle.matrix(pin.computeCoriolisMatrix(model, data, position, velocity))
    # It may be zero, and Pinocchio's then holds rounding of terms of the size of D qd.
    assert difference(arm.coriolis_matrix(q, qd), coriolis, np.abs(mass).max() * np.abs(qd).max()) < RELATIVE
    accelerations = oracle.vector(pin.aba(model, data, position, velocity, oracle.there(qdd)))
    # The accelerations under given forces are known to kappa(D) eps and no better, by whichever program.
    allowed = max(RELATIVE, 2 * np.linalg.cond(mass) * np.finfo(float).eps)
    assert difference(arm.forward_dynamics(q, qd, qdd), accelerations) < allowed
