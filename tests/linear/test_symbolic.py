"""The linear model in closed form against the numbers, without drives and with them."""

import numpy as np
import pytest

import dalembert as da
from dalembert.linear.joints import links_model
from dalembert.linear.symbolic import symbolic_linear


def test_symbolic_a_and_b_are_the_numeric_ones() -> None:
    arm = da.load("planar-2r")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    model = symbolic_linear(arm.equations())
    a, b = model.at(q, qd, qdd)
    linear = links_model(arm, q, qd, arm.inverse_dynamics(q, qd, qdd))
    assert a == pytest.approx(linear.A, rel=1e-11, abs=1e-11)
    assert b == pytest.approx(linear.B, rel=1e-11, abs=1e-11)
    assert "g" in str(model.A[2, 0])
    for wrong in ([0.1, 0.2, 0.3], [0.1], 0.1):
        with pytest.raises(da.ArmError, match="qd must"):
            model.at(q, wrong, qdd)


def test_symbolic_linear_model_of_an_arm_with_drives() -> None:
    """Friction is no polynomial: with it the closed form is refused, without it it is that of the numbers."""
    with pytest.raises(da.ArmError, match=r"take it off with frictionless\(\)"):
        symbolic_linear(da.load("irb6").driven.equations("numbers"))
    driven = da.load("irb6").driven.frictionless()
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 5))
    a, _ = symbolic_linear(driven.equations("numbers")).at(q, qd, qdd)
    to_q, to_qd, mass = driven.inverse_dynamics_derivatives(q, qd, qdd)
    assert a[5:, :5] == pytest.approx(-np.linalg.solve(mass, to_q), rel=1e-9, abs=1e-9)
    assert a[5:, 5:] == pytest.approx(-np.linalg.solve(mass, to_qd), rel=1e-9, abs=1e-9)
