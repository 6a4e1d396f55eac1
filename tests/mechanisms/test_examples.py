"""Example scripts run and write their pictures (some of them: those that take little time)."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"


@pytest.mark.parametrize("name", ["three_rrr", "bricard", "hand", "two_pumas"])
def test_example_runs_and_draws(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    drawing = importlib.import_module("drawing")
    monkeypatch.setitem(sys.modules, "drawing", drawing)
    monkeypatch.setattr(drawing, "OUTPUT", tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
