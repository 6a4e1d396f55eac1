"""Friction that controllers feed forward: by the reference speed or smoothly, never by the sign of a measured speed."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.joint_drives import JointDrive, train_of_joints
from dalembert.control.controllers_by_name import CONTROLLERS


@pytest.fixture(scope="module")
def driven() -> da.DrivenArm:
    """planar-2r with friction at its joints."""
    arm = da.load("planar-2r")
    return arm.with_drives(train_of_joints([JointDrive(name, damping=0.5, friction=3.0) for name in arm.joint_names]))


PATH = da.quintic([[0, 0], [1.0, -0.5]], 1.0)


@pytest.mark.parametrize("friction", ["reference", "smooth", "none"])
@pytest.mark.parametrize("name", CONTROLLERS)
def test_no_controller_jumps_where_a_measured_speed_changes_its_sign(
    driven: da.DrivenArm, name: str, friction: str
) -> None:
    entry = CONTROLLERS[name]
    law = entry.controller(driven, PATH, friction if entry.feeds_friction else None)
    q = PATH.position(0.5)
    for j in range(2):
        step = 1e-9 * np.eye(2)[j]
        assert np.abs(law(0.5, q, step) - law(0.5, q, -step)).max() < 1e-5


def test_the_friction_of_the_reference_is_fed_whatever_the_measured_speed(driven: da.DrivenArm) -> None:
    fed, plain = da.ComputedTorque(driven, PATH), da.ComputedTorque(driven.frictionless(), PATH)
    rng = np.random.default_rng(1)
    for _ in range(10):
        q, qd = rng.uniform(-1, 1, (2, 2))
        # forward, backward
        wanted = [3.0, -3.0] + 0.5 * PATH.velocity(0.4)
        assert fed(0.4, q, qd) - plain(0.4, q, qd) == pytest.approx(wanted)
        # at rest before and after the motion nothing is fed
        assert fed(2.0, q, qd) == pytest.approx(plain(2.0, q, qd))


def test_smooth_friction_is_never_more_than_there_is_and_none_is_none(driven: da.DrivenArm) -> None:
    smooth = da.ComputedTorque(driven, PATH, friction="smooth", width=0.02)
    none, plain = da.ComputedTorque(driven, PATH, friction="none"), da.ComputedTorque(driven.frictionless(), PATH)
    q = PATH.position(0.4)
    for speed in (1e-4, 0.01, 0.1, 1.0):
        qd = np.array([speed, -speed])
        extra = (smooth(0.4, q, qd) - plain(0.4, q, qd)) - 0.5 * qd
        assert (np.abs(extra) <= 3.0).all()
        assert (np.sign(extra) == np.sign(qd)).all()
        assert none(0.4, q, qd) == pytest.approx(plain(0.4, q, qd))
    assert np.abs(extra) == pytest.approx(3.0)
    with pytest.raises(da.ArmError, match="no way 'sign'"):
        da.ComputedTorque(driven, PATH, friction="sign")


def test_state_feedback_feeds_the_same_friction_at_the_same_speeds_as_computed_torque(driven: da.DrivenArm) -> None:
    q, qd = PATH.position(0.4), np.array([0.013, -0.02])  # on the path, at other speeds than it
    speeds = {"reference": (PATH.velocity(0.4), None), "smooth": (qd, 0.05)}
    for law in (
        lambda friction: da.ComputedTorque(driven, PATH, friction=friction),
        lambda friction: da.tracking_lqr(driven, PATH, knots=2, friction=friction),
    ):
        bare = law("none")(0.4, q, qd)
        for friction, (speed, width) in speeds.items():
            fed = driven.to_motors(q, driven.friction_torque(q, speed, width))
            np.testing.assert_allclose(law(friction)(0.4, q, qd) - bare, fed, atol=1e-12 * np.abs(bare).max())


def test_fed_by_the_reference_a_rubbing_arm_follows_as_a_frictionless_one(driven: da.DrivenArm) -> None:
    """One direction throughout: the error stays at rounding, where without it friction leaves centimetres."""
    follows = driven.simulate(da.ComputedTorque(driven, PATH), [0, 0], None, 1.2)
    lags = driven.simulate(da.ComputedTorque(driven, PATH, friction="none"), [0, 0], None, 1.2)
    off = [np.abs(m.q - PATH.position(m.t)).max() for m in (follows, lags)]
    assert off[0] < 1e-6
    assert off[1] > 1e-2
    assert not follows.stepped
    assert len(follows.events) < 20


def test_reversing_loops_with_friction_end_without_chatter(driven: da.DrivenArm) -> None:
    """Out and back twice, each way of feeding, from a start off the path: a few events for each reversal."""
    path = da.quintic([[0, 0], [0.5, -0.5], [0, 0], [0.3, 0.3]], 1.5)
    for friction in ("reference", "smooth", "none"):
        law = da.ComputedTorque(driven, path, friction=friction)
        motion = driven.simulate(law, [0.05, -0.05], None, 1.7)
        assert motion.t[-1] == 1.7
        assert len(motion.events) < 100
        assert np.abs(motion.balance).max() <= 1e-6 * motion.energy_scale


def test_a_reduced_model_feeds_the_friction_of_its_arm(driven: da.DrivenArm) -> None:
    reduced = driven.analysis().reduce(0.02)
    q, qd = np.array([0.3, -0.2]), np.array([-0.1, 0.2])
    exact, short = (da.ComputedTorque(model, PATH)(0.4, q, qd) for model in (driven, reduced))
    without = da.ComputedTorque(driven.frictionless(), PATH)(0.4, q, qd)
    assert np.abs(exact - without).min() > 2.5
    assert short - without == pytest.approx(exact - without, abs=0.5)
