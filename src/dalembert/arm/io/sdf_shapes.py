"""Shapes of SDF: the ``<visual>`` elements of a link, or its ``<collision>`` elements where it has none."""

from __future__ import annotations

from functools import partial

from ..shapes import LinkShape
from .angle_reading import AngleReading
from .sdf_poses import of_text, read_pose, word
from .shape_reading import read_all_shapes, size_of
from .xml_colours import colour_of
from .xml_text import XmlNode

ENDLESS = ("plane", "empty", "heightmap", "image", "polyline")
"""What is no shape of a link: it has no end, or is another thing."""


def shapes_of_link(link: XmlNode) -> tuple[LinkShape, ...]:
    """The shapes of a <link> element."""
    tag = "visual" if link.element.find("visual/geometry") is not None else "collision"
    apart = XmlNode(link.element, link.where)
    return read_all_shapes(partial(_shape, node) for node in apart.all(tag))


def _shape(node: XmlNode) -> LinkShape | None:
    geometry, pose = node.one("geometry"), node.one("pose")
    if geometry is None:
        return None
    if pose is not None and pose.element.get("relative_to"):
        raise node.fault("its <pose> is in another frame than that of the link; take relative_to off")
    placement = read_pose(pose, AngleReading())
    colour = colour_of(node.element.findtext("material/diffuse"))
    for part in geometry.children():
        if part.tag in ENDLESS:
            return None
        if part.tag == "mesh":
            scale = part.one("scale")
            factors = of_text(scale).vector("value") if scale is not None else (1, 1, 1)
            return LinkShape("mesh", size_of("mesh", factors, part.where), placement, word(part, "uri"), colour=colour)
        if part.tag in ("box", "ellipsoid"):
            size = of_text(part.needed("size" if part.tag == "box" else "radii")).vector("value")
            return LinkShape(part.tag, size_of(part.tag, size, part.where), placement, colour=colour)
        if part.tag == "sphere":
            radius = of_text(part.needed("radius")).number("value")
            return LinkShape("sphere", size_of("sphere", [radius], part.where), placement, colour=colour)
        if part.tag in ("cylinder", "capsule"):
            lengths = [of_text(part.needed(tag)).number("value") for tag in ("radius", "length")]
            return LinkShape(part.tag, size_of(part.tag, lengths, part.where), placement, colour=colour)
    raise geometry.fault("holds no shape that is known; they are box, sphere, ellipsoid, cylinder, capsule, mesh")
