"""Tables: rounded on the page, and in full precision as CSV or JSON."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .elements import Html, coefficient, join, tag, text
from .numbers import formatted, not_below, percent

FOLDED, MOST_ROWS = 40, 500
"""Rows of a compact table that are shown at once, and the most of the folded ones."""
WIDE = 8
"""Columns, those of units aside, from which on a table is printed in smaller letters, so that it fits on paper."""


@dataclass(frozen=True)
class Rich:
    """A cell with both markup and plain text, such as a formula."""

    plain: str
    html: Html


Value: TypeAlias = "str | float | int | bool | Rich | tuple[float, ...] | None"


@dataclass(frozen=True)
class Column:
    """A column: ``key`` names it in files, ``head`` on the page.

    ``kind`` is "text", "number", "share" (a fraction shown in percent), "number bound" and "share bound" for what is
    proved that no state exceeds, which is rounded up, "number floor" and "share floor" for what none is below, "name"
    (of a coefficient, such as D12), "unit", or "pose" (a tuple of joint positions: on the page a button in the cell
    before it that moves the drawing of the arm to them).
    """

    key: str
    head: object
    unit: str = ""
    kind: str = "text"


@dataclass(frozen=True)
class DataTable:
    """A table; ``name`` is the stem of its file, ``caption`` is above it on the page."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    first: int = 0
    """Number of rows shown before the others are folded; 0 shows all."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.name}: a row has {len(row)} cells for {len(self.columns)} columns")

    # -- files -----------------------------------------------------------------------------------

    def csv(self) -> str:
        """Comma-separated values: one line of heads with units, numbers in full."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow([f"{column.key} ({column.unit})" if column.unit else column.key for column in self.columns])
        for row in self.rows:
            writer.writerow([plain_cell(value) for value in row])
        return stream.getvalue()

    def records(self) -> dict[str, Any]:
        """The table as a JSON object: a list of records, and the units."""
        return {
            "caption": self.caption,
            "units": {column.key: column.unit for column in self.columns if column.unit},
            "rows": [
                {column.key: json_cell(value) for column, value in zip(self.columns, row, strict=True)}
                for row in self.rows
            ],
        }

    # -- the page --------------------------------------------------------------------------------

    def html(self) -> Html:
        """The table with its caption and download links."""
        head = tag("tr", *(head_cell(column) for column in self.columns if column.kind != "pose"))
        count = self.first or len(self.rows)
        body = [tag("tbody", *(self._row(row) for row in self.rows[:count]))]
        folded = self.rows[count:]
        caption = tag("caption", tag("span", text(self.caption), self.links()))
        width = "wide" if sum(column.kind not in ("pose", "unit") for column in self.columns) >= WIDE else None
        parts = [tag("table", caption, tag("thead", head), *body, class_=width)]
        if folded:
            folded_body = tag("tbody", *(self._row(row) for row in folded))
            folded_table = tag("table", tag("thead", head), folded_body, class_=width)
            parts.append(
                tag(
                    "details",
                    tag("summary", f"{len(folded)} more row{'s' * (len(folded) > 1)}"),
                    tag("div", folded_table, class_="scroll"),
                )
            )
        if self.note:
            parts.append(tag("p", self.note, class_="note"))
        return tag("div", *parts, class_="table scroll", id=f"table-{self.name}")

    def compact(self) -> Html:
        """The table without links and buttons, for a notebook; a pose is the title of the cell it belongs to."""
        head = tag("tr", *(head_cell(column) for column in self.columns if column.kind != "pose"))
        count = min(self.first or FOLDED, FOLDED)
        caption = tag("caption", self.caption)
        parts = [tag("table", caption, tag("thead", head), tag("tbody", *(self._plain(r) for r in self.rows[:count])))]
        folded = self.rows[count:]
        if folded:
            folded_table = tag(
                "table", tag("thead", head), tag("tbody", *(self._plain(row) for row in folded[:MOST_ROWS]))
            )
            shown_count = f", {MOST_ROWS} of them here" if len(folded) > MOST_ROWS else ""
            parts.append(
                tag(
                    "details",
                    tag("summary", f"{len(folded)} more row{'s' * (len(folded) > 1)}{shown_count}"),
                    folded_table,
                )
            )
        if self.note:
            parts.append(tag("p", self.note, class_="note"))
        return join(parts)

    def _plain(self, row: Sequence[Value]) -> Html:
        """One row, without buttons."""
        cells: list[tuple[Column, Value, str | None]] = []
        for column, value in zip(self.columns, row, strict=True):
            if column.kind == "pose" and cells and isinstance(value, tuple):
                cells[-1] = (*cells[-1][:2], f"at q = ({', '.join(formatted(x) for x in value)})")
            elif column.kind != "pose":
                cells.append((column, value, None))
        first, *following = cells
        return tag(
            "tr",
            tag("th", displayed(*first[:2]), scope="row", class_=style(first[0]), title=first[2]),
            *(
                tag("td", displayed(column, value), class_=style(column), title=pose)
                for column, value, pose in following
            ),
        )

    def links(self) -> Html:
        """Download links that contain the files as data URLs, so that no server is needed."""
        files = (("CSV", "text/csv", self.csv(), "csv"), ("JSON", "application/json", self.json(), "json"))
        links = [
            tag(
                "a",
                label,
                href=data_link(kind, content),
                download=f"{self.name}.{ending}",
                class_="save",
                aria_label=f"Save the table {self.name} as {label}",
            )
            for label, kind, content, ending in files
        ]
        return tag("span", join(links, " "), class_="saves")

    def json(self) -> str:
        """The table as JSON text."""
        return json.dumps(self.records(), indent=1, allow_nan=False, ensure_ascii=False)

    def _row(self, row: Sequence[Value]) -> Html:
        """One row of the table."""
        cells: list[tuple[str | None, list[Html]]] = []
        for column, value in zip(self.columns, row, strict=True):
            if column.kind == "pose" and cells:
                cells[-1][1].append(displayed(column, value) if value is not None else Html())
            else:
                cells.append((style(column), [displayed(column, value)]))
        first, *following = cells
        return tag(
            "tr",
            tag("th", join(first[1]), scope="row", class_=first[0]),
            *(tag("td", join(parts, " "), class_=kind) for kind, parts in following),
        )


def finite(value: float | None) -> float | None:
    """The value, or None where it is missing or infinite, which tables show as a dash."""
    return value if value is not None and math.isfinite(value) else None


def style(column: Column) -> str | None:
    """The CSS class of a column's cells."""
    return "num" if column.kind.split()[0] in ("number", "share") else "unit" if column.kind == "unit" else None


def head_cell(column: Column) -> Html:
    """The heading of a column with its unit."""
    unit = tag("span", f" {raised(column.unit)}", class_="unit") if column.unit else Html()
    return tag("th", column.head, unit, scope="col", class_=style(column))


def raised(unit: str) -> str:
    """A unit as the page writes it: kg m², where files have kg m^2."""
    return unit.replace("^2", "²").replace("^3", "³")


def displayed(column: Column, value: Value) -> Html:
    """A cell as displayed on the page."""
    if isinstance(value, Rich):
        return value.html
    if value is None:
        return Html("–")
    if column.kind == "pose" and isinstance(value, tuple):
        positions = ",".join(repr(float(x)) for x in value)
        return tag(
            "button", "show", type="button", class_="pose", data_pose=positions, title=f"Put the drawing at {positions}"
        )
    if column.kind.startswith("share") and isinstance(value, int | float):
        return text(percent(outwards(100 * value, column.kind, 3) / 100))
    if column.kind == "unit" and isinstance(value, str):
        return text(raised(value))
    if isinstance(value, bool):
        return Html("yes" if value else "no")
    if isinstance(value, int) and abs(value) < 10**6:
        return Html(str(value).replace("-", "\u2212"))
    if isinstance(value, int | float):
        return Html(formatted(outwards(float(value), column.kind, 4)))
    if column.kind == "name":
        return coefficient(str(value))
    return text(value)


def outwards(value: float, kind: str, digits: int) -> float:
    """A number to so many digits in the direction that a bound of its kind allows; as it is where it is none."""
    side = {"bound": 1, "floor": -1}.get(kind.split()[-1], 0)
    return side * not_below(side * value, digits) if side else value


def plain_cell(value: Value) -> str:
    """A cell of a CSV file; text that a spreadsheet would take for a formula is quoted."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(repr(float(x)) for x in value)
    if isinstance(value, int | float):
        return repr(value if isinstance(value, int) else float(value))
    string = value.plain if isinstance(value, Rich) else value
    return f"'{string}" if string[:1] in ("=", "+", "-", "@", "\t", "\r") else string


def json_cell(value: Value) -> Any:
    """A cell of a JSON file; JSON has no infinity, so values that are not finite are null."""
    if isinstance(value, Rich):
        return value.plain
    if isinstance(value, tuple):
        return [float(x) for x in value]
    if isinstance(value, bool | int) or value is None or isinstance(value, str):
        return value
    return float(value) if math.isfinite(value) else None


def data_link(kind: str, content: str) -> str:
    """A data URL of this media type."""
    return f"data:{kind};charset=utf-8;base64,{base64.b64encode(content.encode()).decode()}"
