"""Closures: what ties two frames of a mechanism together, as equations c(phi) = 0 that are polynomial in the frames.

Frame B is held in some of its six freedoms against frame A: positions x, y, z along the axes of A, and turns rx, ry,
rz. A held position is e_i^A . (p_B - p_A) = 0; held turns are e_r^A . e_s^B = 0 for the right axes r and s:

    three turns held   e_3.e_2' = e_1.e_3' = e_2.e_1' = 0    the axes agree
    two turns held     the axis about which B is free to turn agrees
    one turn held      a universal joint: B turns about one axis of A and another of its own; in a plane, no turn

They also hold in orientations that are not meant, an axis reversed or each along another one; ``held_turns`` has the
errors that vanish in the right one alone, by which positions are found.

The load T_c that belongs to an equation (Freeman 1985, eq. 4-31) is then the force along an axis of A, or the moment
about the axis e_s' x e_r, that the closure puts on B; A gets the opposite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.toml_table import nearest
from ..formulations.closures import Product
from . import jets
from .batch import Array
from .chain_frames import ChainFrames, FrameOn, JointFrames
from .held_turns import one_turn, three_turns, two_turns
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
        equations = []
        for axis in axes:
            if len(axes) == 2:
                free = 3 - sum(axes)
                remaining = 3 - axis - free
                equations.append((remaining, free, 1 if (free + 1) % 3 == remaining else -1))
            else:
                equations.append(((axis + 2) % 3, (axis + 1) % 3, 1))
        return tuple(equations)

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """The equations as scalar products, in the order of ``held`` (``formulations/closures.py``)."""
        positions = ["xyz".index(freedom) for freedom in self.held if freedom in "xyz"]
        return (*((i, 0, 1) for i in positions), *((r, 1 + s, sign) for r, s, sign in self.turns))

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
        self.closure, self.system = closure, system
        try:
            self.a, self.b = system.carrier(closure.a), system.carrier(closure.b)
        except ArmError as fault:
            raise ArmError(f"closure {closure.name!r}: {fault}") from None
        self.joints = np.union1d(self.a.joints, self.b.joints).astype(np.intp)
        self.columns = [np.searchsorted(self.joints, frame.joints) for frame in (self.a, self.b)]
        if not len(self.joints):
            raise ArmError(f"closure {closure.name!r} ties two frames that no joint moves; tie a moving link")

    @property
    def facts(self) -> str:
        """What makes the code of this closure what it is."""
        return repr((self.closure.held, *((end.chain, end.body, end.exact) for end in (self.a, self.b))))

    def jet(self, placed: JointFrames, order: int) -> Jet:
        """The equations c and their influence coefficients in ``joints``, up to third order."""
        width = len(self.joints)

        def spread(jet: Jet, side: int) -> Jet:
            return jet.embedded(self.columns[side], width)

        @cache
        def axis(side: int, k: int) -> Jet:
            frame = (self.a, self.b)[side]
            return spread(placed.axis(frame, k, order if len(frame.path) else 0), side)

        @cache
        def vector_b(j: int) -> Jet:
            if j:
                return axis(1, j - 1)
            return spread(placed.point(self.b, order), 1) - spread(placed.point(self.a, order), 0)

        equations = [jets.product(axis(0, i), vector_b(j)).scaled(sign) for i, j, sign in self.closure.products]
        return jets.stacked(equations)

    @cached_property
    def aligned_axes(self) -> tuple[int, ...]:
        """Axes that agree where the held turns are closed as meant; none where they hold in no wrong orientation."""
        axes = ["xyz".index(freedom[1]) for freedom in self.closure.held if freedom.startswith("r")]
        if len(axes) == 3:
            return 0, 1, 2
        if len(axes) == 2:
            return (3 - sum(axes),)
        return ((axes[0] + 1) % 3,) if axes and self.turns_about_one_axis else ()

    def turn_error(self, placed: JointFrames) -> tuple[slice, Array, Array] | None:
        """How far the held turns are from closed (rad), exact on the rotation group, with slopes in ``joints``.

        With the rows of these turns among the equations; None where the equations hold in no wrong orientation.
        """
        if not self.aligned_axes:
            return None
        axes = ["xyz".index(freedom[1]) for freedom in self.closure.held if freedom.startswith("r")]
        turn, spin = self.relative_turn(placed)
        if len(axes) == 3:
            value, slope = three_turns(turn, spin)
        elif len(axes) == 2:
            value, slope = (part[:, axes] for part in two_turns(turn, spin, 3 - sum(axes)))
        else:
            value, slope = one_turn(turn, spin, axes[0])
        return slice(len(self.closure.held) - len(axes), len(self.closure.held)), value, slope

    def relative_turn(self, placed: JointFrames) -> tuple[Array, Array]:
        """R_A^T R_B ``(b, 3, 3)`` and the angular velocity of B against A per rate of ``joints``, in the axes of A."""
        turn_a, _ = placed.pose(self.a)
        turn_b, _ = placed.pose(self.b)
        spin = np.zeros((placed.count, 3, len(self.joints)))
        for end, columns, sign in zip((self.a, self.b), self.columns, (-1, 1), strict=True):
            if len(columns):
                axes, _, revolute = placed.joints(end)
                spin[:, :, columns] += sign * np.swapaxes(np.where(revolute[:, None], axes, 0.0), 1, 2)
        to_a = np.swapaxes(turn_a, 1, 2)
        return to_a @ turn_b, to_a @ spin

    @cached_property
    def turns_about_one_axis(self) -> bool:
        """True if the one held turn is the only one the joints allow, as in a plane: not a universal joint then."""
        held_axes = ["xyz".index(freedom[1]) for freedom in self.closure.held if freedom.startswith("r")]
        phi = np.random.default_rng(0).uniform(-1, 1, (2, self.system.m))
        _, spin = self.relative_turn(self.system.place(phi))
        return bool(np.abs(np.delete(spin, held_axes, axis=1)).max(initial=0.0) < 1e-9)
