"""Motions for identification: within limits, at rest at their ends, and better than those they began with."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.candidate_motions import CandidateMotions

pytestmark = pytest.mark.usefixtures("compiled_kernels")


def test_the_motion_keeps_its_limits_rests_at_its_ends_and_tells_more() -> None:
    arm = da.load("puma560-arm")
    path = da.excitation(arm, period=8.0, harmonics=4, speed=2.0, acceleration=6.0, generations=15)
    t = np.linspace(0, 8, 4001)
    assert np.abs(path.velocity([0.0, 8.0])).max() < 1e-12
    assert np.abs(path.acceleration([0.0, 8.0])).max() < 1e-12
    assert np.abs(path.velocity(t)).max() <= 2.0
    assert np.abs(path.acceleration(t)).max() <= 6.0
    q = path.position(t)
    assert (q >= arm.lower).all()
    assert (q <= arm.upper).all()
    assert path.condition < 0.8 * path.at_first


def test_a_log_of_it_has_the_condition_that_was_promised() -> None:
    arm = da.load("puma560-arm")
    path = da.excitation(arm, period=10.0, generations=10)
    t = np.arange(2000) / 200
    state = path.position(t), path.velocity(t), path.acceleration(t)
    tau = arm.inverse_dynamics(*state) + np.random.default_rng(0).normal(size=state[0].shape)
    found = da.identify(arm, da.Log(t=t, q=state[0], qd=state[1], effort=tau), method="least squares", cutoff=10.0)
    assert 0.3 < found.condition / path.condition < 3


def test_torques_keep_their_limits() -> None:
    arm = da.load("puma560-arm")
    weak = np.abs(arm.gravity_load(np.zeros(3))).max() * 1.7
    path = da.excitation(arm, generations=5, effort=weak)
    t = np.linspace(0, 10, 500)
    tau = arm.inverse_dynamics(path.position(t), path.velocity(t), path.acceleration(t))
    assert np.abs(tau).max() <= weak


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"period": 0.0}, "period above zero"),
        ({"speed": 0.0}, "leave no room"),
        ({"lower": 1.0, "upper": -1.0}, "leave no room"),
        ({"speed": [1.0, 2.0]}, "one for each of 3 joints"),
        ({"effort": 1e-6, "generations": 1}, "no motion within these limits"),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(da.ArmError, match=sentence):
        da.excitation(da.load("puma560-arm"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["puma560-arm", "stanford", "panda"])
def test_the_quick_order_is_that_of_log_det_of_the_equations(name: str) -> None:
    """Turning and sliding joints: sums over narrow tables in float32 against the whole table in float64."""
    arm = da.load(name)
    search = CandidateMotions(arm, 10.0, 4, "coulomb+viscous+offset", True)
    genes = np.random.default_rng(0).uniform(-1, 1, (12, 9, arm.n))
    q, qd, qdd = search.states(genes)
    found = search.ranking.scores(q, qd, qdd)
    friction = search.unknowns.friction.columns(qd, np.full(arm.n, 0.02), np.full(arm.n, 0.1), None)
    smooth = arm.regressor(q, qd, qdd)[..., search.base.columns[search.base.columns < search.unknowns.inertial]]
    matrix = search.unknowns.base_matrix(search.base.columns, smooth, friction, qdd)
    rows = matrix.reshape(len(genes), -1, matrix.shape[-1])
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = -np.linalg.slogdet(rows.transpose(0, 2, 1) @ rows + 1e-5 * np.eye(rows.shape[-1]))[1]
    np.testing.assert_allclose(found, wanted, rtol=2e-3)


def test_candidates_are_the_series_that_they_become() -> None:
    arm = da.load("puma560-arm")
    search = CandidateMotions(arm, 6.0, 3, "none", False)
    genes = np.random.default_rng(1).uniform(-1, 1, (2, 7, 3))
    for k, motion in enumerate(map(search.motion, genes)):
        state = motion.position(search.times), motion.velocity(search.times), motion.acceleration(search.times)
        for one, other in zip(search.states(genes), state, strict=True):
            np.testing.assert_allclose(one[k], other, atol=1e-12)


def test_springs_count_where_effort_is_limited() -> None:
    """A stiff spring asks for more than the links: the motion stays within the effort that both need."""
    arm = da.load("puma560-arm").with_elastic(da.JointSpring("joint2", stiffness=60.0))
    path = da.excitation(arm, generations=4, effort=90.0)
    t = np.linspace(0, 10, 500)
    state = path.position(t), path.velocity(t), path.acceleration(t)
    assert np.abs(arm.inverse_dynamics(*state)).max() <= 90.0
    assert np.abs(arm.inverse_dynamics(*state) - arm.without_elastic().inverse_dynamics(*state)).max() > 10.0
