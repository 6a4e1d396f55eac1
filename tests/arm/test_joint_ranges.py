"""Ranges to sample where limits of joints are not known: within the limits that are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.joint_ranges import finite_ranges
from dalembert.control.trajectories import random_excitation


@pytest.fixture(scope="module")
def one_sided() -> da.Arm:
    """Joint 1 between 4 rad and no upper limit, joint 2 between no lower limit and -4 rad: zero is in neither."""
    arm = da.load("planar-2r")
    limits = da.Limits(lower=4.0), da.Limits(upper=-4.0)
    joints = tuple(replace(joint, limits=each) for joint, each in zip(arm.joints, limits, strict=True))
    return da.Arm.of(replace(arm, joints=joints))


def test_limits_that_are_known_stay_and_the_others_are_a_reach_away() -> None:
    low, high = finite_ranges([-1, -np.inf, 4, -np.inf], [2, np.inf, np.inf, -4], [3, 3, 3, 0.5], 0.25)
    assert low.tolist() == [-1, -2.75, 4, -5]
    assert high.tolist() == [2, 3.25, 10, -4]


def test_the_range_of_effective_inertia_is_searched_within_the_one_limit_there_is(one_sided: da.Arm) -> None:
    motors = [da.Actuator(f"m{k}", {f"joint{k}": 50}, rotor=da.Rotor(1e-4)) for k in (1, 2)]
    found = one_sided.with_drives(da.DriveTrain(motors)).inertia_range(samples=50)
    for at in (found.at_least, found.at_greatest):
        assert (at >= one_sided.lower).all()
        assert (at <= one_sided.upper).all()


def test_an_excitation_keeps_the_one_limit_there_is(one_sided: da.Arm) -> None:
    motion = random_excitation(one_sided.lower, one_sided.upper)
    q = motion.position(np.linspace(0, motion.duration, 1001))
    assert (q >= one_sided.lower).all()
    assert (q <= one_sided.upper).all()


def test_motions_to_identify_with_are_found_beyond_one_limit(one_sided: da.Arm) -> None:
    motion = da.excitation(one_sided, generations=1)
    q = motion.position(np.linspace(0, motion.duration, 1001))
    assert (q >= one_sided.lower).all()
    assert (q <= one_sided.upper).all()
