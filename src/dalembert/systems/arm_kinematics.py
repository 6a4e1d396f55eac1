"""Where an arm is and how it moves: frames, Jacobian, influence coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.exact import exact_vector
from ..formulations import applied_loads, kinematics
from ..formulations.influence import PointInfluence
from ..rings.algebra import matvec, plus
from ..rings.real import REAL
from ..rings.ring import Scalar
from .arm_system import ArmSystem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PointInfluences:
    """Kinematic influence coefficients (Freeman 1985, Tables 2-3 to 2-5), base axes.

    ``point_*`` for a point of a link, ``rotation_*`` for the link's rotation; ``first`` is ``(..., 3, n)``, ``second``
    ``(..., 3, n, n)`` with ``[:, m, n]`` the derivative of column n to joint m, ``third`` ``(..., 3, n, n, n)``.
    """

    point_first: Array
    point_second: Array
    point_third: Array
    rotation_first: Array
    rotation_second: Array
    rotation_third: Array


class MovingArm(ArmSystem):
    """Frames and their derivatives."""

    def forward_kinematics(self, q: ArrayLike) -> Array:
        """The tool frame in the base, ``(..., 4, 4)``."""
        kernel = self._kernel("forward_kinematics")
        if kernel is not None:
            return kernel(q)
        return self._evaluate(lambda x: kinematics.homogeneous(self.over_reals.tool_frame(REAL, x)), q=q)

    def link_frames(self, q: ArrayLike) -> dict[str, Array]:
        """The frame of every link in the base, ``(..., 4, 4)`` each, by link name, fixed links included."""
        places = {name: applied_loads.link_in_body(self, REAL, name) for name in self.link_names}

        def place(q: list[Scalar]) -> tuple[list[list[Scalar]], ...]:
            found = self.over_reals.frames(REAL, q)
            return tuple(
                kinematics.homogeneous(kinematics.compose(found[body], frame) if body >= 0 else frame)
                for body, frame in places.values()
            )

        return dict(zip(places, self._evaluate(place, q=q), strict=True))

    def jacobian(self, q: ArrayLike) -> Array:
        """``(..., 6, n)``: linear velocity rows, then angular, of the tool in the base frame."""
        kernel = self._kernel("jacobian")
        if kernel is not None:
            return kernel(q)
        return self._evaluate(lambda x: self.over_reals.jacobian(REAL, x), q=q)

    def influence(self, q: ArrayLike, link: str | None = None, point: object = (0, 0, 0)) -> PointInfluences:
        """Influence coefficients of first, second and third order for ``point`` (m, link frame) of ``link``.

        Without ``link``, of the tool frame's origin.
        """
        body, (turn, shift) = applied_loads.link_in_body(self, REAL, self.link(link or self.tool_link).name)
        where = tuple(float(x) for x in exact_vector(point, "point"))
        here = plus(shift, matvec(turn, where))
        if link is None:
            turn, shift = self.over_reals.links.tool
            here = plus(shift, matvec(turn, where))
        joints, over = range(len(self.all_moving)), self.over_reals.coupling

        def tables(q: list[Scalar]) -> tuple[Any, ...]:
            at = PointInfluence(self.over_reals.links, self.over_reals.frames(REAL, q), body, here)
            found: list[Any] = []
            for first, second, third in ((at.shift, at.shift2, at.shift3), (at.turn, at.turn2, at.turn3)):
                found.append([over.load([first(n)[x] for n in joints]) for x in range(3)])
                found.append([over.product([[second(m, n)[x] for n in joints] for m in joints]) for x in range(3)])
                found.append(
                    [
                        over.cube([[[third(k, m, n)[x] for n in joints] for m in joints] for k in joints])
                        for x in range(3)
                    ]
                )
            return tuple(found)

        return PointInfluences(*self._evaluate(tables, q=q))
