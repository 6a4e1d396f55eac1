"""Szkodny 1995, eqs (8) to (12) and the Appendix as printed, against the approximations and the exact model."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.drives.szkodny import READINGS, appendix_terms, effectors, printed_on_axis, printed_terms
from dalembert.rings.real import REAL

DRIVEN = ("puma560", "jpl-rrp", "irb6")


def loaded(name: str, seed: int = 0) -> tuple[da.Arm, np.ndarray]:
    arm = da.load(name, physical="ignore")
    return arm, np.random.default_rng(seed).uniform(-1, 1, arm.n)


@pytest.mark.parametrize("name", DRIVEN)
def test_told_from_the_carrier_8_is_the_reflected_inertia_and_the_rotor_sums_of_9_and_12_vanish(name: str) -> None:
    arm, q = loaded(name)
    driven = arm.driven
    inertia, velocity = printed_terms(arm, driven.drives, q, "carrier")
    rough = driven.approximate("szkodny")
    without_elements = arm.with_drives(replace(driven.drives, elements=()))
    reflected = without_elements.approximate("szkodny").mass_matrix(q) - arm.mass_matrix(q)
    assert inertia == pytest.approx(reflected, rel=1e-10, abs=1e-12)
    assert np.abs(velocity).max() <= 1e-13 * np.abs(inertia).max()
    assert rough.christoffel(q) == pytest.approx(driven.arm.christoffel(q), abs=1e-15)
    own, on_axis = printed_on_axis(arm, driven.drives, q, "carrier")
    paul = driven.approximate("paul").mass_matrix(q) - driven.arm.mass_matrix(q)
    assert own == pytest.approx(paul, rel=1e-10, abs=1e-12)
    assert np.abs(on_axis).max() <= 1e-13 * np.abs(own).max()


def test_told_from_the_driven_link_as_printed_9_does_not_vanish_for_motors_off_their_links() -> None:
    """irb6: the sums of (9) reach 1.19 kg m^2, (8) is off by 9 %, and the torques are those of the links in size."""
    arm, q = da.load("irb6"), np.array([0.3, -0.4, 0.5, -0.7, 0.2])
    inertia, velocity = printed_terms(arm, arm.drives, q)
    exact, _ = printed_terms(arm, arm.drives, q, "carrier")
    assert np.abs(velocity).max() == pytest.approx(1.1925, abs=1e-4)
    assert np.abs(inertia - exact).max() / np.abs(exact).max() == pytest.approx(0.0922, abs=1e-4)
    qd = np.random.default_rng(0).uniform(-1, 1, (200, 5))
    torque = np.einsum("ijk,bj,bk->bi", velocity, qd, qd)
    assert np.sqrt((torque**2).mean(axis=0)) == pytest.approx([0, 0.144, 0.530, 0.735, 0.325], abs=1e-3)


def test_both_readings_are_one_where_each_motor_sits_on_the_link_it_drives() -> None:
    arm, q = loaded("puma560", 3)
    motors = [
        replace(motor, rotor=replace(motor.rotor, link=joint.child))
        for motor, joint in zip(arm.drives.actuators, arm.moving, strict=True)
    ]
    train = replace(arm.drives, actuators=tuple(motors))
    for told in (printed_terms, printed_on_axis, appendix_terms):
        from_link, from_carrier = (told(arm, train, q, reading) for reading in READINGS)
        for a, b in zip(from_link, from_carrier, strict=True):
            assert a == pytest.approx(b, abs=1e-12 * np.abs(from_link[0]).max())
    inertia, velocity = printed_terms(arm, train, q)
    assert np.abs(velocity).max() <= 1e-12 * np.abs(inertia).max()


@pytest.mark.parametrize("name", DRIVEN)
def test_the_appendix_told_from_the_carrier_is_the_exact_model_of_the_rotors(name: str) -> None:
    """Full D_ij and D_ijk as printed, gyroscopic terms in, against the closed formulas of the rotors."""
    arm, q = loaded(name, 1)
    motors = tuple(replace(motor, rotor=replace(motor.rotor, mass=0)) for motor in arm.drives.actuators)
    train = replace(arm.drives, actuators=motors, elements=())
    matrix, velocity = appendix_terms(arm, train, q, "carrier")
    system, at = arm.with_drives(train).over_reals, [float(x) for x in q]
    scale = np.abs(matrix).max()
    assert matrix == pytest.approx(np.array(system.drive_matrix(REAL, at), dtype=float), abs=1e-13 * scale)
    right = np.array(system.drive_christoffel(REAL, at), dtype=float)
    assert (velocity + velocity.transpose(0, 2, 1)) / 2 == pytest.approx(right, abs=1e-13 * scale)
    if name == "puma560":
        assert np.abs(right).max() > 1e-3


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", DRIVEN)
def test_the_appendix_is_the_lagrange_derivative_of_4(name: str, reading: str) -> None:
    """D_ijk, its j and k exchanged and both halved, are the Christoffel symbols of D_ij: fourth-order differences."""
    arm, q = loaded(name, 2)
    step, n = 2e-3, arm.n

    def matrix(x):
        return appendix_terms(arm, arm.drives, x, reading)[0]

    slopes = np.zeros((n, n, n))
    for k, unit in enumerate(step * np.eye(n)):
        near, far = matrix(q + unit) - matrix(q - unit), matrix(q + 2 * unit) - matrix(q - 2 * unit)
        slopes[:, :, k] = (8 * near - far) / (12 * step)
    right = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 0, 1)) / 2
    found = appendix_terms(arm, arm.drives, q, reading)[1]
    assert (found + found.transpose(0, 2, 1)) / 2 == pytest.approx(right, abs=1e-9 * np.abs(matrix(q)).max())


def test_9_is_not_the_christoffel_symbol_of_8() -> None:
    """That is Trace(d2T_ap J dT_ap^T), which (9) drops; it keeps sums of terms that (8) drops instead."""
    arm, q, n, step = da.load("irb6"), np.array([0.3, -0.4, 0.5, -0.7, 0.2]), 5, 2e-3

    def matrix(x):
        return printed_terms(arm, arm.drives, x)[0]

    slopes = np.zeros((n, n, n))
    for k, unit in enumerate(step * np.eye(n)):
        near, far = matrix(q + unit) - matrix(q - unit), matrix(q + 2 * unit) - matrix(q - 2 * unit)
        slopes[:, :, k] = (8 * near - far) / (12 * step)
    right = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 0, 1)) / 2
    own = sum(
        np.einsum("jkab,bc,iac->ijk", p.relative.second, p.pseudo, p.relative.first)
        for p in effectors(arm, arm.drives, q)
    )
    assert own == pytest.approx(right, abs=1e-8)
    kept = printed_terms(arm, arm.drives, q)[1]
    assert np.abs((kept + kept.transpose(0, 2, 1)) / 2 - right).max() > 0.5


def test_4_leaves_out_the_effector_locked_to_its_driven_link() -> None:
    """dT_0 J dT_0^T of the effector in the base, less what the Appendix keeps: dT_p T_ap J T_ap^T dT_p^T."""
    arm, q = da.load("irb6"), np.array([0.3, -0.4, 0.5, -0.7, 0.2])
    kept, _ = appendix_terms(arm, arm.drives, q)
    whole, locked = np.zeros((5, 5)), np.zeros((5, 5))
    for p in effectors(arm, arm.drives, q):
        moved = [
            dt @ p.relative.value + p.link.value @ da for dt, da in zip(p.link.first, p.relative.first, strict=True)
        ]
        held = [dt @ p.relative.value for dt in p.link.first]
        whole += [[np.trace(a @ p.pseudo @ b.T) for b in moved] for a in moved]
        locked += [[np.trace(a @ p.pseudo @ b.T) for b in held] for a in held]
    assert kept == pytest.approx(whole - locked, abs=1e-12)
    assert np.abs(locked).max() > 0.5


@pytest.mark.parametrize("name", DRIVEN)
def test_the_approximation_reflects_every_rotor_those_of_elements_too(name: str) -> None:
    """D += sum J N^T N over motors and elements (8), (15a)."""
    arm, q = loaded(name, 1)
    driven = arm.driven
    rows = np.array(driven.drives.rows(arm, driven.drives.parts), dtype=float)
    spin = np.array([float(part.rotor.inertia) for part in driven.drives.parts])
    right = rows.T @ np.diag(spin) @ rows
    assert driven.approximate("szkodny").mass_matrix(q) - arm.mass_matrix(q) == pytest.approx(right, rel=1e-9, abs=1e-9)
    diagonal = driven.approximate("diagonal").mass_matrix(q) - arm.mass_matrix(q)
    assert diagonal == pytest.approx(np.diag(np.diagonal(right)), rel=1e-9, abs=1e-9)


def test_other_readings_and_other_numbers_of_motors_are_refused() -> None:
    arm, q = loaded("irb6")
    with pytest.raises(ArmError, match="relative to the driven link or the carrier, not to 'base'"):
        printed_terms(arm, arm.drives, q, "base")
    with pytest.raises(ArmError, match="4 motors drive 5 joints"):
        printed_terms(arm, replace(arm.drives, actuators=arm.drives.actuators[:4]), q)


def test_a_gripped_object_changes_the_coefficients_by_the_traces_16() -> None:
    """Own T_N by forward kinematics, its derivatives by differences of fourth order."""
    arm, q = loaded("puma560", 6)
    n, step = arm.n, 2e-3
    load = da.Load(2.5, (0.03, -0.05, 0.12), (0.02, 0.03, 0.01))
    held = arm.holding(load)
    pseudo, unit = np.array(load.body.pseudo, dtype=float), np.eye(n)

    def slope(function, k):
        near, far = (function(q + s * step * unit[k]) - function(q - s * step * unit[k]) for s in (1, 2))
        return (8 * near - far) / (12 * step)

    first = [slope(arm.forward_kinematics, k) for k in range(n)]
    inertia = [[np.trace(a @ pseudo @ b.T) for b in first] for a in first]
    assert held.mass_matrix(q) - arm.mass_matrix(q) == pytest.approx(np.array(inertia), abs=1e-9)
    gravity = np.array([0, 0, -9.81, 0])
    weight = [-gravity @ a @ pseudo[:, 3] for a in first]
    assert held.gravity_load(q) - arm.gravity_load(q) == pytest.approx(np.array(weight), abs=1e-9)

    def second(j, k):
        def inner(x):
            near, far = (
                arm.forward_kinematics(x + s * step * unit[k]) - arm.forward_kinematics(x - s * step * unit[k])
                for s in (1, 2)
            )
            return (8 * near - far) / (12 * step)

        return slope(inner, j)

    velocity = held.christoffel(q) - arm.christoffel(q)
    for j, k in ((0, 1), (1, 1), (2, 4), (5, 5)):
        bent = second(j, k)
        assert velocity[:, j, k] == pytest.approx(np.array([np.trace(bent @ pseudo @ a.T) for a in first]), abs=1e-8)
