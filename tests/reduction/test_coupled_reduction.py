"""Reduced models, ranges and short forms of arms whose joints follow others: what is proved holds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER


@pytest.fixture(scope="module", params=["links", "driven"])
def system(request: pytest.FixtureRequest) -> da.Arm | da.DrivenArm:
    arm = da.load(PALLETIZER)
    return arm if request.param == "links" else arm.driven


def poses(system: da.Arm | da.DrivenArm, count: int = 2000) -> np.ndarray:
    return np.random.default_rng(0).uniform(system.lower, system.upper, (count, system.n))


def test_no_state_is_off_by_more_than_the_proof_of_a_reduced_model(system: da.Arm | da.DrivenArm):
    ask = system.analysis(effort=0.05)
    model = ask.reduce(0.1)
    q, qd, qdd = ask.states.samples(2000)
    off = np.abs(model.inverse_dynamics(q, qd, qdd) - system.inverse_dynamics(q, qd, qdd)).max(axis=0)
    assert (off <= model.bound * (1 + 1e-9)).all()
    assert (model.bound <= 0.1 * model.scale * (1 + 1e-9)).all()
    assert model.after.total < 0.5 * model.before.total


def test_no_pose_lies_outside_the_proved_ranges(system: da.Arm | da.DrivenArm):
    tables = system.analysis(effort=0.05).ranges()
    q = poses(system)
    inertia = np.diagonal(system.mass_matrix(q), axis1=-2, axis2=-1)
    load = system.gravity_load(q)
    for rows, values in ((tables.inertia, inertia), (tables.gravity, load)):
        for row, column in zip(rows, values.T, strict=True):
            slack = 1e-9 * max(1.0, abs(row.empty.upper))
            assert row.empty.lower - slack <= column.min()
            assert column.max() <= row.empty.upper + slack
            # and they are no wider than what is attained
            assert column.max() >= row.empty.upper - 0.2 * (row.empty.upper - row.empty.lower) - slack


def test_the_counterweight_of_a_coordinate_hangs_on_its_own_link():
    ask = da.load(PALLETIZER).analysis(effort=0.05)
    found = ask.counterbalance("elbow")
    assert found.link == "fore"
    before, after = np.abs(found.balanced.gravity_load(poses(ask.system))[:, 2]).max(), found.before
    assert before < 0.2 * after


def test_the_mass_that_a_coordinate_moves_is_that_of_all_joints_that_go_with_it():
    arm = da.load(PALLETIZER)
    np.testing.assert_allclose(arm.coupling_at(np.zeros(4)).mass, [25.22, 15.22, 7.22, 0.22])


def test_a_simplified_model_takes_what_follows_by_the_choice_of_its_coordinate(system: da.Arm | da.DrivenArm):
    ask = system.analysis(effort=0.05)
    both = ask.simplified(velocity="both")
    q = poses(system, 5)
    assert np.isfinite(both.mass_matrix(q)).all()
    assert max(error.share for error in both.errors) < 1


def test_a_joint_that_follows_by_a_whole_multiple_is_reduced_and_proved() -> None:
    plain = da.load("planar-3r")
    joints = tuple(
        dataclasses.replace(joint, follows=da.Follows("joint1", 2)) if joint.name == "joint2" else joint
        for joint in plain.joints
    )
    arm = da.Arm.of(dataclasses.replace(plain, joints=joints))
    model = arm.analysis(speed=2.0, acceleration=5.0).reduce(0.1)
    assert model.after.total < model.before.total
    states = np.random.default_rng(1).uniform(-1, 1, (3, 5000, arm.n)) * np.array([np.pi, 2, 5])[:, None, None]
    off = np.abs(model.inverse_dynamics(*states) - arm.inverse_dynamics(*states)).max(0)
    assert (off <= model.bound * (1 + 1e-9)).all()
