"""Joints that follow others in files: read, written, and read again."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER, coupled_chain
from dalembert.arm.io.mjcf import read_mjcf


def dynamics(arm: da.Arm) -> np.ndarray:
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, arm.n))
    return arm.inverse_dynamics(q, qd, qdd)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("seed", range(6))
def test_an_arm_file_restores_the_relations(seed: int):
    arm = coupled_chain(seed)
    again = da.load(arm.write_toml(), angles="as written", physical="ignore")
    assert [j.follows for j in again.joints] == [j.follows for j in arm.joints]
    assert again.joint_names == arm.joint_names
    np.testing.assert_allclose(dynamics(again), dynamics(arm), rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("seed", range(6))
def test_urdf_keeps_them_as_mimic(seed: int):
    arm = coupled_chain(seed)
    text = arm.write_urdf()
    assert text.count("<mimic ") == len(arm.followers)
    again = da.load(text, mimic="couple", angles="as written", physical="ignore")
    assert again.joint_names == arm.joint_names
    np.testing.assert_allclose(dynamics(again), dynamics(arm), rtol=1e-9, atol=1e-9)


def test_inertia_and_friction_of_a_follower_survive_in_its_file():
    arm = da.load(PALLETIZER)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, arm.n))
    wanted = arm.driven.inverse_dynamics(q, qd, qdd)
    assert abs(wanted[2] - arm.inverse_dynamics(q, qd, qdd)[2]) > 0.1
    for again in (da.load(arm.write_toml()), da.load(arm.write_urdf(), mimic="couple")):
        np.testing.assert_allclose(again.driven.inverse_dynamics(q, qd, qdd), wanted, rtol=1e-12)


def test_an_arm_file_says_itself_that_joints_are_coupled_and_may_be_asked_otherwise():
    assert da.load(PALLETIZER).n == da.load(PALLETIZER, mimic="couple").n == 4
    assert da.load(PALLETIZER, mimic="free").n == 6
    held = da.load(PALLETIZER, mimic="hold")
    assert held.n == 4
    assert held.joint("level").held == 0.2
    assert not held.followers


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ('follows = { joint = "elbow"', 'follows = { joint = "knee"'),
            "joint 'level' follows joint 'knee', which is not",
        ),
        (("multiplier = -1", "ratio = -1"), "unknown key 'ratio'"),
        (('follows = { joint = "elbow", ', "follows = { "), "joint"),
    ],
)
def test_a_relation_that_cannot_be_is_refused_with_the_file(change: tuple[str, str], said: str):
    with pytest.raises(da.ArmError, match=said):
        da.load(PALLETIZER.replace(*change))


BENT = """<mujoco><worldbody><body name="b"><joint name="j"/><joint name="k"/><geom size="1"/></body></worldbody>
<equality>{}</equality></mujoco>"""


def test_curves_and_two_relations_of_one_joint_are_refused_and_a_tie_to_nothing_holds():
    curve = BENT.format('<joint joint1="j" joint2="k" polycoef="0 1 2"/>')
    with pytest.raises(da.ArmError, match="joint 'j': follows joint 'k' by a curve"):
        read_mjcf(curve, mimic="couple")
    both = BENT.format('<joint joint1="j" joint2="k"/><joint joint1="j" joint2="k" polycoef="0 2"/>')
    with pytest.raises(da.ArmError, match="joint 'j': follows two joints"):
        read_mjcf(both, mimic="couple")
    held = read_mjcf(BENT.format('<joint joint1="j" polycoef="0.3"/>'), mimic="couple")
    assert held.joint_names == ("k",)
    assert held.joint("j").held == pytest.approx(0.3)


def test_rows_have_no_place_for_followers():
    with pytest.raises(da.ArmError, match=r"joint 'level' stands at -elbow \+ 0.2, and rows have no place"):
        da.load(PALLETIZER).subarm("turn", "level").to_dh()
