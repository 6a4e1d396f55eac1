"""A mechanism is a system: it carries what its chains carry, and is asked in its coordinates as an arm is."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import mujoco
import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Friction, Rotor
from dalembert.mechanisms import gallery
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.mechanism import Mechanism

FOUR_BAR = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body name="crank" pos="0 0 0"><joint name="a" axis="0 1 0" armature="0.5" damping="0.3"/>
    <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.001"/>
    <body name="coupler" pos="0 0 0.2"><joint name="b" axis="0 1 0" armature="0.02"/>
      <inertial pos="0.25 0 0" mass="2" diaginertia="0.001 0.05 0.05"/>
    </body>
  </body>
  <body name="rocker" pos="0.5 0 0"><joint name="c" axis="0 1 0" damping="0.1"/>
    <inertial pos="0 0 0.15" mass="1.5" diaginertia="0.02 0.02 0.001"/>
  </body></worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor="0.5 0 0"/></equality></mujoco>"""


def rubbing(arm: da.Arm | object, moving: float, hold: float, geared: bool) -> DriveTrain:
    """A geared motor with friction at each joint; ``geared``: the second shaft turns with both joints."""
    names = [joint.name for joint in arm.moving]  # type: ignore[attr-defined]
    actuators = []
    for k, name in enumerate(names):
        ratios = {name: 30 + 5 * k} | ({names[0]: -12} if geared and k == 1 else {})
        friction = Friction((moving, 1.5 * moving), hold, 0.01)
        actuators.append(Actuator.of(f"motor {name}", ratios, Rotor.of("2e-4"), friction))
    return DriveTrain(tuple(actuators))


def driven_five_bar(geared: bool = False, moving: float = 0.02, hold: float = 0.05) -> Mechanism:
    bar = gallery.five_bar()
    chains = {
        name: replace(arm, drives=rubbing(arm, moving, hold, geared).fitted(arm))
        for name, arm in bar.parts.chains.items()
    }
    closure = Closure("tip", "left", "right", "pin")
    return Mechanism(chains, [closure], bar.coordinates, bases=bar.parts.bases, home=bar.home).driven


@pytest.mark.parametrize("geared", [False, True], ids=["geared apart", "geared together"])
def test_accelerations_undo_torques_moving_and_at_rest(geared: bool) -> None:
    bar = driven_five_bar(geared)
    rng = np.random.default_rng(0)
    phi = bar.closed_near(bar.home + 0.1 * rng.normal(size=(6, bar.m)))
    for qd in (rng.normal(size=(6, bar.n)), np.zeros(bar.n)):
        qdd = rng.normal(size=(6, bar.n))
        torque = bar.inverse_dynamics(phi, qd, qdd)
        for system in (bar, bar.compiled()):
            np.testing.assert_allclose(system.forward_dynamics(phi, qd, torque), qdd, atol=1e-9)


def test_what_standing_friction_can_hold_does_not_move() -> None:
    bar = driven_five_bar()
    still = np.zeros(bar.n)
    weight = bar.gravity_load(bar.home)
    np.testing.assert_allclose(bar.forward_dynamics(bar.home, still, weight + 0.5), still, atol=1e-12)
    assert np.abs(bar.forward_dynamics(bar.home, still, weight + 50)).min() > 0.1


def test_a_motor_adds_its_reflected_inertia_through_the_closures() -> None:
    bar = driven_five_bar()
    x = bar.influence(bar.home).first
    ratio = np.array([30.0, 35, 30, 35])
    added = bar.mass_matrix(bar.home) - bar.without_drives().mass_matrix(bar.home)
    np.testing.assert_allclose(added, x.T @ np.diag(2e-4 * ratio**2) @ x, rtol=1e-9)


def test_armature_and_damping_of_a_four_bar_are_those_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "four_bar.xml"
    path.write_text(FOUR_BAR)
    bar = da.load_mechanism(path).driven
    model = mujoco.MjModel.from_xml_string(FOUR_BAR)
    data = mujoco.MjData(model)
    phi = bar.closed_near(bar.home + np.array([0.3, 0, 0]))
    x = bar.influence(phi).first[:, 0]
    rate = 0.7
    data.qpos[:], data.qvel[:] = phi, x * rate
    mujoco.mj_forward(model, data)
    full = np.zeros((3, 3))
    mujoco.mj_fullM(model, data, full)
    assert bar.mass_matrix(phi)[0, 0] == pytest.approx(x @ full @ x, rel=1e-9)
    assert bar.mass_matrix(phi)[0, 0] > 0.5, "the armature counts"
    rate2 = bar.influence(phi).second[:, 0, 0] * rate**2
    wanted = x @ (full @ rate2 + data.qfrc_bias - data.qfrc_passive)
    assert bar.bias(phi, [rate])[0] == pytest.approx(wanted, rel=1e-9)


def test_a_mechanism_in_its_coordinates_has_the_numbers_of_the_mechanism() -> None:
    bar = driven_five_bar()
    system = bar.as_system()
    assert system.joint_names == bar.coordinates
    assert [c.kind for c in system.moving] == ["revolute"] * 2
    q = bar.coordinates_of(bar.home) + np.array([0.1, -0.05])
    phi = bar.position(q)
    qd, qdd = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    torque = system.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(torque, bar.inverse_dynamics(phi, qd, qdd))
    np.testing.assert_allclose(system.forward_dynamics(q, qd, torque), qdd, atol=1e-10)
    np.testing.assert_allclose(system.mass_matrix(q), bar.mass_matrix(phi))
    np.testing.assert_allclose(system.kinetic_energy(q, qd) + system.potential_energy(q), bar.energy(phi, qd))
    step = 1e-6
    for k, (to_q, to_qd) in enumerate(zip(*system.inverse_dynamics_derivatives(q, qd, qdd)[:2], strict=True)):
        for column in range(2):
            e = step * np.eye(2)[column]
            ahead, behind = (system.inverse_dynamics(q + s * e, qd, qdd)[k] for s in (1, -1))
            assert to_q[column] == pytest.approx((ahead - behind) / (2 * step), rel=1e-6, abs=1e-6)
            ahead, behind = (system.inverse_dynamics(q, qd + s * e, qdd)[k] for s in (1, -1))
            assert to_qd[column] == pytest.approx((ahead - behind) / (2 * step), rel=1e-6, abs=1e-6)
    again = pickle.loads(pickle.dumps(system))
    np.testing.assert_array_equal(again.inverse_dynamics(q, qd, qdd), torque)


def test_simulated_as_a_system_it_moves_as_simulated_in_its_joints() -> None:
    bar = gallery.five_bar()
    qd = np.array([0.5, -0.5])
    joints = bar.simulate([0.0, 0.2], bar.home, qd)
    motion = da.simulate(bar.as_system(), np.zeros(2), bar.coordinates_of(bar.home), qd, duration=0.2, rtol=1e-10)
    np.testing.assert_allclose(motion.q[-1], joints.q[-1], atol=1e-8)


def test_a_controller_drives_a_mechanism_along_a_path() -> None:
    system = gallery.five_bar().as_system()
    start = system.mechanism.coordinates_of(system.mechanism.home)
    end = start + np.array([0.3, -0.2])
    control = da.ComputedTorque(system, da.quintic([start, end], 0.3), kp=400.0, kd=40.0)
    motion = da.simulate(system, control, start, duration=0.3, samples=5)
    np.testing.assert_allclose(motion.q[-1], end, atol=1e-6)


def test_a_load_is_held_by_the_chain_that_is_named() -> None:
    bar = gallery.five_bar()
    load = da.Load(2.0)
    loaded = bar.holding(load, "left")
    tip = bar.frame(bar.home, "left")[:3, 3]
    step = 1e-6 * np.eye(bar.n)
    slope = [(bar.frame(bar.position(bar.coordinates_of(bar.home) + e), "left")[:3, 3] - tip) / 1e-6 for e in step]
    more = loaded.mass_matrix(bar.home) - bar.mass_matrix(bar.home)
    np.testing.assert_allclose(more, 2.0 * np.array(slope) @ np.array(slope).T, atol=1e-4)
    with pytest.raises(da.ArmError, match="whose hand holds the load: left, right"):
        bar.holding(load)
    with pytest.raises(da.ArmError, match="no chain 'middle'"):
        bar.holding(load, "middle")


def test_a_turn_is_no_coordinate_of_a_system() -> None:
    arm = Mechanism({"arm": da.load("planar-2r")}, [], ["arm.joint1", "rz(arm)"])
    with pytest.raises(da.ArmError, match="is a turn, whose rate is no derivative"):
        arm.as_system()


def test_coulomb_friction_is_not_integrated_as_if_it_were_smooth() -> None:
    bar = driven_five_bar()
    with pytest.raises(da.ArmError, match="has Coulomb friction, which sticks and slips; simulate the system in its"):
        bar.simulate([0, 0.1], bar.home, np.zeros(bar.n))


def test_friction_brings_a_mechanism_to_rest_and_holds_it_there() -> None:
    """Energy falls by what friction takes, and what standing friction can hold stays where it is."""
    system = driven_five_bar(moving=0.3, hold=0.5).as_system()
    start = system.mechanism.coordinates_of(system.mechanism.home)
    weight = system.gravity_load(start)
    motion = da.simulate(system, weight, start, np.array([0.4, -0.3]), duration=0.3, samples=31)
    assert np.abs(motion.qd[-1]).max() == 0.0, "it sticks"
    assert any(event.kind == "sticks" for event in motion.events)
    assert np.abs(motion.balance).max() < 1e-5 * motion.energy_scale
    assert motion.lost[-1] > 0
    rest = da.simulate(system, weight, start, np.zeros(2), duration=0.1, samples=3)
    np.testing.assert_array_equal(rest.q, np.broadcast_to(start, rest.q.shape))


def test_friction_at_the_coordinates_is_that_of_shafts_and_dampers_carried_through_the_closures() -> None:
    system = driven_five_bar(geared=True).as_system()
    q = system.mechanism.coordinates_of(system.mechanism.home) + np.array([0.1, -0.05])
    qd = np.array([0.7, -0.4])
    rows = system.contact_rows(q)
    speeds = rows @ qd
    coulomb = np.array([-c.sliding(np.sign(v)) for c, v in zip(system.contacts, speeds, strict=True)])
    rubbing = system.bias(q, qd) - system.frictionless().bias(q, qd)
    np.testing.assert_allclose(rubbing, rows.T @ coulomb + system.viscous_matrix(q) @ qd, rtol=1e-9)
    assert np.abs(system.viscous_matrix(q)).max() > 1


def test_a_controller_of_a_mechanism_feeds_friction_by_the_speed_that_is_wanted() -> None:
    """By the measured speed, whose sign is a relay about rest, never: the command does not jump there."""
    system = driven_five_bar().as_system()
    start = system.mechanism.coordinates_of(system.mechanism.home)
    path = da.quintic([start, start + 0.2], 1.0)
    fed, plain = da.ComputedTorque(system, path), da.ComputedTorque(system.frictionless(), path)
    for qd in (np.array([1e-9, 1e-9]), np.array([-1e-9, -1e-9]), np.array([0.3, -0.5])):
        wanted = system.friction_torque(start, path.velocity(0.5))
        np.testing.assert_allclose(fed(0.5, start, qd) - plain(0.5, start, qd), wanted, rtol=1e-9, atol=1e-9)
    assert np.abs(wanted).max() > 0.5
    rubbing = system.bias(start, [0.7, -0.4]) - system.frictionless().bias(start, [0.7, -0.4])
    np.testing.assert_allclose(system.friction_torque(start, [0.7, -0.4]), rubbing, rtol=1e-9)


def test_dampers_and_effort_limits_of_the_chains_count_in_a_simulation() -> None:
    bar = gallery.five_bar()
    chains = dict(bar.parts.chains)
    chains["left"] = chains["left"].with_elastic(da.JointDamper("joint1", 0.5))
    joint, *rest = chains["left"].joints
    chains["left"] = replace(chains["left"], joints=(replace(joint, limits=replace(joint.limits, effort=2.0)), *rest))
    closure = Closure("tip", "left", "right", "pin")
    system = Mechanism(chains, [closure], bar.coordinates, bases=bar.parts.bases, home=bar.home).as_system()
    start = system.mechanism.coordinates_of(bar.home)
    motion = da.simulate(system, [5.0, 0.0], start, np.array([0.5, -0.5]), duration=0.2, saturate=True)
    assert motion.cut == (1.0, 0.0), "2 N m of 5 at the crank that has a limit"
    assert motion.lost[-1] > 1e-3
    assert np.abs(motion.balance).max() < 1e-6 * motion.energy_scale


def limited_four_bar(joint: str, limits: da.Limits) -> da.Mechanism:
    bar = gallery.four_bar()
    chains = {}
    for name, arm in bar.parts.chains.items():
        kept = tuple(replace(j, limits=limits) if f"{name}.{j.name}" == joint else j for j in arm.joints)
        chains[name] = replace(arm, joints=kept)
    return bar._with(chains=chains, coordinates=bar.coordinates, home=bar.home, gravity=(0, 0, 0))


def test_a_joint_that_comes_to_its_limit_ends_a_motion_without_stops_with_a_word() -> None:
    """A joint that is no coordinate has no stop in either simulation; both say so and keep what came before."""
    free = gallery.four_bar()._with(gravity=(0, 0, 0), coordinates=gallery.four_bar().coordinates)
    times = np.linspace(0, 1, 41)
    open_way = free.simulate(times, free.home, [1.0])
    follower = next(k for k in range(free.m) if free.joint_names[k] not in free.coordinates)
    name = free.joint_names[follower]
    middle = open_way.phi[20, follower]
    low, high = sorted((float(middle), float(free.home[follower])))
    limits = da.Limits(low, 10.0) if middle < free.home[follower] else da.Limits(-10.0, high)
    bar = limited_four_bar(name, limits)
    with pytest.raises(
        da.SimulationError, match=rf"{name} passes its limit of .* rad, and stops are not part"
    ) as fault:
        bar.simulate(times, bar.home, [1.0])
    assert 0.3 < fault.value.motion.t[-1] < 0.8
    with pytest.raises(da.SimulationError, match=rf"joint {name} passes its limit of .*stops act at joints that are"):
        da.simulate(bar.as_system(), [0.0], bar.coordinates_of(bar.home), [1.0], duration=1.0)


def test_a_coordinate_passes_its_limit_in_a_motion_without_stops() -> None:
    """Its stop is the simulation's: asked for, it holds; else the motion is that of the mechanism without limits."""
    free = gallery.four_bar()._with(gravity=(0, 0, 0), coordinates=gallery.four_bar().coordinates)
    start = free.coordinates_of(free.home)
    open_way = da.simulate(free.as_system(), [0.0], start, [1.0], duration=0.5)
    (name,) = free.coordinates
    half = float(open_way.q[len(open_way.q) // 2, 0])
    bar = limited_four_bar(name, da.Limits(-10.0, half)).as_system()
    for compiled in (False, None):
        motion = da.simulate(bar, [0.0], start, [1.0], duration=0.5, compiled=compiled)
        np.testing.assert_allclose(motion.q[-1], open_way.q[-1], rtol=1e-6)
    stopped = da.simulate(bar, [0.0], start, [1.0], duration=0.5, stops=True)
    assert stopped.q.max() <= half + 1e-6 < open_way.q.max()


def test_a_body_that_drives_move_on_the_base_turns_with_the_base():
    """Its weight by hand: a rod of 2 kg at 0.1 m from the first axis, the base turned by a quarter."""
    arm = da.load("planar-2r")

    def rise(ring, q):
        sin, cos = ring.sincos(q[0])
        return ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (
            cos * ring.number(Fraction(1, 10)),
            sin * ring.number(Fraction(1, 10)),
            0,
        )

    driven = arm.with_drives(da.DriveTrain(elements=[da.Element("rod", body=da.MovingBody(da.Inertia.of(2), rise))]))
    turned = da.Placement.from_xyz_rpy((0, 0, 0), (0, 0, np.pi / 2))
    q, options = np.array([0.3, 0.5]), {"bases": {"a": turned}, "home": [0.3, 0.5], "gravity": (0, -9.81, 0)}
    whole, links = (da.Mechanism({"a": each}, [], None, **options).gravity_load(q) for each in (driven, arm))
    np.testing.assert_allclose(whole - links, [2 * 9.81 * 0.1 * np.cos(q[0] + np.pi / 2), 0], atol=1e-12)
