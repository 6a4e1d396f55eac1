"""Szkodny 1995, eqs (8) to (12) as printed, against the approximations that they amount to."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.drives.szkodny import printed_on_axis, printed_terms

DRIVEN = ("puma560", "jpl-rrp", "irb6")


@pytest.mark.parametrize("name", DRIVEN)
def test_szkodny_8_is_the_reflected_inertia_and_the_rotor_sums_of_9_and_12_vanish(name: str) -> None:
    arm = da.load(name, physical="ignore")
    driven = arm.driven
    q = np.random.default_rng(0).uniform(-1, 1, arm.n)
    inertia, velocity = printed_terms(arm, driven.drives, q)
    rough = driven.approximate("szkodny")
    without_elements = arm.with_drives(replace(driven.drives, elements=()))
    reflected = without_elements.approximate("szkodny").mass_matrix(q) - arm.mass_matrix(q)
    assert inertia == pytest.approx(reflected, rel=1e-10, abs=1e-12)
    assert np.abs(velocity).max() <= 1e-13 * np.abs(inertia).max()
    assert rough.christoffel(q) == pytest.approx(driven.arm.christoffel(q), abs=1e-15)
    own, on_axis = printed_on_axis(arm, driven.drives, q)
    paul = driven.approximate("paul").mass_matrix(q) - driven.arm.mass_matrix(q)
    assert own == pytest.approx(paul, rel=1e-10, abs=1e-12)
    assert np.abs(on_axis).max() <= 1e-13 * np.abs(own).max()


@pytest.mark.parametrize("name", DRIVEN)
def test_the_approximation_reflects_every_rotor_those_of_elements_too(name: str) -> None:
    """D += sum J N^T N over motors and elements (8), (15a)."""
    arm = da.load(name, physical="ignore")
    driven = arm.driven
    q = np.random.default_rng(1).uniform(-1, 1, arm.n)
    rows = np.array(driven.drives.rows(arm, driven.drives.parts), dtype=float)
    spin = np.array([float(part.rotor.inertia) for part in driven.drives.parts])
    right = rows.T @ np.diag(spin) @ rows
    assert driven.approximate("szkodny").mass_matrix(q) - arm.mass_matrix(q) == pytest.approx(right, rel=1e-9, abs=1e-9)
    diagonal = driven.approximate("diagonal").mass_matrix(q) - arm.mass_matrix(q)
    assert diagonal == pytest.approx(np.diag(np.diagonal(right)), rel=1e-9, abs=1e-9)
