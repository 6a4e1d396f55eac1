"""Motors from the command line: the inverse and the direct problem, currents, voltages, standstill."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import printed, refused

POSE = "--q=-0.82278481,-0.52109375,0.91953125,-1.953125,0"
Q = np.array([-0.82278481, -0.52109375, 0.91953125, -1.953125, 0])
Call = Callable[..., str]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return partial(printed, capsys)


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Call:
    return partial(refused, capsys)


def test_dynamics_gives_torques_currents_and_voltages_of_the_motors(call: Call) -> None:
    words = ("dynamics", "irb6", "--drives", POSE, "--qd=0.2,0.1,-0.3,0.1,0.2", "--qdd=1,-1,0.5,0,2")
    found = json.loads(call(*words, "--json"))["motors"]
    driven = da.load("irb6").driven
    state = Q, [0.2, 0.1, -0.3, 0.1, 0.2], [1, -1, 0.5, 0, 2]
    assert found["torque"] == pytest.approx(driven.motor_torques(*state))
    assert found["current"] == pytest.approx(driven.electric.currents(*state))
    assert found["voltage"] == pytest.approx(driven.electric.voltages(*state))
    assert found["position"] == pytest.approx(driven.motor_positions(Q))
    jerky = json.loads(call(*words, "--jerk=3,2,1,0,4", "--json"))["motors"]
    assert jerky["voltage"] == pytest.approx(driven.electric.voltages(*state, [3, 2, 1, 0, 4]))
    assert all(
        low - 1e-9 <= v <= high + 1e-9 for v, (low, high) in zip(jerky["voltage"], jerky["voltage_band"], strict=True)
    )
    text = call(*words)
    for head in ("[rad]", "[N m]", "[A]", "[V]", "without L di/dt, which --jerk counts"):
        assert head in text
    assert "before one starts" not in text
    assert found["inertia_others_held"] == pytest.approx(driven.effective_inertia(Q))
    assert found["inertia_others_free"] == pytest.approx(driven.effective_inertia(Q, "free"))
    assert "Inertia at the motor shafts" in call(*words, "--mass-matrix")


def test_dynamics_at_rest_tells_the_band_that_friction_holds(call: Call) -> None:
    found = json.loads(call("dynamics", "irb6", "--drives", POSE, "--json"))["motors"]
    assert found["current_band"][1] == pytest.approx([2.162, 3.962], abs=1e-3)
    assert found["bands_apart"] is True
    text = call("dynamics", "irb6", "--drives", POSE)
    assert "before one starts" in text
    assert "2.1619" in text
    assert "3.9619" in text
    assert max(map(len, text.splitlines())) <= 80


def test_motors_that_are_asked_too_much_are_named(call: Call) -> None:
    text = call("dynamics", "irb6", "--drives", "--qdd=100,0,0,0,0")
    assert "motor1 would need" in text
    assert "and may have 25 A" in text


@pytest.mark.parametrize("option", ["--torque", "--current", "--voltage"])
def test_the_direct_problem_is_answered_under_torques_currents_and_voltages(call: Call, option: str) -> None:
    driven, qd = da.load("irb6").driven, np.array([0.2, 0, 0.1, 0, -0.1])
    values = {"--torque": [1, 0.5, -0.2, 0, 0.1], "--current": [1, 5, -2, 0, 1], "--voltage": [10, 5, -2, 0, 1]}[option]
    words = ("dynamics", "irb6", "--drives", POSE, "--qd=0.2,0,0.1,0,-0.1", f"{option}={','.join(map(str, values))}")
    found = json.loads(call(*words, "--json"))
    torque = np.array(values, dtype=float)
    if option == "--voltage":
        turning = driven.transmission(Q) @ qd
        torque = (torque - driven.electric.speed_constant * turning) / driven.electric.resistance
    if option != "--torque":
        torque = torque * driven.electric.torque_constant
    assert found["motor_torque"] == pytest.approx(torque)
    assert found["qdd"] == pytest.approx(driven.direct_dynamics(Q, qd, torque))
    assert found["input"]["units"] == [{"--torque": "N m", "--current": "A", "--voltage": "V"}[option]] * 5
    text = call(*words)
    assert "[rad/s^2]" in text
    assert "moves" in text


def test_the_direct_problem_at_rest_says_who_stands_and_who_starts(call: Call) -> None:
    held = json.loads(call("dynamics", "irb6", "--drives", POSE, "--current=0,3.18,-0.73,0,0", "--json"))
    assert [shaft["state"] for shaft in held["shafts"]] == ["stands"] * 5
    assert np.abs(held["qdd"]).max() < 1e-12
    pushed = json.loads(call("dynamics", "irb6", "--drives", POSE, "--current=0,4.5,-0.73,0,0", "--json"))
    assert [shaft["state"] for shaft in pushed["shafts"]] == ["stands", "starts forward", *["stands"] * 3]
    assert "starts forward" in call("dynamics", "irb6", "--drives", POSE, "--current=0,4.5,-0.73,0,0")


def test_what_an_input_is_cut_to_is_said(call: Call) -> None:
    found = json.loads(call("dynamics", "irb6", "--drives", "--current=40,0,0,0,0", "--json"))
    assert found["cut"] == ["motor1"]
    assert found["current"][0] == 25
    assert "largest current of the motor: motor1" in call("dynamics", "irb6", "--drives", "--current=40,0,0,0,0")


def test_torques_on_the_links_alone_accelerate_the_joints(call: Call) -> None:
    found = json.loads(call("dynamics", "planar-2r", "--q", "0.3,0.2", "--torque", "1,2", "--json"))
    assert found["qdd"] == pytest.approx(da.load("planar-2r").forward_dynamics([0.3, 0.2], [0, 0], [1, 2]))
    assert found["input"]["kind"] == "joint torque"


WHEEL = """
name = "wheel"
gravity = [0, 0, 0]
[[joints]]
name = "axle"
type = "revolute"
link = {name = "rim", mass = 2, inertia = [0.1, 0.1, 0.2]}
[[drives.motors]]
name = "motor"
ratios = {axle = 10}
friction = {coulomb = 0.02, starting = 0.05, viscous = 1e-3}
electric = {torque_constant = 0.1, resistance = 2, supply = 40}
"""


def test_simulate_takes_torques_currents_and_voltages_as_values_and_as_a_file(call: Call, tmp_path: Path) -> None:
    """One wheel of 0.2 kg m^2 behind 10 turns: speed and angle of (0.2 kg m^2) a = 10 (C i - f - b 10 v) by hand."""
    arm, table = tmp_path / "wheel.toml", tmp_path / "currents.csv"
    arm.write_text(WHEEL)
    table.write_text("t,motor [A]\n0,3\n1,3\n")
    rate, damping = 10 * (0.1 * 3 - 0.02) / 0.2, 10 * 1e-3 * 10 / 0.2
    speed = rate / damping * (1 - np.exp(-damping * 0.4))
    angle = rate / damping * (0.4 - (1 - np.exp(-damping * 0.4)) / damping)
    words = ("simulate", str(arm), "--drives", "--duration", "0.4", "--json")
    for option, value, kind, unit in (
        ("--current", "3", "current", "A"),
        ("--current", str(table), "current", "A"),
        ("--torque", "0.3", "motor torque", "N m"),
    ):
        found = json.loads(call(*words, option, value))
        assert found["end"] == pytest.approx([angle], rel=1e-8)
        assert found["speed"] == pytest.approx([speed], rel=1e-8)
        assert (found["input_kind"], found["input_units"]) == (kind, [unit])
    volts = json.loads(call(*words, "--voltage", "6"))
    rate, damping = 10 * (0.1 * 6 / 2 - 0.02) / 0.2, 10 * (1e-3 + 0.1 * 0.1 / 2) * 10 / 0.2
    assert volts["speed"] == pytest.approx([rate / damping * (1 - np.exp(-damping * 0.4))], rel=1e-8)
    assert json.loads(call(*words, "--current", "0.49"))["end"] == [0]
    assert json.loads(call(*words, "--current", "0.51"))["end"][0] > 0
    text = call(*words[:-1], "--current", "3")
    assert "a given current" in " ".join(text.split())
    assert "[A]" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("dynamics", "irb6", "--no-drives", "--current=0,0,0,0,0"), "--current belongs to motors"),
        (("dynamics", "irb6", "--drives", "--current=0,0"), "--current needs 5 values, one for each of motor1"),
        (("dynamics", "irb6", "--drives", "--current=0,0,0,0,0", "--torque=0,0,0,0,0"), "give one of them"),
        (("dynamics", "irb6", "--drives", "--current=0,0,0,0,0", "--qdd=1,1,1,1,1"), "--qdd belongs to a motion"),
        (("dynamics", "irb6", "--no-drives", "--jerk=1,1,1,1,1"), "--jerk belongs to the voltages"),
        (("dynamics", "planar-2r", "--drives", "--current=1,1"), "no electric data for motor of joint1"),
        (("simulate", "irb6", "--drives", "--current=0,0,0,0,0", "--controller", "pd"), "give one of them"),
        (("simulate", "irb6", "--drives", "--current", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (("simulate", "irb6", "--no-drives", "--voltage=0,0,0,0,0"), "--voltage belongs to motors"),
    ],
)
def test_inputs_that_cannot_be_honoured_are_refused(refusal: Call, words: tuple[str, ...], sentence: str) -> None:
    found = [line for line in refusal(*words).splitlines() if not line.startswith("note: ")]
    assert len(found) == 1
    assert sentence in found[0]
