"""An identification as a page: measured and predicted efforts, what is left over position and speed, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.io.whole_files import write_whole
from ..identification.log import Array
from ..identification.result import Identification, Residual
from ..identification.result_tables import friction_table, log_table, parameter_table, residual_table, silent_table
from ..markup.elements import Html, tag
from ..markup.numbers import percent
from .charts.figures import ChartAxis
from .charts.line_chart import LineChart, Series
from .html.page import page
from .section import Part, Section, paragraph

POINTS = 500
"""Points of a curve."""
BINS = 24
"""Intervals of a position or a speed over which what is left is averaged."""


def identification_page(found: Identification, residuals: Sequence[Residual], unseen: int) -> str:
    """The page; the last ``unseen`` of ``residuals`` are of logs that were not used."""
    judged = residuals[-1]
    name = found.described.name
    sections = [
        _fit_section(found, residuals, unseen),
        _left_section(found, judged),
        _friction_section(found),
        _parameter_section(found),
        _log_section(found),
    ]
    subtitle = f"identified from {len(found.logs)} log{'s' * (len(found.logs) > 1)}, {found.samples:,} samples kept"
    return page(name, subtitle, Html(), sections, what="identification")


def write_identification_page(
    found: Identification, residuals: Sequence[Residual], unseen: int, path: str | Path
) -> None:
    """Write the page."""
    write_whole(path, identification_page(found, residuals, unseen))


def unexplained(found: Identification, residual: Residual) -> str:
    """What is still unexplained, in one sentence: the joint with the most, and what it goes with."""
    left = residual.effort - residual.predicted
    worst = int(np.argmax(residual.joints))
    name = found.described.joint_names[worst]
    column = left[:, worst]
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


def _share(left: Array, values: Array) -> float:
    """The share of the variance of what is left that means over intervals of another quantity explain."""
    means, which = _means(left, values)
    if not len(means) or left.var() == 0:
        return 0.0
    return float(1 - ((left - means[which]) ** 2).mean() / left.var())


def _means(left: Array, values: Array) -> tuple[Array, NDArray[np.intp]]:
    """Means of ``left`` over intervals of ``values`` with as many samples each, and the interval of each sample."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)))
    which = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, max(len(edges) - 2, 0)).astype(np.intp)
    count = np.bincount(which, minlength=max(len(edges) - 1, 1))
    total = np.bincount(which, weights=left, minlength=len(count))
    return total / np.maximum(count, 1), which


def _fit_section(found: Identification, residuals: Sequence[Residual], unseen: int) -> Section:
    judged = residuals[-1]
    how = "a log it has not seen" if unseen else "the log it was made from"
    meaning = f"The model explains {how} but for {percent(judged.whole)} of the efforts. {unexplained(found, judged)}"
    parts: list[Part] = [residual_table(found, residuals)]
    keep = np.unique(np.linspace(0, len(judged.t) - 1, min(len(judged.t), POINTS)).astype(int))
    times = tuple(float(t - judged.t[0]) for t in judged.t[keep])
    for k, joint in enumerate(found.described.moving):
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


def _left_section(found: Identification, judged: Residual) -> Section:
    """Means of what is left over intervals of position and of speed: what a better model would have to explain."""
    left = judged.effort - judged.predicted
    parts: list[Part] = []
    for k, joint in enumerate(found.described.moving):
        turning = joint.kind == "revolute"
        unit, factor = ("N m", np.degrees(1.0)) if turning else ("N", 1.0)
        for stem, label, values, axis in (
            ("position", "position", judged.q[:, k], "deg" if turning else "m"),
            ("speed", "speed", judged.qd[:, k], "deg/s" if turning else "m/s"),
        ):
            if np.ptp(values) == 0:
                continue
            means, which = _means(left[:, k], values)
            count = np.bincount(which, minlength=len(means))
            middles = np.bincount(which, weights=values, minlength=len(means)) / np.maximum(count, 1)
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


def _friction_section(found: Identification) -> Section:
    spread = ", ".join(
        f"{name} {value:.3g}" for name, value in zip(found.described.joint_names, found.spread, strict=True)
    )
    extra = [paragraph(f"Standard deviation of what is left (N m, N): {spread}.")]
    if found.left_out:
        extra.append(paragraph(f"No part of the system for simulation and control: {', '.join(found.left_out)}."))
    meaning = f"Terms: {', '.join(found.unknowns.friction.names) or 'none'}."
    return Section("friction", "Friction and rotors", meaning, (friction_table(found), *extra))


def _parameter_section(found: Identification) -> Section:
    told = sum(p.determined for p in found.parameters)
    silent = [p.name for p in found.parameters if not p.determined]
    meaning = (
        f"The logs determine {told} of {len(found.parameters)} combinations; the condition number of their equations "
        f"is {found.condition:.3g}."
    )
    parts: list[Part] = [parameter_table(found)]
    if silent:
        parts.append(paragraph(f"Not told apart from zero: {', '.join(silent)}."))
    if found.silent:
        parts.append(silent_table(found))
    return Section("parameters", "Parameters", meaning, tuple(parts))


def _log_section(found: Identification) -> Section:
    notes = tag("ul", *(tag("li", sentence) for sentence in found.warnings)) if found.warnings else Html()
    doubts = len(found.warnings)
    meaning = f"{doubts} doubt{'s' * (doubts > 1)} about the logs." if doubts else "Nothing about the logs is doubtful."
    return Section("logs", "The logs", meaning, (log_table(found), notes))
