"""Joints that follow others, as data: relations, limits, what locks and what is refused."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from coupled_arms import PALLETIZER, coupled_chain, free, relation
from dalembert.arm.following import amount, couplings, settled


def tied(arm: da.Arm, **relations: da.Follows) -> da.Arm:
    return replace(arm, joints=tuple(replace(j, follows=relations.get(j.name, j.follows)) for j in arm.joints))


def test_an_arm_presents_the_joints_that_follow_none():
    arm = da.load(PALLETIZER)
    assert arm.n == 4
    assert arm.joint_names == ("turn", "shoulder", "elbow", "finger1")
    assert [joint.name for joint in arm.followers] == ["level", "finger2"]
    assert [str(joint.follows) for joint in arm.followers] == ["-elbow + 0.2", "0.5 finger1 + 0.01"]
    assert repr(arm) == "<Arm 'palletizer': 4 joints RRRP and 2 that follow>"
    assert "2 that follow" in repr(arm.driven)
    assert "stands at" in arm._repr_html_()


def test_limits_of_a_coordinate_suit_all_joints_that_follow_it():
    arm = da.load(PALLETIZER)
    elbow = arm.moving[2].limits
    # level = 0.2 - elbow within -1.6 and 1.9 at 1.5 rad/s; its effort is none of the elbow's drive
    assert (elbow.lower, elbow.upper) == pytest.approx((-1.7, 1.8))
    assert (elbow.velocity, elbow.effort) == (1.5, 150.0)
    assert arm.joint("elbow").limits.lower == -2.0


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_a_coordinate_within_its_limits_leaves_every_joint_within_its_own(seed: int, joints: int):
    arm = coupled_chain(seed, joints)
    rng = np.random.default_rng(seed)
    reach = {joint.name: da.Limits(-rng.uniform(3, 9), rng.uniform(3, 9), rng.uniform(1, 5)) for joint in arm.joints}
    arm = replace(arm, joints=tuple(replace(j, limits=reach[j.name]) for j in arm.joints))
    low, high = (np.array([getattr(reach[j.name], end) for j in arm.all_moving]) for end in ("lower", "upper"))
    a, b = relation(arm)
    for q in rng.uniform(-9, 9, (200, arm.n)):
        inside = ((q >= arm.lower) & (q <= arm.upper)).all()
        at = a @ q + b
        assert inside == ((at >= low) & (at <= high)).all()
    fastest = np.array([reach[j.name].velocity for j in arm.all_moving])
    assert (np.abs(a) @ arm.velocity_limits <= fastest * (1 + 1e-12)).all()
    touched = np.isclose(np.abs(a) * arm.velocity_limits, fastest[:, None]).any(axis=0)
    assert touched.all()


def test_long_rows_of_joints_that_follow_the_next_one_take_time_in_proportion():
    """q_k = 1/2 - q_(k + 1): every second joint stands with the last one, the others against it."""
    joint, count = da.load("planar-2r").joints[0], 3000
    row = [replace(joint, name=f"j{k}", follows=da.Follows(f"j{k + 1}", -1, Fraction(1, 2))) for k in range(count)]
    row.append(replace(joint, name=f"j{count}"))
    began = time.process_time()
    found = couplings(settled(row))
    assert time.process_time() - began < 3
    assert [float(amount(one.offset)) for one in found] == [0.5 * ((count - k) % 2) for k in range(count + 1)]
    assert [one.multiplier for one in found] == [(-1) ** (count - k) for k in range(count + 1)]


def test_what_follows_a_locked_joint_stands_where_the_relation_has_it():
    arm = da.load(PALLETIZER)
    locked = arm.locked({"elbow": 0.7})
    assert locked.joint_names == ("turn", "shoulder", "finger1")
    assert locked.joint("level").held == pytest.approx(0.2 - 0.7)
    frames, wanted = locked.link_frames([0.1, 0.2, 0.01]), arm.link_frames([0.1, 0.2, 0.7, 0.01])
    for name in arm.link_names:
        np.testing.assert_allclose(frames[name], wanted[name], atol=1e-14)
    with pytest.raises(da.ArmError, match="joint 'level' follows joint 'elbow'; lock that one"):
        arm.locked({"level": 0.0})


def test_springs_at_joints_that_were_locked_pull_at_nothing_that_moves():
    arm = da.load(PALLETIZER).with_elastic(
        da.JointSpring("level", 7.0, 0.1), da.JointDamper("elbow", 2.0), da.JointSpring("turn", 5.0)
    )
    locked = arm.locked({"elbow": 0.7})
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    whole = [np.insert(x, 2, value) for x, value in ((q, 0.7), (qd, 0.0), (qdd, 0.0))]
    wanted = np.delete(arm.inverse_dynamics(*whole), 2)
    np.testing.assert_allclose(locked.inverse_dynamics(q, qd, qdd), wanted, atol=1e-12)


def test_chains_of_relations_lock_to_the_end_and_a_ratio_of_zero_stands_still():
    arm = tied(da.load(PALLETIZER), shoulder=da.Follows("elbow", 2, "0.1"), turn=da.Follows("shoulder", "-0.5"))
    assert arm.joint_names == ("elbow", "finger1")
    assert [c.multiplier for c in arm.couplings[:2]] == [-1, 2]
    assert arm.couplings[0].start == pytest.approx(-0.05)
    locked = arm.locked({"elbow": 0.3})
    assert locked.joint_names == ("finger1",)
    assert locked.joint("turn").held == pytest.approx(-0.5 * 0.7)
    still = tied(da.load(PALLETIZER), shoulder=da.Follows("elbow", 0, "0.25"))
    assert "shoulder" not in still.joint_names
    assert not still.joint("shoulder").moves
    assert still.joint("shoulder").held == 0.25


@pytest.mark.parametrize(
    ("relations", "said"),
    [
        ({"shoulder": da.Follows("knee")}, "joint 'shoulder' follows joint 'knee', which is not there"),
        ({"shoulder": da.Follows("shoulder")}, "joints shoulder, shoulder follow each other in a circle"),
        (
            {"shoulder": da.Follows("turn"), "turn": da.Follows("shoulder")},
            "joints turn, shoulder, turn follow each other in a circle",
        ),
        ({"shoulder": da.Follows("elbow", "1e-400")}, "joint 'shoulder' follows joint 'elbow' by a multiplier beyond"),
        (
            {"shoulder": da.Follows("turn", "1e-20"), "turn": da.Follows("elbow", "1e-20")},
            "joint 'turn'|joint 'shoulder' follows joint 'elbow' by a multiplier beyond 1e±30",
        ),
    ],
)
def test_relations_that_lead_nowhere_are_refused(relations: dict[str, da.Follows], said: str):
    with pytest.raises(da.ArmError, match=said):
        tied(da.load(PALLETIZER), **relations)


def test_limits_without_a_common_position_are_refused_by_name():
    with pytest.raises(da.ArmError, match="'level' follows joint 'elbow', and their limits have no position in common"):
        tied(da.load(PALLETIZER), level=da.Follows("elbow", 1, 9))


def test_a_part_of_an_arm_keeps_what_it_follows_or_is_refused():
    arm = da.load(PALLETIZER)
    part = arm.subarm("shoulder", "level")
    assert part.joint_names == ("shoulder", "elbow")
    with pytest.raises(da.ArmError, match="joint 'level' follows joint 'elbow', which is not there"):
        arm.subarm("level", "level")


def test_an_offset_is_kept_exactly_where_it_is_an_angle():
    text = PALLETIZER.replace("offset = 0.2", 'offset = "90 deg"')
    follows = da.load(text).joint("level").follows
    assert (follows.offset.cos, follows.offset.sin) == (0, 1)
    assert math.isclose(follows.offset.radians, math.pi / 2)


def test_a_moving_base_and_a_load_leave_the_relations():
    arm = da.load(PALLETIZER).on_moving_base().holding(da.Load(2.0))
    a, b = relation(arm)
    q = np.array([0.3, 0.1, 0.2, 0.7, 0.01])
    np.testing.assert_allclose(arm.mass_matrix(q), a.T @ free(arm).mass_matrix(a @ q + b) @ a, atol=1e-12)


ROW = """<robot name="row"><link name="base"/><link name="a"/><link name="b"/>
<link name="c"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j1" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<mimic joint="j1" offset="0.2"/></joint>
<joint name="j3" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
<mimic joint="j2" multiplier="2" offset="0.1"/></joint></robot>"""


def test_joints_held_stand_where_their_relations_in_a_row_have_them():
    coupled = da.load(ROW, mimic="couple")
    assert coupled.all_positions([0.0]).tolist() == pytest.approx([0, 0.2, 0.5])
    for text in (ROW, coupled.write_toml()):
        held = da.load(text, mimic="hold")
        assert held.forward_kinematics([0.0]) == pytest.approx(coupled.forward_kinematics([0.0]), abs=1e-14)


def test_springs_at_joints_that_stand_are_left_out_and_the_file_reads_back():
    arm = da.load(ROW, mimic="couple").with_elastic(da.JointSpring("j3", 3.0, 0.4), da.JointSpring("j1", 2.0))
    assert da.load(arm.write_toml(), mimic="hold").elastic == (da.JointSpring("j1", 2.0),)
    locked = arm.locked({"j1": 0.1})
    assert da.load(locked.write_toml()).elastic == locked.elastic == ()
