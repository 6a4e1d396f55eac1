"""Jacobians of any frame and their rates, mass centre and momentum: as Pinocchio has them, and by laws with drives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import dalembert as da
from coupled_arms import coupled_chain, free, laden, relation
from dalembert.arm.io.urdf import read_urdf, write_urdf
from random_arms import random_arm
from test_against_pinocchio import Oracle, difference

pin = pytest.importorskip("pinocchio")
AXES = {"base": pin.LOCAL_WORLD_ALIGNED, "frame": pin.LOCAL, "spatial": pin.WORLD}


def ours(seed: int) -> tuple[da.Arm, Oracle, np.ndarray, np.ndarray]:
    text = write_urdf(random_arm(seed, 2 + seed, tree=True))
    arm = da.Arm.of(read_urdf(text, "random", physical="ignore"))
    q, qd = np.random.default_rng(seed).uniform(-2, 2, (2, arm.n))
    return arm, Oracle(text, arm), q, qd


@pytest.mark.parametrize("seed", range(4))
def test_frames_jacobians_and_rates_of_links_are_those_of_pinocchio(seed: int) -> None:
    arm, oracle, q, qd = ours(seed)
    model, data, (at, speed) = oracle.model, oracle.data, (oracle.positions(q), oracle.there(qd))
    for link in (arm.link_names[-1], arm.link_names[1]):
        frame = model.getFrameId(link)
        for axes, theirs in AXES.items():
            found = np.array(pin.computeFrameJacobian(model, data, at, frame, theirs)).reshape(6, -1)[:, oracle.order]
            assert difference(arm.jacobian(q, link, axes), found, 1.0) < 1e-12
            pin.computeJointJacobiansTimeVariation(model, data, at, speed)
            pin.updateFramePlacements(model, data)
            rate = np.array(pin.getFrameJacobianTimeVariation(model, data, frame, theirs)).reshape(6, -1)
            assert difference(arm.jacobian_rate(q, qd, link, axes), rate[:, oracle.order], 1.0) < 1e-12
        assert difference(arm.forward_kinematics(q, link), data.oMf[frame].homogeneous) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_mass_centre_and_momentum_are_those_of_pinocchio(seed: int) -> None:
    arm, oracle, q, qd = ours(seed)
    model, data, (at, speed) = oracle.model, oracle.data, (oracle.positions(q), oracle.there(qd))
    assert difference(arm.center_of_mass(q), pin.centerOfMass(model, data, at, speed, 0 * speed)) < 1e-12
    assert arm.mass == pytest.approx(data.mass[0])
    drift = np.array(data.acom[0])
    assert difference(arm.center_of_mass_jacobian_rate(q, qd) @ qd, drift, 1.0) < 1e-11
    jacobian = np.array(pin.jacobianCenterOfMass(model, data, at)).reshape(3, -1)[:, oracle.order]
    assert difference(arm.center_of_mass_jacobian(q), jacobian) < 1e-12
    matrix = np.array(pin.computeCentroidalMap(model, data, at)).reshape(6, -1)[:, oracle.order]
    assert difference(arm.momentum_matrix(q), matrix) < 1e-11
    assert difference(arm.momentum(q, qd), pin.computeCentroidalMomentum(model, data, at, speed).vector, 1.0) < 1e-11


def test_slopes_of_the_jacobian_are_influence_coefficients_of_second_order() -> None:
    """Freeman 1985: column n of h_mn is the derivative of g_n to joint m."""
    arm = da.load("puma560", physical="ignore")
    q = np.linspace(-1, 1, 6)
    table = arm.influence(q)
    slopes = arm.jacobian_slopes(q)
    assert difference(np.swapaxes(slopes[:3], -1, -2), table.point_second) < 1e-12
    assert difference(np.swapaxes(slopes[3:], -1, -2), table.rotation_second) < 1e-12


@pytest.mark.parametrize("axes", ["base", "frame", "spatial"])
@pytest.mark.parametrize("frame", [None, "link3", ("link4", da.Placement.from_xyz_rpy((0.1, 0.2, -0.1), (0.3, 0, 1)))])
def test_slopes_of_the_jacobian_are_its_differences_of_any_frame_in_any_axes(frame: Any, axes: str) -> None:
    arm, h = da.load("puma560", physical="ignore"), 1e-6
    q = np.linspace(-1, 1, 6)
    pairs = ((arm.jacobian(q + h * e, frame, axes), arm.jacobian(q - h * e, frame, axes)) for e in np.eye(6))
    expected = np.stack([(ahead - behind) / (2 * h) for ahead, behind in pairs], axis=-1)
    assert np.abs(arm.jacobian_slopes(q, frame, axes) - expected).max() < 1e-8


@pytest.mark.parametrize("seed", [1, 3])
def test_laws_of_momentum_hold_with_load_rotors_moving_bodies_and_followers(seed: int) -> None:
    """P = m v of the mass centre; G = -m g . J of it; dP/dt by the rates; a follower is a joint that goes along."""
    arm = laden(seed).counting_drives("exact")
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1, 1, (2, arm.n))
    velocity = arm.center_of_mass_jacobian(q) @ qd
    assert arm.momentum(q, qd)[:3] == pytest.approx(arm.mass * velocity)
    step = 1e-6
    moved = (arm.center_of_mass(q + step * qd) - arm.center_of_mass(q - step * qd)) / (2 * step)
    assert moved == pytest.approx(velocity, rel=1e-6, abs=1e-8)
    weight = -arm.mass * np.array([float(g) for g in arm.gravity]) @ arm.center_of_mass_jacobian(q)
    assert weight == pytest.approx(arm.gravity_load(q), rel=1e-9, abs=1e-9)
    rate = arm.center_of_mass_jacobian(q + step * qd) - arm.center_of_mass_jacobian(q - step * qd)
    assert arm.center_of_mass_jacobian_rate(q, qd) == pytest.approx(rate / (2 * step), rel=1e-5, abs=1e-6)
    tied = coupled_chain(seed)
    x, _ = rng.uniform(-1, 1, (2, tied.n))
    table, offset = relation(tied)
    assert tied.momentum_matrix(x) == pytest.approx(free(tied).momentum_matrix(table @ x + offset) @ table)


def test_a_rotor_has_the_momentum_of_the_link_that_turns_as_it_does() -> None:
    """The same rotor as a body of its own, on a joint that follows with the gear ratio."""
    rng = random.Random(5)
    arm = da.Arm.of(random_arm(rng, 3, kinds=("revolute",), fixed=0.0))
    carrier, ratio, spin = arm.link_names[1], 30, 0.002
    rotor = da.Rotor.of(spin, carrier, (0, 0, 1), mass=0.4, position=(0, 0, 0), across=0.001)
    motors = [da.Actuator.of("m2", {arm.joint_names[1]: ratio}, rotor)]
    motors += [da.Actuator.of(f"d{k}", {arm.joint_names[k]: 1}) for k in (0, 2)]
    uncounted = [da.Actuator(m.name, m.ratios, m.rotor) for m in motors]
    driven = arm.with_drives(da.DriveTrain(tuple(uncounted)))
    link = da.Link("rotor", da.Inertia.of(0.4, (0, 0, 0), (0.001, 0.001, spin)))
    joint = da.Joint("shaft", "revolute", carrier, "rotor", follows=da.Follows(arm.joint_names[1], ratio, 0))
    bare = da.Arm(arm.name, (*arm.links, link), (*arm.joints, joint), arm.gravity, arm.tool, arm.tool_link)
    q, qd = np.random.default_rng(0).uniform(-1, 1, (2, 3))
    whole = driven.momentum(q, qd, about="base")
    body = bare.momentum(q, qd, about="base")
    # what spins is the same; the mass of the rotor is in its link in one of the two descriptions
    still = da.Inertia.of(0.4, (0, 0, 0), (0.001, 0.001, spin))
    fixed = da.Joint("shaft", "fixed", carrier, "rotor")
    held = da.Arm(
        arm.name, (*arm.links, da.Link("rotor", still)), (*arm.joints, fixed), arm.gravity, arm.tool, arm.tool_link
    )
    added = body - held.momentum(q, qd, about="base")
    assert np.abs(added[3:]).max() > 0.01
    assert whole - arm.momentum(q, qd, about="base") == pytest.approx(added, abs=1e-12)


def test_an_armature_has_no_angular_momentum_that_anyone_knows() -> None:
    arm = da.load("panda", physical="ignore")
    if not any(float(part.rotor.inertia) for part in arm.drives.parts):
        arm = da.load("stanford", physical="ignore")
    nameless = arm.drives.without_axis("exact")
    with pytest.raises(da.ArmError, match=rf"{arm.name}: the rotors of {nameless[0]}.* no axis in space"):
        arm.driven.momentum_matrix(np.zeros(arm.n))
    assert arm.driven.center_of_mass(np.zeros(arm.n)).shape == (3,)


def test_wrong_axes_and_frames_are_refused() -> None:
    arm = da.load("planar-2r")
    for call, said in (
        (lambda: arm.jacobian(np.zeros(2), axes="world"), "axes can be"),
        (lambda: arm.jacobian(np.zeros(2), "nowhere"), "no link"),
        (lambda: arm.forward_kinematics(np.zeros(2), ("link1", (0, 0, 1))), "Placement"),
        (lambda: arm.momentum_matrix(np.zeros(2), about="tool"), "about"),
        (lambda: arm.locked({"joint1": 0, "joint2": 0}).center_of_mass(np.zeros(0)), "no mass centre"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()
