"""Laws between the ways to one answer: every system, asked by numbers, closed form, kernel and after a copy."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from every_system import ARMS, SHAPES, allowed, states, system_of
from laden_arms import LADEN


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ARMS)
def test_forward_dynamics_undoes_inverse_dynamics_on_every_system(name: str, shape: str) -> None:
    system = system_of(name, shape)
    q, qd, qdd = states(system)
    for speed in (qd, np.zeros(system.n)):
        back = system.forward_dynamics(q, speed, system.inverse_dynamics(q, speed, qdd))
        assert np.abs(back - qdd).max() <= allowed(system, q)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ARMS)
def test_closed_form_numbers_kernels_and_parts_agree_on_every_system(name: str, shape: str) -> None:
    system = system_of(name, shape)
    q, qd, qdd = states(system)
    inertia, symbols, gravity = system.equations("numbers").values(q)
    scale = np.abs(inertia).max()
    np.testing.assert_allclose(inertia, system.mass_matrix(q), atol=1e-13 * scale)
    np.testing.assert_allclose(symbols, system.christoffel(q), atol=1e-12 * scale)
    np.testing.assert_allclose(gravity, system.gravity_load(q), atol=1e-12 * max(1.0, np.abs(gravity).max()))
    torque = system.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(system.parts(q, qd, qdd).total, torque, atol=1e-12 * np.abs(torque).max())
    by_hand = (
        np.einsum("bij,bj->bi", inertia, qdd)
        + np.einsum("bijk,bj,bk->bi", symbols, qd, qd)
        + gravity
        + system.friction_torque(q, qd)
    )
    np.testing.assert_allclose(by_hand, torque, atol=1e-12 * np.abs(torque).max())
    np.testing.assert_allclose(
        system.coriolis_matrix(q, qd), np.einsum("bijk,bk->bij", symbols, qd), atol=1e-12 * max(scale, 1)
    )
    for formulation in ("lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman"):
        again = system.inverse_dynamics(q, qd, qdd, formulation)
        np.testing.assert_allclose(again, torque, atol=1e-11 * np.abs(torque).max())
    energy = system.kinetic_energy(q, qd)
    np.testing.assert_allclose(system.kinetic_energy_parts(q, qd).total, energy, rtol=1e-12)
    kernel = system.compile("inverse_dynamics")  # its graph, over NumPy
    np.testing.assert_allclose(kernel(q, qd, qdd), torque, atol=1e-12 * np.abs(torque).max())


@pytest.mark.parametrize("shape", SHAPES)
def test_derivatives_are_slopes_of_the_very_system(shape: str) -> None:
    system = system_of("irb6", shape)
    q, qd, qdd = (array[0] for array in states(system))
    to_q, to_qd, to_qdd = system.inverse_dynamics_derivatives(q, qd, qdd)
    step = 1e-6
    for table, at in ((to_q, 0), (to_qd, 1), (to_qdd, 2)):
        for k in range(system.n):
            ends = []
            for sign in (1, -1):
                state = [q.copy(), qd.copy(), qdd.copy()]
                state[at][k] += sign * step
                ends.append(system.inverse_dynamics(*state))
            slope = (ends[0] - ends[1]) / (2 * step)
            np.testing.assert_allclose(table[:, k], slope, atol=1e-6 * max(1.0, np.abs(slope).max()))


def written(system: Any) -> dict[str, Callable[[], Any]]:
    """Copies of a system: what is written of it, read again."""
    copies: dict[str, Callable[[], Any]] = {
        "copy": lambda: pickle.loads(pickle.dumps(system)),
        "toml": lambda: da.load(system.write_toml(), physical="ignore").driven.approximate(system.drive_model),
    }
    if not system.followers:
        for convention in ("standard", "modified"):
            copies[convention] = lambda convention=convention: system.to_dh(convention).arm(physical="ignore")
    return copies


@pytest.mark.parametrize("what", LADEN)
def test_an_arm_that_carries_everything_answers_alike_whatever_way_it_is_asked(what: str) -> None:
    """Parts, formulations, closed form, kernels, derivatives, linear model and copies: one system, to rounding."""
    system = LADEN[what]()
    q, qd, qdd = states(system)
    torque, inertia = system.inverse_dynamics(q, qd, qdd), system.mass_matrix(q)
    parts, close = system.parts(q, qd, qdd), {"rtol": 0, "atol": 1e-13 * np.abs(torque).max()}
    for formulation in ("newton-euler", "lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman"):
        np.testing.assert_allclose(system.inverse_dynamics(q, qd, qdd, formulation), torque, **close)
    np.testing.assert_allclose(parts.total, torque, **close)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", inertia, qdd) + system.bias(q, qd), torque, **close)
    np.testing.assert_allclose(system.compile("inverse_dynamics")(q, qd, qdd), torque, **close)
    if what != "screws":  # roots are no polynomials
        closed, symbols, gravity = system.without_elastic().equations("numbers").values(q)
        motion = np.einsum("bij,bj->bi", closed, qdd) + np.einsum("bijk,bj,bk->bi", symbols, qd, qd) + gravity
        np.testing.assert_allclose(motion + parts.friction + parts.elastic, torque, **close)
    accelerations = system.forward_dynamics(q, qd, torque)
    np.testing.assert_allclose(accelerations, qdd, rtol=0, atol=allowed(system, q))
    slopes = [table[0] for table in system.forward_dynamics_derivatives(q, qd, torque)]
    model = system.linearize(q[0], qd[0], torque[0], input="joint torque")
    np.testing.assert_allclose(
        model.A[system.n :], np.hstack(slopes[:2]), rtol=0, atol=allowed(system, q) * np.abs(model.A).max()
    )
    for way, copy in written(system).items():
        other = copy()
        far = 1e-13 if way in ("copy", "toml") else 1e-11
        for question in (
            lambda one: one.inverse_dynamics(q, qd, qdd),
            lambda one: one.mass_matrix(q),
            lambda one: one.kinetic_energy(q, qd),
            lambda one: one.potential_energy(q),
            lambda one: one.forward_kinematics(q),
            lambda one: one.friction_torque(q, qd),
        ):
            right = question(system)
            np.testing.assert_allclose(question(other), right, rtol=0, atol=far * np.abs(right).max(), err_msg=way)


def test_parameters_cannot_be_written_to() -> None:
    arm = da.load("puma560", physical="ignore")
    with pytest.raises(ValueError, match="read-only"):
        arm.parameters[0] = 99
