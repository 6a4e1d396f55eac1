"""The functions inside the page are the arm's own: frames, D_ii and G_i, of the very description they are made from."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.formulations.chain import chain
from dalembert.formulations.kinematics import frames
from dalembert.report.arm_script import CAUSES, arm_script, frames_function, loads_function, state_function
from dalembert.rings.real import REAL
from javascript import assert_close, by_node, needs_node
from random_arms import random_arm

from .conftest import CUBE
from .hostile import hostile_arm

ARMS = [da.load(name, physical="ignore") for name in ("planar-2r", "jpl-rrp", "panda")]
TREES = [da.Arm.of(random_arm(seed, 4, tree=True)) for seed in range(3)]
COUPLED = da.load(PALLETIZER)


def poses(arm: da.Arm, count: int = 4) -> list[list[list[float]]]:
    return [[q.tolist()] for q in np.random.default_rng(arm.n).uniform(-2, 2, (count, arm.n))]


@needs_node
@pytest.mark.parametrize("arm", ARMS + TREES, ids=lambda arm: arm.name)
def test_frames_of_joints_and_tool_are_those_of_the_chain(arm: da.Arm) -> None:
    calls = poses(arm)
    model = chain(arm, REAL)
    for (q,), results in zip(calls, by_node(frames_function("armFrames", arm), calls), strict=True):
        rotations, positions, seats, turn, tip = results
        joints = frames(model, REAL, q)
        assert_close(rotations, [np.ravel(rotation) for rotation, _ in joints])
        assert_close(positions, [position for _, position in joints])
        slid = [
            0 if joint.kind == "revolute" else q[i] * np.array(rotations[i])[[2, 5, 8]]
            for i, joint in enumerate(arm.moving)
        ]
        np.testing.assert_allclose(seats, [np.subtract(p, s) for p, s in zip(positions, slid, strict=True)], atol=1e-12)
        tool = arm.forward_kinematics(q)
        assert_close(turn, tool[:3, :3].ravel())
        assert_close(tip, tool[:3, 3])


@needs_node
@pytest.mark.parametrize("arm", ARMS + TREES, ids=lambda arm: arm.name)
def test_inertia_and_gravity_load_are_those_of_the_arm_without_and_with_load_and_drives(arm: da.Arm) -> None:
    calls = poses(arm)
    for system in (arm, arm.holding(CUBE), arm.driven, arm.driven.holding(CUBE)):
        for (q,), (inertia, gravity) in zip(calls, by_node(loads_function("armLoads", system), calls), strict=True):
            assert_close(inertia, np.diag(system.mass_matrix(q)))
            assert_close(gravity, system.gravity_load(q))


@needs_node
@pytest.mark.parametrize("arm", ARMS + TREES + [COUPLED], ids=lambda arm: arm.name)
def test_torques_by_cause_mass_matrix_and_energies_of_a_state_are_those_of_the_system(arm: da.Arm) -> None:
    states = np.random.default_rng(arm.n).uniform(-2, 2, (3, 3, arm.n)).tolist()
    sprung = arm.with_elastic(da.JointSpring(arm.joint_names[0], 3, "0.2"), da.JointDamper(arm.joint_names[-1], 2))
    for system in (arm.driven.holding(CUBE), sprung):
        for state, (matrix, torque, *causes, kinetic, potential) in zip(
            states, by_node(state_function("armState", system), states), strict=True
        ):
            q, qd, _ = state
            parts = system.parts(*state)
            assert_close(matrix, system.mass_matrix(q))
            assert_close(torque, system.inverse_dynamics(*state))
            assert_close(np.sum(causes, axis=0), torque)
            scale = np.abs(torque).max()
            velocity = parts.centrifugal + parts.coriolis
            wanted = (parts.inertia, velocity, parts.gravity, parts.friction, parts.elastic)
            for cause, found, expected in zip(CAUSES, causes, wanted, strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * scale, err_msg=cause)
            assert_close(kinetic, system.kinetic_energy(q, qd))
            assert_close(potential, system.potential_energy(q))


def test_a_seven_joint_arm_adds_little_to_the_page() -> None:
    short, long = (len(arm_script(arm, arm.holding(CUBE))) for arm in (ARMS[0], ARMS[2]))
    assert long - short < 25_000


def test_no_name_of_the_arm_is_in_the_script() -> None:
    arm = hostile_arm()
    script = arm_script(arm, arm.holding(CUBE))
    generated = script[script.index("function armFrames") :]
    assert re.fullmatch(r"[A-Za-z0-9_ \n\[\](){}.,;=+*/\"-]+", generated)
    assert "owned" not in generated
