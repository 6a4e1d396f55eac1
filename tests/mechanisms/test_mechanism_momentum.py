"""Mass centre and momentum of mechanisms: those of MuJoCo, those of the arm where a chain is alone, laws where not."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from mechanisms.peers import Mujoco


@pytest.mark.parametrize("make", [gallery.five_bar, gallery.slider_crank, gallery.stewart, gallery.two_fingered_hand])
def test_mass_centre_and_momentum_are_those_of_mujoco(make: Callable[[], da.Mechanism]) -> None:
    mechanism = make()
    peer = Mujoco(mechanism)
    rng = np.random.default_rng(3)
    qd = rng.normal(size=(2, mechanism.n))
    phi = mechanism.home
    momenta = mechanism.momentum(phi, qd)
    for rate, momentum in zip(qd, momenta, strict=True):
        data = peer.data
        data.qpos[:], data.qvel[:] = phi, mechanism.influence(phi).first @ rate
        mujoco.mj_forward(peer.model, data)
        mujoco.mj_subtreeVel(peer.model, data)
        scale = np.abs(momentum).max()
        assert mechanism.mass == pytest.approx(peer.model.body_subtreemass[0], rel=1e-9)
        assert mechanism.center_of_mass(phi) == pytest.approx(data.subtree_com[0], abs=1e-9)
        assert mechanism.mass * mechanism.center_of_mass_jacobian(phi) @ rate == pytest.approx(
            momentum[:3], abs=1e-9 * scale
        )
        assert momentum[:3] == pytest.approx(mechanism.mass * data.subtree_linvel[0], abs=1e-9 * scale)
        assert momentum[3:] == pytest.approx(data.subtree_angmom[0], abs=1e-9 * scale)


def test_the_weight_acts_at_the_mass_centre() -> None:
    """G = -m g . dc/dq, and the system in its coordinates says the same as the mechanism at its joints."""
    mechanism = gallery.four_bar().with_gravity((0, -9.81, 0))
    system = mechanism.as_system()
    q = mechanism.coordinates_of(mechanism.home) + np.array([[0.1], [-0.2]])
    gravity = np.array([0.0, -9.81, 0.0])
    slopes = system.center_of_mass_jacobian(q)
    assert system.gravity_load(q) == pytest.approx(-system.mass * np.einsum("i,bij->bj", gravity, slopes), abs=1e-10)
    phi, qd = mechanism.position(q), [0.7]
    step = 1e-6
    ahead, behind = system.center_of_mass(q + step), system.center_of_mass(q - step)
    assert slopes[..., 0] == pytest.approx((ahead - behind) / (2 * step), abs=1e-8)
    for about in ("center", "base"):
        assert system.momentum(q, np.broadcast_to(qd, q.shape), about) == pytest.approx(
            mechanism.momentum(phi, qd, about)
        )
        assert system.momentum_matrix(q[0], about) == pytest.approx(mechanism.momentum_matrix(phi[0], about))


@pytest.mark.parametrize("about", ["center", "base"])
def test_a_chain_alone_has_the_momentum_of_the_arm_with_its_rotors(about: str) -> None:
    arm = da.load("irb6").driven
    alone = da.Mechanism({"arm": arm}, [], None)
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 3, arm.n))
    assert alone.momentum(q, qd, about) == pytest.approx(arm.momentum(q, qd, about), rel=1e-9)
    assert alone.center_of_mass(q) == pytest.approx(arm.center_of_mass(q), rel=1e-9)


def test_what_is_not_known_is_refused() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError, match='about "center" or "base"'):
        bar.momentum_matrix(bar.home, "ground")
    motor = da.Actuator.of("m", {bar.coordinates[0]: 50}, rotor=da.Rotor(1e-4))
    geared = da.Mechanism(
        bar.parts.chains, bar.parts.closures, bar.coordinates, bases=bar.parts.bases, home=bar.home, drives=[motor]
    )
    with pytest.raises(da.ArmError, match="no axis in space"):
        geared.momentum(geared.home, np.zeros(geared.n))
    assert geared.center_of_mass(bar.home) == pytest.approx(bar.center_of_mass(bar.home))
