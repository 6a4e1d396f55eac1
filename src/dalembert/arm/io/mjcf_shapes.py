"""Shapes of MJCF: the geoms of a body that MuJoCo shows (groups 0 to 2), or all of them where it shows none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path

from ..axes import quaternion
from ..placement import Placement, translate
from ..shapes import Colour, LinkShape
from .mjcf_defaults import MAIN, Defaults
from .mjcf_geoms import LENGTHS, TYPES, Geoms
from .shape_reading import read_all_shapes, size_of
from .xml_colours import colour_of
from .xml_text import XmlNode

SHOWN = ("0", "1", "2")
"""Groups of geoms that are seen unless told otherwise."""


@dataclass(frozen=True)
class GeomShapes:
    """What the shapes of a file are read with."""

    defaults: Defaults
    geoms: Geoms
    folder: Path | None = None
    colours: Mapping[str, Colour] = field(default_factory=dict)
    """Colours by the names of materials."""

    @classmethod
    def of(cls, root: XmlNode, defaults: Defaults, geoms: Geoms, folder: Path | None) -> GeomShapes:
        """With the materials of the file."""
        colours: dict[str, Colour] = {}
        for section in root.all("asset"):
            for node in section.all("material"):
                colour = colour_of(defaults.applied(node, MAIN).element.get("rgba", "1 1 1 1"))
                if colour is not None:
                    colours[node.element.get("name", "")] = colour
        return cls(defaults, geoms, folder, colours)

    def of_body(self, where: str, items: Sequence[tuple[XmlNode, Placement, str]]) -> tuple[LinkShape, ...]:
        """The shapes of a body with these elements in it."""
        geoms = [(item, frame, class_) for item, frame, class_ in items if item.tag == "geom"]
        visible = [entry for entry in geoms if self._group(entry[0], entry[2]) in SHOWN]
        return read_all_shapes(partial(self._shape, where, *entry) for entry in visible or geoms)

    def _group(self, geom: XmlNode, around: str) -> str:
        inherited = self.defaults.classes.get(geom.element.get("class", around), {}).get("geom", {})
        return {**inherited, **geom.element.attrib}.get("group", "0").strip()

    def _shape(self, where: str, item: XmlNode, frame: Placement, class_: str) -> LinkShape | None:
        item_node = XmlNode(item.element, f"{where}: geom {item.element.get('name', '')!r:.80}")
        geom = self.defaults.applied(item_node, class_)
        kind = geom.choice("type", TYPES, "sphere")
        if kind in ("plane", "hfield"):
            return None
        if kind == "sdf":
            raise geom.fault("is a signed distance field, which is not shown")
        colour = self.colours.get(geom.element.get("material", "")) or colour_of(geom.element.get("rgba"))
        if kind == "mesh":
            return self._mesh(geom, frame, colour)
        if "mesh" in geom.element.attrib:
            raise geom.fault(f"fits a {kind} to a mesh, which is not done here")
        sizes, placement = self.geoms.sizes(geom, kind)
        lengths = [float(size) for size in sizes]
        if LENGTHS[kind] == 2:
            lengths[1] *= 2
        elif kind == "box":
            lengths = [2 * length for length in lengths]
        return LinkShape(kind, size_of(kind, lengths, geom.where), frame @ placement, colour=colour)

    def _mesh(self, geom: XmlNode, frame: Placement, colour: Colour | None) -> LinkShape:
        name, meshes = geom.text("mesh"), self.geoms.meshes
        if name not in meshes.assets:
            raise geom.fault(f"names mesh {name!r:.80}, which is not there")
        asset = meshes.assets[name]
        if not asset.element.get("file"):
            raise geom.fault(f"names mesh {name!r:.80}, which is in no file, and is not shown")
        w, x, y, z = asset.numbers("refquat", 4) or (Fraction(1), *[Fraction(0)] * 3)
        translations = (translate(axis, length) for axis, length in zip("xyz", asset.vector("refpos"), strict=True))
        origin = Placement.of(*translations) @ quaternion(w, x, y, z, f"{asset.where}: refquat")
        scale = size_of("mesh", asset.vector("scale", (1, 1, 1)), asset.where)
        placement = frame @ self.geoms.angles.placement(geom)
        return LinkShape("mesh", scale, placement, self._file(name), origin, colour)

    def _file(self, name: str) -> str:
        """The file of a mesh, below the folder of the arm file where it is there."""
        path = self.geoms.meshes.paths.get(name)
        if path is None or self.folder is None:
            return self.geoms.meshes.file(name)
        return os.path.relpath(path, self.folder) if not Path(self.geoms.meshes.file(name)).is_absolute() else str(path)
