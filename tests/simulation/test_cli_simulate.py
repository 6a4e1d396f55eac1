"""``dalembert simulate``, through a command of its own with only this word."""

import json

import pytest
import typer
from typer.testing import CliRunner

from dalembert.arm.errors import ArmError
from dalembert.cli.simulate_command import register

app = typer.Typer()
register(app)


@app.callback()
def whole() -> None:
    """Keeps the word a word."""


def call(*words: str) -> str:
    result = CliRunner().invoke(app, ["simulate", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("controller", ["pd", "computed-torque", "servo", "lqr"])
def test_every_controller_brings_the_arm_to_its_goal(controller):
    text = call(
        "planar-2r", "--controller", controller, "--to", "0.3,0.2", "--duration", "1", "--json", "--tolerance", "1e-5"
    )
    found = json.loads(text)
    assert max(abs(x) for x in found["end_error"]) < 0.15
    assert found["controller"] == controller
    assert found["energy_balance"] < 1e-2


def test_a_released_arm_is_shown_with_its_energy_and_events(tmp_path):
    options = ("--q", "0,0.5,0.5,0,0.3,0", "--duration", "0.5", "--stops", "--tolerance", "1e-5")
    text = call("jpl-rrp", *options, "--output", str(tmp_path / "m.csv"))
    assert "Energy:" in text
    assert "slips" in text
    assert (tmp_path / "m.csv").read_text().startswith("time [s],q_joint1 [rad]")


def test_a_wrong_load_in_the_model_shows():
    options = (
        "planar-2r",
        "--links-only",
        "--controller",
        "computed-torque",
        "--to",
        "0.5,0.5",
        "--load",
        "3",
        "--json",
    )
    right = json.loads(call(*options))
    wrong = json.loads(call(*options, "--model-load", "0"))
    assert max(right["largest_error"]) < 1e-5 < max(wrong["largest_error"])


def test_bad_input_is_refused_in_one_sentence():
    with pytest.raises(ArmError, match="--to needs 2 values"):
        call("planar-2r", "--controller", "pd", "--to", "1,2,3")
    with pytest.raises(ArmError, match="no method"):
        call("planar-2r", "--method", "Euler")
    with pytest.raises(ArmError, match="no approximation"):
        call("planar-2r", "--rotors", "rough")
