"""Dask arrays in, Dask arrays out: nothing is computed before it is asked for, and then the same bits come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError

lazy = pytest.importorskip("dask.array")

ASKED = {
    "inverse_dynamics": 3, "forward_dynamics": 3, "bias": 2, "mass_matrix": 1, "inverse_mass_matrix": 1,
    "christoffel": 1, "coriolis_matrix": 2, "gravity_load": 1, "friction_torque": 2, "viscous_matrix": 1,
    "all_positions": 1, "transmission": 1, "transmission_slopes": 1, "kinetic_energy": 2, "potential_energy": 1,
    "inverse_dynamics_derivatives": 3, "forward_dynamics_derivatives": 3, "forward_kinematics": 1, "jacobian": 1,
}  # fmt: skip
DRIVEN = {"motor_positions": 1, "motor_velocities": 2, "motor_torques": 3, "direct_dynamics": 3, "to_motors": 2}


def states() -> list[np.ndarray]:
    return list(np.random.default_rng(0).normal(size=(3, 20, 6)))


def tables(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("driven", [False, True])
def test_every_numeric_method_takes_chunks_lazily_and_gives_the_same_bits(driven: bool) -> None:
    arm = da.load("puma560", physical="ignore")
    system: Any = arm.driven if driven else arm
    arrays = states()
    chunks = [lazy.from_array(x, chunks=(8, 3)) for x in arrays]
    asked = {**ASKED, **(DRIVEN if driven else {"regressor": 3, "joint_reactions": 3})}
    for name, count in asked.items():
        method = getattr(system, name)
        found, right = tables(method(*chunks[:count])), tables(method(*arrays[:count]))
        for got, want in zip(found, right, strict=True):
            assert isinstance(got, lazy.Array), name
            assert got.shape == want.shape, name
            np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-13, atol=1e-13, err_msg=name)


def test_forces_formulations_and_kernels_take_chunks(recwarn: pytest.WarningsRecorder) -> None:
    arm = da.load("puma560", physical="ignore")
    arrays = states()
    q, qd, qdd = (lazy.from_array(x, chunks=(7, 6)) for x in arrays)
    force = [da.Force("link6", force=(1, 2, 3))]
    cases: list[tuple[Any, Any]] = [
        (arm.inverse_dynamics(q, qd, qdd, forces=force), arm.inverse_dynamics(*arrays, forces=force)),
        (arm.forward_dynamics(q, qd, qdd, forces=force), arm.forward_dynamics(*arrays, forces=force)),
        (arm.inverse_dynamics(q, qd, qdd, "lagrange-euler"), arm.inverse_dynamics(*arrays, "lagrange-euler")),
        (arm.compile("mass_matrix")(q), arm.mass_matrix(arrays[0])),
        (arm.coriolis_matrix(q, arrays[1][0]), arm.coriolis_matrix(arrays[0], arrays[1][0])),
        (arm.holding(da.Load(mass=1)).gravity_load(q), arm.holding(da.Load(mass=1)).gravity_load(arrays[0])),
    ]  # fmt: skip
    for got, want in cases:
        assert isinstance(got, lazy.Array)
        np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-12, atol=1e-12)


def test_a_state_that_is_not_finite_is_refused_when_it_is_computed_and_shapes_at_once() -> None:
    arm = da.load("puma560", physical="ignore")
    q = states()[0]
    q[13, 2] = np.nan
    later = arm.gravity_load(lazy.from_array(q, chunks=(5, 6)))
    with pytest.raises(ArmError, match="joint 'joint3'"):
        later.compute(scheduler="sync")
    with pytest.raises(ArmError, match="must end in 6"):
        arm.gravity_load(lazy.zeros((4, 5)))
    with pytest.raises(ArmError, match="real numbers"):
        arm.gravity_load(lazy.zeros((4, 6), dtype=complex))
