"""``dalembert ik`` and the trajectories of ``dalembert simulate``: what Python says, and sentences for the rest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main


def test_the_command_finds_what_python_finds(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ik", "ur5e", "--pose", "0.3,0.2,0.4,180 deg,0,pi/4", "--load", "2", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    arm = da.load("ur5e").holding(da.Load(2))
    pose = da.Placement.from_xyz_rpy((0.3, 0.2, 0.4), (np.pi, 0, np.pi / 4))
    found = arm.inverse_kinematics(pose)
    assert told["q"] == pytest.approx(found.q.tolist(), abs=1e-7)
    assert told["holding_effort"] == pytest.approx(arm.gravity_load(told["q"]))
    assert told["reached"] is True


def test_what_holds_the_arm_counts_springs_and_manipulability_is_of_the_frame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = da.load("ur5e").with_elastic(da.JointSpring("elbow_joint", 30.0, 0.2))
    (tmp_path / "soft.toml").write_text(arm.write_toml())
    words = [
        "ik",
        str(tmp_path / "soft.toml"),
        "--pose",
        "0.3,0.2,0.4",
        "--task",
        "position",
        "--frame",
        "wrist_1_link",
    ]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    still = np.zeros(arm.n)
    assert told["holding_effort"] == pytest.approx(arm.inverse_dynamics(told["q"], still, still))
    assert abs(told["holding_effort"][2] - arm.gravity_load(told["q"])[2]) > 1
    measured = arm.manipulability(told["q"], "wrist_1_link", directions="translation").measure
    assert told["manipulability_translation"] == pytest.approx(measured)
    assert main(words) == 0
    assert f"Manipulability {float(measured):.4g} in translation" in capsys.readouterr().out


def test_a_pose_that_is_not_reached_ends_with_code_1_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ik", "planar-2r", "--pose", "9,0,0", "--task", "position", "--starts", "4"]) == 1
    said = capsys.readouterr().out
    assert "NOT reached" in said
    assert "7 m" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ik", "ur5e", "--pose", "1,2"], "6 numbers"),
        (["ik", "ur5e", "--pose", "0.4,0.2,0.3", "--task", "orientation"], "6 numbers"),
        (["ik", "ur5e", "--pose", "1 deg,2,3,0,0,0"], "in metres"),
        (["ik", "ur5e", "--pose", "0,0,0,0,0,0", "--frame", "nowhere"], "no link"),
        (["ik", "ur5e", "--pose", "0,0,0,0,0,0", "--criterion", "limits"], "none to spare"),
        (["simulate", "planar-2r", "--controller", "pd", "--trajectory", "line"], "give --pose"),
        (["simulate", "planar-2r", "--controller", "pd", "--trajectory", "spline"], "give --to"),
        (
            ["simulate", "planar-2r", "--controller", "pd", "--trajectory", "quintic", "--via", "1,1"],
            "--via has no effect",
        ),
        (
            ["simulate", "planar-2r", "--controller", "pd", "--trajectory", "trapezoidal", "--jerk", "1"],
            "--jerk has no",
        ),
    ],
)
def test_wrong_words_end_in_a_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["spline", "s-curve", "time-optimal"])
def test_a_controller_follows_every_kind_of_trajectory(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "planar-2r", "--controller", "computed-torque", "--trajectory", kind, "--to", "0.3,0.2"]
    more = {"spline": ["--via", "0.1,0.3;0.2,0.1"], "time-optimal": ["--speed", "1", "--acceleration", "4"]}.get(
        kind, []
    )
    assert main([*words, *more, "--duration", "1.5", "--tolerance", "1e-6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["end"] == pytest.approx([0.3, 0.2], abs=1e-3)
    assert max(told["largest_error"]) < 1e-3


def test_a_line_asks_for_the_task_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "planar-2r", "--controller", "pd", "--q", "0.3,1.2", "--duration", "0.1", "--trajectory"]
    end = ["--pose", ",".join(f"{x:.9f}" for x in da.load("planar-2r").forward_kinematics([0.5, 1.0])[:3, 3])]
    assert main([*words, "line", *end]) != 0
    assert "task 'position'" in capsys.readouterr().err
    assert main([*words, "line", *end, "--task", "position"]) == 0
    capsys.readouterr()
    assert main([*words, "quintic", "--task", "position"]) != 0
    assert "--task has no effect" in capsys.readouterr().err
    assert main([*words, "time-optimal", "--to", "0.5,1", "--task", "position"]) != 0
    assert "give --pose" in capsys.readouterr().err
