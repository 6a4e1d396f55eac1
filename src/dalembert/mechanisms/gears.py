"""Gears: a joint that follows another, phi_joint = ratio phi_master + offset (``<mimic>`` of URDF), and couplings.

One equation c = phi_joint - ratio phi_master - offset = 0, linear in the joints: [G^c] is constant, [H^c] is zero. With
the follower left out of the coordinates, phi = A q + b and I*_qq = A^T I* A (Freeman 1985, eq. 3-34). The
load T_c of the equation is the torque (N m) or force (N) that the gear puts on the follower. A coupling keeps any sum
of joints at its value, as differentials and belts over several wheels do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from ..arm.errors import ArmError
from ..arm.exact import exact
from ..formulations.closures import ClosureEquation
from ..rings.algebra import dot, sub
from ..rings.ring import Ring, Scalar
from .chain_frames import ChainFrames, JointFrames
from .coordinates import Coordinate
from .jets import Jet
from .loop_closures import Closure


@dataclass(frozen=True)
class Gear:
    """Joint ``joint`` follows joint ``master``: phi_joint = ratio phi_master + offset (rad or m)."""

    name: str
    joint: str
    master: str
    ratio: object = 1
    offset: object = 0

    held: ClassVar[tuple[str, ...]] = ("gear",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", exact(self.ratio, f"ratio of gear {self.name!r}"))
        object.__setattr__(self, "offset", exact(self.offset, f"offset of gear {self.name!r}"))

    @property
    def equation_names(self) -> tuple[str, ...]:
        """The name of its equation."""
        return (f"{self.name}.gear",)

    def numbers(self, system: ChainFrames) -> GearNumbers:
        """The gear between two joints of a system."""
        try:
            follower, master = system.joint_index(self.joint), system.joint_index(self.master)
        except ArmError as fault:
            raise ArmError(f"gear {self.name!r}: {fault}") from None
        if follower == master:
            raise ArmError(f"gear {self.name!r} ties joint {self.joint!r} to itself; name another master")
        return GearNumbers(self, {follower: Fraction(1), master: -exact(self.ratio)}, exact(self.offset))


@dataclass(frozen=True)
class JointCoupling:
    """A sum of joints, of any chains, that keeps its ``value`` (rad or m): "left.a + left.b - 2*right.c"."""

    name: str
    sum: str
    value: object = 0

    held: ClassVar[tuple[str, ...]] = ("coupling",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", exact(self.value, f"value of coupling {self.name!r}"))

    @property
    def equation_names(self) -> tuple[str, ...]:
        """The name of its equation."""
        return (f"{self.name}.coupling",)

    def numbers(self, system: ChainFrames) -> GearNumbers:
        """The coupling between joints of a system."""
        try:
            terms = Coordinate(self.sum, system).terms
        except ArmError as fault:
            raise ArmError(f"coupling {self.name!r}: {fault}") from None
        slopes: dict[int, Fraction] = {}
        for term in terms:
            if term.frame is not None:
                raise ArmError(f"coupling {self.name!r} ties joints; freedoms of frames are held by closures")
            slopes[term.joint] = slopes.get(term.joint, Fraction(0)) + term.weight
        tied = {joint: slope for joint, slope in slopes.items() if slope}
        if len(tied) < 2:
            raise ArmError(f"coupling {self.name!r} ties fewer than two joints; name those that move together")
        return GearNumbers(self, tied, exact(self.value))


class GearNumbers:
    """A gear or coupling between joints of a system; what ``ClosureNumbers`` is for a closure."""

    def __init__(self, closure: Gear | JointCoupling, slopes: dict[int, Fraction], offset: Fraction) -> None:
        self.closure, self.offset = closure, offset
        self.slopes = dict(sorted(slopes.items()))
        self.joints = np.array(list(self.slopes), np.intp)

    @property
    def facts(self) -> str:
        """What makes the code of this gear what it is."""
        return repr((self.slopes, self.offset))

    def equation(self, ring: Ring, phi: Sequence[Scalar]) -> ClosureEquation:
        """c, its slopes and no drift, over a ring."""
        slopes = {joint: ring.number(slope) for joint, slope in self.slopes.items()}
        turned = dot(list(slopes.values()), [phi[joint] for joint in slopes])
        return ClosureEquation(sub(turned, ring.number(self.offset)), slopes, 0)

    def jet(self, placed: JointFrames, order: int) -> Jet:
        """The equation and its influence coefficients in ``joints``; those above the first are zero."""
        count, width = placed.count, len(self.joints)
        slopes = np.array([float(slope) for slope in self.slopes.values()])
        value = placed.phi[:, self.joints] @ slopes[:, None] - float(self.offset)
        first = np.broadcast_to(slopes, (count, 1, width))
        above = [np.zeros((count, 1, *(width,) * k)) for k in range(2, order + 1)]
        return Jet(*[value, first, *above][: order + 1])

    def turn_error(self, placed: JointFrames) -> None:
        """None: a gear holds in one way."""


Tie: TypeAlias = Closure | Gear | JointCoupling
"""What stands among the closures of a mechanism."""
