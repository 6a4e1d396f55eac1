"""``dalembert simulate``: controllers, drives, loads, files, and refusals in one sentence."""

import json
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import printed, refused
from dalembert.cli.run import INTERRUPTED, main
from dalembert.simulation.plant import Plant

Call = Callable[..., str]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command with these words; what it prints."""
    return partial(printed, capsys, "simulate")


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Call:
    """What the command says where it refuses these words."""
    return partial(refused, capsys, "simulate")


@pytest.mark.parametrize("controller", ["pd", "computed-torque", "servo", "lqr"])
def test_every_controller_brings_the_arm_to_its_goal(call: Call, controller: str) -> None:
    text = call(
        "planar-2r", "--controller", controller, "--to", "0.3,0.2", "--duration", "1", "--json", "--tolerance", "1e-5"
    )
    found = json.loads(text)
    assert max(abs(x) for x in found["end_error"]) < 0.15
    assert found["controller"] == controller
    assert found["energy_balance"] < 1e-2


def test_a_released_arm_is_shown_with_its_energy_and_events(call: Call, tmp_path) -> None:
    options = ("--drives", "--q", "0,0.5,0.5,0,0.3,0", "--duration", "0.5", "--stops", "--tolerance", "1e-5")
    text = call("jpl-rrp", *options, "--output", str(tmp_path / "m.csv"))
    assert "Energy:" in text
    assert "slips" in text
    assert (tmp_path / "m.csv").read_text().startswith("time [s],q_joint1 [rad]")


@pytest.mark.parametrize("drive", [(), ("--torque", "1,2")])
def test_what_no_controller_follows_is_no_error(drive: tuple[str, ...], call: Call, refusal: Call) -> None:
    words = ("planar-2r", *drive, "--duration", "0.1")
    assert "--trajectory is what a controller follows" in refusal(*words, "--trajectory", "excitation")
    assert not {"largest_error", "end_error"} & set(json.loads(call(*words, "--json")))


def test_without_drives_nothing_is_lost_to_friction(call: Call) -> None:
    options = ("irb6", "--q", "0,0.1,0.1,0,0", "--qd", "0.5,0,0,0,0", "--duration", "0.1", "--json")
    links, driven = (json.loads(call(*options, *choice)) for choice in (("--no-drives",), ("--drives",)))
    assert links["drives"] == "none"
    assert links["energy"]["lost"] == 0
    assert driven["drives"] == "exact"
    assert driven["energy"]["lost"] > 0
    assert driven["inputs"] == ["motor1", "motor2", "motor3", "motor4", "motor5"]
    assert json.loads(call(*options, "--rotors", "diagonal"))["drives"] == "diagonal"


def test_drives_come_from_a_file_of_their_own(call: Call, tmp_path) -> None:
    file = tmp_path / "drives.toml"
    file.write_text(
        '[[motors]]\nname = "a"\nratios = {joint1 = 50}\n[[motors]]\nname = "b"\nratios = {joint2 = 40}\n'
        "friction = {coulomb = 1.0}\n"
    )
    found = json.loads(call("planar-2r", "--drives-file", str(file), "--duration", "0.1", "--json"))
    assert found["inputs"] == ["a", "b"]
    # 40 N m of friction hold the second joint, no motor holds the first
    assert found["end"][1] == 0
    assert found["end"][0] < -0.01


def test_a_wrong_load_in_the_model_shows(call: Call) -> None:
    options = (
        "planar-2r", "--no-drives", "--controller", "computed-torque", "--to", "0.5,0.5", "--load", "3", "--json",
    )  # fmt: skip
    right = json.loads(call(*options))
    wrong = json.loads(call(*options, "--model-load", "0"))
    assert max(right["largest_error"]) < 1e-5 < max(wrong["largest_error"])


def test_the_documented_command_with_drives_follows_its_path(call: Call, tmp_path) -> None:
    options = ("--controller", "computed-torque", "--to", "1,0.5,-0.5,0,0.3,0", "--tolerance", "1e-6")
    text = call("puma560", "--drives", *options, "--output", str(tmp_path / "run.csv"))
    assert "which none of them reached" in text
    assert "time steps" not in text
    found = json.loads(call("puma560", "--drives", *options, "--json"))
    assert max(abs(x) for x in found["end_error"]) < 1e-5
    assert found["time_steps"] == []
    assert found["cut"] == dict.fromkeys(found["inputs"], 0.0)


def test_stops_give_back_the_speed_they_are_told_to(call: Call) -> None:
    fall = ("jpl-rrp", "--no-drives", "--q", "0,0.5,0.5,0,0.3,0", "--duration", "0.6", "--stops", "--tolerance", "1e-5")
    dead, lively = (json.loads(call(*fall, "--restitution", e, "--json")) for e in ("0", "0.8"))
    assert {event["kind"] for event in dead["events"]} >= {"stop"}
    assert dead["end"][2] == 0
    assert lively["end"][2] > 0.01
    assert "J in impacts" in " ".join(call(*fall).split())


def test_friction_sampling_and_limits_are_options(call: Call) -> None:
    move = ("irb6", "--drives", "--q", "0.3,0.3,0.3,0.3,0.3", "--to", "0.6,0.6,0.6,0.6,0.6", "--duration", "0.4")
    options = (*move, "--controller", "computed-torque", "--tolerance", "1e-5", "--json")
    fed, none = (json.loads(call(*options, "--friction", way)) for way in ("reference", "none"))
    assert max(fed["largest_error"]) < 0.2 * max(none["largest_error"])
    held = json.loads(call(*options, "--period", "0.002"))
    assert held["largest_input"] == pytest.approx(fed["largest_input"], rel=0.3)
    free = json.loads(call(*options, "--no-saturate"))
    assert free["cut"] is None


def test_bad_input_is_refused_in_one_sentence(refusal: Call) -> None:
    assert "--to needs 2 values" in refusal("planar-2r", "--controller", "pd", "--to", "1,2,3")
    assert "no method" in refusal("planar-2r", "--method", "Euler")
    assert "--rotors is one of" in refusal("planar-2r", "--rotors", "rough")
    assert "--no-drives" in refusal("planar-2r", "--no-drives", "--rotors", "exact")
    assert "--model-load and --model are for a controller" in refusal("planar-2r", "--model-load", "1")
    assert "--friction is for a controller that feeds friction forward" in refusal("planar-2r", "--friction", "none")
    move = ("planar-2r", "--controller", "computed-torque", "--to", "1,1")
    assert "no way 'sign' to feed friction forward" in refusal(*move, "--friction", "sign")
    assert "a restitution belongs to solid stops" in refusal("planar-2r", "--restitution", "0.5")
    assert "no effort limit" in refusal("planar-2r", "--saturate")
    assert "10 evaluations have brought the motion" in refusal("planar-2r", "--evaluations", "10", "--method", "RK45")


def test_a_motion_is_saved_as_a_page_that_plays_it(tmp_path) -> None:
    page = tmp_path / "swing.html"
    assert main(["simulate", "planar-2r", "--duration", "0.1", "--output", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "replay-data" in text
    assert "planar-2r: motion over 0.1 s" in text


def test_the_servo_takes_gains_and_damping_for_each_joint_and_prints_what_it_follows(call: Call) -> None:
    """Bejczy 1974, section II: kv = 2 zeta sqrt(kp J), with the input inertia of the drives in J."""
    words = ("jpl-rrp", "--drives", "--controller", "servo", "--q", "0,0.5,0.5,0,0,0", "--to", "0.1,0.8,0.6,0.1,0.1,0")
    words += ("--duration", "0.1", "--tolerance", "1e-4", "--kp", "200,300,300,20,20,5", "--damping", "1,1,1,.7,.7,.7")
    gains = json.loads(call(*words, "--json"))["gains"]
    driven = da.load("jpl-rrp").driven
    for end, q in (("start", [0, 0.5, 0.5, 0, 0, 0]), ("end", [0.1, 0.8, 0.6, 0.1, 0.1, 0])):
        inertia = np.diagonal(driven.mass_matrix(q))
        assert gains[f"inertia_at_{end}"] == pytest.approx(inertia)
        kv = 2 * np.array([1, 1, 1, 0.7, 0.7, 0.7]) * np.sqrt(np.array([200, 300, 300, 20, 20, 5]) * inertia)
        assert gains[f"kv_at_{end}"] == pytest.approx(kv)
    text = call(*words)
    assert "Gains of the servo" in text
    assert "N m s/rad" in text
    # The plant without rotors has the inertia of the links alone to follow.
    bare = json.loads(call("jpl-rrp", "--no-drives", *words[2:], "--json"))["gains"]
    assert bare["inertia_at_start"] == pytest.approx(np.diagonal(driven.arm.mass_matrix([0, 0.5, 0.5, 0, 0, 0])))


def test_gains_for_each_joint_are_those_of_the_controllers(call: Call) -> None:
    words = ("planar-2r", "--to", "0.3,0.2", "--duration", "0.2", "--json", "--controller")
    for name in ("pd", "computed-torque"):
        one, each = (json.loads(call(*words, name, "--kp", kp, "--kd", "7")) for kp in ("50", "50,50"))
        assert each["end"] == one["end"]
        other = json.loads(call(*words, name, "--kp", "50,90", "--kd", "7,9"))
        assert other["end"][1] != one["end"][1]


def test_gains_that_do_not_fit_are_refused(refusal: Call) -> None:
    words = ("planar-2r", "--controller", "servo")
    assert "one for each of joint1, joint2" in refusal(*words, "--kp", "1,2,3")
    assert "zero or more" in refusal(*words, "--damping", "-1")
    assert "--kd has no effect" in refusal(*words, "--kd", "3")
    assert "--damping has no effect" in refusal("planar-2r", "--controller", "pd", "--damping", "3")
    assert "the input is constant" in refusal("planar-2r", "--torque", "1,0", "--period", "0.01")


def test_constant_torques_move_the_arm_as_the_equations_of_motion_say(call: Call, refusal: Call) -> None:
    """Bejczy 1974, eq. 26, integrated for given torques: here by small steps of the classical Runge-Kutta method."""
    arm = da.load("jpl-rrp")
    words = ("jpl-rrp", "--no-drives", "--torque", "1,0,70,0,0.01,0", "--q", "0,0.3,0.5,0,0,0", "--duration", "0.2")
    found = json.loads(call(*words, "--json"))
    torque = np.array([1, 0, 70, 0, 0.01, 0])

    def rate(x: np.ndarray) -> np.ndarray:
        q, qd = x[:6], x[6:]
        load = arm.inverse_dynamics(q, qd, np.zeros(6))
        return np.concatenate([qd, np.linalg.solve(arm.mass_matrix(q), torque - load)])

    x, h = np.array([0, 0.3, 0.5, 0, 0, 0] + [0.0] * 6), 0.0005
    for _ in range(400):
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))
    assert found["end"] == pytest.approx(x[:6], abs=1e-8)
    assert found["largest_input"] == pytest.approx(torque)
    assert "one for each of joint1" in refusal(*words[:3], "1,2")
    assert "one for each of motor1" in refusal("jpl-rrp", "--drives", "--torque", "1,2")
    assert "--torque drives the system itself" in refusal(*words[:4], "--controller", "pd")


def test_ctrl_c_saves_what_was_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    path, calls = tmp_path / "m.csv", 0
    drive = Plant.drive

    def pressed(self, *state):
        nonlocal calls
        calls += 1
        if calls == 3000:
            os.kill(os.getpid(), signal.SIGINT)
        return drive(self, *state)

    monkeypatch.setattr(Plant, "drive", pressed)
    words = ("planar-2r", "--method", "RK45", "--duration", "1000", "--q", "0.1,0.2", "--output", str(path), "--json")
    assert main(["simulate", *words]) == INTERRUPTED
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("note: interrupted at t = ")
    assert said.err.endswith(f"what was found up to there is in {path}\ndalembert: interrupted\n")
    assert len(path.read_text().splitlines()) > 2
