from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.joint_keys import by_joint, joint_index

ARM = da.load("jpl-rrp")


@pytest.mark.parametrize("key", ["joint3", "q3", 2, np.int64(2)])
def test_a_joint_is_meant_by_its_name_its_number_or_as_in_printed_equations(key: object) -> None:
    assert joint_index(ARM, key) == 2


def test_a_joint_that_is_called_as_another_one_is_printed_has_its_name() -> None:
    names = [{"a": 1, "name": name} for name in ("q2", "q1")]
    arm = da.Arm.from_dh(names)
    assert [joint_index(arm, key) for key in ("q1", "q2", 0)] == [1, 0, 0]


@pytest.mark.parametrize("key", ["", "q", "q0", "q7", "q²", "Q1", "joint9", -1, 6, True, 1.0, None, (1,)])
def test_what_means_no_joint_is_refused_with_the_joints_there_are(key: object) -> None:
    with pytest.raises(da.ArmError, match=r"no joint .*; the joints are joint1, .*joint6 \(or q1 to q6\)"):
        joint_index(ARM, key)


def test_a_joint_named_twice_is_refused_instead_of_the_last_one_taken() -> None:
    assert by_joint(ARM, {"joint1": "a", 1: "b"}) == {0: "a", 1: "b"}
    with pytest.raises(da.ArmError, match="joint 'joint2' is named twice, once as 'q2'; name it once"):
        by_joint(ARM, {"joint2": 1.0, "q2": 2.0})
    with pytest.raises(da.ArmError, match="named twice"):
        ARM.analysis(box={1: (0.0, 1.0), "joint2": (0.0, 2.0)})
    with pytest.raises(da.ArmError, match="named twice"):
        ARM.analysis(speed={"q1": 1.0, "joint1": 2.0})


def test_what_is_no_table_by_joint_is_refused() -> None:
    with pytest.raises(da.ArmError, match=r"give a table by joint, as in \{'joint1': 0.5\}; got 'joint4=0'"):
        ARM.equations(at="joint4=0")  # type: ignore[arg-type]
