"""The equations of a mechanism in closed form: exact polynomials in the joints of all chains, and quotients of them.

    D(phi) phi'' + phi'.C(phi) phi' + G(phi) = T + [G^c]^T T_c,     c(phi) = 0,

in the joints phi, always. Where the coordinates q are joints and no constraint is redundant, the others u follow by

    u' = -[G^c_u]^-1 [G^c_q] q' = N q' / det [G^c_u],    I*_qq = Y^T D Y / det^2,    Y = (det E, N),

by Cramer's rule (Freeman 1985, eqs 3-15, 3-34, 4-22): quotients of polynomials, exact on the closed configurations. The
joints u as functions of q are roots of polynomial equations of degree two for a planar loop and up to forty for a
Stewart platform, and are no polynomials in sines and cosines: ``position`` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.placement import Placement
from ..equations.closed_form import Equations
from ..equations.polynomial import TrigPolynomial, as_polynomial
from ..equations.polynomial_array import PolynomialArray
from ..equations.symbols import Request
from ..formulations.closures import vectors_of
from ..systems.arrays import vector_array
from .chain_frames import Carrier, ChainFrames
from .closure_equations import ClosureEnd, ClosureEquations, over
from .gears import GearNumbers
from .loop_closures import ClosureNumbers
from .mounting import mounted
from .side_by_side import side_by_side

if TYPE_CHECKING:
    from .mechanism import Mechanism

MOST_CLOSING = 6
"""Closure equations up to which joints are eliminated: determinants grow with their factorial."""


@dataclass(frozen=True)
class ClosedQuotients:
    """An array of polynomials over one denominator."""

    numerator: PolynomialArray
    denominator: TrigPolynomial

    def __call__(self, phi: ArrayLike) -> NDArray[np.float64]:
        """The values at joints phi ``(..., m)``."""
        below = np.asarray(self.denominator(phi))
        found = np.array([entry(phi) for entry in self.numerator.reshape(-1)])
        found = np.moveaxis(found, 0, -1) / below[..., None]
        return np.asarray(found.reshape(*below.shape, *self.numerator.shape))


class MechanismEquations:
    """The closed form of a mechanism. ``chains`` has D, C and G of the open chains, joint by joint of phi."""

    def __init__(self, mechanism: Mechanism, parameters: Request = "numbers") -> None:
        """``parameters``: symbols in place of numbers, as of an arm; links count from 1 through all chains."""
        if mechanism.assembly.elements:
            raise ArmError(
                f"{mechanism.name} has springs, or motors of its own, between its chains, which polynomials in sines "
                f"and cosines cannot hold; ask for the equations without them"
            )
        sprung = [name for name, arm in mechanism.parts.chains.items() if arm.elastic]
        if sprung:
            raise ArmError(
                f"{mechanism.name}: chain {sprung[0]!r} has springs or dampers, which polynomials in sines and cosines "
                f"cannot hold; ask for the equations with arm.without_elastic() as this chain, and add them"
            )
        self.mechanism = mechanism
        gravity = exact_vector(mechanism.parts.gravity, "gravity")
        tree = side_by_side(mechanism.chains.arms, gravity, mechanism.name)
        self.chains = Equations(tree, parameters)
        self.space = self.chains.space

    def __repr__(self) -> str:
        mechanism = self.mechanism
        return f"<{type(self).__name__} of {mechanism.name!r}: {mechanism.m} joints, {mechanism.r} closure equations>"

    # -- closures -------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> tuple[dict[str, Any], list[list[Any]]]:
        """Values of the loops' equations by name, and the rows of [G^c] of all equations."""
        mechanism, model = self.mechanism, self.chains.model
        system = ChainFrames({"": mounted(self.chains.arm, Placement(), self.chains.arm.gravity)}, {})
        values: dict[str, Any] = {}
        rows: list[list[Any]] = []
        starts = [part.start for part in mechanism.chains.slices]
        for tie in mechanism.assembly.closures:
            if isinstance(tie, GearNumbers):
                row: list[Any] = [0] * mechanism.m
                for joint, slope in tie.slopes.items():
                    row[joint] = model.ring.number(slope)
                rows.append(row)
                continue
            table = ClosureEquations(system, (), model.ring, [model.chain])
            table.ties = [_ends(tie, model.ring, starts)]
            value, slopes, _ = table.tables(model.ring.positions)
            values |= dict(zip(tie.closure.equation_names, value, strict=True))
            rows += slopes
        return values, rows

    @cached_property
    def closures(self) -> dict[str, TrigPolynomial]:
        """c(phi) of the loops by name, "closure.x": zero where they are closed (m, or a product of unit vectors)."""
        return {name: as_polynomial(self.space, value) for name, value in self._tables[0].items()}

    @property
    def ties(self) -> dict[str, str]:
        """Gears and couplings by name: sums of joints that are zero."""
        found = {}
        for tie in self.mechanism.assembly.closures:
            if isinstance(tie, GearNumbers):
                terms = " ".join(f"{float(w):+.12g} {self.mechanism.joint_names[k]}" for k, w in tie.slopes.items())
                start = f" {-float(tie.offset):+.12g}" if tie.offset else ""
                found[tie.closure.equation_names[0]] = terms + start
        return found

    @cached_property
    def jacobian(self) -> PolynomialArray:
        """[G^c_phi] ``(r, m)``, in the order of ``mechanism.equation_names``."""
        return self._array(self._tables[1])

    @cached_property
    def second_order(self) -> PolynomialArray:
        """[H^c_phi] ``(r, m, m)``: slopes of [G^c], for phi'.[H^c] phi'."""
        m = self.mechanism.m
        return self._array([[[entry.diff(k) for k in range(m)] for entry in row] for row in self.jacobian])

    def _array(self, table: Any) -> PolynomialArray:
        entries = np.array(table, dtype=object)
        found = np.empty(entries.shape, dtype=object)
        for index in np.ndindex(entries.shape):
            entry: Any = entries[index]
            found[index] = entry if isinstance(entry, TrigPolynomial) else as_polynomial(self.space, entry)
        return PolynomialArray.of(found)

    # -- eliminated -----------------------------------------------------------------------------

    @cached_property
    def _split(self) -> tuple[list[int], list[int]]:
        """The joints that are coordinates, and those that follow from them."""
        mechanism = self.mechanism
        chosen = [coordinate.joint for coordinate in mechanism.assembly.coordinates]
        others = [k for k in range(mechanism.m) if k not in chosen]
        fault = ""
        if min(chosen, default=0) < 0:
            fault = "a coordinate of it is no joint; choose joints with with_coordinates([...])"
        elif mechanism.r != len(others):
            fault = f"{mechanism.r - len(others)} of its closure equations are redundant; hold fewer freedoms"
        elif mechanism.r > MOST_CLOSING:
            fault = f"{mechanism.r} joints would have to be eliminated, and at most {MOST_CLOSING} are; ask for numbers"
        if fault:
            raise ArmError(f"{mechanism.name}: no closed form in its coordinates: {fault}")
        return chosen, others

    @cached_property
    def influence(self) -> ClosedQuotients:
        """[G^phi_q] ``(m, n)``: rates of all joints per rate of a coordinate, over det [G^c_u]."""
        chosen, others = self._split
        g = self.jacobian
        columns = [[g[i, k] for i in range(len(others))] for k in others]
        below = determinant(columns) if others else as_polynomial(self.space, 1)
        none = as_polynomial(self.space, 0)
        table = [[none] * len(chosen) for _ in range(self.mechanism.m)]
        for j, k in enumerate(chosen):
            table[k][j] = below
            right = [-g[i, k] for i in range(len(others))]
            for i, own in enumerate(others):
                table[own][j] = determinant([right if c == i else column for c, column in enumerate(columns)])
        return ClosedQuotients(self._array(table), below)

    @cached_property
    def inertia(self) -> ClosedQuotients:
        """I*_qq ``(n, n)`` over det^2."""
        y, below = self.influence.numerator, self.influence.denominator
        d = self.chains.mass_matrix
        pulled = _product(d, y)
        return ClosedQuotients(self._array(_product(y.T, pulled)), below * below)

    @cached_property
    def gravity_load(self) -> ClosedQuotients:
        """What holds the weight at the coordinates ``(n,)``, over det."""
        y, g = self.influence.numerator, self.chains.gravity
        return ClosedQuotients(self._array(_product(y.T, np.array(g)[:, None])[:, 0]), self.influence.denominator)

    def values(self, phi: ArrayLike) -> tuple[Any, ...]:
        """D, C, G of the open chains, and [G^c], as numbers at joints phi ``(m,)``."""
        at = vector_array(self.mechanism.m, "phi", phi)
        slopes = np.array([[entry(at) for entry in row] for row in self.jacobian], dtype=float)
        return (*self.chains.values(at), slopes)

    def text(self) -> str:
        """D and G of the chains, the closures and their slopes, as lines of text; zeros are left out."""
        names = self.mechanism.joint_names
        said = [f"q{k + 1} = {name}" for k, name in enumerate(names)]
        said += [f"{name} = {self.chains[name]}" for name in self.chains.names(zeros=False) if name[0] in "DG"]
        said += [f"{name}: 0 = {value}" for name, value in (*self.closures.items(), *self.ties.items())]
        for row, equation in zip(self.jacobian, self.mechanism.equation_names, strict=True):
            said += [f"d({equation})/d({names[k]}) = {entry}" for k, entry in enumerate(row) if entry]
        return "\n".join(said)


def _ends(tie: ClosureNumbers, ring: Any, starts: Sequence[int]) -> Any:
    """A closure between frames of the tree: bodies count through all chains."""

    def moved(end: Carrier) -> Carrier:
        return replace(end, chain=0, body=end.body + starts[end.chain]) if end.chain >= 0 and end.body >= 0 else end

    products = tie.closure.products
    a, b = (
        ClosureEnd(end, over(ring, end), which)
        for end, which in zip((moved(tie.a), moved(tie.b)), vectors_of(products), strict=True)
    )
    return products, a, b


def determinant(columns: Sequence[Sequence[TrigPolynomial]]) -> TrigPolynomial:
    """By Laplace along the columns, each minor once."""
    size = len(columns)

    @cache
    def minor(first: int, rows: tuple[int, ...]) -> Any:
        if first == size - 1:
            return columns[first][rows[0]]
        total: Any = 0
        for k, row in enumerate(rows):
            entry = columns[first][row]
            if entry:
                part = entry * minor(first + 1, rows[:k] + rows[k + 1 :])
                total = total + part if k % 2 == 0 else total - part
        return total

    found = minor(0, tuple(range(size)))
    return found if isinstance(found, TrigPolynomial) else columns[0][0] * 0


def _product(a: Any, b: Any) -> NDArray[np.object_]:
    """The matrix product of arrays of polynomials."""
    found = np.empty((len(a), b.shape[1]), dtype=object)
    for i, j in np.ndindex(found.shape):
        total: Any = 0
        for x, y in zip(a[i], b[:, j], strict=True):
            if x and y:
                total = total + x * y
        found[i, j] = total
    return found
