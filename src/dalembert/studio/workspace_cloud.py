"""Where the hand gets to: points of the tool at random poses, with the inertia, load or mobility that goes with each.

Poses are drawn evenly over the ranges of the joints, always the same ones, so that the points of two designs can be
compared. Manipulability is that of the position, w = sqrt(det J J^T) (Yoshikawa 1985), with the rows of J along the
directions in which the tool moves at all: two of a planar arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..api.questions import SystemQuestions
from ..markup.elements import Html, tag
from ..markup.numbers import formatted, unit

Array = NDArray[np.float64]
INERTIA, GRAVITY, MOBILITY = "inertia at a joint", "gravity load of a joint", "manipulability"
QUANTITIES = (INERTIA, GRAVITY, MOBILITY)
SHADES = np.array([(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)], dtype=float)
"""From low to high (of the map viridis): even in brightness, and told apart by people who see few colours."""
RESTING = 1e-9
"""Share of the largest motion of the tool below which it does not move in a direction."""


@dataclass(frozen=True)
class Cloud:
    """Points of the tool (m) with a value each, and what the values are."""

    points: Array
    values: Array
    what: str
    unit: str

    def colours(self) -> NDArray[np.uint8]:
        """Red, green and blue of each point, over the range of the values."""
        low, high = float(self.values.min()), float(self.values.max())
        fraction = (self.values - low) / (high - low) if high > low else np.zeros(len(self.values))
        stops = np.linspace(0, 1, len(SHADES))
        rgb = np.stack([np.interp(fraction, stops, SHADES[:, k]) for k in range(3)], axis=1)
        return np.rint(rgb).astype(np.uint8)

    def bar(self) -> Html:
        """The colours and the values they stand for."""
        shades = ", ".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in SHADES)
        low, high = float(self.values.min()), float(self.values.max())
        texts = [f"{formatted(value, 3)} {self.unit}" for value in (low, (low + high) / 2, high)]
        ends = tag("div", *(tag("span", text) for text in texts), style="display:flex;justify-content:space-between")
        strip = tag("div", style=f"height:12px;background:linear-gradient(to right, {shades})")
        title = f"{self.what}, {len(self.points):,} poses"
        return tag("div", tag("b", title), strip, ends, style="font-size:12px;font-variant-numeric:tabular-nums")


def random_poses(spans: Sequence[tuple[float, float]], count: int) -> Array:
    """Positions of the joints, evenly over their ranges ``(count, n)``."""
    low, high = np.array(spans, dtype=float).reshape(-1, 2).T
    return np.asarray(low + (high - low) * np.random.default_rng(0).random((count, len(low))))


def workspace_cloud(system: SystemQuestions, q: Array, what: str, joint: int = 0) -> Cloud:
    """The points of the tool at poses ``q`` (b, n), with one of ``QUANTITIES``, of a joint where it is one's."""
    points = np.asarray(system.forward_kinematics(q))[:, :3, 3]
    joint_ = system.moving[joint]
    if what == INERTIA:
        values = np.asarray(system.mass_matrix(q))[:, joint, joint]
        return Cloud(points, values, f"inertia at {joint_.name}", unit(joint_, "inertia"))
    if what == GRAVITY:
        values = np.abs(np.asarray(system.gravity_load(q))[:, joint])
        return Cloud(points, values, f"gravity load of {joint_.name}, its amount", unit(joint_, "effort"))
    values, rows = position_manipulability(np.asarray(system.jacobian(q))[:, :3])
    turning = all(joint_k.kind == "revolute" for joint_k in system.moving)
    return Cloud(points, values, "manipulability of the position of the tool", f"m^{rows}" if turning else "(SI)")


def position_manipulability(jacobian: Array) -> tuple[Array, int]:
    """sqrt(det J J^T) of Jacobians ``(b, 3, n)`` along the directions that move, and how many factors it has."""
    moves, axes = np.linalg.eigh(np.einsum("bik,bjk->ij", jacobian, jacobian))
    directions = axes[:, moves > RESTING**2 * moves.max(initial=0.0)]
    table = np.einsum("ij,bik->bjk", directions, jacobian)
    rows, joints = table.shape[1:]
    if not rows:
        return np.zeros(len(jacobian)), 0
    product = table @ table.transpose(0, 2, 1) if rows <= joints else table.transpose(0, 2, 1) @ table
    return np.sqrt(np.maximum(np.linalg.det(product), 0.0)), min(rows, joints)
