"""Detection of revolute joints with parallel axes, on exact numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction

from ..arm.description import ArmDescription
from ..arm.exact import Angle
from ..arm.placement import Placement
from ..rings.angles import Axis

Row = tuple[Fraction | int, Fraction | int, Fraction | int]
ALONG_Z: Row = (0, 0, 1)


def axes(arm: ArmDescription, symbolic: Collection[str] = ()) -> tuple[Axis, ...]:
    """For each coordinate, the one of the revolute joint nearest before its own, if their axes are parallel.

    A joint that follows another has no angle of its own, and none is summed across it.
    """
    coordinates = {joint: k for k, joint in enumerate(i for i, j in enumerate(arm.all_moving) if j.follows is None)}
    by_joint = joint_axes(arm, symbolic)
    return tuple(
        replace(axis, parallel=coordinates[axis.parallel]) if axis.parallel in coordinates else Axis(axis.revolute)
        for axis in (by_joint[joint] for joint in coordinates)
    )


def joint_axes(arm: ArmDescription, symbolic: Collection[str] = ()) -> tuple[Axis, ...]:
    """For each joint, its nearest revolute ancestor if their axes are parallel.

    Prismatic joints in between do not change directions. ``symbolic`` names the twists that stay symbols: axes
    separated by one are not parallel.
    """
    result: list[Axis] = []
    # For each joint: its nearest revolute ancestor (or itself), and the axis of that one in this joint's frame.
    ancestors: list[tuple[int | None, Row | None]] = []
    for index, body in enumerate(arm.bodies):
        carrier, axis = ancestors[body.parent] if body.parent >= 0 else (None, None)
        if axis is not None:
            axis = turned(axis, arm.bodies[body.parent].after, symbolic)
        if axis is not None:
            axis = turned(axis, body.before, symbolic)
        if body.joint.kind == "revolute":
            parallel = axis is not None and abs(axis[2]) == 1
            result.append(Axis(True, carrier, int(axis[2])) if parallel else Axis(True))  # type: ignore[index]
            ancestors.append((index, ALONG_Z))
        else:
            result.append(Axis(False))
            ancestors.append((carrier, axis))
    return tuple(result)


def turned(axis: Row, placement: Placement, symbolic: Collection[str]) -> Row | None:
    """A direction expressed in the frame at ``placement``; None across an angle that stays a symbol."""
    for step in placement.steps:
        if not isinstance(step.amount, Angle):
            continue
        if step.name.removeprefix("-") in symbolic:
            return None
        if not step:
            continue
        j, k = (step.axis + 1) % 3, (step.axis + 2) % 3
        cos, sin = step.amount.cos, step.amount.sin
        row = list(axis)
        row[j], row[k] = axis[j] * cos + axis[k] * sin, axis[k] * cos - axis[j] * sin
        axis = (row[0], row[1], row[2])
    return axis
