"""Motions of the hand resolved in the joints, to the jerk, and the voltages for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism import Mechanism

SIX = ("x", "y", "z", "rx", "ry", "rz")


def line(start: Any, shift: Any, turn: Any, duration: float, t: Any) -> tuple[Any, ...]:
    """A pose that moves by ``shift`` and turns about the axis of ``turn``, as s = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7."""
    s = np.polynomial.Polynomial([0, 0, 0, 0, 35, -84, 70, -20])
    u = t / duration
    values = [s.deriv(k)(u) / duration**k if k else s(u) for k in range(4)]
    poses = np.broadcast_to(start, (len(t), 4, 4)).copy()
    poses[:, :3, 3] += values[0][:, None] * shift
    poses[:, :3, :3] = Rotation.from_rotvec(values[0][:, None] * turn).as_matrix() @ start[:3, :3]
    return poses, *(value[:, None] * np.concatenate([shift, turn]) for value in values[1:])


@pytest.mark.parametrize("name", ["ur5e", "pair"])
def test_resolved_joints_move_as_their_derivatives_say_and_lead_the_hand_along_its_line(name: str) -> None:
    if name == "ur5e":
        home = [0.3, -1.0, 1.4, -0.6, 1.1, 0.2]
        hand, frame = Mechanism({"arm": da.load("ur5e")}, [], [f"{f}(arm)" for f in SIX], home=home), "arm"
    else:
        hand, frame = gallery.cooperating(da.load("ur5e")).with_coordinates([f"{f}(left)" for f in SIX]), "left"
    size = 1.0 if name == "ur5e" else 0.3
    start = hand.frame(hand.home, frame)
    shift, turn = size * np.array([0.1, -0.08, 0.05]), size * np.array([0.3, 0.2, -0.25])
    step, t = 1e-4, 0.6
    poses, *rates = line(start, shift, turn, 1.0, np.concatenate([np.linspace(0, t, 25), t + step * np.arange(-2, 3)]))
    motion = hand.resolve(poses, *rates)
    reached = hand.frame(motion.phi, frame)
    np.testing.assert_allclose(reached, poses, atol=1e-12)
    phi, rate, acceleration, jerk = (part[-5:] for part in motion)
    for lower, upper in ((phi, rate), (rate, acceleration), (acceleration, jerk)):
        slope = (lower[0] - 8 * lower[1] + 8 * lower[3] - lower[4]) / (12 * step)
        np.testing.assert_allclose(slope, upper[2], atol=1e-7 * (1 + np.abs(upper).max()))


def test_voltages_of_a_hand_motion_drive_the_arm_along_it() -> None:
    """Resolved jerk: without the jerk the voltages leave out L di/dt, and the hand strays."""
    # Without weight the currents begin at zero, as they do in the simulation.
    driven = da.load("puma560", physical="ignore").with_gravity((0, 0, 0)).driven.frictionless()
    home = np.array([0.1, -0.8, 0.4, 0.2, 0.9, 0.3])
    hand = Mechanism({"arm": driven}, [], [f"{f}(arm)" for f in SIX], home=home, gravity=driven.gravity)
    times = np.linspace(0, 0.04, 101)
    start = hand.frame(home, "arm")
    shift, turn = np.array([0.003, 0.002, -0.003]), np.array([0.01, -0.02, 0.01])
    motion = hand.resolve(*line(start, shift, turn, 0.04, times))
    strayed = []
    for volts in (driven.electric.voltages(*motion), driven.electric.voltages(*motion[:3])):
        supply = CubicSpline(times, volts)
        moved = driven.simulate(
            lambda t, q, qd, supply=supply: supply(t),
            home,
            duration=0.04,
            rtol=1e-7,
            input="voltage",
        )
        strayed.append(np.abs(moved.q[-1] - motion.phi[-1]).max())
    assert strayed[0] < 1e-6
    assert strayed[1] > 1e-4


def test_a_motion_of_the_hand_asks_for_the_freedoms_of_one_frame() -> None:
    bar = gallery.five_bar()
    still = np.zeros((1, 2))
    with pytest.raises(da.ArmError, match=r"freedoms of one frame, such as x\(tool\)"):
        bar.resolve(np.eye(4)[None], still, still, still)
    tip = bar.with_coordinates(["x(left)", "y(left)"])
    with pytest.raises(da.ArmError, match=r"poses of the hand are an array \(t, 4, 4\)"):
        tip.resolve(np.eye(4), still, still, still)
    far = np.eye(4)
    far[:3, 3] = 50.0
    with pytest.raises(da.ArmError, match=r"does not reach pose 0 from the one before: it stays off by"):
        tip.resolve(far[None], still, still, still)


@pytest.mark.parametrize("name", ["ur5e", "pair"])
def test_third_order_of_coordinates_that_turn_is_the_derivative_of_the_second(name: str) -> None:
    """Derivatives along the columns of X do not commute: D keeps the order of (3-44)."""
    if name == "ur5e":
        home = [0.3, -1.0, 1.4, -0.6, 1.1, 0.2]
        hand = Mechanism({"arm": da.load("ur5e")}, [], [f"{f}(arm)" for f in SIX], home=home)
    else:
        hand = gallery.cooperating(da.load("ur5e")).with_coordinates([f"{f}(left)" for f in SIX])
    frame = "arm" if name == "ur5e" else "right:forearm_link"
    here, third = hand.influence(hand.home), hand.third_order(hand.home)
    body = hand.frame_influence(hand.home, frame, order=3)
    step = 1e-5
    for k in range(6):
        ahead, behind = (hand.closed_near(hand.home + s * step * here.first[:, k]) for s in (1, -1))
        slope = (hand.influence(ahead).second - hand.influence(behind).second) / (2 * step)
        np.testing.assert_allclose(slope, third[:, k], atol=1e-6 * (1 + np.abs(third).max()))
        ahead, behind = (hand.frame_influence(at, frame).second for at in (ahead, behind))
        assert body.third is not None
        np.testing.assert_allclose(
            (ahead - behind) / (2 * step), body.third[:, k], atol=1e-6 * (1 + np.abs(third).max())
        )
    rng = np.random.default_rng(0)
    qd, qdd, qddd = rng.normal(size=(3, 6))
    both = here.second + 2 * np.swapaxes(here.second, 1, 2)
    jerk = here.first @ qddd + np.einsum("i,pij,j->p", qdd, both, qd)
    jerk += np.einsum("plij,l,i,j->p", third, qd, qd, qd)
    np.testing.assert_allclose(hand.joint_jerk(hand.home, qd, qdd, qddd), jerk, atol=1e-9 * (1 + np.abs(third).max()))
