"""Closed mechanisms against Pinocchio's constraint dynamics and against MuJoCo's inertia, bias and Jacobians."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.chain_frames import FrameOn
from dalembert.mechanisms.constrained_motion import joint_acceleration
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.mechanism import Mechanism
from mechanisms.peers import Mujoco, Pinocchio
from random_arms import random_arm


def random_loop(seed: int, joints: int = 8) -> Mechanism:
    """A random open chain whose end is fixed where a random configuration puts it."""
    rng = random.Random(seed)
    arm = random_arm(rng, joints)
    phi = np.array([rng.uniform(-1, 1) for _ in range(joints)])
    alone = Mechanism({"arm": arm}, [], None)
    end = alone.frame(phi, "arm")
    place = da.Placement.from_matrix(end[:3, :3], end[:3, 3])
    closure = Closure("end", FrameOn("ground", at=place), "arm")
    return Mechanism({"arm": arm}, [closure], None, home=phi, gravity=arm.gravity)


MAKERS: dict[str, Callable[[], Mechanism]] = {
    "Stewart platform": gallery.stewart,
    "two UR5e": lambda: gallery.cooperating(da.load("ur5e")),
    "two PUMA 560": lambda: gallery.cooperating(da.load("puma560")),
    "Bricard": gallery.bricard,
    "random loop 1": lambda: random_loop(1),
    "random loop 2": lambda: random_loop(2, 9),
    "five-bar": gallery.five_bar,
    "four-bar": gallery.four_bar,
    "spatial slider-crank": gallery.slider_crank,
    "parallel-serial arm": gallery.parallel_serial,
    "two-fingered hand": gallery.two_fingered_hand,
}
PINOCCHIO = ("Stewart platform", "two UR5e", "two PUMA 560", "Bricard", "random loop 1", "random loop 2")
MUJOCO = tuple(name for name in MAKERS if name != "two PUMA 560")  # MuJoCo refuses the published inertias of the PUMA


def states(mechanism: Mechanism, count: int = 3) -> list[tuple[Any, ...]]:
    """Closed random states: phi, phi', loads at the coordinates and at the joints, q', and our q'' and phi''."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        phi = mechanism.closed_near(mechanism.home + 0.05 * rng.normal(size=mechanism.m))
        qd, torque = rng.normal(size=mechanism.n), 5 * rng.normal(size=mechanism.n)
        blocks = mechanism.assembly.coordinate_blocks(mechanism.chains.place(phi[None]), 1)
        load = mechanism.assembly.jacobian(blocks, 1)[0, : mechanism.n].T @ torque
        qdd = mechanism.forward_dynamics(phi, qd, torque)
        rate, rate2 = mechanism.joint_motion(phi, qd, qdd)
        found.append((phi, rate, load, qd, qdd, rate2))
    return found


@pytest.mark.parametrize("name", PINOCCHIO)
def test_accelerations_and_constraint_forces_are_those_of_pinocchio(name: str) -> None:
    mechanism = MAKERS[name]()
    peer = Pinocchio(mechanism)
    for phi, rate, load, qd, qdd, rate2 in states(mechanism):
        theirs, wrenches = peer.acceleration(phi, rate, load)
        size = 1 + np.abs(rate2).max()
        assert np.abs(theirs - rate2).max() < 1e-7 * size
        if name != "Bricard":  # there the constraint forces are not determined
            forces = mechanism.constraint_forces(phi, qd, qdd)
            np.testing.assert_allclose(np.concatenate(wrenches), forces, atol=1e-7 * (1 + np.abs(forces).max()))


@pytest.mark.parametrize("name", MUJOCO)
def test_accelerations_are_those_of_mujocos_inertia_bias_and_jacobians(name: str) -> None:
    mechanism = MAKERS[name]()
    peer = Mujoco(mechanism)
    for phi, rate, load, _, _, rate2 in states(mechanism):
        theirs = peer.acceleration(phi, rate, load)
        assert np.abs(theirs - rate2).max() < 1e-7 * (1 + np.abs(rate2).max())


@pytest.mark.parametrize("name", MAKERS)
def test_accelerations_do_not_depend_on_the_coordinates(name: str) -> None:
    """The transfer to the chosen coordinates and the free directions of the closures give one acceleration."""
    mechanism = MAKERS[name]()
    for phi, rate, load, _, _, rate2 in states(mechanism, 2):
        theirs = joint_acceleration(mechanism, phi, rate, load, mechanism._forces({}))
        np.testing.assert_allclose(theirs, rate2, atol=1e-8 * (1 + np.abs(rate2).max()))
