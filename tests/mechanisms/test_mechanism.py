"""Laws of mechanisms: round trips, derivatives, energy, closures, and what bad input is told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, transfer
from dalembert.mechanisms.chain_frames import FrameOn
from dalembert.mechanisms.loop_closures import KINDS, Closure
from dalembert.mechanisms.mechanism import Mechanism
from mechanisms.printed import off

MAKERS: dict[str, Callable[[], Mechanism]] = {
    "five-bar": gallery.five_bar,
    "3-RRR": gallery.three_rrr,
    "Stewart": gallery.stewart,
    "slider-crank": gallery.slider_crank,
    "Bricard": gallery.bricard,
    "six-actuator": gallery.six_actuator,
    "parallel-serial": gallery.parallel_serial,
    "hand": gallery.two_fingered_hand,
    "walker": gallery.walking_machine,
}


@pytest.fixture(params=MAKERS, scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return MAKERS[request.param]()


def near(mechanism: Mechanism, seed: int = 1, count: int | None = None) -> Any:
    rng = np.random.default_rng(seed)
    shape = (mechanism.m,) if count is None else (count, mechanism.m)
    return mechanism.closed_near(mechanism.home + 0.03 * rng.normal(size=shape))


def rates(mechanism: Mechanism, seed: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=mechanism.n), rng.normal(size=mechanism.n)


def test_position_finds_the_configuration_of_its_coordinates(mechanism: Mechanism) -> None:
    phi = near(mechanism)
    q = mechanism.coordinates_of(phi)
    found = mechanism.position(q)
    np.testing.assert_allclose(mechanism.coordinates_of(found), q, atol=1e-12)
    assert np.abs(mechanism.closure_error(found)).max() < 1e-12
    np.testing.assert_allclose(found, phi, atol=1e-9)


def test_second_and_third_order_coefficients_are_the_derivatives_of_those_before(mechanism: Mechanism) -> None:
    q, step = mechanism.coordinates_of(mechanism.home), 1e-5
    here, third = mechanism.influence(mechanism.home), mechanism.third_order(mechanism.home)
    for k, unit in enumerate(step * np.eye(mechanism.n)):
        ahead, behind = (mechanism.influence(mechanism.position(q + s * unit)) for s in (1, -1))
        size = 1 + np.abs(third).max()
        np.testing.assert_allclose((ahead.first - behind.first) / (2 * step), here.second[:, :, k], atol=1e-7 * size)
        np.testing.assert_allclose((ahead.second - behind.second) / (2 * step), third[:, :, :, k], atol=1e-6 * size)


def test_model_newton_euler_and_accelerations_agree(mechanism: Mechanism) -> None:
    phi = near(mechanism)
    qd, qdd = rates(mechanism)
    torque = mechanism.inverse_dynamics(phi, qd, qdd)
    size = 1 + np.abs(torque).max()
    np.testing.assert_allclose(mechanism.model(phi).torque(qd, qdd), torque, atol=1e-9 * size)
    if mechanism.name != "3-RRR":  # there the links without mass leave no room for error either
        np.testing.assert_allclose(mechanism.forward_dynamics(phi, qd, torque), qdd, atol=1e-8)


def test_power_array_is_the_derivative_of_the_inertia(mechanism: Mechanism) -> None:
    """q'.P* q' = dI*/dt q' - grad(q'.I* q')/2: Lagrange's equations hold in the coordinates of the mechanism."""
    q, step = mechanism.coordinates_of(mechanism.home), 1e-5
    qd, _ = rates(mechanism)
    slopes = np.stack(
        [
            (mechanism.model(mechanism.position(q + e)).inertia - mechanism.model(mechanism.position(q - e)).inertia)
            for e in step * np.eye(mechanism.n)
        ],
        axis=-1,
    ) / (2 * step)
    lagrange = np.einsum("ijk,j,k->i", slopes, qd, qd) - 0.5 * np.einsum("jki,j,k->i", slopes, qd, qd)
    found = transfer.form(qd, mechanism.model(mechanism.home).power)
    np.testing.assert_allclose(found, lagrange, atol=1e-5 * (1 + np.abs(slopes).max()))


def test_load_is_the_gradient_of_the_energy(mechanism: Mechanism) -> None:
    q, step, still = mechanism.coordinates_of(mechanism.home), 1e-5, np.zeros(mechanism.n)
    slope = [
        (mechanism.energy(mechanism.position(q + e), still) - mechanism.energy(mechanism.position(q - e), still))
        / step
        / 2
        for e in step * np.eye(mechanism.n)
    ]
    load = mechanism.model(mechanism.home).load
    np.testing.assert_allclose(load, -np.array(slope), atol=1e-6 * (1 + np.abs(load).max()))


def test_exact_derivatives_are_those_of_the_torque(mechanism: Mechanism) -> None:
    q, step = mechanism.coordinates_of(mechanism.home), 1e-5
    qd, qdd = rates(mechanism)
    stiffness, damping, inertia = mechanism.inverse_dynamics_derivatives(mechanism.home, qd, qdd)
    size = 1 + np.abs(stiffness).max()
    for k, e in enumerate(step * np.eye(mechanism.n)):
        by_q = mechanism.inverse_dynamics(mechanism.position(q + e), qd, qdd) - mechanism.inverse_dynamics(
            mechanism.position(q - e), qd, qdd
        )
        by_qd = mechanism.inverse_dynamics(mechanism.home, qd + e, qdd) - mechanism.inverse_dynamics(
            mechanism.home, qd - e, qdd
        )
        by_qdd = mechanism.inverse_dynamics(mechanism.home, qd, qdd + e) - mechanism.inverse_dynamics(
            mechanism.home, qd, qdd - e
        )
        for slope, table in ((by_q, stiffness), (by_qd, damping), (by_qdd, inertia)):
            np.testing.assert_allclose(slope / (2 * step), table[:, k], atol=1e-5 * size)


def test_power_of_the_drives_is_the_rate_of_the_energy(mechanism: Mechanism) -> None:
    phi = near(mechanism)
    qd, qdd = rates(mechanism)
    rate, rate2 = mechanism.joint_motion(phi, qd, qdd)
    step = 1e-6
    ahead, behind = (
        mechanism.joint_energy((phi + s * rate + s * s / 2 * rate2)[None], (rate + s * rate2)[None])[0]
        for s in (step, -step)
    )
    power = mechanism.inverse_dynamics(phi, qd, qdd) @ qd
    assert (ahead - behind) / (2 * step) == pytest.approx(power, abs=1e-5 * (1 + abs(power)))


def test_jerk_is_the_derivative_of_the_acceleration(mechanism: Mechanism) -> None:
    q = mechanism.coordinates_of(mechanism.home)
    qd, qdd, qddd = 0.3 * np.random.default_rng(4).normal(size=(3, mechanism.n))
    step = 1e-4

    def acceleration(t: float) -> Any:
        there = mechanism.position(q + qd * t + qdd * t**2 / 2 + qddd * t**3 / 6)
        return mechanism.joint_motion(there, qd + qdd * t + qddd * t**2 / 2, qdd + qddd * t)[1]

    found = mechanism.joint_jerk(mechanism.home, qd, qdd, qddd)
    measured = (acceleration(step) - acceleration(-step)) / (2 * step)
    np.testing.assert_allclose(found, measured, atol=1e-4 * (1 + np.abs(found).max()))


@pytest.mark.parametrize("name", ["arm", "Stewart", "3-RRR"])
def test_jerk_wanted_of_a_hand_that_turns_is_the_jerk_it_gets(name: str) -> None:
    """Coefficients of a turn are not symmetric: the joints' jerk is found from H + 2 H^T (3-46)."""
    six = ("x", "y", "z", "rx", "ry", "rz")
    if name == "arm":
        home = [0.3, -1.0, 1.4, -0.6, 1.1, 0.2]
        hand = Mechanism({"arm": da.load("ur5e")}, [], [f"{f}(arm)" for f in six], home=home)
        frame, rows = "arm", list(range(6))
    else:
        frame, rows = ("platform", list(range(6))) if name == "Stewart" else ("leg1", [0, 1, 5])
        hand = MAKERS[name]().with_coordinates([f"{six[k]}({frame})" for k in rows])
    # Slow enough for a difference: the legs of the platform turn some hundred times as fast as it does.
    ud, udd, uddd = (0.003 if name == "Stewart" else 0.3) * np.random.default_rng(4).normal(size=(3, hand.n))
    rate, rate2 = hand.joint_motion(hand.home, ud, udd)
    rate3 = hand.joint_jerk(hand.home, ud, udd, uddd)
    carrier, step = hand.chains.carrier(frame), 1e-4

    def acceleration(t: float) -> Any:
        phi = hand.home + rate * t + rate2 * t**2 / 2 + rate3 * t**3 / 6
        speed, change = rate + rate2 * t + rate3 * t**2 / 2, rate2 + rate3 * t
        placed = hand.chains.place(phi[None])
        own, own2 = speed[carrier.joints], change[carrier.joints]
        jets = placed.point(carrier, 2), placed.turning(carrier, 2)
        return np.concatenate([jet.first[0] @ own2 + transfer.form(own, jet.second[0]) for jet in jets])

    measured = (acceleration(step) - acceleration(-step)) / (2 * step)
    np.testing.assert_allclose(measured[rows], uddd, atol=1e-4 * np.abs(uddd).max())


def test_batches_are_their_single_states(mechanism: Mechanism) -> None:
    phi = near(mechanism, count=3).reshape(3, 1, mechanism.m)
    qd, qdd = rates(mechanism)
    whole = mechanism.inverse_dynamics(phi, np.stack([qd, -qd]), qdd)
    assert whole.shape == (3, 2, mechanism.n)
    for i, k in np.ndindex(3, 2):
        np.testing.assert_allclose(
            whole[i, k], mechanism.inverse_dynamics(phi[i, 0], (qd, -qd)[k], qdd), atol=1e-9 * (1 + np.abs(whole).max())
        )


def test_transfer_there_and_back_is_the_identity() -> None:
    """q to u and back, u the joints that the five-bar does not use as coordinates."""
    first = gallery.five_bar()
    phi = near(first)
    there = first.with_coordinates(["left.joint2", "right.joint2"])
    model = first.model(phi)
    places = [1, 3]
    x, x2 = (table[places] for table in (first.influence(phi).first, first.influence(phi).second))
    carried = transfer.model(model, transfer.inverse(x), x2)
    other = there.model(phi)
    for a, b in ((carried.inertia, other.inertia), (carried.power, other.power), (carried.load, other.load)):
        np.testing.assert_allclose(a, b, atol=1e-10 * np.linalg.cond(x) ** 3)
    back_g, back_h = (table[[0, 2]] for table in (there.influence(phi).first, there.influence(phi).second))
    back = transfer.model(carried, transfer.inverse(back_g), back_h)
    for a, b in ((back.inertia, model.inertia), (back.power, model.power), (back.load, model.load)):
        np.testing.assert_allclose(a, b, atol=1e-10 * np.linalg.cond(x) ** 3)
    np.testing.assert_allclose(transfer.inverse(x), back_g, atol=1e-10 * np.linalg.cond(x))
    np.testing.assert_allclose(transfer.second(transfer.inverse(x), x2), back_h, atol=1e-10 * np.linalg.cond(x) ** 3)


def test_five_bar_driven_from_any_two_joints_moves_the_same_way() -> None:
    """The same motion asks of each pair of joints its own torques; these, at that pair, give the motion again."""
    first = gallery.five_bar()
    phi = near(first)
    qd, qdd = rates(first)
    rate, rate2 = first.joint_motion(phi, qd, qdd)
    power = first.inverse_dynamics(phi, qd, qdd) @ qd
    for pair in combinations(range(4), 2):
        other = first.with_coordinates([first.joint_names[k] for k in pair])
        torque = other.inverse_dynamics(phi, rate[list(pair)], rate2[list(pair)])
        assert torque @ rate[list(pair)] == pytest.approx(power, abs=1e-10)
        found = other.forward_dynamics(phi, rate[list(pair)], torque)
        _, again = other.joint_motion(phi, rate[list(pair)], found)
        np.testing.assert_allclose(again, rate2, atol=1e-10)


@pytest.mark.parametrize("name", ["five-bar", "four-bar", "Bricard"])
def test_energy_and_closures_hold_over_twenty_seconds(name: str) -> None:
    maker, rate = {
        "five-bar": (gallery.five_bar, [0.15, 0.1]),
        "four-bar": (gallery.four_bar, [0.3]),
        "Bricard": (gallery.bricard, [0.15]),
    }[name]
    mechanism = maker()._with(gravity=(0, 0, 0), coordinates=maker().coordinates)
    motion = mechanism.simulate(np.linspace(0, 20, 41), mechanism.home, rate)
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]
    assert motion.closure_error.max() < 1e-12
    assert np.abs(motion.phi[-1] - motion.phi[0]).max() > 0.5


def test_motion_does_not_depend_on_the_coordinates_it_is_told_in() -> None:
    first = gallery.five_bar()
    other = first.with_coordinates(["left.joint2", "right.joint2"])
    qd = np.array([0.4, -0.2])
    times = np.linspace(0, 0.2, 4)
    one = first.simulate(times, first.home, qd)
    rate = first.joint_motion(first.home, qd, qd)[0]
    two = other.simulate(times, first.home, rate[[1, 3]])
    np.testing.assert_allclose(one.phi, two.phi, atol=1e-9)


def test_appendix_e_as_a_mechanism() -> None:
    """I*_qq = diag(1, 2, 3) and P* = 0 (E-7), and Table E-1 in the hand's coordinates."""
    robot = gallery.three_rrr()
    model = robot.model(robot.home)
    np.testing.assert_allclose(model.inertia, np.diag([1.0, 2.0, 3.0]), atol=1e-10)
    np.testing.assert_allclose(model.power, 0, atol=1e-10)
    hand = robot.with_coordinates(["x(leg1)", "y(leg1)", "rz(leg1)"])
    found = hand.influence(robot.home).first[:3]
    assert off(found, "-0.637 0.225 -0.513\n0.758 0.439 -0.001\n-0.122 -0.664 1.514") == []


def test_platform_coordinates_of_stewart_are_freemans_intermediate_set() -> None:
    """Coordinates w = (v, omega) of the platform (4-54): the platform's own share is (4-50) to (4-53)."""
    first = gallery.stewart()
    names = [f"{f}(platform)" for f in ("x", "y", "z", "rx", "ry", "rz")]
    whole = first.with_coordinates(names).model(first.home)
    bare = gallery.stewart()
    arms = dict(bare.parts.chains) | {"leg1": bare.parts.chains["leg2"]}
    frame = FrameOn("leg1", at=gallery.at(0.25).inverse())
    closures = [
        Closure(f"grip{k}", FrameOn("leg1", at=gallery.at(0.25).inverse() @ bare.parts.closures[k - 2].a.at), f"leg{k}")
        for k in range(2, 7)
    ]
    legs = Mechanism(
        arms, closures, [n.replace("platform", "plate") for n in names], bases=bare.parts.bases,
        frames={"plate": frame}, home=first.home,
    ).model(first.home)  # fmt: skip
    turn = first.frame(first.home, "platform")[:3, :3]
    tensor = turn @ np.diag([0.2, 0.2, 0.35]) @ turn.T
    own = np.zeros((6, 6))
    own[:3, :3], own[3:, 3:] = 6 * np.eye(3), tensor
    size = np.abs(legs.inertia).max()
    np.testing.assert_allclose(whole.inertia - legs.inertia, own, atol=1e-9 * size)
    omega = np.array([0.3, -0.2, 0.5])
    rate = np.concatenate([[0.1, 0.2, 0.3], omega])
    gyroscopic = np.concatenate([np.zeros(3), np.cross(omega, tensor @ omega)])
    found = transfer.form(rate, whole.power - legs.power)
    np.testing.assert_allclose(found, gyroscopic, atol=1e-9 * (1 + np.abs(legs.power).max()))


def test_hand_referenced_arm_has_the_operational_inertia() -> None:
    """One open chain seen from its hand: I* = (J D^-1 J^T)^-1."""
    arm = da.load("puma560")
    names = [f"{f}(arm)" for f in ("x", "y", "z", "rx", "ry", "rz")]
    hand = Mechanism({"arm": arm}, [], names, home=[0.3, 0.7, -1.4, 0.2, 0.9, 0.4])
    jacobian, inertia = arm.jacobian(hand.home), arm.mass_matrix(hand.home)
    operational = np.linalg.inv(jacobian @ np.linalg.inv(inertia) @ jacobian.T)
    found = hand.model(hand.home).inertia
    np.testing.assert_allclose(found, operational, atol=1e-9 * np.abs(operational).max())


@pytest.mark.parametrize("kind", KINDS)
def test_a_closure_of_each_kind_holds_its_freedoms_and_no_others(kind: str) -> None:
    body = gallery.free_body("body", da.Inertia.of(1, (0, 0, 0), (1, 1, 1)))
    mechanism = Mechanism({"body": body}, [Closure("joint", "ground", "body", kind)], None)
    held = KINDS[kind]
    assert mechanism.mobility().freedom == 6 - len(held)
    rng = np.random.default_rng(0)
    phi = mechanism.closed_near(0.4 * rng.normal(size=6))
    pose = mechanism.frame(phi, "body")
    for k, axis in enumerate("xyz"):
        assert (abs(pose[k, 3]) < 1e-12) == (axis in held)
    if {"rx", "ry"} <= set(held):
        np.testing.assert_allclose(pose[:3, 2], [0, 0, 1], atol=1e-12)
    if kind in ("fixed", "prismatic"):
        np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-12)
    if kind == "universal":
        assert abs(pose[1, 0]) < 1e-12


@pytest.mark.parametrize("kind", ["fixed", "prismatic", "revolute", "cylindrical", "planar"])
def test_frames_agree_from_whatever_guess_a_closure_is_assembled(kind: str) -> None:
    """Equations of held turns hold for axes exchanged or reversed too; such an assembly is none."""
    body = gallery.free_body("body", da.Inertia.of(1, (0, 0, 0), (1, 1, 1)))
    rng = np.random.default_rng(3)
    for turns in rng.uniform(-2.5, 2.5, (8, 3)):
        mechanism = Mechanism({"body": body}, [Closure("joint", "ground", "body", kind)], None, home=[0, 0, 0, *turns])
        agree = np.diag(mechanism.frame(mechanism.home, "body"))[:3]
        np.testing.assert_allclose(agree if kind in ("fixed", "prismatic") else agree[2], 1, atol=1e-12)


@pytest.mark.parametrize(
    "turns", [("rx", "ry", "rz"), ("rx", "ry"), ("ry", "rz"), ("rx", "rz"), ("rx",), ("ry",), ("rz",)]
)
def test_the_moment_of_a_held_turn_balances_the_one_applied_about_it(turns: tuple[str, ...]) -> None:
    body = gallery.free_body("body", da.Inertia.of(2, (0, 0, 0), (1, 2, 3)))
    closure = Closure("joint", "ground", "body", ("x", "y", *turns))
    held = Mechanism({"body": body}, [closure], None, gravity=(0, 0, 0))
    twist = np.array([3.0, -5.0, 7.0])
    forces = {"body": [da.Force("body", (1.0, 2.0, -4.0), moment=twist)]}
    still = np.zeros(held.n)
    found = dict(zip(held.equation_names, held.constraint_forces(held.home, still, still, forces), strict=True))
    wanted = {"joint.x": -1.0, "joint.y": -2.0, **{f"joint.r{axis}": -m for axis, m in zip("xyz", twist, strict=True)}}
    assert found == pytest.approx({name: wanted[name] for name in held.equation_names})


def test_constraint_force_of_a_hanging_body_is_its_weight() -> None:
    body = gallery.free_body("body", da.Inertia.of(2, (0, 0, 0), (1, 1, 1)))
    held = Mechanism({"body": body}, [Closure("hook", "ground", "body", ("x", "y", "z"))], None, gravity=(0, 0, -10))
    forces = held.constraint_forces(held.home, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(forces, [0, 0, 20], atol=1e-12)


def test_all_assembly_modes_of_the_five_bar_are_found_and_one_is_kept() -> None:
    bar = gallery.five_bar()
    q = bar.coordinates_of(bar.home)
    modes = bar.assembly_modes(q, starts=60)
    assert len(modes) == 2
    np.testing.assert_allclose(modes[0], bar.home, atol=1e-9)
    path = q + 0.5 * np.stack([np.sin(np.linspace(0, 2 * np.pi, 30)), np.cos(np.linspace(0, 2 * np.pi, 30)) - 1], 1)
    for mode in modes:
        motion = bar.follow(path, mode)
        np.testing.assert_allclose(motion[-1], mode, atol=1e-10)


def test_forces_on_links_load_the_coordinates() -> None:
    bar = gallery.five_bar()
    push = {"left": [da.Force("link2", (3.0, -2.0, 0.0))]}
    tip = bar.frame_influence(bar.home, "left").first[:2]
    still = np.zeros(2)
    bare, pushed = (bar.inverse_dynamics(bar.home, still, still, forces) for forces in ({}, push))
    np.testing.assert_allclose(bare - pushed, tip.T @ [3.0, -2.0], atol=1e-12)


def test_forces_and_moments_on_links_accelerate_what_they_load() -> None:
    """Accelerations under forces undo torques under forces, at speed, in a closed and in an open chain."""
    push = da.Force("link2", (3.0, -2.0, 0.0), (0.1, 0.2, 0.0), (0.0, 0.0, 1.5))
    bar = gallery.five_bar()
    phi = near(bar)
    qd, qdd = rates(bar)
    forces = {"left": [push]}
    torque = bar.inverse_dynamics(phi, qd, qdd, forces)
    np.testing.assert_allclose(bar.forward_dynamics(phi, qd, torque, forces), qdd, atol=1e-10)
    bare = bar.inverse_dynamics(phi, qd, qdd)
    alone = bar.inverse_dynamics(phi, qd, qdd, {"left": [da.Force("link2", moment=(0.0, 0.0, 1.5))]})
    turn = bar.frame_influence(phi, "left").first[5]
    np.testing.assert_allclose(bare - alone, 1.5 * turn, atol=1e-12)


def test_a_body_on_a_hinge_under_constant_force_and_moment_turns_as_the_square_of_time() -> None:
    """I theta'' = M: about z of a hinge, without gravity, the force at the axis itself."""
    body = gallery.free_body("body", da.Inertia.of(2, (0, 0, 0), (1, 2, 4)))
    hinge = Mechanism({"body": body}, [Closure("hinge", "ground", "body", "revolute")], ["body.rz"], gravity=(0, 0, 0))
    forces = {"body": [da.Force("body", (5.0, 1.0, 0.0), moment=(0.3, 0.2, 0.8))]}
    motion = hinge.simulate([0.0, 0.5, 1.0], hinge.home, [0.1], forces=forces)
    np.testing.assert_allclose(motion.q[:, 0], [0.0, 0.05 + 0.025, 0.1 + 0.1], atol=1e-10)
    np.testing.assert_allclose(motion.qd[:, 0], [0.1, 0.2, 0.3], atol=1e-10)


def test_the_load_of_a_model_at_speed_holds_its_springs_and_dampers() -> None:
    bar = gallery.five_bar()
    left = bar.parts.chains["left"].with_elastic(da.JointSpring("joint1", 3.0, 0.4), da.JointDamper("joint2", 0.7))
    sprung = bar._with(chains={**bar.parts.chains, "left": left}, coordinates=bar.coordinates, home=bar.home)
    phi = near(sprung)
    qd, qdd = rates(sprung)
    np.testing.assert_allclose(sprung.model(phi, qd).torque(qd, qdd), sprung.inverse_dynamics(phi, qd, qdd), atol=1e-10)
    rate = sprung.influence(phi).first @ qd
    damped = sprung.model(phi).load - sprung.model(phi, qd).load
    np.testing.assert_allclose(damped, 0.7 * rate[1] * sprung.influence(phi).first[1], atol=1e-11)


@pytest.mark.parametrize("name", ["five-bar", "Stewart"])
def test_second_order_coefficients_of_a_frame_are_the_slope_of_its_first_ones(name: str) -> None:
    mechanism = MAKERS[name]()
    frame = {"five-bar": "left", "Stewart": "platform"}[name]
    q, step = mechanism.coordinates_of(mechanism.home), 1e-5
    here = mechanism.frame_influence(mechanism.home, frame)
    for k, unit in enumerate(step * np.eye(mechanism.n)):
        ahead, behind = (mechanism.frame_influence(mechanism.position(q + s * unit), frame).first for s in (1, -1))
        # h_mn of a turn is the slope of g_n to coordinate m, and not symmetric.
        slope = (ahead - behind) / (2 * step)
        np.testing.assert_allclose(slope, here.second[:, k], atol=1e-6 * (1 + np.abs(here.second).max()))
