"""Forces, springs and dampers act as virtual work says (Freeman 1985, eq. 2-147)."""

import numpy as np
import pytest
from hypothesis import given

import dalembert as da
from laws import EPS, elastic, moving_arms, torque_scale


@given(moving_arms(largest=6))
def test_a_force_loads_the_joints_by_its_jacobian(case):
    arm, q, qd, qdd = case
    rng = np.random.default_rng(1)
    push, twist, point = rng.normal(size=(3, 3))
    link = arm.links[-1].name
    bare = arm.inverse_dynamics(q, qd, qdd)
    at = arm.influence(q, link, point)
    expected = bare - push @ at.point_first - twist @ at.rotation_first
    scale = torque_scale(arm, q, qd, qdd) + 10 * arm.n
    in_base = arm.inverse_dynamics(q, qd, qdd, forces=[da.Force(link, push, tuple(point), twist)])
    assert np.abs(in_base - expected).max() <= 100 * EPS * scale
    turn = arm.link_frames(q)[link][:3, :3]
    in_link = da.Force(link, turn.T @ push, tuple(point), turn.T @ twist, axes="link")
    assert np.abs(arm.inverse_dynamics(q, qd, qdd, forces=[in_link]) - expected).max() <= 100 * EPS * scale


@given(moving_arms(largest=6))
def test_weights_as_forces_are_the_gravity_load(case):
    arm, q, *_ = case
    zero = np.zeros(arm.n)
    weights = [
        da.Force(link.name, [float(link.inertia.mass * g) for g in arm.gravity], tuple(map(float, link.inertia.com)))
        for link in arm.links
    ]
    loose = arm.with_gravity((0, 0, 0))
    difference = loose.inverse_dynamics(q, zero, zero, forces=weights) - arm.gravity_load(q)
    assert np.abs(difference).max() <= 100 * EPS * torque_scale(arm, q, zero, zero)


@given(moving_arms(largest=6, tree=False))
def test_springs_hold_by_the_slope_of_their_energy(case):
    arm, q, *_ = case
    arm = elastic(arm)
    zero = np.zeros(arm.n)
    step = 1e-4
    units = step * np.eye(arm.n)
    slope = (arm.potential_energy(q + units) - arm.potential_energy(q - units)) / (2 * step)
    scale = torque_scale(arm, q, zero, zero) + abs(float(arm.potential_energy(q))) + 100
    assert np.abs(arm.inverse_dynamics(q, zero, zero) - slope).max() <= scale * (100 * step**2 + 10 * EPS / step)


@given(moving_arms(largest=6, tree=False))
def test_dampers_take_the_square_of_their_rate_and_springs_take_nothing(case):
    """What velocity adds to the power is c qd^2 at the joint and c (d|b - a|/dt)^2 between the points."""
    arm, q, qd, qdd = case
    sprung = elastic(arm)
    extra = sprung.inverse_dynamics(q, qd, qdd) - sprung.inverse_dynamics(q, 0 * qd, qdd)
    bare = arm.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, 0 * qd, qdd)
    _, joint, point, _ = sprung.elastic
    end = arm.links[-1].name
    span = (arm.link_frames(q)[end] @ [*point.point_b, 1.0])[:3] - point.point_a
    rate = span @ arm.influence(q, end, point.point_b).point_first @ qd / np.linalg.norm(span)
    taken = joint.damping * qd[0] ** 2 + point.damping * rate**2
    size = torque_scale(arm, q, qd, qdd) + np.abs(sprung.inverse_dynamics(q, qd, qdd)).max()
    assert (extra - bare) @ qd == pytest.approx(taken, abs=1e-12 * arm.n * size * np.abs(qd).sum())


@given(moving_arms(largest=6, tree=False))
def test_forward_dynamics_undoes_inverse_dynamics_under_all_loads(case):
    arm, q, qd, qdd = case
    arm = elastic(arm)
    forces = [da.Force(arm.links[-1].name, (1.0, -2.0, 3.0), (0.1, 0.0, 0.2), (0.5, 0.1, -0.3), axes="link")]
    tau = arm.inverse_dynamics(q, qd, qdd, forces=forces)
    found = arm.forward_dynamics(q, qd, tau, forces=forces)
    matrix = arm.mass_matrix(q)
    scale = (torque_scale(arm, q, qd, qdd) + np.abs(tau).max()) / np.linalg.norm(matrix, 2)
    assert np.abs(found - qdd).max() <= 10 * arm.n * np.linalg.cond(matrix) * EPS * scale


def test_forces_broadcast_with_the_batch():
    arm = da.Arm.from_dh([{"a": 1.0, "mass": 1, "inertia": (0.1, 0.1, 0.1)}] * 2)
    q = np.zeros((5, 2))
    pushes = np.random.default_rng(0).normal(size=(5, 3))
    whole = arm.inverse_dynamics(q, q, q, forces=[da.Force("link2", pushes)])
    single = [arm.inverse_dynamics(q[k], q[k], q[k], forces=[da.Force("link2", pushes[k])]) for k in range(5)]
    np.testing.assert_allclose(whole, single, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (da.Force("hand", (0, 0, 1)), "no link 'hand'"),
        (da.Force("link1", (0, 0, 1), axes="tool"), '"base", "link" or "world"'),
        (da.Force("link1", (0, 1)), "3 components"),
        (da.Force("link1", (0, np.nan, 0)), "not finite"),
    ],
)
def test_a_wrong_force_is_refused_by_name(bad, said):
    arm = da.Arm.from_dh([{"a": 1.0, "mass": 1}])
    with pytest.raises(da.ArmError, match=said):
        arm.inverse_dynamics([0], [0], [0], forces=[bad])


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (da.JointSpring("elbow", 1.0), "no joint 'elbow'"),
        (da.JointSpring("joint1", -1.0), "negative"),
        (da.JointDamper("joint1", float("nan")), "finite"),
        (da.PointSpring("base", (0, 0, 0), "base", (1, 0, 0)), "itself"),
        (da.PointSpring("base", (0, 0, 0), "link1", (1, 0, 0), stiffness=1, rest=-1), "rest length"),
    ],
)
def test_a_wrong_spring_or_damper_is_refused_by_name(part, said):
    arm = da.Arm.from_dh([{"a": 1.0, "mass": 1}])
    with pytest.raises(da.ArmError, match=said):
        arm.with_elastic(part)
