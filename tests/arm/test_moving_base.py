"""A base that moves is one more joint in front of all (Szkodny 1995, after eq. 18)."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError

CARRIAGE = da.Inertia.box(60, (1, 0.8, 0.5))
RAIL = da.Actuator(
    "rail motor", {"rail": 200}, rotor=da.Rotor.of(2e-3, "base", (0, 1, 0)), friction=da.Friction((5, 5))
)


def states(n: int) -> np.ndarray:
    return np.random.default_rng(4).uniform(-1, 1, (3, n))


@pytest.mark.parametrize("name", ["irb6", "puma560"])
def test_on_a_rail_that_accelerates_the_joints_feel_a_tilted_gravity(name: str) -> None:
    arm = da.load(name, physical="ignore")
    railed = arm.on_moving_base("prismatic", (1, 2, 2), CARRIAGE)
    assert railed.joint_names == ("rail", *arm.joint_names)
    q, qd, qdd = states(arm.n)
    push = 1.7
    felt = np.array([float(g) for g in arm.gravity]) - push * np.array([1, 2, 2]) / 3
    found = railed.inverse_dynamics(np.r_[0.4, q], np.r_[-0.6, qd], np.r_[push, qdd])
    assert found[1:] == pytest.approx(arm.with_gravity(felt).inverse_dynamics(q, qd, qdd), rel=1e-11, abs=1e-11)


def test_the_rail_carries_the_rate_of_momentum_of_all_that_it_moves() -> None:
    """d2/dt2 of (mass times mass centre along the rail) + carriage, from potential energies under unit gravity."""
    arm = da.load("irb6")
    railed = arm.on_moving_base("prismatic", (1, 0, 0), CARRIAGE)
    q, qd, qdd = states(5)
    # V = -g . m r: with g = -x it is the sum of m x
    level = arm.with_gravity((-1, 0, 0))
    step = 1e-4
    first = [float(level.potential_energy(q + s * qd + s * s * qdd / 2)) for s in (-step, 0, step)]
    inner = (first[0] - 2 * first[1] + first[2]) / step**2
    total = 60 + sum(float(body.inertia.mass) for body in arm.bodies)
    found = railed.inverse_dynamics(np.r_[0.4, q], np.r_[-0.6, qd], np.r_[1.7, qdd])
    assert found[0] == pytest.approx(total * 1.7 + inner, rel=1e-6)


def test_a_motor_of_the_base_and_the_motors_of_the_arm_drive_together() -> None:
    """The carriage slides: rotors of irb6 on base and column keep what they had; the rail has its own, 200^2 J."""
    arm = da.load("irb6")
    plain, railed = arm.driven, arm.on_moving_base("prismatic", (1, 0, 0), CARRIAGE, actuator=RAIL).driven
    assert railed.motor_names == ("rail motor", *plain.motor_names)
    q, qd, qdd = states(5)
    links = railed.arm
    reflected = railed.mass_matrix(np.r_[0.2, q]) - links.mass_matrix(np.r_[0.2, q])
    assert reflected[0] == pytest.approx([2e-3 * 200**2, 0, 0, 0, 0, 0], abs=1e-12)
    assert reflected[1:, 1:] == pytest.approx(plain.mass_matrix(q) - arm.mass_matrix(q), rel=1e-10, abs=1e-12)
    torque = railed.motor_torques(np.r_[0.2, q], np.r_[0.5, qd], np.r_[0, qdd])
    assert torque[1:] == pytest.approx(plain.motor_torques(q, qd, qdd), rel=1e-10)
    force = links.inverse_dynamics(np.r_[0.2, q], np.r_[0.5, qd], np.r_[0, qdd])[0]
    assert torque[0] == pytest.approx(force / 200 + 5, rel=1e-10)


def test_the_link_under_the_rail_is_called_as_asked() -> None:
    railed = da.load("irb6").on_moving_base("prismatic", (1, 0, 0), CARRIAGE, ground="floor")
    assert railed.base == "floor"
    with pytest.raises(ArmError, match="base"):
        da.load("irb6").on_moving_base("prismatic", (1, 0, 0), CARRIAGE, ground="base")


def test_a_turntable_adds_its_angle_to_a_joint_about_the_same_axis_and_turns_rotors_that_sit_on_it() -> None:
    """Turned by its base about joint 1's own axis, the arm moves as if joint 1 did; the rotor of motor 1 does not."""
    arm = da.load("irb6")
    table = arm.on_moving_base("revolute", (0, 0, 1), name="table")
    q, qd, qdd = states(5)
    q0, v0, a0 = 0.4, -0.6, 1.7
    unit = np.eye(5)[0]
    alone = arm.inverse_dynamics(q + q0 * unit, qd + v0 * unit, qdd + a0 * unit)
    found = table.inverse_dynamics(np.r_[q0, q], np.r_[v0, qd], np.r_[a0, qdd])
    assert found == pytest.approx(np.r_[alone[0], alone], rel=1e-11, abs=1e-11)
    # motor 1 on the turntable, about the same axis: J (w_i N_j + N_i w_j + N_i N_j) with w = (1, 0, ...)
    rotor = da.Rotor.of("0.002", "base", (0, 0, 1))
    motors = [da.Actuator("m1", {"joint1": 30}, rotor=rotor)]
    motors += [da.Actuator(f"m of {name}", {name: 1}) for name in ("table", *arm.joint_names[1:])]
    driven = table.with_drives(da.DriveTrain(motors))
    gained = driven.mass_matrix(np.r_[q0, q]) - table.mass_matrix(np.r_[q0, q])
    right = np.zeros((6, 6))
    right[0, 1] = right[1, 0] = 0.002 * 30
    right[1, 1] = 0.002 * 30**2
    assert gained == pytest.approx(right, abs=1e-12)
    # a rotor across the axis turns with the base: its spin momentum asks for a moment, and in the symbols too
    across = replace(motors[0], rotor=da.Rotor.of("0.002", "column", (1, 0, 0)))
    tilted = table.with_drives(da.DriveTrain([across, *motors[1:]]))
    at, speed = np.r_[q0, q], np.r_[v0, qd]
    spun = tilted.inverse_dynamics(at, speed, 0 * at) - table.inverse_dynamics(at, speed, 0 * at)
    symbols = tilted.christoffel(at) - table.christoffel(at)
    assert np.einsum("ijk,j,k->i", symbols, speed, speed) == pytest.approx(spun, abs=1e-12)


def test_what_cannot_be_put_on_a_base_is_refused() -> None:
    arm = da.load("irb6")
    with pytest.raises(ArmError, match="revolute or a prismatic joint, not on a 'fixed' one"):
        arm.on_moving_base("fixed")
    with pytest.raises(ArmError, match="has a part named 'joint1' already"):
        arm.on_moving_base(name="joint1")
    with pytest.raises(ArmError, match="axis of the base is zero"):
        arm.on_moving_base(axis=(0, 0, 0))
    train = da.DriveTrain([da.Actuator(f"m{k}", {}) for k in range(5)], turns=lambda ring, q: list(q))
    with pytest.raises(ArmError, match="put the arm on its base first"):
        arm.with_drives(train).arm.on_moving_base()


def test_an_arm_on_a_rail_survives_its_file() -> None:
    railed = da.load("irb6").on_moving_base("prismatic", (0, 1, 0), CARRIAGE, actuator=RAIL, limits=da.Limits(-2, 3))
    again = da.load(railed.write_toml())
    q, qd, qdd = states(6)
    assert again.driven.motor_torques(q, qd, qdd) == pytest.approx(railed.driven.motor_torques(q, qd, qdd), rel=1e-12)
    assert again.lower[0] == -2
