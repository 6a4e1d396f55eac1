"""Systems with their compiled kernels, as users have them: the same numbers as without, after a copy, in a loop."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import build, joint_recursion
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from every_system import CUBE, allowed, states, system_of

pytestmark = pytest.mark.usefixtures("compiled_kernels")


@pytest.mark.parametrize(
    ("name", "shape"), [("irb6", "driven and loaded"), ("planar-2r", "loaded"), ("planar-2r", "links")]
)
def test_without_a_compiler_every_system_gives_the_same_numbers(
    name: str, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = system_of(name, shape)
    q, qd, qdd = states(system)
    calls: list[Callable[[Any], Any]] = [
        lambda one: one.inverse_dynamics(q, qd, qdd),
        lambda one: one.forward_dynamics(q, qd, qdd),
        lambda one: one.forward_dynamics(q, np.zeros(one.n), qdd),
        lambda one: one.mass_matrix(q),
        lambda one: one.inverse_mass_matrix(q),
        lambda one: one.coriolis_matrix(q, qd),
        lambda one: one.bias(q, qd),
        lambda one: one.gravity_load(q),
        lambda one: np.concatenate(one.inverse_dynamics_derivatives(q, qd, qdd)),
        lambda one: np.concatenate(one.forward_dynamics_derivatives(q, qd, qdd)),
    ]
    compiled = [call(system) for call in calls]
    monkeypatch.setenv("DALEMBERT_COMPILE", "0")
    plain = pickle.loads(pickle.dumps(system))
    for got, call in zip(compiled, calls, strict=True):
        right = call(plain)
        np.testing.assert_allclose(got, right, atol=allowed(system, q) * max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("shape", ["loaded", "driven"])
def test_a_pickled_system_gives_the_same_numbers_before_and_after_use(shape: str, used: bool) -> None:
    system = system_of("planar-2r", shape)
    q, qd, qdd = states(system)
    if used:
        system.inverse_dynamics(q, qd, qdd)
        system.equations("numbers")
        system.simulate(np.zeros(system.n), q[0], duration=0.01)
    copy = pickle.loads(pickle.dumps(system))
    assert type(copy) is type(system)
    assert copy == system
    np.testing.assert_array_equal(copy.inverse_dynamics(q, qd, qdd), system.inverse_dynamics(q, qd, qdd))
    np.testing.assert_array_equal(copy.mass_matrix(q), system.mass_matrix(q))


def test_pickled_kernels_equations_and_reduced_models_give_the_same_numbers() -> None:
    arm = da.load("planar-3r").holding(CUBE)
    q, qd, qdd = states(arm)
    kernel = arm.compile("inverse_dynamics")
    for _ in range(2):  # before and after use
        copy = pickle.loads(pickle.dumps(kernel))
        np.testing.assert_array_equal(copy(q, qd, qdd), kernel(q, qd, qdd))
    equations = arm.equations("numbers")
    _ = equations.mass_matrix
    again = pickle.loads(pickle.dumps(equations))
    for right, got in zip(equations.values(q), again.values(q), strict=True):
        np.testing.assert_array_equal(got, right)
    model = arm.analysis(speed=1.0, acceleration=2.0).reduce(0.1)
    for _ in range(2):
        same = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(same.inverse_dynamics(q, qd, qdd), model.inverse_dynamics(q, qd, qdd))
        np.testing.assert_array_equal(same.compile()(q, qd, qdd), model.compile()(q, qd, qdd))


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_loads_in_a_loop_need_no_further_compiler_run(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = da.load("planar-2r")
    q, qd, qdd = states(arm)
    arm.holding(da.Load(1)).inverse_dynamics(q, qd, qdd)
    arm.driven.holding(da.Load(1)).forward_dynamics(q, qd, qdd)

    def refused(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the compiler was run again")

    monkeypatch.setattr(build, "compiled", refused)
    for mass in (0.5, 2, 3.25):
        load = da.Load(mass, (0.1, 0, 0), (0.01, 0.02, 0.03))
        loaded = arm.holding(load)
        exact = sum(loaded.parts(q, qd, qdd).total)
        np.testing.assert_allclose(sum(loaded.inverse_dynamics(q, qd, qdd)), exact, rtol=1e-12)
        np.testing.assert_allclose(
            arm.driven.holding(load).forward_dynamics(q, qd, loaded.inverse_dynamics(q, qd, qdd)), qdd, atol=1e-12
        )


def test_a_kernel_is_found_again_without_building_its_graph() -> None:
    made = function(da.load("planar-2r"), "bias")
    Kernel(made)(np.ones(2), np.ones(2))
    again = function(da.load("planar-2r"), "bias")
    assert again.identity == made.identity
    other = function(da.load("planar-2r").driven, "bias")
    assert other.identity != made.identity


def test_derivatives_of_long_arms_are_those_of_pinocchio() -> None:
    """Beyond some joints they come from recursions over a table; what is in them is the same."""
    pin = pytest.importorskip("pinocchio")
    row = {"a": 0.1, "alpha": 0.3, "d": 0.05, "mass": 1, "com": (0.1, 0.02, 0.03), "inertia": (1, 2, 3)}
    row |= {"lower": -3, "upper": 3, "effort": 1, "velocity": 1}
    count = joint_recursion.FEW_JOINTS["forward_dynamics_derivatives"] + 1
    arm = da.Arm.from_dh([row] * count, "modified", physical="ignore")
    model = pin.buildModelFromXML(arm.write_urdf())
    data = model.createData()
    q, qd, tau = np.random.default_rng(0).uniform(-1, 1, (3, 2, arm.n))
    found = arm.forward_dynamics_derivatives(q, qd, tau)
    condition = np.linalg.cond(arm.mass_matrix(q)).max()
    for k in range(2):
        to_q, to_qd, to_tau = pin.computeABADerivatives(model, data, q[k], qd[k], tau[k])
        right = to_q, to_qd, np.triu(to_tau) + np.triu(to_tau, 1).T
        for mine, theirs in zip(found, right, strict=True):
            assert np.abs(mine[k] - theirs).max() <= 100 * condition * 2.3e-16 * np.abs(theirs).max()


def test_a_long_arm_with_drives_moves_as_its_torques_say_and_as_its_matrices_do() -> None:
    """D from the recursion over links and rotors, the rest from Newton and Euler's: one undoes the other."""
    row = {"a": 0.1, "alpha": 0.3, "d": 0.05, "mass": 1, "com": (0.1, 0.02, 0.03), "inertia": (1, 2, 3)}
    arm = da.Arm.from_dh([row] * 62, "modified", physical="ignore")
    carriers, axis = [joint.parent for joint in arm.joints], (0.6, 0, 0.8)
    motors = [
        da.Actuator.of(f"m{k}", {name: 20}, da.Rotor.of(0.01, link, axis), da.Friction.of(0.3, viscous=0.02))
        for k, (name, link) in enumerate(zip(arm.joint_names, carriers, strict=True))
    ]
    driven = arm.with_drives(da.DriveTrain(tuple(motors)))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3, arm.n))
    tau = driven.inverse_dynamics(q, qd, qdd)
    mass, bias = driven.mass_matrix(q), driven.bias(q, qd)
    torques = np.einsum("...ij,...j->...i", mass, qdd) + bias
    np.testing.assert_allclose(torques, tau, rtol=0, atol=1e-13 * np.abs(tau).max())
    condition = np.linalg.cond(mass).max()
    np.testing.assert_allclose(driven.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-14 * condition)
    step, (to_q, to_qd, to_qdd) = 1e-6, driven.inverse_dynamics_derivatives(q, qd, qdd)
    along = np.random.default_rng(1).uniform(-1, 1, arm.n)
    ways = ((to_q, (1, 0, 0)), (to_qd, (0, 1, 0)), (to_qdd, (0, 0, 1)))
    for table, (a, b, c) in ways:
        ahead, behind = (
            driven.inverse_dynamics(q + s * a * along, qd + s * b * along, qdd + s * c * along) for s in (step, -step)
        )
        slope = (ahead - behind) / (2 * step)
        np.testing.assert_allclose(table @ along, slope, rtol=0, atol=1e-6 * np.abs(slope).max())
