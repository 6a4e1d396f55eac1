"""Line charts, such as an inertia over the position of a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, tag
from .figures import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, ChartAxis, Figure, X, Y, frame, scale, svg


@dataclass(frozen=True)
class Series:
    """One curve: a name and a value at each x."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class LineChart(Figure):
    """Curves with common x. ``limit`` draws a labelled horizontal line, such as a tolerance."""

    x_axis: ChartAxis = X
    y_axis: ChartAxis = Y
    x: tuple[float, ...] = ()
    series: tuple[Series, ...] = ()
    limit: tuple[str, float] | None = None
    from_zero: bool = False
    dots: bool = False

    def drawing(self) -> Html:
        """The SVG element."""
        x_scale, y_scale = self._scales()
        lines = frame(x_scale, y_scale, self.x_axis, self.y_axis)
        if self.limit is not None:
            name, level = self.limit
            lines.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y_scale(level), y2=y_scale(level), class_="limit"))
            lines.append(tag("text", name, x=WIDTH - RIGHT - 4, y=y_scale(level) - 5, text_anchor="end", class_="tick"))
        for index, series in enumerate(self.series):
            style = f"s{index % COLOURS}"
            points = " ".join(f"{x_scale(x)},{y_scale(y)}" for x, y in zip(self.x, series.values, strict=True))
            lines.append(tag("polyline", points=points, class_=f"series {style}"))
            if self.dots:
                lines += [
                    tag("circle", cx=x_scale(x), cy=y_scale(y), r=3, class_=f"dot {style}")
                    for x, y in zip(self.x, series.values, strict=True)
                ]
        lines.append(tag("g", class_="cursor"))
        return svg(self, lines)

    def _scales(self) -> tuple[Any, Any]:
        """The horizontal and the vertical scale."""
        values = [y for series in self.series for y in series.values]
        values += [self.limit[1]] if self.limit else []
        x_scale = scale(self.x, LEFT, WIDTH - RIGHT)
        if len(set(self.x)) > 1:
            x_scale = type(x_scale)(min(self.x), max(self.x), LEFT, WIDTH - RIGHT)
        return x_scale, scale(values, HEIGHT - BOTTOM, TOP, self.from_zero)

    def pointer(self) -> dict[str, Any]:
        """Data for the read-out that follows the pointer."""
        x_scale, y_scale = self._scales()
        return {
            "kind": "line",
            "x": [x_scale(x) for x in self.x],
            "y": [[y_scale(y) for y in series.values] for series in self.series],
            "xs": [round(x, 6) for x in self.x],
            "ys": [[float(f"{y:.5g}") for y in series.values] for series in self.series],
            "names": [series.name for series in self.series],
            "xLabel": self.x_axis.label,
            "xUnit": self.x_axis.unit,
            "yUnit": self.y_axis.unit,
            "top": TOP,
            "bottom": HEIGHT - BOTTOM,
        }

    def keyed(self) -> tuple[Sequence[str], str]:
        """Names of the series and the shape of their legend keys."""
        return [series.name for series in self.series], "line"

    def table(self) -> DataTable:
        """The plotted numbers."""
        columns = [Column(self.x_axis.label, self.x_axis.label, self.x_axis.unit, "number")]
        columns += [Column(series.name, series.name, self.y_axis.unit, "number") for series in self.series]
        rows = tuple(zip(self.x, *(series.values for series in self.series), strict=True))
        return DataTable(self.name, self.title, tuple(columns), rows)
