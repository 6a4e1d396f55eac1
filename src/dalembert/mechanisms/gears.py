"""Gears: a joint that follows another, phi_joint = ratio phi_master + offset (``<mimic>`` of URDF).

One equation c = phi_joint - ratio phi_master - offset = 0, linear in the joints: [G^c] is constant, [H^c] is zero. With
the follower left out of the coordinates, phi = A q + b and I*_qq = A^T I* A (Freeman 1985, eq. 3-15 and (4-61)). The
load T_c of the equation is the torque (N m) or force (N) that the gear puts on the follower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.exact import exact
from .batch import Array
from .chain_frames import ChainFrames, Placed
from .jets import Jet


@dataclass(frozen=True)
class Gear:
    """Joint ``joint`` follows joint ``master``: phi_joint = ratio phi_master + offset (rad or m)."""

    name: str
    joint: str
    master: str
    ratio: float = 1.0
    offset: float = 0.0

    held: ClassVar[tuple[str, ...]] = ("gear",)

    def __post_init__(self) -> None:
        exact(self.ratio, f"ratio of gear {self.name!r}")
        exact(self.offset, f"offset of gear {self.name!r}")

    @property
    def equation_names(self) -> tuple[str, ...]:
        """The name of its equation."""
        return (f"{self.name}.gear",)

    def numbers(self, system: ChainFrames) -> GearNumbers:
        """The gear between two joints of a system."""
        return GearNumbers(self, system)


class GearNumbers:
    """A gear between two joints of a system; what ``ClosureNumbers`` is for a closure."""

    def __init__(self, closure: Gear, system: ChainFrames) -> None:
        self.closure = closure
        try:
            self.follower, self.master = system.joint_index(closure.joint), system.joint_index(closure.master)
        except ArmError as fault:
            raise ArmError(f"gear {closure.name!r}: {fault}") from None
        if self.follower == self.master:
            raise ArmError(f"gear {closure.name!r} ties joint {closure.joint!r} to itself; name another master")
        self.joints = np.array(sorted((self.follower, self.master)), np.intp)
        self.slopes = np.where(self.joints == self.follower, 1.0, -closure.ratio)

    @property
    def facts(self) -> str:
        """What makes the code of this gear what it is."""
        return repr((self.follower, self.master, self.closure.ratio, self.closure.offset))

    def jet(self, placed: Placed, order: int) -> Jet:
        """The equation and its influence coefficients in ``joints``; those above the first are zero."""
        count, width = placed.count, len(self.joints)
        value = placed.phi[:, self.joints] @ self.slopes[:, None] - self.closure.offset
        first = np.broadcast_to(self.slopes, (count, 1, width))
        above = [np.zeros((count, 1, *(width,) * k)) for k in range(2, order + 1)]
        return Jet(*[value, first, *above][: order + 1])

    def rates(self, placed: Placed, rate: Array | None = None) -> tuple[Array, Array, Array | None]:
        """c ``(b, 1)``, [G^c] ``(b, 1, 2)`` and, with joint rates, phi'.[H^c] phi' = 0."""
        jet = self.jet(placed, 1)
        assert jet.first is not None
        return jet.value, jet.first, None if rate is None else np.zeros((placed.count, 1))

    def flipped(self, placed: Placed) -> NDArray[np.bool_]:
        """Nowhere: a gear holds in one way."""
        return np.zeros(placed.count, dtype=bool)
