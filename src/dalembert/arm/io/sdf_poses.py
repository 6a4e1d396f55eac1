"""Poses of SDF (1.7 and later): which frame each is relative to, and where everything stands in the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from xml.etree.ElementTree import Element

from ..axes import quaternion
from ..axes import shortened as few_steps
from ..errors import ArmError
from ..exact import Angle
from ..placement import Placement, translate
from .angle_reading import AngleReading
from .xml_text import XmlNode, angle_in_reach, read_numbers, shortened

MODEL = "__model__"
DEEPEST = 1000
"""Longest chain of frames that are relative to each other."""


def of_text(node: XmlNode) -> XmlNode:
    """The element with its text as the attribute "value", so that it is read as attributes are."""
    return XmlNode(Element(node.tag, {"value": (node.element.text or "").strip()}), node.where, node.skipped)


def word(node: XmlNode, tag: str, default: str = "") -> str:
    """The text of a child, or the default."""
    child = node.one(tag)
    return default if child is None else child.short(tag, (child.element.text or "").strip())


def read_pose(node: XmlNode | None, reading: AngleReading) -> Placement:
    """The placement of a <pose> element: x y z and roll pitch yaw, or a quaternion x y z w."""
    if node is None or not (node.element.text or "").strip():
        return Placement()
    node.known_attributes(("relative_to", "degrees", "rotation_format"))
    text = (node.element.text or "").strip()
    if node.choice("rotation_format", ("euler_rpy", "quat_xyzw"), "euler_rpy") == "quat_xyzw":
        x, y, z, *quat = read_numbers(text, 7, node.where)
        qx, qy, qz, qw = reading.unit([Decimal(part) for part in text.split()[3:]])
        del quat
        steps = (translate(axis, length) for axis, length in zip("xyz", (x, y, z), strict=True))
        return Placement.of(*steps) @ quaternion(qw, qx, qy, qz, node.where)
    numbers = read_numbers(text, 6, node.where)
    written = [Decimal(part) for part in text.split()[3:]]
    if node.choice("degrees", ("true", "false", "1", "0"), "false") in ("true", "1"):
        angles = [Angle.degrees(Fraction(angle_in_reach(angle, node.where))) for angle in written]
    else:
        angles = [reading.angle(angle_in_reach(angle, node.where), node.where) for angle in written]
    return Placement.from_xyz_rpy(numbers[:3], angles, node.where)


@dataclass
class SdfFrames:
    """The frames of a model by name.

    ``declared`` has what each is relative to and its pose there; ``resolved`` the poses in the model worked out so far.
    """

    origin: str
    declared: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    resolved: dict[str, Placement] = field(default_factory=dict)
    carrier: dict[str, str] = field(default_factory=dict)
    """What each link and frame is fixed to; a link to itself."""

    def link_of(self, name: str) -> str:
        """The link that a link, or a frame attached to one, belongs to."""
        visited: set[str] = set()
        while name != "world" and self.carrier.get(name, name) != name:
            if name in visited:
                break
            visited.add(name)
            name = self.carrier[name]
        if name != "world" and self.carrier.get(name) != name:
            raise ArmError(
                f"{self.origin}: a joint ends in {shortened(name)}, which is attached to no link; name a link"
            )
        return name

    def add(self, name: str, relative_to: str, pose: Placement) -> None:
        """A frame; names are one space for links, joints and frames."""
        if name in self.declared or name in (MODEL, "world"):
            raise ArmError(f"{self.origin}: two frames are named {shortened(name)}; rename one")
        self.declared[name] = relative_to or MODEL, pose

    def in_model(self, name: str) -> Placement:
        """Where a frame stands in the model."""
        chain: list[str] = []
        while name != MODEL and name not in self.resolved:
            if name not in self.declared:
                raise ArmError(f"{self.origin}: a pose is relative to {shortened(name)}, which is not there")
            if name in chain or len(chain) > DEEPEST:
                raise ArmError(f"{self.origin}: the poses of {shortened(name)} go round in a circle; mend relative_to")
            chain.append(name)
            name = self.declared[name][0]
        placement = self.resolved.get(name, Placement())
        for name in reversed(chain):
            placement = few_steps(placement @ self.declared[name][1])
            self.resolved[name] = placement
        return placement

    def between(self, parent: str, child: str, world: Placement) -> Placement:
        """``child`` in ``parent``; ``world`` is the model in the world."""
        first = world.inverse() if parent == "world" else self.in_model(parent)
        return few_steps(first.inverse() @ self.in_model(child))


def attributes(node: XmlNode | None, names: Mapping[str, str]) -> XmlNode:
    """Children of a node as attributes of one, under other names: limits and losses are then read as in URDF."""
    values = {}
    if node is not None:
        for tag, name in names.items():
            child = node.one(tag)
            if child is not None:
                values[name] = (child.element.text or "").strip()
    where, skipped = (node.where, node.skipped) if node is not None else ("", None)
    as_attributes = XmlNode(Element("limit", values), where)
    return as_attributes if skipped is None else XmlNode(as_attributes.element, where, skipped)
