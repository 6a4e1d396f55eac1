"""Bodies that could be built, by a semidefinite programme."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

pytestmark = pytest.mark.usefixtures("compiled_kernels")

TURN_AND_SLIDE = """
gravity = [8.803, -3.692, -1.504]
[[joints]]
type = "revolute"
xyz = [-0.366, -0.097, -0.297]
rpy = [-1.426, 1.502, -1.318]
axis = [-0.03, 0.961, 0.923]
[joints.link]
mass = 0.975
com = [-0.136, 0.188, 0.006]
inertia = [[0.032065, 0.000401, -0.001963], [0.000401, 0.032879, 0.001455], [-0.001963, 0.001455, 0.030625]]
[[joints]]
type = "prismatic"
xyz = [0.011, 0.253, -0.352]
rpy = [1.918, 1.1, 1.723]
[joints.link]
mass = 2.612
com = [0.151, -0.011, -0.09]
inertia = [[0.047682, -0.000312, 0.007008], [-0.000312, 0.083773, -0.00374], [0.007008, -0.00374, 0.06539]]
"""


def sines(seed: int, system: da.DrivenArm) -> da.Log:
    """10 s of five harmonics."""
    rng = np.random.default_rng(seed)
    t, w = np.arange(3000) / 300, np.arange(1, 6) * 2 * np.pi / 10
    a, b = rng.uniform(-1, 1, (2, 5, 2)) / np.arange(1, 6)[:, None]
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b
    torque = system.inverse_dynamics(q, qd, qdd)
    return da.Log(t=t, q=q, effort=torque + rng.normal(0, 0.02, q.shape))


def test_bodies_are_found_where_the_longest_steps_of_the_solver_go_round_in_a_circle() -> None:
    """These logs led interior points through the same four places, until the solver gave up."""
    arm = da.load(TURN_AND_SLIDE, physical="ignore")
    motors = [da.Actuator.of(f"motor of {name}", {name: 3}, da.Rotor.of(0.05)) for name in arm.joint_names]
    rubs = [(name, da.Friction.of(1.5, viscous=0.7)) for name in arm.joint_names]
    system = arm.with_drives(da.DriveTrain(motors, joint_friction=rubs))
    found = da.identify(system.arm, [sines(1, system), sines(2, system)])
    assert found.residual(sines(3, system)).whole < 0.01
