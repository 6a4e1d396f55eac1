"""Bounds of torques over all states: the whole torque of an arm is the error of the model that has none."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.bounds.grid import LargestSum
from dalembert.bounds.waves import OUTWARD, Wave, turning, wave_of
from dalembert.reduction import certify
from dalembert.reduction.certify import Key, torque_bounds
from dalembert.reduction.program_proofs import exact_coefficients
from dalembert.reduction.recursion import case_of
from dalembert.reduction.states import States, fastest, largest, rigid_torque, states_of
from random_arms import coupled_motors, random_arm


def torque_waves(arm: da.Arm) -> dict[Key, Wave]:
    return {key: wave_of(polynomial) for key, polynomial in exact_coefficients(case_of(arm)).items() if polynomial}


def searched(arm: da.Arm, states: States) -> np.ndarray:
    """The largest torques that a search over states finds by Newton and Euler, with all signs of speeds."""
    q = states.box.samples(30, 5)
    return np.maximum(
        largest(rigid_torque(arm), states, 400, 6, extra_positions=q)[0],
        fastest(rigid_torque(arm), states, q)[1].max(axis=0),
    )


@given(st.integers(0, 2**32 - 1))
def test_no_state_of_a_random_arm_needs_more_than_the_proved_torque(seed: int) -> None:
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, rng.choice([2, 2, 2, 3]), fixed=0.0))
    if rng.random() < 0.3:
        arm = arm.with_drives(da.DriveTrain(tuple(coupled_motors(rng, arm))))
    box = {j: (-0.4, 0.7) for j, joint in enumerate(arm.moving) if joint.kind == "prismatic" or rng.random() < 0.3}
    speed = [rng.choice([0.0, 0.5, 4.0]) for _ in range(arm.n)]
    states = states_of(arm, box, speed, [rng.choice([0.0, 0.1, 5.0]) for _ in range(arm.n)])
    proved = torque_bounds(torque_waves(arm), states, effort=0.02).proved
    found = searched(arm, states)
    assert np.all(found <= proved * (1 + 1e-9) + 1e-12 * proved.max())


def test_proved_torques_are_near_what_states_attain_and_below_sums_of_magnitudes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arm = da.load("jpl-rrp")
    states = states_of(arm, speed=3.0, acceleration=0.5)
    waves = {key: wave for key, wave in torque_waves(arm).items() if key[1][0] in (0, 4)}
    proved, found = (x[[0, 4]] for x in (torque_bounds(waves, states, effort=0.1).proved, searched(arm, states)))
    assert np.all(found <= proved * (1 + 1e-9))
    assert np.all(proved <= 1.15 * found)
    monkeypatch.setattr(certify, "factor", lambda kind, index: None)
    apart = torque_bounds(waves, states, effort=0.1).proved[[0, 4]]
    assert np.all(apart >= 1.05 * proved)


def test_a_goal_that_is_shown_is_not_passed_by_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The goal less what is left out, plus what is left out, is now and then the float above the goal."""
    box = states_of(da.load("planar-2r"), acceleration=1.0).box
    waves = [turning(2, 0), turning(2, 1).times(2.0)]

    def shown(waves: object, box: object, known: float, gap: float, work: float, goal: float, parts: object):
        return LargestSum(goal, 1.0, True, known, None, goal)

    monkeypatch.setattr(certify, "largest_sum", shown)
    monkeypatch.setattr(certify, "main_errors", lambda *_: (waves, None, OUTWARD * 1e-3))
    for goal in np.linspace(3.0, 4.0, 30).tolist():
        assert certify.together(waves, [None] * 2, box, goal=goal).bound <= goal
