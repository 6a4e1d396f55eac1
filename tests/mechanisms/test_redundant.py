"""Redundant arms: minima are minima, limits are kept, and secondary goals do not disturb the hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, redundant, transfer
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.redundant import Redundant

HOME = np.array([0.2, -0.5, 0.3, -1.9, 0.4, 1.6, 0.7])


@pytest.fixture(scope="module")
def panda() -> Redundant:
    arm = da.load("panda")
    mechanism = Mechanism({"arm": arm}, [], [f"arm.{name}" for name in arm.joint_names], home=HOME)
    return Redundant(mechanism, "arm")


def test_least_energy_is_a_minimum_of_the_energy(panda: Redundant) -> None:
    rng = np.random.default_rng(0)
    inertia = panda.mechanism.model(HOME).inertia
    g, _ = panda.influence(HOME)
    for _ in range(3):
        ud = rng.normal(size=6)
        best = panda.rates(HOME, ud)
        np.testing.assert_allclose(g @ best, ud, atol=1e-12)
        np.testing.assert_allclose(best, redundant.right_inverse(g, inertia) @ ud, atol=1e-12)
        along = redundant.null_projector(g, inertia) @ rng.normal(size=7)
        np.testing.assert_allclose(g @ along, 0, atol=1e-12)
        assert np.linalg.norm(along) > 1e-3
        for step in (1e-2, -1e-2, 1.0, -1.0):
            other = best + step * along
            assert other @ inertia @ other > best @ inertia @ best


def test_partial_model_gives_the_torques_of_the_resolved_motion(panda: Redundant) -> None:
    rng = np.random.default_rng(1)
    ud, udd = rng.normal(size=6), rng.normal(size=6)
    g, h = panda.influence(HOME)
    model = panda.mechanism.model(HOME)
    inverse = redundant.right_inverse(g, model.inertia)
    partial = redundant.partial_model(model, inverse, h)
    qd = inverse @ ud
    qdd = inverse @ udd + transfer.form(ud, redundant.second(inverse, h))
    np.testing.assert_allclose(qdd, panda.accelerations(HOME, qd, udd), atol=1e-10)
    np.testing.assert_allclose(partial.torque(ud, udd), panda.mechanism.inverse_dynamics(HOME, qd, qdd), atol=1e-10)
    # (4-74): both forms of I*_qu agree for the kinetic-energy weight.
    other = g.T @ np.linalg.inv(g @ np.linalg.inv(model.inertia) @ g.T)
    np.testing.assert_allclose(partial.inertia, other, atol=1e-9 * np.abs(other).max())


def floating_plate() -> Redundant:
    """A body free in space, of which a corner is wanted: its coordinates turn."""
    body = da.free_body("plate", da.Inertia.of(2, (0.1, -0.05, 0.02), (0.03, 0.04, 0.06)))
    corner = da.Placement.from_xyz_rpy((0.4, 0.3, -0.2))
    home = [0.1, 0.2, 0.3, 0.5, -0.4, 0.7]
    plate = Mechanism({"plate": body.with_tool(corner)}, [], None, home=home, gravity=(0, 0, 0))
    return Redundant(plate, "plate", ("x", "y", "z"))


def redundant_systems() -> list[Redundant]:
    arm = da.load("panda")
    chain = Mechanism({"arm": arm}, [], [f"arm.{name}" for name in arm.joint_names], home=HOME)
    matrix = np.diag([3.0, 1, 2, 1, 0.5, 1, 0.2]) + 0.1
    device = gallery.six_actuator()
    return [
        Redundant(chain, "arm"),
        Redundant(chain, "arm", weight="joints"),
        Redundant(chain, "arm", ("x", "z", "ry"), weight=matrix),
        Redundant(device, "plate", ("x", "y", "rz")),
        floating_plate(),
    ]


@pytest.mark.parametrize("case", range(5), ids=["energy", "rates", "matrix", "closed", "turns"])
def test_accelerations_that_keep_the_rates_are_their_derivative_and_those_of_4_71_are_not(case: int) -> None:
    """q' = [G]^-R u' (4-68) holds at all times only with the derivative of [G]^-R; (4-72) leaves a part of it out."""
    system = redundant_systems()[case]
    phi, rng = np.asarray(system.mechanism.home, dtype=float), np.random.default_rng(1)
    ud, udd = rng.normal(size=(2, len(system.rows)))
    first, second = system.inverse_influence(phi)
    qd = first @ ud
    joint_rates, _ = system.mechanism.joint_motion(phi, qd, np.zeros_like(qd))
    step = 1e-5

    def rates(time: float) -> np.ndarray:
        at = phi + time * joint_rates
        return redundant.right_inverse(system.influence(at)[0], system.weight_at(at)) @ (ud + time * udd)

    slope = (rates(step) - rates(-step)) / (2 * step)
    kept = first @ udd + transfer.form(ud, second)
    np.testing.assert_allclose(kept, slope, atol=1e-7 * np.abs(slope).max())
    g, h = system.influence(phi)
    np.testing.assert_allclose(g @ kept + transfer.form(qd, h), udd, atol=1e-10 * np.abs(udd).max())
    printed = first @ udd + transfer.form(ud, redundant.second(first, h))
    np.testing.assert_allclose(printed, system.accelerations(phi, qd, udd), atol=1e-9 * np.abs(printed).max())
    assert np.abs(printed - slope).max() > 0.02 * np.abs(slope).max()
    model = system.partial_model(phi, keep_rates=True)
    loads = system.mechanism.inverse_dynamics(phi, qd, kept)
    np.testing.assert_allclose(model.torque(ud, udd), loads, atol=1e-9 * np.abs(loads).max())


def test_inverse_influence_takes_batches(panda: Redundant) -> None:
    phi = HOME + 0.1 * np.random.default_rng(7).normal(size=(2, 3, 7))
    first, second = panda.inverse_influence(phi)
    assert (first.shape, second.shape) == ((2, 3, 7, 6), (2, 3, 7, 6, 6))
    one = panda.inverse_influence(phi[1, 2])
    np.testing.assert_allclose(first[1, 2], one[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(second[1, 2], one[1], rtol=1e-8, atol=1e-9)
    assert panda.partial_model(phi, keep_rates=True).power.shape == (2, 3, 7, 6, 6)


def test_least_torque_is_a_minimum_of_the_torque(panda: Redundant) -> None:
    rng = np.random.default_rng(2)
    qd, udd = 0.5 * rng.normal(size=7), rng.normal(size=6)
    torque, qdd = panda.least_torque(HOME, qd, udd)
    g, h = panda.influence(HOME)
    np.testing.assert_allclose(g @ qdd + transfer.form(qd, h), udd, atol=1e-10)
    np.testing.assert_allclose(panda.mechanism.inverse_dynamics(HOME, qd, qdd), torque, atol=1e-10)
    free = redundant.null_projector(g) @ rng.normal(size=7)
    for step in (1e-3, -1e-3, 1.0, -1.0):
        assert np.linalg.norm(panda.mechanism.inverse_dynamics(HOME, qd, qdd + step * free)) > np.linalg.norm(torque)


def test_a_weight_moves_torque_to_the_other_coordinates(panda: Redundant) -> None:
    """T.W T is least of all accelerations that move the frame the same: T.W I*_qq n = 0 where [G] n = 0."""
    rng = np.random.default_rng(3)
    qd, udd, weight = 0.5 * rng.normal(size=7), rng.normal(size=6), np.diag([1.0, 50, 1, 1, 1, 1, 1])
    torque, qdd = panda.least_torque(HOME, qd, udd, weight)
    g, h = panda.influence(HOME)
    np.testing.assert_allclose(g @ qdd + transfer.form(qd, h), udd, atol=1e-10)
    free = redundant.null_projector(g) @ rng.normal(size=7)
    gain = torque @ weight @ panda.mechanism.mass_matrix(HOME) @ free
    assert abs(gain) < 1e-9 * np.linalg.norm(torque) * np.linalg.norm(free)
    assert abs(torque[1]) < abs(panda.least_torque(HOME, qd, udd)[0][1])


def test_joint_limits_are_kept_and_the_hand_stays_on_its_path() -> None:
    arm = da.load("panda")
    narrow = tuple(replace(j, limits=da.Limits(-0.1, 0.45)) if j.name == arm.joint_names[2] else j for j in arm.joints)
    mechanism = Mechanism({"arm": replace(arm, joints=narrow)}, [], [f"arm.{n}" for n in arm.joint_names], home=HOME)
    panda = Redundant(mechanism, "arm")
    times = np.linspace(0, 1, 21)
    poses = np.repeat(mechanism.frame(HOME, "arm")[None], len(times), 0)
    poses[:, 1, 3] += 0.05 * np.sin(np.pi * times)
    wish = np.array([0, 0, 0.8, 0, 0, 0, 0])  # a secondary goal that drives joint 3 beyond its limit
    free, kept = (panda.track(times, poses, HOME, wish, limits=limits) for limits in (False, True))
    assert free.phi[:, 2].max() > 0.46
    assert kept.phi[:, 2].max() <= 0.45 + 1e-12
    assert kept.phi[:, 2].max() > 0.44
    assert kept.error < 1e-11
    assert free.error < 1e-11


def test_accelerations_are_nearest_to_the_secondary_ones_in_the_weight(panda: Redundant) -> None:
    rng = np.random.default_rng(6)
    qd, wish, udd = rng.normal(size=7), rng.normal(size=7), rng.normal(size=6)
    g, h = panda.influence(HOME)
    inertia = panda.mechanism.model(HOME).inertia
    found = panda.accelerations(HOME, qd, udd, wish)
    np.testing.assert_allclose(g @ found + transfer.form(qd, h), udd, atol=1e-10)
    free = redundant.null_projector(g, inertia) @ rng.normal(size=7)
    assert free @ inertia @ (found - wish) == pytest.approx(0, abs=1e-10)
    assert np.abs(found - panda.accelerations(HOME, qd, udd)).max() > 0.1


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_no_joint_passes_its_largest_speed_either_way(panda: Redundant, way: float) -> None:
    """The hand stands and a secondary goal turns joint 1 faster than it can go."""
    speed = np.array([joint.limits.velocity for joint in da.load("panda").moving])
    wish = way * np.array([9.0, 0, 0, 0, 0, 0, 0])
    still = np.zeros(6)
    free, kept = panda.rates(HOME, still, wish), panda.rates(HOME, still, wish, dt=1e-3)
    assert (np.abs(free) > speed).any()
    assert (np.abs(kept) <= speed * (1 + 1e-9)).all()
    assert (np.abs(kept) > 0.999 * speed).any()


def test_null_motion_moves_the_elbow_and_not_the_hand(panda: Redundant) -> None:
    start = panda.mechanism.frame(HOME, "arm")
    times = np.linspace(0, 1, 11)
    wish = np.array([0.5, 0, 0, 0, 0, 0, 0])
    motion = panda.track(times, np.repeat(start[None], len(times), 0), HOME, wish)
    assert motion.error < 1e-10
    assert np.abs(motion.phi[-1] - HOME).max() > 0.05


def test_wrong_requests_are_refused_with_a_remedy() -> None:
    arm = da.load("planar-2r")
    mechanism = Mechanism({"arm": arm}, [], None, home=[0.3, 0.5])
    with pytest.raises(da.ArmError, match="want fewer"):
        Redundant(mechanism, "arm")
    with pytest.raises(da.ArmError, match="choose energy, joints"):
        Redundant(mechanism, "arm", ("x",), "enrgy")


PLANAR = ("x", "y", "rz")


def plate_path(mechanism: Mechanism, count: int = 13) -> tuple[np.ndarray, np.ndarray]:
    """A circle of the plate that turns as it goes."""
    times = np.linspace(0, 1, count)
    start = mechanism.frame(mechanism.home, "plate")
    poses = np.repeat(start[None], count, 0)
    angle = 2 * np.pi * times
    poses[:, 0, 3] += 0.05 * np.sin(angle)
    poses[:, 1, 3] += 0.05 * (1 - np.cos(angle))
    for pose, turn in zip(poses, 0.2 * np.sin(angle), strict=True):
        c, s = np.cos(turn), np.sin(turn)
        pose[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ start[:3, :3]
    return times, poses


def test_a_closed_redundant_mechanism_follows_its_hand_with_loops_closed() -> None:
    """The six-actuator robot of Fig. 4-4: six drives for three freedoms of the plate."""
    mechanism = gallery.six_actuator()
    times, poses = plate_path(mechanism)
    for weight in ("energy", "joints"):
        plate = Redundant(mechanism, "plate", PLANAR, weight)
        motion = plate.track(times, poses, mechanism.home)
        assert motion.error < 1e-10
        assert np.abs(mechanism.closure_error(motion.phi)).max() < 1e-11
        # A step of least length: what it does in the null space of the plate is second order in the step.
        step = motion.phi[6] - motion.phi[5]
        q = step[[c.joint for c in mechanism.assembly.coordinates]]
        middle = mechanism.closed_near((motion.phi[5] + motion.phi[6]) / 2)
        g, _ = plate.influence(middle)
        w = plate.weight_at(middle)
        free = redundant.null_projector(g, w)
        assert np.sqrt(free @ q @ w @ free @ q) < 0.1 * np.sqrt(q @ w @ q)


def test_the_null_motion_of_a_closed_mechanism_goes_down_its_criterion_and_leaves_the_plate() -> None:
    mechanism = gallery.six_actuator().with_gravity((0, "-9.81", 0))
    plate, still = Redundant(mechanism, "plate", PLANAR, "joints"), np.zeros(mechanism.n)

    def held(phi: np.ndarray) -> float:
        """The square of the torques that hold the robot."""
        return float(np.sum(mechanism.inverse_dynamics(phi, still, still) ** 2))

    times = np.linspace(0, 1, 11)
    poses = np.repeat(mechanism.frame(mechanism.home, "plate")[None], len(times), 0)
    motion = plate.track(times, poses, mechanism.home, criterion=held, gain=0.008)
    values = [held(phi) for phi in motion.phi]
    assert motion.error < 1e-10
    assert values[-1] < 0.95 * values[0]
    assert (np.diff(values) < 1e-9).all()


def test_joints_that_are_no_coordinates_keep_their_limits_on_the_way() -> None:
    mechanism = gallery.six_actuator()
    times, poses = plate_path(mechanism)
    plate = Redundant(mechanism, "plate", PLANAR, "joints")
    free = plate.track(times, poses, mechanism.home)
    joint = mechanism.joint_names.index("leg2.joint3")
    least, most = free.phi[:, joint].min(), free.phi[:, joint].max()
    limit = most - 0.3 * (most - mechanism.home[joint])
    arm = mechanism.parts.chains["leg2"]
    narrow = tuple(replace(j, limits=da.Limits(least - 1, limit)) if j.name == "joint3" else j for j in arm.joints)
    chains = {**mechanism.parts.chains, "leg2": replace(arm, joints=narrow)}
    kept = Redundant(mechanism._with(chains=chains), "plate", PLANAR, "joints").track(times, poses, mechanism.home)
    assert kept.error < 1e-10
    # rates keep to the limit in first order; closing the loops moves the joint by the square of a step
    assert kept.phi[:, joint].max() < limit + 1e-3
    assert most > limit + 5e-3


def test_least_torque_of_a_closed_redundant_mechanism_is_least() -> None:
    mechanism = gallery.six_actuator()
    plate = Redundant(mechanism, "plate", PLANAR)
    rng = np.random.default_rng(8)
    qd, udd = 0.3 * rng.normal(size=6), rng.normal(size=3)
    torque, qdd = plate.least_torque(mechanism.home, qd, udd)
    g, h = plate.influence(mechanism.home)
    np.testing.assert_allclose(g @ qdd + transfer.form(qd, h), udd, atol=1e-9)
    free = redundant.null_projector(g) @ rng.normal(size=6)
    for step in (1e-2, -1e-2):
        assert np.linalg.norm(mechanism.inverse_dynamics(mechanism.home, qd, qdd + step * free)) > np.linalg.norm(
            torque
        )
