"""Influence coefficients are derivatives: each order is the slope of the one before (Freeman 1985, eq. 2-20 ff)."""

import numpy as np
from hypothesis import given, settings

from laws import EPS, moving_arms

STEP = 1e-4


@settings(max_examples=15)
@given(moving_arms(largest=5))
def test_each_order_is_the_slope_of_the_one_before(case):
    arm, q, *_ = case
    link, point = arm.links[-1].name, (0.1, -0.2, 0.3)
    here = arm.influence(q, link, point)
    units = STEP * np.eye(arm.n)
    ahead, behind = arm.influence(q + units, link, point), arm.influence(q - units, link, point)
    size = 10.0 * arm.n
    tolerance = size * (arm.n**2 * STEP**2 + 10 * EPS / STEP)
    for kind in ("point", "rotation"):
        for lower, higher in (("first", "second"), ("second", "third")):
            slope = (getattr(ahead, f"{kind}_{lower}") - getattr(behind, f"{kind}_{lower}")) / (2 * STEP)
            # the batch axis is the joint differentiated to; it comes after the component axis in the coefficients
            exact = np.moveaxis(getattr(here, f"{kind}_{higher}"), 1, 0)
            assert np.abs(slope - exact).max() <= tolerance
    frames_ahead, frames_behind = arm.link_frames(q + units)[link], arm.link_frames(q - units)[link]
    moved = (frames_ahead - frames_behind) @ np.array([*point, 1.0]) / (2 * STEP)
    assert np.abs(moved[:, :3].T - here.point_first).max() <= tolerance


@given(moving_arms())
def test_second_order_coefficients_of_a_point_are_symmetric_and_those_of_a_rotation_are_not(case):
    arm, q, *_ = case
    here = arm.influence(q)
    assert (here.point_second == np.swapaxes(here.point_second, -1, -2)).all()
    upper = np.triu(np.ones((arm.n, arm.n)), 1).astype(bool)
    assert (here.rotation_second[:, ~upper] == 0).all()


@given(moving_arms())
def test_the_jacobian_is_the_first_order_influence_of_the_tool(case):
    arm, q, *_ = case
    here = arm.influence(q)
    expected = np.concatenate([here.point_first, here.rotation_first])
    assert np.abs(arm.jacobian(q) - expected).max() <= 10 * EPS * (1 + np.abs(expected).max())
