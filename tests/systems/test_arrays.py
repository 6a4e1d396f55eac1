"""Arrays of any batch shape, in pieces, with errors that name the joint."""

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import joint_recursion
from dalembert.systems import evaluated_arm
from dalembert.systems.arrays import PIECE
from random_arms import random_arm

ARM = da.Arm.of(random_arm(5, 6))
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (0,), (2, 0, 3), (PIECE + 1,)])
def test_results_follow_the_batch_shape(shape):
    q, qd, qdd = RNG.normal(size=(3, *shape, 6))
    assert ARM.inverse_dynamics(q, qd, qdd).shape == (*shape, 6)
    assert ARM.forward_dynamics(q, qd, qdd).shape == (*shape, 6)
    assert ARM.mass_matrix(q).shape == (*shape, 6, 6)
    assert ARM.christoffel(q).shape == (*shape, 6, 6, 6)
    assert ARM.coriolis_matrix(q, qd).shape == (*shape, 6, 6)
    assert ARM.kinetic_energy(q, qd).shape == shape
    assert ARM.potential_energy(q).shape == shape
    assert ARM.forward_kinematics(q).shape == (*shape, 4, 4)
    assert ARM.jacobian(q).shape == (*shape, 6, 6)
    assert ARM.regressor(q, qd, qdd).shape == (*shape, 6, 60)
    assert [table.shape for table in ARM.inverse_dynamics_derivatives(q, qd, qdd)] == [(*shape, 6, 6)] * 3
    assert [table.shape for table in ARM.forward_dynamics_derivatives(q, qd, qdd)] == [(*shape, 6, 6)] * 3
    assert ARM.parts(q, qd, qdd).total.shape == (*shape, 6)
    assert ARM.joint_reactions(q, qd, qdd).shape == (*shape, 6, 6)


def test_a_batch_is_its_states_one_by_one():
    q, qd, qdd = RNG.normal(size=(3, 5, 6))
    whole = ARM.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(
        whole, [ARM.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)], rtol=1e-12, atol=1e-11
    )


def test_arguments_broadcast_against_each_other():
    q, qdd = RNG.normal(size=(4, 1, 6)), RNG.normal(size=(3, 6))
    found = ARM.inverse_dynamics(q, np.zeros(6), qdd)
    assert found.shape == (4, 3, 6)
    np.testing.assert_allclose(found[2, 1], ARM.inverse_dynamics(q[2, 0], np.zeros(6), qdd[1]), rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("layout", ["strided", "reversed", "fortran", "float32", "list"])
def test_any_layout_gives_the_same(layout):
    q = RNG.normal(size=(10, 6)).astype(np.float32).astype(float)
    other = {
        "strided": np.repeat(q, 2, axis=0)[::2],
        "reversed": q[::-1].copy()[::-1],
        "fortran": np.asfortranarray(q),
        "float32": q.astype(np.float32),
        "list": q.tolist(),
    }[layout]
    np.testing.assert_array_equal(ARM.gravity_load(other), ARM.gravity_load(q))


def test_a_hundred_thousand_states_stay_in_bounded_memory():
    state = RNG.normal(size=(3, 100_000, 6))
    tracemalloc.start()
    tau = ARM.inverse_dynamics(*state)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert tau.shape == (100_000, 6)
    assert peak < 4 * state.nbytes


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ARM.gravity_load(np.zeros((3, 5))), r"q must end in 6 joints, got \(3, 5\)"),
        (lambda: ARM.gravity_load(1.0), r"q must end in 6 joints, got \(\)"),
        (lambda: ARM.inverse_dynamics(np.zeros(6), np.zeros(5), np.zeros(6)), "qd must end in 6 joints"),
        (lambda: ARM.gravity_load("abcdef"), "q must be numbers"),
        (lambda: ARM.gravity_load([0, 0, np.nan, 0, 0, 0]), "q holds nan for joint 'joint"),
        (lambda: ARM.gravity_load([[0] * 6, [0, np.inf, 0, 0, 0, 0]]), r"inf for joint .* at state \[1\]"),
        (
            lambda: ARM.inverse_dynamics(np.zeros((2, 6)), np.zeros((3, 6)), np.zeros(6)),
            r"do not broadcast against each other: q \(2, 6\), qd \(3, 6\)",
        ),
        (
            lambda: ARM.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6), formulation="kane"),
            "no formulation 'kane'; there are newton-euler, lagrange-euler, generalized-dalembert, influence, "
            "tourassis-neuman",
        ),
    ],
)
def test_a_wrong_argument_is_refused_by_name(call, said):
    with pytest.raises(da.ArmError, match=said):
        call()


def test_exact_numbers_are_taken_by_compiled_methods_as_by_all_others() -> None:
    fractions, decimals = [Fraction(1, 4)] * 6, np.array([Decimal("0.25")] * 6)
    for values in (fractions, decimals):
        assert np.array_equal(ARM.gravity_load(values), ARM.gravity_load([0.25] * 6))
        assert np.array_equal(ARM.kinetic_energy(values, values), ARM.kinetic_energy([0.25] * 6, [0.25] * 6))


@pytest.mark.parametrize(
    "name", ["forward_dynamics", "friction_torque", "kinetic_energy", "motor_velocities", "coriolis_matrix"]
)
@pytest.mark.parametrize("long", [False, True])
def test_batches_that_do_not_fit_are_refused_by_their_names(
    name: str, long: bool, monkeypatch: pytest.MonkeyPatch, compiled_kernels: None
) -> None:
    if long:
        monkeypatch.setattr(evaluated_arm, "FEW_COUPLED", 0)
        monkeypatch.setattr(joint_recursion, "FEW_JOINTS", dict.fromkeys(joint_recursion.FEW_JOINTS, 1))
    arm = da.load("puma560", physical="ignore").driven
    states = [np.zeros((3, 6)), np.zeros((4, 6)), np.zeros((4, 6))][: 3 if name == "forward_dynamics" else 2]
    with pytest.raises(
        da.ArmError, match=r"these batches do not broadcast against each other: q \(3, 6\), qd \(4, 6\)"
    ):
        getattr(arm, name)(*states)
