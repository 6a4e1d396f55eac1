"""Derivatives are exact: central differences approach them with the square of the step."""

import numpy as np
from hypothesis import given, settings

from laws import EPS, elastic, moving_arms, torque_scale

STEPS = (2e-2, 1e-2)


def central(function, x, step):
    units = step * np.eye(len(x))
    return np.stack([(function(x + u) - function(x - u)) / (2 * step) for u in units], axis=-1)


def assert_second_order(function, x, exact, size):
    """Halving the step quarters the error, until rounding (eps size / step) takes over."""
    coarse, fine = (np.abs(central(function, x, step) - exact).max() for step in STEPS)
    floor = 100 * EPS * size / STEPS[1]
    assert fine <= coarse / 3 + floor


@settings(max_examples=12)
@given(moving_arms(largest=5, tree=False))
def test_inverse_dynamics_derivatives_are_exact(case):
    arm, q, qd, qdd = case
    for each in (arm, elastic(arm)):
        to_q, to_qd, to_qdd = each.inverse_dynamics_derivatives(q, qd, qdd)
        size = torque_scale(each, q, qd, qdd) + 1000
        assert_second_order(lambda x, a=each: a.inverse_dynamics(x, qd, qdd), q, to_q, size)
        assert_second_order(lambda x, a=each: a.inverse_dynamics(q, x, qdd), qd, to_qd, size)
        assert (to_qdd == each.mass_matrix(q)).all()


@settings(max_examples=12)
@given(moving_arms(largest=5))
def test_forward_dynamics_derivatives_follow_from_the_inverse_ones(case):
    """d qdd/dx = -D^-1 d tau/dx at the acceleration the torques give."""
    arm, q, qd, tau = case
    qdd = arm.forward_dynamics(q, qd, tau)
    to_q, to_qd, to_tau = arm.forward_dynamics_derivatives(q, qd, tau)
    inverse_q, inverse_qd, matrix = arm.inverse_dynamics_derivatives(q, qd, qdd)
    tolerance = 100 * arm.n * np.linalg.cond(matrix) * EPS
    for found, table in ((to_q, inverse_q), (to_qd, inverse_qd)):
        expected = -np.linalg.solve(matrix, table)
        assert np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-30)
    assert np.abs(to_tau @ matrix - np.eye(arm.n)).max() <= tolerance


@settings(max_examples=12)
@given(moving_arms(largest=4, tree=False))
def test_forward_dynamics_derivatives_include_springs_and_dampers(case):
    arm, q, qd, tau = case
    arm = elastic(arm)
    to_q, to_qd, _ = arm.forward_dynamics_derivatives(q, qd, tau)
    matrix = arm.mass_matrix(q)
    qdd = arm.forward_dynamics(q, qd, tau)
    size = (torque_scale(arm, q, qd, qdd) + 1000) * np.linalg.norm(np.linalg.inv(matrix), 2)
    steps = (2e-4, 1e-4)
    for function, x, exact in (
        (lambda x: arm.forward_dynamics(x, qd, tau), q, to_q),
        (lambda x: arm.forward_dynamics(q, x, tau), qd, to_qd),
    ):
        coarse, fine = (np.abs(central(function, x, step) - exact).max() for step in steps)
        assert fine <= coarse / 3 + 100 * np.linalg.cond(matrix) * EPS * size / steps[1]
