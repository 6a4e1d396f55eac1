"""What Tourassis and Neuman 1985 print of gravity and factors, read as printed and as it must be."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

ARMS = ("puma560", "stanford", "articulated", "spherical", "cartesian")


def printed_load(arm: da.Arm, q: np.ndarray, *, own: bool) -> np.ndarray:
    """(B-3) as printed; ``own``: with the mass centre of link i in its own frame, else of links i to N in frame i - 1.

    Standard Denavit-Hartenberg frames: joint i moves about z of the frame of link i - 1.
    """
    frames = arm.link_frames(q)
    after = [frames[body.joint.child] for body in arm.bodies]
    before = [np.broadcast_to(np.eye(4), after[0].shape), *after[:-1]]
    masses = [float(body.inertia.mass) for body in arm.bodies]
    known = [body.inertia.com if body.inertia.mass else (0, 0, 0) for body in arm.bodies]
    centres = [np.array([float(x) for x in com]) for com in known]
    pull = np.array([float(x) for x in arm.gravity])
    load = np.zeros(q.shape)
    for i, joint in enumerate(arm.moving):
        n, o, a = (before[i][:, :3, axis] for axis in range(3))
        moved = sum(masses[i:])
        if joint.kind == "prismatic":
            load[:, i] = moved * (a @ pull)
            continue
        if own:
            x, y = centres[i][:2]
        else:
            places = [after[k][:, :3, :3] @ centres[k] + after[k][:, :3, 3] for k in range(arm.n)]
            centre = sum(masses[k] * places[k] for k in range(i, arm.n)) / moved - before[i][:, :3, 3]
            x, y = (n * centre).sum(axis=1), (o * centre).sum(axis=1)
        load[:, i] = moved * (x * (o @ pull) - y * (n @ pull))
    return load


@pytest.mark.parametrize("name", ARMS)
def test_gravity_as_printed_has_the_wrong_sign(name: str) -> None:
    """(13), (40), (B-3): G is dV/dq, the negative of what is printed, with the mass centre of all that is moved."""
    arm = da.load(name, physical="ignore")
    q = np.random.default_rng(0).uniform(-2, 2, (200, arm.n))
    exact = arm.gravity_load(q)
    np.testing.assert_allclose(printed_load(arm, q, own=False), -exact, atol=1e-12 * np.abs(exact).max())
    step = 1e-5 * np.eye(arm.n)
    rise = (arm.potential_energy(q[:, None] + step) - arm.potential_energy(q[:, None] - step)) / 2e-5
    np.testing.assert_allclose(exact, rise, atol=1e-6 * np.abs(exact).max())


def test_the_mass_centre_of_a_link_alone_is_not_what_b_3_needs() -> None:
    arm = da.load("puma560", physical="ignore")
    q = np.random.default_rng(0).uniform(-2, 2, (2000, 6))
    assert np.abs(printed_load(arm, q, own=True))[:, 1].max() == pytest.approx(83.7, abs=0.1)
    assert np.abs(arm.gravity_load(q))[:, 1].max() == pytest.approx(46.0, abs=0.1)


def test_a_cartesian_robot_on_a_level_foundation_lifts_with_its_first_joint() -> None:
    """Section 6 says G_1 = 0 of all robots of Table 3, whose row of the Cartesian one has a constant G."""
    arm = da.load("cartesian")
    assert arm.gravity_load([0.1, 0.2, 0.3]).tolist() == arm.gravity_load([0.5, 0.1, 0.9]).tolist()
    assert arm.gravity_load(np.zeros(3))[0] > 0
    assert da.load("articulated").gravity_load([0.1, 0.2, 0.3])[0] == 0


def test_the_loading_factor_is_one_where_nothing_between_the_joints_has_mass() -> None:
    arm = da.Arm.from_dh([{"a": 1, "mass": 0}, {"a": 0.5, "mass": 2, "com": (-0.2, 0, 0)}])
    assert arm.coupling_at([0.3, 0.4]).loading[0, 1] == 1


def test_the_conditions_of_37_as_printed_leave_out_the_half_slopes_of_the_self_inertial_coefficients() -> None:
    """c_im(i) with i < m has no row under j < m and i, m < j and i, i < j and m; it is -c_ii(m), as (39) has it."""

    def rows(i: int, j: int, m: int) -> list[bool]:
        return [j < m and j < i, m < j and m < i, i < j and i < m]

    arm = da.load("puma560", physical="ignore")
    coefficients = arm.christoffel([0.3, -0.7, 1.1, 0.4, -0.5, 0.2])
    coriolis = [(i, j, m) for i in range(6) for j in range(6) for m in range(6) if j != m]
    without = [place for place in coriolis if not any(rows(*place)) and abs(coefficients[place]) > 1e-12]
    assert without
    assert all(i in (j, m) and i == min(j, m) for i, j, m in without)
    for i, j, m in without:
        outer = max(j, m)
        assert coefficients[i, j, m] == pytest.approx(-coefficients[outer, i, i], abs=1e-12)


def test_a_first_slide_across_gravity_needs_a_base_frame_that_is_turned() -> None:
    """After (B-4): for i = 1 the vectors n, o, a are the axes of the base itself, so that a_z is 1 and never 0."""
    rows = [{"type": "prismatic", "mass": 2.0}, {"a": 0.4, "mass": 1.0}]
    standing = da.Arm.from_dh(rows)
    assert standing.gravity_load([0.2, 0.3])[0] == pytest.approx(3 * 9.81)
    assert standing.with_gravity((-9.81, 0, 0)).gravity_load([0.2, 0.3])[0] == 0
