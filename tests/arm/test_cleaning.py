"""Numbers that are zero but for rounding: told, and taken off when asked."""

from __future__ import annotations

import math
import random
import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.cleaning import cleaning, hint, reach
from dalembert.arm.errors import ArmError, RoundedWarning
from dalembert.arm.exact import Angle
from dalembert.arm.inertia import Inertia
from dalembert.arm.placement import Placement, rotate, translate
from random_arms import random_arm, random_state


def noisy(length: str = "1e-17", angle: str = "1.5e-11", product: str = "-4.6e-13") -> str:
    """Two joints with remains of rounding in a length, an angle and a product of inertia."""
    inertia = f'<inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="{product}"/>'
    inertial = f'<inertial><origin xyz="0.1 {length} 0"/><mass value="2"/>{inertia}</inertial>'
    origin = f'<origin xyz="0 {length} 0.5" rpy="0 {angle} 0"/>'
    joints = [
        f'<joint name="{name}" type="continuous">{origin}<parent link="{parent}"/><child link="{child}"/></joint>'
        for name, parent, child in (("j1", "a", "b"), ("j2", "b", "c"))
    ]
    links = [f'<link name="{name}">{inertial}</link>' for name in "bc"]
    return f'<robot name="noisy"><link name="a"/>{"".join(links + joints)}</robot>'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "noisy.urdf"
    path.write_text(noisy())
    return path


def test_loading_hints_at_the_remains_of_rounding_and_changes_nothing(file):
    with pytest.warns(RoundedWarning) as told:
        arm = da.load(file)
    (only,) = told
    assert "2 angles by up to 1.5e-11 rad, 4 lengths by up to 1e-17 m" in str(only.message)
    assert "2 products of inertia by up to 4.6e-13 kg m^2; used as given, and clean=1e-09" in str(only.message)
    assert float(arm.joint("j1").before.position[1]) == 1e-17


def test_clean_makes_it_the_arm_without_them_and_says_so(file, tmp_path):
    with pytest.warns(RoundedWarning, match="noisy is cleaned: 2 angles by up to 1.5e-11 rad") as told:
        arm = da.load(file, clean=1e-9)
    assert len(told) == 1
    plain = tmp_path / "plain.urdf"
    plain.write_text(noisy("0", "0", "0"))
    assert arm == da.load(plain)


def test_cleaning_by_method_is_cleaning_by_load(file):
    with pytest.warns(RoundedWarning):
        assert da.load(file).cleaned(1e-9) == da.load(file, clean=1e-9)


def test_what_is_larger_than_the_tolerance_stays(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(noisy("1e-6", "1e-6", "1e-6"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm = da.load(path)
        assert arm.cleaned(1e-9) == arm


@pytest.mark.parametrize("seed", range(5))
def test_torques_change_by_no_more_than_the_tolerance_allows(seed):
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, 5))
    made = cleaning(arm, 1e-3)
    q, qd, qdd = (np.array(values) for values in random_state(rng, arm))
    before, after = arm.inverse_dynamics(q, qd, qdd), made.arm.inverse_dynamics(q, qd, qdd)
    assert np.abs(after - before).max() <= 50 * 1e-3 * np.abs(before).max()
    assert bool(made) == (made.arm != arm)


def test_a_rotation_that_is_round_as_a_whole_is_cleaned_as_a_whole():
    turn = Placement.of(rotate("z", 0.7), rotate("y", math.pi / 2 - 1e-12), rotate("x", 0.7 + 1e-12))
    arm = da.Arm.from_dh([{"a": 1, "mass": 1}], base=turn)
    made = cleaning(arm, 1e-9)
    assert made.angles
    assert all(entry in (-1, 0, 1) for row in made.arm.joints[0].before.rotation for entry in row)


def test_masses_and_moments_are_never_touched():
    tiny = Inertia.of("1e-15", (1, 0, 0), ("1e-30", "1e-20", "1e-20"))
    arm = da.Arm.from_dh([{"a": 1, "body": Inertia.of(1, (0, 0, 0), (1, 1, 1))}, {"a": 1, "body": tiny}])
    assert cleaning(arm, 1e-9).arm == arm


def test_names_of_steps_survive_cleaning():
    arm = da.Arm.from_dh([{"a": "1e-14", "d": 1, "alpha": Angle.of(1e-12), "mass": 1}])
    steps = {step.name: step.amount for step in cleaning(arm, 1e-9).arm.joints[0].after.steps}
    assert (steps["a1"], steps["alpha1"], steps["d1"]) == (0, Angle.quarters(0), 1)


def test_the_reach_is_the_longest_path():
    arm = da.Arm.from_dh([{"a": 2, "mass": 1}, {"a": 1, "mass": 1, "com": (-1, 0, 0)}])
    assert reach(arm) == 4
    assert reach(arm.with_tool(Placement.of(translate("x", 5)))) == 4


def test_a_tolerance_that_is_no_share_is_refused():
    arm = da.load("planar-2r")
    for wrong in (-1e-9, 1.0, math.nan):
        with pytest.raises(ArmError, match="clean is a share such as 1e-9"):
            arm.cleaned(wrong)


def test_no_arm_of_the_catalog_needs_the_hint():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RoundedWarning)
        for name in da.catalog():
            hint(da.load(name, physical="ignore"))
