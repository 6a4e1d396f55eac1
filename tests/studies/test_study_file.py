"""Study files: untrusted text becomes a study or one sentence; the examples run from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.api.study_loading import study_arm
from dalembert.arm.errors import ArmError
from dalembert.cli import main
from dalembert.studies.study_file import parse_study

pytestmark = pytest.mark.usefixtures("compiled_kernels")
EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"
PLAIN = """arm = "planar-2r"
samples = 4
[motion]
start = [0, 0]
end = [1, -1]
speed = 1
acceleration = [2, 3]
[[factor]]
name = "load.mass"
low = 0
high = 2
[[output]]
kind = "energy"
"""


def parsed(text: str) -> Any:
    return parse_study(text, "study.toml", None, study_arm)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_runs_and_says_its_outputs(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = () if path.stem == "rrp_ranges" else ("--samples", "16")
    page = tmp_path / "p.html"
    assert main(["study", str(path), "--json", "--page", str(page), "-o", str(tmp_path / "r.csv"), *small]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["failed"] == 0
    assert len((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()) == said["designs"] + 1
    assert "http://" not in page.read_text(encoding="utf-8").replace("http://www.w3.org", "")
    if path.stem == "puma_counterweight":
        assert said["best"]["certified"]
        assert said["best"]["value"] < 0.3 * said["best"]["before"]


def test_a_file_and_python_ask_the_same() -> None:
    asked = parsed(PLAIN).study
    arm = da.load("planar-2r")
    path = da.trapezoidal([0, 0], [1, -1], 1, [2, 3])
    right = da.study(arm, {"load.mass": (0, 2)}, ["energy"], motion=asked.motion, samples=4)
    assert asked.run().values.tolist() == right.values.tolist()
    assert asked.motion.t[-1] == pytest.approx(path.duration)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"planar-2r"', '"no-such-arm"'), "no-such-arm"),
        (('name = "load.mass"', 'name = "load.mas"'), "did you mean 'load.mass'"),
        (("high = 2", "high = -2"), "must be below"),
        (('kind = "energy"', 'kind = "own"'), "--function"),
        (('kind = "energy"', 'kind = "money"'), "no output"),
        (("samples = 4", "samples = -4"), "samples must be a whole number"),
        (("samples = 4", "samples = 4\ndrives = 7"), "drives is true, false or one of"),
        (("acceleration = [2, 3]", "acceleration = [2, 3]\nfile = 'x.csv'"), "a motion is a file"),
        (("[[factor]]", "[[factors]]"), "did you mean 'factor'"),
        (("speed = 1", "speed = \"__import__('os')\""), "speed"),
    ],
)
def test_what_a_file_gets_wrong_is_said_in_one_sentence(change: tuple[str, str], said: str) -> None:
    with pytest.raises(ArmError, match=said.replace("(", r"\(")) as found:
        parsed(PLAIN.replace(*change)).study.run()
    assert "\n" not in str(found.value)


def test_a_function_comes_from_the_command_line_and_numbers_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.toml").write_text(PLAIN, encoding="utf-8")
    assert main(["study", str(tmp_path / "study.toml"), "--function", "study_functions:held_load", "--json"]) == 0
    assert [row["output"] for row in json.loads(capsys.readouterr().out)["outputs"]] == ["energy", "held_load"]
    assert main(["study", str(tmp_path / "study.toml"), "--function", "os.system"]) == 2
    assert "MODULE:NAME" in capsys.readouterr().err
    assert main(["study", "puma560", "--numbers"]) == 0
    assert "motor.motor2.ratio.joint2" in capsys.readouterr().out
    assert main(["study", str(tmp_path / "study.toml"), "--threads", "2", "--processes", "2"]) == 2
    assert "give one of them" in capsys.readouterr().err
