"""Mechanisms without freedom: what their closures carry, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from mechanisms.planar import planar_arm


def test_the_closure_of_a_truss_carries_what_statics_say() -> None:
    """Two bars of 0.5 m, bases 0.6 m apart, top at 0.4 m: the thrust is m g (0.15/0.4), and a push adds its share."""
    bars = {
        name: da.Arm.from_dh([{"a": 0.5, "mass": 1, "com": (-0.25, 0, 0), "inertia": (0, 0.02, 0.02)}], name=name)
        for name in ("a", "b")
    }
    truss = da.Mechanism(
        bars,
        [da.Closure("top", "a", "b", "pin")],
        None,
        bases={"b": da.Placement.from_xyz_rpy((0.6, 0, 0))},
        home=[0.9, 2.2],
        gravity=(0, -9.81, 0),
    )
    assert truss.n == 0
    assert str(truss.mobility()) == "0 freedoms (2 joints - 2 equations)"
    turn = truss.frame(truss.home, "a")[:3, :3]
    force = turn @ [*truss.constraint_forces(truss.home, [], []), 0.0]
    np.testing.assert_allclose(force, [9.81 * 0.15 / 0.4, 0.0, 0.0], atol=1e-12)
    # A push of 8 N downward on the top of bar a: 4 N go each way, with a thrust of 4 * 0.3 / 0.4.
    push = {"a": [da.Force("link1", (0.0, -8.0, 0.0), axes="base")]}
    moved = turn @ [*truss.constraint_forces(truss.home, [], [], push), 0.0]
    np.testing.assert_allclose(moved - force, [4 * 0.3 / 0.4, -4.0, 0.0], atol=1e-12)
    assert truss.constraint_forces(np.stack([truss.home] * 3), [], []).shape == (3, 2)
    assert truss.model(truss.home).inertia.shape == (0, 0)
    assert truss.inverse_dynamics(truss.home, [], []).shape == (0,)


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_forces_in_base_axes_turn_with_the_base_and_those_in_world_axes_do_not(turn: float) -> None:
    arm = da.load("ur5e")
    base = da.Placement.from_xyz_rpy((0.2, 0.1, 0), (0.3, 0, turn))
    placed = da.Mechanism({"arm": arm}, bases={"arm": base}, gravity=(0, 0, 0))
    alone = arm.with_gravity((0, 0, 0))
    q, still = np.array([0.3, -1.0, 1.4, -0.6, 1.1, 0.2]), np.zeros(6)
    push, twist, point = (1.0, -2.0, 3.0), (0.5, 0.1, -0.3), (0.1, 0.0, 0.2)
    for axes in ("base", "link"):
        force = da.Force(arm.tool_link, push, point, twist, axes=axes)
        expected = alone.inverse_dynamics(q, still, still, forces=[force])
        np.testing.assert_allclose(placed.inverse_dynamics(q, still, still, {"arm": [force]}), expected, atol=1e-12)
    world = da.Force(arm.tool_link, push, point, twist, axes="world")
    turned = np.array(base.exact[0], dtype=float).T
    same = da.Force(arm.tool_link, turned @ push, point, turned @ twist)
    np.testing.assert_allclose(
        placed.inverse_dynamics(q, still, still, {"arm": [world]}),
        alone.inverse_dynamics(q, still, still, forces=[same]),
        atol=1e-12,
    )


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_joints_that_the_loops_hold_still_rub_nowhere(angle: float) -> None:
    """A truss with dry friction beside a pendulum, which moves as it does alone; the truss bears its weight."""
    rod = planar_arm([0.4])
    rubs = tuple((name, da.Friction((0.2, 0.2), viscous=0.01)) for name in rod.joint_names)
    dry = rod.with_drives(da.DriveTrain((), (), rubs))
    turn = da.Placement.from_xyz_rpy((0, 0, 0), (0, 0, angle))
    far = da.Placement.from_xyz_rpy((0.4 * np.cos(angle), 0.4 * np.sin(angle), 0), (0, 0, angle))

    def built(chain: da.Arm) -> da.Mechanism:
        return da.Mechanism(
            {"left": chain, "right": chain, "free": chain}, [da.Closure("tip", "left", "right", "pin")],
            ["free.joint1"], bases={"left": turn, "right": far}, home=[1.0, 2.1, 0.3], gravity=(0, -9.81, 0),
        )  # fmt: skip

    both, alone = built(dry), dry.with_gravity((0, -9.81, 0))
    for speed, load in ((0.0, 0.1), (0.5, 0.1), (-0.5, 2.0), (0.0, 0.8)):
        found = both.forward_dynamics(both.home, [speed], [load])
        np.testing.assert_allclose(found, alone.forward_dynamics([0.3], [speed], [load]), rtol=1e-9, atol=1e-12)
        pins = built(rod).constraint_forces(both.home, [speed], [1.0])
        np.testing.assert_allclose(both.constraint_forces(both.home, [speed], [1.0]), pins, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(both.as_system().contact_rows([0.3]), [[0.0], [0.0], [1.0]])  # not even by rounding


def test_friction_of_joints_that_stand_takes_no_direction_from_rounding() -> None:
    """Two links pinned at the axis of the third joint, which turns alone: rates of the others are rounding."""
    body = {"mass": 1.0, "com": (-0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    arm = da.Arm.from_dh([{"a": 0.4, **body}, {"a": 0.3, **body}, {"a": 0.25, "d": 0.1, "alpha": 0.7, **body}])
    rubs = tuple((name, da.Friction((5.0, 5.0))) for name in arm.joint_names[:2])
    at = da.Placement.from_xyz_rpy(tuple(arm.forward_kinematics([0.5, 0.9, 0.0], "link2")[:3, 3]))
    back = da.Placement.from_xyz_rpy((-0.25, -0.1 * np.sin(0.7), -0.1 * np.cos(0.7)))
    pin = da.Closure("pin", da.FrameOn("ground", at=at), da.FrameOn("arm", "link3", back), "pin")

    def pins(chain: da.Arm, turn: float, speed: float) -> np.ndarray:
        made = da.Mechanism({"arm": chain}, [pin], ["arm.joint3"], home=[0.5, 0.9, turn], gravity=(0, -9.81, 0))
        return made.constraint_forces(made.home, [speed], [2.0])

    for turn in (0.4, 0.9, 1.7, 2.6):
        for speed in (0.7, -1.3):
            dry = pins(arm.with_drives(da.DriveTrain((), (), rubs)), turn, speed)
            np.testing.assert_allclose(dry, pins(arm, turn, speed), rtol=1e-9)
