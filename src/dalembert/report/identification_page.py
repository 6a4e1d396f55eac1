"""An identification as a page: measured and predicted efforts, what is left over position and speed, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..identification.log import Array
from ..identification.result import Identification, Residual
from ..identification.result_tables import friction_table, log_table, parameter_table, residual_table, silent_table
from ..markup.elements import Html, tag
from ..markup.numbers import percent
from .charts.figures import ChartAxis
from .charts.line_chart import LineChart, Series
from .html.page import page
from .html.page_files import write_page
from .section import Part, Section, paragraph

POINTS = 500
"""Points of a curve."""
BINS = 24
"""Intervals of a position or a speed over which what is left is averaged."""


def identification_page(identified: Identification, residuals: Sequence[Residual], unseen: int) -> str:
    """The page; the last ``unseen`` of ``residuals`` are of logs that were not used."""
    judged = residuals[-1]
    name = identified.described.name
    sections = [
        _fit_section(identified, residuals, unseen),
        _residual_section(identified, judged),
        _friction_section(identified),
        _parameter_section(identified),
        _log_section(identified),
    ]
    logs = f"{len(identified.logs)} log{'s' * (len(identified.logs) > 1)}"
    subtitle = f"identified from {logs}, {identified.samples:,} samples kept"
    return page(name, subtitle, Html(), sections, what="identification")


def write_identification_page(
    identified: Identification, residuals: Sequence[Residual], unseen: int, path: str | Path
) -> None:
    """Write the page."""
    write_page(path, identification_page(identified, residuals, unseen))


def unexplained(identified: Identification, residual: Residual) -> str:
    """What is still unexplained, in one sentence: the joint with the most, and what it goes with."""
    residual_effort = residual.effort - residual.predicted
    worst = int(np.argmax(residual.joints))
    name = identified.described.joint_names[worst]
    column = residual_effort[:, worst]
    causes = {
        "its speed": residual.qd[:, worst],
        "the direction in which it moves": np.sign(residual.qd[:, worst]),
        "its position": residual.q[:, worst],
        "its torque": residual.predicted[:, worst],
        "time": residual.t,
    }
    shares = {cause: _share(column, values) for cause, values in causes.items()}
    cause, share = max(shares.items(), key=lambda item: item[1])
    tail = f"{percent(share)} of it goes with {cause}" if share > 0.1 else "it goes with nothing that was looked for"
    return f"Joint {name!r} leaves the most, {percent(float(residual.joints[worst]))} of its effort; {tail}."


def _share(residual_effort: Array, values: Array) -> float:
    """The share of the variance of what is left that means over intervals of another quantity explain."""
    means, interval = _means(residual_effort, values)
    if not len(means) or residual_effort.var() == 0:
        return 0.0
    return float(1 - ((residual_effort - means[interval]) ** 2).mean() / residual_effort.var())


def _means(residual_effort: Array, values: Array) -> tuple[Array, NDArray[np.intp]]:
    """Means of the residual over intervals of ``values`` with as many samples each, and the interval of each sample."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)))
    interval = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(len(edges) - 2, 0)).astype(np.intp)
    count = np.bincount(interval, minlength=max(len(edges) - 1, 1))
    total = np.bincount(interval, weights=residual_effort, minlength=len(count))
    return total / np.maximum(count, 1), interval


def _fit_section(identified: Identification, residuals: Sequence[Residual], unseen: int) -> Section:
    judged = residuals[-1]
    judged_by = "a log it has not seen" if unseen else "the log it was made from"
    share = percent(judged.whole)
    meaning = f"The model explains {judged_by} but for {share} of the efforts. {unexplained(identified, judged)}"
    parts: list[Part] = [residual_table(identified, residuals)]
    keep = np.unique(np.linspace(0, len(judged.t) - 1, min(len(judged.t), POINTS)).astype(int))
    times = tuple(float(t - judged.t[0]) for t in judged.t[keep])
    for k, joint in enumerate(identified.described.moving):
        unit = "N m" if joint.kind == "revolute" else "N"
        curves = {
            "measured": judged.effort[keep, k],
            "predicted": judged.predicted[keep, k],
            "left": (judged.effort - judged.predicted)[keep, k],
        }
        parts.append(
            LineChart(
                f"effort-{k + 1}", f"Effort of {joint.name}", f"{judged.name}: measured, predicted, and what is left.",
                x_axis=ChartAxis("time", "s"), y_axis=ChartAxis("effort", unit), x=times,
                series=tuple(Series(name, tuple(map(float, values))) for name, values in curves.items()),
            )
        )  # fmt: skip
    return Section("fit", "How well it explains", meaning, tuple(parts))


def _residual_section(identified: Identification, judged: Residual) -> Section:
    """Means of what is left over intervals of position and of speed: what a better model would have to explain."""
    residual_effort = judged.effort - judged.predicted
    parts: list[Part] = []
    for k, joint in enumerate(identified.described.moving):
        turning = joint.kind == "revolute"
        unit, factor = ("N m", np.degrees(1.0)) if turning else ("N", 1.0)
        for stem, label, values, axis in (
            ("position", "position", judged.q[:, k], "deg" if turning else "m"),
            ("speed", "speed", judged.qd[:, k], "deg/s" if turning else "m/s"),
        ):
            if np.ptp(values) == 0:
                continue
            means, interval = _means(residual_effort[:, k], values)
            count = np.bincount(interval, minlength=len(means))
            middles = np.bincount(interval, weights=values, minlength=len(means)) / np.maximum(count, 1)
            used = count > 0
            parts.append(
                LineChart(
                    f"left-{stem}-{k + 1}", f"Left at {joint.name}, over its {label}", "Means over intervals.",
                    x_axis=ChartAxis(label, axis), y_axis=ChartAxis("left", unit), x=tuple(map(float, factor *
                    middles[used])), series=(Series("left", tuple(map(float, means[used]))),),
                )
            )  # fmt: skip
    meaning = "Where a curve is flat, all is explained; a slope or a step names what is missing."
    return Section("left", "What is left, over position and speed", meaning, tuple(parts))


def _friction_section(identified: Identification) -> Section:
    spread = ", ".join(
        f"{name} {value:.3g}" for name, value in zip(identified.described.joint_names, identified.spread, strict=True)
    )
    extra = [paragraph(f"Standard deviation of what is left (N m, N): {spread}.")]
    if identified.left_out:
        extra.append(paragraph(f"No part of the system for simulation and control: {', '.join(identified.left_out)}."))
    meaning = f"Terms: {', '.join(identified.unknowns.friction.names) or 'none'}."
    return Section("friction", "Friction and rotors", meaning, (friction_table(identified), *extra))


def _parameter_section(identified: Identification) -> Section:
    determined = sum(p.determined for p in identified.parameters)
    silent = [p.name for p in identified.parameters if not p.determined]
    meaning = (
        f"{determined} of {len(identified.parameters)} combinations are at least three standard errors from zero; the "
        f"condition number of their equations is {identified.condition:.3g}."
    )
    parts: list[Part] = [parameter_table(identified)]
    if silent:
        parts.append(paragraph(f"Not told apart from zero: {', '.join(silent)}."))
    if identified.silent:
        parts.append(silent_table(identified))
    return Section("parameters", "Parameters", meaning, tuple(parts))


def _log_section(identified: Identification) -> Section:
    notes = tag("ul", *(tag("li", sentence) for sentence in identified.warnings)) if identified.warnings else Html()
    doubts = len(identified.warnings)
    meaning = f"{doubts} doubt{'s' * (doubts > 1)} about the logs." if doubts else "Nothing about the logs is doubtful."
    return Section("logs", "The logs", meaning, (log_table(identified), notes))
