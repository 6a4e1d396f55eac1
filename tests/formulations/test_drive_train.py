"""Drive trains over a ring: what the approximations of the literature keep of the rotors, motors and elements alike."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Element, Rotor
from dalembert.certificates.system_numbers import rotors as rotors_of_certificate
from dalembert.formulations import rotors
from dalembert.formulations.chain import chain
from dalembert.formulations.drive_train import RingTrain
from dalembert.rings.real import REAL

ARM = da.load("planar-3r")
Q = [0.3, -0.4, 0.8]
RATIOS = np.array([[50.0, 0, 0], [-4, 40, 0], [2, 3, 30]])
"""Of three motors, coupled to the joints before their own."""
WHEEL, PULLEY = np.array([0.0, 6, -2]), np.array([1.0, 0, 5])
"""Ratios of two elements between motors and links."""
INERTIAS = np.array([2e-3, 3e-3, 1e-3, 4e-3, 5e-3])


def train() -> DriveTrain:
    def parts(make, tables, inertias):
        return tuple(
            make(
                f"{make.__self__.__name__} {k}",
                dict(zip(ARM.joint_names, map(int, row), strict=True)),
                Rotor.of(str(inertia), "link1"),
            )
            for k, (row, inertia) in enumerate(zip(tables, inertias, strict=True))
        )

    motors = parts(Actuator.of, RATIOS, INERTIAS[:3])
    return DriveTrain(motors, parts(Element.of, (WHEEL, PULLEY), INERTIAS[3:]))


def added(approximation: str) -> np.ndarray:
    spins, ratios = RingTrain(replace(ARM, drives=train()), REAL, approximation).spins(REAL, Q)
    return np.array(rotors.mass_matrix(chain(ARM, REAL), REAL, Q, spins, ratios), dtype=float)


REFLECTED = sum(inertia * np.outer(row, row) for inertia, row in zip(INERTIAS, (*RATIOS, WHEEL, PULLEY), strict=True))


def test_szkodny_reflects_motors_and_the_elements_between_motor_and_link_alike():
    """D_ij += sum J N_i N_j over all that turns (Szkodny 1995, eqs 8 and 15a)."""
    assert added("szkodny") == pytest.approx(REFLECTED, rel=1e-12)


def test_the_diagonal_approximation_is_the_diagonal_of_szkodnys():
    assert added("diagonal") == pytest.approx(np.diag(np.diag(REFLECTED)), rel=1e-12)


def test_paul_keeps_each_motor_at_its_own_joint_and_no_element():
    """D_ii += J_i N_ii^2 (Szkodny 1995, eq. 11)."""
    assert added("paul") == pytest.approx(np.diag(INERTIAS[:3] * np.diag(RATIOS) ** 2), rel=1e-12)


def test_paul_keeps_each_motor_at_its_own_joint_in_whatever_order_motors_are_listed_and_joints_are_locked():
    arm = da.load("irb6", physical="ignore")
    motors = arm.drives.actuators
    q = np.random.default_rng(3).uniform(-1, 1, arm.n)

    def reflected(system: da.Arm) -> np.ndarray:
        rest = [k for k, name in enumerate(arm.joint_names) if name in system.joint_names]
        return system.driven.approximate("paul").mass_matrix(q[rest]) - system.mass_matrix(q[rest])

    whole = reflected(arm)
    for order in ((4, 3, 2, 1, 0), (1, 2, 0, 4, 3)):
        listed = replace(arm, drives=replace(arm.drives, actuators=tuple(motors[k] for k in order)))
        assert reflected(listed) == pytest.approx(whole, abs=1e-10)
        written = rotors_of_certificate(listed.counting_drives("paul"))
        told = sum(float(Fraction(rotor["inertia"])) * np.array(rotor["ratios"], float) ** 2 for rotor in written)
        assert told == pytest.approx(np.diag(whole))
    for name in arm.joint_names:
        rest = [k for k, other in enumerate(arm.joint_names) if other != name]
        assert reflected(arm.locked({name: 0.3})) == pytest.approx(whole[np.ix_(rest, rest)], abs=1e-10)


def test_exact_rotors_add_their_coupling_with_the_link_that_carries_them():
    """All of them turn about z on the first link of a planar arm: w = (1, 0, 0) and D += J (w N^T + N w^T)."""
    w = np.array([1.0, 0, 0])
    rows = (*RATIOS, WHEEL, PULLEY)
    mixed = sum(j * (np.outer(w, row) + np.outer(row, w)) for j, row in zip(INERTIAS, rows, strict=True))
    assert added("exact") == pytest.approx(REFLECTED + mixed, rel=1e-12)


def test_an_element_may_turn_by_a_function_beside_others_of_constant_ratio():
    """On the base: D_ij += J N_i N_j, c_ijk += J N_i dN_j/dq_k, with N of 3 sin q1 + 2 q2 q3 by hand."""

    def turns(ring, q):
        return 3 * ring.sincos(q[0])[0] + 2 * (q[1] * q[2])

    whole = train()
    cam = Element("cam", rotor=Rotor.of("0.02", "base"), turns=turns)
    with_cam, without = (
        ARM.with_drives(replace(whole, elements=elements)) for elements in ((*whole.elements, cam), whole.elements)
    )
    row = np.array([3 * np.cos(Q[0]), 2 * Q[2], 2 * Q[1]])
    assert with_cam.mass_matrix(Q) - without.mass_matrix(Q) == pytest.approx(0.02 * np.outer(row, row), abs=1e-13)
    bend = np.zeros((3, 3))
    bend[0, 0], bend[1, 2], bend[2, 1] = -3 * np.sin(Q[0]), 2, 2
    gained = with_cam.christoffel(Q) - without.christoffel(Q)
    assert gained == pytest.approx(0.02 * np.einsum("i,jk->ijk", row, bend), abs=1e-13)
    qd, qdd = np.array([0.4, -0.3, 0.9]), np.array([1.0, 0.2, -0.5])
    torque = with_cam.inverse_dynamics(Q, qd, qdd) - without.inverse_dynamics(Q, qd, qdd)
    assert torque == pytest.approx(0.02 * row * (row @ qdd + qd @ bend @ qd), abs=1e-12)
