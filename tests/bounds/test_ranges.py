"""Certified ranges hold every pose, and are attained within the gap they state."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.bounds.box import Box
from dalembert.bounds.ranges import range_of
from dalembert.bounds.ratios import ratio_range
from dalembert.bounds.waves import turning
from dalembert.design.gravity_ranges import ancestors, load_range, over_directions
from dalembert.reduction.coefficient_waves import CoefficientWaves
from dalembert.reduction.states import box_of
from random_arms import random_arm


def domain(arm: da.Arm) -> Box:
    slides = {i: (-0.4, 0.7) for i, joint in enumerate(arm.moving) if joint.kind == "prismatic"}
    return box_of(arm, slides)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_range_holds_every_sample_and_is_attained(seed: int) -> None:
    arm = random_arm(seed, 3)
    model, box = CoefficientWaves(arm), domain(arm)
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


def test_the_range_of_a_ratio_holds_every_sample() -> None:
    arm = random_arm(2, 3)
    model, box = CoefficientWaves(arm), domain(arm)
    top, bottom = model.wave("D12"), model.wave("D11")
    found = ratio_range(top, bottom, box)
    q = box.samples(50_000)
    values = top(q) / bottom(q)
    assert found.lower <= values.min()
    assert values.max() <= found.upper
    assert found.gap <= 0.01 * (found.maximum - found.minimum)


def test_a_ratio_to_a_negative_denominator_is_that_to_its_opposite_with_the_other_sign() -> None:
    model = CoefficientWaves(random_arm(2, 3))
    box, top, bottom = domain(model.arm), model.wave("D22"), model.wave("D11")
    one, other = ratio_range(top, bottom, box), ratio_range(top, -bottom, box)
    assert 0 < one.minimum < one.maximum
    assert (-other.maximum, -other.minimum) == pytest.approx((one.minimum, one.maximum), rel=1e-6)
    values = -top(box.samples(20_000)) / bottom(box.samples(20_000))
    assert other.lower <= values.min()
    assert values.max() <= other.upper


def test_a_ratio_without_work_for_a_proof_has_wider_ends_than_it_attains_and_says_so() -> None:
    model = CoefficientWaves(random_arm(2, 3))
    box, top, bottom = domain(model.arm), model.wave("D12"), model.wave("D11")
    floor = range_of(bottom, box).lower
    found = ratio_range(top, bottom, box, 1e-6, work=0.0, floor=floor)
    assert found.lower < found.minimum < found.maximum < found.upper
    assert not found.certified
    assert ratio_range(top, bottom, box, 1e-6, floor=floor).certified


@pytest.mark.parametrize("joint", [4, 5, 6])
def test_gravity_loads_behind_many_joints_close_by_the_direction_of_gravity(joint: int) -> None:
    model = CoefficientWaves(da.load("panda"))
    box = box_of(model.arm)
    found = load_range(model, joint, box)
    values = model.gravity(joint)(box.samples(20_000))
    assert found.certified
    assert found.lower <= values.min()
    assert values.max() <= found.upper
    assert np.isclose(model.gravity(joint)(found.at_maximum), found.maximum)
    assert np.all((box.lower - 1e-12 <= found.at_maximum) & (found.at_maximum <= box.upper + 1e-12))


def test_every_pose_gives_a_direction_of_gravity_that_is_gone_through() -> None:
    model = CoefficientWaves(random_arm(11, 5, kinds=("revolute",)))
    box = box_of(model.arm)
    before = [j for j in ancestors(model.arm, 3) if j in model.gravity(3).joints]
    free, domain = over_directions(model, 3, before, box)
    largest = range_of(free, domain).upper
    assert np.abs(model.gravity(3)(box.samples(20_000))).max() <= largest


def test_two_angles_stand_for_all_joints_before_a_load_that_about_the_vertical_too() -> None:
    model = CoefficientWaves(da.load("panda"))  # its first joint turns about the vertical, and so no load depends on it
    path = ancestors(model.arm, 4)
    before = [j for j in path if j in model.gravity(4).joints]
    assert path[0] not in before
    free, _ = over_directions(model, 4, before, box_of(model.arm))
    assert set(free.joints) & set(path) == set(before[:2])


def test_limits_that_keep_gravity_from_its_worst_direction_are_seen() -> None:
    model = CoefficientWaves(da.load("iiwa14"))
    box = box_of(model.arm, {1: (-0.2, 0.2), 2: (-0.3, 0.3), 3: (-0.2, 0.2), 4: (-0.2, 0.2)})
    found = load_range(model, 4, box, work=1e8)
    values = model.gravity(4)(box.samples(50_000))
    assert found.lower <= values.min()
    assert values.max() <= found.upper
    assert found.certified


def test_a_ratio_to_something_that_vanishes_is_refused() -> None:
    model = CoefficientWaves(da.load("puma560", physical="ignore"))
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
        range_of(CoefficientWaves(arm).wave("D11"), box_of(arm), -1.0)


def test_a_ratio_that_the_proof_finds_beyond_the_search_is_taken_up() -> None:
    """D13/D11 of iiwa14: local searches from samples end at 1.0699, the proof meets a position above it."""
    ask = da.load("iiwa14", physical="ignore").analysis()
    found = ask.range_of("D13/D11")
    assert found.certified
    assert found.maximum > 1.0717
    d = ask.system.mass_matrix(found.at_maximum)
    assert d[0, 2] / d[0, 0] == pytest.approx(found.maximum)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_proof_ends_where_rounding_allows_no_closer_bound(monkeypatch, compiled):
    """A cosine half a million turns from zero: its angle is rounded to 1e-10, and no work makes up for that."""
    mpmath = pytest.importorskip("mpmath")
    if not compiled:
        monkeypatch.setattr("dalembert.bounds.branch.compiled_run", lambda *_: None)
    low, high = 3141595.772953912, 3141595.8174109827
    wave = turning(1, 0).times(0.732)
    found = range_of(wave, Box(np.array([low]), np.array([high]), np.array([False])), 1e-9, work=1e7)
    assert not found.certified
    assert found.work < 1e4
    with mpmath.workdps(40):
        exact = [float(mpmath.mpf("0.732") * mpmath.cos(mpmath.mpf(x))) for x in (low, high)]
    assert found.lower <= min(exact) <= max(exact) <= found.upper
    assert found.gap < 1e-6
