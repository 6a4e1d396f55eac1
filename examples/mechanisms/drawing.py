"""Skeletons of mechanisms, drawn with matplotlib (pip install matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert.mechanisms.mechanism import Mechanism

OUTPUT = Path(__file__).parent / "output"
COLOURS = plt.rcParams["axes.prop_cycle"].by_key()["color"]


def lines(mechanism: Mechanism, phi: Any) -> list[list[np.ndarray]]:
    """For each chain the points of its skeleton, base to tool; free bodies have none."""
    placed = mechanism.chains.place(np.asarray(phi, dtype=float)[None])
    found = []
    for number, (name, numbers) in enumerate(zip(mechanism.chains.names, mechanism.chains.numbers, strict=True)):
        if numbers.arm.name == name and "ground" in numbers.arm.link_names:
            continue
        _, origins = placed.frames(number)
        points = [origins[0, k] for k in numbers.chain.paths[numbers.chain.tool_body]]
        points.append(mechanism.frame(phi, name)[:3, 3])
        found.append(points)
    return found


def draw_plane(axes: Any, mechanism: Mechanism, phi: Any, colour: str | None = None, alpha: float = 1.0) -> None:
    """The skeleton in the xy plane; joints are dots, bases triangles."""
    for k, points in enumerate(lines(mechanism, phi)):
        x, y = np.array(points)[:, 0], np.array(points)[:, 1]
        shade = colour or COLOURS[k % len(COLOURS)]
        axes.plot(x, y, "-o", color=shade, alpha=alpha, lw=2.5, ms=4)
        axes.plot(x[0], y[0], "^", color="k", alpha=alpha, ms=8)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")


def draw_space(axes: Any, mechanism: Mechanism, phi: Any, colour: str | None = None, alpha: float = 1.0) -> None:
    """The skeleton in space."""
    for k, points in enumerate(lines(mechanism, phi)):
        x, y, z = np.array(points).T
        axes.plot(x, y, z, "-o", color=colour or COLOURS[k % len(COLOURS)], alpha=alpha, lw=2, ms=3)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_zlabel("z [m]")
    axes.locator_params(nbins=4)
    axes.set_aspect("equal")


def save(figure: Any, name: str) -> None:
    OUTPUT.mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig(OUTPUT / f"{name}.png", dpi=90)
    plt.close(figure)
    print(f"wrote {OUTPUT.name}/{name}.png")
