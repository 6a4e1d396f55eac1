"""What moves in the drives: round parts that spin on a link, and bodies that are moved on one.

Data only; their dynamics are in ``formulations/rotors.py`` and ``formulations/moving_bodies.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .errors import ArmError
from .exact import exact, exact_vector
from .inertia import Inertia
from .placement import Placement, Vector

if TYPE_CHECKING:
    from .description import ArmDescription

MovingPlacement = Callable[[Any, Sequence[Any]], tuple[Any, Any]]
"""``placement(ring, q)``: the rows of a rotation matrix and a position, written with ``+ - *`` and what the ring
offers, so that it runs over any ring and is differentiated exactly."""

Z: Vector = (Fraction(0), Fraction(0), Fraction(1))
ORIGIN: Vector = (Fraction(0), Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Rotor:
    """The turning part of a motor, or a wheel of the drive train: axisymmetric about its axis.

    It sits on ``link`` (the base included) at ``position`` with ``axis`` along its shaft, both in the link frame.
    ``inertia`` is about the shaft, ``across`` about any axis across it through the mass centre (kg m^2). With
    ``counted`` its mass and its inertia when locked are part of the link's numbers already, as in measured links;
    otherwise they are added. Without ``link`` the position is unknown, and only the reflected inertia is counted.
    """

    inertia: Fraction
    link: str = ""
    axis: Vector = Z
    position: Vector = ORIGIN
    mass: Fraction = Fraction(0)
    across: Fraction = Fraction(0)
    counted: bool = True

    def __post_init__(self) -> None:
        for name, quantity in (("inertia", "inertia"), ("mass", "mass"), ("across", "transverse inertia")):
            object.__setattr__(self, name, exact(getattr(self, name), f"{quantity} of a rotor"))
        for name in ("axis", "position"):
            object.__setattr__(self, name, exact_vector(getattr(self, name), f"{name} of a rotor"))

    @classmethod
    def of(
        cls,
        inertia: object,
        link: str = "",
        axis: object = (0, 0, 1),
        position: object = (0, 0, 0),
        mass: object = 0,
        across: object = 0,
        counted: bool = True,
    ) -> Rotor:
        """The same from any numbers; the axis need not have unit length."""
        return cls(
            exact(inertia, "inertia of a rotor"), link, exact_vector(axis, "axis of a rotor"),
            exact_vector(position, "position of a rotor"), exact(mass, "mass of a rotor"),
            exact(across, "transverse inertia of a rotor"), counted,
        )  # fmt: skip

    def check(self, arm: ArmDescription, where: str) -> None:
        """Refuse a rotor on an unknown link, with negative mass or inertia, or with an axis of zero length."""
        if self.link and self.link not in arm.link_names:
            raise ArmError(
                f"{where}: its rotor sits on link {self.link!r}, which is not there; the links are "
                f"{', '.join(arm.link_names)}"
            )
        for name in ("inertia", "mass", "across"):
            if getattr(self, name) < 0:
                raise ArmError(f"{where}: {name} of the rotor is negative; give a value of at least zero")
        if not any(self.axis):
            raise ArmError(f"{where}: the axis of the rotor has no direction; give three numbers that are not all zero")

    @property
    def unit_axis(self) -> tuple[Fraction, Fraction, Fraction]:
        """The axis with unit length: exact along a coordinate axis, otherwise to the last digit of a float."""
        x, y, z = self.axis
        square = x * x + y * y + z * z
        root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        length = root if root * root == square else exact(math.sqrt(square))
        return x / length, y / length, z / length

    @property
    def locked(self) -> Inertia:
        """The rotor as a part of its link while it does not turn, about the link frame."""
        u = self.unit_axis
        rows = tuple(
            tuple((self.inertia - self.across) * u[i] * u[j] + (self.across if i == j else 0) for j in range(3))
            for i in range(3)
        )
        return Inertia.of(self.mass, self.position, rows)


NO_ROTOR = Rotor(Fraction(0))
"""A part that does not spin, or whose spin has no inertia."""


@dataclass(frozen=True)
class MovingBody:
    """A body that the joints move on a link: a piston, rod, nut, belt, an effector that is not round.

    Its frame stands at ``placement(ring, q)`` = (rotation, position) in a frame that is fixed to ``link`` (the base
    where none is named) by ``mount``: T_ai or T_ij of Szkodny 1995, Figs 1 and 2. ``inertia`` is in the frame of the
    body itself: J_ai, J_ij. All of its mass counts here and in no link.
    """

    inertia: Inertia
    placement: MovingPlacement
    link: str = ""
    mount: Placement = Placement()

    def check(self, arm: ArmDescription, where: str) -> None:
        """Refuse a body on an unknown link, one that no mass can make, and a placement that is none."""
        if self.link and self.link not in arm.link_names:
            raise ArmError(
                f"{where}: its body moves on link {self.link!r}, which is not there; the links are "
                f"{', '.join(arm.link_names)}"
            )
        problem = self.inertia.violation()
        if problem:
            raise ArmError(f"{where}: its body cannot be: {problem}")
