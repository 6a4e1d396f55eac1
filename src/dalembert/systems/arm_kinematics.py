"""Where an arm is and how it moves: frames, Jacobians, mass centre, momentum, influence coefficients."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.lazy_arrays import chunkwise
from ..formulations import applied_loads, kinematics
from ..formulations.influence import PointInfluence
from ..rings.algebra import ZERO, matvec, plus
from ..rings.dual import Dual, Duals, slope_of
from ..rings.real import REAL
from ..rings.ring import Scalar
from .arm_system import ArmSystem
from .arrays import joint_array
from .frame_axes import AskedFrame, check_axes, framed_arm, jacobian_in, rate_in, skew

Array = NDArray[np.float64]
Kept = TypeVar("Kept")


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


@chunkwise(
    jacobian_slopes="q", center_of_mass="q", center_of_mass_jacobian="q", center_of_mass_jacobian_rate="q qd",
    momentum_matrix="q", momentum="q qd", link_frames="q", influence="q",
)  # fmt: skip
class MovingArm(ArmSystem):
    """Frames and their derivatives."""

    def forward_kinematics(self, q: ArrayLike, frame: AskedFrame | None = None) -> Array:
        """The tool frame in the base, ``(..., 4, 4)`` (m); or ``frame``: a link, or (link, Placement in it).

        >>> import dalembert as da
        >>> da.load("planar-2r").forward_kinematics([0, 0])[:3, 3]
        array([2., 0., 0.])
        """
        if frame is not None:
            return self.framed(frame).forward_kinematics(q)
        kernel = self._kernel("forward_kinematics")
        if kernel is not None:
            return kernel(q)
        return self._evaluate(lambda x: kinematics.homogeneous(self.over_reals.tool_frame(REAL, x)), q=q)

    def framed(self, frame: AskedFrame | None) -> MovingArm:
        """Joints and links alone with the tool in ``frame``, made once."""
        return self.kept(("frame", frame), lambda: framed_arm(self, frame))

    def kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What ``make`` gives, made at the first call with this key: for what is asked of one arm again and again."""
        try:
            return self._kept[key]
        except TypeError:
            raise ArmError(f"a frame is the name of a link, or a link and a Placement in it; got {key!r}") from None
        except KeyError:
            self._kept[key] = value = make()
            return value

    @cached_property
    def _kept(self) -> dict[Hashable, Any]:
        return {}

    def link_frames(self, q: ArrayLike) -> dict[str, Array]:
        """The frame of every link in the base, ``(..., 4, 4)`` each, by link name, fixed links included."""
        link_bodies = {name: applied_loads.link_in_body(self, REAL, name) for name in self.link_names}

        def frames_at(q: list[Scalar]) -> tuple[list[list[Scalar]], ...]:
            body_frames = self.over_reals.frames(REAL, q)
            return tuple(
                kinematics.homogeneous(kinematics.compose(body_frames[body], frame) if body >= 0 else frame)
                for body, frame in link_bodies.values()
            )

        return dict(zip(link_bodies, self._evaluate(frames_at, q=q), strict=True))

    def jacobian(self, q: ArrayLike, frame: AskedFrame | None = None, axes: str = "base") -> Array:
        """``(..., 6, n)``: linear velocity rows, then angular, of the tool (or ``frame``) per joint velocity.

        In base axes; ``axes="frame"`` in the frame's own, ``"spatial"`` with the velocity of the point of the body that
        passes the base origin.
        """
        check_axes(axes)
        if frame is not None:
            return self.framed(frame).jacobian(q, axes=axes)
        kernel = self._kernel("jacobian")
        if kernel is not None:
            jacobian = kernel(q)
        else:
            jacobian = self._evaluate(lambda x: self.over_reals.jacobian(REAL, x), q=q)
        return jacobian if axes == "base" else jacobian_in(axes, self.forward_kinematics(q), jacobian)

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, frame: AskedFrame | None = None, axes: str = "base") -> Array:
        """dJ/dt ``(..., 6, n)`` of ``jacobian`` along the motion: the frame accelerates by J qdd + dJ/dt qd."""
        check_axes(axes)
        if frame is not None:
            return self.framed(frame).jacobian_rate(q, qd, axes=axes)
        kernel = self._kernel("jacobian_rate")
        if kernel is not None:
            rate = kernel(q, qd)
        else:
            rate = self._evaluate(lambda x, v: self.over_reals.jacobian_rate(REAL, x, v), q=q, qd=qd)
        if axes == "base":
            return rate
        return rate_in(axes, self.forward_kinematics(q), self.jacobian(q), rate, joint_array(self, "qd", qd))

    def jacobian_slopes(self, q: ArrayLike, frame: AskedFrame | None = None, axes: str = "base") -> Array:
        """dJ/dq_k ``(..., 6, n, n)``, the joint k last: the Hessian of the frame's motion (Freeman 1985, [H])."""
        position = joint_array(self, "q", q)
        columns = [self.jacobian_rate(position, unit, frame, axes) for unit in np.eye(self.n)]
        return np.stack(columns, axis=-1) if columns else np.zeros((*position.shape[:-1], 6, 0, 0))

    # -- mass centre and momentum --------------------------------------------------------------------

    @cached_property
    def mass(self) -> float:
        """Mass of all that moves (kg): links, loads, bodies that counted drives move. The base is not in it."""
        return float(self._massive.total_mass())

    def _moving_mass(self) -> float:
        """The mass, refused where nothing that moves has any."""
        if not self.mass:
            raise ArmError(f"{self.where}{self.name}: nothing that moves has mass, so that it has no mass centre")
        return self.mass

    def center_of_mass(self, q: ArrayLike) -> Array:
        """The mass centre of all that moves, in the base ``(..., 3)`` (m); loads in, the fixed base left out."""
        kernel = self._kernel("center_of_mass")
        if kernel is not None:
            return kernel(q)
        system, mass = self._massive, self._moving_mass()
        return np.asarray(self._evaluate(lambda x: list(system.first_moment(REAL, x)), q=q) / mass)

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """``(..., 3, n)``: velocity of the mass centre per joint velocity, base axes."""
        kernel = self._kernel("center_of_mass_jacobian")
        if kernel is not None:
            return kernel(q)
        system, mass = self._massive, self._moving_mass()
        return np.asarray(self._evaluate(lambda x: system.linear_momentum(REAL, x), q=q) / mass)

    def center_of_mass_jacobian_rate(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """``(..., 3, n)``: its rate along the motion; the mass centre accelerates by J qdd + dJ/dt qd."""
        system = self._massive

        def slopes(q: list[Scalar], qd: list[Scalar]) -> list[list[Scalar]]:
            moving = [Dual(x, {0: v}) for x, v in zip(q, qd, strict=True)]
            table = system.linear_momentum(Duals(REAL), moving)
            return [[slope_of(entry, 0) for entry in row] for row in table]

        return np.asarray(self._evaluate(slopes, q=q, qd=qd) / self._moving_mass(), dtype=np.float64)

    def momentum_matrix(self, q: ArrayLike, about: str = "center") -> Array:
        """``(..., 6, n)``: linear momentum (N s), then angular (N m s), per joint velocity, in base axes.

        Angular momentum is about the mass centre, or with ``about="base"`` about the base origin. Rotors of drives that
        count spin with it (Orin, Goswami and Lee 2013).
        """
        if about not in ("center", "base"):
            raise ArmError(f'momentum is about "center" or "base", not {about!r}')
        kernel = self._kernel("momentum_matrix")
        if kernel is not None:
            matrix, reference = kernel(q), "center"
        else:
            system = self._massive
            matrix, reference = self._evaluate(lambda x: system.momentum_matrix(REAL, x), q=q), "base"
        if about == reference:
            return matrix
        moved = skew(self.center_of_mass(q)) @ matrix[..., :3, :]
        matrix = matrix.copy()
        matrix[..., 3:, :] += moved if about == "base" else -moved
        return matrix

    def momentum(self, q: ArrayLike, qd: ArrayLike, about: str = "center") -> Array:
        """``(..., 6)``: linear momentum (N s), then angular momentum (N m s), of all that moves."""
        _, speed = self._states(q=q, qd=qd)
        return np.einsum("...ij,...j->...i", self.momentum_matrix(q, about), speed)

    # -- influence coefficients ----------------------------------------------------------------------

    def influence(self, q: ArrayLike, link: str | None = None, point: object = (0, 0, 0)) -> PointInfluences:
        """Influence coefficients of first, second and third order for ``point`` (m, link frame) of ``link``.

        Without ``link``, of the tool frame's origin.
        """
        body, (turn, shift) = applied_loads.link_in_body(self, REAL, self.link(link or self.tool_link).name)
        offset = tuple(float(x) for x in exact_vector(point, "point"))
        body_point = plus(shift, matvec(turn, offset))
        if link is None:
            turn, shift = self.over_reals.links.tool
            body_point = plus(shift, matvec(turn, offset))
        joints, coupling = range(len(self.all_moving)), self.over_reals.coupling

        def tables(q: list[Scalar]) -> tuple[Any, ...]:
            influence = PointInfluence(self.over_reals.links, self.over_reals.frames(REAL, q), body, body_point)
            orders: list[Any] = []
            path = set(influence.path)  # of a tree: all else has no effect
            for first, second, third in (
                (influence.shift, influence.shift2, influence.shift3),
                (influence.turn, influence.turn2, influence.turn3),
            ):
                rows = [first(n) for n in joints]
                pairs = [[second(m, n) for n in joints] for m in joints]
                still = [ZERO for _ in joints]
                cubes = [
                    [[third(k, m, n) for n in joints] if {k, m} <= path else still for m in joints] for k in joints
                ]
                orders.append([coupling.load([v[x] for v in rows]) for x in range(3)])
                orders.append([coupling.product([[v[x] for v in row] for row in pairs]) for x in range(3)])
                orders.append(
                    [coupling.cube([[[v[x] for v in row] for row in table] for table in cubes]) for x in range(3)]
                )
            return tuple(orders)

        return PointInfluences(*self._evaluate(tables, q=q))
