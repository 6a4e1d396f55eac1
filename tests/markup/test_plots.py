"""Plots of motions and ranges: every value is in the figure, by plotly and by matplotlib."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.markup import plots


@pytest.fixture(scope="module")
def motion() -> da.Motion:
    return da.load("planar-2r").simulate(np.zeros(2), [0.3, 0.2], duration=0.2, samples=11)


def test_a_motion_has_its_curves_in_both_libraries(motion: da.Motion) -> None:
    pytest.importorskip("matplotlib")
    figure = motion.plot("matplotlib")
    assert len(figure.axes) == 4
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    assert any(np.allclose(line.get_ydata(), motion.qd[:, 1]) for line in lines)
    assert [axes.get_ylabel() for axes in figure.axes] == ["rad", "rad/s", "N m", "J"]
    pytest.importorskip("plotly")
    assert len(motion.plot("plotly").data) == len(lines)
    assert len(motion.plot().data) == len(lines)


def test_ranges_are_bars_from_least_to_largest_with_and_without_load() -> None:
    pytest.importorskip("matplotlib")
    arm = da.load("planar-2r")
    ask = arm.analysis(gap=0.1)
    tables = ask.ranges(arm.holding(da.Load(2.0)).analysis(gap=0.1))
    bars = [bar for axes in tables.plot("matplotlib").axes for bar in axes.patches]
    assert len(bars) == 8
    row = tables.inertia[0]
    assert any(
        bar.get_x() == row.loaded.minimum and bar.get_x() + bar.get_width() == pytest.approx(row.loaded.maximum)
        for bar in bars
    )
    pytest.importorskip("plotly")
    assert len(tables.plot("plotly").data) == 8


def test_a_library_that_is_not_there_is_told(motion: da.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(da.ArmError, match="plotly or matplotlib, not 'gnuplot'"):
        motion.plot("gnuplot")
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    with pytest.raises(da.ArmError, match="plotly is not installed"):
        motion.plot()
