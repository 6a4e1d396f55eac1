"""Mass and inertia of the geoms of MJCF: the shapes that give a body its inertia where it has no <inertial>.

A geom has the mass of its attribute ``mass``, or ``density`` (1000 kg/m^3) times its volume; ``shellinertia`` puts it
on the surface. Sizes are half lengths; ``fromto`` gives the axis of a capsule, cylinder, box or ellipsoid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..axes import along
from ..exact import exact
from ..inertia import Inertia
from ..placement import Placement, Vector, translate
from .mjcf_frames import AngleUnits
from .mjcf_meshes import Meshes
from .xml_text import XmlNode, read_number, shortened

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
LENGTHS: Mapping[str, int] = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Numbers of ``size`` that a shape needs."""
LIGHTEST = Fraction(1, 10**14)
"""Geoms up to this mass (kg) are not counted, as in MuJoCo."""
PI = Fraction(math.pi)


@dataclass(frozen=True)
class Geoms:
    """What geoms of a file are read with."""

    angles: AngleUnits = field(default_factory=AngleUnits)
    groups: tuple[int, int] = (0, 5)
    """Groups of the geoms that count."""
    meshes: Meshes = field(default_factory=Meshes)

    def inertia(self, geom: XmlNode, frame: Placement) -> Inertia | None:
        """The inertia of a geom (defaults applied) in the frame of its body; None where it does not count."""
        low, high = self.groups
        type_ = geom.choice("type", TYPES, "sphere")
        stated_mass = geom.number("mass") if "mass" in geom.element.attrib else None
        density = geom.number("density", 1000)
        if (
            not low <= geom.number("group", 0) <= high
            or type_ == "plane"
            or not (density if stated_mass is None else stated_mass)
        ):
            return None
        for name, number in (("mass", stated_mass or 0), ("density", density)):
            if number < 0:
                raise geom.fault(f"{name} is negative ({float(number):g}); give its magnitude")
        if type_ in ("hfield", "sdf"):
            raise geom.fault(f"is of type {type_}, whose inertia is not read; give the body an <inertial>")
        shell = geom.choice("shellinertia", ("true", "false"), "false") == "true"
        placement = frame
        if type_ == "mesh":
            if shell:
                raise geom.fault("shellinertia stands at a mesh; write inertia='shell' in the asset")
            placement = placement @ self.angles.placement(geom)
            shape = self.meshes.body(geom.text("mesh"), geom)
        else:
            if "mesh" in geom.element.attrib:
                raise geom.fault(f"fits a {type_} to a mesh, which is not done here; give the body an <inertial>")
            sizes, turn = self.sizes(geom, type_)
            placement = placement @ turn
            shape = (SHELLS if shell else SOLIDS)[type_](sizes, geom)
        # A volume with pi in it is rounded once, here, so that the numbers of the arm stay short.
        mass = exact(float(density * shape.mass)) if stated_mass is None else stated_mass
        if mass <= LIGHTEST or not shape.mass:
            return None
        scale = mass / shape.mass
        central = [[scale * x for x in row] for row in shape.central]
        if type_ == "mesh":
            central = [[exact(float(x)) for x in row] for row in central]
        body = Inertia.of(mass, shape.com, central, what=geom.where)
        return body.placed(placement) if placement.steps else body

    def sizes(self, geom: XmlNode, type_: str) -> tuple[list[Fraction], Placement]:
        """The half lengths of a shape and its placement."""
        words = geom.element.get("size", "").split()
        sizes = [read_number(word, f"{geom.where}: size") for word in words]
        ends = geom.numbers("fromto", 6)
        if ends is None:
            placement = self.angles.placement(geom)
        else:
            if type_ == "sphere":
                raise geom.fault("fromto gives the ends of a capsule, cylinder, box or ellipsoid, not of a sphere")
            axis: Vector = tuple(ends[k] - ends[k + 3] for k in range(3))  # type: ignore[assignment]
            half = exact(math.hypot(*axis) / 2)
            sizes = sizes[:1] + ([half] if LENGTHS[type_] == 2 else [*sizes[:1], half])
            middle = (translate(a, (ends[k] + ends[k + 3]) / 2) for k, a in enumerate("xyz"))
            placement = Placement.of(*middle) @ along(axis, f"{geom.where}: fromto")
        if len(sizes) < LENGTHS[type_] or min(sizes[: LENGTHS[type_]]) <= 0:
            raise geom.fault(
                f"a {type_} needs {LENGTHS[type_]} positive numbers of size, got {shortened(' '.join(words))}"
            )
        return sizes[: LENGTHS[type_]], placement


Shape = Callable[[list[Fraction], XmlNode], Inertia]


def ball(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Ball of density 1."""
    (r,) = sizes
    return Inertia.sphere(4 * PI * r**3 / 3, r)


def rod(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Cylinder of density 1 about z."""
    r, half = sizes
    return Inertia.cylinder(2 * PI * r * r * half, r, 2 * half)


def capsule(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Cylinder of density 1 with half balls on its ends: these have their mass centres 3 r / 8 beyond them."""
    r, half = sizes
    caps = ball([r], geom)
    shift = caps.mass * half * (half + 3 * r / 4)
    return rod(sizes, geom) + Inertia.of(caps.mass, inertia=[caps.tensor[k][k] + shift * (k < 2) for k in range(3)])


def ellipsoid(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Ellipsoid of density 1."""
    a, b, c = sizes
    m = 4 * PI * a * b * c / 3
    return Inertia.of(m, inertia=[m * (x * x + y * y) / 5 for x, y in ((b, c), (a, c), (a, b))])


def block(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Box of density 1."""
    a, b, c = sizes
    return Inertia.box(8 * a * b * c, [2 * a, 2 * b, 2 * c])


def sphere_shell(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Sphere with density 1 on its surface."""
    (r,) = sizes
    m = 4 * PI * r * r
    return Inertia.of(m, inertia=[2 * m * r * r / 3] * 3)


def tube(sizes: list[Fraction]) -> Inertia:
    """Open cylinder with density 1 on its surface."""
    r, half = sizes
    m = 4 * PI * r * half
    across = m * (r * r / 2 + half * half / 3)
    return Inertia.of(m, inertia=[across, across, m * r * r])


def rod_shell(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Cylinder with density 1 on its surface, lids included."""
    r, half = sizes
    lids = 2 * PI * r * r
    across = lids * (r * r / 4 + half * half)
    return tube(sizes) + Inertia.of(lids, inertia=[across, across, lids * r * r / 2])


def capsule_shell(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Capsule with density 1 on its surface: half spheres have their mass centres r / 2 beyond the ends."""
    r, half = sizes
    caps = sphere_shell([r], geom)
    shift = caps.mass * half * (half + r)
    return tube(sizes) + Inertia.of(caps.mass, inertia=[caps.tensor[k][k] + shift * (k < 2) for k in range(3)])


def block_shell(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Box with density 1 on its surface: two plates across each axis."""
    shell = Inertia()
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        m = 8 * sizes[i] * sizes[j]
        squares = [Fraction(0)] * 3
        squares[i], squares[j], squares[k] = m * sizes[i] ** 2 / 3, m * sizes[j] ** 2 / 3, m * sizes[k] ** 2
        shell = shell + Inertia.of(m, inertia=[sum(squares) - square for square in squares])
    return shell


def ellipsoid_shell(sizes: list[Fraction], geom: XmlNode) -> Inertia:
    """Refused: MuJoCo takes it as a difference of two near ellipsoids, whose digits cannot be met."""
    raise geom.fault("is the shell of an ellipsoid, which MuJoCo approximates; give the body an <inertial>")


SOLIDS: Mapping[str, Shape] = {
    "sphere": ball, "capsule": capsule, "cylinder": rod, "ellipsoid": ellipsoid, "box": block,
}  # fmt: skip
SHELLS: Mapping[str, Shape] = {
    "sphere": sphere_shell, "capsule": capsule_shell, "cylinder": rod_shell, "ellipsoid": ellipsoid_shell,
    "box": block_shell,
}  # fmt: skip
