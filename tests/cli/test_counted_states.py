"""What is proved holds for some states: the command line says for which, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dalembert as da
from command_runs import run


@pytest.mark.parametrize(
    "words",
    [
        ("reduce", "planar-2r", "--tolerance", "0.3"),
        ("significance", "planar-2r"),
        ("significance", "planar-2r", "--split"),
    ],
)
def test_speeds_and_accelerations_that_nobody_gave_are_told(words: tuple[str, ...], folder: Path) -> None:
    printed = " ".join(run(folder, *words).out.split())
    assert "joint1 - - 2 10 rad, rad/s, rad/s^2" in printed  # no limits: all the way round
    assert "Speeds are the limits of the joints, or 2 rad/s and 1 m/s where they have none" in printed


@pytest.mark.parametrize("words", [("reduce", "planar-2r", "--tolerance", "0.3"), ("significance", "planar-2r")])
def test_states_are_those_of_the_analysis(words: tuple[str, ...], folder: Path) -> None:
    box = ("--box", "joint2=0.1:0.9", "--speed", "3,4", "--acceleration", "5")
    states = da.load("planar-2r").analysis({"joint2": (0.1, 0.9)}, (3, 4), 5).states
    told = json.loads(run(folder, *words, *box, "--json").out)["states"]
    assert told["lower"] == states.box.lower.tolist()
    assert told["upper"] == states.box.upper.tolist()
    assert (told["speed"], told["acceleration"]) == ([3, 4], [5, 5])
    assert told["units"]["acceleration"] == ["rad/s^2", "rad/s^2"]
    printed = run(folder, *words, *box).out
    assert "0.1  0.9" in printed
    assert "--speed and --acceleration give others" not in printed


def test_coupling_says_at_which_pose(folder: Path) -> None:
    printed = " ".join(run(folder, "coupling", "jpl-rrp", "--q", "0.1,0.2,0.5,0,0,0").out.split())
    assert "joint3 [m] 0.5 6.47" in printed


def test_the_summary_of_a_model_has_units_and_states() -> None:
    text = da.load("planar-2r").analysis(speed=3, acceleration=5).reduce(0.3).summary()
    assert "speeds up to 3 rad/s, accelerations up to 5 rad/s^2" in text
    assert " N m (" in text


def test_the_page_says_where_the_speeds_come_from(folder: Path) -> None:
    told = "Speeds are the limits of the joints, or 2 rad/s and 1 m/s where they have none"
    pages = []
    for speed in ([], ["--speed", "1"]):
        pages.append(
            run(folder, "report", "planar-2r", *speed, "--tolerance", "0.3", "-o", "page.html").files["page.html"]
        )
    assert told in pages[0]
    assert told not in pages[1]


def test_ranges_say_of_which_arm_and_over_what_they_are(folder: Path) -> None:
    for box, words in (((), "no pose within the limits"), (("--box", "joint2=0.1:0.9"), "no pose within the box")):
        printed = " ".join(run(folder, "ranges", "planar-2r", "--load", "2", *box).out.split())
        assert "planar-2r, the links alone, holding 2 kg on link2" in printed
        assert words in printed
