"""Operational-space control: what the tool and the joints beside it then do, with the gains that were asked for."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.controllers import OperationalSpace

Q = np.array([0.2, -0.5, 0.3, -1.9, 0.4, 1.6, 0.7])


def path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Somewhere, fast, along a curve."""
    return np.array([0.4 + 0.1 * t, 0.2 * t, 0.5]), np.array([0.1, 0.2, -0.3]), np.array([0.5, 0.0, 1.0])


def test_the_error_of_the_tool_obeys_its_gains_and_the_null_space_is_damped() -> None:
    """x'' = x''_ref + kd e' + kp e; the part of qdd that moves no tool is -damping times that of qd (Khatib 1987)."""
    kp, kd, damping = 30.0, 7.0, 3.0
    arm = da.load("panda")
    qd = 0.4 * np.random.default_rng(0).normal(size=7)
    torque = OperationalSpace(arm, path, kp=kp, kd=kd, rest_damping=damping)(0.3, Q, qd)
    qdd = arm.forward_dynamics(Q, qd, torque)
    jacobian, rate = arm.jacobian(Q)[:3], arm.jacobian_rate(Q, qd)[:3]
    wanted, speed, acceleration = path(0.3)
    error, error_rate = wanted - arm.forward_kinematics(Q)[:3, 3], speed - jacobian @ qd
    assert jacobian @ qdd + rate @ qd == pytest.approx(acceleration + kd * error_rate + kp * error, rel=1e-9)
    weighted = np.linalg.solve(arm.mass_matrix(Q), jacobian.T)
    still_tool = np.eye(7) - weighted @ np.linalg.solve(jacobian @ weighted, jacobian)
    assert still_tool @ qdd == pytest.approx(-damping * still_tool @ qd, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("friction", ["reference", "smooth", "none"])
def test_friction_is_fed_as_asked(friction: str) -> None:
    """Beside the torques without friction: that of the reference speed, that of the measured one over a width, none."""
    arm, width = da.load("irb6").driven, 0.3
    q, qd = np.full(5, 0.3), np.array([0.2, -0.1, 0.05, 0.3, -0.2])
    without = OperationalSpace(arm.frictionless(), path, friction=friction, width=width)(0.3, q, qd)
    found = OperationalSpace(arm, path, friction=friction, width=width)(0.3, q, qd) - without
    jacobian, mass = arm.jacobian(q)[:3], arm.mass_matrix(q)
    weighted = np.linalg.solve(mass, jacobian.T)
    reference = weighted @ np.linalg.solve(jacobian @ weighted, path(0.3)[1])
    joints = {
        "reference": arm.friction_torque(q, reference),
        "smooth": arm.friction_torque(q, qd, width),
        "none": np.zeros(5),
    }[friction]
    assert found == pytest.approx(arm.to_motors(q, joints), rel=1e-9, abs=1e-9)
    assert friction == "none" or np.abs(found).max() > 1e-2
