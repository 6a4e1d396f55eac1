"""The inertia of a body of MJCF: its <inertial>, or its geoms, with the bounds of <compiler> (MuJoCo's rules).

1. ``inertiafromgeom``: "auto" takes the geoms of bodies without <inertial>, "true" those of all bodies that have
   some, "false" of none.
2. ``boundmass`` and ``boundinertia`` are least values of the mass and of the principal moments.
3. ``balanceinertia``: principal moments that break A + B >= C become their mean; without it they stand as given.
4. ``settotalmass`` scales all bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import ArmError
from ..exact import exact
from ..inertia import Inertia, positive_semidefinite
from ..placement import Matrix, Placement
from .mjcf_defaults import Defaults
from .mjcf_frames import ORIENTATIONS, POSE, AngleUnits
from .mjcf_geoms import Geoms
from .xml_text import XmlNode

INERTIAL = (*POSE, "mass", "diaginertia", "fullinertia")


@dataclass(frozen=True)
class BodyInertia:
    """How a file gives bodies their inertia."""

    from_geoms: str = "auto"
    geoms: Geoms = field(default_factory=Geoms)
    least_mass: Fraction = Fraction(0)
    least_moment: Fraction = Fraction(0)
    balance: bool = False
    total_mass: Fraction = Fraction(0)
    """Mass of all bodies together after scaling; 0 for no scaling."""

    @property
    def angles(self) -> AngleUnits:
        """The angle conventions of the file."""
        return self.geoms.angles

    def of(
        self, node: XmlNode, items: Sequence[tuple[XmlNode, Placement, str]], defaults: Defaults, *, needed: bool
    ) -> Inertia:
        """The inertia of a body with these elements in it; shapes are looked at only where it is ``needed``."""
        inertials = [(item, frame) for item, frame, _ in items if item.tag == "inertial"]
        if len(inertials) > 1:
            raise node.fault(f"has {len(inertials)} <inertial> elements; keep one")
        inertia = self.inertial(*inertials[0]) if inertials else None
        if not needed and not self.total_mass:
            return inertia or Inertia()
        if self.from_geoms == "true" or (inertia is None and self.from_geoms == "auto"):
            bodies = []
            for number, (item, frame, class_) in enumerate(items):
                if item.tag == "geom":
                    name = item.name() or f"number {sum(entry[0].tag == 'geom' for entry in items[: number + 1])}"
                    geom = defaults.applied(XmlNode(item.element, f"{node.where}: geom {name}"), class_)
                    bodies.append(self.geoms.inertia(geom, frame))
            counted = [body for body in bodies if body is not None]
            if counted:
                inertia = sum(counted[1:], counted[0])
        if inertials:
            item, frame = inertials[0]
            return self.bounded(inertia or Inertia(), frame @ self.angles.placement(item))
        # MuJoCo places the mass centre of a body that has none at the body's own ``pos`` in the body.
        return self.bounded(inertia or Inertia(), self.angles.placement(node))

    def inertial(self, node: XmlNode, frame: Placement) -> Inertia:
        """The inertia of an <inertial> element in the body frame."""
        node.only_attributes(INERTIAL)
        diagonal, full = node.numbers("diaginertia", 3), node.numbers("fullinertia", 6)
        if diagonal is not None and full is not None:
            raise node.fault("diaginertia and fullinertia are both given; keep one")
        if full is not None and any(name in node.element.attrib for name in ORIENTATIONS):
            raise node.fault("fullinertia is in the axes of the body and takes no orientation; remove one of them")
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            tensor: object = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
        elif diagonal is not None:
            tensor = diagonal
        else:
            raise node.fault("has neither diaginertia nor fullinertia; give one (zeros for a point mass)")
        placement = frame @ self.angles.placement(node)
        body = Inertia.of(node.number("mass"), inertia=tensor, what=node.where)
        return body.placed(placement) if placement.steps else body

    def bounded(self, body: Inertia, origin: Placement) -> Inertia:
        """The body with least mass and moments, balanced; ``origin`` is the mass centre of one without mass."""
        central, com = body.central, body.com if body.mass else origin.position
        mass = max(body.mass, self.least_mass)
        moments = _raised(central, self.least_moment) if self.least_moment else central
        if self.balance and not positive_semidefinite(_less(_half_trace(moments), moments)):
            mean = sum((moments[k][k] for k in range(3)), Fraction(0)) / 3
            moments = _diagonal(mean)
        if mass == body.mass and moments == central:
            return body
        return Inertia.of(mass, com, moments)

    def scaled(self, bodies: Sequence[Inertia]) -> list[Inertia]:
        """All bodies with their masses scaled to the total mass of the file."""
        if not self.total_mass:
            return list(bodies)
        total = sum((body.mass for body in bodies), Fraction(0))
        if total <= 0:
            raise ArmError("settotalmass scales masses, and there is none; give the bodies mass")
        s = self.total_mass / total
        return [
            Inertia(
                s * body.mass,
                tuple(s * x for x in body.moment),  # type: ignore[arg-type]
                tuple(tuple(s * x for x in row) for row in body.tensor),  # type: ignore[arg-type]
            )
            for body in bodies
        ]


def _diagonal(value: Fraction) -> Matrix:
    return tuple(tuple(value if i == j else Fraction(0) for j in range(3)) for i in range(3))  # type: ignore[return-value]


def _half_trace(matrix: Matrix) -> Matrix:
    return _diagonal((matrix[0][0] + matrix[1][1] + matrix[2][2]) / 2)


def _less(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x - y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))  # type: ignore[return-value]


def _raised(tensor: Matrix, least: Fraction) -> Matrix:
    """The tensor with principal moments of at least ``least``; itself, to the digit, where they are."""
    if positive_semidefinite(_less(tensor, _diagonal(least))):
        return tensor
    if not any(tensor[i][j] for i in range(3) for j in range(3) if i != j):
        return tuple(  # type: ignore[return-value]
            tuple(max(x, least) if i == j else x for j, x in enumerate(row)) for i, row in enumerate(tensor)
        )
    import numpy as np

    moments, axes = np.linalg.eigh(np.array(tensor, float))
    raised = axes @ np.diag(np.maximum(moments, float(least))) @ axes.T
    return tuple(tuple(exact(float(x)) for x in row) for row in (raised + raised.T) / 2)  # type: ignore[return-value]
