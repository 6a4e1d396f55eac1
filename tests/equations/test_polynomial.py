"""TrigPolynomial: exact algebra, calculus, substitution, values and Fourier series."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.closed_form import Equations

PUMA = Equations(da.load("puma560-arm"), "symbols")
BOOM = Equations(da.load("spherical"), "symbols")
Q = np.random.default_rng(3).uniform(-3, 3, (7, 3))


def test_equal_functions_are_equal_however_they_are_reached() -> None:
    a, b = PUMA["D11"], PUMA["D12"]
    assert (a + b) * (a - b) == a * a - b * b
    assert (a + b) ** 2 == a**2 + 2 * a * b + b**2
    assert a - a == 0
    assert hash(a + b - b) == hash(a)
    assert a != b
    assert hash(a.product_form()) == hash(a)


def test_numbers_mix_in_exactly() -> None:
    a = PUMA["D33"]
    assert a * 0.1 * 10 == a
    assert a / 3 * 3 == a
    assert 1 - a == -(a - 1)
    assert (a * Fraction(1, 7)).coefficient("m3") * 7 == a.coefficient("m3")


def test_dividing_by_a_function_is_refused() -> None:
    with pytest.raises(da.ArmError, match="divided"):
        PUMA["D11"] / PUMA["D12"]


@pytest.mark.parametrize("joint", range(3))
@pytest.mark.parametrize("eq", [PUMA, BOOM], ids=["puma", "boom"])
def test_the_derivative_is_the_slope(eq: Equations, joint: int) -> None:
    step = 1e-6
    poly = eq["D11"]
    high, low = Q.copy(), Q.copy()
    high[:, joint] += step
    low[:, joint] -= step
    slope = (poly(high) - poly(low)) / (2 * step)
    assert np.allclose(poly.diff(joint)(Q), slope, atol=1e-7)
    assert poly.diff(joint) == poly.diff(f"q{joint + 1}")


def test_joints_are_those_the_function_really_depends_on() -> None:
    # In sums of angles D22 holds q2 and q2 + q3, but only as their difference.
    assert {"c2", "c23"} <= set(PUMA["D22"].variables)
    assert PUMA["D22"].joints == (2,)
    assert BOOM["D33"].joints == ()


def test_substituted_joints_and_symbols_give_the_same_values() -> None:
    poly = PUMA["D11"]
    fixed = poly.substitute({"q2": 0.3, "m3": 2})
    at = Q.copy()
    at[:, 1] = 0.3
    assert np.allclose(fixed(Q), poly(at, {"m3": 2}), rtol=1e-12)
    assert 1 not in fixed.joints
    assert "m3" not in fixed.parameters
    assert poly.substitute({"a2": PUMA["D33"]}).coefficient("m2") == poly.coefficient("m2").substitute(
        {"a2": PUMA["D33"]}
    )


def test_a_boom_can_be_substituted_too() -> None:
    poly = BOOM["D11"]
    at = Q.copy()
    at[:, 2] = 0.5
    assert np.allclose(poly.substitute({2: "0.5"})(Q), poly(at))


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(da.ArmError, match="m2"):
        PUMA["D11"].substitute({"nosuch": 1})
    with pytest.raises(da.ArmError, match="nosuch"):
        PUMA["D11"](Q, {"nosuch": 1})
    with pytest.raises(da.ArmError, match="no joint or symbol 7; joints are joint1"):
        PUMA["D11"].diff(7)


def test_states_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(da.ArmError, match="3 joint positions"):
        PUMA["D11"](np.zeros(2))


def test_values_follow_the_batch_shape() -> None:
    assert PUMA["D11"](np.zeros((4, 5, 3))).shape == (4, 5)
    assert PUMA["D33"](np.zeros(3)).shape == ()


@pytest.mark.parametrize("name", ["D11", "D12", "D22", "C112", "C223", "G2"])
@pytest.mark.parametrize("eq", [PUMA, BOOM], ids=["puma", "boom"])
def test_the_fourier_series_is_the_function(eq: Equations, name: str) -> None:
    poly = eq[name]
    total = np.zeros(len(Q))
    for k, (a, b) in poly.harmonics().items():
        assert next((x for x in k if x), 1) > 0
        assert set(a.joints) | set(b.joints) <= {2 if eq is BOOM else -1}
        total += a(Q) * np.cos(Q @ np.array(k)) + b(Q) * np.sin(Q @ np.array(k))
    assert np.allclose(total, poly(Q), atol=1e-12)


def test_the_fourier_series_is_the_least_one() -> None:
    assert set(PUMA["D22"].harmonics()) == {(0, 0, 0), (0, 0, 1)}


def test_parseval_holds_exactly_for_numbers() -> None:
    poly = Equations(da.load("puma560-arm"), "numbers")["D11"]
    square = (poly * poly).harmonics()[0, 0, 0][0].number
    series = poly.harmonics()
    total = sum(((a.number**2 + b.number**2) / (1 if not any(k) else 2) for k, (a, b) in series.items()), Fraction(0))
    assert square == total


def test_the_product_form_has_no_sums_of_angles_and_the_same_values() -> None:
    single = PUMA["D11"].product_form()
    assert single.variables
    assert all("23" not in name for name in single.variables if name[0] in "sc")
    assert np.allclose(single(Q), PUMA["D11"](Q), rtol=1e-12)
    assert single == PUMA["D11"]


def test_every_term_knows_its_links_and_parameters() -> None:
    for term in PUMA["D11"].terms:
        assert term.links == tuple(dict.fromkeys(int(name[-1]) for name in term.parameters if name[0] in "mI"))
    rebuilt = sum((part for part in PUMA.by_link("D11").values()), start=PUMA["D11"] * 0)
    assert rebuilt == PUMA["D11"]


def test_numeric_terms_know_their_links_too() -> None:
    numeric = Equations(da.load("puma560-arm"), "numbers")
    assert {link for term in numeric["D33"].terms for link in term.links} == {3}
    assert {link for term in numeric["D11"].terms for link in term.links} == {1, 2, 3}
    assert set(numeric.by_link("D22")) == {2, 3}


def test_polynomials_of_two_rings_of_one_arm_mix() -> None:
    total = PUMA.kinetic_energy + PUMA.potential_energy
    assert set(PUMA.potential_energy.parameters) <= set(total.parameters)
    assert PUMA["D11"] != BOOM["D11"]


def test_arrays_of_polynomials_compute_like_arrays() -> None:
    matrix = PUMA.mass_matrix
    assert (matrix @ np.array([1, 0, 2], dtype=object))[1] == matrix[1, 0] + 2 * matrix[1, 2]
    assert (matrix * matrix[0, 0])[1, 2] == matrix[1, 2] * matrix[0, 0]
    assert np.float64(0.5) * matrix[0, 0] == matrix[0, 0] / 2
    assert (matrix == matrix.T).all()


def test_more_than_nine_joints_keep_their_names_apart() -> None:
    arm = da.Arm.from_dh(
        [{"a": 1 if i in (0, 10) else 0, "mass": 1 if i == 10 else 0} for i in range(11)], gravity=(0, -1, 0)
    )
    equations = Equations(arm, "symbols")
    assert equations["D1,11"] == equations.mass_matrix[0, 10]
    assert "1,2,3" in equations.space.ring.tags[2]
    q = np.linspace(-1, 1, 11)
    assert equations["G11"](q) == pytest.approx(arm.gravity_load(q)[10])
    assert "₁₁" in equations["G11"].text()
    assert equations.check("G11", equations["G11"].text(digits=None))
    assert equations.check("G1", equations["G1"].latex(digits=None))
