"""Closed forms of mechanisms: exact polynomials in the joints, and quotients of them in the coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Rotor
from dalembert.mechanisms import gallery, parallel_robots
from dalembert.mechanisms.mechanism import Mechanism
from mechanisms.planar import planar_arm


def moved(mechanism: Mechanism) -> np.ndarray:
    """A closed configuration that is not home."""
    return mechanism.position(mechanism.coordinates_of(mechanism.home) + 0.05)


@pytest.mark.parametrize("mechanism", [gallery.four_bar(), gallery.five_bar()], ids=lambda m: m.name)
def test_planar_loops_have_their_model_as_quotients_of_polynomials(mechanism: Mechanism) -> None:
    eq, phi = mechanism.equations(), moved(mechanism)
    np.testing.assert_allclose(eq.influence(phi), mechanism.influence(phi).first, atol=1e-12)
    np.testing.assert_allclose(eq.inertia(phi), mechanism.mass_matrix(phi), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(eq.gravity_load(phi), mechanism.gravity_load(phi), atol=1e-12)
    batch = np.stack([phi, mechanism.home])
    np.testing.assert_allclose(eq.inertia(batch), mechanism.mass_matrix(batch), rtol=1e-10)


@pytest.mark.parametrize("mechanism", [gallery.five_bar(), parallel_robots.delta()], ids=lambda m: m.name)
def test_closures_and_their_slopes_are_exact(mechanism: Mechanism) -> None:
    """[G^c] is dc/dphi as an identity of polynomials; D, C, G are those of the chains side by side."""
    eq, phi = mechanism.equations(), moved(mechanism)
    for row, value in zip(eq.jacobian, eq.closures.values(), strict=True):
        assert abs(float(value(phi))) < 1e-13
        assert all(value.diff(k) == entry for k, entry in enumerate(row))
    d, c, g, slopes = eq.values(phi)
    np.testing.assert_allclose(slopes, mechanism.assembly.closure_jacobian(phi[None])[0], atol=1e-13)
    np.testing.assert_allclose(d, mechanism.joint_inertia(phi[None])[0], atol=1e-13)
    rate = np.linspace(-1, 1, mechanism.m)
    bias = mechanism.joint_loads(phi[None], rate[None], np.zeros((1, mechanism.m)), [()] * len(mechanism.chains.names))[
        0
    ]
    np.testing.assert_allclose(np.einsum("ijk,j,k->i", c, rate, rate) + g, bias, atol=1e-11)
    drift = mechanism.assembly.drift(phi[None], rate[None])[1][0]
    second = np.array([[[entry(phi) for entry in line] for line in row] for row in eq.second_order], dtype=float)
    np.testing.assert_allclose(np.einsum("rik,i,k->r", second, rate, rate), drift, atol=1e-12)


def test_rotors_loads_gears_and_symbols_stand_in_the_closed_form() -> None:
    bar = gallery.five_bar()
    geared = DriveTrain(
        (
            Actuator.of("m1", {"joint1": 30}, Rotor.of("1e-3")),
            Actuator.of("m2", {"joint2": 20, "joint1": 5}, Rotor.of("2e-3")),
        )
    )
    chains = {**bar.parts.chains, "left": da.Arm.of(bar.parts.chains["left"]).with_drives(geared)}
    driven = Mechanism(chains, bar.parts.closures, bar.coordinates, bases=bar.parts.bases, home=bar.home)
    holding = driven.holding(da.Load(0.7, (0.05, 0.1, 0)), "right")
    eq, phi = holding.equations(), moved(holding)
    np.testing.assert_allclose(eq.inertia(phi), holding.mass_matrix(phi), rtol=1e-10)
    assert np.abs(holding.mass_matrix(phi) - bar.mass_matrix(phi)).min() > 1e-3
    arm = planar_arm([1, 1, 1])
    tied = da.Mechanism({"arm": arm}, [da.Gear("pair", "arm.joint3", "arm.joint2", -2)], ["arm.joint1", "arm.joint2"])
    own = tied.equations()
    assert own.ties == {"pair.gear": "+2 arm.joint2 +1 arm.joint3"}
    at = tied.position([0.3, 0.2])
    np.testing.assert_allclose(own.inertia(at), tied.mass_matrix(at), rtol=1e-12)
    named = gallery.four_bar().equations("symbols")
    assert {symbol.name for symbol in named.chains.symbols} >= {"m1", "m2", "m3"}


def test_what_has_no_closed_form_is_refused_with_the_reason() -> None:
    with pytest.raises(da.ArmError, match="12 joints would have to be eliminated"):
        _ = parallel_robots.delta().equations().inertia
    seen = gallery.five_bar().with_coordinates(["x(left)", "y(left)"])
    with pytest.raises(da.ArmError, match="a coordinate of it is no joint"):
        _ = seen.equations().influence
    springy = gallery.five_bar().with_springs(da.Spring("s", "left:link1", "right:link1", stiffness=1))
    with pytest.raises(da.ArmError, match="springs"):
        springy.equations()


def test_springs_and_dampers_of_a_chain_are_not_left_out_in_silence() -> None:
    bar = gallery.five_bar()
    left = da.Arm.of(bar.parts.chains["left"])
    soft = left.with_elastic(da.JointSpring(left.joint_names[1], stiffness=4.0))
    sprung = Mechanism({**bar.parts.chains, "left": soft}, bar.parts.closures, bar.coordinates, bases=bar.parts.bases,
                       home=bar.home)  # fmt: skip
    with pytest.raises(da.ArmError, match="chain 'left' has springs or dampers"):
        sprung.equations()
