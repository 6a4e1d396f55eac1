"""Manipulability and operational inertia: textbook values, definitions, laws with load and drives."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from every_system import system_of


def test_two_links_have_the_measure_of_the_textbook() -> None:
    """Yoshikawa 1985, eq. 26: w = l1 l2 |sin q2|, and it is largest at a right angle."""
    arm = da.load("planar-2r")
    q = np.array([[0.3, 0.7], [1.0, np.pi / 2], [0.2, 0.0]])
    plane = "x y" if abs(arm.jacobian(q[0])[2]).max() < 1e-12 else "x z"
    found = arm.manipulability(q, directions=plane)
    assert found.measure == pytest.approx(np.abs(np.sin(q[:, 1])), abs=1e-12)  # both links are 1 m long
    assert np.isinf(found.condition[2]) or found.condition[2] > 1e12
    assert arm.manipulability(q).measure == pytest.approx(np.zeros(3))


@pytest.mark.parametrize("shape", ["links", "loaded", "driven", "driven and loaded"])
def test_operational_inertia_is_force_over_acceleration_of_the_whole_system(shape: str) -> None:
    system = system_of("puma560", shape)
    q = np.array([0.3, -0.9, 0.8, 0.5, 0.7, 0.4])
    inertia = system.operational_inertia(q)
    force = np.array([3.0, -1.0, 2.0, 0.3, 0.1, -0.2])
    jacobian = system.jacobian(q)
    acceleration = jacobian @ np.linalg.solve(system.mass_matrix(q), jacobian.T @ force)
    assert inertia @ acceleration == pytest.approx(force)
    ellipsoid = system.manipulability(q, kind="acceleration")
    square = jacobian @ np.linalg.inv(system.mass_matrix(q) @ system.mass_matrix(q)) @ jacobian.T
    assert ellipsoid.measure == pytest.approx(np.sqrt(np.linalg.det(square)))
    axes = ellipsoid.axes * ellipsoid.semi_axes
    assert axes @ axes.T == pytest.approx(square)


def test_what_is_singular_is_refused_by_name() -> None:
    arm = da.load("planar-2r")
    with pytest.raises(da.ArmError, match="singular in x y z"):
        arm.operational_inertia(np.zeros((2, 2)), directions="translation")
    for wrong in ("up", ["x", "x"], []):
        with pytest.raises(da.ArmError, match="directions are"):
            arm.manipulability(np.zeros(2), directions=wrong)
    with pytest.raises(da.ArmError, match="manipulability is of"):
        arm.manipulability(np.zeros(2), kind="force")
