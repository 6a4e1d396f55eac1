"""All formulations are the same physics: they agree to rounding on every arm."""

import numpy as np
import pytest
from hypothesis import given

import dalembert as da
from dalembert.formulations import (
    christoffel,
    composite_body,
    generalized_dalembert,
    influence,
    lagrange_euler,
    tourassis_neuman,
)
from dalembert.formulations.chain import chain
from dalembert.formulations.registry import TORQUES
from dalembert.rings.real import REAL
from laws import inertia_scale, moving_arms, rounding, torque_scale

INERTIAL = (composite_body, lagrange_euler, generalized_dalembert, influence, tourassis_neuman)
VELOCITY = (christoffel, lagrange_euler, generalized_dalembert, influence, tourassis_neuman)


def assert_all_agree(arm: da.Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
    tolerance = rounding(arm, q)
    torques = {name: arm.inverse_dynamics(q, qd, qdd, formulation=name) for name in TORQUES}
    scale = torque_scale(arm, q, qd, qdd)
    for name, torque in torques.items():
        assert np.abs(torque - torques["newton-euler"]).max() <= tolerance * scale, name
    model = chain(arm, REAL)
    columns = list(q)
    matrix = np.array(composite_body.mass_matrix(model, REAL, columns), dtype=float)
    load = np.array(composite_body.gravity(model, REAL, columns), dtype=float)
    symbols = np.array(christoffel.christoffel(model, REAL, columns), dtype=float)
    size = inertia_scale(arm, q)
    for page in INERTIAL:
        found = np.array(page.mass_matrix(model, REAL, columns), dtype=float)
        assert np.abs(found - matrix).max() <= tolerance * size, page.__name__
        found = np.array(page.gravity(model, REAL, columns), dtype=float)
        assert np.abs(found - load).max() <= tolerance * scale, page.__name__
    size = max(np.abs(symbols).max(), size)
    for page in VELOCITY:
        found = np.array(page.christoffel(model, REAL, columns), dtype=float)
        assert np.abs(found - symbols).max() <= tolerance * size, page.__name__


@given(moving_arms())
def test_all_formulations_agree_on_random_arms(case):
    assert_all_agree(*case)


@pytest.mark.parametrize("name", da.catalog())
def test_all_formulations_agree_on_every_catalog_arm(name):
    arm = da.load(name)
    rng = np.random.default_rng(7)
    for _ in range(3):
        assert_all_agree(arm, *rng.uniform(-2, 2, size=(3, arm.n)))


@given(moving_arms(largest=5))
def test_a_moment_without_mass_is_refused_by_pages_that_need_the_mass_centre(case):
    arm, q, *_ = case
    model = chain(arm, REAL, {"mx1": 0.1})
    with pytest.raises(da.ArmError, match="mass centre"):
        generalized_dalembert.mass_matrix(model, REAL, list(q))
    with pytest.raises(da.ArmError, match="mass centre"):
        influence.mass_matrix(model, REAL, list(q))
