"""Skeletons as pictures: bars, plates and joints in SVG, seen from a corner of the room or along an axis."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.whole_files import write_whole
from ..markup.elements import Html, tag

WIDTH, HEIGHT, MARGIN, FOOT = 640, 480, 40, 30
"""Size of a picture and its margins (pixels); the foot below holds the ruler."""
FILLS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c5a")
"""Colours of bars, told apart by people who see few colours too."""
Array = NDArray[Any]


def from_a_corner() -> Array:
    """Two rows that project points as seen from a corner of the room, from above."""
    turn, tilt = np.radians(-50.0), np.radians(22.0)
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    back = np.array([np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn), np.sin(tilt)])
    return np.stack([right, np.cross(back, right)])


@dataclass
class SkeletonPicture:
    """What is drawn: ``points`` (m) in the world, and what lies between them by their numbers."""

    title: str
    points: Array
    view: Array = field(default_factory=from_a_corner)
    bars: list[tuple[int, int, int]] = field(default_factory=list)
    """Two points and the number of a colour."""
    plates: list[list[int]] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)
    slides: list[int] = field(default_factory=list)
    """Joints that slide, drawn as squares."""
    ground: int | None = None
    """The point that stands on the ground."""
    tip: int | None = None
    """The point of the tool."""

    def svg(self) -> str:
        """The picture as SVG text, with a ruler in metres."""
        flat = self.points @ self.view.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = np.array([WIDTH, HEIGHT - FOOT])
        scale = float(((room - 2 * MARGIN) / np.maximum(high - low, 1e-9)).min())
        x, y = (room[:, None] / 2 + scale * np.array([[1], [-1]]) * (flat - (low + high) / 2).T).round(2)
        parts: list[Html] = [tag("rect", width=WIDTH, height=HEIGHT, fill="white")]
        if self.ground is not None:
            parts += _ground(x[self.ground], y[self.ground])
        for plate in self.plates:
            corners = " ".join(f"{x[k]},{y[k]}" for k in plate)
            parts.append(tag("polygon", points=corners, fill="#bbbbbb", fill_opacity="0.7", stroke="#555555"))
        for a, b, number in self.bars:
            parts.append(_bar((x[a], y[a]), (x[b], y[b]), FILLS[number % len(FILLS)], 6))
        for k in dict.fromkeys(self.joints):
            parts.append(tag("circle", cx=x[k], cy=y[k], r=4, fill="white", stroke="#333333", stroke_width=1.5))
        for k in dict.fromkeys(self.slides):
            corner = {"x": round(x[k] - 4, 2), "y": round(y[k] - 4, 2)}
            parts.append(tag("rect", **corner, width=8, height=8, fill="white", stroke="#333333", stroke_width=1.5))
        if self.tip is not None:
            parts.append(tag("circle", cx=x[self.tip], cy=y[self.tip], r=4, fill="#333333"))
        parts += _ruler(scale, float(np.ptp(flat)))
        document = tag(
            "svg", tag("title", self.title), *parts, xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {HEIGHT}", width=WIDTH, height=HEIGHT,
        )  # fmt: skip
        return f"{document}\n"

    def write(self, path: str | Path) -> None:
        """Write the picture into a file that ends in .svg."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise ArmError(f"{target}: pictures are written as SVG; name a file that ends in .svg")
        write_whole(target, self.svg())


def _bar(a: tuple[float, float], b: tuple[float, float], colour: str, width: float) -> Html:
    ends = {"x1": a[0], "y1": a[1], "x2": b[0], "y2": b[1]}
    return tag("line", **ends, stroke=colour, stroke_width=width, stroke_linecap="round")


def _ground(x: float, y: float) -> list[Html]:
    """The ground under a base: a line with hatching."""
    hatch = [_bar((x - 22 + 11 * k, y + 6), (x - 28 + 11 * k, y + 14), "#777777", 1.5) for k in range(5)]
    return [_bar((x - 28, y + 6), (x + 28, y + 6), "#777777", 2), *hatch]


def _ruler(scale: float, extent: float) -> list[Html]:
    """A power of ten of metres, about half the picture or less."""
    length = 10 ** np.floor(np.log10(max(extent, 1e-9) / 2))
    end = round(MARGIN + scale * float(length), 2)
    return [
        tag("line", x1=MARGIN, x2=end, y1=HEIGHT - 16, y2=HEIGHT - 16, stroke="#333333", stroke_width=2),
        tag("text", f"{length:g} m", x=MARGIN, y=HEIGHT - 22, font_size=12, font_family="sans-serif"),
    ]
