"""Starting from rest: the torques that the inverse problem asks for start the arm, and less does not."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Friction


def at_figure_4() -> tuple[da.DrivenArm, np.ndarray]:
    """The IRb-6 in the static state of Szkodny 1995, Fig. 4."""
    driven = da.load("irb6").driven
    return driven, driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])


@pytest.mark.parametrize("kind", ["motor torque", "joint torque"])
@pytest.mark.parametrize("wanted", [np.full(5, 0.2), np.array([0.01, -0.02, 0.03, -0.02, 0.01])])
def test_the_torques_that_inverse_dynamics_asks_for_at_rest_start_the_arm(kind: str, wanted: np.ndarray) -> None:
    """Every shaft goes its way, and further than asked for: once it moves, friction is less."""
    driven, q = at_figure_4()

    def asked(system: da.DrivenArm) -> np.ndarray:
        problem = system.motor_torques if kind == "motor torque" else system.inverse_dynamics
        return problem(q, np.zeros(5), wanted)

    motion = driven.simulate(asked(driven), q, None, 0.1, input=kind, samples=11)
    turned, least = (driven.ratios @ x for x in (motion.q[-1] - q, wanted * 0.1**2 / 2))
    assert (turned * np.sign(least) >= np.abs(least)).all()
    assert np.abs(motion.balance).max() <= 1e-8 * (1 + motion.energy_scale)
    # without starting friction in them the same torques do not move it at all
    stands = driven.simulate(asked(driven.frictionless()), q, None, 0.1, input=kind, samples=3)
    assert (stands.q == q).all()


def test_where_starting_is_no_harder_than_moving_the_arm_starts_with_the_acceleration_asked_for() -> None:
    driven, q = at_figure_4()
    even = tuple(replace(a, friction=Friction.of(a.friction.hold)) for a in driven.drives.actuators)
    driven = driven.arm.with_drives(replace(driven.drives, actuators=even))
    wanted = np.array([0.2, -0.1, 0.3, 0.2, -0.2])
    torque = driven.inverse_dynamics(q, np.zeros(5), wanted)
    motion = driven.simulate(torque, q, None, 0.01, input="joint torque", samples=3)
    assert motion.qd[-1] / 0.01 == pytest.approx(wanted, rel=1e-2)
    assert {event.kind for event in motion.events} <= {"slips"}


def test_under_joint_torques_the_turns_of_the_motors_are_recorded_too() -> None:
    driven, q = at_figure_4()
    motion = driven.simulate(driven.gravity_load(q), q, None, 0.05, input="joint torque", samples=3)
    assert motion.others["motor_position"][-1] == pytest.approx([-130.0, -66.7, -51.0, -199.0, -199.0])
    assert motion.input_names == driven.joint_names


def test_an_arm_with_more_motors_than_joints_moves_and_keeps_its_account() -> None:
    driven = da.load("irb6").driven.locked({"joint3": 0.3})
    assert len(driven.motor_names) == 5
    motion = driven.simulate(np.array([0.9, 0.8, 0.0, 0.0, 0.1]), [0.1, 0.2, 0.1, 0.0], None, 0.2, samples=5)
    assert motion.input_names == driven.motor_names
    assert motion.u.shape == (5, 5)
    assert np.abs(motion.qd[-1]).max() > 0.01
    assert np.abs(motion.balance).max() <= 1e-8 * (1 + motion.energy_scale)
    charged = driven.simulate(np.full(5, 6.0), np.zeros(4), None, 0.02, input="voltage", samples=3)
    assert charged.others["current"].shape == (3, 5)
    assert np.abs(charged.balance).max() <= 1e-8 * (1 + charged.energy_scale)
