"""Compiled functions of an arm with drives give the numbers of the same pages in NumPy."""

import copy
from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Friction, Rotor
from dalembert.compile import build

pytestmark = pytest.mark.usefixtures("compiled_kernels")

Slow = Callable[[da.DrivenArm], da.DrivenArm]


@pytest.fixture
def in_numpy() -> Slow:
    """The same system, all of whose kernels were asked for where nothing can be compiled."""

    def slow(driven: da.DrivenArm) -> da.DrivenArm:
        other = copy.copy(driven)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(build.SWITCH, "0")
            q = np.zeros(other.n)
            other.mass_matrix(q)
            other.bias(q, q)
            other.inverse_dynamics(q, q, q)
            other.forward_dynamics(q, q + 1, q)
            other.inverse_dynamics_derivatives(q, q, q)
        return other

    return slow


@pytest.mark.parametrize(("name", "model"), [("puma560", "exact"), ("irb6", "diagonal")])
def test_kernels_agree_with_numpy(name: str, model: str, in_numpy: Slow) -> None:
    fast = da.load(name, physical="ignore").driven.approximate(model)
    slow = in_numpy(fast)
    for shape in ((3, fast.n), (3, 7, fast.n)):
        q, qd, x = np.random.default_rng(0).uniform(-1, 1, shape)
        assert fast.mass_matrix(q) == pytest.approx(slow.mass_matrix(q), rel=1e-10, abs=1e-12)
        assert fast.bias(q, qd) == pytest.approx(slow.bias(q, qd), rel=1e-9, abs=1e-10)
        assert fast.inverse_dynamics(q, qd, x) == pytest.approx(slow.inverse_dynamics(q, qd, x), rel=1e-9, abs=1e-10)
        assert fast.forward_dynamics(q, qd, x) == pytest.approx(slow.forward_dynamics(q, qd, x), rel=1e-8, abs=1e-8)
        for ours, theirs in zip(
            fast.inverse_dynamics_derivatives(q, qd, x), slow.inverse_dynamics_derivatives(q, qd, x), strict=True
        ):
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
        still = np.zeros_like(qd)
        assert fast.inverse_dynamics(q, still, x) == pytest.approx(
            slow.inverse_dynamics(q, still, x), rel=1e-9, abs=1e-10
        )
        assert fast.forward_dynamics(q, still, x) == pytest.approx(
            slow.forward_dynamics(q, still, x), rel=1e-8, abs=1e-8
        )
    assert fast._kernel("mass_matrix") is not None
    assert slow._kernel("mass_matrix") is None


def test_a_varying_transmission_is_compiled_and_two_of_them_are_not_mistaken_for_each_other(in_numpy: Slow) -> None:
    arm = da.load("planar-2r")
    parts = tuple(
        Actuator.of(f"m{k}", {name: 1}, Rotor.of("0.002", arm.links[k].name), Friction((0.1, 0.2), 0.3, 0.01))
        for k, name in enumerate(arm.joint_names)
    )
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    found = []
    for size in (4, 9):

        def turns(ring, q, size=size):
            sin, _ = ring.sincos(q[1])
            return [20 * q[0] + size * sin, 15 * q[1]]

        fast = arm.with_drives(DriveTrain(parts, turns=turns))
        slow = in_numpy(fast)
        found.append(fast.inverse_dynamics(q, qd, qdd))
        assert found[-1] == pytest.approx(slow.inverse_dynamics(q, qd, qdd), rel=1e-10)
        motors = fast.compile("motor_torques")(q, qd, qdd)
        assert motors == pytest.approx(slow.motor_torques(q, qd, qdd), rel=1e-10)
        wanted = -qd[..., ::-1]
        fed = slow.frictionless().inverse_dynamics(q, qd, qdd) + slow.friction_torque(q, wanted)
        assert fast.compile("computed_torques")(q, qd, qdd, wanted) == pytest.approx(fed, rel=1e-10)
        motors = fast.compile("computed_motor_torques")(q, qd, qdd, wanted)
        assert motors == pytest.approx(slow.to_motors(q, fed), rel=1e-10)
        assert fast.compile("computed_torques")(q, qd, qdd, qd) == pytest.approx(slow.inverse_dynamics(q, qd, qdd))
    assert np.abs(found[0] - found[1]).max() > 1e-3
