"""Mechanisms in a closed loop in machine code: the motion of the loop in Python, and the error that theory says."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control import integrated_loop, mechanism_loop
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism_numbers import with_mechanism_numbers
from dalembert.mechanisms.mechanism_system import MechanismSystem

TRACK = 0.3


@pytest.fixture(autouse=True, scope="module")
def _compiler(needs_compiler: None) -> None:
    """Every test of this module."""


@pytest.fixture(scope="module")
def bar() -> MechanismSystem:
    return gallery.five_bar().compiled().as_system()


def start(system: MechanismSystem) -> np.ndarray:
    return np.asarray(system.mechanism.coordinates_of(system.near))


def test_the_error_of_computed_torque_obeys_its_equation(bar: MechanismSystem) -> None:
    """e'' + kd e' + kp e = 0, critically damped: e = e0 (1 + w t) exp(-w t)."""
    home = start(bar)
    path = da.quintic([home, home + 0.2], TRACK)
    off = np.array([0.01, -0.02])
    motion = da.simulate(bar, da.ComputedTorque(bar, path, 400.0, 40.0), home + off, duration=TRACK, compiled=True)
    error = motion.q - path.position(motion.t)
    decay = (1 + 20 * motion.t) * np.exp(-20 * motion.t)
    np.testing.assert_allclose(error, decay[:, None] * off, atol=1e-8)


@pytest.mark.parametrize("kind", ["computed torque", "pd", "constant"])
def test_machine_code_moves_as_the_loop_in_python(bar: MechanismSystem, kind: str) -> None:
    home = start(bar)
    path = da.quintic([home, home + np.array([0.2, -0.1])], 0.1)
    control: object = [0.5, -0.3]
    if kind == "computed torque":
        control = da.ComputedTorque(bar, path, 100.0, 20.0)
    elif kind == "pd":
        control = da.PDGravity(bar, path, [40.0, 50.0], 6.0)
    fast, slow = (
        da.simulate(bar, control, home + 0.01, [0.1, 0.2], 0.1, compiled=how, samples=11) for how in (True, False)
    )
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-8)
    np.testing.assert_allclose(fast.qd, slow.qd, atol=1e-6)
    np.testing.assert_allclose(fast.u, slow.u, atol=1e-5)
    balance = fast.kinetic + fast.potential - fast.work
    np.testing.assert_allclose(balance, balance[0], atol=1e-7)


def test_a_model_that_holds_another_load_is_a_model_of_its_own(bar: MechanismSystem) -> None:
    heavy = MechanismSystem(bar.mechanism.holding(da.Load(2.0), "left"), bar.near)
    home = start(bar)
    path = da.quintic([home, home + 0.1], 0.1)
    right, wrong = (
        da.simulate(heavy, da.ComputedTorque(model, path, 100.0, 20.0), home, duration=0.1, compiled=True, samples=5)
        for model in (heavy, bar)
    )
    assert np.abs(right.q[-1] - path.position(0.1)).max() < 1e-8
    assert np.abs(wrong.q[-1] - path.position(0.1)).max() > 1e-3
    python = da.simulate(
        heavy, da.ComputedTorque(bar, path, 100.0, 20.0), home, duration=0.1, compiled=False, samples=5
    )
    np.testing.assert_allclose(wrong.q, python.q, atol=1e-7)


def test_what_machine_code_cannot_serve_is_refused_with_the_reason(bar: MechanismSystem) -> None:
    home = start(bar)
    plain = gallery.five_bar().as_system()
    wider = with_mechanism_numbers(gallery.five_bar(), {"right.base.x": 0.41}).compiled().as_system()
    path = da.quintic([home, home + 0.1], 0.1)
    for system, control, said in (
        (plain, [0.0, 0.0], "the mechanism is not compiled"),
        (bar, lambda t, q, qd: [0.0, 0.0], "a function of Python"),
        (bar, da.PDGravity(wider, path, 1.0, 1.0), "not a mechanism that moves as this one does"),
    ):
        with pytest.raises(da.ArmError, match=said):
            da.simulate(system, control, home, duration=0.01, compiled=True)


def test_a_motion_that_machine_code_cannot_follow_is_left_to_python(bar: MechanismSystem) -> None:
    """Driven hard into a singularity of its coordinates, the simulation ends with a sentence, not with a jump."""
    with pytest.raises(da.SimulationError):
        da.simulate(bar, [-60.0, 60.0], start(bar), duration=1.0)


@pytest.mark.parametrize("slices", [0, 3])
def test_an_interrupted_loop_does_not_go_on_in_python(
    slices: int, bar: MechanismSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found is kept; where nothing was, the interruption goes through as it came."""
    real, calls = integrated_loop.advanced, []

    def advanced(*arguments: object) -> int:
        calls.append(0)
        if len(calls) > slices:
            raise KeyboardInterrupt
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(integrated_loop, "advanced", advanced)
    monkeypatch.setattr(integrated_loop, "SLICE", 60)
    with pytest.raises(da.SimulationInterrupt if slices else KeyboardInterrupt) as caught:
        da.simulate(bar, [0.1, 0.1], start(bar), duration=0.5)
    if slices:
        assert 0 < caught.value.motion.t[-1] < 0.5
        assert "interrupted at t" in caught.value.motion.fault
    else:
        assert not isinstance(caught.value, da.SimulationInterrupt)


def test_kinematics_are_compared_and_not_names() -> None:
    bar = gallery.five_bar()
    assert mechanism_loop.same_kinematics(bar, gallery.five_bar())
    assert mechanism_loop.same_kinematics(bar, bar.holding(da.Load(1.0), "left"))
    assert not mechanism_loop.same_kinematics(bar, bar.with_coordinates(["left.joint1", "left.joint2"]))


def test_requirements_of_a_mechanism_are_loads_and_limits_of_all_joints() -> None:
    rows = [
        {"a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0, 0.0133, 0.0133), "effort": 5.0, "velocity": 2.0}
    ]
    rows.append(rows[0] | {"lower": -2.0, "upper": 2.0})
    chains = {name: da.Arm.from_dh(rows, name=name) for name in ("left", "right")}
    made = da.Mechanism(
        chains, [da.Closure("tip", "left", "right", "pin")], ["left.joint1", "right.joint1"],
        bases={"right": da.Placement.from_xyz_rpy((0.4, 0, 0))}, home=[2.0, -1.2, 1.1, 1.2], gravity=(0, "-9.81", 0),
    )  # fmt: skip
    system = made.as_system()
    home = start(system)
    path = da.quintic([home, home + 0.3], 0.5)
    found = da.requirements(system, path, 41)
    phi = made.follow(path.position(found.times))
    wanted = made.inverse_dynamics(phi, path.velocity(found.times), path.acceleration(found.times))
    np.testing.assert_allclose(found.joint_torque, wanted, rtol=1e-9)
    named = {(use.what, use.name): use.share for use in found.uses}
    assert named["position, upper", "right.joint2"] == pytest.approx(phi[:, 3].max() / 2.0)
    assert named["load", "left.joint1"] == pytest.approx(np.abs(wanted[:, 0]).max() / 5.0)
    rate = made.joint_motion(phi, path.velocity(found.times), path.acceleration(found.times))[0]
    assert named["speed", "left.joint2"] == pytest.approx(np.abs(rate[:, 1]).max() / 2.0)
