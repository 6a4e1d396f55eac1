"""A simulated motion in the 3D view of the report: one page, complete in itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.system_phrase import system_phrase
from ..markup.elements import data, tag
from ..simulation.motion import Motion
from .arm3d import drawing
from .arm_script import arm_script
from .charts.figures import ChartAxis
from .charts.line_chart import LineChart, Series
from .html.page import asset, notebook_frame, single_page
from .html.page_files import write_page

MOST_FRAMES = 2000
MOST_POSES = 120
"""Poses to which the view is fitted."""
MOST_POINTS = 400
"""Points of a curve."""
MOST_EVENTS = 200
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")
Array = NDArray[np.float64]


def replay_page(arm: ArmDescription, motion: Motion) -> str:
    """The page as text."""
    keep = _evenly(len(motion.t), MOST_FRAMES)
    times = [float(x) for x in motion.t[keep]]
    frames = {
        "t": times,
        "q": [[float(x) for x in row] for row in motion.q[keep]],
        "turns": [joint.kind == "revolute" for joint in arm.moving],
    }
    scripts = [arm_script(arm), asset("charts.js"), asset("replay.js")]
    first, last = times[0], times[-1]
    speeds = [tag("option", f"{speed} x", value=speed, selected=speed == "1") for speed in SPEEDS]
    player = tag(
        "p",
        tag("button", "play", type="button", id="replay-play"),
        tag("input", type="range", id="replay-time", min=first, max=last, step="any", aria_label="Time"),
        tag("output", id="replay-shown"),
        tag("label", "speed ", tag("select", *speeds, id="replay-speed")),
        class_="player",
    )
    poses = motion.q[_evenly(len(motion.t), MOST_POSES)].tolist()
    phrase = system_phrase(arm)
    events = [tag("li", f"{event.time:.6g} s: {event.name} {event.kind}") for event in motion.events[:MOST_EVENTS]]
    more = len(motion.events) - len(events)
    parts = [
        tag("h1", f"{motion.name}: motion over {last - first:g} s"),
        tag("p", f"{phrase[0].upper()}{phrase[1:]}.", class_="title"),
        player,
        drawing(arm, pose=motion.q[0].tolist(), motion=poses),
        tag("div", *(chart.html() for chart in charts(arm, motion)), class_="figures"),
        *([tag("h2", "Events"), tag("ul", *events)] if events else []),
        *([tag("p", f"And {more:,} more; motion.events has them all.", class_="note")] if more > 0 else []),
    ]
    return single_page(f"{motion.name}: motion", parts, data(frames, "replay-data"), scripts)


def _evenly(count: int, most: int) -> NDArray[np.intp]:
    """Places of at most so many of ``count`` samples, the first and the last with them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))


def charts(arm: ArmDescription, motion: Motion) -> list[LineChart]:
    """Positions, speeds and inputs over time: one figure for each quantity and unit."""
    keep = _evenly(len(motion.t), MOST_POINTS)
    times = tuple(float(x) for x in motion.t[keep])
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    groups: list[tuple[str, str, str, list[str], Array]] = []
    for kind, units in ((True, ("deg", "deg/s")), (False, ("m", "m/s"))):
        indices = np.flatnonzero(turns == kind)
        names = [motion.joint_names[k] for k in indices]
        if len(indices):
            factor = np.degrees(1.0) if kind else 1.0
            groups.append(("positions", "position", units[0], names, factor * motion.q[keep][:, indices]))
            groups.append(("speeds", "speed", units[1], names, factor * motion.qd[keep][:, indices]))
    for unit in dict.fromkeys(motion.input_units):
        indices = np.flatnonzero(np.array(motion.input_units) == unit)
        names = [motion.input_names[k] for k in indices]
        groups.append(("inputs", "input", unit, names, motion.u[keep][:, indices]))
    return [
        LineChart(
            f"{stem}-{number}", _title(stem, names, unit), "",
            x_axis=ChartAxis("time", "s"), y_axis=ChartAxis(label, unit), x=times,
            series=tuple(
                Series(name, tuple(float(v) for v in column)) for name, column in zip(names, values.T, strict=True)
            ),
        )
        for number, (stem, label, unit, names, values) in enumerate(groups)
    ]  # fmt: skip


def _title(stem: str, names: list[str], unit: str) -> str:
    return f"{stem.capitalize()} ({unit})" if len(names) > 1 else f"{stem.capitalize()} of {names[0]} ({unit})"


FRAME_HEIGHT = 900
"""Height of the page inside a notebook (pixels)."""


@dataclass(frozen=True)
class MotionPage:
    """A motion that plays in the 3D view; ``write`` saves the page, a notebook shows it."""

    arm: ArmDescription
    motion: Motion

    @cached_property
    def html(self) -> str:
        """The page as text."""
        return replay_page(self.arm, self.motion)

    def write(self, path: str | Path) -> None:
        """Write the page."""
        write_page(path, self.html)

    def __repr__(self) -> str:
        return f"<MotionPage of {self.motion.name!r}: {self.motion.t[-1] - self.motion.t[0]:g} s>"

    def _repr_html_(self) -> str:
        return notebook_frame(self.html, f"motion of {self.motion.name}", FRAME_HEIGHT)
