"""Base of all figures: a static SVG drawing, the table of its numbers, and data for the pointer read-out.

A figure is drawn here, not in the browser, so that it also appears in print and without scripts. The script adds a
read-out that follows the pointer or the arrow keys. The palette is that of Okabe and Ito 2008, which is
distinguishable with any colour vision; lines also differ by their dashes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...markup.data_tables import DataTable
from ...markup.elements import Html, data, join, tag
from ...markup.numbers import formatted

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 14, 46
COLOURS = 7
"""Number of colours and dash patterns before they repeat."""


@dataclass(frozen=True)
class ChartAxis:
    """The quantity of an axis, and its unit."""

    label: str
    unit: str = ""

    @property
    def title(self) -> str:
        """The title: label and unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


X, Y, VALUE = ChartAxis("x"), ChartAxis("y"), ChartAxis("value")


@dataclass(frozen=True)
class Figure:
    """A figure with a name (the stem of its file), a title and a caption of one sentence."""

    name: str
    title: str
    caption: str

    def drawing(self) -> Html:
        """The SVG element."""
        raise NotImplementedError

    def pointer(self) -> dict[str, Any]:
        """Data for the read-out that follows the pointer."""
        raise NotImplementedError

    def table(self) -> DataTable:
        """The plotted numbers."""
        raise NotImplementedError

    def keyed(self) -> tuple[Sequence[str], str]:
        """Names of the series and the shape ("line" or "bar") of their legend keys."""
        return (), "line"

    def legend(self) -> Html:
        """The legend, empty for a single series."""
        return keys(*self.keyed())

    def html(self) -> Html:
        """The figure as HTML: title, legend, drawing, read-out, caption and data."""
        return tag(
            "figure",
            tag("div", self.title, class_="figure-title"),
            self.legend(),
            self.drawing(),
            tag("output", class_="readout", aria_live="polite"),
            tag("figcaption", self.caption, " ", self.table().links()),
            data(self.pointer(), f"data-{self.name}", class_="figure-data"),
            id=f"figure-{self.name}",
            class_="chart",
        )


def svg(figure: Figure, children: Sequence[object], width: int = WIDTH, height: int = HEIGHT) -> Html:
    """The root element: labelled for screen readers and reachable by the Tab key."""
    return tag(
        "svg",
        *children,
        viewBox=f"0 0 {width} {height}",
        role="img",
        tabindex="0",
        aria_label=f"{figure.title}. {figure.caption}",
    )


@dataclass(frozen=True)
class Scale:
    """A linear map from values to page coordinates."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 2)


def scale(values: Sequence[float], start: float, end: float, zero: bool = False) -> Scale:
    """The scale that contains these values with a margin, and zero where it is required or near."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if zero or (low > 0 and low < 0.4 * high) or (high < 0 and high > 0.4 * low):
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-300):
        size = abs(high) or 1.0
        low, high = min(low - 0.1 * size, 0.0), max(high + 0.1 * size, 0.0)
    margin = 0.05 * (high - low)
    return Scale(low if low == 0 else low - margin, high if high == 0 else high + margin, start, end)


def ticks(low: float, high: float, count: int = 5, angle: bool = False) -> list[float]:
    """Round numbers between two ends; fractions of a turn for degrees."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    steps = [15.0, 30.0, 45.0, 60.0, 90.0, 180.0, 360.0] if angle and span > 60 else []
    step = next((size for size in steps if span / size <= count + 1), None)
    if step is None:
        rough = span / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * size for size in (1, 2, 2.5, 5, 10) if power * size >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def label(value: float, x: float, y: float, anchor: str = "middle") -> Html:
    """The number at a grid line."""
    return tag("text", formatted(value, 6), x=x, y=y, text_anchor=anchor, class_="tick")


def frame(x: Scale, y: Scale, x_axis: ChartAxis, y_axis: ChartAxis) -> list[Html]:
    """Grid lines with their numbers, and the titles of the axes."""
    parts = []
    for value in ticks(y.low, y.high):
        kind = "zero" if value == 0 else "grid"
        parts.append(tag("line", x1=x.start, x2=x.end, y1=y(value), y2=y(value), class_=kind))
        parts.append(label(value, x.start - 8, y(value) + 4, "end"))
    for value in ticks(x.low, x.high, 8, x_axis.unit == "deg"):
        parts.append(tag("line", x1=x(value), x2=x(value), y1=y.start, y2=y.start + 5, class_="axis"))
        parts.append(label(value, x(value), y.start + 19))
    parts.append(tag("line", x1=x.start, x2=x.end, y1=y.start, y2=y.start, class_="axis"))
    middle = (x.start + x.end) / 2
    parts.append(tag("text", x_axis.title, x=middle, y=y.start + 38, text_anchor="middle", class_="title"))
    centre = (y.start + y.end) / 2
    parts.append(
        tag(
            "text",
            y_axis.title,
            x=16,
            y=centre,
            text_anchor="middle",
            class_="title",
            transform=f"rotate(-90 16 {centre})",
        )
    )
    return parts


def keys(names: Sequence[object], shape: str) -> Html:
    """The legend: a line or a box in the colour of the series before each name."""
    if len(names) < 2:
        return Html()
    items = [
        tag("li", tag("svg", mark(shape, index), viewBox="0 0 30 12", width=30, height=12, aria_hidden="true"), name)
        for index, name in enumerate(names)
    ]
    return tag("ul", join(items), class_="legend")


def mark(shape: str, index: int) -> Html:
    """A legend key, 30 wide and 12 high, in the style of the series with this index."""
    style = f"s{index % COLOURS}"
    if shape == "line":
        return tag("line", x1=0, x2=30, y1=6, y2=6, class_=f"series {style}")
    return tag("rect", x=8, y=1, width=14, height=10, class_=f"bar {style}")
