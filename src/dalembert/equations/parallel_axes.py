"""Which joints of an arm turn about parallel axes, decided on the exact numbers."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from ..arm.description import ArmDescription
from ..arm.exact import Angle
from ..arm.placement import Placement
from ..rings.angles import Axis

Row = tuple[Fraction | int, Fraction | int, Fraction | int]
ALONG_Z: Row = (0, 0, 1)


def axes(arm: ArmDescription, symbolic: Collection[str] = ()) -> tuple[Axis, ...]:
    """Each joint's nearest revolute ancestor with parallel axis; prismatic joints between them do not turn.

    ``symbolic`` names the twists that stay symbols: axes they separate are not parallel.
    """
    found: list[Axis] = []
    # Per joint: the revolute joint whose frame its own is seen from, and that joint's axis in its own frame.
    seen: list[tuple[int | None, Row | None]] = []
    for index, body in enumerate(arm.bodies):
        carrier, axis = seen[body.parent] if body.parent >= 0 else (None, None)
        if axis is not None:
            axis = turned(axis, arm.bodies[body.parent].after, symbolic)
        if axis is not None:
            axis = turned(axis, body.before, symbolic)
        if body.joint.kind == "revolute":
            parallel = axis is not None and abs(axis[2]) == 1
            found.append(Axis(True, carrier, int(axis[2])) if parallel else Axis(True))  # type: ignore[index]
            seen.append((index, ALONG_Z))
        else:
            found.append(Axis(False))
            seen.append((carrier, axis))
    return tuple(found)


def turned(axis: Row, placement: Placement, symbolic: Collection[str]) -> Row | None:
    """A direction seen from the frame at ``placement``; None behind an angle that stays a symbol."""
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
