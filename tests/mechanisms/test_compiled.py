"""Compiled mechanisms give the numbers of the others, and carry long simulations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.compiled_state import CompiledState
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.mechanism import Mechanism


@pytest.fixture(autouse=True, scope="module")
def _compiler(needs_compiler: None) -> None:
    """Every test of this module."""


def sprung_bar() -> Mechanism:
    """A five-bar whose left crank has a spring and a damper."""
    bar = gallery.five_bar()
    left = bar.parts.chains["left"].with_elastic(da.JointSpring("joint1", 3.0, 0.4), da.JointDamper("joint1", 0.2))
    return Mechanism(
        {"left": left, "right": bar.parts.chains["right"]},
        [Closure("tip", "left", "right", "pin")],
        bar.coordinates,
        bases=bar.parts.bases,
        home=bar.home,
    )


MAKERS: dict[str, Callable[[], Mechanism]] = {
    "five-bar": gallery.five_bar,
    "five-bar with a spring": sprung_bar,
    "slider-crank": gallery.slider_crank,
    "hand": gallery.two_fingered_hand,
    "two arms": lambda: gallery.cooperating(gallery.leg_6r()),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_kernel_of_a_mechanism_gives_all_its_tables(name: str) -> None:
    mechanism = MAKERS[name]()
    rng = np.random.default_rng(0)
    phi, rate = rng.normal(size=(2, 5, mechanism.m))
    value, g, drift, inertia, rest = CompiledState(mechanism.chains, mechanism.assembly.closures).state(phi, rate)
    wanted_g, wanted_drift = mechanism.assembly.drift(phi, rate)
    np.testing.assert_allclose(value, mechanism.assembly.closures_at(phi)[0], atol=1e-12)
    np.testing.assert_allclose(g, wanted_g, atol=1e-12)
    np.testing.assert_allclose(drift, wanted_drift, atol=1e-11)
    np.testing.assert_allclose(inertia, mechanism.joint_inertia(phi), atol=1e-12)
    loads = mechanism.joint_loads(phi, rate, np.zeros_like(phi), mechanism._forces({}))
    np.testing.assert_allclose(rest, loads, atol=1e-10)


@pytest.mark.parametrize("name", ["five-bar with a spring", "slider-crank"])
def test_a_compiled_mechanism_gives_the_same_numbers(name: str) -> None:
    plain = MAKERS[name]()
    fast = plain.compiled()
    assert fast.assembly.kernel is not None
    rng = np.random.default_rng(1)
    qd, qdd = rng.normal(size=(2, plain.n))
    phi = plain.closed_near(plain.home + 0.03 * rng.normal(size=(4, plain.m)))
    torque = plain.inverse_dynamics(phi, qd, qdd)
    np.testing.assert_allclose(fast.inverse_dynamics(phi, qd, qdd), torque, atol=1e-11)
    np.testing.assert_allclose(fast.forward_dynamics(phi, qd, torque), np.broadcast_to(qdd, (4, plain.n)), atol=1e-9)
    for a, b in zip(vars(fast.model(phi, qd)).values(), vars(plain.model(phi, qd)).values(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-11)
    times = np.linspace(0, 0.05, 3)
    one, two = (m.simulate(times, m.home, 0.2 * qd) for m in (plain, fast))
    np.testing.assert_allclose(one.phi, two.phi, atol=1e-10)
    push = {plain.chains.names[0]: [da.Force(plain.chains.arms[plain.chains.names[0]].tool_link, (1.0, 2.0, 3.0))]}
    one, two = (m.simulate(times, m.home, 0.2 * qd, forces=push) for m in (plain, fast))
    np.testing.assert_allclose(one.phi, two.phi, atol=1e-10)


def test_energy_and_closures_hold_under_gravity_for_twenty_seconds() -> None:
    bar = gallery.five_bar().compiled()
    motion = bar.simulate(np.linspace(0, 20, 41), bar.home, [0.5, -0.3])
    assert np.ptp(motion.energy) < 1e-8
    assert motion.closure_error.max() < 1e-12
    assert np.ptp(motion.phi, axis=0).max() > np.pi  # it tumbles
