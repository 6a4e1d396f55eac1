"""Closures: what ties two frames of a mechanism together, as equations c(phi) = 0 that are polynomial in the frames.

Frame B is held in some of its six freedoms against frame A: positions x, y, z along the axes of A, and turns rx, ry,
rz. A held position is e_i^A . (p_B - p_A) = 0; held turns are e_r^A . e_s^B = 0 for the right axes r and s:

    three turns held   e_3.e_2' = e_1.e_3' = e_2.e_1' = 0    the axes agree
    two turns held     the axis about which B is free to turn agrees
    one turn held      a universal joint: B turns about one axis of A and another of its own

The load T_c that belongs to an equation (Freeman 1985, eq. 4-31) is then the force along an axis of A, or the moment
about the axis e_s' x e_r, that the closure puts on B; A gets the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.toml_table import nearest
from . import jets
from .batch import Array
from .chain_frames import Carrier, ChainFrames, FrameOn, Placed
from .jets import Jet

FREEDOMS = ("x", "y", "z", "rx", "ry", "rz")
KINDS: dict[str, tuple[str, ...]] = {
    "fixed": FREEDOMS,
    "revolute": ("x", "y", "z", "rx", "ry"),
    "prismatic": ("x", "y", "rx", "ry", "rz"),
    "cylindrical": ("x", "y", "rx", "ry"),
    "universal": ("x", "y", "z", "rz"),
    "spherical": ("x", "y", "z"),
    "planar": ("z", "rx", "ry"),
    "pin": ("x", "y"),
}
"""Closures by name and the freedoms they hold; the free motion of a joint is about or along z of A.

"pin" is the revolute joint of planar mechanisms: it holds only what is not held by the plane already.
"""


@dataclass(frozen=True)
class Closure:
    """Frame ``b`` tied to frame ``a``: a kind of joint, or the held freedoms, some of x, y, z, rx, ry, rz.

    ``pushes``: the closure is a contact that can only push B along +z of A; its friction coefficient bounds what it
    holds along x and y. Only the distribution of loads looks at these.
    """

    name: str
    a: FrameOn | str
    b: FrameOn | str
    kind: str | tuple[str, ...] = "fixed"
    pushes: bool = False
    friction: float = 0.0

    @cached_property
    def held(self) -> tuple[str, ...]:
        """The freedoms this closure holds, in the order x, y, z, rx, ry, rz."""
        if isinstance(self.kind, str):
            if self.kind not in KINDS:
                raise ArmError(
                    f"closure {self.name!r}: no kind {self.kind!r}{nearest(self.kind, tuple(KINDS))}; the kinds are "
                    f"{listed(KINDS)}, or a list of the freedoms held: {listed(FREEDOMS)}"
                )
            return KINDS[self.kind]
        unknown = [freedom for freedom in self.kind if freedom not in FREEDOMS]
        if unknown or not self.kind or len(set(self.kind)) != len(self.kind):
            raise ArmError(
                f"closure {self.name!r} must hold some of {listed(FREEDOMS)}, each once, not {list(self.kind)!r}"
            )
        return tuple(freedom for freedom in FREEDOMS if freedom in self.kind)

    @cached_property
    def turns(self) -> tuple[tuple[int, int, int], ...]:
        """For each held turn: (axis r of A, axis s of B, sign) of its equation."""
        axes = ["xyz".index(freedom[1]) for freedom in self.held if freedom.startswith("r")]
        found = []
        for axis in axes:
            if len(axes) == 2:
                free = 3 - sum(axes)
                other = 3 - axis - free
                found.append((other, free, 1 if (free + 1) % 3 == other else -1))
            else:
                found.append(((axis + 2) % 3, (axis + 1) % 3, 1))
        return tuple(found)

    @property
    def equation_names(self) -> tuple[str, ...]:
        """Names of the closure equations, "closure.freedom", in the order of ``held``."""
        return tuple(f"{self.name}.{freedom}" for freedom in self.held)

    def numbers(self, system: ChainFrames) -> ClosureNumbers:
        """The closure between two frames of a system."""
        return ClosureNumbers(self, system)


@dataclass(frozen=True)
class Block:
    """Some equations or coordinates: their rows, the joints of phi they depend on, their values and coefficients."""

    rows: slice
    joints: NDArray[np.intp]
    jet: Jet


class ClosureNumbers:
    """A closure between two frames of a system."""

    def __init__(self, closure: Closure, system: ChainFrames) -> None:
        self.closure = closure
        try:
            self.a, self.b = system.carrier(closure.a), system.carrier(closure.b)
        except ArmError as fault:
            raise ArmError(f"closure {closure.name!r}: {fault}") from None
        self.joints = np.union1d(self.a.joints, self.b.joints).astype(np.intp)
        self.places = [np.searchsorted(self.joints, frame.joints) for frame in (self.a, self.b)]
        self.positions = ["xyz".index(freedom) for freedom in closure.held if freedom in "xyz"]
        if not len(self.joints):
            raise ArmError(f"closure {closure.name!r} ties two frames that no joint moves; tie a moving link")

    @property
    def facts(self) -> str:
        """What makes the code of this closure what it is."""
        frames = ((f.chain, f.body, f.rotation.tolist(), f.position.tolist()) for f in (self.a, self.b))
        return repr((self.closure.held, *frames))

    def rates(self, placed: Placed, rate: Array | None = None) -> tuple[Array, Array, Array | None]:
        """c ``(b, r)``, [G^c] ``(b, r, n)`` and, with joint rates ``(b, m)``, phi'.[H^c] phi' ``(b, r)``.

        With v' = sum g_n phi_n' for each vector v of the frames, v'' at constant rates is
        sum phi_n' (2 Omega_n + s_n phi_n') x g_n, Omega_n being the angular velocity before joint n (from 2-76).
        """
        sides = [_Side(placed, frame, rate) for frame in (self.a, self.b)]
        a, b = sides
        g = np.zeros((placed.count, len(self.closure.held), len(self.joints)))
        value = np.empty(g.shape[:2])
        drift = None if rate is None else np.empty(g.shape[:2])
        span = b.value[:, 0] - a.value[:, 0]
        for row, i in enumerate(self.positions):
            axis = a.value[:, 1 + i]
            value[:, row] = _dot(axis, span)
            g[:, row, self.places[0]] += a.along(1 + i, span) - a.along(0, axis)
            g[:, row, self.places[1]] += b.along(0, axis)
            if drift is not None:
                drift[:, row] = (
                    _dot(a.bent[:, 1 + i], span)
                    + 2 * _dot(a.moved[:, 1 + i], b.moved[:, 0] - a.moved[:, 0])
                    + _dot(axis, b.bent[:, 0] - a.bent[:, 0])
                )
        for row, (r, s, sign) in enumerate(self.closure.turns, start=len(self.positions)):
            one, two = a.value[:, 1 + r], b.value[:, 1 + s]
            value[:, row] = sign * _dot(one, two)
            g[:, row, self.places[0]] += sign * a.along(1 + r, two)
            g[:, row, self.places[1]] += sign * b.along(1 + s, one)
            if drift is not None:
                drift[:, row] = sign * (
                    _dot(a.bent[:, 1 + r], two)
                    + 2 * _dot(a.moved[:, 1 + r], b.moved[:, 1 + s])
                    + _dot(one, b.bent[:, 1 + s])
                )
        return value, g, drift

    def jet(self, placed: Placed, order: int) -> Jet:
        """The equations c and their influence coefficients in ``joints``."""
        if order <= 1:
            value, g, _ = self.rates(placed)
            return Jet(value, g) if order else Jet(value)
        width = len(self.joints)

        def spread(jet: Jet, side: int) -> Jet:
            return jet.embedded(self.places[side], width)

        axes: dict[tuple[int, int], Jet] = {}

        def axis(side: int, k: int) -> Jet:
            if (side, k) not in axes:
                axes[side, k] = spread(placed.axis((self.a, self.b)[side], k, order), side)
            return axes[side, k]

        found = []
        if self.positions:
            span = spread(placed.point(self.b, order), 1) - spread(placed.point(self.a, order), 0)
            found += [self._component(axis(0, i), i, span) for i in self.positions]
        for r, s, sign in self.closure.turns:
            found.append(jets.product(axis(0, r), axis(1, s)).scaled(sign))
        return jets.stacked(found)

    def _component(self, axis: Jet, i: int, span: Jet) -> Jet:
        if len(self.a.path):
            return jets.product(axis, span)
        vector = self.a.rotation[:, i]
        return Jet(*(np.tensordot(part, vector, (1, 0))[:, None] for part in span.parts))

    def flipped(self, placed: Placed) -> NDArray[np.bool_]:
        """Where the equations hold but the frames do not agree.

        An axis may point the other way, and three held turns hold as well where each axis lies along another one.
        """
        axes = [(r, s) for r, s, _ in self.closure.turns]
        if len(axes) < 2:
            return np.zeros(placed.count, dtype=bool)
        turn_a, _ = placed.pose(self.a)
        turn_b, _ = placed.pose(self.b)
        agree = np.einsum("bxk,bxk->bk", turn_a, turn_b)
        checked = range(3) if len(axes) == 3 else [axes[0][1]]
        return (agree[:, list(checked)] < 0.5).any(axis=1)  # 1 where they agree, else 0 or -1


class _Side:
    """Origin and axes of one frame of a closure, ``(b, 4, 3)``: ``value``, and with rates ``moved`` and ``bent``."""

    def __init__(self, placed: Placed, frame: Carrier, rate: Array | None) -> None:
        turn, position = placed.pose(frame)
        count, n = placed.count, len(frame.path)
        self.value = np.concatenate([position[:, None], np.swapaxes(turn, 1, 2)], axis=1)
        self.g = np.zeros((count, 0, 4, 3))
        self.moved = self.bent = np.zeros((count, 4, 3))
        if n:
            spin, self.g = placed.carried(frame)
            if rate is not None:
                own = rate[:, frame.joints]
                turning = spin * own[:, :, None]
                around = 2 * np.cumsum(turning, axis=1) - turning
                second = jets.cross(around[:, :, None], self.g)
                both = np.stack([self.g, second], axis=2).reshape(count, n, 24)
                self.moved, self.bent = np.moveaxis((own[:, None] @ both).reshape(count, 2, 4, 3), 1, 0)

    def along(self, k: int, vector: Array) -> Array:
        """g_n of vector k, times ``vector``: ``(b, n)``."""
        return (self.g[:, :, k] @ vector[:, :, None])[:, :, 0]


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=1)
