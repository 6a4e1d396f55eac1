"""Waves are the exact functions; their derivatives, products and mean squares are exact too."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.bounds.box import Box
from dalembert.bounds.merge import merged
from dalembert.bounds.moments import mean, rms
from dalembert.bounds.waves import wave_of
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
