"""Reduced models of arms with their drives: friction is in both, and the bounds hold against the driven arm."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from torque_errors import errors


@pytest.fixture(scope="module", params=["irb6", "jpl-rrp"])
def with_drives(request):
    """An arm with all its drives, and its reduced model."""
    arm = da.load(request.param).driven
    return arm, arm.analysis().reduce(0.05)


def extreme_states(states, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random positions with every speed and acceleration at its limit or zero."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(states.box.lower, states.box.upper, (count, states.n))
    qd, qdd = (rng.integers(-1, 2, (count, states.n)) * most for most in (states.speed, states.acceleration))
    return q, qd, qdd


def test_the_bound_of_a_model_with_drives_holds_against_the_driven_arm_itself(with_drives) -> None:
    arm, model = with_drives
    assert model.system == arm
    assert np.all(model.share <= 0.05)
    assert model.after.total < model.before.total
    worst = np.zeros(arm.n)
    for q, qd, qdd in (model.states.samples(10_000, 7), extreme_states(model.states, 10_000, 8)):
        off = np.abs(model.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)).max(axis=0)
        assert np.all(off <= model.bound + 1e-9 * model.scale)
        worst = np.maximum(worst, off)
        # Friction is in both, and much of it: without it on one side no bound would hold.
        rubbing = np.abs(model.inverse_dynamics(q, qd, qdd) - model._rigid(q, qd, qdd)).max(axis=0)
        assert np.any(rubbing > model.bound)
    # The proof is not idle: some state comes near it.
    assert np.any(worst > 0.3 * model.bound)


def test_a_model_with_drives_answers_as_the_driven_arm_does_within_its_error(with_drives) -> None:
    arm, model = with_drives
    q, qd, qdd = model.states.samples(200, 9)
    assert np.array_equal(model.bias(q, qd), model._rigid(q, qd, np.zeros_like(q)) + arm.friction_torque(q, qd))
    tau = model.inverse_dynamics(q, qd, qdd)
    assert np.allclose(model.forward_dynamics(q, qd, tau), qdd, atol=1e-6)
    assert np.allclose(model.compile()(q, qd, qdd), tau, atol=1e-9)
    assert np.allclose(model.compile("bias")(q, qd), model.bias(q, qd), atol=1e-9)
    assert np.allclose(model.compile("forward_dynamics")(q, qd, tau), qdd, atol=1e-6)
    # A shaft that stands and is to start pays its starting friction, in the model as in the arm.
    still = np.zeros_like(qd)
    off = np.abs(model.inverse_dynamics(q, still, qdd) - arm.inverse_dynamics(q, still, qdd)).max(axis=0)
    assert np.all(off <= model.bound + 1e-9 * model.scale)
    gravity = np.abs(model.gravity_load(q) - arm.gravity_load(q)).max(axis=0)
    assert np.all(gravity <= model.bound + 1e-9 * model.scale)


@pytest.mark.parametrize("with_drives", ["irb6"], indirect=True)
def test_a_narrow_box_and_slow_motion_give_a_shorter_model_whose_bound_holds_there(with_drives) -> None:
    arm, whole = with_drives
    centre, third = whole.states.box.centre, whole.states.box.half / 3
    box = {i: (float(centre[i] - third[i]), float(centre[i] + third[i])) for i in range(arm.n)}
    model = arm.analysis(box, whole.states.speed / 4, whole.states.acceleration / 4).reduce(0.05)
    assert np.all(errors(model, 20_000, 3) <= model.bound + 1e-9 * model.scale)
    assert model.after.total < whole.after.total
