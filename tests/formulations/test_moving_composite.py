"""Bodies in motion against spatial algebra in 6 by 6 matrices, and against the points that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.formulations.moving_composite import BodyMotion, MovingComposite, body_in_motion
from dalembert.formulations.spatial import force_cross, motion_cross, power, screw_of, screw_scale, screw_sum

Array = np.ndarray


def tilde(v: Array) -> Array:
    return np.cross(v[:, None], np.eye(3), axisa=0, axisb=0).T


def motion_matrix(v: Array) -> Array:
    """v x of motions (Featherstone 2008, eq. 2.31)."""
    return np.block([[tilde(v[:3]), np.zeros((3, 3))], [tilde(v[3:]), tilde(v[:3])]])


def flat(screw: tuple) -> Array:
    return np.array([*screw[0], *screw[1]], dtype=float)


@pytest.fixture(params=range(3))
def points(request: pytest.FixtureRequest) -> tuple[Array, Array, Array, Array]:
    """Masses, places, a velocity and an acceleration of the body that they are."""
    rng = np.random.default_rng(request.param)
    return rng.uniform(0.1, 1, 7), rng.normal(size=(7, 3)), rng.normal(size=6), rng.normal(size=6)


def body(points: tuple[Array, Array, Array, Array]) -> MovingComposite:
    """In a frame that is turned and moved, in which the points are given."""
    mass, r, velocity, acceleration = points
    turn = np.linalg.qr(np.random.default_rng(9).normal(size=(3, 3)))[0]
    turn, shift = turn * np.linalg.det(turn), np.array([0.3, -0.2, 0.5])
    own = (r - shift) @ turn
    second = np.einsum("p,pi,pj->ij", mass, own, own)
    move = BodyMotion((turn.tolist(), shift.tolist()), screw_of(velocity), screw_of(acceleration))
    return body_in_motion(mass.sum(), tuple(mass @ own), second.tolist(), move, True)


def inertia(points: tuple[Array, Array, Array, Array]) -> Array:
    mass, r, *_ = points
    shifts = [np.hstack([-tilde(x), np.eye(3)]) for x in r]
    return sum(m * x.T @ x for m, x in zip(mass, shifts, strict=True))


def test_products_of_spatial_vectors_are_those_of_their_matrices() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 6))
    x, y = screw_of(a), screw_of(b)
    assert flat(motion_cross(x, y)) == pytest.approx(motion_matrix(a) @ b)
    assert flat(force_cross(x, y)) == pytest.approx(-motion_matrix(a).T @ b)
    assert power(x, y) == pytest.approx(a @ b)
    assert flat(screw_sum(x, screw_scale(2.0, y))) == pytest.approx(a + 2 * b)


def test_inertia_and_force_are_those_of_newton_and_euler(points) -> None:
    """f = I a + v x* I v."""
    _, _, velocity, acceleration = points
    matrix, whole = inertia(points), body(points)
    for unit in np.eye(6):
        assert flat(whole.inertia(screw_of(unit))) == pytest.approx(matrix @ unit, abs=1e-12)
    force = matrix @ acceleration - motion_matrix(velocity).T @ (matrix @ velocity)
    assert flat(whole.load) == pytest.approx(force, abs=1e-12)


def test_the_coriolis_matrix_is_that_of_echeandia_and_wensing(points) -> None:
    """B = ((v x*) I - I (v x) + (I v) x*) / 2 (2021), the last term taking u to u x* I v."""
    _, _, velocity, _ = points
    matrix, whole, cross = inertia(points), body(points), motion_matrix(velocity)
    swapped = np.array([-motion_matrix(unit).T @ (matrix @ velocity) for unit in np.eye(6)]).T
    right = (-cross.T @ matrix - matrix @ cross + swapped) / 2
    units = [screw_of(unit) for unit in np.eye(6)]
    columns, rows = ([method(unit) for unit in units] for method in (whole.coriolis, whole.coriolis_transposed))
    np.testing.assert_allclose(np.array([flat(column) for column in columns]).T, right, atol=1e-12)
    np.testing.assert_allclose(np.array(rows), right[:, :3], atol=1e-12)
    assert right[:, 3:] == pytest.approx(np.zeros((6, 3)), abs=1e-12)


def test_bodies_that_are_joined_move_as_one(points) -> None:
    mass, r, *motion = points
    first, second = ((mass[half], r[half], *motion) for half in (slice(0, 3), slice(3, 7)))
    joined, whole = body(first).joined(body(second)), body(points)
    for name in ("mass", "moment", "second", "momentum", "velocity_moments"):
        assert np.array(getattr(joined, name)) == pytest.approx(np.array(getattr(whole, name)), abs=1e-12), name
    assert flat(joined.load) == pytest.approx(flat(whole.load), abs=1e-12)


def test_nothing_that_cancels_in_an_inertia_is_larger_than_its_parts(points) -> None:
    whole = body(points)
    for unit in (*np.eye(6), *np.random.default_rng(2).normal(size=(20, 6))):
        screw = screw_of(unit)
        assert power(screw, whole.inertia(screw)) <= whole.parts(screw)
