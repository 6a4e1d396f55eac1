"""The arm as data for the drawing in the page, and the controls beside it.

The data are what is drawn: bars, mass centres and boxes in the joint frames of their bodies. Where these frames are
at a pose, and inertia D_ii and gravity load G_i there, the page computes by itself (``arm_script``), so that every
joint can be moved without a server.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arm.description import ArmDescription, Body, Joint
from ..arm.exact import Angle
from ..arm.following import Coupled
from ..arm.placement import IDENTITY, Placement, product, step_rotation
from ..formulations.chain import Chain, chain
from ..markup.elements import Html, breakable, data, join, sub, tag
from ..markup.numbers import joint_label, unit
from ..rings.real import REAL

Point = tuple[float, float, float]


def scene(
    arm: ArmDescription,
    loaded: ArmDescription | None = None,
    pose: Sequence[float] | None = None,
    motion: Sequence[Sequence[float]] = (),
) -> dict[str, Any]:
    """All that the drawing needs. Joint frames have the axis as z and move with their body.

    The view is fitted to the poses of ``motion``, where there is one, and the path of its tool is drawn.
    """
    model = chain(arm, REAL)
    scene_data: dict[str, Any] = {
        "joints": [joint_data(joint) for joint in arm.moving],
        "shafts": [shaft_data(joint, coupled) for joint, coupled in zip(arm.all_moving, arm.couplings, strict=True)],
        "paths": [paths(arm, index) for index in range(-1, len(arm.bodies))],
        "bodies": bodies(model),
        "loaded": bodies(chain(loaded, REAL)) if loaded is not None else None,
        "gravity": floats(model.gravity),
        "pose": list(pose) if pose is not None else [start(joint) for joint in arm.moving],
        "motion": [list(row) for row in motion],
    }
    scene_data["size"] = size(scene_data)
    return scene_data


def floats(values: Sequence[Any]) -> list[float]:
    """Numbers in floating point, for JSON."""
    return [float(x) for x in values]


def matrix(rows: Sequence[Sequence[Any]]) -> list[float]:
    """Entries of a matrix in floating point, row by row."""
    return [float(x) for row in rows for x in row]


def joint_data(joint: Joint) -> dict[str, Any]:
    """Type of a joint and range of its slider (rad or m)."""
    low, high = travel(joint)
    return {"revolute": joint.kind == "revolute", "low": low, "high": high}


def shaft_data(joint: Joint, coupled: Coupled) -> dict[str, Any]:
    """Type of a joint that moves and its number in the drawing; one that follows another has that one's, marked."""
    mark = "′" if joint.follows is not None else ""
    return {"revolute": joint.kind == "revolute", "label": f"{coupled.coordinate + 1}{mark}"}


def travel(joint: Joint) -> tuple[float, float]:
    """The range of a joint's slider: its limits, or a full turn, or a metre either way, where it has none."""
    most = math.pi if joint.kind == "revolute" else 1.0
    low, high = joint.limits.lower, joint.limits.upper
    if math.isinf(low) and math.isinf(high):
        return -most, most
    if math.isinf(low):
        return high - 2 * most, high
    return low, low + 2 * most if math.isinf(high) else high


def start(joint: Joint) -> float:
    """A pose where little vanishes by chance: a sixth of a turn at most, and sliders half out."""
    low, high = travel(joint)
    if joint.kind == "prismatic":
        return (low + high) / 2
    return min(max(math.pi / 6, low), high) if low <= 0 <= high else (low + high) / 2


def bodies(model: Chain) -> list[dict[str, Any]]:
    """Mass, mass centre, and the box of equal mass and inertia; in the joint frame."""
    bodies_ = []
    for segment in model.segments:
        mass = float(segment.mass)
        com = floats(segment.com) if segment.com is not None else [0.0] * 3
        central = np.array(matrix(segment.central), dtype=float).reshape(3, 3) if segment.central else np.zeros((3, 3))
        bodies_.append({"mass": mass, "com": com, "box": box(mass, central)})
    return bodies_


def box(mass: float, central: np.ndarray) -> dict[str, list[float]] | None:
    """Edges and axes of the homogeneous box with this mass and inertia; None where no such box is.

    A box with edges a, b, c has moments m (b^2 + c^2) / 12 and so on.
    """
    if mass <= 0:
        return None
    moments, axes = np.linalg.eigh(central)
    squares = 6 / mass * (moments.sum() - 2 * moments)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return {"axes": axes.ravel().tolist(), "edges": np.sqrt(np.clip(squares, 0, None)).tolist()}


# -- the bars of the links ---------------------------------------------------------------------


def paths(arm: ArmDescription, index: int) -> list[list[Point]]:
    """The bars of a body (-1: the base) in its joint frame: broken lines from its joint to the next ones.

    They follow the steps of the description, so that a link offset along an axis and across it shows its corner.
    """
    from_joint = arm.bodies[index].after if index >= 0 else Placement()
    ends: list[Body | None] = [body for body in arm.bodies if body.parent == index]
    lines = [corners(from_joint @ body.before) for body in ends if body is not None]
    tool_body, frame = arm.body_of[arm.tool_link]
    if tool_body == index and not lines:
        lines.append(corners(from_joint @ frame @ arm.tool))
    return [line for line in lines if len(line) > 1]


def corners(placement: Placement) -> list[Point]:
    """The points that a sequence of steps passes, each once."""
    turn, position = IDENTITY, (0.0, 0.0, 0.0)
    points: list[Point] = [position]
    for step in placement.steps:
        if isinstance(step.amount, Angle):
            turn = product(turn, step_rotation(step.axis, step.amount))
        else:
            x, y, z = (p + float(row[step.axis] * step.amount) for p, row in zip(position, turn, strict=True))
            position = (x, y, z)
            if math.dist(position, points[-1]) > 1e-9:
                points.append(position)
    return points


def size(scene_data: dict[str, Any]) -> float:
    """About how far the arm reaches (m): all bars one after another, and what the sliders add."""
    bars = sum(
        max((sum(math.dist(a, b) for a, b in itertools.pairwise(line)) for line in lines), default=0.0)
        for lines in scene_data["paths"]
    )
    slides = sum(max(abs(j["low"]), abs(j["high"])) for j in scene_data["joints"] if not j["revolute"])
    return float(max(bars + slides, 0.05))


# -- the controls ------------------------------------------------------------------------------


def drawing(
    arm: ArmDescription,
    loaded: ArmDescription | None = None,
    pose: Sequence[float] | None = None,
    motion: Sequence[Sequence[float]] = (),
) -> Html:
    """The canvas with its controls, and the data they work on."""
    canvas = tag(
        "canvas",
        "The drawing needs a browser with scripts on.",
        id="arm-canvas",
        tabindex="0",
        role="img",
        aria_label=f"The arm {arm.name} in three dimensions. Arrow keys turn it, plus and minus change its size.",
    )
    buttons = [
        tag("button", label, type="button", data_view=name, title=title)
        for name, label, title in (
            ("in", "+", "Larger"),
            ("out", "−", "Smaller"),
            ("front", "front", "Look along the y axis"),
            ("side", "side", "Look along the x axis"),
            ("top", "top", "Look down"),
            ("home", "reset", "First view and pose"),
        )
    ]
    choices = [("boxes", "bodies as boxes of equal mass and inertia"), ("frames", "joint axes and numbers")]
    if loaded is not None:
        choices.append(("load", "holding the load"))
    boxes = [
        tag("label", tag("input", type="checkbox", data_show=name, checked=name == "frames"), f" {label}")
        for name, label in choices
    ]
    view = tag("div", canvas, tag("div", *buttons, class_="views"), tag("div", *boxes, class_="choices"), class_="view")
    return tag("div", view, controls(arm), data(scene(arm, loaded, pose, motion), "arm-data"), class_="arm")


def controls(arm: ArmDescription) -> Html:
    """A row for each joint: slider, value, and inertia and gravity load at this pose."""
    rows = []
    for index, joint in enumerate(arm.moving):
        low, high = travel(joint)
        name = joint_label(index, joint.name)
        position_unit = unit(joint, "shown")
        slider = tag(
            "input", type="range", data_joint=index, min=low, max=high, step="any", aria_label=f"Position of {name}"
        )
        field = tag(
            "input", type="number", data_joint=index, step="any", aria_label=f"Position of {name} ({position_unit})"
        )
        unlimited = math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper)
        rows.append(
            tag(
                "tr",
                tag(
                    "th",
                    breakable(name.removeprefix("joint ").replace(",", "", 1)),
                    scope="row",
                    title="no limits given" if unlimited else None,
                ),
                tag("td", slider),
                tag("td", field, " ", tag("span", position_unit, class_="unit")),
                tag(
                    "td",
                    tag("output", data_inertia=index),
                    " ",
                    tag("span", unit(joint, "inertia"), class_="unit"),
                    class_="num",
                ),
                tag(
                    "td",
                    tag("output", data_gravity=index),
                    " ",
                    tag("span", unit(joint, "effort"), class_="unit"),
                    class_="num",
                ),
            )
        )
    heads = ("joint", "", "position", join([sub("D", "ii"), " here"]), join([sub("G", "i"), " here"]))
    head = tag(
        "tr", *(tag("th", text, scope="col", class_="num" if column > 2 else None) for column, text in enumerate(heads))
    )
    caption = tag("caption", "Move the joints: inertia seen at each joint and gravity load follow")
    table = tag("table", caption, tag("thead", head), tag("tbody", *rows))
    tool = tag("p", "Tool at ", tag("output", id="arm-tool"), " m in the base frame", class_="note")
    return tag("div", table, tool, class_="controls scroll")
