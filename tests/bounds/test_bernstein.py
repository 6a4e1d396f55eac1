"""Bernstein forms enclose the function on every box, meet it at corners, and get better as the square of the width."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.bounds.bernstein import arc, arc_halves, line, line_halves
from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch
from dalembert.bounds.ranges import range_of, trimmed
from dalembert.reduction.coefficient_waves import CoefficientWaves
from random_arms import random_arm


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("half", [1e-6, 0.2, 1.0])
def test_control_values_of_waves_on_an_arc_average_to_the_wave(degree: int, half: float) -> None:
    rng = np.random.default_rng(degree)
    c = rng.standard_normal(2 * degree + 1) + 1j * rng.standard_normal(2 * degree + 1)
    t = np.linspace(-half, half, 41)
    values = (np.exp(1j * (0.7 + t)[:, None] * np.arange(-degree, degree + 1)) @ c).real
    net = (arc(degree, 0.7, half) @ c).real
    assert net.min() <= values.min() + 1e-12
    assert net.max() >= values.max() - 1e-12
    assert np.allclose([net[0], net[-1]], [values[0], values[-1]], atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("half", [1e-4, 0.3, 1.04])
def test_halving_an_arc_gives_the_control_values_of_its_halves(degree: int, half: float) -> None:
    left, right = arc_halves(degree, half)
    whole = arc(degree, 0.4, half)
    assert np.allclose(left @ whole, arc(degree, 0.4 - half / 2, half / 2), atol=1e-11)
    assert np.allclose(right @ whole, arc(degree, 0.4 + half / 2, half / 2), atol=1e-11)
    for matrix in (left, right):
        assert np.all(matrix >= 0)
        assert np.allclose(matrix.sum(axis=1), 1, atol=1e-14)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_halving_a_line_gives_the_control_values_of_its_halves(degree: int) -> None:
    left, right = line_halves(degree)
    assert np.allclose(left @ line(degree, -0.3, 0.9), line(degree, -0.3, 0.3))
    assert np.allclose(right @ line(degree, -0.3, 0.9), line(degree, 0.3, 0.9))


def narrow(n: int, centre: np.ndarray, half: float) -> Box:
    return Box(centre - half, centre + half, np.zeros(n, bool))


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_the_bound_of_a_small_box_holds_and_gets_better_with_the_square_of_its_width(seed: int) -> None:
    model = CoefficientWaves(random_arm(seed, 3))
    wave = next(w for w in (model.wave(name) for name in ("D11", "D12", "G1", "G2")) if len(w.joints) > 1)
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-1, 1, 3)
    gaps = []
    for half in (0.2, 0.1, 0.05):
        box = narrow(3, centre, half)
        branch = Branch(wave, (), box)
        lowest = float(branch.bounded(branch.first())[0].min())
        values = wave(box.samples(20_000, seed))
        assert lowest <= values.min()
        fine = np.stack(np.meshgrid(*(np.linspace(a, b, 21) for a, b in zip(box.lower, box.upper, strict=True))), -1)
        gaps.append(max(float(wave(fine).min()) - lowest, 1e-12))
    assert gaps[2] <= gaps[0] / 8 or gaps[2] < 1e-9


@pytest.mark.parametrize("seed", [2, 4])
def test_sums_of_magnitudes_are_bounded_by_what_no_sample_exceeds(seed: int) -> None:
    arm = random_arm(seed, 3)
    model = CoefficientWaves(arm)
    box = Box(np.full(3, -1.2), np.full(3, 1.4), np.zeros(3, bool))
    waves = [w for w in (model.wave(name) for name in ("D12", "D13", "G1", "C112")) if len(w)]
    q = box.samples(100_000, seed)
    total = sum(np.abs(w(q)) for w in waves)
    best = int(total.argmax())
    found = Branch(None, waves, box).least(-float(total[best]), q[best], 0.01 * float(total[best]), 1e9)
    assert -found.bound >= total.max()
    assert -found.bound <= 1.02 * -found.value
    assert np.isclose(-found.value, sum(abs(float(w(found.at))) for w in waves))


def test_what_is_trimmed_stays_below_what_was_allowed() -> None:
    wave = CoefficientWaves(random_arm(3, 4)).wave("D11")
    box = Box(np.full(4, -1.0), np.full(4, 1.0), np.zeros(4, bool))
    amount = 0.05 * wave.most(box.reach)
    small, rest = trimmed(wave, box, amount)
    q = box.samples(5000)
    assert len(small) < len(wave)
    assert np.abs(wave(q) - small(q)).max() <= rest <= amount


def test_work_that_runs_out_leaves_a_true_if_wider_bound() -> None:
    wave = CoefficientWaves(random_arm(1, 5, kinds=("revolute",))).wave("D11")
    box = Box(np.full(5, -np.pi), np.full(5, np.pi), np.ones(5, bool))
    q = box.samples(20_000)
    values = wave(q)
    best = int(values.argmin())
    bounds = [Branch(wave, (), box).least(float(values[best]), q[best], 1e-6, work).bound for work in (0, 3e6, 3e7)]
    assert bounds[0] <= bounds[1] <= bounds[2] <= values.min()
    assert bounds[0] < bounds[2]


@pytest.mark.parametrize("seed", [2, 3, 6])
def test_a_joint_that_is_held_and_one_that_slides_through_zero_are_bounded_like_any_other(seed: int) -> None:
    model = CoefficientWaves(random_arm(seed, 4))
    box = Box(np.array([-2.0, 0.4, -0.5, -3.0]), np.array([2.5, 0.4, 0.8, 3.0]), np.zeros(4, bool))
    for name in ("D11", "D12", "D22", "G1", "G2"):
        wave = model.wave(name)
        found = range_of(wave, box)
        values = wave(box.samples(30_000, seed))
        assert found.certified
        assert found.lower <= values.min()
        assert values.max() <= found.upper
        assert found.at_minimum[1] == found.at_maximum[1] == 0.4
