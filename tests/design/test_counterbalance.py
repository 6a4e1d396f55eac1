"""Counterweights and springs: what they take off, how little is left, and that it is proved."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.exact import exact
from dalembert.design.counterbalance import with_weight
from dalembert.equations.closed_form import Equations


def test_a_counterweight_on_the_last_link_takes_the_load_off_its_joint() -> None:
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    ask = arm.analysis()
    found = ask.counterbalance(1, mass=2.0)
    assert found.exact
    assert found.before > 0
    assert found.after == pytest.approx(0, abs=1e-12)
    balanced = da.Arm.of(found.balanced)
    q = ask.box.samples(50)
    assert np.allclose(balanced.gravity_load(q)[:, 1], 0, atol=1e-12)
    assert found.mass == 2.0


def test_a_counterweight_says_in_a_sentence_what_it_does_and_whether_it_can_be_built() -> None:
    ask = da.load("articulated").analysis()
    heavy, exact = str(ask.counterbalance("joint2")), str(ask.counterbalance("joint3", mass=0.5))
    assert heavy.startswith("joint2: 22.5 kg on link upper arm, at (-0.7, 0, -0.15) m in its frame, lowers the largest")
    assert "from 51.503 to 7.3575 N m; no pose exceeds 7.3575 N m, and no weight on this link leaves less" in heavy
    assert heavy.endswith("half of the 15 kg that the joint moves; a spring with k a b = 44.145 N m does the same.")
    assert exact.endswith("takes the gravity load away, up to 7.3575 N m without it.")


def test_a_spring_of_the_strength_told_balances_as_the_weight_does() -> None:
    """k a b, from a above the axis to b on the link: the torque of a spring without free length is k a b sin(angle)."""
    arm = da.load("planar-2r").locked({"joint1": 0.0})
    found = arm.analysis().counterbalance("joint2", radius=0.05)
    assert found.heavy
    assert found.moves == pytest.approx(1.0)
    height, reach = 0.3, 0.25
    stiffness = found.spring / (height * reach)
    q = np.linspace(-3, 3, 50)[:, None]
    axis = arm.forward_kinematics(q)[:, :3, 3] - np.c_[np.cos(q), np.sin(q), 0 * q]
    point = axis + reach * np.c_[np.cos(q), np.sin(q), 0 * q]
    force = stiffness * (axis + np.array([0, height, 0]) - point)
    torque = np.cross(point - axis, force)[:, 2]
    np.testing.assert_allclose(torque, arm.gravity_load(q)[:, 0], atol=1e-9)


def test_a_counterweight_is_exact_for_numbers_that_no_decimal_writes() -> None:
    third = Fraction(1, 3)
    rows = [{"a": 0.5, "mass": 1, "com": (-0.2, 0, 0)}, {"a": third, "mass": third, "com": (-third / 7, third / 9, 0)}]
    arm = da.Arm.from_dh(rows, gravity=(0, -9.81, 0))
    found = arm.analysis().counterbalance(1)
    assert found.exact
    assert found.after == 0
    assert not Equations(found.balanced, "numbers").gravity[1]


def test_where_outer_joints_move_the_load_about_the_weight_lowers_the_largest_load() -> None:
    """G1 = A c1 + B c12: a weight takes A away and leaves B, the load of joint 2; more or less of it leaves more."""
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    found = arm.analysis().counterbalance(0)
    assert not found.exact
    assert 0 < found.after < found.before
    assert found.after == pytest.approx(arm.analysis().counterbalance(1).before, rel=1e-3)
    q = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 73)] * 2), axis=-1)
    assert np.abs(da.Arm.of(found.balanced).gravity_load(q)[..., 0]).max() == pytest.approx(found.after, rel=1e-3)
    for factor in ("0.9", "1.1"):
        other = with_weight(arm, found.link, exact(factor) * exact(found.mass), tuple(map(exact, found.place)))
        assert np.abs(da.Arm.of(other).gravity_load(q)[..., 0]).max() > 1.01 * found.after
    with pytest.raises(ArmError, match="slides"):
        da.load("jpl-rrp").analysis().counterbalance("joint3")


def test_a_counterweight_makes_the_largest_load_least_and_proves_it() -> None:
    """articulated: G2 = 9.81 (4.5 c2 + 0.75 c23): 22.5 kg at 0.2 m leave 7.3575 N m, what joint 3 holds."""
    arm = da.load("articulated")
    found = arm.analysis().counterbalance("joint2", radius="0.2")
    assert found.mass == pytest.approx(22.5, rel=1e-5)
    assert found.after == pytest.approx(7.3575, rel=1e-5)
    assert found.least <= found.after * (1 + 1e-6)
    assert found.after - found.least <= 1e-5 * found.after
    assert found.after <= found.proved <= 1.001 * found.after


@pytest.mark.parametrize(("name", "joint"), [("irb6", "joint2"), ("jpl-rrp", "joint4"), ("ur5e", "wrist_1_joint")])
def test_no_weight_leaves_less_than_the_least_and_no_pose_has_more_than_is_proved(name: str, joint: str) -> None:
    """By moments all about the answer, and by poses that took no part in it."""
    arm = da.load(name)
    ask = arm.analysis()
    found = ask.counterbalance(joint)
    i = arm.joint_names.index(joint)
    q = ask.box.samples(40_000, 99)
    reached = np.abs(da.Arm.of(found.balanced).gravity_load(q)[:, i]).max()
    assert 0.95 * found.after < reached <= found.after * (1 + 1e-9) <= found.proved * (1 + 1e-9)
    assert found.after - found.least <= 1e-4 * found.after
    sizes = np.linalg.norm(found.moment)
    for step in 0.1 * sizes * np.vstack([np.eye(3), -np.eye(3)]):
        moment = np.array(found.moment) + step
        body = arm.bodies[i]
        turn, shift = body.after.exact
        origin = -np.array(turn, float).T @ np.array(shift, float)
        weight = float(np.linalg.norm(moment)) / 0.2
        spot = tuple(exact(float(x)) for x in origin + moment / weight)
        other = da.Arm.of(with_weight(arm, found.link, exact(weight), spot))
        assert other.analysis().gravity(i).largest >= found.least * (1 - 1e-6)


def test_the_least_load_of_irb6_joint2_is_that_of_a_grid_of_poses() -> None:
    """Independent: the load on a grid of poses, its largest magnitude brought down by a simplex search."""
    from scipy.optimize import minimize

    arm = da.load("irb6")
    ask = arm.analysis()
    found = ask.counterbalance("joint2")
    q = np.concatenate([ask.box.samples(20_000, 5), np.stack([ask.box.lower, ask.box.upper])])
    corners = np.random.default_rng(1).integers(0, 2, (4000, arm.n))
    q = np.concatenate([q, np.where(corners, ask.box.upper, ask.box.lower)])
    load = arm.gravity_load(q)[:, 1]
    unit = [da.Arm.of(with_weight(arm, found.link, Fraction(1), spot)) for spot in pulls(arm)]
    slopes = np.stack([one.gravity_load(q)[:, 1] for one in unit[:2]], axis=1) - unit[2].gravity_load(q)[:, 1:2]
    free = minimize(
        lambda u: np.abs(load + slopes @ u).max(), [0.0, 0.0], method="Nelder-Mead", options={"maxiter": 2000}
    )
    assert free.fun == pytest.approx(found.after, rel=0.02)
    assert found.after == pytest.approx(6.8006, abs=2e-3)


def pulls(arm: da.Arm) -> list[tuple[Fraction, ...]]:
    """Points a metre from the axis of joint 2 along x and y of its link, and on it."""
    turn, shift = arm.bodies[1].after.exact
    origin = [-sum(turn[k][a] * shift[k] for k in range(3)) for a in range(3)]
    return [tuple(o + (a == axis) for a, o in enumerate(origin)) for axis in (0, 1, 9)]


@pytest.mark.parametrize("radius", ["0.1", "0.2", "0.35"])
def test_a_counterweight_stands_at_its_radius_opposite_to_the_load(radius: str) -> None:
    """On the last link m r = m2 l2, on the other side of the axis, which is at the origin of its frame."""
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    body = arm.bodies[1].inertia
    found = arm.analysis().counterbalance(1, radius=radius)
    frames = arm.link_frames([0.3, 0.4])
    axis, tip = frames[arm.bodies[1].joint.child][:3, 3], arm.forward_kinematics([0.3, 0.4])[:3, 3]
    place = (frames[found.link] @ [*found.place, 1.0])[:3]
    centre = (frames[found.link] @ [*map(float, body.com), 1.0])[:3]
    assert np.linalg.norm(place - axis) == pytest.approx(float(radius))
    assert found.mass * (place - axis) == pytest.approx(-float(body.mass) * (centre - axis), abs=1e-12)
    assert np.linalg.norm(tip - axis) > 0.1
