"""A mechanism of one open chain, seen from its own joints, is its arm."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize("driven", [False, True], ids=["links", "driven"])
@pytest.mark.parametrize("name", ["planar-2r", "irb6", "jpl-rrp"])
def test_a_mechanism_of_one_chain_has_the_numbers_of_its_arm(name: str, driven: bool) -> None:
    arm = da.load(name, physical="ignore")
    system = arm.driven if driven else arm
    joints = [f"arm.{joint}" for joint in arm.joint_names]
    mechanism = da.Mechanism({"arm": system}, [], joints, gravity=arm.gravity)
    q, qd, qdd = np.random.default_rng(4).uniform(0.1, 0.9, (3, 5, arm.n))
    torque = system.inverse_dynamics(q, qd, qdd)
    scale = np.abs(torque).max()
    np.testing.assert_allclose(mechanism.mass_matrix(q), system.mass_matrix(q), atol=1e-11 * scale)
    np.testing.assert_allclose(mechanism.inverse_dynamics(q, qd, qdd), torque, atol=1e-10 * scale)
    np.testing.assert_allclose(mechanism.bias(q, qd), system.bias(q, qd), atol=1e-10 * scale)
    np.testing.assert_allclose(mechanism.gravity_load(q), system.gravity_load(q), atol=1e-10 * scale)
    np.testing.assert_allclose(mechanism.forward_dynamics(q, qd, torque), qdd, atol=1e-7)
    energy = system.kinetic_energy(q, qd) + system.potential_energy(q)
    np.testing.assert_allclose(mechanism.energy(q, qd), energy, rtol=1e-10)
