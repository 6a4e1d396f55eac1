"""The closed form of an arm with drives, and of its linear model, against the numbers."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import with_locked_rotors
from dalembert.arm.io.toml_drives import built_in_drives
from dalembert.drives.closed_form import DrivenEquations
from dalembert.drives.driven import Driven
from dalembert.linear.joints import links_model
from dalembert.linear.symbolic import symbolic_linear


def case(name: str):
    arm = da.load(name, physical="ignore")
    train = built_in_drives(name, arm)
    arm = with_locked_rotors(arm, train)
    return arm, train, Driven(arm, train)


@pytest.mark.parametrize("name", ["irb6", "jpl-rrp", "puma560"])
def test_the_closed_form_of_an_arm_with_drives_equals_the_numeric_one(name):
    arm, train, driven = case(name)
    equations = DrivenEquations(arm, train)
    q = np.random.default_rng(0).uniform(-1, 1, (5, arm.n))
    mass, symbols, gravity = equations.values(q)
    assert mass == pytest.approx(driven.mass_matrix(q), rel=1e-11, abs=1e-12)
    assert symbols == pytest.approx(driven.christoffel(q), rel=1e-10, abs=1e-12)
    assert gravity == pytest.approx(driven.gravity_load(q), rel=1e-11, abs=1e-11)


def test_christoffel_symbols_of_rotors_are_identical_by_formula_and_by_derivative():
    arm, train, _ = case("irb6")
    equations = DrivenEquations(arm, train)
    links = arm.equations("numbers")
    difference = equations.christoffel - links.christoffel - equations.rotor_christoffel
    assert not any(bool(entry) for entry in difference.flat)


def test_szkodnys_approximation_has_no_rotor_term_in_the_velocity_coefficients():
    arm, train, _ = case("puma560")
    rough = DrivenEquations(arm, train, approximation="szkodny")
    assert not any(bool(entry) for entry in rough.rotor_christoffel.flat)
    exact = DrivenEquations(arm, train)
    assert any(bool(entry) for entry in exact.rotor_christoffel.flat)


def test_symbolic_a_and_b_are_the_numeric_ones():
    arm = da.load("planar-2r")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    model = symbolic_linear(arm.equations())
    a, b = model.at(q, qd, qdd)
    linear = links_model(arm, q, qd, arm.inverse_dynamics(q, qd, qdd))
    assert a == pytest.approx(linear.A, rel=1e-11, abs=1e-11)
    assert b == pytest.approx(linear.B, rel=1e-11, abs=1e-11)
    assert "g" in str(model.A[2, 0])


def test_symbolic_linear_model_of_an_arm_with_drives():
    arm, train, driven = case("irb6")
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 5))
    a, _ = symbolic_linear(DrivenEquations(arm, train)).at(q, qd, qdd)
    to_q, to_qd, mass = driven.inverse_dynamics_derivatives(q, qd, qdd)
    assert a[5:, :5] == pytest.approx(-np.linalg.solve(mass, to_q), rel=1e-9, abs=1e-9)
    assert a[5:, 5:] == pytest.approx(-np.linalg.solve(mass, to_qd), rel=1e-9, abs=1e-9)
