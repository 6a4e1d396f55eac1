"""More motors than freedoms: equilibrium, least norms, limits, contacts that push."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, qp
from dalembert.mechanisms.overconstrained import Motors

FINGERS = ["left.joint1", "left.joint2", "right.joint1", "right.joint2"]
STILL = np.zeros(3)


@pytest.fixture(scope="module")
def hand() -> Motors:
    return Motors(gallery.two_fingered_hand(), FINGERS)


def normals(motors: Motors, forces: np.ndarray) -> np.ndarray:
    return forces[[k for k, name in enumerate(motors.mechanism.equation_names) if name.endswith(".z")]]


def test_least_squares_is_4_85_and_its_norm_is_least(hand: Motors) -> None:
    rng = np.random.default_rng(0)
    phi = hand.mechanism.home
    g = hand.influence(phi)
    assert g.shape == (4, 3)
    wanted = rng.normal(size=3)
    found = hand.least_squares(phi, wanted)
    np.testing.assert_allclose(found, g @ np.linalg.inv(g.T @ g) @ wanted, atol=1e-12)
    np.testing.assert_allclose(g.T @ found, wanted, atol=1e-13)
    squeeze = hand.internal(phi)
    assert squeeze.shape == (4, 1)
    np.testing.assert_allclose(g.T @ squeeze, 0, atol=1e-13)
    for step in (1e-3, -1e-3, 1.0):
        assert np.linalg.norm(found + step * squeeze[:, 0]) > np.linalg.norm(found)


def test_contacts_pull_when_allowed_and_push_when_told(hand: Motors) -> None:
    phi = hand.mechanism.home
    loose = hand.distribute(phi, STILL, STILL, contacts=False, limits=False)
    held = hand.distribute(phi, STILL, STILL, limits=False)
    assert loose.residual < 1e-13
    assert held.residual < 1e-13
    assert np.linalg.norm(loose.torque) <= np.linalg.norm(held.torque)
    pushes = normals(hand, held.closure_forces)
    assert (pushes >= -1e-12).all()
    sides = held.closure_forces[[k for k, n in enumerate(hand.mechanism.equation_names) if n.endswith(".x")]]
    assert (np.abs(sides) <= 0.6 * pushes + 1e-12).all()
    # The disc is held up by friction alone: 0.4 kg between two contacts.
    assert np.abs(sides).sum() == pytest.approx(0.4 * 9.81, rel=1e-6)
    firm = hand.distribute(phi, STILL, STILL, limits=False, push=20.0)
    assert (normals(hand, firm.closure_forces) >= 20 - 1e-9).all()


def test_distributed_loads_and_closure_forces_balance_the_joints(hand: Motors) -> None:
    rng = np.random.default_rng(3)
    mechanism = hand.mechanism
    qd, qdd = 0.2 * rng.normal(size=3), rng.normal(size=3)
    found = hand.distribute(mechanism.home, qd, qdd)
    rate, rate2 = mechanism.joint_motion(mechanism.home, qd, qdd)
    load = mechanism.joint_loads(mechanism.home[None], rate[None], rate2[None], mechanism._forces({}))[0]
    closing = mechanism.assembly.closure_jacobian(mechanism.home[None])[0]
    motors = np.zeros(mechanism.m)
    motors[[mechanism.chains.joint_index(name) for name in hand.names]] = found.torque
    np.testing.assert_allclose(motors + closing.T @ found.closure_forces, load, atol=1e-11)


def test_partial_model_gives_the_loads_of_least_squares_for_a_motion(hand: Motors) -> None:
    """(4-87) to (4-90), against the same loads found for this motion alone."""
    mechanism = hand.mechanism
    phi = mechanism.closed_near(mechanism.home + 0.01 * np.random.default_rng(3).normal(size=(4, mechanism.m)))
    qd, qdd = np.random.default_rng(4).normal(size=(2, 4, 3))
    found = hand.distribute(phi, qd, qdd, limits=False, contacts=False).torque
    np.testing.assert_allclose(hand.partial_model(phi).torque(qd, qdd), found, atol=1e-10 * (1 + np.abs(found).max()))


def test_a_motor_at_a_sum_of_joints_loads_each_of_them(hand: Motors) -> None:
    """A motor on the base that drives a second link by a belt: its rate is the sum of both joints' rates."""
    mechanism = hand.mechanism
    belt = Motors(mechanism, ["left.joint1", "left.joint1 + left.joint2", "right.joint1", "right.joint2"])
    phi, qd, qdd = mechanism.home, np.array([0.2, -0.1, 0.3]), np.array([1.0, 0.5, -0.4])
    plain = hand.distribute(phi, qd, qdd, limits=False, contacts=False)
    weight = np.eye(4)
    to_joints = np.array([[1.0, 1.0], [0.0, 1.0]])  # the same loads at the joints weigh the same
    weight[:2, :2] = to_joints.T @ to_joints
    found = belt.distribute(phi, qd, qdd, limits=False, contacts=False, weight=weight)
    np.testing.assert_allclose(to_joints @ found.torque[:2], plain.torque[:2], atol=1e-10)
    np.testing.assert_allclose(found.torque[2:], plain.torque[2:], atol=1e-10)
    np.testing.assert_allclose(found.closure_forces, plain.closure_forces, atol=1e-10)
    assert belt.names[1] == "left.joint1 + left.joint2"
    with pytest.raises(da.ArmError, match="named twice"):
        Motors(mechanism, ["left.joint1", "left.joint1"])


def test_shared_loads_are_nearest_to_the_preload_in_the_weight(hand: Motors) -> None:
    """Moving along the loads that balance each other changes the weighted distance from the preload to second order."""
    phi = hand.mechanism.home
    rng = np.random.default_rng(8)
    squeeze = hand.internal(phi)
    free = {"limits": False, "contacts": False}
    preload, root = rng.normal(size=4), rng.normal(size=(4, 4))
    weight = root @ root.T + np.eye(4)
    for w, centre in ((np.eye(4), preload), (weight, np.zeros(4)), (weight, preload)):
        found = hand.distribute(phi, STILL, STILL, weight=w, preload=centre, **free)
        assert found.residual < 1e-12
        np.testing.assert_allclose(squeeze.T @ w @ (found.torque - centre), 0, atol=1e-12)
    plain = hand.distribute(phi, STILL, STILL, **free).torque
    for w, centre in ((None, preload), (weight, None)):
        other = hand.distribute(phi, STILL, STILL, weight=w, preload=centre, **free).torque
        assert np.abs(other - plain).max() > 1e-2


def test_motors_carry_the_forces_on_the_links(hand: Motors) -> None:
    mechanism = hand.mechanism
    forces = {"disc": [da.Force("disc", (0.5, 7.0, 0.0), moment=(0.0, 0.0, 0.02))]}
    found = hand.distribute(mechanism.home, STILL, STILL, limits=False, forces=forces)
    np.testing.assert_allclose(
        found.wanted, mechanism.inverse_dynamics(mechanism.home, STILL, STILL, forces), atol=1e-12
    )
    assert found.residual < 1e-12
    # 7 N upward are more than the weight of 0.4 kg: the contacts hold the disc down, within their friction.
    pushes = normals(hand, found.closure_forces)
    sides = found.closure_forces[[k for k, n in enumerate(mechanism.equation_names) if n.endswith(".x")]]
    assert (np.abs(sides) <= 0.6 * pushes + 1e-12).all()
    held = np.zeros(3)
    for closure, along, push in zip(mechanism.parts.closures, sides, pushes, strict=True):
        contact = mechanism.frame(mechanism.home, closure.a)
        held -= along * contact[:3, 0] + push * contact[:3, 2]
    np.testing.assert_allclose(held, [-0.5, 0.4 * 9.81 - 7.0, 0.0], atol=1e-10)


def test_motor_limits_are_kept_or_refused(hand: Motors) -> None:
    phi = hand.mechanism.home
    kept = hand.distribute(phi, STILL, STILL)
    assert (np.abs(kept.torque) <= hand.effort + 1e-12).all()
    with pytest.raises(da.ArmError, match="stronger motors"):
        hand.distribute(phi, STILL, STILL, limits=1e-3)


def test_two_arms_share_an_object_with_least_torque() -> None:
    pair = gallery.cooperating(da.load("ur5e"))
    motors = Motors(pair, pair.joint_names)
    still = np.zeros(6)
    found = motors.distribute(pair.home, still, still, limits=False)
    assert found.residual < 1e-10
    squeeze = motors.internal(pair.home)
    assert squeeze.shape == (12, 6)
    np.testing.assert_allclose(squeeze.T @ found.torque, 0, atol=1e-9)
    one_arm = pair.inverse_dynamics(pair.home, still, still)
    assert np.linalg.norm(found.torque) < np.linalg.norm(one_arm)
    limit = 0.9 * np.abs(found.torque).max()
    kept = motors.distribute(pair.home, still, still, limits=limit)
    assert np.abs(kept.torque).max() <= limit + 1e-9
    assert kept.residual < 1e-9


def test_motors_that_cannot_drive_the_mechanism_are_refused() -> None:
    with pytest.raises(da.ArmError, match="add motors"):
        Motors(gallery.two_fingered_hand(), ["left.joint1", "left.joint2"])


def test_quadratic_programs_satisfy_the_conditions_of_a_minimum() -> None:
    """Random programs: feasible, and no better feasible point nearby (the gradient is a cone of active rows)."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(7)
    for _ in range(40):
        n, m, k = 5, 2, 7
        root = rng.normal(size=(n, n))
        weight = root @ root.T + 0.1 * np.eye(n)
        inside = rng.normal(size=n)
        e, a = rng.normal(size=(m, n)), rng.normal(size=(k, n))
        b = a @ inside - rng.uniform(0, 0.5, k)
        centre = 3 * rng.normal(size=n)
        x = qp.minimiser(weight, centre, (e, e @ inside), (a, b))
        assert np.abs(e @ (x - inside)).max() < 1e-10
        assert (a @ x - b > -1e-9).all()
        gradient = weight @ (x - centre)
        active = a[a @ x - b < 1e-8]
        table = np.concatenate([active.T, e.T, -e.T], axis=1)
        _, residual = nnls(table, gradient)
        assert residual < 1e-8 * (1 + np.abs(gradient).max())
    with pytest.raises(qp.Infeasible):
        qp.minimiser(None, np.zeros(1), None, (np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])))


FINGER = """
name = "finger"
[[joints]]
name = "x"
type = "prismatic"
axis = [1, 0, 0]
[[joints]]
name = "y"
type = "prismatic"
axis = [0, 1, 0]
[[joints]]
name = "z"
type = "prismatic"
axis = [0, 0, 1]
"""
"""Slides without mass: the loads of its motors are the force of its tip."""


def three_fingers(turn: float, friction: float) -> da.Mechanism:
    """A ball of 2 kg and 0.1 m between three fingers about it, its contact frames turned about their normals."""
    ball = da.free_body("ball", da.Inertia.of(2, (0, 0, 0), (0.01, 0.01, 0.01)))
    chains: dict[str, da.Arm] = {"ball": ball}
    contacts, start = [], [0.0] * 6
    for k in range(3):
        angle = 2 * np.pi * k / 3
        place = 0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.0
        outward = da.Placement.from_xyz_rpy(place, (0, np.pi / 2, angle))
        at = da.FrameOn("ball", at=outward @ da.Placement.from_xyz_rpy((0, 0, 0), (0, 0, turn)))
        chains[f"f{k}"] = da.load(FINGER)
        contacts.append(da.Closure(f"c{k}", at, f"f{k}", ("x", "y", "z"), pushes=True, friction=friction))
        start += place
    free = [f"ball.{name}" for name in ball.joint_names]
    return da.Mechanism(chains, contacts, free, home=start)


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4, 1.0])
def test_friction_of_a_contact_is_bounded_alike_in_every_direction(turn: float) -> None:
    """Coulomb's cone is round: three fingers hold a ball by N = m g / (3 mu) each, however their axes are counted.

    Least squares (4-81) under the cone alone: the vertical share is m g / 3, and the squeeze is the least that holds.
    """
    friction = 0.4
    grip = three_fingers(turn, friction)
    motors = da.Motors(grip, [f"f{k}.{axis}" for k in range(3) for axis in "xyz"])
    shared = motors.distribute(grip.home, np.zeros(6), np.zeros(6))
    share = 2 * 9.81 / 3
    for k, force in enumerate(shared.torque.reshape(3, 3)):
        inward = -np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0])
        assert force == pytest.approx([*(share / friction * inward)[:2], share], rel=1e-6, abs=1e-6)
    assert shared.residual < 1e-9


def test_a_motion_that_the_round_cone_allows_is_not_refused() -> None:
    """Motors that just give the squeeze of the cone, along axes between those of the contact frames."""
    grip = three_fingers(np.pi / 4, 0.4)
    motors = da.Motors(grip, [f"f{k}.{axis}" for k in range(3) for axis in "xyz"])
    enough = 1.01 * 2 * 9.81 / 3 / 0.4
    assert motors.distribute(grip.home, np.zeros(6), np.zeros(6), limits=enough).residual < 1e-9
    with pytest.raises(da.ArmError, match="contacts that push"):
        motors.distribute(grip.home, np.zeros(6), np.zeros(6), limits=0.97 * enough)


LEGS = ["walker.left_hip", "walker.left_knee", "walker.right_hip", "walker.right_knee"]


def test_the_feet_of_a_walking_machine_carry_its_weight_and_what_accelerates_it() -> None:
    """Fig. 4-5a. Newton and Euler for the whole of it, by second differences of where its bodies are."""
    motors = Motors(gallery.walking_machine(), LEGS)
    machine, phi = motors.mechanism, motors.mechanism.home
    assert machine.mobility().freedom == 3
    g = motors.influence(phi)
    assert g.shape == (4, 3)
    qd, qdd = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -1.5])
    found = motors.distribute(phi, qd, qdd)
    assert found.residual < 1e-11
    pushes = found.closure_forces[1::2]
    assert (pushes > 0).all()
    assert (np.abs(found.closure_forces[::2]) <= 0.7 * pushes + 1e-9).all()

    arm, step = machine.chains.arms["walker"], 1e-4
    rate, rate2 = machine.joint_motion(phi, qd, qdd)
    bodies = [(link.name, link.inertia) for link in arm.links if link.inertia.mass]
    assert sum(float(body.mass) for _, body in bodies) == pytest.approx(11)

    def places(time: float) -> tuple[np.ndarray, np.ndarray]:
        at = phi + time * rate + time**2 / 2 * rate2
        frames = {name: machine.frame(at, f"walker:{name}") for name, _ in bodies}
        centres = [frames[name] @ [*map(float, body.com), 1.0] for name, body in bodies]
        turns = [np.arctan2(frames[name][1, 0], frames[name][0, 0]) for name, _ in bodies]
        return np.array(centres)[:, :2], np.array(turns)

    before, now, after = places(-step), places(0.0), places(step)
    moved, spun = ((b - 2 * m + a) / step**2 for b, m, a in zip(before, now, after, strict=True))
    mass = np.array([float(body.mass) for _, body in bodies])
    spin = np.array([float(body.central[2][2]) for _, body in bodies])
    centre = now[0]
    weight = np.array([0, -9.81 * 11])
    force = found.closure_forces.reshape(2, 2).sum(axis=0) + weight  # along x, and up
    np.testing.assert_allclose(force, mass @ moved, atol=1e-5)
    moment = 0.3 * (pushes[1] - pushes[0]) - 9.81 * (mass @ centre[:, 0])  # of feet at x = -0.3 and 0.3
    turning = mass @ (centre[:, 0] * moved[:, 1] - centre[:, 1] * moved[:, 0]) + spin @ spun
    assert moment == pytest.approx(turning, abs=1e-5)


def test_the_motors_of_a_walking_machine_share_its_loads_by_least_squares() -> None:
    motors = Motors(gallery.walking_machine(), LEGS)
    phi, rng = motors.mechanism.home, np.random.default_rng(8)
    qd, qdd = rng.normal(size=(2, 3))
    loads = motors.distribute(phi, qd, qdd, limits=False, contacts=False).torque
    np.testing.assert_allclose(motors.partial_model(phi).torque(qd, qdd), loads, atol=1e-10 * np.abs(loads).max())
    # Antagonistic loads move nothing: what one leg gives the other must take.
    assert motors.internal(phi).shape == (4, 1)
    np.testing.assert_allclose(motors.influence(phi).T @ motors.internal(phi), 0, atol=1e-12)
