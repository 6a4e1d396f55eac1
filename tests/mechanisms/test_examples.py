"""Every example script of mechanisms runs and draws its picture."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"
SCRIPTS = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "drawing")


@pytest.mark.parametrize("name", SCRIPTS)
def test_example_runs_and_draws(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    image = pytest.importorskip("matplotlib.image")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    drawing = importlib.import_module("drawing")
    monkeypatch.setitem(sys.modules, "drawing", drawing)
    monkeypatch.setattr(drawing, "OUTPUT", tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out.endswith(f"wrote {tmp_path.name}/{name}.png\n")
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{name}.png"
    pixels = image.imread(picture)[..., :3]
    # Lines and letters on white: not an empty sheet, and not only black ones.
    drawn = (pixels < 0.9).any(axis=-1)
    assert 0.01 < drawn.mean() < 0.5
    assert (np.ptp(pixels[drawn], axis=-1) > 0.3).sum() > 500
