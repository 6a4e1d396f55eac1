"""The closed form of an arm with drives against the numbers, and the rotors in it."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.toml_drives import read_drives_text
from dalembert.equations.polynomial import as_polynomial


@pytest.mark.parametrize("name", ["irb6", "jpl-rrp", "puma560"])
def test_the_closed_form_of_an_arm_with_drives_equals_the_numeric_one(name: str) -> None:
    driven = da.load(name, physical="ignore").driven
    q = np.random.default_rng(0).uniform(-1, 1, (5, driven.n))
    mass, symbols, gravity = driven.equations("numbers").values(q)
    assert mass == pytest.approx(driven.mass_matrix(q), rel=1e-11, abs=1e-12)
    assert symbols == pytest.approx(driven.christoffel(q), rel=1e-10, abs=1e-12)
    assert gravity == pytest.approx(driven.gravity_load(q), rel=1e-11, abs=1e-11)


def by_formula(equations: da.Equations) -> np.ndarray:
    """What the rotors add to the Christoffel symbols by the formula of their own, not as derivatives of D."""
    model, n = equations.model, equations.n
    table = model.system.drive_christoffel(model.ring, model.ring.positions)
    found = np.empty((n, n, n), dtype=object)
    for i, j, k in np.ndindex(found.shape):
        found[i, j, k] = as_polynomial(equations.space, table[i][j][k])
    return found


def test_christoffel_symbols_of_rotors_are_identical_by_formula_and_by_derivative() -> None:
    driven = da.load("irb6").driven
    equations, links = driven.equations("numbers"), driven.arm.equations("numbers")
    difference = equations.christoffel - links.christoffel - by_formula(equations)
    assert not any(bool(entry) for entry in difference.flat)


def test_szkodnys_approximation_has_no_rotor_term_in_the_velocity_coefficients() -> None:
    driven = da.load("puma560", physical="ignore").driven
    rough = driven.approximate("szkodny").equations("numbers")
    assert not any(bool(entry) for entry in by_formula(rough).flat)
    assert not any(bool(rough.rotors(name)) for name in rough.names() if name.startswith("C"))
    exact = driven.equations("numbers")
    assert any(bool(entry) for entry in by_formula(exact).flat)
    assert any(bool(exact.rotors(name)) for name in exact.names() if name.startswith("C"))


MOVING = """
[[motors]]
name = "motor1"
turns = "50*joint1 + 10*sin(joint2)"
rotor = {inertia = 4e-4, link = "base", axis = [0, 0, 1]}
[[motors]]
name = "motor2"
turns = "30*joint2 - 4*cos(joint2 - joint1)"
rotor = {inertia = 4e-4, link = "link1", axis = [0, 1, 1]}
[[elements]]
name = "rod"
[elements.body]
link = "link1"
mass = 2
com = [0.1, 0.05, 0]
inertia = [0.001, 0.02, 0.02]
xyz = [0, 0.1, 0]
position = ["0.1*cos(joint2)", "0.2*sin(joint2 - joint1)", 0]
rotation = [{axis = "z", angle = "2*joint2 + 0.3"}]
"""


def test_closed_forms_hold_bodies_that_drives_move_and_ratios_that_vary() -> None:
    """Every table of the equations against numbers: D, C, G, V, the split, the shares of links and drives."""
    arm = da.load("planar-2r")
    driven = arm.with_drives(read_drives_text(MOVING, "moving.toml", arm))
    equations = driven.equations("numbers")
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    mass, symbols, gravity = equations.values(q)
    assert mass == pytest.approx(driven.mass_matrix(q), rel=1e-12)
    assert symbols == pytest.approx(driven.christoffel(q), rel=1e-12, abs=1e-13)
    assert gravity == pytest.approx(driven.gravity_load(q), rel=1e-12)
    assert float(equations.potential_energy(q)) == pytest.approx(float(driven.potential_energy(q)), rel=1e-12)
    for index in np.ndindex(2, 2, 2):
        assert equations.second_christoffel[index] == equations.christoffel[index]
    parts = driven.parts(q, qd, qdd)
    for share, table in ((parts.translational, equations.translational), (parts.rotational, equations.rotational)):
        right = np.array([[float(table(f"D{i}{j}")(q)) for j in (1, 2)] for i in (1, 2)])
        assert share.inertia == pytest.approx(right @ qdd, rel=1e-11)
    for name, whole in (("V", float(driven.potential_energy(q))), ("G2", gravity[1]), ("D12", mass[0, 1])):
        shares = equations.by_link(name)
        assert "drives" in shares
        assert sum(float(part(q)) for part in shares.values()) == pytest.approx(whole, rel=1e-11)
    spread = driven.analysis().range_of("G2")
    sampled = driven.gravity_load(np.random.default_rng(4).uniform(-np.pi, np.pi, (2000, 2)))[:, 1]
    assert spread.lower <= sampled.min()
    assert sampled.max() <= spread.upper
    assert spread.upper > arm.analysis().range_of("G2").upper
    with pytest.raises(da.ArmError, match="the program that is reduced does not hold"):
        driven.analysis(speed=1, acceleration=1).reduce(0.1)
