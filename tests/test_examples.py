"""The example scripts of arms run and say what they promise."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from dalembert.compile import build
from loaded_scripts import loaded_script

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name: str) -> ModuleType:
    return loaded_script(EXAMPLES / f"{name}.py")


def test_a_urdf_becomes_a_controller_in_c_that_tracks_at_a_kilohertz(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)
    try:
        build.find()
    except build.CompileError:
        pytest.skip("no C compiler")
    worst = example("from_urdf_to_controller").main(["--seconds", "0.3", "--folder", str(tmp_path)])
    assert worst < 5e-3
    assert "closed at 1000 Hz" in capsys.readouterr().out
    header = (tmp_path / "iiwa14_computed_torques.h").read_text(encoding="ascii")
    assert "A load of 1.5 kg on" in header
    assert "friction of the drives are built in" in header
    assert "qd_wanted[7]: joint velocities that are wanted, at which friction is counted" in header


def test_the_figure_of_what_torques_cost_is_what_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lee, Lee and Nigam 1982, Figure 2: the picture in the documentation is the one that the example draws."""
    example("lee_figure_2").main(tmp_path)
    drawn = (tmp_path / "figure-2.svg").read_text(encoding="utf-8")
    assert drawn == (EXAMPLES.parent / "docs" / "lee" / "figure-2.svg").read_text(encoding="utf-8")
    assert "generalized-dalembert, Lee's Table 1" in capsys.readouterr().out
