"""Shapes of URDF: the ``<visual>`` elements of a link, or its ``<collision>`` elements where it has none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..shapes import Colour, LinkShape
from .angle_reading import AngleReading
from .shape_reading import read_all_shapes, size_of
from .urdf_origin import read_origin
from .xml_colours import colour_of
from .xml_text import XmlNode

Materials = Mapping[str, Colour]


def materials_of(root: XmlNode) -> Materials:
    """Colours by the names of materials; one named in a link counts for the whole file, as in the format."""
    colours: dict[str, Colour] = {}
    for material in root.element.iter("material"):
        colour = material.find("color")
        shade = colour_of(colour.get("rgba")) if colour is not None else None
        if shade is not None:
            colours.setdefault(material.get("name", ""), shade)
    return colours


def shapes_of_link(link: XmlNode, materials: Materials) -> tuple[LinkShape, ...]:
    """The shapes of a <link> element."""
    tag = "visual" if link.element.find("visual/geometry") is not None else "collision"
    # Angles as written: nothing is derived from them, and nothing is told of them.
    apart = XmlNode(link.element, link.where)
    return read_all_shapes(partial(_shape, node, materials, AngleReading()) for node in apart.all(tag))


def _shape(node: XmlNode, materials: Materials, reading: AngleReading) -> LinkShape | None:
    geometry = node.one("geometry")
    if geometry is None:
        return None
    material = node.element.find("material")
    colour = None
    if material is not None:
        colour_element = material.find("color")
        colour = (colour_of(colour_element.get("rgba")) if colour_element is not None else None) or materials.get(
            material.get("name", "")
        )
    placement = read_origin(node, reading)
    for part in geometry.children():
        if part.tag == "box":
            return LinkShape("box", size_of("box", part.vector("size"), part.where), placement, colour=colour)
        if part.tag == "sphere":
            return LinkShape("sphere", size_of("sphere", [part.number("radius")], part.where), placement, colour=colour)
        if part.tag in ("cylinder", "capsule"):
            size = size_of(part.tag, [part.number("radius"), part.number("length")], part.where)
            return LinkShape(part.tag, size, placement, colour=colour)
        if part.tag == "mesh":
            scale = size_of("mesh", part.vector("scale", (1, 1, 1)), part.where)
            return LinkShape("mesh", scale, placement, part.text("filename"), colour=colour)
    raise geometry.fault("holds no shape that is known; they are box, sphere, cylinder, capsule, mesh")
