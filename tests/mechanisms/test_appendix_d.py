"""Freeman 1985, Appendix D: freedoms that nobody drives, and constraints that are redundant."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.mechanisms import gallery, transfer
from dalembert.mechanisms.mechanism import Mechanism


@pytest.fixture(scope="module")
def crank() -> Mechanism:
    return gallery.slider_crank()


@pytest.fixture(scope="module")
def loop() -> Mechanism:
    return gallery.bricard()


def test_slider_crank_has_two_freedoms_of_which_the_slider_feels_one(crank: Mechanism) -> None:
    assert (crank.m, crank.r, crank.n) == (7, 5, 2)
    assert crank.mobility().freedom == 2
    slider = crank.frame_influence(crank.home, "chain")
    assert abs(slider.first[2, 0]) > 0.01
    np.testing.assert_allclose(slider.first[:, 1], 0, atol=1e-12)  # the spin theta5 does not move the slider
    np.testing.assert_allclose(slider.second[:, 1, 1], 0, atol=1e-11)
    coupler = crank.frame_influence(crank.home, "chain:link4").first[3:, 1]
    axis = crank.frame(crank.home, "chain:link4")[:3, 0]
    np.testing.assert_allclose(np.cross(coupler, axis), 0, atol=1e-12)  # it turns the coupler about its own axis


def test_passive_spin_carries_no_load_and_finds_its_own_acceleration(crank: Mechanism) -> None:
    qd = np.array([2.0, 0.7])
    torque, qdd = crank.with_passive(crank.home, qd, [1.5, 99.0])
    assert torque[1] == 0
    assert qdd[0] == 1.5
    np.testing.assert_allclose(crank.forward_dynamics(crank.home, qd, torque), qdd, atol=1e-9)


def test_freemans_steps_of_figure_d1_give_the_model_of_one_step(crank: Mechanism) -> None:
    """phi to y = (theta5, x, y, z, turns), constrained to w = (theta5, z), then to q = (theta1, theta5)."""
    arm = crank.chains.numbers[0]
    phi = crank.home[None]
    placed, carrier = crank.chains.place(phi), crank.chains.carrier("chain")
    point, turning = placed.point(carrier, 2), placed.turning(carrier, 2)
    unit = np.zeros((1, 7))
    unit[0, 4] = 1
    g = np.concatenate([unit, point.first[0], turning.first[0]])
    h = np.concatenate([np.zeros((1, 7, 7)), point.second[0], turning.second[0]])
    initial = arm.model(phi)
    initial = transfer.TransferredModel(initial.inertia[0], initial.power[0], initial.load[0])
    x = transfer.inverse(g)
    y = transfer.model(initial, x, h)
    kept = [0, 3]  # theta5 and z of y; the rest is held
    w = transfer.TransferredModel(y.inertia[np.ix_(kept, kept)], y.power[np.ix_(kept, kept, kept)], y.load[kept])
    joints = transfer.second(x, h)
    g_q = np.array([x[0, kept], [1.0, 0.0]])  # theta1 and theta5 in terms of w
    h_q = np.array([joints[0][np.ix_(kept, kept)], np.zeros((2, 2))])
    found = transfer.model(w, transfer.inverse(g_q), h_q)
    direct = crank.model(crank.home)
    np.testing.assert_allclose(found.inertia, direct.inertia, atol=1e-10)
    np.testing.assert_allclose(found.load, direct.load, atol=1e-10)
    rate = np.array([1.3, -0.4])
    np.testing.assert_allclose(transfer.form(rate, found.power), transfer.form(rate, direct.power), atol=1e-9)


def test_bricard_moves_although_the_count_says_no(loop: Mechanism) -> None:
    found = loop.mobility()
    assert (found.count, found.freedom, found.redundant, found.lasting, found.shaky) == (0, 1, 1, 1, 0)
    motion = loop.follow(np.linspace(loop.home[5], loop.home[5] - 0.6, 9)[:, None])
    assert np.abs(loop.closure_error(motion)).max() < 1e-12
    for phi in motion:
        np.testing.assert_allclose(phi[[0, 2, 4]], phi[0], atol=1e-9)
        np.testing.assert_allclose(phi[[1, 3, 5]], phi[1], atol=1e-9)
        a, b = np.cos(phi[:2])
        assert a + b + a * b == pytest.approx(0, abs=1e-9)


def test_bricard_first_order_coefficients_are_those_of_d2(loop: Mechanism) -> None:
    """Five rows and five columns of the Jacobian determine the other joints from joint 6 (D-2)."""
    from scipy.linalg import qr

    g = loop.assembly.closure_jacobian(loop.home[None])[0]
    assert np.linalg.matrix_rank(g, tol=1e-9) == 5
    kept = np.sort(qr(g[:, :5].T, pivoting=True)[2][:5])
    d2 = -np.linalg.solve(g[kept, :5], g[kept, 5])
    found = loop.influence(loop.home).first[:, 0]
    np.testing.assert_allclose(found[:5], d2, atol=1e-12)
    assert found[5] == pytest.approx(1, abs=1e-12)


def test_bricard_constraint_forces_balance_although_not_determined(loop: Mechanism) -> None:
    qd, qdd = np.array([0.8]), np.array([-0.5])
    rate, rate2 = loop.joint_motion(loop.home, qd, qdd)
    load = loop.joint_loads(loop.home[None], rate[None], rate2[None], [()])[0]
    drive = np.zeros(6)
    drive[5] = loop.inverse_dynamics(loop.home, qd, qdd)[0]
    forces = loop.constraint_forces(loop.home, qd, qdd)
    closing = loop.assembly.closure_jacobian(loop.home[None])[0]
    np.testing.assert_allclose(drive + closing.T @ forces, load, atol=1e-10)
