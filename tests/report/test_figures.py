"""Figures stand right without a script, and what they tell the pointer is what they draw."""

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.report.charts.bar_chart import BarChart, Bars
from dalembert.report.charts.figures import ChartAxis, Figure, scale, ticks
from dalembert.report.charts.grid_chart import GridChart
from dalembert.report.charts.line_chart import LineChart, Series

LINE = LineChart(
    "rise",
    "A <rise>",
    "It rises.",
    x_axis=ChartAxis("angle", "deg"),
    y_axis=ChartAxis("D11", "kg m²"),
    x=(-180.0, 0.0, 180.0),
    series=(Series("one", (1.0, 2.0, 3.0)), Series("<two>", (-1.0, 0.0, 1.0))),
    limit=("limit", 4.0),
)
BARS = BarChart(
    "bars",
    "Bars",
    "Some bars.",
    axis=ChartAxis("load", "N m"),
    names=("joint 1", "a <long> name that does not fit the margin"),
    bars=(Bars("empty", (2.0, 5.0), (-2.0, 1.0)), Bars("loaded", (3.0, 6.0), (-3.0, 1.0))),
)
GRID = GridChart(
    "grid",
    "Grid",
    "A grid.",
    names=("a", "b"),
    values=((None, 0.5), (0.5, 1.0)),
    quantity="coupling",
    low=0.0,
    high=1.0,
)
MAP = GridChart(
    "map",
    "Map",
    "A map.",
    x_axis=ChartAxis("joint 2", "deg"),
    y_axis=ChartAxis("joint 3", "m"),
    columns=(0.0, 90.0),
    rows=(0.0, 0.5, 1.0),
    values=((1.0, 2.0), (3.0, 4.0), (5.0, 6.0)),
    quantity="D11",
    unit="kg m²",
)


def test_bars_leave_as_much_room_as_the_names_of_joints_need() -> None:
    named = BarChart("b", "B", "", names=("joint 2, shoulder_lift_joint", "x" * 60), bars=(Bars("one", (1.0, 2.0)),))
    drawn = str(named.drawing())
    assert ">joint 2, shoulder_lift_joint<" in drawn
    assert f">{'x' * 37}…<" in drawn
    starts = [float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*text-anchor="end"', drawn)]
    assert min(starts) >= 7 * 38
    assert min(box["x"] for box in named.pointer()["boxes"]) > max(starts)


@pytest.mark.parametrize("figure", [LINE, BARS, GRID, MAP], ids=lambda figure: figure.name)
def test_a_figure_is_named_focusable_escaped_and_finite(figure: Figure) -> None:
    page = figure.html()
    assert 'role="img"' in page
    assert 'tabindex="0"' in page
    assert 'aria-label="' in page
    assert "nan" not in figure.drawing()
    assert "inf" not in figure.drawing()
    assert not re.search("<(rise|two|long)>", page)
    assert figure.table().rows


def test_the_pointer_of_a_line_stands_on_the_line() -> None:
    points = [
        [tuple(map(float, pair.split(","))) for pair in line.split()]
        for line in re.findall(r'points="([^"]+)"', LINE.drawing())
    ]
    told = LINE.pointer()
    for line, ys in zip(points, told["y"], strict=True):
        assert line == list(zip(told["x"], ys, strict=True))
    assert told["ys"] == [[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]]


def test_bars_span_from_least_to_largest_on_one_scale() -> None:
    boxes = BARS.pointer()["boxes"]
    assert [box["say"] for box in boxes][:2] == ["joint 1, empty: −2 to 2 N m", "joint 1, loaded: −3 to 3 N m"]
    assert boxes[1]["w"] / boxes[0]["w"] == pytest.approx(6 / 4, rel=1e-3)
    centre = boxes[0]["x"] + boxes[0]["w"] / 2
    assert boxes[1]["x"] + boxes[1]["w"] / 2 == pytest.approx(centre, abs=0.02)


def test_logarithmic_bars_grow_by_the_same_width_for_each_power_of_ten() -> None:
    chart = BarChart(
        "log", "Log", "Powers.", names=("a", "b", "c"), bars=(Bars("size", (1.0, 10.0, 100.0)),), logarithmic=True
    )
    widths = [box["w"] for box in chart.pointer()["boxes"]]
    assert widths[2] - widths[1] == pytest.approx(widths[1] - widths[0], abs=2)


def test_a_map_has_its_first_row_at_the_bottom_and_a_matrix_at_the_top() -> None:
    first, last = MAP.pointer()["boxes"][0], MAP.pointer()["boxes"][-1]
    assert first["say"] == "joint 2 0 deg, joint 3 0 m: D11 1 kg m²"
    assert first["y"] > last["y"]
    cells = GRID.pointer()["boxes"]
    assert len(cells) == 3
    assert cells[0]["y"] < cells[-1]["y"]


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_round_even_and_inside(low: float, span: float) -> None:
    high = low + span
    found = ticks(low, high)
    if high - low < 1e-9 * max(1.0, abs(low)):
        return
    assert 1 <= len(found) <= 7
    slack = 1e-6 * (high - low)
    assert low - slack <= found[0] <= found[-1] <= high + slack
    steps = [b - a for a, b in itertools.pairwise(found)]
    assert all(math.isclose(step, steps[0], rel_tol=1e-3) for step in steps)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9))
def test_a_scale_holds_all_its_values(values: list[float]) -> None:
    found = scale(values, 0.0, 100.0)
    assert all(-1e-6 <= found(value) <= 100 + 1e-6 for value in values)
