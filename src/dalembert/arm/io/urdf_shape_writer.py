"""Shapes of links as ``<visual>`` elements: what other programs show of the arm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from ..description import ArmDescription, Link
from ..placement import Placement, translate
from ..shapes import LinkShape


def visual_meshes(link: Link) -> tuple[str, ...]:
    """The mesh files of a link that its <visual> elements name."""
    return tuple(dict.fromkeys(shape.file for shape in link.shapes if shape.kind == "mesh" and _expressible(shape)))


def unsaid_shapes(arm: ArmDescription) -> list[str]:
    """The shapes that URDF cannot say, each with its link."""
    return [f"{shape.kind} of {link.name}" for link in arm.links for shape in link.shapes if not _expressible(shape)]


def add_shapes(
    element: Element, link: Link, frame: Placement, add_origin: Callable[[Element, Placement], None],
    text: Callable[[str], str],
) -> None:  # fmt: skip
    """Appends a <visual> for each shape that URDF can say, seen from ``frame``; ``text`` refuses what is no XML."""
    for shape in link.shapes:
        if not _expressible(shape):
            continue
        for placement, tag, attributes in _pieces(shape):
            visual = SubElement(element, "visual")
            add_origin(visual, frame @ placement)
            geometry = SubElement(visual, "geometry")
            SubElement(geometry, tag, {name: text(value) for name, value in attributes.items()})
            if shape.colour is not None:
                material = SubElement(visual, "material", name="")
                SubElement(material, "color", rgba=_numbers(shape.colour))


def _expressible(shape: LinkShape) -> bool:
    """True if URDF can say this shape: it has no ellipsoids, and no meshes that are turned before they are scaled."""
    if shape.fault or shape.kind == "ellipsoid":
        return False
    return shape.kind != "mesh" or shape.origin.is_identity()


def _pieces(shape: LinkShape) -> Iterator[tuple[Placement, str, dict[str, str]]]:
    """Placement, element and attributes of each piece; a capsule, which URDF has not, is a rod and two balls."""
    if shape.kind == "mesh":
        scale = {} if shape.size == (1.0, 1.0, 1.0) else {"scale": _numbers(shape.size)}
        yield shape.placement, "mesh", {"filename": shape.file, **scale}
    elif shape.kind == "box":
        yield shape.placement, "box", {"size": _numbers(shape.size)}
    elif shape.kind == "sphere":
        yield shape.placement, "sphere", {"radius": repr(shape.size[0])}
    else:
        radius, length = shape.size
        yield shape.placement, "cylinder", {"radius": repr(radius), "length": repr(length)}
        if shape.kind == "capsule":
            for half in (Fraction(length) / 2, -Fraction(length) / 2):
                yield shape.placement @ Placement.of(translate("z", half)), "sphere", {"radius": repr(radius)}


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(map(repr, values))
