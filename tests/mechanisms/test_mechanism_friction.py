"""Dry friction in loops: who stands is decided by the motion, not by what rounding leaves of a rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery


def rubbing(mechanism: da.Mechanism, compiled: bool) -> da.Mechanism:
    """The mechanism with dry friction at every joint of its chains."""
    chains = {}
    for name, arm in mechanism.parts.chains.items():
        friction = da.Friction((0.2, 0.3), starting=0.6, viscous=0.1)
        train = da.DriveTrain((), (), tuple((joint, friction) for joint in arm.joint_names))
        chains[name] = da.Arm.of(arm).with_drives(train)
    parts = mechanism.parts
    return da.Mechanism(
        chains, parts.closures, mechanism.coordinates, bases=parts.bases, home=mechanism.home, gravity=(1, -3, -8),
        passive=parts.passive, compiled=compiled,
    )  # fmt: skip


def _both(mechanism: da.Mechanism) -> list[tuple[Any, np.ndarray]]:
    """The mechanism in its joints and the system in its coordinates, each with where it stands."""
    return [(mechanism, mechanism.home), (mechanism.as_system(), mechanism.coordinates_of(mechanism.home))]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("make", [gallery.three_rrr, gallery.slider_crank, gallery.five_bar])
def test_forward_dynamics_undoes_inverse_dynamics_where_some_coordinates_stand_and_others_move(
    make: Callable[[], da.Mechanism], compiled: bool, request: pytest.FixtureRequest
) -> None:
    if compiled:
        request.getfixturevalue("compiled_kernels")
    mechanism = rubbing(make(), compiled)
    rng, n = np.random.default_rng(0), mechanism.n
    for standing in range(n):
        qd, qdd = rng.uniform(-1, 1, (2, 6, n))
        qd[:, standing] = 0.0
        for system, at in _both(mechanism):
            tau = system.inverse_dynamics(at, qd, qdd)
            inertia = system.mass_matrix(at)
            rounding = 1e-13 * np.linalg.cond(inertia) * np.abs(np.linalg.inv(inertia)).max() * np.abs(tau).max()
            assert system.forward_dynamics(at, qd, tau) == pytest.approx(qdd, abs=1e-9 + rounding)
            alone = system.forward_dynamics(at, qd[0], tau[0])
            assert alone == pytest.approx(qdd[0], abs=1e-9 + rounding)


@pytest.mark.parametrize("make", [gallery.three_rrr, gallery.slider_crank])
def test_a_standing_coordinate_is_held_up_to_its_starting_friction(make: Callable[[], da.Mechanism]) -> None:
    """What holds it may vary by twice the starting friction at its joint, and it stays."""
    mechanism = rubbing(make(), False).with_gravity((0, 0, 0))
    n = mechanism.n
    qd = np.zeros(n)
    qd[-1] = 0.4
    tau = mechanism.inverse_dynamics(mechanism.home, qd, np.zeros(n))  # the standing joint's own friction is not in it
    for more in (-0.55, 0.0, 0.55):
        push = tau + more * np.eye(n)[0]
        assert mechanism.forward_dynamics(mechanism.home, qd, push)[0] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_joint_between_that_turns_back_starts_against_its_friction_once(
    compiled: bool, request: pytest.FixtureRequest
) -> None:
    """A passive joint that stands for an instant and is accelerated by the motion of the others."""
    if compiled:
        request.getfixturevalue("compiled_kernels")
    mechanism = rubbing(gallery.five_bar(), compiled)
    first = mechanism.influence(mechanism.home).first
    for joint in (1, 3):
        qd = np.array([-first[joint, 1], first[joint, 0]]) / np.abs(first[joint]).max()
        for qdd in np.random.default_rng(joint).normal(size=(5, 2)):
            for system, at in _both(mechanism):
                tau = system.inverse_dynamics(at, qd, qdd)
                assert system.forward_dynamics(at, qd, tau) == pytest.approx(qdd, abs=1e-9)
                several = system.forward_dynamics(at, np.tile(qd, (3, 1)), np.tile(tau, (3, 1)))
                assert several == pytest.approx(np.tile(qdd, (3, 1)), abs=1e-9)


def test_friction_of_a_batch_is_that_of_its_states_whatever_its_numbers_are_kept_as() -> None:
    bar = rubbing(gallery.five_bar(), False)
    rng = np.random.default_rng(0)
    phi = bar.closed_near(bar.home + 0.02 * rng.normal(size=(3, 2, bar.m)))
    qd = rng.normal(size=(3, 2, bar.n))
    moving = bar.friction_torque, bar.coordinate_contact_drift
    for table in (bar.first_influence, bar.viscous_matrix, bar.contact_rows, bar.coordinate_contact_rows, *moving):
        given = (phi, qd) if table in moving else (phi,)
        whole = table(*given)
        np.testing.assert_allclose(whole[1, 1], table(*(x[1, 1] for x in given)), atol=1e-12)
        assert np.array_equal(whole, table(*(x.tolist() for x in given)))
        rounded = [x.astype(np.float32) for x in given]
        assert np.array_equal(table(*rounded), table(*(x.astype(float) for x in rounded)))
    assert bar.contact_drift(phi, phi).shape == (3, 2, len(bar.contacts))


def test_a_chain_without_dry_friction_whose_transmission_varies_stands_beside_one_that_rubs() -> None:
    """It adds no contact; the other chain is held by its friction as it is alone."""
    arm = da.load("planar-2r")
    motors = [da.Actuator(name, {}, da.Rotor.of("1e-3")) for name in ("m1", "m2")]

    def turns(ring, q):
        sin, _ = ring.sincos(q[1])
        return [20 * q[0] + 3 * sin, 15 * q[1]]

    smooth = arm.with_drives(da.DriveTrain(motors, turns=turns))
    rubs = [(name, da.Friction.of(1.0, 2.0)) for name in arm.joint_names]
    rough = arm.with_drives(da.DriveTrain(joint_friction=rubs))
    both = da.Mechanism({"smooth": smooth, "rough": rough}, [], None, home=[0.3, 0.5, 0.2, -0.4])
    q, rate, torque = both.home, np.array([0.5, -0.3, 0.0, 0.7]), np.array([1.0, 2.0, 1.5, 3.0])
    parts = [
        system.with_gravity((0, 0, -9.81)).forward_dynamics(q[here], rate[here], torque[here])
        for system, here in ((smooth, slice(0, 2)), (rough, slice(2, 4)))
    ]
    np.testing.assert_allclose(both.forward_dynamics(q, rate, torque), np.concatenate(parts), rtol=1e-10, atol=1e-12)
