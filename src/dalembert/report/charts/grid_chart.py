"""A grid of shaded cells: a matrix, or a map over two joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, tag
from ...markup.numbers import formatted
from .figures import LEFT, ChartAxis, Figure, X, Y, label, svg, ticks

SIDE = 420
"""Side of the grid (px)."""
SHADES = 10
"""Number of shades."""


@dataclass(frozen=True)
class GridChart(Figure):
    """``values[row][column]``; None leaves a cell empty. Shade 0 to 9 runs from ``low`` to ``high``.

    ``names`` label the cells of a matrix; without them the axes are numeric, ``rows`` and ``columns``, and row 0 is at
    the bottom.
    """

    x_axis: ChartAxis = X
    y_axis: ChartAxis = Y
    columns: tuple[float, ...] = ()
    rows: tuple[float, ...] = ()
    values: tuple[tuple[float | None, ...], ...] = ()
    names: tuple[str, ...] = ()
    quantity: str = "value"
    unit: str = ""
    low: float | None = None
    high: float | None = None

    def _range(self) -> tuple[float, float]:
        """The values of the lightest and the darkest shade."""
        finite = [x for row in self.values for x in row if x is not None and math.isfinite(x)]
        low = self.low if self.low is not None else min(finite, default=0.0)
        high = self.high if self.high is not None else max(finite, default=1.0)
        return low, high if high > low else low + 1.0

    def _cells(self) -> list[dict[str, Any]]:
        """Position, size, shade and description of every cell."""
        low, high = self._range()
        height, width = len(self.values), len(self.values[0]) if self.values else 0
        cell_height, cell_width = SIDE / max(height, 1), SIDE / max(width, 1)
        cells = []
        for i, row in enumerate(self.values):
            for j, value in enumerate(row):
                if value is None:
                    continue
                top = i * cell_height if self.names else SIDE - (i + 1) * cell_height
                shade = min(SHADES - 1, max(0, int(SHADES * (value - low) / (high - low))))
                cells.append(
                    {
                        "x": round(LEFT + 60 + j * cell_width, 2),
                        "y": round(12 + top, 2),
                        "w": round(cell_width, 2),
                        "h": round(cell_height, 2),
                        "shade": shade,
                        "value": value,
                        "say": self._description(i, j, value),
                    }
                )
        return cells

    def _description(self, i: int, j: int, value: float) -> str:
        """The text of the read-out of one cell."""
        if self.names:
            cell = f"{self.names[i]}, {self.names[j]}"
        else:
            cell = (
                f"{self.x_axis.label} {formatted(self.columns[j])} {self.x_axis.unit}, "
                f"{self.y_axis.label} {formatted(self.rows[i])} {self.y_axis.unit}"
            )
        return f"{cell}: {self.quantity} {formatted(value)} {self.unit}".rstrip()

    def drawing(self) -> Html:
        """The SVG element."""
        parts = []
        for cell in self._cells():
            box = {"x": cell["x"], "y": cell["y"], "width": cell["w"], "height": cell["h"]}
            parts.append(tag("rect", **box, class_=f"cell h{cell['shade']}"))
            if self.names and len(self.names) <= 9:
                middle = {"x": cell["x"] + cell["w"] / 2, "y": cell["y"] + cell["h"] / 2 + 4}
                tone = "on-dark" if cell["shade"] >= SHADES // 2 else "on-light"
                parts.append(
                    tag("text", formatted(cell["value"], 2), **middle, text_anchor="middle", class_=f"in {tone}")
                )
        left, size = LEFT + 60, SIDE
        if self.names:
            step = size / len(self.names)
            for k, name in enumerate(self.names):
                short = name if len(name) <= 17 else f"{name[:16]}…"
                parts.append(
                    tag("text", short, x=left - 8, y=12 + (k + 0.5) * step + 4, text_anchor="end", class_="name")
                )
                parts.append(
                    tag("text", k + 1, x=left + (k + 0.5) * step, y=size + 30, text_anchor="middle", class_="name")
                )
        else:
            parts += self._number_axes(left, size)
        parts += self._colour_key()
        return svg(self, [*parts, tag("g", class_="cursor")], 720, SIDE + 64)

    def _number_axes(self, left: float, size: float) -> list[Html]:
        """Ticks and titles of numeric axes."""
        parts = []
        for values, axis, horizontal in ((self.columns, self.x_axis, True), (self.rows, self.y_axis, False)):
            first, last = values[0], values[-1]
            for value in ticks(first, last, 6, axis.unit == "deg"):
                offset = (value - first) / (last - first) * size
                if horizontal:
                    parts.append(label(value, round(left + offset, 2), size + 30))
                else:
                    parts.append(label(value, left - 8, round(12 + size - offset + 4, 2), "end"))
        middle = 12 + size / 2
        parts.append(
            tag("text", self.x_axis.title, x=left + size / 2, y=size + 52, text_anchor="middle", class_="title")
        )
        parts.append(
            tag(
                "text",
                self.y_axis.title,
                x=left - 56,
                y=middle,
                text_anchor="middle",
                class_="title",
                transform=f"rotate(-90 {left - 56} {middle})",
            )
        )
        return parts

    def _colour_key(self) -> list[Html]:
        """The colour key at the right."""
        low, high = self._range()
        x, step, parts = LEFT + 60 + SIDE + 22, SIDE / SHADES, []
        for k in range(SHADES):
            top = 12 + SIDE - (k + 1) * step
            parts.append(tag("rect", x=x, y=round(top, 2), width=16, height=round(step, 2), class_=f"cell h{k}"))
        for k in range(0, SHADES + 1, 2):
            parts.append(
                label(
                    float(f"{low + (high - low) * k / SHADES:.2g}"), x + 22, round(12 + SIDE - k * step + 4, 2), "start"
                )
            )
        title = f"{self.quantity} ({self.unit})" if self.unit else self.quantity
        parts.append(tag("text", title, x=x, y=SIDE + 30, class_="tick"))
        return parts

    def pointer(self) -> dict[str, Any]:
        """Data for the read-out that follows the pointer."""
        return {"kind": "boxes", "boxes": [{k: c[k] for k in ("x", "y", "w", "h", "say")} for c in self._cells()]}

    def table(self) -> DataTable:
        """The plotted numbers."""
        if self.names:
            heads = (Column("name", "name"), *(Column(name, name, self.unit, "number") for name in self.names))
            return DataTable(
                self.name, self.title, heads, tuple((n, *row) for n, row in zip(self.names, self.values, strict=True))
            )
        heads = (
            Column(self.x_axis.label, self.x_axis.label, self.x_axis.unit, "number"),
            Column(self.y_axis.label, self.y_axis.label, self.y_axis.unit, "number"),
            Column(self.quantity, self.quantity, self.unit, "number"),
        )
        rows = tuple(
            (x, y, value)
            for y, row in zip(self.rows, self.values, strict=True)
            for x, value in zip(self.columns, row, strict=True)
        )
        return DataTable(self.name, self.title, heads, rows)
