"""An arm with its drives: laws of its torques, accelerations, energy and friction, at the joints and at the motors."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Element, Friction, Rotor
from dalembert.arm.errors import ArmError
from dalembert.compile import build
from every_system import CUBE
from laws import elastic
from random_arms import coupled_motors, random_arm

DRIVEN = ("puma560", "jpl-rrp", "irb6")


@pytest.fixture(params=DRIVEN)
def driven(request: pytest.FixtureRequest) -> da.DrivenArm:
    return da.load(request.param, physical="ignore").driven


def states(n: int, count: int = 20, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (3, count, n))


def coupled_arm(seed: int) -> da.DrivenArm:
    """A random chain or tree with motors coupled to every joint, friction on motors and joints, an element, a load."""
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, 2 + seed % 4, tree=bool(seed % 2)))
    actuators = coupled_motors(rng, arm)
    wheel = Element.of("wheel", {arm.joint_names[0]: 7, arm.joint_names[-1]: -3}, actuators[0].rotor)
    rubs = tuple((name, Friction.of(rng.uniform(0, 5), viscous=1.0)) for name in arm.joint_names if rng.random() < 0.5)
    return arm.with_drives(DriveTrain(tuple(actuators), (wheel,), rubs)).holding(CUBE)


def linkage() -> da.DrivenArm:
    """Motors through a transmission that varies, with friction; one of them has the name of a joint."""
    arm = da.load("planar-2r")

    def turns(ring, q):
        sin, cos = ring.sincos(q[1])
        return [20 * q[0] + 4 * sin, 15 * q[1] + 2 * cos]

    friction = Friction((0.4, 0.3), 0.6, 0.02)
    parts = tuple(
        Actuator.of(name, {}, Rotor.of("2e-3", arm.links[k].name, (0, 1, 1)), friction)
        for k, name in enumerate(("motor1", "joint1"))
    )
    own = (("joint1", Friction((0.2, 0.1), 0.5)), ("joint2", Friction((0.0, 0.3), viscous=0.2)))
    return arm.with_drives(DriveTrain(parts, joint_friction=own, turns=turns))


SYSTEMS: dict[str, Callable[[], da.DrivenArm]] = {
    **{name: lambda name=name: da.load(name, physical="ignore").driven for name in da.catalog()},
    **{f"{name} loaded": lambda name=name: da.load(name, physical="ignore").driven.holding(CUBE) for name in DRIVEN},
    "irb6 diagonal": lambda: da.load("irb6").driven.approximate("diagonal"),
    "puma560 szkodny": lambda: da.load("puma560", physical="ignore").driven.approximate("szkodny"),
    "puma560 locked": lambda: da.load("puma560", physical="ignore").driven.locked({"joint4": 0.3}),
    "irb6 with springs": lambda: elastic(da.load("irb6").driven).holding(CUBE),
    **{f"random {seed}": lambda seed=seed: coupled_arm(seed) for seed in range(6)},
    "linkage": linkage,
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_forward_dynamics_undoes_inverse_dynamics_moving_and_at_rest(name: str) -> None:
    """Moving, all shafts standing, and some of them: who sticks and who starts is what the torques say."""
    system = SYSTEMS[name]()
    q, qd, qdd = states(system.n, 6)
    some = np.where(np.arange(system.n) % 2, qd, 0.0)
    for speed in (qd, 0 * qd, some):
        for rate in (qdd, 1e-3 * qdd, 0 * qdd, np.where(np.arange(system.n) % 3, 0.0, qdd)):
            torque = system.inverse_dynamics(q, speed, rate)
            back = system.forward_dynamics(q, speed, torque)
            assert np.abs(back - rate).max() <= 1e-10


def test_a_motor_that_stands_while_its_joints_move_starts_with_its_starting_friction() -> None:
    """Motor 3 of the IRb-6 turns with q2 + q3: with opposite speeds it stands and holds what its friction can."""
    driven = da.load("irb6").driven
    q, _, qdd = (x[0] for x in states(5))
    qd = np.array([0.3, 0.5, -0.5, 0.2, 0.1])
    assert driven.motor_velocities(q, qd)[2] == 0
    torque = driven.inverse_dynamics(q, qd, qdd)
    assert driven.forward_dynamics(q, qd, torque) == pytest.approx(qdd, abs=1e-12)
    rate = driven.transmission(q)[2] @ qdd
    without = driven.frictionless().inverse_dynamics(q, qd, qdd) + driven.friction_torque(q, qd)
    extra = driven.to_motors(q, torque - without)
    hold = driven.motor_friction.starting[2]
    assert extra == pytest.approx([0, 0, np.sign(rate) * hold, 0, 0], abs=1e-12)
    # less than that, and it stays where it is
    held = driven.forward_dynamics(q, qd, torque - driven.to_joints(q, 0.5 * extra))
    assert (driven.transmission(q) @ held)[2] == pytest.approx(0, abs=1e-10)


def test_an_arm_within_its_starting_friction_does_not_move_and_beyond_it_starts_the_right_way(driven) -> None:
    q = states(driven.n, 1)[0, 0]
    still = np.zeros(driven.n)
    hold, gravity = driven.motor_friction.starting, driven.gravity_load(q)
    rng = np.random.default_rng(0)
    for _ in range(10):
        push = 0.999 * hold * rng.uniform(-1, 1, driven.n)
        assert driven.forward_dynamics(q, still, gravity + driven.to_joints(q, push)) == pytest.approx(still, abs=1e-10)
    for motor in range(driven.n):
        for way in (-1, 1):
            push = np.zeros(driven.n)
            push[motor] = way * 1.01 * hold[motor]
            started = driven.transmission(q) @ driven.forward_dynamics(q, still, gravity + driven.to_joints(q, push))
            assert way * started[motor] > 1e-6
            assert np.delete(started, motor) == pytest.approx(np.zeros(driven.n - 1), abs=1e-9)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_power_of_the_torques_raises_the_energy_and_feeds_the_friction(name: str) -> None:
    """d/dt (T + V) = tau . qd - what friction and dampers take, which is never negative."""
    system = SYSTEMS[name]()
    step = 1e-5
    for q, qd, qdd in zip(*states(system.n, 5, seed=1), strict=True):

        def energy(s: float, q=q, qd=qd, qdd=qdd) -> float:
            place, speed = q + s * qd + s * s / 2 * qdd, qd + s * qdd
            return float(system.kinetic_energy(place, speed) + system.potential_energy(place))

        rise = (energy(step) - energy(-step)) / (2 * step)
        parts, slow = system.parts(q, qd, qdd), system.parts(q, 0 * qd, 0 * qdd)
        lost = qd @ (parts.friction + parts.elastic - slow.elastic)
        assert lost >= 0
        power = qd @ system.inverse_dynamics(q, qd, qdd)
        scale = np.abs(qd) @ np.abs(system.inverse_dynamics(q, qd, qdd)) + abs(energy(0.0))
        assert rise == pytest.approx(power - lost, abs=1e-8 * scale)
        assert qd @ system.friction_torque(q, qd) == pytest.approx(qd @ parts.friction, abs=1e-12 * scale)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_parts_add_up_to_the_torques(name: str) -> None:
    """With drives, load and springs, moving and at rest; each part is what its own question gives."""
    system = elastic(SYSTEMS[name]())
    for q, qd, qdd in zip(*states(system.n, 3, seed=2), strict=True):
        for speed in (qd, 0 * qd):
            torque, parts = system.inverse_dynamics(q, speed, qdd), system.parts(q, speed, qdd)
            size = 1e-12 * (1 + np.abs(torque).max())
            assert parts.total == pytest.approx(torque, abs=size)
            assert parts.inertia == pytest.approx(system.mass_matrix(q) @ qdd, abs=size)
            velocity = np.einsum("ijk,j,k->i", system.christoffel(q), speed, speed)
            assert parts.velocity == pytest.approx(velocity, abs=size)
            assert parts.gravity == pytest.approx(system.gravity_load(q), abs=size)
            split = (parts.translational.inertia + parts.rotational.inertia, parts.inertia)
            assert split[0] == pytest.approx(split[1], abs=size)
            without = system.frictionless().inverse_dynamics(q, speed, qdd)
            assert parts.friction == pytest.approx(torque - without, abs=size)
            slack = system.without_elastic().inverse_dynamics(q, speed, qdd)
            assert parts.elastic == pytest.approx(torque - slack, abs=size)


def test_direct_and_inverse_problem_of_the_drives_undo_each_other(driven) -> None:
    """(13), (19)-(21), moving friction on."""
    q, qd, qdd = states(driven.n)
    torque = driven.motor_torques(q, qd, qdd)
    assert driven.direct_dynamics(q, qd, torque) == pytest.approx(qdd, rel=1e-9, abs=1e-9)
    still = np.zeros_like(qd)
    torque = driven.motor_torques(q, still, qdd)
    assert driven.direct_dynamics(q, still, torque) == pytest.approx(qdd, rel=1e-9, abs=1e-9)
    power = np.sum(driven.motor_velocities(q, qd) * driven.motor_torques(q, qd, qdd, friction=False), axis=-1)
    joints = driven.frictionless().inverse_dynamics(q, qd, qdd)
    assert power == pytest.approx(np.sum(qd * joints, axis=-1), rel=1e-10)


def test_friction_of_motors_is_seen_through_the_transmission(driven) -> None:
    q, qd, qdd = states(driven.n)
    rubbing = driven.motor_torques(q, qd, qdd) - driven.motor_torques(q, qd, qdd, friction=False)
    assert rubbing == pytest.approx(driven.motor_friction.moving(driven.motor_velocities(q, qd)), abs=1e-12)
    assert driven.to_joints(q, rubbing) == pytest.approx(driven.friction_torque(q, qd), abs=1e-10)


def test_derivatives_of_links_and_rotors_are_those_of_finite_differences(driven) -> None:
    q, qd, qdd = (x[0] for x in states(driven.n))
    found = driven.inverse_dynamics_derivatives(q, qd, qdd)
    for k, arguments in enumerate(((1, 0, 0), (0, 1, 0), (0, 0, 1))):
        errors = []
        for step in (1e-3, 5e-4):
            columns = []
            for unit in np.eye(driven.n):
                shift = [a * step * unit for a in arguments]
                ahead = driven.inverse_dynamics(*(x + d for x, d in zip((q, qd, qdd), shift, strict=True)))
                behind = driven.inverse_dynamics(*(x - d for x, d in zip((q, qd, qdd), shift, strict=True)))
                columns.append((ahead - behind) / (2 * step))
            errors.append(np.abs(np.stack(columns, -1) - found[k]).max())
        size = np.abs(found[k]).max()
        assert errors[1] <= 1e-5 * size
        # the error of a central difference falls with the square of the step, down to rounding
        assert errors[1] <= errors[0] / 3.5 or errors[1] <= 1e-9 * size


def test_elements_between_motor_and_link_count_as_rotors_of_their_own(driven) -> None:
    """(15a): an element with the ratios of a motor adds as much as that motor's rotor would."""
    arm = driven.arm
    first = driven.drives.actuators[1]
    wheel = Element("wheel", first.ratios, first.rotor)
    with_wheel = arm.with_drives(replace(driven.drives, elements=(*driven.drives.elements, wheel)))
    q, qd, qdd = (x[0] for x in states(driven.n))
    once = with_wheel.inverse_dynamics(q, qd, qdd) - driven.inverse_dynamics(q, qd, qdd)
    alone = DriveTrain(
        tuple(Actuator(a.name, a.ratios, a.rotor if a is first else Rotor.of(0)) for a in driven.drives.actuators)
    )
    only = arm.with_drives(alone).inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    assert once == pytest.approx(only, rel=1e-9, abs=1e-12)


def test_a_rotor_that_the_link_does_not_count_yet_belongs_to_the_arm_with_drives_alone() -> None:
    arm = da.load("planar-2r")
    rotor = Rotor.of("0.002", "link1", (0, 0, 1), (0.2, 0.1, 0), mass=3, across="0.001", counted=False)
    parts = (Actuator.of("a", {"joint1": 10}, rotor), Actuator.of("b", {"joint2": 10}))
    driven = arm.with_drives(DriveTrain(parts))
    q = np.array([0.3, -0.4])
    assert driven.arm.bodies == arm.bodies
    assert driven.arm.mass_matrix(q) == pytest.approx(arm.mass_matrix(q), abs=0)
    assert float(driven.bodies[0].inertia.mass - arm.bodies[0].inertia.mass) == 3
    # turning with joint 1: mass at its distance (the link frame is at the joint), own inertia, and its spin
    distance = 0.2**2 + 0.1**2
    found = driven.mass_matrix(q) - arm.mass_matrix(q)
    assert found[0, 0] == pytest.approx(3 * distance + 0.002 * (1 + 2 * 10 + 10**2), rel=1e-12)
    assert found[1] == pytest.approx([0, 0], abs=1e-15)
    assert not np.allclose(driven.gravity_load(q), arm.gravity_load(q))


def test_gyroscopic_torques_of_the_puma_vanish_in_the_approximations_and_lead_at_the_last_joint() -> None:
    driven = da.load("puma560", physical="ignore").driven.frictionless()
    q = np.array([0.3, 0.5, -0.4, 0.2, 0.6, 0.1])
    qd = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    still = np.zeros(6)
    links = driven.arm.inverse_dynamics(q, qd, still)
    exact = driven.inverse_dynamics(q, qd, still)
    gyroscopic = exact - links
    for name in ("szkodny", "diagonal", "paul"):
        assert driven.approximate(name).inverse_dynamics(q, qd, still) == pytest.approx(links, abs=1e-14)
    velocity = links - driven.gravity_load(q)
    # measured: up to 0.05 N m at the first joints, some percent of the velocity torque there; at the last joint,
    # where the links ask for next to nothing, several times that torque
    assert 0.01 < np.abs(gyroscopic).max() < 0.2
    assert abs(gyroscopic[5]) > 3 * abs(velocity[5])


def test_bejczy_total_inertia_includes_the_input_inertia_of_the_drives() -> None:
    """Eq. 71: the least D11 is 1.417 kg m^2, of which 0.953 is the input inertia of Appendix B."""
    driven = da.load("jpl-rrp").driven
    folded = [0, 0, 0.5, 0, np.pi / 2, 0]
    assert driven.mass_matrix(folded)[0, 0] == pytest.approx(1.417, rel=0.005)
    assert driven.arm.mass_matrix(folded)[0, 0] == pytest.approx(1.417 - 0.953, rel=0.01)
    reflected = driven.approximate("szkodny").mass_matrix(np.zeros(6)) - driven.arm.mass_matrix(np.zeros(6))
    assert np.diagonal(reflected) == pytest.approx([0.953, 2.193, 0.782, 0.106, 0.097, 0.02], rel=1e-8)


# -- a transmission that varies ---------------------------------------------------------------------


def of_the_documentation() -> da.DrivenArm:
    def turns(ring, q):
        sin, _ = ring.sincos(q[1])
        return [50 * q[0] + 10 * sin, 30 * q[1]]

    actuators = [da.Actuator("motor1", {}, rotor=da.Rotor(1e-4)), da.Actuator("motor2", {}, rotor=da.Rotor(1e-4))]
    return da.load("planar-2r").with_drives(da.DriveTrain(actuators, turns=turns))


def test_drives_with_a_varying_transmission_answer_as_others_do() -> None:
    driven = of_the_documentation()
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    ratios = np.array([[50, 10 * np.cos(q[1])], [0, 30]])
    assert driven.transmission(q) == pytest.approx(ratios)
    assert driven.transmission_slopes(q)[0, 1, 1] == pytest.approx(-10 * np.sin(q[1]))
    assert driven.motor_positions(q) == pytest.approx([50 * q[0] + 10 * np.sin(q[1]), 30 * q[1]])
    assert driven.mass_matrix(q) == pytest.approx(driven.arm.mass_matrix(q) + 1e-4 * ratios.T @ ratios, rel=1e-12)
    assert driven.forward_dynamics(q, qd, driven.inverse_dynamics(q, qd, qdd)) == pytest.approx(qdd, abs=1e-12)
    assert driven.direct_dynamics(q, qd, driven.motor_torques(q, qd, qdd)) == pytest.approx(qdd, abs=1e-12)
    motion = driven.simulate([0.0, 0.0], q, qd, 0.3, samples=7, rtol=1e-10)
    assert np.abs(motion.energy - motion.energy[0]).max() <= 1e-8 * motion.energy_scale
    assert motion.others["motor_position"][-1] == pytest.approx(driven.motor_positions(motion.q[-1]))


def test_a_transmission_that_is_a_function_belongs_to_all_joints_of_its_arm() -> None:
    driven = of_the_documentation()
    motors = tuple(replace(part, rotor=da.Rotor(1e-4, "base", counted=False)) for part in driven.drives.actuators)
    placed = driven.arm.with_drives(replace(driven.drives, actuators=motors))
    for part in (driven.locked({"joint1": 0.2}), driven.subarm(0, 0), placed.subarm(1, 1)):
        with pytest.raises(ArmError, match="functions of the joint positions, and 2 motors where 1 joints move"):
            part.mass_matrix([0.2])
    still = da.Element("rod", body=da.MovingBody(da.Inertia.of(1), lambda ring, q: (np.eye(3), (0, 0, 0))))
    surplus = [Actuator.of(f"m{k}", {f"joint{k % 2 + 1}": 5}) for k in range(3)]
    with pytest.raises(ArmError, match="3 motors where 2 joints move; give one motor for each"):
        driven.arm.with_drives(da.DriveTrain(surplus, [still]))
    short = driven.arm.with_drives(replace(driven.drives, turns=lambda ring, q: [50 * q[0]]))
    with pytest.raises(ArmError, match="turns gives 1 positions for 2 motors; give one for each"):
        short.mass_matrix([0.1, 0.2])


def test_the_closed_form_of_a_varying_transmission_is_exact_where_it_is_a_polynomial_and_else_refused() -> None:
    """50 q1 + 10 sin q2 is no polynomial of the ring, and its derivatives, which alone count, are."""
    driven = of_the_documentation()
    q, _, _ = states(2)
    for found, right in zip(
        driven.equations("numbers").values(q),
        (driven.mass_matrix(q), driven.christoffel(q), driven.gravity_load(q)),
        strict=True,
    ):
        assert found == pytest.approx(right, rel=1e-12, abs=1e-12)
    bent = driven.arm.with_drives(replace(driven.drives, turns=lambda ring, q: [50 * q[0] * q[0], 30 * q[1]]))
    rooted = driven.arm.with_drives(replace(driven.drives, turns=lambda ring, q: [ring.sqrt(2 + q[0]), 30 * q[1]]))
    for refused in (bent, rooted):
        assert np.isfinite(refused.mass_matrix(q)).all()
        with pytest.raises(ArmError, match=r"planar-2r: the closed form cannot take a transmission or a moving body"):
            refused.equations()


# -- more motors than joints ------------------------------------------------------------------------


def test_motors_that_turn_with_a_locked_joint_go_on_turning_with_the_others() -> None:
    """The IRb-6 with its elbow locked: five motors turn with four joints, and each counts."""
    whole = da.load("irb6").driven
    driven = whole.locked({"joint3": 0.3})
    keep = [0, 1, 3, 4]
    q, qd, qdd = states(4, 5)
    full = [np.insert(x, 2, value, axis=-1) for x, value in ((q, 0.3), (qd, 0.0), (qdd, 0.0))]
    inertia = whole.mass_matrix(full[0])
    assert driven.mass_matrix(q) == pytest.approx(inertia[:, keep][:, :, keep], rel=1e-10)
    assert driven.inverse_dynamics(q, qd, qdd) == pytest.approx(whole.inverse_dynamics(*full)[:, keep], rel=1e-9)
    for speed in (qd, 0 * qd):
        torque = driven.inverse_dynamics(q, speed, qdd)
        assert driven.forward_dynamics(q, speed, torque) == pytest.approx(qdd, abs=1e-11)
    for ask in (lambda: driven.motor_torques(q, qd, qdd), lambda: driven.effective_inertia(q)):
        with pytest.raises(ArmError, match="5 motors turn with 4 joints"):
            ask()
    linear = driven.linearize(q[0])
    assert linear.B.shape == (8, 5)
    assert linear.B[4:] == pytest.approx(np.linalg.solve(driven.mass_matrix(q[0]), driven.transmission(q[0]).T))
    assert driven.linearize(q[0], input="voltage").A.shape == (13, 13)


@pytest.mark.parametrize("joint", [0, 1, 2])
def test_motors_and_wheels_that_a_locked_joint_stops_keep_their_mass(joint: int) -> None:
    """Rotors beside the numbers of their links: the other torques are those of the whole with one joint at rest."""
    arm = da.load("planar-3r")
    places = (("base", "link2"), ("link2", "link1"), ("link1", "link3"))

    def rotor(link: str) -> Rotor:
        return Rotor.of("2e-3", link, (0, 1, 3), ("0.1", 0, "0.05"), "0.7", "1e-3", counted=False)

    pairs = list(zip(arm.joint_names, places, strict=True))
    motors = [Actuator.of(f"motor of {name}", {name: 40}, rotor(place)) for name, (place, _) in pairs]
    wheels = [Element.of(f"wheel of {name}", {name: 7}, rotor(place)) for name, (_, place) in pairs]
    whole = arm.with_drives(DriveTrain(motors, wheels))
    locked = whole.locked({arm.joint_names[joint]: 0.3})
    q, qd, qdd = states(2, 5)
    full = [np.insert(x, joint, value, axis=-1) for x, value in ((q, 0.3), (qd, 0.0), (qdd, 0.0))]
    torque = np.delete(whole.inverse_dynamics(*full), joint, axis=-1)
    assert locked.inverse_dynamics(q, qd, qdd) == pytest.approx(torque, rel=1e-11, abs=1e-11)
    again = da.load(locked.write_toml()).driven
    assert again.inverse_dynamics(q, qd, qdd) == pytest.approx(torque, rel=1e-11, abs=1e-11)


def test_a_part_of_an_arm_carries_the_motor_of_a_joint_that_is_not_in_it() -> None:
    """The last joint alone, of planar-3r: the motor of joint2 weighs on link3, and is written."""
    rotor = Rotor.of("1e-3", "link3", (0, 0, 1), ("-0.1", 0, 0), 2, "1e-3", counted=False)
    arm = da.load("planar-3r")
    motors = [Actuator.of(name, {name: 1}, rotor if name == "joint2" else None) for name in arm.joint_names]
    whole = arm.with_drives(DriveTrain(motors))
    part = whole.subarm("joint3", "joint3")
    q = np.array([[0.4], [1.1]])
    full = np.column_stack([np.zeros((2, 2)), q])
    assert part.mass_matrix(q)[:, 0, 0] == pytest.approx(whole.mass_matrix(full)[:, 2, 2], rel=1e-12)
    assert part.gravity_load(q)[:, 0] == pytest.approx(whole.gravity_load(full)[:, 2], rel=1e-12)
    again = da.load(part.write_toml()).driven
    assert again.mass_matrix(q) == pytest.approx(part.mass_matrix(q), rel=1e-12)


def test_motors_stand_where_locked_joints_have_turned_them():
    """joint4 of the puma560 turns motors 5 and 6 too: locked away from zero it is in their positions."""
    arm = da.load("puma560", physical="ignore")
    q = np.array([0.1, 0.2, 0.3, 1.0, 0.5, 0.6])
    rest = np.delete(q, 3)
    whole, locked = arm.driven, arm.locked({"joint4": 1.0}).driven
    np.testing.assert_allclose(
        [locked.motor_positions(rest)[locked.motor_names.index(name)] for name in ("motor5", "motor6")],
        [whole.motor_positions(q)[whole.motor_names.index(name)] for name in ("motor5", "motor6")],
        rtol=1e-14,
    )


@pytest.mark.parametrize("compiling", [False, True])
def test_a_coupled_shaft_stands_where_the_shares_of_its_joints_cancel(compiling, monkeypatch):
    """q_2 = 100 (q_1 + q_2): products that machines add in one rounding leave a speed of 1e-16 rad/s, which is none."""
    if compiling:
        monkeypatch.delenv(build.SWITCH, raising=False)
    motors = (
        da.Actuator.of("m1", {"joint1": 100}, friction=da.Friction.of(0.05, 0.06)),
        da.Actuator.of("m2", {"joint1": 100, "joint2": 100}, friction=da.Friction.of(0.08, 0.1)),
    )
    driven = da.load("planar-2r").with_drives(da.DriveTrain(motors))
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, (80, 2)), rng.uniform(-1, 1, 80)
    qd, qdd = np.stack([v, -v], axis=1), rng.uniform(-2, 2, (80, 2))
    assert not driven.motor_velocities(q, qd)[:, 1].any()
    torque = driven.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(torque, driven.parts(q, qd, qdd).total, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(driven.forward_dynamics(q, qd, torque), qdd, rtol=1e-9, atol=1e-9)
