"""Best designs of mechanisms: exact slopes against mechanisms built anew, and optima against all designs of a grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.design.motion_samples import MotionSamples
from dalembert.mechanisms.mechanism_file import parse_mechanism
from dalembert.studies.design_mass import DesignMass
from dalembert.studies.design_numbers import design_numbers, with_numbers
from dalembert.studies.mechanism_designs import MechanismDesigns

FILE = "examples/mechanisms/five_bar.toml"
MOTION = da.quintic([[2.018, 1.093], [2.3, 0.9], [2.018, 1.093]], [0, 0.5, 1])
T = np.linspace(0, 1, 17)
SAMPLES = MotionSamples("turn", MOTION.position(T), MOTION.velocity(T), MOTION.acceleration(T), T)
WEIGHTS = {"left.load.crank.mass": (0.0, 4.0), "left.load.crank.com.x": (-0.6, -0.3)}
NUMBERS = (
    "left.link.coupler.mass", "left.link.crank.com.y", "right.link.coupler.inertia.zz", "right.load.mass",
    "left.length.a1", "right.length.a2", "left.angle.alpha2", "right.joint.joint2.rz", "right.base.x", "left.base.rz",
    "closure.tip.a.y", "spring.post.stiffness", "spring.post.rest", "spring.post.a.x", "spring.cross.rest",
    "spring.cross.damping", "motor.one.inertia", "motor.one.ratio.left.joint1", "motor.two.viscous", "gravity.y",
)  # fmt: skip
"""One of each kind."""


@pytest.fixture(scope="module")
def bar() -> Any:
    return da.load_mechanism(FILE)


@pytest.fixture(scope="module")
def driven(bar: Any) -> Any:
    """The five-bar with springs between its chains and motors of its own."""
    springs = (
        da.Spring("post", a=da.FrameOn("left", "crank", da.Placement.from_xyz_rpy((-0.1, 0.05, 0))),
                  b=da.FrameOn("ground", at=da.Placement.from_xyz_rpy((0, 0.6, 0))), stiffness=40, rest=0.2),
        da.Spring("cross", along="left.joint1 - 2*right.joint1", stiffness=3, rest=0.5, damping=0.2),
    )  # fmt: skip
    motors = (
        da.Actuator.of("one", {"left.joint1": 20, "right.joint1": 5}, da.Rotor(inertia=1e-4)),
        da.Actuator.of("two", {"right.joint1": 30}, da.Rotor(inertia=2e-4), da.Friction(viscous=1e-4)),
    )
    return bar._with(springs=springs, drives=motors, home=bar.home).as_system(motors=True)


@pytest.mark.parametrize("name", ["inverse_dynamics", "motor_torques"])
def test_slopes_to_all_kinds_of_numbers_are_those_of_mechanisms_built_anew(driven: Any, name: str) -> None:
    known = design_numbers(driven)
    values = np.array([float(known[number].value) for number in NUMBERS])
    states = (SAMPLES.q[1:-1:3], SAMPLES.qd[1:-1:3], SAMPLES.qdd[1:-1:3])
    tau, slopes = MechanismDesigns(driven, NUMBERS).along(name, values, states, slopes=True)
    np.testing.assert_allclose(tau, getattr(driven, name)(*states), rtol=1e-10, atol=1e-12)
    step = 1e-4
    for k, number in enumerate(NUMBERS):
        if number == "right.load.mass":  # a mass of zero has one side alone
            ends = [getattr(with_numbers(driven, {number: x * step}), name)(*states) for x in (0, 1, 2)]
            expected = (4 * ends[1] - 3 * ends[0] - ends[2]) / (2 * step)
        else:
            ends = [getattr(with_numbers(driven, {number: values[k] + x}), name)(*states) for x in (step, -step)]
            expected = (ends[0] - ends[1]) / (2 * step)
        # What differences leave out is a third derivative times step^2, in units of the torques.
        np.testing.assert_allclose(slopes[..., k], expected, rtol=1e-5, atol=1e-6 * np.abs(tau).max(), err_msg=number)


def test_only_numbers_of_the_loops_move_the_joints(driven: Any) -> None:
    still = ("left.link.coupler.mass", "spring.post.a.x", "motor.one.ratio.left.joint1", "gravity.y", "right.load.mass")
    assert not MechanismDesigns(driven, still).moves_loops
    for number in ("right.length.a2", "left.base.rz", "closure.tip.a.y", "right.joint.joint2.rz"):
        assert MechanismDesigns(driven, (number,)).moves_loops


@pytest.mark.parametrize("objective", ["peak_torque", "energy", "rms_torque"])
def test_no_design_of_a_grid_betters_the_counterweight(bar: Any, objective: str) -> None:
    best = da.optimize_design(bar, WEIGHTS, objective, motion=SAMPLES, joints=["left.joint1"], starts=2)
    asked = [da.Output(objective, joints=["left.joint1"])]
    grid = da.study(bar, WEIGHTS, asked, motion=SAMPLES, design="grid", samples=15)
    assert best.value <= float(grid.values.min()) * (1 + 1e-9)
    assert best.value < 0.5 * best.before
    again = da.study(best.system, {"gravity.y": {"values": [-9.81]}}, asked, motion=SAMPLES, design="grid")
    assert again.values[0, 0] == pytest.approx(best.value, rel=1e-9)


def test_lengths_are_searched_among_designs_whose_loops_close(bar: Any) -> None:
    """With the shortest of these links the loop does not close along the motion: steps there are taken back."""
    lengths = {"left.length.a2": (0.2, 0.55), "right.length.a2": (0.2, 0.55)}
    best = da.optimize_design(bar, lengths, "peak_torque", motion=SAMPLES, starts=1)
    assert best.value < best.before
    tau = best.system.inverse_dynamics(SAMPLES.q, SAMPLES.qd, SAMPLES.qdd)
    assert np.abs(tau).max() == pytest.approx(best.value, rel=1e-9)


def test_rounds_do_not_go_in_circles(bar: Any) -> None:
    """Stiff springs make peaks at moments that were far below the peak before; no end is worse than the beginning."""
    springs = [da.Spring(side, along=f"{side}.joint1", stiffness=1, rest=1) for side in ("left", "right")]
    factors = {f"spring.{side}.{what}": ends for side in ("left", "right")
               for what, ends in (("stiffness", (0, 30)), ("rest", (-3, 6)))}  # fmt: skip
    best = da.optimize_design(bar.with_springs(*springs), factors, "peak_torque", motion=SAMPLES, starts=1)
    assert best.converged
    assert best.value < 0.2 * best.before


def test_limits_of_motors_and_mass_are_kept(driven: Any) -> None:
    factors = {"motor.two.ratio.right.joint1": (10.0, 60.0), "right.load.crank.mass": (0.0, 4.0),
               "right.load.crank.com.x": (-0.6, -0.3)}  # fmt: skip
    most = driven.mass + 1.5
    best = da.optimize_design(
        driven, factors, "peak_motor_torque", motion=SAMPLES, joints=["two"], limits=[("mass", (), most)], starts=2
    )
    assert best.system.mass <= most * (1 + 1e-6)
    peak = np.abs(best.system.motor_torques(SAMPLES.q, SAMPLES.qd, SAMPLES.qdd)[:, 1]).max()
    assert peak == pytest.approx(best.value, rel=1e-9)
    assert best.value < best.before


def test_the_mass_is_that_of_what_moves(bar: Any) -> None:
    names = ("left.link.crank.mass", "right.load.base.mass", "left.load.mass")
    mass, slopes = DesignMass(bar.as_system(), names)(np.array([1.3, 5.0, 0.7]))
    assert mass == pytest.approx(with_numbers(bar.as_system(), dict(zip(names, (1.3, 5.0, 0.7), strict=True))).mass)
    np.testing.assert_array_equal(slopes, [1, 0, 1])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"objective": "range", "coefficient": "D11"}, "which a mechanism has not; take peak_torque"),
        ({"objective": "peak_motor_torque"}, "motors=True"),
        ({"objective": "energy", "joints": ["left.elbow"]}, "no joint moves that is called"),
        ({"objective": "energy", "limits": [("peak_motor_torque", (), 1.0)]}, "motors=True"),
    ],
)
def test_what_a_mechanism_has_not_is_said(bar: Any, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(da.ArmError, match=said):
        da.optimize_design(bar, WEIGHTS, motion=SAMPLES, **asked)


def test_a_motor_that_is_none_until_its_numbers_vary_is_told_where_motors_are_asked_for() -> None:
    """A gear beside a joint of whose drive nothing is described makes a third motor of two freedoms."""
    text = Path(FILE).read_text("utf-8").replace("[chain.left]", "[chain.left]\ndrives = true")
    text = (
        text.replace("[chain.right]", "[chain.right]\ndrives = true")
        .replace("dh = {a = 0.3}", "dh = {a = 0.3}\ndrive = {gear_ratio = 20, motor_inertia = 1e-4}")
        .replace("dh = {a = 0.5}", "dh = {a = 0.5}\ndamping = 0.01")
    )
    system = parse_mechanism(text, "bar.toml", None).as_system(motors=True)
    names = [
        name
        for name in design_numbers(system)
        if name.endswith(("motor of joint2.ratio.joint2", "motor of joint2.inertia"))
    ]
    for name in names:
        found = da.study(system, {name: (0.5, 0.9)}, ["peak_motor_torque"], motion=SAMPLES, samples=1)
        assert "varied 3 motors" in found.failures[0]
        assert "drive 2 freedoms" in found.failures[0]
        assert da.study(system, {name: (0.5, 0.9)}, ["peak_torque"], motion=SAMPLES, samples=1).failures == ("",)
    assert len(names) == 4


def test_where_no_design_can_be_the_reason_is_given(bar: Any) -> None:
    with pytest.raises(da.ArmError, match="no design to start from"):
        da.optimize_design(bar, {"left.length.a2": (0.01, 0.05)}, "peak_torque", motion=SAMPLES, starts=1)
