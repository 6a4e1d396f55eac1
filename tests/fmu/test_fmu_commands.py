"""``dalembert codegen --fmu`` and ``dalembert mechanism --fmu``."""

from __future__ import annotations

from pathlib import Path

import pytest
from fmpy import read_model_description

from dalembert.cli import main

FIVE_BAR = Path(__file__).parents[2] / "examples" / "mechanisms" / "five_bar.toml"

MOTORS = """name = "crane"
coordinates = ["arm.joint1"]
[chain.arm]
arm = "crane"
drives = true
[arm.crane]
convention = "standard"
[[arm.crane.joints]]
name = "joint1"
type = "revolute"
dh = {a = 0.3}
link = {mass = 0.8, com = [-0.15, 0, 0], inertia = [0.001, 0.006, 0.006]}
[[arm.crane.drives.motors]]
name = "hoist"
ratios = {joint1 = 20}
rotor = {inertia = 1e-4}
"""


def test_options_shape_the_system_that_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.fmu"
    words = ["codegen", "planar-2r", "--load", "1.5", "--gravity", "0,-1.62,0", "--fmu", str(path), "--fmi", "3.0"]
    assert main(words) == 0
    assert "FMI 3.0, model exchange and co-simulation" in " ".join(capsys.readouterr().out.split())
    described = {v.name: v for v in read_model_description(str(path)).modelVariables}
    assert float(described["load.mass"].start) == 1.5
    assert float(described["gravity.y"].start) == -1.62


def test_a_mechanism_starts_where_it_is_told_to(tmp_path: Path) -> None:
    path = tmp_path / "five_bar.fmu"
    assert main(["mechanism", str(FIVE_BAR), "--q", "2.0,1.1", "--fmu", str(path)]) == 0
    starts = [float(v.start) for v in read_model_description(str(path)).modelVariables if v.name.startswith("q.")]
    assert starts == pytest.approx([2.0, 1.1])


def test_a_mechanism_is_driven_by_its_motors_from_either_command(tmp_path: Path) -> None:
    file = tmp_path / "crane.toml"
    file.write_text(MOTORS)
    found = []
    for command in ("codegen", "mechanism"):
        path = tmp_path / f"{command}.fmu"
        assert main([command, str(file), "--fmu", str(path), "--input", "motor-torque"]) == 0
        found.append(path.read_bytes())
    names = [v.name for v in read_model_description(str(path)).modelVariables if v.causality == "input"]
    assert names == ["motor.arm_hoist"]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["codegen", "planar-2r", "--stops"], "--stops belongs to --fmu"),
        (["codegen", "planar-2r", "--fmu", "a.fmu", "-f", "bias"], "--fmu writes the whole system"),
        (["codegen", "planar-2r", "--fmu", "a.fmu", "--dtype", "float32"], "leave -f, -o and --dtype out"),
        (["codegen", str(FIVE_BAR), "--fmu", "a.fmu", "-o", "folder"], "leave -f, -o and --dtype out"),
        (["codegen", "planar-2r", "--fmu", "a.fmu", "--input", "voltage"], "needs an arm with its drives"),
        (["codegen", "planar-2r", "--lang", "cuda", "--rust"], "--cpp and --rust go around C"),
        (["mechanism", str(FIVE_BAR), "--fmi", "2.0"], "--fmi belongs to --fmu"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())
