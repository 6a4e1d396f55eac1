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


@pytest.mark.parametrize("mechanism", [gallery.four_bar(), gallery.five_bar()], ids=lambda m: m.name)
def test_second_order_coefficients_and_power_are_those_of_the_mechanism(mechanism: Mechanism) -> None:
    """[H^phi_qq] and P* as quotients, and with I* and the weight the loads of any motion."""
    eq, phi, rng = mechanism.equations(), moved(mechanism), np.random.default_rng(1)
    np.testing.assert_allclose(eq.second_influence(phi), mechanism.influence(phi).second, atol=1e-12)
    qd, qdd = rng.normal(size=(2, mechanism.n))
    model = mechanism.model(phi, qd)
    np.testing.assert_allclose(eq.power(phi), model.power, atol=1e-12)
    batch = np.stack([phi, mechanism.home])
    np.testing.assert_allclose(
        eq.inverse_dynamics(batch, qd, qdd), mechanism.inverse_dynamics(batch, qd, qdd), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("parameters", ["symbols", "centre+lengths+gravity", "full+lengths"])
def test_lengths_of_chains_are_symbols_of_their_own(parameters: str) -> None:
    """Each chain calls the length of its first link a1: in the equations they count through all chains, as links do."""
    bar, rng = gallery.four_bar(), np.random.default_rng(5)
    eq, phi = bar.equations(parameters), moved(bar)
    qd, qdd = rng.normal(size=(2, bar.n))
    assert {symbol.name: float(symbol.value) for symbol in eq.chains.symbols if symbol.kind == "length"} == {
        "a1": 0.2, "a2": 0.6, "a3": 0.5,
    }  # fmt: skip
    np.testing.assert_allclose(eq.inertia(phi), bar.mass_matrix(phi), rtol=1e-10)
    np.testing.assert_allclose(eq.inverse_dynamics(phi, qd, qdd), bar.inverse_dynamics(phi, qd, qdd), rtol=1e-10)


def sprung() -> Mechanism:
    """Springs and dampers at joints and between points of a chain, along sums and frames, between chains."""
    bar = gallery.five_bar()
    soft = da.Arm.of(bar.parts.chains["left"]).with_elastic(
        da.JointSpring("joint2", 4.0, 0.3), da.JointDamper("joint1", 0.5),
        da.PointSpring("base", (0, 0.1, 0), "link2", (0.1, 0, 0), 50, 0.1, 2),
    )  # fmt: skip
    hung = da.PointSpring("base", (0.1, 0.2, 0), "link1", (0.1, 0, 0), 40, 0.2, 1)
    chains = {"left": soft, "right": da.Arm.of(bar.parts.chains["right"]).with_elastic(hung)}
    parts = bar.parts
    made = Mechanism(chains, parts.closures, bar.coordinates, bases=parts.bases, home=bar.home, gravity=parts.gravity)
    return made.with_springs(
        da.Spring("tie", "left:link1", "right:link1", stiffness=30, rest=0.1, damping=2),
        da.Spring("free", "left:link2", "ground", stiffness=20),
        da.Spring("belt", along="left.joint1 - 2*right.joint2", stiffness=3, rest=0.2, damping=0.4),
        da.Spring("post", along="y(left, right:link1)", stiffness=50, rest=0.1, damping=3),
        da.Spring("brake", along="rz(left, right)", damping=0.7),
    )


def test_springs_and_dampers_stand_in_the_closed_form() -> None:
    mechanism, rng = sprung(), np.random.default_rng(2)
    eq, phi = mechanism.equations(), moved(mechanism)
    qd, qdd = rng.normal(size=(2, mechanism.n))
    loads = mechanism.inverse_dynamics(phi, qd, qdd)
    np.testing.assert_allclose(eq.inverse_dynamics(phi, qd, qdd), loads, rtol=1e-10)
    assert np.abs(loads - gallery.five_bar().inverse_dynamics(phi, qd, qdd)).min() > 0.1
    stored = sum(element.energy(phi) for element in eq.elastics if element.stiffness)
    weight = gallery.five_bar().potential_energy(phi)
    assert stored + weight == pytest.approx(mechanism.potential_energy(phi), rel=1e-12)
    said = eq.text()
    assert "belt: s = 1 q1 -2 q4" in said
    assert "tie: s^2 = " in said
    assert "tie: load = -(30 (s - 0.1) + 2 s') ds/d(joint)" in said


def test_slopes_of_springs_are_derivatives_of_their_lengths() -> None:
    """Of a span s ds = d(s^2)/2 as an identity of polynomials; along a coordinate ds itself, angles beside it."""
    for element in sprung().equations().elastics:
        for joint, slope in enumerate(element.slopes):
            if element.is_span:
                assert element.polynomial.diff(joint) == slope * 2
            elif element.stiffness:
                assert element.polynomial.diff(joint) + element.angles.get(joint, 0) == slope


def test_rotors_of_the_mechanism_itself_stand_in_the_closed_form() -> None:
    """At a joint, along a position, and at the turn that the closure leaves, whose rate is no derivative."""
    bar, ratios = gallery.five_bar(), ("left.joint1", "x(left)", "rz(left, right)")
    motors = [
        Actuator.of(f"m{k}", {text: 20}, Rotor.of("2e-3"), da.Friction(viscous=1e-2)) for k, text in enumerate(ratios)
    ]
    driven = Mechanism(
        bar.parts.chains, bar.parts.closures, bar.coordinates, bases=bar.parts.bases, home=bar.home, drives=motors
    )
    eq, phi, rng = driven.equations(), moved(driven), np.random.default_rng(3)
    qd, qdd = rng.normal(size=(2, driven.n))
    loads = driven.frictionless().inverse_dynamics(phi, qd, qdd)
    np.testing.assert_allclose(eq.inverse_dynamics(phi, qd, qdd), loads, rtol=1e-10)
    assert np.abs(loads - bar.inverse_dynamics(phi, qd, qdd)).min() > 1e-2
    said = eq.text()  # what is in D is no load beside it
    assert "m0: its rotor, 0.002 s'' ds/d(joint), is in D" in said
    assert "load =" not in said


def test_loops_that_follow_one_another_are_eliminated_one_by_one() -> None:
    """Eight gears in a row: eight joints follow, and one at a time."""
    gears = [da.Gear(f"g{k}", f"arm.joint{k + 1}", f"arm.joint{k}", -1) for k in range(2, 10)]
    tied = da.Mechanism({"arm": planar_arm([1] * 10)}, gears, ["arm.joint1", "arm.joint2"])
    phi = tied.position([0.3, 0.2])
    qd, qdd = [0.4, -0.7], [1.0, 0.3]
    found = tied.equations().inverse_dynamics(phi, qd, qdd)
    np.testing.assert_allclose(found, tied.inverse_dynamics(phi, qd, qdd), rtol=1e-11)


def test_what_has_no_closed_form_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(da.ArmError, match="12 joints would have to be eliminated at once"):
        _ = parallel_robots.delta().equations().inertia
    seen = gallery.five_bar().with_coordinates(["x(left)", "y(left)"])
    with pytest.raises(da.ArmError, match="a coordinate of it is no joint"):
        _ = seen.equations().influence
    monkeypatch.setattr("dalembert.mechanisms.closed_quotients.MOST_PRODUCTS", 1000)
    with pytest.raises(da.ArmError, match="too many terms to be written out"):
        _ = gallery.five_bar().equations().power


def test_an_open_chain_has_its_equations_with_a_slide_on_a_spring() -> None:
    """No closure: the quotients are polynomials, and the position of a slide stands in them."""
    rod = {"mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0.01, 0.02, 0.02)}
    arm = da.Arm.from_dh([{"type": "prismatic", "alpha": 1.0, **rod}, {"a": 0.4, **rod}])
    spring = da.PointSpring("base", (0, 0.3, 0), "link2", (0, 0, 0), 50, 0.1, 2)
    sprung = arm.with_elastic(da.JointSpring("joint1", 30, 0.2), da.JointSpring("joint2", 3, 0.1), spring)
    mechanism = da.Mechanism({"arm": sprung}, [], ["arm.joint1", "arm.joint2"], home=[0.3, 0.4])
    phi, qd, qdd = np.random.default_rng(4).normal(size=(3, 5, 2))
    found = mechanism.equations().inverse_dynamics(phi, qd, qdd)
    np.testing.assert_allclose(found, mechanism.inverse_dynamics(phi, qd, qdd), rtol=1e-10, atol=1e-10)
