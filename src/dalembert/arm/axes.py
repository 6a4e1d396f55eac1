"""Fixed rotations from a joint axis in any direction, a rotation matrix or a quaternion."""

from __future__ import annotations

import math
from fractions import Fraction

from .errors import ArmError
from .exact import Angle
from .placement import Matrix, Placement, Step, Vector, rotate

LONG_NUMBER = 10**40
"""Denominators from this size on are rounded."""


def along(axis: Vector, what: str = "axis") -> Placement:
    """The rotation R whose z axis points along ``axis``, of any length but zero.

    Exact quarter turns where the axis is a coordinate axis or its negative, otherwise Rot_z(phi) Rot_y(theta).
    """
    x, y, z = axis
    size = max(abs(x), abs(y), abs(z))
    if not size:
        raise ArmError(f"{what} is zero and points nowhere; give a direction such as 0 0 1")
    if not x and not y:
        return Placement.of(rotate("x", Angle.quarters(0 if z > 0 else 2)))
    if not y and not z:
        return Placement.of(rotate("y", Angle.quarters(1 if x > 0 else -1)))
    if not x and not z:
        return Placement.of(rotate("x", Angle.quarters(-1 if y > 0 else 1)))
    a, b, c = float(x / size), float(y / size), float(z / size)
    return Placement.of(rotate("z", math.atan2(b, a)), rotate("y", math.atan2(math.hypot(a, b), c)))


def short(*numbers: Fraction) -> bool:
    """Whether all denominators are small enough to keep the numbers exactly."""
    return all(number.denominator < LONG_NUMBER for number in numbers)


def on_circle(cos: Fraction, sin: Fraction) -> Angle:
    """The angle of a point of the unit circle: exactly that point if it is ``short``, else within 1e-15."""
    radians = math.atan2(sin, cos)
    if short(cos, sin) and cos * cos + sin * sin == 1:
        return Angle(cos, sin, radians)
    return Angle.of(radians)


def roll_pitch_yaw(turn: Matrix) -> tuple[float, float, float]:
    """Angles with turn = Rot_z(yaw) Rot_y(pitch) Rot_x(roll), radians.

    The entries are exact, so the angles lose no digits however near the pitch is to 90 degrees.
    """
    cos_pitch = math.hypot(turn[0][0], turn[1][0])
    pitch = math.atan2(-turn[2][0], cos_pitch)
    if cos_pitch:
        return math.atan2(turn[2][1], turn[2][2]), pitch, math.atan2(turn[1][0], turn[0][0])
    return 0.0, pitch, math.atan2(-turn[0][1], turn[1][1])


def turned(turn: Matrix) -> Placement:
    """The rotation with this exactly orthogonal matrix, in as few steps as it takes."""
    for axis in range(3):
        if turn[axis][axis] == 1:
            j, k = (axis + 1) % 3, (axis + 2) % 3
            return Placement.of(Step("rotate", axis, on_circle(turn[j][j], turn[k][j])))
    roll, pitch, yaw = roll_pitch_yaw(turn)
    return Placement.of(rotate("z", yaw), rotate("y", pitch), rotate("x", roll))


def quaternion(w: Fraction, x: Fraction, y: Fraction, z: Fraction, what: str = "quaternion") -> Placement:
    """The rotation of a non-zero quaternion, not necessarily of unit length; its matrix is rational in w, x, y, z."""
    square = w * w + x * x + y * y + z * z
    if not square:
        raise ArmError(f"{what} is zero and turns nowhere; give one such as 1 0 0 0")
    s = 2 / square
    return turned(
        (
            (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
        )
    )


MOST_TURNS = 12
"""Rotations by other than right angles in a placement that is kept exactly."""


def shortened(placement: Placement) -> Placement:
    """The placement itself, or, if it is a long chain of rotations, the same within 1e-15 in a few steps.

    Every exact rotation adds some thirty digits to the numbers, so a long chain of fixed joints would grow without
    limit.
    """
    turns = sum(1 for step in placement.steps if isinstance(step.amount, Angle) and step.amount.cos.denominator > 1)
    if turns <= MOST_TURNS:
        return placement
    rotation, position = placement.exact
    steps = (Step("translate", axis, Fraction(round(p * 10**30), 10**30)) for axis, p in enumerate(position))
    return Placement.of(*steps) @ turned(rotation)
