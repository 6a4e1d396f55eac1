"""Compiled functions of an arm with drives give the numbers of the same pages in NumPy."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Rotor, with_locked_rotors
from dalembert.arm.io.toml_drives import built_in_drives
from dalembert.drives.driven import Driven
from dalembert.drives.kernels import ARGUMENTS


def pair(arm, train, approximation="exact"):
    fast = Driven(arm, train, approximation)
    slow = Driven(arm, train, approximation)
    slow._kernels = dict.fromkeys(ARGUMENTS)
    return fast, slow


@pytest.mark.parametrize(("name", "approximation"), [("puma560", "exact"), ("irb6", "diagonal")])
def test_kernels_agree_with_numpy(name, approximation):
    arm = da.load(name, physical="ignore")
    train = built_in_drives(name, arm)
    fast, slow = pair(with_locked_rotors(arm, train), train, approximation)
    for shape in ((3, arm.n), (3, 7, arm.n)):
        q, qd, x = np.random.default_rng(0).uniform(-1, 1, shape)
        assert fast.mass_matrix(q) == pytest.approx(slow.mass_matrix(q), rel=1e-10, abs=1e-12)
        assert fast.bias(q, qd) == pytest.approx(slow.bias(q, qd), rel=1e-9, abs=1e-10)
        assert fast.inverse_dynamics(q, qd, x) == pytest.approx(slow.inverse_dynamics(q, qd, x), rel=1e-9, abs=1e-10)
        assert fast.joint_acceleration(q, qd, x) == pytest.approx(slow.joint_acceleration(q, qd, x), rel=1e-8, abs=1e-8)
        for ours, theirs in zip(
            fast.inverse_dynamics_derivatives(q, qd, x), slow.inverse_dynamics_derivatives(q, qd, x), strict=True
        ):
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    assert fast._kernels["mass_matrix"] is not None


def test_a_varying_transmission_is_compiled_and_two_of_them_are_not_mistaken_for_each_other():
    arm = da.load("planar-2r")
    parts = tuple(
        Actuator.of(f"m{k}", {name: 1}, Rotor.of("0.002", arm.links[k].name)) for k, name in enumerate(arm.joint_names)
    )
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 2))
    found = []
    for size in (4, 9):

        def turns(ring, q, size=size):
            sin, _ = ring.sincos(q[1])
            return [20 * q[0] + size * sin, 15 * q[1]]

        fast, slow = pair(arm, DriveTrain(parts, turns=turns))
        found.append(fast.inverse_dynamics(q, qd, qdd))
        assert found[-1] == pytest.approx(slow.inverse_dynamics(q, qd, qdd), rel=1e-10)
    assert np.abs(found[0] - found[1]).max() > 1e-3
