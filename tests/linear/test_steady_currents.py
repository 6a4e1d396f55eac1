"""Voltages on motors without inductance: the current is no state, and the model is that of a simulation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.simulation.plant import plant_of
from differences import slope

SCREWS = Path(__file__).parents[2] / "examples" / "drives" / "irb6-screws.toml"


def with_inductance(drives: da.DriveTrain, *values: float) -> da.DriveTrain:
    """The same motors, their inductances these in turn."""
    made = [
        replace(each, motor=None if each.motor is None else replace(each.motor, inductance=values[k % len(values)]))
        for k, each in enumerate(drives.actuators)
    ]
    return replace(drives, actuators=tuple(made))


def arms() -> list[da.DrivenArm]:
    puma, irb6 = da.load("puma560", physical="ignore"), da.load("irb6").with_drives(SCREWS).arm
    return [puma.driven, irb6.driven]


def split(model: da.LinearModel, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A and B with the currents at rest: di/dt = 0, solved for them."""
    a, b = model.A, model.B
    rest = -np.linalg.solve(a[count:, count:], np.hstack([a[count:, :count], b[count:]]))
    return a[:count, :count] + a[:count, count:] @ rest[:, :count], b[:count] + a[:count, count:] @ rest[:, count:]


@pytest.mark.parametrize("which", [0, 1])
def test_the_model_is_that_of_the_simulated_motion_and_of_small_inductance(which: int) -> None:
    whole = arms()[which]
    driven = whole.arm.with_drives(with_inductance(whole.drives, 0.0, 2e-3))  # one without is enough
    n, rng = driven.n, np.random.default_rng(3)
    q = np.array([0.1, -0.4, 0.5, 0.2, 0.3, 0.1])[:n]
    qd, qdd = rng.uniform(0.2, 1, (2, n))
    tau = driven.inverse_dynamics(q, qd, qdd)
    model = driven.linearize(q, qd, tau, input="voltage", disturbances=[da.Force(driven.tool_link)])
    assert len(model.states) == 2 * n
    plant, volts = plant_of(driven, "voltage"), driven.electric.voltages(q, qd, qdd)
    none = np.zeros(0)

    def change(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        torque = plant.motor_torque(x[:n], x[n:], none, u)  # type: ignore[attr-defined]
        current = plant.current(x[:n], x[n:], none, u)  # type: ignore[attr-defined]
        return np.r_[x[n:], driven.direct_dynamics(x[:n], x[n:], torque), current]

    x = np.r_[q, qd]
    by_state, by_input = slope(lambda s: change(s, volts), x), slope(lambda u: change(x, u), volts)
    for ours, theirs in (
        (model.A, by_state[: 2 * n]), (model.C[2 * n :], by_state[2 * n :]),
        (model.B[:, :n], by_input[: 2 * n]), (model.D[2 * n :, :n], by_input[2 * n :]),
    ):  # fmt: skip
        assert np.abs(ours - theirs).max() <= 1e-6 * np.abs(theirs).max()
    assert [signal.name for signal in model.outputs[2 * n :]] == [f"current_{name}" for name in driven.motor_names]
    assert not model.D[:, n:].any()
    small = whole.arm.with_drives(with_inductance(whole.drives, 1e-6)).linearize(
        q, qd, tau, input="voltage", disturbances=[da.Force(driven.tool_link)]
    )
    for ours, theirs in zip((model.A, model.B), split(small, 2 * n), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


def test_the_hand_sees_the_same_currents() -> None:
    whole = arms()[0]
    driven = whole.arm.with_drives(with_inductance(whole.drives, 0.0))
    q, qd = np.array([0.1, -0.8, 0.4, 0.2, 0.9, 0.3]), np.full(6, 0.3)
    joint = driven.linearize(q, qd, input="voltage")
    hand = driven.linearize(q, qd, input="voltage", coordinates="hand")
    assert hand.outputs[12:] == joint.outputs[12:]
    # what a step of the voltages makes of positions and currents is the same in both
    np.testing.assert_allclose(hand.D, joint.D)
    np.testing.assert_allclose(hand.C[12:] @ hand.B, joint.C[12:] @ joint.B, rtol=1e-9, atol=1e-9)


def test_a_mechanism_takes_voltages_without_inductance_too() -> None:
    bar = gallery.five_bar()
    made = []
    for value in (0.0, 1e-6):
        chains = {}
        for name, arm in bar.parts.chains.items():
            crank, elbow = arm.joint_names
            motor = da.Motor(0.05, resistance=1.5, inductance=value)
            train = da.DriveTrain((da.Actuator.of("m", {crank: 60}, motor=motor), da.Actuator.of("none", {elbow: 1})))
            chains[name] = da.Arm.of(arm).with_drives(train)
        made.append(bar._with(chains=chains, coordinates=bar.coordinates, home=bar.home).driven)
    qd = [0.7, -0.4]
    steady, small = (each.linearize(each.home, qd, input="voltage") for each in made)
    assert len(steady.states) == 4
    for ours, theirs in zip((steady.A, steady.B), split(small, 4), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


def test_neither_inductance_nor_resistance_is_refused() -> None:
    arm = da.load("planar-2r")
    motors = tuple(da.Actuator.of(name, {name: 9}, motor=da.Motor(0.1)) for name in arm.joint_names)
    with pytest.raises(da.ArmError, match="give its resistance"):
        arm.with_drives(da.DriveTrain(motors)).linearize([0.1, 0.2], input="voltage")
