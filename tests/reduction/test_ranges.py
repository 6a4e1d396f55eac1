"""Certified ranges hold every pose, and are attained within the gap they state."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.reduction.bounds import Bounder
from dalembert.reduction.box import Box, box_of
from dalembert.reduction.grids import grid_bound
from dalembert.reduction.model_waves import ModelWaves
from dalembert.reduction.ranges import range_of
from dalembert.reduction.ratios import ratio_range
from random_arms import random_arm


def domain(arm: da.Arm) -> Box:
    slides = {i: (-0.4, 0.7) for i, joint in enumerate(arm.moving) if joint.kind == "prismatic"}
    return box_of(arm, slides)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_range_holds_every_sample_and_is_attained(seed: int) -> None:
    arm = random_arm(seed, 3)
    model, box = ModelWaves(arm), domain(arm)
    samples = box.samples(100_000, seed)
    for name in ("D11", "D12", "D22", "G1", "G2", "C112"):
        wave = model.wave(name)
        found = range_of(wave, box)
        values = wave(samples)
        assert found.lower <= values.min()
        assert values.max() <= found.upper
        assert found.certified
        assert found.gap <= found.tolerance
        assert np.isclose(wave(found.at_minimum), found.minimum)
        assert np.isclose(wave(found.at_maximum), found.maximum)
        assert np.all(found.at_maximum >= box.lower - 1e-12)
        assert np.all(found.at_maximum <= box.upper + 1e-12)


@pytest.mark.parametrize("seed", [3, 5])
def test_every_small_box_is_bounded_from_below_by_what_the_bounder_says(seed: int) -> None:
    arm = random_arm(seed, 3)
    box, wave = domain(arm), ModelWaves(arm).wave("D11")
    bounder = Bounder(wave, box.reach)
    rng = np.random.default_rng(seed)
    lower, upper = box.lower[bounder.joints], box.upper[bounder.joints]
    centre = rng.uniform(lower, upper, (60, len(bounder.joints)))
    half = np.minimum(rng.uniform(0, 0.7, centre.shape), np.minimum(centre - lower, upper - centre))
    bound = bounder(centre, half).lower
    inside = centre[:, None] + rng.uniform(-1, 1, (60, 400, centre.shape[1])) * half[:, None]
    assert np.all(bounder.values(inside).min(axis=1) >= bound)


@pytest.mark.parametrize("seed", [1, 3])
def test_a_bound_from_a_grid_holds_and_is_not_idle(seed: int) -> None:
    arm = random_arm(seed, 4)
    model, box = ModelWaves(arm), domain(arm)
    for name in ("D11", "D12", "G1"):
        wave = model.wave(name)
        bound, at = grid_bound(wave, box)
        largest = np.abs(wave(box.samples(50_000))).max()
        assert largest <= bound <= 1.7 * largest
        assert np.all(at >= box.lower - 1e-9)
        assert np.all(at <= box.upper + 1e-9)


def test_the_range_of_a_ratio_holds_every_sample() -> None:
    arm = random_arm(2, 3)
    model, box = ModelWaves(arm), domain(arm)
    top, bottom = model.wave("D12"), model.wave("D11")
    found = ratio_range(top, bottom, box)
    q = box.samples(50_000)
    values = top(q) / bottom(q)
    assert found.lower <= values.min()
    assert values.max() <= found.upper
    assert found.gap <= 0.01 * (found.maximum - found.minimum)


def test_a_ratio_to_something_that_vanishes_is_refused() -> None:
    model = ModelWaves(da.load("puma560", physical="ignore"))
    with pytest.raises(ArmError, match="not bounded"):
        ratio_range(model.wave("D11"), model.wave("G2"), box_of(model.arm))


def test_an_inverted_box_a_wrong_joint_and_a_missing_range_are_said_plainly() -> None:
    arm = da.load("jpl-rrp")
    with pytest.raises(ArmError, match="empty"):
        box_of(arm, {"joint2": (1, -1)})
    with pytest.raises(ArmError, match="no joint"):
        box_of(arm, {"elbow": (0, 1)})
    with pytest.raises(ArmError, match="slides and has no limits"):
        box_of(random_arm(7, 4, kinds=("prismatic",), fixed=0.0))
    with pytest.raises(ArmError, match="gap"):
        range_of(ModelWaves(arm).wave("D11"), box_of(arm), -1.0)
