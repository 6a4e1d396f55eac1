"""The Coriolis matrix is the Christoffel symbols contracted with the velocities."""

import numpy as np
from hypothesis import given

from laws import inertia_scale, moving_arms, rounding


@given(moving_arms())
def test_the_coriolis_matrix_is_made_of_the_christoffel_symbols(case):
    arm, q, qd, _ = case
    symbols = arm.christoffel(q)
    size = max(np.abs(symbols).max(), inertia_scale(arm, q)) * np.abs(qd).sum()
    difference = arm.coriolis_matrix(q, qd) - symbols @ qd
    assert np.abs(difference).max() <= rounding(arm, q) * size
