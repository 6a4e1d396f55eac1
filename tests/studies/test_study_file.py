"""Study files: untrusted text becomes a study or one sentence; the examples run from the command line."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.api.study_loading import study_arm
from dalembert.arm.errors import ArmError
from dalembert.cli import main
from dalembert.studies.evaluator import DesignEvaluator
from dalembert.studies.study import Study
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
        assert said["best"]["converged"]
        assert (said["best"]["unit"], said["best"]["units"]["load.link2.mass"]) == ("N m", "kg")
        assert "angles are shown in radians" in page.read_text(encoding="utf-8")
        assert said["best"]["value"] < 0.3 * said["best"]["before"]


def test_every_number_that_a_study_prints_has_its_unit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")  # heads are not folded
    assert main(["study", str(EXAMPLES / "puma_gears.toml"), "--samples", "16"]) == 0
    said = capsys.readouterr().out
    assert "Tolerance budget of energy [J]" in said
    assert re.search(r"energy: [\d.]+ J with a standard deviation of [\d.]+ J;", said)
    for head in ("load.link2.mass [kg]", "peak_motor_torque.motor2 [N m]", "energy [J]"):
        assert head in said.partition("Pareto front")[2]
    assert re.search(r"load.link2.com.x +-?[\d.]+ +m", said.partition("Best design")[2])


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
        (("high = 2", 'high = "90 deg"'), "'load.mass': high: '90 deg' is an angle, and a plain number in SI units"),
        (('name = "load.mass"', 'name = "load.mass"\nrelative = true\nsd = "1 deg"'), "sd: '1 deg' is an angle"),
        (
            ('kind = "energy"', 'kind = "natural_frequency"\nstiffness = ["90 deg", 1]'),
            "stiffness: '90 deg' is an angle",
        ),
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


def test_degrees_are_for_what_turns() -> None:
    text = PLAIN.replace('"planar-2r"', '"stanford"').replace('name = "load.mass"', 'name = "joint.joint2.rx"')
    text = text.replace("high = 2", 'high = "2 deg"')
    text = text[: text.index("[motion]")] + text[text.index("[[factor]]") :]
    at = '[motion]\npoints = [[0, 0, 0, 0, 0, 0], ["90 deg", 0, SLIDE, 0, 0, 0]]\ntimes = 1\n'
    file = parsed(text + at.replace("SLIDE", "0.3"))
    assert file.study.factors[0].high == pytest.approx(np.radians(2))
    assert file.study.motion.q[-1, 0] == pytest.approx(np.pi / 2)
    with pytest.raises(ArmError, match="points: '30 deg' is an angle"):
        parsed(text + at.replace("SLIDE", '"30 deg"'))


QUESTIONS = (
    PLAIN
    + """[pareto]
energy = "least"
[[budget]]
output = "energy"
allowed = 1.0
[optimize]
objective = "energy"
starts = 1
[[optimize.limit]]
kind = "mass"
most = 200
"""
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("samples = 4", 'samples = 4\ndesign = "magic"'), "study.toml: no design 'magic'"),
        (("samples = 4", "samples = 0"), "study.toml: samples must be"),
        (("[motion]", "[load]\nmass = -1\n[motion]"), "study.toml: load: the load cannot be"),
        (('name = "load.mass"', 'nam = "load.mass"'), "study.toml: factor.0.: unknown key 'nam'"),
        (("high = 2", "high = 2\nnumbers = 4"), "study.toml: factor.0. 'load.mass': numbers must be"),
        (("high = 2", "high = 0"), "for one value alone give values"),
        (('kind = "energy"', 'kind = "energy"\njoints = ["elbow"]'), "study.toml: output 'energy': no joint 'elbow'"),
        (('kind = "energy"', 'kind = "cycle_time"\njoints = ["joint1"]'), "not of single joints"),
        (('kind = "energy"', 'kind = "cycle_time"'), "study.toml: output 'cycle_time': a joint has no limit"),
        (('kind = "energy"', 'kind = "peak_motor_torque"'), "study.toml: planar-2r: .* drives = true"),
        (('objective = "energy"', 'objective = "peak_motor_torque"'), "study.toml: optimize: .* drives = true"),
        (('kind = "energy"', 'kind = "range"\ncoefficient = "Q11"'), "study.toml: there is no coefficient 'Q11'"),
        (
            ('kind = "energy"', 'kind = "range"\nbox = {elbow = [0, 1]}'),
            "study.toml: output 'range': .*no joint 'elbow'",
        ),
        (('kind = "energy"', 'kind = "range"'), "study.toml: output 'range' .* coefficient = \"D11\""),
        (
            ('kind = "energy"', 'kind = "reduced_model"\ntolerance = -1'),
            "study.toml: output 'reduced_model': a tolerance",
        ),
        (('energy = "least"', 'enrgy = "least"'), "study.toml: pareto: the study has no column 'enrgy' .did you mean"),
        (('energy = "least"', 'energy = "best"'), "study.toml: pareto: of 'energy' one wants"),
        (('output = "energy"', 'output = "power"'), "study.toml: budget: the study has no column 'power'"),
        (
            ("allowed = 1.0", 'allowed = 1.0\n[[budget]]\noutput = "energy"'),
            "study.toml: budget.1.: 'energy' has a budget already",
        ),
        (("allowed = 1.0", "allowed = -1"), "study.toml: budget: the spread of 'energy'"),
        (('objective = "energy"', 'objective = "price"'), "study.toml: optimize: no objective 'price'"),
        (("starts = 1", "starts = 0"), "study.toml: optimize: starts must be"),
        (('kind = "mass"', 'kind = "beauty"'), "study.toml: optimize: no limit 'beauty'"),
        (
            ('objective = "energy"', 'objective = "range"\ncoefficient = "C112"'),
            "study.toml: optimize: .*an inertia D_ij",
        ),
    ],
)
def test_questions_are_refused_with_file_and_field_before_the_first_design(change: tuple[str, str], said: str) -> None:
    text = QUESTIONS.replace(*change, 1)
    assert text != QUESTIONS
    with pytest.raises(ArmError, match=said) as found:
        parsed(text).check()
    assert str(found.value).count("study.toml") == 1


def test_results_are_shown_where_a_question_about_them_has_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One design is too few for a budget, and a limit that no design keeps ends the search, not the study."""
    file = tmp_path / "study.toml"
    file.write_text(QUESTIONS.replace("samples = 4", "samples = 1").replace("most = 200", "most = 0.1"), "utf-8")
    assert main(["study", str(file), "--json", "-o", str(tmp_path / "r.csv"), "--page", str(tmp_path / "p.html")]) == 2
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert answer["designs"] == 1
    assert "too few designs have 'energy'" in answer["without"][0]
    assert "optimize: planar-2r: no design between the ends" in shown.err
    assert "too few designs" in (tmp_path / "p.html").read_text("utf-8")
    assert len((tmp_path / "r.csv").read_text("utf-8").splitlines()) == 2


def test_ctrl_c_in_the_search_for_the_best_design_leaves_what_was_worked_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dalembert.studies.optimum.optimize_design", interrupted)
    file = tmp_path / "study.toml"
    file.write_text(QUESTIONS, "utf-8")
    assert (
        main(["study", str(file), "--json", "-o", str(tmp_path / "r.csv"), "--page", str(tmp_path / "p.html")]) == 130
    )
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert answer["designs"] == 4
    assert answer["best"] is None
    assert "interrupted while the best design was looked for" in shown.err
    assert (tmp_path / "p.html").exists()


@pytest.mark.parametrize("as_json", [True, False])
def test_ctrl_c_in_the_search_keeps_the_best_design_met_and_says_so(
    as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the terminal, in JSON and on the page."""

    @contextlib.contextmanager
    def bar(first: str) -> Iterator[Any]:
        told: list[str] = []

        def follow(text: str, share: float) -> None:
            told.append(text)
            if len(told) == 5:
                raise KeyboardInterrupt

        yield follow

    monkeypatch.setattr("dalembert.cli.study_command.reducing_bar", bar)
    file, page = tmp_path / "study.toml", tmp_path / "p.html"
    file.write_text(QUESTIONS, "utf-8")
    assert main(["study", str(file), "--page", str(page), *(["--json"] if as_json else [])]) == 0
    shown = capsys.readouterr()
    assert "note: interrupted; this is the best design met so far" in shown.err
    sentence = "The search was interrupted"
    assert sentence in page.read_text("utf-8")
    if as_json:
        best = json.loads(shown.out)["best"]
        assert (best["interrupted"], best["converged"], best["certified"]) == (True, False, False)
    else:
        assert sentence in " ".join(shown.out.split())


@pytest.mark.parametrize("chunks", [0, 1])
def test_ctrl_c_says_what_is_kept_of_a_study_and_nothing_where_nothing_is(
    chunks: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = DesignEvaluator.evaluate
    done: list[int] = []

    def until(evaluator: DesignEvaluator, designs: Any) -> Any:
        if len(done) == chunks:
            raise KeyboardInterrupt
        done.append(len(designs))
        return evaluate(evaluator, designs)

    monkeypatch.setattr(DesignEvaluator, "evaluate", until)
    file = tmp_path / "study.toml"
    file.write_text(PLAIN.replace("samples = 4", "samples = 4\nchunk = 3"), "utf-8")
    assert main(["study", str(file), "-o", str(tmp_path / "r.csv")]) == 130
    said = capsys.readouterr().err
    kept = list((tmp_path / "r.csv.parts").glob("*.npz")) if chunks else []
    if chunks:
        assert "3 of 4 designs are kept beside" in said
        assert kept
    else:
        assert "no design was done yet" in said
        assert "kept" not in said


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:", "SyntaxError: invalid syntax"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("g = 1", "AttributeError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_said_in_a_sentence(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.toml").write_text(PLAIN, encoding="utf-8")
    name = f"broken_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["study", str(tmp_path / "study.toml"), "--function", f"{name}:f"]) == 2
    assert f"{name}:f: cannot be imported ({said}" in capsys.readouterr().err
    assert main(["study", str(tmp_path / "study.toml"), "--function", f".{name}:f"]) == 2


def test_a_study_without_a_design_that_could_be_worked_out_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text(PLAIN.replace("low = 0\nhigh = 2", "low = -2\nhigh = -1"), "utf-8")
    assert main(["study", str(tmp_path / "study.toml")]) == 2
    printed = capsys.readouterr()
    assert "4 designs failed: " in printed.out
    assert "study.toml: all 4 designs failed, for the reasons above" in printed.err


@pytest.mark.parametrize(("page", "said"), [("no/p.html", "there is no such folder"), (".", "is a folder")])
def test_a_page_that_cannot_be_written_is_told_before_the_first_design(
    page: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def worked_out(*_: Any, **__: Any) -> None:
        raise AssertionError("a design was worked out")

    monkeypatch.setattr(Study, "run", worked_out)
    (tmp_path / "study.toml").write_text(PLAIN, "utf-8")
    assert main(["study", str(tmp_path / "study.toml"), "--page", str(tmp_path / page)]) == 2
    assert said in capsys.readouterr().err


def test_the_file_of_an_arm_is_no_study_and_says_what_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(da.load("planar-2r").write_urdf(), encoding="utf-8")
    assert main(["study", str(path)]) == 2
    assert "describes an arm; a study is a TOML file" in capsys.readouterr().err
    assert main(["study", str(path), "--numbers"]) == 0
