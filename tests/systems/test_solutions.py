"""Solutions with D by LAPACK: those of the factors, and a sentence where D is singular."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from coupled_arms import coupled_chain
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia
from dalembert.compile import joint_recursion
from dalembert.systems import evaluated_arm
from dalembert.systems.solutions import solved


@pytest.fixture
def by_lapack(monkeypatch: pytest.MonkeyPatch, compiled_kernels: None) -> None:
    """Joints that are coupled count as too many for factors in code, and so do joints with springs for derivatives."""
    monkeypatch.setattr(evaluated_arm, "FEW_COUPLED", 0)
    monkeypatch.setattr(joint_recursion, "FEW_JOINTS", dict.fromkeys(joint_recursion.FEW_JOINTS, 1))


def coupled(seed: int, *, empty: bool = False) -> da.Arm:
    """An arm with a joint that follows, and a spring; ``empty``: with a wheel at its end that has no inertia."""
    arm = coupled_chain(seed, 6)
    last = arm.all_moving[-1]
    joints = (*arm.joints, replace(last, name="idle", parent=last.child, child="wheel", kind="revolute", follows=None))
    inertia = Inertia.of("1.5", (0, 0, "0.2")) if empty else Inertia.of(1, ("0.1", 0, 0))
    wheel = replace(arm.links[-1], name="wheel", inertia=inertia)
    joints = (*joints[:-1], replace(joints[-1], after=da.Placement()))
    return replace(arm, links=(*arm.links, wheel), joints=joints).with_elastic(da.JointSpring("idle", 2.0))


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_by_lapack_undo_the_torques(seed: int, by_lapack: None) -> None:
    arm = coupled(seed)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 5, arm.n))
    worst = np.linalg.cond(arm.mass_matrix(q)).max()
    found = arm.forward_dynamics(q, qd, arm.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-14 * worst * (1 + np.abs(qdd).max()))
    inverse = arm.forward_dynamics_derivatives(q, qd, qdd)[2]
    np.testing.assert_allclose(inverse @ arm.mass_matrix(q), np.tile(np.eye(arm.n), (5, 1, 1)), atol=1e-14 * worst)


@pytest.mark.parametrize("name", ["forward_dynamics", "forward_dynamics_derivatives"])
@pytest.mark.parametrize("states", [(), (3,)])
def test_a_joint_that_moves_no_inertia_is_named(name: str, states: tuple[int, ...], by_lapack: None) -> None:
    arm = coupled(3, empty=True)
    with pytest.raises(ArmError, match="joint 'idle' moves no inertia"):
        getattr(arm, name)(*np.random.default_rng(1).normal(size=(3, *states, arm.n)))


def test_a_matrix_that_no_real_body_has_is_solved_where_it_is_regular() -> None:
    arm = da.load("planar-2r")
    matrix, right = np.array([[2.0, 3.0], [3.0, 1.0]]), np.array([[1.0], [2.0]])  # indefinite
    np.testing.assert_allclose(matrix @ solved(arm, matrix, right), right, rtol=0, atol=1e-14)
    with pytest.raises(ArmError, match="moves no inertia"):
        solved(arm, np.array([[2.0, 0.0], [0.0, -1e-17]]), right)
