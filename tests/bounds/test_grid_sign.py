"""Signs on grids: what is shown to be nowhere negative is nowhere negative, in C and in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.bounds import compiled_grid
from dalembert.bounds.box import Box
from dalembert.bounds.grid_sign import halves_of, never_negative
from dalembert.bounds.ratios import by_grids, search
from dalembert.bounds.waves import Wave, collected, turning
from dalembert.reduction.coefficient_waves import CoefficientWaves
from dalembert.reduction.states import box_of
from random_arms import random_arm


def random_wave(rng: np.random.Generator, joints: int, slides: bool) -> Wave:
    k, p = rng.integers(-2, 3, (12, joints)), np.zeros((12, joints), np.int64)
    if slides:
        k[:, -1], p[:, -1] = 0, rng.integers(0, 3, 12)
    return collected(k, p, rng.normal(size=12) + 1j * rng.normal(size=12))


def descended(wave: Wave, box: Box) -> np.ndarray:
    """The position of the least value that random steps from many samples come to."""
    rng, q = np.random.default_rng(1), box.samples(4000, 8)
    q = q[np.argsort(wave(q))[:40]]
    for step in 0.3 * 0.75 ** np.arange(40):
        near = np.repeat(q, 10, axis=0)
        near = np.clip(near + step * rng.standard_normal(near.shape), box.lower, box.upper)
        everything = np.concatenate([q, near])
        q = everything[np.argsort(wave(everything))[:40]]
    return q[0]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("circle", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_a_function_above_zero_is_shown_to_be_and_one_below_it_never(seed, circle, slides, compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(compiled_grid, "library", lambda: None)
    rng = np.random.default_rng(seed)
    wave, half = random_wave(rng, 3, slides), rng.uniform(0.3, 1.5, 3)
    around = np.full(3, circle) & ~np.array([False, False, slides])
    box = Box(np.where(around, -np.pi, -half), np.where(around, np.pi, half), around)
    at = descended(wave, box)
    least, spread = float(wave(at)), float(np.ptp(wave(box.samples(500))))
    above = never_negative(wave - (least - 0.02 * spread), box, at, 1e8)
    assert above.shown
    assert above.below is None
    elsewhere = descended(-wave, box)
    for part in (1e-5, 1e-3, 0.1):
        lower = wave - (least + part * spread)
        below = never_negative(lower, box, elsewhere, 5e7)
        assert not below.shown
        assert below.below is None or lower(below.below) < 0


def test_the_halves_of_a_whole_turn_cover_it():
    box = Box(np.array([-np.pi]), np.array([np.pi]), np.ones(1, bool))
    first, second = halves_of(box, 0)
    assert first.upper[0] == second.lower[0]
    assert second.upper[0] - first.lower[0] > 2 * np.pi
    # cos x + 1 less than its least value by 1e-3 at x = pi, where the halves meet behind
    wave = turning(1, 0) + (1 - 1e-3)
    assert not never_negative(wave, box, np.array([np.pi]), 1e7).shown


@pytest.mark.parametrize("seed", [1, 2])
def test_a_ratio_on_grids_holds_what_descents_attain(seed):
    """D12/D11 of random arms of five joints: shown below the least ratio, never above it."""
    arm = random_arm(seed, 5, kinds=("revolute",))
    model, box = CoefficientWaves(arm), box_of(arm)
    top, bottom = model.inertia(0, 1), model.inertia(0, 0)
    q = box.samples(2000)
    values = top(q) / bottom(q)
    at = search(top, bottom, box, q[np.argsort(values)[:6]])
    value, gap = float(top(at) / bottom(at)), 0.05 * float(np.ptp(values))
    assert by_grids(top, bottom, box, at, value, gap, 1e8).bound == pytest.approx(value - gap)
    assert by_grids(top, bottom, box, at, value, -0.01 * gap, 1e7).bound == -np.inf


def test_a_ratio_that_is_reached_all_along_a_surface_is_shown_on_grids():
    """D17/D77 of iiwa14 is the cosine of the angle between the first axis and the last."""
    ask = da.load("iiwa14", physical="ignore").analysis()
    top, bottom = ask.waves.inertia(0, 6), ask.waves.inertia(6, 6)
    at = np.array([0, 0, 0, np.pi / 2, 0, -np.pi / 2, 0])
    assert top(at) / bottom(at) == pytest.approx(-1)
    assert by_grids(top, bottom, ask.box, at, -1.0, 0.05, 1e8).bound == pytest.approx(-1.05)
