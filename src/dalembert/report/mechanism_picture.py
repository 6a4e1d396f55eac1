"""A mechanism as a picture: its skeleton in SVG, in its plane or as seen from a corner of the room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.whole_files import write_whole
from ..markup.elements import Html, tag
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.skeleton import Skeleton

WIDTH, HEIGHT, MARGIN = 640, 480, 40
FILLS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c5a")
"""Colours of the chains, told apart by people who see few colours too."""
Array = NDArray[Any]


def view_of(mechanism: Mechanism) -> Array:
    """Two rows that project points to the picture: x and y of a planar mechanism, else from a corner and above."""
    axes = np.concatenate(
        [
            mechanism.chains.place(mechanism.home[None]).frames(k)[0][0, :, :, 2]
            for k in range(len(mechanism.chains.names))
        ]
    )
    if np.allclose(np.abs(axes[:, 2]), 1.0) and mechanism.chains.revolute.all():
        return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    turn, tilt = np.radians(-50.0), np.radians(22.0)
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    back = np.array([np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn), np.sin(tilt)])
    return np.stack([right, np.cross(back, right)])


def mechanism_picture(mechanism: Mechanism, phi: Any) -> str:
    """The picture as SVG text."""
    skeleton = Skeleton(mechanism)
    points = skeleton.positions(np.asarray(phi, dtype=float)[None])[0] @ view_of(mechanism).T
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min((WIDTH - 2 * MARGIN) / max(high[0] - low[0], 1e-9), (HEIGHT - 2 * MARGIN) / max(high[1] - low[1], 1e-9))
    middle = (low + high) / 2
    x = WIDTH / 2 + scale * (points[:, 0] - middle[0])
    y = HEIGHT / 2 - scale * (points[:, 1] - middle[1])
    parts: list[Html] = [tag("rect", width=WIDTH, height=HEIGHT, fill="white")]
    for plate in skeleton.plates:
        corners = " ".join(f"{x[k]:.2f},{y[k]:.2f}" for k in plate)
        parts.append(tag("polygon", points=corners, fill="#bbbbbb", fill_opacity="0.7", stroke="#555555"))
    for a, b, chain in skeleton.bars:
        colour = FILLS[chain % len(FILLS)]
        ends = {"x1": f"{x[a]:.2f}", "y1": f"{y[a]:.2f}", "x2": f"{x[b]:.2f}", "y2": f"{y[b]:.2f}"}
        parts.append(tag("line", **ends, stroke=colour, stroke_width=6, stroke_linecap="round"))
    for k in dict.fromkeys(skeleton.joints):
        place = {"cx": f"{x[k]:.2f}", "cy": f"{y[k]:.2f}"}
        parts.append(tag("circle", **place, r=4, fill="white", stroke="#333333", stroke_width=1.5))
    length = 10 ** np.floor(np.log10(max(float(np.ptp(points)), 1e-9) / 2))
    ruler = {"x1": MARGIN, "x2": f"{MARGIN + scale * length:.2f}", "y1": HEIGHT - 16, "y2": HEIGHT - 16}
    parts.append(tag("line", **ruler, stroke="#333333", stroke_width=2))
    parts.append(tag("text", f"{length:g} m", x=MARGIN, y=HEIGHT - 22, font_size=12, font_family="sans-serif"))
    document = tag(
        "svg", tag("title", mechanism.name), *parts, xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}", width=WIDTH, height=HEIGHT,
    )  # fmt: skip
    return f"{document}\n"


def write_mechanism_picture(mechanism: Mechanism, path: str | Path, phi: Any = None) -> None:
    """Write the picture at joints ``phi`` (home); SVG only."""
    place = Path(path)
    if place.suffix.lower() != ".svg":
        raise ArmError(f"{place}: a picture of a mechanism is written as SVG; name a file that ends in .svg")
    write_whole(place, mechanism_picture(mechanism, mechanism.home if phi is None else phi))
