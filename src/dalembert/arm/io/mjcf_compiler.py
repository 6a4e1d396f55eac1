"""``<compiler>`` of MJCF: angles, limits, where inertia comes from, where files lie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from .angle_reading import AngleReading
from .mjcf_defaults import Defaults
from .mjcf_frames import AngleUnits
from .mjcf_geoms import Geoms
from .mjcf_include import MjcfSource
from .mjcf_inertia import BodyInertia
from .mjcf_meshes import Meshes
from .mjcf_shapes import GeomShapes
from .xml_text import XmlNode, shortened

COMPILER = (
    "autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath", "coordinate", "angle",
    "fitaabb", "eulerseq", "meshdir", "texturedir", "assetdir", "discardvisual", "usethread", "fusestatic",
    "inertiafromgeom", "inertiagrouprange", "saveinertial", "savecompiled", "savecanonical", "alignfree", "conflict",
    "passthrough", "convexhull", "exactmeshinertia",
)  # fmt: skip

NONE = Fraction(0)


@dataclass(frozen=True)
class Settings:
    """Settings of the file that apply to the tree of bodies."""

    autolimits: bool = True
    inertia: BodyInertia = field(default_factory=BodyInertia)
    shapes: GeomShapes = field(default_factory=lambda: GeomShapes(Defaults(), Geoms()))

    @property
    def angles(self) -> AngleUnits:
        """The angle conventions of the file."""
        return self.inertia.angles

    @property
    def meshes(self) -> Meshes:
        """The meshes of the file."""
        return self.inertia.geoms.meshes


def read_settings(root: XmlNode, defaults: Defaults, source: MjcfSource, reading: AngleReading) -> Settings:
    """The settings of all <compiler> sections."""
    merged: dict[str, str] = {}
    for section in root.all("compiler"):
        section.only_attributes(COMPILER)
        merged |= section.element.attrib
    node = XmlNode(type(root.element)("compiler", merged), f"{root.where}: <compiler>")
    if node.choice("coordinate", ("local", "global"), "local") == "global":
        raise node.fault(
            "global coordinates are no longer part of MJCF; save the file with MuJoCo 2.3.3 or older first"
        )
    if node.choice("exactmeshinertia", ("true", "false"), "false") == "true":
        raise node.fault("exactmeshinertia is no longer part of MJCF; write inertia='exact' at the meshes")
    sequence = node.element.get("eulerseq", "xyz")
    if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
        raise node.fault(f"eulerseq is {shortened(sequence)}; it is three of the letters x, y, z, X, Y, Z")
    low, high = node.numbers("inertiagrouprange", 2) or (0, 5)
    geoms = Geoms(
        AngleUnits(node.choice("angle", ("degree", "radian"), "degree") == "degree", sequence, reading),
        (int(low), int(high)),
        Meshes.of(root, defaults, source, merged),
    )
    # Angles of shapes are taken as written, and nothing is told of them: nothing is derived from a shape.
    as_written = replace(geoms, angles=replace(geoms.angles, reading=AngleReading()))
    return Settings(
        node.choice("autolimits", ("true", "false"), "true") == "true",
        BodyInertia(
            node.choice("inertiafromgeom", ("true", "false", "auto"), "auto"),
            geoms,
            max(node.number("boundmass", 0), NONE),
            max(node.number("boundinertia", 0), NONE),
            node.choice("balanceinertia", ("true", "false"), "false") == "true",
            max(node.number("settotalmass", 0), NONE),
        ),
        GeomShapes.of(root, defaults, as_written, source.folder),
    )
