"""Symmetric, planar and singular poses: where the list is called whole, a search finds nothing beside it."""

from __future__ import annotations

import math
import os
from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics.closed_form.general_six import _accounted
from dalembert.kinematics.closed_form.loop_elimination import Eliminated
from dalembert.kinematics.pose_errors import rotation_vector

RIGHT = math.pi / 2
POSES = 40 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 4


def rows(*numbers: tuple[float, float, float]) -> list[dict[str, object]]:
    return [{"a": a, "alpha": alpha, "d": d} for a, alpha, d in numbers]


OFFSET_WRIST = ((0.15, RIGHT, 0.4), (0.5, 0, 0), (0.1, RIGHT, 0), (0, -RIGHT, 0.5), (0.08, RIGHT, 0), (0, 0, 0.1))
RIGHT_ANGLED = ((0.3, RIGHT, 0), (0.4, -RIGHT, 0.2), (0.1, RIGHT, 0.1), (0.05, -RIGHT, 0.4), (0.06, RIGHT, 0.1),
                (0, 0, 0.1))  # fmt: skip
IN_A_PLANE = ((0.3, RIGHT, 0), (0.4, -RIGHT, 0), (0.1, RIGHT, 0), (0.05, -RIGHT, 0.4), (0.06, RIGHT, 0), (0, 0, 0.1))


@cache
def arm_of(name: str) -> da.Arm:
    given = {"offset wrist": OFFSET_WRIST, "right-angled": RIGHT_ANGLED, "in a plane": IN_A_PLANE}
    if name in given:
        return da.Arm.from_dh(rows(*given[name]), name="six")
    return da.load(name, physical="ignore")


def off(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max(axis=-1)


def newton(arm: da.Arm, pose: np.ndarray, start: np.ndarray, free: list[int]) -> np.ndarray:
    """Solutions that damped Gauss-Newton steps lead to, written out here."""
    q = start.copy()
    for _ in range(40):
        now, jacobian = arm.forward_kinematics(q), arm.jacobian(q)[:, :, free]
        turned, _ = rotation_vector(pose[:3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2))
        error = np.concatenate([pose[:3, 3] - now[:, :3, 3], turned], axis=1)
        back = np.swapaxes(jacobian, 1, 2)
        damped = back @ jacobian + (0.5 * (error**2).sum(axis=1) + 1e-14)[:, None, None] * np.eye(len(free))
        q[:, free] += np.linalg.solve(damped, back @ error[..., None])[..., 0]
    return q[np.abs(arm.forward_kinematics(q) - pose).max(axis=(1, 2)) < 1e-9]


@pytest.mark.parametrize(
    ("name", "held"),
    [("panda", "joint3"), ("panda", "joint7"), ("offset wrist", ""), ("right-angled", ""), ("in a plane", "")],
)
def test_a_list_that_is_called_whole_holds_all_that_a_search_finds(name: str, held: str) -> None:
    arm = arm_of(name)
    rng = np.random.default_rng((3, *name.encode()))
    free = [k for k, joint in enumerate(arm.joint_names) if joint != held]
    whole = 0
    for _ in range(POSES):
        right = rng.choice([0, RIGHT, -RIGHT, np.pi], arm.n)
        q = np.where(rng.random(arm.n) < 0.6, right, rng.uniform(-3, 3, arm.n))
        fixed = {held: float(q[arm.joint_names.index(held)])} if held else None
        pose = arm.forward_kinematics(q)
        found = arm.inverse_kinematics(pose, limits=False, solutions=True, fixed=fixed)
        assert found.method.startswith("closed form")
        if not bool(found.complete):
            continue
        whole += 1
        start = rng.uniform(-np.pi, np.pi, (100, arm.n))
        start[:, [k for k in range(arm.n) if k not in free]] = q[[k for k in range(arm.n) if k not in free]]
        others = np.concatenate([q[None], newton(arm, pose, start, free)])
        assert off(others[:, None], found.solutions[0][None]).min(axis=1).max() < 1e-3
    assert whole > 0


@pytest.mark.parametrize("limits", [True, False])
def test_planar_poses_of_the_panda_are_found_and_known_to_be_all(limits: bool) -> None:
    """Its ready pose, and random ones with joints 3 and 5 at zero: solutions share joints, or are complex and share."""
    arm = arm_of("panda")
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (30, arm.n))
    q[0] = [0, -np.pi / 4, 0, -3 * np.pi / 4, 0, RIGHT, np.pi / 4]
    q[:, [2, 4]] = 0
    found = arm.inverse_kinematics(arm.forward_kinematics(q), fixed={"joint3": 0.0}, limits=limits, solutions=True)
    worth = np.linalg.svd(np.delete(arm.jacobian(q), 2, axis=2))[1][:, -1]
    assert all(off(several, x).min() < 1e-6 for several, x in zip(found.solutions, q, strict=True))
    assert bool(found.complete[0])
    assert found.complete[worth > 0.03].mean() > 0.9


ENDLESS = {
    "jpl-rrp, wrist": ("jpl-rrp", [-RIGHT, 0, 0.3, 2.0, 0, 1.0], {}),
    "iiwa14, joint_5 held": ("iiwa14", [RIGHT, 0, 0.4, 0, RIGHT, -RIGHT, -RIGHT], {"joint_5": RIGHT}),
    "stanford, hand on the axis": ("stanford", [0.4, 1.2, 0, 0.4, 0.4, 0.5], {}),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_endlessly_many_solutions_are_never_called_all_and_the_free_joint_stays(case: str) -> None:
    name, given, fixed = ENDLESS[case]
    arm, q = arm_of(name), np.array(given)
    pose = arm.forward_kinematics(q)
    for near in (q, None):
        found = arm.inverse_kinematics(pose, near=near, fixed=fixed, limits=False, solutions=True).checked()
        assert not bool(found.complete)
        assert np.abs(arm.forward_kinematics(found.solutions[0]) - pose).max() < 1e-9
        if near is not None:
            assert found.q == pytest.approx(q, abs=1e-12)


def test_a_position_that_solves_the_pose_is_the_answer_with_two_joints_free_at_once() -> None:
    arm = da.Arm.from_dh(
        rows((0, RIGHT, 0.3), (0.4, 0, 0), (0.4, RIGHT, 0), (0, -RIGHT, 0), (0, RIGHT, 0), (0, 0, 0.1)), name="elbow"
    )
    q = np.array([0.3, 0.5, np.pi, 0.4, 0.6, 0.2])
    found = arm.inverse_kinematics(arm.forward_kinematics(q), near=q, solutions=True)
    assert found.q == pytest.approx(q, abs=1e-12)
    assert not bool(found.complete)


def test_a_closed_form_that_is_not_sure_adds_what_starts_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a second witness nothing is proven, and the list is still all that starts lead to."""
    arm = arm_of("right-angled")
    q = np.array([0.3, -0.7, 1.1, 0.4, -0.9, 0.2])
    pose = arm.forward_kinematics(q)
    sure = arm.inverse_kinematics(pose, solutions=True)
    monkeypatch.setattr("dalembert.kinematics.closed_form.general_six.WITNESSES", 7)
    asked = arm.inverse_kinematics(pose, solutions=True)
    assert bool(sure.complete)
    assert not bool(asked.complete)
    assert len(asked.solutions[0]) == len(sure.solutions[0])


def test_a_branch_that_an_angle_leaves_free_and_misses_its_pose_proves_nothing() -> None:
    """Three parallel axes: joint 1 is free for the heights, but the triangle of joints 2 to 4 binds it again."""
    given = (
        (-0.1442062216016592, RIGHT, 0.14209855393501258, -1.3115471120687396), (0.4, 0, 0, RIGHT),
        (0.3, 0, 0.3, RIGHT), (0.4, RIGHT, 0.3, 0), (0, RIGHT, -0.3746898567989283, 0),
        (0.461271125822598, -RIGHT, 0.3, -1.9606620049738692),
    )  # fmt: skip
    arm = da.Arm.from_dh([{"a": a, "alpha": b, "d": d, "theta": t} for a, b, d, t in given], name="parallel")
    q = np.array([RIGHT, 0.4, -RIGHT, np.pi, 0, -RIGHT])
    found = arm.inverse_kinematics(arm.forward_kinematics(q), solutions=True).checked()
    assert off(found.solutions[0], q).min() > 0.1  # of endlessly many others only some are listed
    assert not bool(found.complete)


@pytest.mark.parametrize(
    ("eigenvalues", "far", "solutions", "witness"),
    [
        ([0.5, 0.5, 1.0], [0, 0, 0], [0.5, 0.5, 1.0], True),
        ([0.5, 0.5, 1.0], [0, 0, 0], [0.5, 1.0], False),
        ([0.5, 0.7, 1.0], [0, 1e-5, 0], [0.5, 1.0], False),
        ([0.5, 0.7, 1.0], [0, 0.2, 0], [0.5, 1.0], True),
        ([0.5, 1.0], [0, 0], [0.5, 1.0, 2.0], False),
        ([0.5, 0.7], [0, 0], [0.5, 0.9], False),
    ],
)
def test_a_witness_accounts_for_every_real_eigenvalue_as_often_as_it_occurs(
    eigenvalues: list[float], far: list[float], solutions: list[float], witness: bool
) -> None:
    angle, imaginary, joint = np.zeros((1, 16)), np.full((1, 16), 3.0), np.zeros((1, 16))
    angle[0, : len(eigenvalues)], imaginary[0, : len(far)] = eigenvalues, far
    joint[0, : len(solutions)] = np.array(solutions) + 2 * np.pi
    held = np.array([len(solutions)])
    for regular in (True, False):
        said = Eliminated(np.zeros((1, 16, 6)), angle, imaginary, np.array([regular]))
        assert bool(_accounted(said, joint, held)[0]) == (witness and regular)
