"""The transfer formulas over floats, batches and exact numbers; jerk and linear models."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert.mechanisms import transfer


def random_map(rng: np.random.Generator, n: int, batch: tuple[int, ...] = ()) -> tuple[Any, Any, Any]:
    """G, H and D of some change of coordinates: H and D symmetric."""
    g = rng.normal(size=(*batch, n, n)) + 3 * np.eye(n)
    h = rng.normal(size=(*batch, n, n, n))
    d = rng.normal(size=(*batch, n, n, n, n))
    h = h + np.swapaxes(h, -1, -2)
    axes = ((-3, -2, -1), (-3, -1, -2), (-2, -3, -1), (-2, -1, -3), (-1, -3, -2), (-1, -2, -3))
    lead = tuple(range(d.ndim - 3))
    return g, h, sum(d.transpose(*lead, *(a % d.ndim for a in order)) for order in axes)


def random_model(rng: np.random.Generator, n: int) -> transfer.TransferredModel:
    root, power = rng.normal(size=(n, n)), rng.normal(size=(n, n, n))
    return transfer.TransferredModel(root @ root.T + np.eye(n), power + np.swapaxes(power, -1, -2), rng.normal(size=n))


def test_generalized_scalar_product_is_that_of_appendix_a() -> None:
    rng = np.random.default_rng(0)
    a, c, b, d = rng.normal(size=(2, 4)), rng.normal(size=(4, 3, 3)), rng.normal(size=3), rng.normal(size=(3, 5))
    np.testing.assert_allclose(transfer.dot(a, c), np.einsum("pn,nij->pij", a, c))
    np.testing.assert_allclose(transfer.form(b, transfer.dot(a, c)), a @ transfer.form(b, c))
    np.testing.assert_allclose(transfer.quadratic(d, c), np.stack([d.T @ plane @ d for plane in c]))


def test_there_and_back_is_the_identity_to_third_order() -> None:
    rng = np.random.default_rng(1)
    g, h, d = random_map(rng, 4)
    x = transfer.inverse(g)
    x2 = transfer.second(x, h)
    x3 = transfer.third(x, x2, h, d)
    for other in ("pbac", "pcba", "pacb"):
        np.testing.assert_allclose(np.einsum(f"pabc->{other}", x3), x3, atol=1e-10)
    np.testing.assert_allclose(transfer.second(g, x2), h, atol=1e-10)
    np.testing.assert_allclose(transfer.third(g, h, x2, x3), d, atol=1e-9)
    eye = transfer.dependent_second(g, h, x, h)
    np.testing.assert_allclose(eye, 0, atol=1e-10)
    np.testing.assert_allclose(transfer.dependent_third(g, h, d, x, x2, x3), 0, atol=1e-9)
    model = random_model(rng, 4)
    there = transfer.model(model, x, h)
    back = transfer.model(there, g, x2)
    for one, two in ((back.inertia, model.inertia), (back.power, model.power), (back.load, model.load)):
        np.testing.assert_allclose(one, two, atol=1e-10)


def test_reduced_model_of_a_square_transfer_is_the_model() -> None:
    rng = np.random.default_rng(2)
    g, h, _ = random_map(rng, 3)
    model, x = random_model(rng, 3), transfer.inverse(g)
    one, two = transfer.model(model, x, h), transfer.reduced(model, x, transfer.second(x, h))
    for a, b in ((one.inertia, two.inertia), (one.power, two.power), (one.load, two.load)):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_batches_are_their_single_states() -> None:
    rng = np.random.default_rng(3)
    g, h, d = random_map(rng, 3, (2, 5))
    x = transfer.inverse(g)
    x2 = transfer.second(x, h)
    x3 = transfer.third(x, x2, h, d)
    for place in np.ndindex(2, 5):
        one = transfer.second(transfer.inverse(g[place]), h[place])
        np.testing.assert_allclose(x2[place], one, atol=1e-12)
        np.testing.assert_allclose(x3[place], transfer.third(x[place], one, h[place], d[place]), atol=1e-11)


def test_fractions_and_symbols_run_through_the_same_formulas() -> None:
    rng = np.random.default_rng(4)
    g, h = rng.integers(-3, 4, (3, 3)) + 7 * np.eye(3, dtype=int), rng.integers(-3, 4, (3, 3, 3))
    exact_g = np.vectorize(Fraction, otypes=[object])(g)
    exact_h = np.vectorize(Fraction, otypes=[object])(h)
    x = transfer.inverse(exact_g)
    assert (exact_g @ x == np.eye(3, dtype=int)).all()
    found = transfer.second(x, exact_h)
    assert all(isinstance(entry, Fraction) for entry in found.flat)
    np.testing.assert_allclose(
        found.astype(float), transfer.second(np.linalg.inv(g.astype(float)), h.astype(float)), atol=1e-12
    )
    adj, det = transfer.adjugate(g.astype(float))
    np.testing.assert_allclose(adj, np.linalg.inv(g) * np.linalg.det(g), atol=1e-9)
    assert det == pytest.approx(np.linalg.det(g))
    a, b = sympy.symbols("a b")
    polar = np.array([[sympy.cos(b), -a * sympy.sin(b)], [sympy.sin(b), a * sympy.cos(b)]], dtype=object)
    inverse = transfer.inverse(polar)
    assert sympy.simplify(inverse[1, 0] + sympy.sin(b) / a) == 0


def test_jerk_of_the_hand_and_back() -> None:
    """(3-44) and (3-46) along a motion of a real arm, against differences of its accelerations."""
    arm = da.load("puma560")
    rng = np.random.default_rng(5)
    start, rate, rate2, rate3 = rng.normal(size=(4, 6))

    def motion(t: float) -> tuple[Any, Any, Any]:
        return (
            start + rate * t + rate2 * t**2 / 2 + rate3 * t**3 / 6,
            rate + rate2 * t + rate3 * t**2 / 2,
            rate2 + rate3 * t,
        )

    def hand(t: float) -> tuple[Any, Any]:
        phi, qd, qdd = motion(t)
        at = arm.influence(phi)
        g = np.vstack([at.point_first, at.rotation_first])
        h = np.concatenate([at.point_second, at.rotation_second])
        d = np.concatenate([at.point_third, at.rotation_third])
        return g @ qdd + transfer.form(qd, h), (g, h, d)

    step = 1e-4
    measured = (hand(step)[0] - hand(-step)[0]) / (2 * step)
    g, h, d = hand(0.0)[1]
    found = transfer.jerk(g, h, d, rate, rate2, rate3)
    np.testing.assert_allclose(found, measured, atol=1e-5)
    back = transfer.initial_jerk(transfer.inverse(g), h, d, rate, rate2, found)
    np.testing.assert_allclose(back, rate3, atol=1e-9)


def test_linear_model_of_the_hand_is_that_of_its_own_motion() -> None:
    """(3-49) to (3-53): the joints' linear model carried to the tip, against differences of the tip's own motion."""
    arm = da.load("planar-2r")
    phi, rate, tau = np.array([0.4, 1.1]), np.array([0.7, -0.5]), np.array([3.0, 1.0])

    def tip(q: Any) -> Any:
        return arm.forward_kinematics(q)[:2, 3]

    def joints(u: Any) -> Any:
        q = phi.copy()
        for _ in range(30):
            q = q - np.linalg.solve(arm.jacobian(q)[:2], tip(q) - u)
        return q

    def acceleration(u: Any, ud: Any, load: Any) -> Any:
        q = joints(u)
        at = arm.influence(q)
        g, h = at.point_first[:2], at.point_second[:2]
        qd = np.linalg.solve(g, ud)
        return g @ arm.forward_dynamics(q, qd, load) + transfer.form(qd, h)

    f1, f2, b = arm.forward_dynamics_derivatives(phi, rate, tau)
    at = arm.influence(phi)
    g, h, d = at.point_first[:2], at.point_second[:2], at.point_third[:2]
    slopes = transfer.acceleration_slopes(h, d, rate, arm.forward_dynamics(phi, rate, tau))
    carried = transfer.linear(f1, f2, b, g, transfer.position_slope(h, rate), slopes)
    u, ud = tip(phi), g @ rate
    step = 1e-5
    for k, e in enumerate(step * np.eye(2)):
        measured = (
            acceleration(u + e, ud, tau) - acceleration(u - e, ud, tau),
            acceleration(u, ud + e, tau) - acceleration(u, ud - e, tau),
            acceleration(u, ud, tau + e) - acceleration(u, ud, tau - e),
        )
        for difference, table in zip(measured, carried, strict=True):
            np.testing.assert_allclose(difference / (2 * step), table[:, k], atol=1e-6)
