"""A figure as a separate SVG file: title and legend inside the drawing, in the colours of the light page."""

from __future__ import annotations

import re

from ...markup.elements import Html, tag
from ..html.page import asset
from .figures import WIDTH, Figure, mark

HEAD, LINE = 30, 20
LETTER = 7.2
"""Estimated width of a letter of the legend (px)."""


def svg_file(figure: Figure) -> str:
    """The SVG document of a figure, for pages of documentation."""
    drawing = figure.drawing()
    match = re.match(r'<svg viewBox="0 0 (\d+) (\d+)"', drawing)
    if match is None:
        raise ValueError(f"figure {figure.name}: its drawing does not begin with its size")
    width, height = int(match[1]), int(match[2])
    legend, rows = legend_of(figure)
    header_height = HEAD + LINE * rows
    inner = Html(drawing.replace("<svg ", f'<svg x="0" y="{header_height}" width="{width}" height="{height}" ', 1))
    inner = Html(
        re.sub(r' (tabindex|role|aria-label)="[^"]*"', "", inner, count=3).replace('<g class="cursor"></g>', "")
    )
    document = tag(
        "svg",
        tag("title", f"{figure.title}. {figure.caption}"),
        tag("style", Html(style())),
        tag("rect", width=width, height=header_height + height, fill="white"),
        tag("text", figure.title, x=16, y=20, style="font-weight: 600"),
        *legend,
        inner,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {header_height + height}",
    )
    return f"{document}\n"


def legend_of(figure: Figure) -> tuple[list[Html], int]:
    """The marks and names of the series in rows above the drawing, and the number of rows."""
    names, shape = figure.keyed()
    if len(names) < 2:
        return [], 0
    parts: list[Html] = []
    x, row = 16.0, 0
    for index, name in enumerate(names):
        width = 38 + LETTER * len(name)
        if x > 16 and x + width > WIDTH:
            x, row = 16.0, row + 1
        y = HEAD + LINE * row
        parts.append(tag("g", mark(shape, index), transform=f"translate({x:g} {y})"))
        parts.append(tag("text", name, x=x + 38, y=y + 11))
        x += width + 20
    return parts, row + 1


def style() -> str:
    """The rules of the report for drawings, with the colours of its light page substituted."""
    sheet = asset("report.css")
    colours = dict(re.findall(r"--(\w+): (#\w+);", sheet[: sheet.index("@media")]))
    rules = " ".join(line for line in sheet.splitlines() if line.startswith("svg "))
    return re.sub(r"var\(--(\w+)\)", lambda match: colours[match[1]], rules)
