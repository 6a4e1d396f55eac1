"""Positions and orientations of MJCF, in each of the notations of the format."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from ..axes import along, quaternion
from ..exact import Angle
from ..placement import Placement, Step, Vector, apply, rotate, translate, transpose
from .angle_reading import AngleReading
from .xml_text import XmlNode, angle_in_reach

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
POSE = ("pos", *ORIENTATIONS)
ALONG_Z: Vector = (Fraction(0), Fraction(0), Fraction(1))


@dataclass(frozen=True)
class AngleUnits:
    """The angle conventions of a file: degrees or radians, and the sequence of Euler angles.

    Lower-case letters are intrinsic rotations (about the moving axes), capitals extrinsic (about the fixed axes).
    """

    degrees: bool = True
    sequence: str = "xyz"
    reading: AngleReading = field(default_factory=AngleReading)

    def angle(self, number: Decimal, what: str) -> Angle:
        """A number of the file as an angle."""
        angle_in_reach(number, what)
        return Angle.degrees(number, what) if self.degrees else self.reading.angle(number, what)

    def direction(self, node: XmlNode, attribute: str, default: Vector) -> Vector:
        """A direction, of any length."""
        written = node.decimals(attribute, 3)
        x, y, z = default if written is None else self.reading.unit(written)
        return x, y, z

    def placement(self, node: XmlNode) -> Placement:
        """The ``pos`` and orientation of an element."""
        return at(node) @ self.orientation(node)

    def orientation(self, node: XmlNode) -> Placement:
        """The rotation of an element, from whichever orientation attribute it has."""
        attributes = [name for name in ORIENTATIONS if name in node.element.attrib]
        if len(attributes) > 1:
            raise node.fault(f"gives its orientation twice, by {attributes[0]} and {attributes[1]}; keep one")
        if not attributes:
            return Placement()
        what = f"{node.where}: {attributes[0]}"
        if attributes[0] == "quat":
            w, x, y, z = self.reading.unit(node.decimals("quat", 4) or ())
            return quaternion(w, x, y, z, what)
        if attributes[0] == "axisangle":
            *axis, amount = node.decimals("axisangle", 4) or ()
            x, y, z = self.reading.unit(axis)
            turn = along((x, y, z), what)
            return turn @ Placement.of(Step("rotate", 2, self.angle(amount, what))) @ turn.inverse()
        if attributes[0] == "xyaxes":
            return self._of_axes(node, what)
        if attributes[0] == "zaxis":
            return self._of_z(node, what)
        return self._euler(node, what)

    def _euler(self, node: XmlNode, what: str) -> Placement:
        """Rotation from Euler angles in the sequence of the file."""
        steps: list[Step] = []
        for letter, number in zip(self.sequence, node.decimals("euler", 3) or (), strict=True):
            step = Step("rotate", "xyz".index(letter.lower()), self.angle(number, what))
            steps.insert(0 if letter.isupper() else len(steps), step)
        return Placement.of(*steps)

    def _of_z(self, node: XmlNode, what: str) -> Placement:
        """The least rotation that brings z to the given direction: Rot_z(phi) Rot_y(theta) Rot_z(-phi)."""
        direction = self.direction(node, "zaxis", ALONG_Z)
        turn = along(direction, what)
        first = turn.steps[0] if len(turn.steps) == 2 else None
        return turn @ Placement.of(first.inverse()) if first is not None else turn

    def _of_axes(self, node: XmlNode, what: str) -> Placement:
        """x along the first vector, y in the plane of both: after x is aligned, y needs one rotation about x."""
        written = node.decimals("xyaxes", 6) or ()
        numbers = (*self.reading.unit(written[:3]), *self.reading.unit(written[3:]))
        # along() aligns z; a quarter turn about y then brings x to that direction.
        turn = along((numbers[0], numbers[1], numbers[2]), what) @ Placement.of(rotate("y", Angle.quarters(-1)))
        _, cos, sin = apply(transpose(turn.rotation), (numbers[3], numbers[4], numbers[5]))
        size = max(abs(cos), abs(sin))
        # Vectors parallel within the precision of a float define no plane.
        if size <= Fraction(1, 10**12) * max(map(abs, numbers[3:])):
            raise node.fault("the two vectors of xyaxes are parallel; give a y of another direction")
        return turn @ Placement.of(rotate("x", math.atan2(sin / size, cos / size)))


def at(node: XmlNode) -> Placement:
    """The ``pos`` of an element."""
    return Placement.of(*(translate(axis, length) for axis, length in zip("xyz", node.vector("pos"), strict=True)))
