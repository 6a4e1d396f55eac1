"""A result that is not finite is never handed out: the joint, the drive or the overflow behind it is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile import build, joint_recursion

ROD = {"a": 0.5, "mass": 2.0, "com": (-0.25, 0, 0), "inertia": (0, 0.0417, 0.0417)}
NONE = {"a": 0.5, "mass": 0, "inertia": (0, 0, 0)}
SINGULAR = {
    "last link without mass": [ROD, NONE],
    "point mass on its own axis": [ROD, {"a": 0, "mass": 1, "com": (0, 0, 0), "inertia": (0, 0, 0)}],
    "rod that turns about its length": [ROD, {"a": 0, "mass": 1, "com": (0, 0, 0.2), "inertia": (0.1, 0.1, 0)}],
}
STATE = np.array([0.3, 0.9])
DIVIDING = {
    "forward_dynamics": lambda arm: arm.forward_dynamics(STATE, STATE, STATE),
    "batch": lambda arm: arm.forward_dynamics(np.tile(STATE, (70, 1)), STATE, STATE),
    "inverse_mass_matrix": lambda arm: arm.inverse_mass_matrix(STATE),
    "derivatives": lambda arm: arm.forward_dynamics_derivatives(STATE, STATE, STATE),
    "simulate": lambda arm: arm.simulate(np.zeros(2), STATE, duration=0.05),
    "simulate in Python": lambda arm: arm.simulate(lambda t, q, qd: np.zeros(2), STATE, duration=0.05),
}


@pytest.fixture(params=["compiled", "numpy"])
def way(request: pytest.FixtureRequest, compiled_kernels: None, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setenv(build.SWITCH, "0")
    return str(request.param)


@pytest.mark.parametrize("arm", SINGULAR)
@pytest.mark.parametrize("call", DIVIDING)
def test_a_joint_that_moves_no_inertia_is_named(arm: str, call: str, way: str) -> None:
    given = da.Arm.from_dh(SINGULAR[arm], physical="ignore", name="arm")
    with pytest.raises(ArmError, match="arm: joint 'joint2' moves no inertia, so its acceleration is not determined"):
        DIVIDING[call](given)


LEVER = {"a": 0.4, "mass": 0, "inertia": (0, 0, 0)}


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_mass_matrix", "forward_dynamics_derivatives"])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_joints_that_move_a_point_in_more_ways_than_it_has_are_named(
    name: str, batch: tuple[int, ...], way: str
) -> None:
    # no pivot of D is an exact zero: it cancels by sin^2 + cos^2 = 1
    arm = da.Arm.from_dh([ROD, LEVER, LEVER, {**LEVER, "mass": 1}], physical="ignore", name="arm")
    state = np.broadcast_to([0.3, 0.9, 0.5, -0.4], (*batch, 4))
    states = [state] if name == "inverse_mass_matrix" else [state] * 3
    with pytest.raises(ArmError, match="arm: joints joint2, joint3, joint4 can move without anything that has inertia"):
        getattr(arm, name)(*states)
    with pytest.raises(ArmError, match="can move without anything"):
        arm.compile(name)
    held = arm.holding(da.Load(0.1, inertia=(0.1, 0.1, 0.1)))
    found = getattr(held, name)(*states)
    assert all(np.isfinite(table).all() and np.abs(table).max() < 1e6 for table in np.atleast_1d(found))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives"])
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("always", [False, True])
def test_a_spring_whose_ends_meet_is_named(
    always: bool, long: bool, name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # in every pose, since link1 turns about the point; or where the slide is drawn in
    if long:
        monkeypatch.setattr(joint_recursion, "FEW_JOINTS", dict.fromkeys(joint_recursion.FEW_JOINTS, 1))
    first = ROD if always else {"type": "prismatic", "mass": 2.0}
    arm = da.Arm.from_dh([first, ROD], name="arm", physical="ignore")
    point = (-0.5, 0, 0) if always else (0, 0, 0)
    arm = arm.with_elastic(da.PointSpring("base", (0, 0, 0), "link1", point, 20.0, rest=0.1))
    state = np.array([0.0, 0.3])
    for batch in ((), (3,)):
        with pytest.raises(ArmError, match="arm: the ends of the spring or damper between 'base' and 'link1' meet"):
            getattr(arm, name)(*[np.broadcast_to(state, (*batch, 2))] * 3)


def test_a_small_inertia_is_enough() -> None:
    tip = {**LEVER, "mass": 1, "inertia": (0, 0, 1e-9)}
    arm = da.Arm.from_dh([LEVER, LEVER, tip], physical="ignore")
    assert np.isfinite(arm.forward_dynamics(STATE[[0, 1, 0]], np.zeros(3), np.zeros(3))).all()


def test_code_of_what_is_never_determined_is_not_written(tmp_path: Path) -> None:
    given = da.Arm.from_dh(SINGULAR["last link without mass"], physical="ignore", name="arm")
    with pytest.raises(ArmError, match="joint 'joint2' moves no inertia"):
        given.write_c("forward_dynamics", tmp_path)
    assert given.write_c("inverse_dynamics", tmp_path)


@pytest.mark.parametrize("batch", [(), (3,), (70,)])
def test_finite_inputs_that_overflow_are_refused(batch: tuple[int, ...], way: str) -> None:
    arm = da.load("planar-2r", physical="ignore")
    q, fast = np.zeros((*batch, 2)), np.full((*batch, 2), 1e308)
    with pytest.raises(
        ArmError, match="the result overflows; q, qd, qdd or numbers of the arm are too large for floats"
    ):
        arm.inverse_dynamics(q, fast, q)
    with pytest.raises(ArmError, match="the result overflows"):
        arm.inverse_dynamics(q, q, fast)
    with pytest.raises(ArmError, match="the result overflows; q, qd or"):
        arm.kinetic_energy(q, fast)
    with pytest.raises(ArmError, match="the result overflows"):
        arm.forward_dynamics(q, fast, q)
    slide = da.load("jpl-rrp", physical="ignore")
    far = np.zeros((*batch, slide.n))
    far[..., 2] = 1e200
    with pytest.raises(ArmError, match="the result overflows; q or numbers"):
        slide.mass_matrix(far)
    assert np.isfinite(arm.inverse_dynamics(q, q, q)).all()
