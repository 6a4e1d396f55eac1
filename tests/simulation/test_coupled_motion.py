"""Motion of arms whose joints follow others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from coupled_arms import PALLETIZER, coupled_chain, free, relation


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_energy_is_kept_and_the_motion_is_that_of_the_free_arm_held_to_the_relations(seed: int):
    arm = coupled_chain(seed, 3)
    a, b = relation(arm)
    bare = free(arm)
    q, qd = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, arm.n))
    motion = arm.simulate(np.zeros(arm.n), q, qd, 0.5, rtol=1e-10, atol=1e-12)
    total = [
        float(arm.kinetic_energy(x, v) + arm.potential_energy(x)) for x, v in zip(motion.q, motion.qd, strict=True)
    ]
    assert np.ptp(total) < 1e-7 * max(1.0, float(np.abs(total).max()))

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        """Lagrange's equations of the free arm with the virtual displacements that the relations leave."""
        x, v = np.split(state, 2)
        bias = a.T @ bare.bias(a @ x + b, a @ v)
        return np.concatenate([v, np.linalg.solve(a.T @ bare.mass_matrix(a @ x + b) @ a, -bias)])

    wanted = solve_ivp(rate, (0, 0.5), np.concatenate([q, qd]), rtol=1e-10, atol=1e-10).y[: arm.n, -1]
    np.testing.assert_allclose(motion.q[-1], wanted, atol=1e-6)


def test_friction_of_what_follows_brings_the_coordinate_to_rest():
    level = 'follows = { joint = "elbow", multiplier = -1, offset = 0.2 }\nfriction = 0.3'
    arm = da.load(PALLETIZER.replace(level, level.replace("0.3", "3.0")).replace("-1.6", "-9").replace("1.9", "9"))
    arm = arm.with_gravity((0, 0, 0)).driven
    start = np.array([0.0, 0.0, 0.5, 0.02])
    motion = arm.simulate(np.zeros(4), start, [0, 0, 0.5, 0], 2.0)
    assert motion.qd[-1][2] == 0
    lost = 3.0 * abs(motion.q[-1][2] - start[2])
    assert 0 < lost < float(arm.kinetic_energy(start, [0, 0, 0.5, 0]))


def test_a_stop_of_what_follows_stops_the_coordinate():
    arm = da.load(PALLETIZER).with_gravity((0, 0, 0))
    motion = arm.simulate([0, 0, 20.0, 0], np.array([0, 0, 1.5, 0.02]), np.zeros(4), 1.0, stops=True)
    # level reaches -1.6 rad where the elbow is at 1.8 rad
    assert motion.q[:, 2].max() == pytest.approx(1.8, abs=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_parameters_of_all_bodies_are_taken_by_many_arms(compiled: bool, request: pytest.FixtureRequest):
    if compiled:
        request.getfixturevalue("compiled_kernels")
    arm = da.load(PALLETIZER)
    start = np.array([[0.1, 0.2, 0.5, 0.02], [0.3, -0.2, 0.1, 0.01]])
    built_in = arm.simulate_many(np.zeros(4), start, duration=0.01).q
    given = arm.simulate_many(np.zeros(4), start, duration=0.01, parameters=arm.parameters).q
    np.testing.assert_allclose(given, built_in, rtol=0, atol=1e-12)


def test_computed_torque_follows_a_trajectory_in_the_coordinates():
    arm = da.load(PALLETIZER).driven
    start, end = np.array([0, 0.2, -0.5, 0.01]), np.array([0.5, 0.4, 0.5, 0.03])
    along = da.quintic([start, end], 1.0)
    motion = arm.simulate(da.ComputedTorque(arm, along, 400.0, 40.0), start, np.zeros(4), 1.0)
    np.testing.assert_allclose(motion.q[-1], end, atol=2e-3)
