"""Outer forces in derivatives and linear models of arms (Freeman 1985, eqs 2-202, 2-206 to 2-208, 2-227)."""

import numpy as np
import pytest
from hypothesis import given

import dalembert as da
from dalembert.arm.errors import ArmError
from differences import slope
from laws import moving_arms, torque_scale

pin = pytest.importorskip("pinocchio")


def outer(arm: da.Arm) -> list[da.Force]:
    """A force and a moment off the origin of the hand in base axes, and one on a link before it in its own."""
    push, twist, point = np.random.default_rng(3).normal(size=(3, 3))
    return [
        da.Force(arm.tool_link, 20 * push, tuple(point), 5 * twist),
        da.Force(arm.links[-2].name, 7 * twist, tuple(-point), push, axes="link"),
    ]


@given(moving_arms(largest=6))
def test_derivatives_of_torques_know_that_forces_move_with_the_arm(case):
    arm, q, qd, qdd = case
    forces = outer(arm)
    to_q, to_qd, matrix = arm.inverse_dynamics_derivatives(q, qd, qdd, forces=forces)
    size = torque_scale(arm, q, qd, qdd) + 1000
    found = slope(lambda x: arm.inverse_dynamics(x, qd, qdd, forces=forces), q)
    assert np.abs(to_q - found).max() <= 1e-7 * size
    plain = arm.inverse_dynamics_derivatives(q, qd, qdd)
    assert (to_qd == plain[1]).all()
    assert (matrix == plain[2]).all()


def test_derivatives_of_accelerations_are_pinocchios_with_a_force_in_link_axes():
    arm = da.load("ur5e")
    model = pin.buildModelFromXML(arm.write_urdf())
    data = model.createData()
    rng = np.random.default_rng(1)
    q, qd, tau = rng.uniform(-1, 1, (3, arm.n))
    wrench = rng.normal(size=6)
    outside = pin.StdVec_Force()
    for _ in model.joints:
        outside.append(pin.Force.Zero())
    name = arm.moving[-1].child
    # what acts at the origin of the link, in its axes, at the origin of Pinocchio's last joint
    placement = data.oMi
    pin.forwardKinematics(model, data, q)
    frame = model.getFrameId(name)
    pin.updateFramePlacements(model, data)
    to_joint = placement[model.njoints - 1].inverse() * data.oMf[frame]
    outside[model.njoints - 1] = to_joint.act(pin.Force(wrench))
    theirs = pin.computeABADerivatives(model, data, q, qd, tau, outside)[:2]
    forces = [da.Force(name, wrench[:3], moment=wrench[3:], axes="link")]
    ours = arm.forward_dynamics_derivatives(q, qd, tau, forces=forces)[:2]
    for a, b in zip(ours, theirs, strict=True):
        assert np.abs(a - b).max() <= 1e-9 * np.abs(b).max()
    without = arm.forward_dynamics_derivatives(q, qd, tau)[0]
    assert np.abs(without - theirs[0]).max() > 1e-3 * np.abs(theirs[0]).max()


@pytest.mark.parametrize("input", ["joint torque", "motor torque"])
def test_the_linear_model_under_forces_is_that_of_finite_differences(input):
    arm = da.load("puma560", physical="ignore")
    system = arm.driven.frictionless() if input == "motor torque" else arm
    q, qd, tau = np.random.default_rng(2).uniform(-1, 1, (3, arm.n))
    steady, disturbing = outer(arm)
    model = system.linearize(q, qd, tau, input=input, forces=[steady], disturbances=[disturbing])
    n = arm.n

    def acceleration(x, v, f):
        acting = da.Force(disturbing.link, f[:3], disturbing.point, f[3:], axes="link")
        return system.forward_dynamics(x, v, tau, forces=[steady, acting])

    nominal = np.r_[disturbing.force, disturbing.moment]
    # The inverse of D and the forces set the scale of the accelerations, and a difference loses half the digits.
    size = 1e-6 * np.abs(model.A).max()
    assert np.abs(model.A[n:, :n] - slope(lambda x: acceleration(x, qd, nominal), q)).max() <= size
    assert np.abs(model.A[n:, n:] - slope(lambda v: acceleration(q, v, nominal), qd)).max() <= size
    assert np.abs(model.B[n:, n:] - slope(lambda f: acceleration(q, qd, f), nominal)).max() <= size
    assert [signal.unit for signal in model.inputs[n:]] == ["N"] * 3 + ["N m"] * 3
    assert model.inputs[n].name == f"force_x_{disturbing.link}"


def test_a_held_arm_is_held_against_its_forces():
    arm = da.load("ur5e")
    q = np.full(arm.n, 0.4)
    forces = outer(arm)
    model = arm.linearize(q, forces=forces)
    assert np.abs(arm.forward_dynamics(q, np.zeros(arm.n), model.at["tau"], forces=forces)).max() < 1e-9
    slopes = slope(lambda x: arm.forward_dynamics(x, np.zeros(arm.n), model.at["tau"], forces=forces), q)
    assert np.abs(model.A[arm.n :, : arm.n] - slopes).max() < 1e-6 * np.abs(slopes).max()


def test_disturbances_reach_currents_and_the_hand_through_the_arm_alone():
    driven = da.load("puma560", physical="ignore").driven
    q = np.array([0.1, 0.4, -0.6, 0.2, 0.7, 0.3])
    push = [da.Force(driven.tool_link), da.Force(driven.tool_link, point=(0.1, 0, 0))]
    voltage = driven.linearize(q, input="voltage", disturbances=push)
    torque = driven.linearize(q, disturbances=push)
    assert voltage.B.shape == (18, 18)
    assert len({signal.name for signal in voltage.inputs}) == 18
    assert (voltage.B[:12, 6:] == torque.B[:, 6:]).all()
    assert not voltage.B[12:, 6:].any()
    hand = driven.linearize(q, coordinates="hand", disturbances=push)
    hand_to_hand = driven.jacobian(q) @ torque.B[6:, 6:]
    assert np.abs(hand.B[6:, 6:] - hand_to_hand).max() < 1e-9 * np.abs(hand_to_hand).max()
    assert hand.state_space().ninputs == 18


def test_forces_of_a_linear_model_are_single_vectors():
    arm = da.load("ur5e")
    with pytest.raises(ArmError, match="must be one vector"):
        arm.linearize(np.zeros(6), forces=[da.Force(arm.tool_link, np.zeros((2, 3)))])
    with pytest.raises(ArmError, match="are a list of Force"):
        arm.linearize(np.zeros(6), disturbances="hand")
