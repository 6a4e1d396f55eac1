"""``<origin>`` of URDF: where a frame stands in another."""

from __future__ import annotations

from decimal import Decimal

from ..axes import quaternion
from ..placement import Placement, translate
from .angle_reading import AngleReading
from .xml_text import XmlNode, angle_in_reach

UNTURNED = (Decimal(0),) * 3


def read_origin(node: XmlNode, reading: AngleReading) -> Placement:
    """The placement of an <origin> element, or the identity."""
    origin = node.one("origin")
    if origin is None:
        return Placement()
    origin.known_attributes(("xyz", "rpy", "quat_xyzw"))
    position, quat = origin.vector("xyz"), origin.decimals("quat_xyzw", 4)
    if quat is not None:
        if origin.element.get("rpy") is not None:
            raise origin.fault("rpy and quat_xyzw are both given; keep one")
        x, y, z, w = reading.unit(quat)
        steps = (translate(axis, length) for axis, length in zip("xyz", position, strict=True))
        return Placement.of(*steps) @ quaternion(w, x, y, z, f"{origin.where}: quat_xyzw")
    what = f"{origin.where}: rpy"
    angles = [reading.angle(angle_in_reach(angle, what), what) for angle in origin.decimals("rpy", 3) or UNTURNED]
    return Placement.from_xyz_rpy(position, angles, origin.where)
