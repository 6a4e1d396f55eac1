"""Panels of curves, or of ranges as bars, drawn by plotly or by matplotlib, as the user has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

LIBRARIES = ("plotly", "matplotlib")
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#4d4d4d")
"""Colours that are told apart with any eyes (Okabe and Ito)."""

EDGE = 2.0
"""Width of the edge of a bar, by which a range of one value is seen too."""


@dataclass(frozen=True)
class PlotCurve:
    """Values over the common axis; curves of one name have one colour and one entry in the legend."""

    name: str
    x: Any
    y: Any


@dataclass(frozen=True)
class Span:
    """A range from ``low`` to ``high`` at a row."""

    row: str
    low: float
    high: float
    name: str = ""


@dataclass(frozen=True)
class Panel:
    """A title, the unit of its values, and curves or ranges; ``marks`` are places on the common axis."""

    title: str
    unit: str
    curves: Sequence[PlotCurve] = ()
    spans: Sequence[Span] = ()
    marks: Sequence[float] = ()


def library_of(library: str | None) -> str:
    """The library to draw with: the one asked for, else the first that is installed."""
    if library is not None and library not in LIBRARIES:
        raise ValueError(f"a plot is drawn by {' or '.join(LIBRARIES)}, not {library!r}")
    for name in LIBRARIES if library is None else (library,):
        if find_spec(name) is not None:
            return name
    missing = library or "plotly"
    raise ImportError(f"{missing} is not installed; install dalembert[plot] (plotly), or matplotlib")


def figure_of(title: str, panels: Sequence[Panel], axis: str, library: str | None = None) -> Any:
    """A figure of plotly or matplotlib with the panels one below another."""
    return (_plotly if library_of(library) == "plotly" else _matplotlib)(title, panels, axis)


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    """A colour for each name, by its place in the panel where it stands first: motor 1 has the colour of joint 1."""
    colours: dict[str, str] = {}
    for panel in panels:
        names = [curve.name for curve in panel.curves] + [span.name for span in panel.spans]
        for k, name in enumerate(dict.fromkeys(names)):
            colours.setdefault(name, PALETTE[k % len(PALETTE)])
    return colours


def _rows(panel: Panel) -> int:
    """How many rows of bars a panel has."""
    return len({span.row for span in panel.spans})


def _plotly(title: str, panels: Sequence[Panel], axis: str) -> Any:
    from plotly import graph_objects  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from plotly.subplots import make_subplots  # type: ignore[import-not-found,import-untyped,unused-ignore]

    shared = all(panel.curves for panel in panels)
    heights = [1.0 if panel.curves else 1.0 + _rows(panel) for panel in panels]
    titles = [panel.title for panel in panels]
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=shared, subplot_titles=titles, row_heights=heights)
    colours, in_legend = _colours(panels), set[str]()
    for row, panel in enumerate(panels, start=1):
        for curve in panel.curves:
            legend_entry = _legend(curve.name, in_legend)
            trace = graph_objects.Scatter(x=curve.x, y=curve.y, line={"color": colours[curve.name]}, **legend_entry)
            figure.add_trace(trace, row=row, col=1)
        for span in panel.spans:
            colour = colours[span.name]
            trace = graph_objects.Bar(
                x=[span.high - span.low], base=[span.low], y=[span.row], orientation="h", offsetgroup=span.name,
                marker={"color": colour, "line": {"color": colour, "width": EDGE}},
                hovertext=[f"{span.low:.5g} to {span.high:.5g} {panel.unit}"], **_legend(span.name, in_legend),
            )  # fmt: skip
            figure.add_trace(trace, row=row, col=1)
        for mark in panel.marks:
            figure.add_vline(x=mark, line_dash="dot", line_width=1, row=row, col=1)
        if panel.curves:
            figure.update_yaxes(title_text=panel.unit, row=row, col=1)
        else:
            figure.update_xaxes(title_text=panel.unit, rangemode="tozero", row=row, col=1)
            figure.update_yaxes(autorange="reversed", row=row, col=1)
    if shared:
        figure.update_xaxes(title_text=axis, row=len(panels), col=1)
    height = 225 * len(panels) if shared else sum(110 + 40 * _rows(panel) for panel in panels)
    figure.update_layout(title=title, height=max(height, 350), barmode="group")
    return figure


def _legend(name: str, in_legend: set[str]) -> dict[str, Any]:
    """One entry of the legend for a name, wherever it is drawn."""
    legend_entry = {"name": name, "legendgroup": name, "showlegend": name not in in_legend and bool(name)}
    in_legend.add(name)
    return legend_entry


def _matplotlib(title: str, panels: Sequence[Panel], axis: str) -> Any:
    from matplotlib.figure import Figure

    shared = all(panel.curves for panel in panels)
    heights = [2.25 if panel.curves else 0.9 + 0.45 * _rows(panel) for panel in panels]
    figure = Figure(figsize=(9, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=shared, squeeze=False, height_ratios=heights)[:, 0]
    colours, in_legend = _colours(panels), set[str]()
    for panel_axes, panel in zip(axes, panels, strict=True):
        panel_axes.set_title(panel.title, loc="left", fontsize=10)
        for curve in panel.curves:
            label = "" if curve.name in in_legend else curve.name
            panel_axes.plot(curve.x, curve.y, color=colours[curve.name], label=label or None, linewidth=1.3)
            in_legend.add(curve.name)
        kinds = list(dict.fromkeys(span.name for span in panel.spans))
        names = list(dict.fromkeys(span.row for span in panel.spans))
        height = 0.8 / max(len(kinds), 1)
        for span in panel.spans:
            level = names.index(span.row) + height * (kinds.index(span.name) - (len(kinds) - 1) / 2)
            label = "" if span.name in in_legend else span.name
            style = {"color": colours[span.name], "edgecolor": colours[span.name], "linewidth": EDGE}
            panel_axes.barh(level, span.high - span.low, 0.9 * height, left=span.low, label=label or None, **style)
            in_legend.add(span.name)
        for mark in panel.marks:
            panel_axes.axvline(mark, linestyle=":", linewidth=1, color="0.5")
        if panel.spans:
            panel_axes.set_yticks(range(len(names)), names)
            panel_axes.invert_yaxis()
            panel_axes.set_xlabel(panel.unit)
            low, high = min(0.0, *(x.low for x in panel.spans)), max(0.0, *(x.high for x in panel.spans))
            edge = 0.03 * (high - low) or 1.0
            panel_axes.set_xlim(low - edge, high + edge)
        else:
            panel_axes.set_ylabel(panel.unit)
        panel_axes.grid(alpha=0.3)
    if shared:
        axes[-1].set_xlabel(axis)
    figure.suptitle(title)
    if any(in_legend):
        figure.legend(loc="outside right upper", fontsize=8)
    return figure
