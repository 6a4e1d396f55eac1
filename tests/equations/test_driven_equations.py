"""The closed form of an arm with drives against the numbers, and the rotors in it."""

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.polynomial import as_polynomial


@pytest.mark.parametrize("name", ["irb6", "jpl-rrp", "puma560"])
def test_the_closed_form_of_an_arm_with_drives_equals_the_numeric_one(name: str) -> None:
    driven = da.load(name, physical="ignore").driven
    q = np.random.default_rng(0).uniform(-1, 1, (5, driven.n))
    mass, symbols, gravity = driven.equations("numbers").values(q)
    assert mass == pytest.approx(driven.mass_matrix(q), rel=1e-11, abs=1e-12)
    assert symbols == pytest.approx(driven.christoffel(q), rel=1e-10, abs=1e-12)
    assert gravity == pytest.approx(driven.gravity_load(q), rel=1e-11, abs=1e-11)


def by_formula(equations: da.Equations) -> np.ndarray:
    """What the rotors add to the Christoffel symbols by the formula of their own, not as derivatives of D."""
    model, n = equations.model, equations.n
    table = model.system.drive_christoffel(model.ring, model.ring.positions)
    found = np.empty((n, n, n), dtype=object)
    for i, j, k in np.ndindex(found.shape):
        found[i, j, k] = as_polynomial(equations.space, table[i][j][k])
    return found


def test_christoffel_symbols_of_rotors_are_identical_by_formula_and_by_derivative() -> None:
    driven = da.load("irb6").driven
    equations, links = driven.equations("numbers"), driven.arm.equations("numbers")
    difference = equations.christoffel - links.christoffel - by_formula(equations)
    assert not any(bool(entry) for entry in difference.flat)


def test_szkodnys_approximation_has_no_rotor_term_in_the_velocity_coefficients() -> None:
    driven = da.load("puma560", physical="ignore").driven
    rough = driven.approximate("szkodny").equations("numbers")
    assert not any(bool(entry) for entry in by_formula(rough).flat)
    assert not any(bool(rough.rotors(name)) for name in rough.names() if name.startswith("C"))
    exact = driven.equations("numbers")
    assert any(bool(entry) for entry in by_formula(exact).flat)
    assert any(bool(exact.rotors(name)) for name in exact.names() if name.startswith("C"))
