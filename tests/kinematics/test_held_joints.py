"""``fixed=``: joints that are held make an arm with joints to spare one with a whole list of solutions."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize(("name", "joint"), [("iiwa14", 2), ("panda", 6), ("panda", 2)])
def test_all_solutions_for_a_position_of_the_spare_joint(name: str, joint: int) -> None:
    """S-R-S, a shoulder that meets in a point, and six axes of no such kind."""
    arm = da.load(name)
    q = np.array([0.4, 0.6, 0.2, -1.2, 0.5, 1.8, 0.1])
    target = arm.forward_kinematics(q)
    word = arm.joint_names[joint]
    found = arm.inverse_kinematics(target, fixed={word: q[joint]}, near=q, solutions=True, limits=False).checked()
    assert bool(found.complete)
    assert found.q == pytest.approx(q, abs=1e-8)
    (several,) = found.solutions
    assert len(several) in (4, 8)
    assert (several[:, joint] == q[joint]).all()
    assert np.abs(arm.forward_kinematics(several) - target).max() < 1e-9
    rest = arm.locked({word: q[joint]}).inverse_kinematics(target, solutions=True, limits=False)
    assert len(rest.solutions[0]) == len(several)


def test_what_cannot_be_held_is_refused() -> None:
    arm = da.load("iiwa14")
    pose = arm.forward_kinematics(np.full(7, 0.3))
    for fixed, said in (
        ({"elbow": 0.2}, "no joint 'elbow'"),
        ({"joint_3": 9.0}, "beyond its limits"),
        ({"joint_3": float("nan")}, "held at a number"),
        ({"joint_3": "a"}, "held at a number"),
        ([1, 2], "joints with positions"),
    ):
        with pytest.raises(da.ArmError, match=said):
            arm.inverse_kinematics(pose, fixed=fixed)
    assert arm.inverse_kinematics(pose, fixed={}).converged
    far = arm.inverse_kinematics(pose, fixed={"joint_4": 0.0}, starts=4)
    assert not bool(far.converged)
    assert far.q[3] == 0.0
