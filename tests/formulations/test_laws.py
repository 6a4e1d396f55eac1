"""Laws of mechanics, over random arms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.chain import chain
from dalembert.formulations.kinematics import frames
from dalembert.rings.real import REAL
from laws import EPS, arms, inertia_scale, moving_arms, rounding, torque_scale


@given(moving_arms())
def test_the_mass_matrix_is_symmetric_and_positive_definite(case):
    arm, q, *_ = case
    matrix = arm.mass_matrix(q)
    assert (matrix == matrix.T).all()
    assert np.linalg.eigvalsh(matrix)[0] > 0


@given(moving_arms())
def test_mutual_coefficients_stay_below_the_geometric_mean_of_the_self_coefficients(case):
    """d_ij^2 < d_ii d_jj (Tourassis and Neuman 1985, section 2.1)."""
    arm, q, *_ = case
    matrix = arm.mass_matrix(q)
    own = np.diag(matrix)
    apart = ~np.eye(arm.n, dtype=bool)
    assert (matrix**2 < np.outer(own, own))[apart].all()


@given(moving_arms())
def test_the_mass_matrix_is_the_derivative_of_torque_to_acceleration(case):
    arm, q, qd, qdd = case
    columns = [arm.inverse_dynamics(q, qd, qdd + unit) - arm.inverse_dynamics(q, qd, qdd) for unit in np.eye(arm.n)]
    difference = np.abs(np.stack(columns, axis=-1) - arm.mass_matrix(q)).max()
    assert difference <= rounding(arm, q) * torque_scale(arm, q, qd, np.abs(qdd) + 1)


@given(moving_arms())
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(case):
    """dD/dt = C + C^T, dD/dt taken by the chain rule from derivatives of the kinetic energy's torque."""
    arm, q, qd, _ = case
    coriolis = arm.coriolis_matrix(q, qd)
    symbols = arm.christoffel(q)
    # dD_ij/dq_k = c_ijk + c_jik, checked against a central difference of D itself
    step = 1e-5
    along = (arm.mass_matrix(q + step * qd) - arm.mass_matrix(q - step * qd)) / (2 * step)
    size = np.abs(symbols).max() * np.abs(qd).max() + np.abs(arm.mass_matrix(q)).max()
    third = np.abs(qd).max() ** 3 * step**2 * 10 * arm.n**3
    assert np.abs(along - coriolis - coriolis.T).max() <= size * (third + arm.n * EPS / step)


@given(moving_arms())
def test_the_coriolis_matrix_times_velocity_is_the_velocity_torque(case):
    arm, q, qd, _ = case
    velocity = arm.bias(q, qd) - arm.gravity_load(q)
    scale = torque_scale(arm, q, qd, np.zeros(arm.n))
    assert np.abs(arm.coriolis_matrix(q, qd) @ qd - velocity).max() <= rounding(arm, q) * scale


@given(moving_arms())
def test_gravity_load_is_the_slope_of_potential_energy(case):
    arm, q, *_ = case
    step = 1e-4
    units = step * np.eye(arm.n)
    slope = (arm.potential_energy(q + units) - arm.potential_energy(q - units)) / (2 * step)
    scale = torque_scale(arm, q, 0 * q, 0 * q)
    # central difference: step^2/6 times the third derivative, which is of the size of the load itself
    assert np.abs(slope - arm.gravity_load(q)).max() <= scale * (step**2 + 10 * EPS / step)


@given(moving_arms())
def test_power_in_is_the_change_of_energy(case):
    """tau . qd = d(T + V)/dt along the motion q(t) = q + qd t + qdd t^2/2."""
    arm, q, qd, qdd = case
    power = arm.inverse_dynamics(q, qd, qdd) @ qd
    step = 1e-4

    def energy(t: float) -> float:
        return float(arm.kinetic_energy(q + qd * t + qdd * t * t / 2, qd + qdd * t)) + float(
            arm.potential_energy(q + qd * t + qdd * t * t / 2)
        )

    rate = (8 * (energy(step) - energy(-step)) - energy(2 * step) + energy(-2 * step)) / (12 * step)
    size = torque_scale(arm, q, qd, qdd) * np.abs(qd).sum() + abs(energy(0))
    fifth = (arm.n * (np.abs(qd).max() + np.abs(qdd).max())) ** 5 * step**4
    assert abs(power - rate) <= size * (fifth + 30 * EPS / step)


@given(moving_arms())
def test_forward_dynamics_undoes_inverse_dynamics(case):
    arm, q, qd, qdd = case
    tau = arm.inverse_dynamics(q, qd, qdd)
    scale = torque_scale(arm, q, qd, qdd) / np.linalg.norm(arm.mass_matrix(q), 2)
    assert np.abs(arm.forward_dynamics(q, qd, tau) - qdd).max() <= arm.n * rounding(arm, q) * scale


@given(moving_arms())
def test_torques_are_linear_in_the_inertial_parameters(case):
    arm, q, qd, qdd = case
    difference = arm.regressor(q, qd, qdd) @ arm.parameters - arm.inverse_dynamics(q, qd, qdd)
    assert np.abs(difference).max() <= rounding(arm, q) * torque_scale(arm, q, qd, qdd)


@given(moving_arms())
def test_an_inner_link_exerts_no_coriolis_force_through_an_outer_ones_own_velocity(case):
    """Non-interacting: c_ji(i) = 0 for j <= i (Tourassis and Neuman 1985, eq. 38)."""
    arm, q, *_ = case
    symbols = arm.christoffel(q)
    size = max(np.abs(symbols).max(), inertia_scale(arm, q))
    worst = max(abs(symbols[i, j, i]) for i in range(arm.n) for j in range(i + 1))
    assert worst <= rounding(arm, q) * size


@given(moving_arms())
def test_coriolis_coupling_is_reflected(case):
    """Reflective: c_jm(i) = -c_ji(m) for j <= i, m (Tourassis and Neuman 1985, eq. 39)."""
    arm, q, *_ = case
    symbols = arm.christoffel(q)
    size = max(np.abs(symbols).max(), inertia_scale(arm, q))
    n = range(arm.n)
    worst = max(abs(symbols[i, j, m] + symbols[m, j, i]) for i in n for m in n for j in range(min(i, m) + 1))
    assert worst <= rounding(arm, q) * size


@given(moving_arms())
def test_the_parts_of_the_torque_add_up(case):
    arm, q, qd, qdd = case
    parts = arm.parts(q, qd, qdd)
    tolerance = rounding(arm, q) * torque_scale(arm, q, qd, qdd)
    assert np.abs(parts.total - arm.inverse_dynamics(q, qd, qdd)).max() <= tolerance
    assert np.abs(parts.inertia - arm.mass_matrix(q) @ qdd).max() <= tolerance
    assert np.abs(parts.gravity - arm.gravity_load(q)).max() <= tolerance
    squares = np.einsum("ijj,j->i", arm.christoffel(q), qd**2)
    assert np.abs(parts.centrifugal - squares).max() <= tolerance
    for name in ("inertia", "centrifugal", "coriolis"):
        shares = getattr(parts.translational, name) + getattr(parts.rotational, name)
        assert np.abs(getattr(parts, name) - shares).max() <= tolerance


@given(moving_arms(largest=6))
def test_kinetic_energy_falls_into_that_of_mass_centres_and_that_of_turning(case):
    """K^tran from differences of the mass centres themselves; with K^rot it is T (Lee 1982, eq. 10)."""
    arm, q, qd, _ = case
    found = arm.kinetic_energy_parts(q, qd)
    # moments are carried to the mass centre and back: some thirty products, each rounded
    assert abs(found.total - arm.kinetic_energy(q, qd)) <= 30 * rounding(arm, q) * found.total
    step, model = 1e-5, chain(arm, REAL)

    def centres(x: np.ndarray) -> np.ndarray:
        return np.array(
            [
                np.array(place, dtype=float) + np.array(turn, dtype=float) @ np.array(segment.com, dtype=float)
                for (turn, place), segment in zip(frames(model, REAL, list(x)), model.segments, strict=True)
            ]
        )

    speeds = (centres(q + step * qd) - centres(q - step * qd)) / (2 * step)
    masses = np.array([float(segment.mass) for segment in model.segments])
    own = (masses * (speeds**2).sum(axis=1)).sum() / 2
    assert found.translational == pytest.approx(own, rel=1e-6, abs=1e-6 * float(found.total))


@given(moving_arms(largest=6))
def test_bodies_of_no_extent_have_no_rotational_part_and_the_same_translational_one(case):
    """With each link's mass drawn together at its mass centre, nothing turns about it (Lee 1982, eqs 30 to 32)."""
    arm, q, qd, qdd = case
    links = tuple(
        replace(each, inertia=da.Inertia.of(each.inertia.mass, each.inertia.com, (0, 0, 0))) for each in arm.links
    )
    whole, points = arm.parts(q, qd, qdd), da.Arm.of(replace(arm, links=links)).parts(q, qd, qdd)
    size = rounding(arm, q) * torque_scale(arm, q, qd, qdd)
    # Links fixed to one another are one body, and point masses apart from each other have an extent.
    single = len(arm.joints) == arm.n
    for name in ("inertia", "centrifugal", "coriolis"):
        difference = getattr(whole.translational, name) - getattr(points.translational, name)
        assert np.abs(difference).max() <= size, name
        if single:
            assert np.abs(getattr(points.rotational, name)).max() <= size, name


@given(arms(largest=6), st.integers(0, 2**32))
def test_gravity_load_is_linear_in_gravity(arm, seed):
    q = np.random.default_rng(seed).uniform(-3, 3, arm.n)
    free = arm.with_gravity((0, 0, 0))
    assert np.abs(free.gravity_load(q)).max() == 0
    twice = arm.with_gravity([2 * float(g) for g in arm.gravity])
    scale = torque_scale(arm, q, 0 * q, 0 * q)
    assert np.abs(twice.gravity_load(q) - 2 * arm.gravity_load(q)).max() <= rounding(arm, q) * scale


@given(moving_arms(largest=6))
def test_joint_torques_are_the_axial_parts_of_the_reactions(case):
    arm, q, qd, qdd = case
    reactions = arm.joint_reactions(q, qd, qdd)
    tau = arm.inverse_dynamics(q, qd, qdd)
    for index, joint in enumerate(arm.moving):
        path = arm.influence(q, joint.child)
        axis = path.rotation_first[:, index] if joint.kind == "revolute" else path.point_first[:, index]
        part = reactions[index, 3:] if joint.kind == "revolute" else reactions[index, :3]
        assert abs(axis @ part - tau[index]) <= rounding(arm, q) * torque_scale(arm, q, qd, qdd) * arm.n


@given(moving_arms(largest=6))
def test_the_base_feels_newtons_second_law(case):
    """The forces on the bodies carried by the base add up to the rate of all momentum less the weight."""
    arm, q, qd, qdd = case
    reactions = arm.joint_reactions(q, qd, qdd)
    force = sum(reactions[k, :3] for k, body in enumerate(arm.bodies) if body.parent < 0)
    expected = np.zeros(3)
    for body in arm.bodies:
        at = arm.influence(q, body.joint.child, body.inertia.com)
        acceleration = at.point_first @ qdd + np.einsum("xjk,j,k->x", at.point_second, qd, qd)
        expected += float(body.inertia.mass) * (acceleration - [float(g) for g in arm.gravity])
    assert np.abs(force - expected).max() <= 1e-12 * (np.abs(reactions).max() + np.abs(expected).max())


def test_a_chain_without_mass_is_refused_where_dynamics_is_asked_for():
    arm = da.Arm.from_dh([{"a": 1.0}, {"a": 1.0}])
    assert arm.forward_kinematics([0, 0])[0, 3] == 2
    assert arm.compile("forward_kinematics")([0, 0])[0, 3] == 2
    assert arm.holding(da.Load(1.0)).analysis().range_of("D22").maximum == 1
    for ask in (
        lambda: arm.inverse_dynamics([0, 0], [0, 0], [0, 0]),
        lambda: arm.forward_dynamics([0, 0], [0, 0], [0, 0]),
        lambda: arm.mass_matrix([0, 0]),
        lambda: arm.gravity_load([0, 0]),
        lambda: arm.analysis(),
        lambda: arm.compile("inverse_dynamics"),
        lambda: arm.write_c("gravity_load", "nowhere"),
    ):
        with pytest.raises(da.ArmError, match="no moving link has mass"):
            ask()


def test_a_joint_that_moves_no_inertia_is_named_by_forward_dynamics():
    arm = da.Arm.from_dh([{"a": 1.0, "mass": 1}, {"a": 1.0, "name": "idle"}])
    with pytest.raises(da.ArmError, match="joint 'idle' moves no inertia"):
        arm.forward_dynamics([0.1, 0.2], [0, 0], [0, 0])
