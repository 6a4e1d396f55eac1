"""Waves are the exact functions; their derivatives, products and mean squares are exact too."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dalembert.arm.exact import Angle
from dalembert.bounds.box import Box
from dalembert.bounds.merge import merged
from dalembert.bounds.moments import mean, rms
from dalembert.bounds.ranges import range_of
from dalembert.bounds.waves import Wave, constant, turning, wave_of
from dalembert.equations.closed_form import Equations
from dalembert.reduction.coefficient_waves import CoefficientWaves
from random_arms import random_arm

SEEDS = (1, 2, 3)


def square_box(n: int, half: float = 1.3) -> Box:
    return Box(np.full(n, -half), np.full(n, half + 0.4), np.zeros(n, bool))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wave_has_the_values_of_its_polynomial(seed: int) -> None:
    arm = random_arm(seed, 4)
    eq, q = Equations(arm, "numbers"), square_box(4).samples(50)
    for name in ("D11", "D12", "G1", "C112"):
        exact = eq[name](q)
        assert np.allclose(wave_of(eq[name])(q), exact, atol=1e-12 * (1 + np.abs(exact).max()))


@pytest.mark.parametrize("kinds", [("revolute",), ("revolute", "prismatic")])
@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_slopes_at_many_positions_are_those_at_each(seed: int, kinds: tuple[str, ...]) -> None:
    """Many come from tables of two halves of the joints, one from its terms; slopes are those of the exact form."""
    eq, q = Equations(random_arm(seed, 4, kinds=kinds), "numbers"), square_box(4).samples(1100)
    for name in ("D11", "D12", "G1"):
        wave = wave_of(eq[name])
        off = 1e-13 * (1 + wave.most(np.full(4, 2.0)))
        assert wave._tables(q) is not None or len(wave) == 0
        assert wave._tables(q[:1]) is None or len(wave) >= 1000
        values, slopes = wave.gradients(q)
        assert np.allclose(wave(q), values, rtol=0, atol=off)
        for at in range(5):
            value, slope = wave.gradients(q[at : at + 1])
            assert np.allclose(values[at], value, rtol=0, atol=off)
            assert np.allclose(slopes[at], slope, rtol=0, atol=10 * off)
        for joint in range(4):
            assert np.allclose(slopes[:, joint], eq[name].diff(joint)(q), rtol=0, atol=10 * off)


def at_quarters(wave: Wave, quarters: np.ndarray) -> Fraction:
    """The exact value where every angle is a number of quarter turns: exp(ikx) is a power of i there."""
    found = Fraction(0)
    for k, c in zip(wave.k, wave.c, strict=True):
        turns = int(k @ quarters) % 4
        found += (1, -1, -1, 1)[turns] * Fraction(c.imag if turns % 2 else c.real)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_slack_covers_what_rounding_of_the_coefficients_changes(seed: int) -> None:
    """At quarter turns both the polynomial and the wave have exact values; these differ, by no more than the slack."""
    eq = Equations(random_arm(seed, 3, kinds=("revolute",)), "numbers")
    rng = np.random.default_rng(seed)
    off = []
    for name in ("D11", "D12", "D33", "G1"):
        polynomial = eq[name] * Fraction(1, 3)
        wave = wave_of(polynomial)
        for quarters in rng.integers(0, 4, (5, 3)):
            exact = polynomial.substitute({j: Angle.quarters(int(k)) for j, k in enumerate(quarters)}).number
            off.append(abs(at_quarters(wave, quarters) - exact))
            assert off[-1] <= wave.slack
            assert wave.slack < 1e-12
    assert max(off) > 0
    third = wave_of(eq["D33"] * 0 + Fraction(1, 3))
    assert 0 < abs(Fraction(third.c[0].real) - Fraction(1, 3)) <= third.slack


def test_slack_covers_the_rounding_of_products_and_of_terms_too_small_to_keep() -> None:
    tenth, three = turning(2, 0).times(1.0), turning(2, 1)
    tenth = Wave(tenth.k, tenth.p, tenth.c * 0.1)
    scaled = tenth.times(0.3)
    off = abs(Fraction(scaled.c[0].real) - Fraction(0.1) * Fraction(0.3))
    assert 0 < off <= scaled.slack
    product = tenth * Wave(three.k, three.p, three.c * 0.3)
    assert len(product) == 2
    off = sum(abs(Fraction(c.real) - Fraction(0.1) * Fraction(0.3) / 2) for c in product.c)
    assert 0 < off <= product.slack
    tiny = Wave(three.k, three.p, three.c * 1e-18)
    together = constant(1.0, 2) + tiny
    assert len(together) == 1
    assert together.slack >= 1e-18


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_and_christoffel_symbols_of_waves_are_those_of_the_closed_form(seed: int) -> None:
    arm = random_arm(seed, 4)
    eq, model, q = Equations(arm, "numbers"), CoefficientWaves(arm), square_box(4).samples(40)
    for i, j, k in ((0, 0, 1), (0, 1, 2), (2, 0, 0), (1, 2, 3)):
        exact = eq.christoffel[i, j, k](q)
        found = model.wave(f"C{i + 1}{j + 1}{k + 1}")(q)
        assert np.allclose(found, exact, atol=1e-11 * (1 + np.abs(exact).max()))


def test_a_product_of_waves_is_the_product_of_the_functions() -> None:
    model, q = CoefficientWaves(random_arm(5, 3)), square_box(3).samples(60)
    a, b = model.inertia(0, 1), model.inertia(0, 0)
    assert np.allclose((a * b)(q), a(q) * b(q), atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mean_square_is_exact_over_a_part_of_the_circle_and_over_all_of_it(seed: int) -> None:
    wave = CoefficientWaves(random_arm(seed, 3)).inertia(0, 0)
    slides = wave.p.any(axis=0)
    for circle in (False, True):
        box = square_box(3)
        if circle:
            whole = ~slides
            box = Box(np.where(whole, -np.pi, box.lower), np.where(whole, np.pi, box.upper), whole)
        # A product rule with enough points is exact for these functions to rounding.
        nodes, weights = np.polynomial.legendre.leggauss(24)
        grid = np.stack(np.meshgrid(*(box.centre[j] + box.half[j] * nodes for j in range(3)), indexing="ij"), -1)
        mass = weights[:, None, None] * weights[None, :, None] * weights[None, None, :] / 8
        values = wave(grid)
        assert np.isclose(rms(wave, box), np.sqrt((mass * values**2).sum()), rtol=1e-9)
        assert np.isclose(mean(wave, box), (mass * values).sum(), rtol=1e-9, atol=1e-12)


def test_joints_seen_through_their_sum_become_one_and_can_be_told_apart_again() -> None:
    import dalembert as da

    arm = da.load("puma560", physical="ignore")
    wave = CoefficientWaves(arm).gravity(4)
    box = Box(arm.lower, arm.upper, np.zeros(6, bool))
    one = merged(wave, box)
    assert len(one.wave.joints) < len(wave.joints)
    for y in one.box.samples(30):
        x = one.lifted(y)
        assert np.all(x >= box.lower - 1e-12)
        assert np.all(x <= box.upper + 1e-12)
        assert np.isclose(wave(x), one.wave(y), atol=1e-12)


@pytest.mark.parametrize(("half", "circle"), [(0.5, False), (1.2, False), (2.0, True)])
def test_a_sum_of_joints_reaches_as_far_as_all_of_them_together(half: float, circle: bool) -> None:
    """cos(q1 - q2) over two equal boxes: the difference goes twice as far, and all round from a half turn on."""
    wave = turning(2, 0) * turning(2, 1) + turning(2, 0, -1j) * turning(2, 1, -1j)
    box = Box(np.full(2, -half), np.full(2, half), np.zeros(2, bool))
    one = merged(wave, box)
    assert len(one.wave.joints) == 1
    (joint,) = one.wave.joints
    assert bool(one.box.circle[joint]) is circle
    if not circle:
        assert (one.box.lower[joint], one.box.upper[joint]) == pytest.approx((-2 * half, 2 * half))
    assert range_of(wave, box).minimum == pytest.approx(-1.0 if circle else np.cos(2 * half), abs=1e-9)


@pytest.mark.parametrize("width", [1e-3, 1e-9, 1e-12])
def test_the_mean_of_a_power_over_a_narrow_slide_far_from_zero_keeps_its_digits(width: float) -> None:
    wave = Wave(np.zeros((1, 1), np.int64), np.array([[2]]), np.ones(1, np.complex128))
    low, high = 1000.0, 1000.0 + width
    box = Box(np.array([low]), np.array([high]), np.zeros(1, bool))
    a, b = Fraction(low), Fraction(high)
    assert mean(wave, box) == pytest.approx(float((a * a + a * b + b * b) / 3), rel=1e-14)
    assert rms(wave, box) == pytest.approx(1e6, rel=2 * width / low + 1e-14)


def test_root_mean_squares_scale_where_squares_are_out_of_range() -> None:
    wave = Wave(np.array([[0], [1]]), np.zeros((2, 1), np.int64), np.array([1.0 + 0j, 0.5 + 0j]))
    for exponent in (-900, 900):
        assert rms(wave.scaled(exponent), square_box(1)) == np.ldexp(rms(wave, square_box(1)), exponent)


@pytest.mark.parametrize("half", [1.0, 0.1, 0.01, 1e-3])
def test_the_mean_square_of_what_nearly_cancels_keeps_its_digits(half: float) -> None:
    """cos 2x - 4 cos x + 3 = 8 sin(x/2)^4: about x^4/2 near zero, whose coefficients are eight in all."""
    cosine, box = turning(2, 0), Box(np.full(2, -half), np.full(2, half), np.zeros(2, bool))
    wave = (cosine * cosine).times(2.0) + cosine.times(-4.0) + constant(2.0, 2)
    x, w = np.polynomial.legendre.leggauss(30)
    exact = np.sqrt(0.5 * w @ (8 * np.sin(half * x / 2) ** 4) ** 2)
    assert rms(wave, box) == pytest.approx(exact, rel=1e-10, abs=8 * 2**-50)
    # and so with a second joint, of which it depends as little
    assert rms(wave + turning(2, 1).times(1e-9), box) == pytest.approx(exact, rel=1e-10, abs=1.1e-9)
