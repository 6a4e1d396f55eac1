"""Curves of any function of the pose over the joint that changes it most.

One curve for each of three positions of the joint that comes second. The other joints stand in the middle of their
travel, or, where nothing moves there, at the sample of many poses that has the largest magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..markup.numbers import formatted, joint_label, listed, shown_position, unit
from .arm3d import travel
from .charts.figures import ChartAxis
from .charts.line_chart import LineChart, Series

Array: TypeAlias = NDArray[np.float64]
Values: TypeAlias = Callable[[Array], Array]
"""Values at positions (..., n)."""
POINTS = 121


@dataclass(frozen=True)
class Sweep:
    """A function to draw: its values, the joints it depends on, name, title and unit."""

    values: Values
    joints: tuple[int, ...]
    name: str
    title: str
    unit: str
    file: str = ""


def chart(arm: ArmDescription, sweep: Sweep) -> tuple[LineChart, float]:
    """The chart of a function, and its largest over its least value where both are positive (else 0)."""
    ranked = by_effect(arm, sweep)
    mover, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    low, high = travel(arm.moving[mover])
    x = np.linspace(low, high, POINTS)
    pose, clause = fixed_positions(arm, sweep, mover)
    series = []
    positions = [None] if second is None else levels(arm, second)
    for position in positions:
        q = np.tile(pose, (POINTS, 1))
        q[:, mover] = x
        label = sweep.name
        if second is not None and position is not None:
            q[:, second] = position
            joint = arm.moving[second]
            label = f"joint {second + 1} at {formatted(shown_position(joint, position), 4)} {unit(joint, 'shown')}"
        series.append(Series(label, tuple(float(y) for y in sweep.values(q))))
    ordinates = [y for curve in series for y in curve.values]
    least, most = min(ordinates), max(ordinates)
    joint = arm.moving[mover]
    caption = (
        f"From {formatted(least)} to {formatted(most)} {sweep.unit} on these curves{clause if len(ranked) > 2 else ''}."
    )
    chart_ = LineChart(
        sweep.file or sweep.name,
        sweep.title,
        caption,
        x_axis=ChartAxis(joint_label(mover, joint.name), unit(joint, "shown")),
        y_axis=ChartAxis(sweep.name, sweep.unit),
        x=tuple(float(shown_position(joint, value)) for value in x),
        series=tuple(series),
    )
    return chart_, most / least if least > 1e-12 * abs(most) > 0 else 0.0


def fixed_positions(arm: ArmDescription, sweep: Sweep, mover: int) -> tuple[NDArray[np.float64], str]:
    """Positions of the joints that a figure does not move, and a clause on them."""
    ends = np.array([travel(joint) for joint in arm.moving])
    samples = np.random.default_rng(1).uniform(ends[:, 0], ends[:, 1], (2000, arm.n))
    values = sweep.values(samples)
    q = np.tile(middle(arm), (POINTS, 1))
    q[:, mover] = np.linspace(ends[mover, 0], ends[mover, 1], POINTS)
    if np.ptp(sweep.values(q)) > 0.1 * np.ptp(values):
        return middle(arm), "; the other joints stand in mid-travel"
    best = samples[int(np.argmax(np.abs(values)))]
    positions = [
        f"joint {j + 1} at {formatted(shown_position(arm.moving[j], best[j]), 3)} {unit(arm.moving[j], 'shown')}"
        for j in sweep.joints
        if j != mover
    ]
    return best, f"; where no curve says otherwise, {listed(positions)}"


def middle(arm: ArmDescription) -> NDArray[np.float64]:
    """Joint positions in the middle of their travel (rad or m)."""
    return np.array([sum(travel(joint)) / 2 for joint in arm.moving])


def levels(arm: ArmDescription, joint: int) -> list[float | None]:
    """Three positions of a joint: ends and middle of its travel, or quarter turns where it goes all the way round."""
    low, high = travel(arm.moving[joint])
    if arm.moving[joint].kind == "revolute" and high - low >= 2 * np.pi - 1e-9:
        return [0.0, np.pi / 2, np.pi]
    return [low, (low + high) / 2, high]


def by_effect(arm: ArmDescription, sweep: Sweep) -> list[int]:
    """The joints a function depends on, that which changes it most (on average over other positions) first."""
    rng = np.random.default_rng(0)
    ends = np.array([travel(joint) for joint in arm.moving])
    base = rng.uniform(ends[:, 0], ends[:, 1], (48, arm.n))
    effects = {}
    for joint in sweep.joints:
        q = np.repeat(base[:, None], 25, axis=1)
        q[:, :, joint] = np.linspace(ends[joint, 0], ends[joint, 1], 25)
        effects[joint] = float(np.ptp(sweep.values(q), axis=1).mean())
    return sorted(effects, key=lambda joint: -effects[joint])
