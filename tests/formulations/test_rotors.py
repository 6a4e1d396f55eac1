"""Rotors as bodies: the closed formulas against a longer chain whose rotor joints are geared to the others."""

import dataclasses
import random

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription, Joint, Link
from dalembert.arm.drives import Actuator, DriveTrain, Rotor
from dalembert.arm.placement import Placement
from dalembert.formulations import rotors
from dalembert.formulations.chain import chain
from dalembert.formulations.drive_train import RingTrain
from dalembert.rings.dual import Duals, slope_of
from dalembert.rings.real import REAL
from random_arms import decimal, random_arm, vector

mujoco = pytest.importorskip("mujoco")

SEEDS = range(12)


def random_train(rng: random.Random, arm: ArmDescription, ratio: float = 60.0) -> DriveTrain:
    """Heavy rotors on any links, about any axes, with every motor coupled to every joint."""
    actuators = []
    for index, joint in enumerate(arm.moving):
        ratios = {other.name: decimal(rng, -3, 3) for other in arm.moving}
        ratios[joint.name] = decimal(rng, ratio / 2, ratio)
        spin = decimal(rng, 0.001, 0.02, 4)
        rotor = Rotor.of(
            spin,
            rng.choice(arm.link_names),
            vector(rng, 1.0, 2),
            vector(rng, 0.3, 2),
            decimal(rng, 0.5, 2, 2),
            spin * decimal(rng, 0.55, 2, 2),
            counted=False,
        )
        actuators.append(Actuator.of(f"motor{index + 1}", ratios, rotor))
    return DriveTrain(tuple(actuators))


def longer_chain(arm: ArmDescription, train: DriveTrain) -> da.Arm:
    """The arm with every rotor as a link of its own on a revolute joint, free to turn."""
    links, joints = list(arm.links), list(arm.joints)
    for actuator in train.actuators:
        rotor = actuator.rotor
        x, y, z = (float(c) for c in rotor.unit_axis)
        place = Placement.from_xyz_rpy(rotor.position, (0, -np.arcsin(z) + np.pi / 2, np.arctan2(y, x)))
        links.append(
            Link(
                f"rotor of {actuator.name}",
                da.Inertia.of(rotor.mass, (0, 0, 0), (rotor.across, rotor.across, rotor.inertia)),
            )
        )
        joints.append(Joint(f"shaft of {actuator.name}", "revolute", rotor.link, f"rotor of {actuator.name}", place))
    return da.Arm.of(dataclasses.replace(arm, links=tuple(links), joints=tuple(joints), tool_link=arm.tool_link))


def geared(arm: ArmDescription, train: DriveTrain, longer: da.Arm) -> np.ndarray:
    """W with (all speeds of the longer chain) = W qd."""
    own = dict(zip(arm.joint_names, np.eye(arm.n), strict=True))
    ratios = np.array(train.rows(arm), dtype=float)
    shafts = {f"shaft of {a.name}": row for a, row in zip(train.actuators, ratios, strict=True)}
    return np.array([(own | shafts)[name] for name in longer.joint_names])


@pytest.fixture(params=SEEDS)
def case(request):
    rng = random.Random(request.param)
    arm = da.Arm.of(random_arm(rng, 2 + request.param % 5, tree=bool(request.param % 2)))
    train = random_train(rng, arm)
    driven = arm.with_drives(train)
    state = np.random.default_rng(request.param).uniform(-2, 2, (3, arm.n))
    return arm, train, driven, state


def test_rotors_equal_a_longer_chain_whose_rotor_joints_are_geared(case):
    arm, train, driven, (q, qd, qdd) = case
    longer = longer_chain(arm, train)
    w = geared(arm, train, longer)
    mass = w.T @ longer.mass_matrix(w @ q) @ w
    assert driven.mass_matrix(q) == pytest.approx(mass, rel=1e-11, abs=1e-11 * np.abs(mass).max())
    torque = w.T @ longer.inverse_dynamics(w @ q, w @ qd, w @ qdd)
    assert driven.inverse_dynamics(q, qd, qdd) == pytest.approx(torque, rel=1e-10, abs=1e-10 * np.abs(torque).max())
    assert driven.kinetic_energy(q, qd) == pytest.approx(longer.kinetic_energy(w @ q, w @ qd), rel=1e-12)


def test_accelerations_equal_those_of_mujoco_with_explicit_rotor_bodies(case):
    """MuJoCo gives mass matrix and bias of the longer chain; the gears are exact, as coordinates."""
    arm, train, driven, (q, qd, torque) = case
    longer = longer_chain(arm, train)
    w = geared(arm, train, longer)
    model = mujoco.MjModel.from_xml_string(longer.write_urdf())
    model.opt.gravity = [float(g) for g in arm.gravity]
    data = mujoco.MjData(model)
    order = [model.jnt_dofadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, n)] for n in longer.joint_names]
    data.qpos[order], data.qvel[order] = w @ q, w @ qd
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    full, bias = full[np.ix_(order, order)], data.qfrc_bias[order]
    theirs = np.linalg.solve(w.T @ full @ w, torque - w.T @ bias)
    ours = driven.forward_dynamics(q, qd, torque)
    assert np.abs(ours - theirs).max() <= 1e-8 * np.abs(theirs).max()


def test_christoffel_symbols_are_those_of_the_rotors_own_inertia_matrix(case):
    arm, _, driven, (q, qd, _) = case
    spins, ratios = RingTrain(driven, REAL).spins(REAL, list(q))
    duals = Duals(REAL)
    x = [duals.variable(float(value), k) for k, value in enumerate(q)]
    n = arm.n
    matrix = rotors.mass_matrix(chain(arm, REAL), duals, x, spins, ratios)
    slope = np.array([[[float(slope_of(e, k)) for k in range(n)] for e in row] for row in matrix])
    expected = (slope + slope.transpose(0, 2, 1) - slope.transpose(2, 0, 1)) / 2
    found = np.array(rotors.christoffel(chain(arm, REAL), REAL, list(q), spins, ratios), dtype=float)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-13 * (1 + np.abs(expected).max()))
    assert found == pytest.approx(found.transpose(0, 2, 1), abs=0)
    rate = np.einsum("ijk,k->ij", driven.christoffel(q), qd)
    step = 1e-6
    change = (driven.mass_matrix(q + step * qd) - driven.mass_matrix(q - step * qd)) / (2 * step)
    assert change == pytest.approx(rate + rate.T, abs=1e-7 * np.abs(driven.mass_matrix(q)).max() * 10)


def test_a_transmission_that_varies_keeps_power_and_energy_in_balance():
    """q_a = 50 (q1 + 0.2 sin q2), ...: d(T)/dt = qd . F over a free motion, which needs dN/dq."""
    arm = da.load("planar-2r")

    def turns(ring, q):
        sin, cos = ring.sincos(q[1])
        return [50 * q[0] + 10 * sin, 30 * q[1] + 5 * cos * q[0]]

    parts = [
        Actuator.of(f"motor{k}", {arm.joint_names[k - 1]: 1}, Rotor.of("0.002", arm.links[k].name, (1, 2, 2)))
        for k in (1, 2)
    ]
    driven = arm.with_drives(DriveTrain(tuple(parts), turns=turns))
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 2))
    step = 1e-5
    ahead, behind = (driven.kinetic_energy(q + s * qd, qd + s * qdd) for s in (step, -step))
    power = qd @ (driven.inverse_dynamics(q, qd, qdd) - driven.gravity_load(q))
    assert (ahead - behind) / (2 * step) == pytest.approx(power, rel=1e-7)
    ratio = (driven.motor_positions(q + step * qd) - driven.motor_positions(q - step * qd)) / (2 * step)
    assert driven.motor_velocities(q, qd) == pytest.approx(ratio, rel=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_symbols_and_torques_agree_where_the_transmission_varies(seed):
    """h = C qd qd with rotors on the base, on the first body and on the last one, each turned by a varying ratio."""
    arm = da.Arm.of(random_arm(seed, 3, fixed=0.0, kinds=("revolute",)))
    model = chain(arm, REAL)
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1, 1, (2, 3))
    axes = rng.normal(size=(4, 3))
    places = (-1, 0, 2, None)
    spins = [
        rotors.Spin(body, tuple(axis / np.linalg.norm(axis)), 0.01 * (1 + k))
        for k, (body, axis) in enumerate(zip(places, axes, strict=True))
    ]

    def turns(ring, x):
        (sin, cos), (sine, _) = ring.sincos(x[0]), ring.sincos(x[1])
        return [9 * x[0] + 4 * sin * x[2], 7 * x[1] + 3 * cos * sine, x[2] * x[2] + 5 * x[0], 6 * sin + x[1] * x[2]]

    ratios = rotors.of_function(turns, REAL, list(q))
    symbols = np.array(rotors.christoffel(model, REAL, list(q), spins, ratios), dtype=float)
    torque = np.array(rotors.torque(model, REAL, list(q), list(qd), [0.0] * 3, spins, ratios), dtype=float)
    assert np.einsum("ijk,j,k->i", symbols, qd, qd) == pytest.approx(torque, rel=1e-11, abs=1e-12)


def test_every_formulation_takes_the_rotors_in():
    arm = da.load("jpl-rrp")
    train = random_train(random.Random(3), arm)
    driven = arm.with_drives(train)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    found = [
        driven.inverse_dynamics(q, qd, qdd, formulation)
        for formulation in ("newton-euler", "lagrange-euler", "generalized-dalembert", "influence")
    ]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-11)
    h = np.einsum("ijk,j,k->i", driven.christoffel(q), qd, qd)
    assert driven.mass_matrix(q) @ qdd + h + driven.gravity_load(q) == pytest.approx(found[0], rel=1e-11)


def test_links_alone_are_not_changed_by_rotors_of_no_inertia():
    arm = da.load("puma560", physical="ignore")
    train = DriveTrain(tuple(Actuator.of(f"m{j}", {name: 50}) for j, name in enumerate(arm.joint_names)))
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    torque = arm.with_drives(train).inverse_dynamics(q, qd, qdd)
    assert torque == pytest.approx(arm.inverse_dynamics(q, qd, qdd), rel=1e-12)
