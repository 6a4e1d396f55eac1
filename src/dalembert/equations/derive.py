"""Deriving the closed form: the formulations of the library, run over the trigonometric ring.

D comes from composite bodies (Walker and Orin 1982), the Christoffel symbols from the exact derivatives of D
(Tourassis and Neuman 1985, eq. 12), G from composite bodies too. Any other formulation of the library gives
the same polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations_with_replacement
from types import ModuleType
from typing import Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..formulations.chain import Chain, chain
from ..formulations.registry import COEFFICIENTS
from ..formulations.system import SystemOverRing
from ..rings.algebra import flat, matplus
from ..rings.angles import Angles
from ..rings.joint_angles import NotTrigonometric, constant
from ..rings.trig import LARGEST_MULTIPLE, MOST_TERMS, TrigNumber, TrigRing
from .parallel_axes import axes
from .space import Space
from .symbols import Request, Selection, select
from .whole import MotionSymbols, moving_space

MOST_JOINTS = 64
COMPOSITE = "composite-body"
"""The formulation that closed forms come from unless another is asked for: the quickest."""


class EquationsModel:
    """An arm over the trigonometric ring: its chain, and the raw polynomials of its equations."""

    def __init__(self, arm: ArmDescription, request: Request = "symbols", stars: frozenset[str] = frozenset()) -> None:
        if not arm.n:
            raise ArmError(f"{arm.where}{arm.name} has no moving joint, so it has no equations of motion")
        if arm.n > MOST_JOINTS:
            raise ArmError(
                f"{arm.where}{arm.name}: closed forms are derived for at most {MOST_JOINTS} joints, and {arm.n} move; "
                "let fewer move (--joints), or ask for values at a state"
            )
        refuse_couplings(arm)
        self.arm = arm
        self.selection: Selection = select(arm, request, stars)
        twists = self.selection.twists
        self.ring = TrigRing(Angles(axes(arm, twists), tuple(twists)), self.selection.names)
        self.ring.too_long = partial(_too_long, f"{arm.where}{arm.name}")
        self.space = Space.of(self.ring, self.selection.symbols, arm.joint_names, twists)
        self.chain: Chain = chain(arm, self.ring, self.selection.ring_parameters(self.ring))
        # What the pages of the formulations take for q: the positions of all joints in those of the coordinates.
        self.joints: list[Any] = self.chain.coupling.joints(self.ring.positions)
        self.shares: dict[int | str, dict[str, Any]] = {}
        self._refuse_other_functions()

    def _refuse_other_functions(self) -> None:
        """Refuse drives whose functions are no polynomials in sines, cosines and sliding positions, and say why."""
        if not self.arm.counts_drives or not self.arm.drives.functions:
            return
        try:
            for number in flat([self.drive_matrix, self.drive_gravity]):
                self.ring.poly_of(number)
        except (AttributeError, TypeError) as error:
            raise ArmError(
                f"{self.arm.where}{self.arm.name}: the closed form cannot take a transmission or a moving body of its "
                f"drives: {_reason(error)}; write it with + - *, and ring.sincos of sums of joint angles, or ask for "
                "numbers"
            ) from error

    @cached_property
    def motion(self) -> MotionSymbols:
        """The joint speeds and accelerations as symbols, in a ring of their own."""
        return MotionSymbols(moving_space(self.space, self.arm.n), self.arm.n)

    @cached_property
    def unloaded(self) -> Chain:
        """The links without a load that has symbols of its own."""
        if not self.selection.load:
            return self.chain
        parameters = self.selection.ring_parameters(self.ring)
        without_load = {key: 0 if key.endswith("L") else value for key, value in parameters.items()}
        return chain(self.arm, self.ring, without_load)

    @cached_property
    def system(self) -> SystemOverRing:
        """The whole system over the ring, rotors included where the drives count."""
        return SystemOverRing(
            self.arm, self.ring, links=self.chain, parameters=self.selection.ring_parameters(self.ring)
        )

    @cached_property
    def drive_matrix(self) -> list[list[Any]]:
        """What rotors and moving bodies add to D; their ratios, places and inertias enter as numbers."""
        return self.system.drive_matrix(self.ring, self.ring.positions)

    def mass_matrix(self, formulation: str = COMPOSITE) -> list[list[Any]]:
        """D of links and drives."""
        return self.system.mass_matrix(self.ring, self.ring.positions, method=page(formulation).mass_matrix)

    def gravity(self, formulation: str = COMPOSITE) -> list[Any]:
        """G."""
        return self.system.gravity(self.ring, self.ring.positions, method=page(formulation).gravity)

    @cached_property
    def drive_potential(self) -> Any:
        """What moving bodies add to V."""
        return self.system.drive_potential(self.ring, self.ring.positions)

    @cached_property
    def drive_gravity(self) -> list[Any]:
        """What moving bodies add to G."""
        return self.system.drive_gravity(self.ring, self.ring.positions)

    def velocity(self, matrix: Sequence[Sequence[Any]], formulation: str = COMPOSITE) -> list[list[list[Any]]]:
        """c_ijk as the page of the formulation writes them, or else from the slopes of ``matrix``, which is D."""
        formulation_page = page(formulation)
        if not hasattr(formulation_page, "christoffel"):
            return self.christoffel(matrix)
        links = self.chain.coupling.symbols(formulation_page.christoffel(self.chain, self.ring, self.joints))
        if not self.arm.counts_drives:
            return links
        return [matplus(a, b) for a, b in zip(links, self.christoffel(self.drive_matrix), strict=True)]

    def christoffel(self, matrix: Sequence[Sequence[Any]]) -> list[list[list[Any]]]:
        """c_ijk = (d D_ij/d q_k + d D_ik/d q_j - d D_jk/d q_i) / 2, zeros as plain 0."""
        n, ring = self.arm.n, self.ring
        slopes: dict[tuple[int, int, int], Any] = {}
        for i, j in combinations_with_replacement(range(n), 2):
            entry = matrix[i][j]
            for k in range(n) if isinstance(entry, TrigNumber) else ():
                slope = ring.derivative(entry.poly, k)
                if slope:
                    slopes[i, j, k] = slopes[j, i, k] = slope
        half = constant(Fraction(1, 2))
        symbols: list[list[list[Any]]] = [[[0] * n for _ in range(n)] for _ in range(n)]
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    total = _sum(slopes.get((i, j, k)), slopes.get((i, k, j)), slopes.get((j, k, i)))
                    if total is not None and total:
                        symbols[i][j][k] = symbols[i][k][j] = ring.wrap(total * half, 0)
        return symbols


def _reason(error: AttributeError | TypeError) -> str:
    """Why a function does not run over the trigonometric ring, in words."""
    if isinstance(error, NotTrigonometric):
        return str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, TrigRing):
        return f"it asks for ring.{error.name}, which polynomials in sines and cosines do not have"
    return f"its function fails over them ({type(error).__name__}: {error})"


def _too_long(arm: str, count: int) -> ArmError:
    """The error for a closed form that grows beyond all bounds."""
    return ArmError(
        f"{arm}: its closed form grows beyond {MOST_TERMS} terms ({count} in one factor); take numbers in place of "
        "symbols, let fewer joints move (--joints), or ask for values at a state"
    )


def refuse_couplings(arm: ArmDescription) -> None:
    """Refuse joints that follow others in a way of which sine and cosine are no polynomials of the coordinates.

    A revolute joint at a small integer multiple of an angle has multiple-angle formulas, a sliding one that follows a
    sliding one any ratio.
    """
    for joint, coupled in zip(arm.all_moving, arm.couplings, strict=True):
        master, ratio = arm.moving[coupled.coordinate], coupled.multiplier
        fault = ""
        if joint.kind != master.kind:
            fault = f"and the one is {joint.kind}, the other {master.kind}"
        elif joint.kind == "revolute" and (ratio.denominator != 1 or abs(ratio) > LARGEST_MULTIPLE):
            fault = f"by a ratio of {float(ratio):g}, which is no integer of at most {LARGEST_MULTIPLE}"
        if fault:
            raise ArmError(
                f"{arm.where}{arm.name}: joint {joint.name!r} follows joint {master.name!r} {fault}, so that there is "
                f"no closed form in sine, cosine or position of {master.name!r}; numbers, kernels and C work"
            )


def _sum(a: Any, b: Any, c: Any) -> Any:
    """a + b - c, where None is zero."""
    total = a if b is None else b if a is None else a + b
    if c is None:
        return total
    return -c if total is None else total - c


def page(formulation: str) -> ModuleType:
    """The module of a formulation."""
    if formulation not in COEFFICIENTS:
        raise ArmError(
            f"there is no formulation {formulation!r} for closed forms; choose from {', '.join(COEFFICIENTS)}"
        )
    return COEFFICIENTS[formulation]
