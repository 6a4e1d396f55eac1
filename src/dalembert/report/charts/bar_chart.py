"""Bar charts: one group for each name, one bar for each series; a bar may span a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, tag
from ...markup.numbers import formatted
from .figures import COLOURS, LEFT, RIGHT, VALUE, WIDTH, ChartAxis, Figure, label, scale, svg, ticks

ROW, GAP = 20, 12
LETTER, LEAST_NAMES, MOST_LETTERS = 7.2, 130, 38
"""Width of a letter of a name, the least width for names beside the left margin (px), and the most letters shown."""
ROOM = 30
"""Width reserved for a number beside the longest bar."""


@dataclass(frozen=True)
class Bars:
    """One series: from ``low`` to ``high`` for each name; low is 0 where only a size is shown."""

    name: str
    high: tuple[float, ...]
    low: tuple[float, ...] = ()

    def spans(self) -> list[tuple[float, float]]:
        """(low, high) for each name."""
        lows = self.low or (0.0,) * len(self.high)
        return list(zip(lows, self.high, strict=True))


@dataclass(frozen=True)
class BarChart(Figure):
    """Horizontal bars, so that the names of joints and terms are horizontal text.

    ``logarithmic`` is for magnitudes of different orders; its bars start at the left edge.
    """

    axis: ChartAxis = VALUE
    names: tuple[str, ...] = ()
    bars: tuple[Bars, ...] = ()
    logarithmic: bool = False
    units: tuple[str, ...] = ()
    """Units for each name, where they differ; the axis then has none."""
    numbers: bool = False
    """Write the upper end beside each bar."""

    @property
    def height(self) -> int:
        """Height of the drawing (px)."""
        return len(self.names) * (ROW * len(self.bars) + GAP) + 60

    def _coordinate(self, value: float) -> float:
        """The value on the axis, log10 on a logarithmic one."""
        return math.log10(max(value, self._left_edge)) if self.logarithmic else value

    @property
    def _names(self) -> float:
        """The width for names beside the left margin (px): as much as the longest that is shown needs."""
        letters = min(max(map(len, self.names), default=0), MOST_LETTERS)
        return max(LEAST_NAMES, round(LETTER * letters) + 12 - LEFT)

    @property
    def _left_edge(self) -> float:
        """The left edge of a logarithmic axis: a power of ten below the smallest magnitude, at most six decades."""
        sizes = [abs(x) for series in self.bars for span in series.spans() for x in span if x > 0]
        if not sizes:
            return 1e-6
        return 10.0 ** max(math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes))) - 6)

    def _scale(self) -> Any:
        """The horizontal scale."""
        values = [self._coordinate(x) for series in self.bars for span in series.spans() for x in span]
        if self.logarithmic:
            full_scale = scale([math.log10(self._left_edge), *values], LEFT + self._names, WIDTH - RIGHT)
            return type(full_scale)(math.log10(self._left_edge), full_scale.high, full_scale.start, full_scale.end)
        return scale(values, LEFT + self._names, WIDTH - RIGHT - (ROOM if self.numbers else 0), zero=True)

    def drawing(self) -> Html:
        """The SVG element."""
        x_scale, parts, rects = self._scale(), [], []
        bottom = self.height - 46
        for value in self._ticks(x_scale):
            x = x_scale(value)
            parts.append(
                tag(
                    "line",
                    x1=x,
                    x2=x,
                    y1=6,
                    y2=bottom,
                    class_="zero" if value == 0 and not self.logarithmic else "grid",
                )
            )
            parts.append(label(10.0**value if self.logarithmic else value, x, bottom + 18))
        for row, name in enumerate(self.names):
            top = 8 + row * (ROW * len(self.bars) + GAP)
            middle = top + ROW * len(self.bars) / 2 + 4
            short = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
            parts.append(tag("text", short, x=LEFT + self._names - 8, y=middle, text_anchor="end", class_="name"))
        for rect in self._rects(x_scale):
            title = tag("title", rect["say"])
            rects.append(
                tag(
                    "rect",
                    title,
                    x=rect["x"],
                    y=rect["y"],
                    width=rect["w"],
                    height=rect["h"],
                    class_=f"bar s{rect['s'] % COLOURS}",
                )
            )
            if self.numbers:
                rects.append(label(rect["high"], rect["x"] + rect["w"] + 5, rect["y"] + 13, "start"))
        centre = (LEFT + self._names + WIDTH - RIGHT) / 2
        parts.append(
            tag("text", self.axis.title, x=centre, y=bottom + 38, text_anchor="middle", class_="title"),
        )
        return svg(self, [*parts, *rects, tag("g", class_="cursor")], WIDTH, self.height)

    def _ticks(self, x_scale: Any) -> list[float]:
        """Positions of the grid lines."""
        if self.logarithmic:
            first, last = math.ceil(x_scale.low - 1e-9), math.floor(x_scale.high + 1e-9)
            return [float(k) for k in range(first, last + 1)]
        return ticks(x_scale.low, x_scale.high, 6)

    def _rects(self, x_scale: Any) -> list[dict[str, Any]]:
        """Position, size and description of every bar."""
        rects = []
        for row, name in enumerate(self.names):
            for index, series in enumerate(self.bars):
                low, high = series.spans()[row]
                a, b = sorted((x_scale(self._coordinate(low)), x_scale(self._coordinate(high))))
                top = 8 + row * (ROW * len(self.bars) + GAP) + index * ROW
                rects.append(
                    {
                        "x": a,
                        "y": top,
                        "w": max(round(b - a, 2), 1.5),
                        "h": ROW - 3,
                        "s": index,
                        "high": float(f"{high:.3g}"),
                        "say": self._description(row, name, series),
                    }
                )
        return rects

    def _description(self, row: int, name: str, series: Bars) -> str:
        """The text of the read-out of one bar."""
        low, high = series.spans()[row]
        unit = self.units[row] if self.units else self.axis.unit
        span = f"{formatted(low)} to {formatted(high)}" if series.low else formatted(high)
        series_name = f", {series.name}" if len(self.bars) > 1 else ""
        return f"{name}{series_name}: {span} {unit}".rstrip()

    def pointer(self) -> dict[str, Any]:
        """Data for the read-out that follows the pointer."""
        return {
            "kind": "boxes",
            "boxes": [{k: r[k] for k in ("x", "y", "w", "h", "say")} for r in self._rects(self._scale())],
        }

    def keyed(self) -> tuple[Sequence[str], str]:
        """Names of the series and the shape of their legend keys."""
        return [series.name for series in self.bars], "bar"

    def table(self) -> DataTable:
        """The plotted numbers."""
        columns = [Column("name", "name")]
        columns += [Column("unit", "unit")] if self.units else []
        for series in self.bars:
            if series.low:
                columns.append(Column(f"{series.name} least", f"{series.name} least", self.axis.unit, "number"))
            columns.append(Column(series.name, series.name, self.axis.unit, "number"))
        rows = []
        for row, name in enumerate(self.names):
            cells: list[Any] = [name, *([self.units[row]] if self.units else [])]
            for series in self.bars:
                low, high = series.spans()[row]
                cells += [low, high] if series.low else [high]
            rows.append(tuple(cells))
        return DataTable(self.name, self.title, tuple(columns), tuple(rows))
