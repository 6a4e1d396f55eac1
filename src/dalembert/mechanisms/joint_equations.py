"""The equations of a mechanism in all joints of its chains, exact:

    D(phi) phi'' + phi'.C(phi) phi' + G(phi) = T + Q + [G^c]^T T_c,     c(phi) = 0.

Q are the loads of springs and dampers (``elastic_quantities.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.exact import exact_vector
from ..arm.placement import Placement
from ..equations.closed_form import Equations
from ..equations.polynomial import TrigPolynomial, as_polynomial
from ..equations.polynomial_array import PolynomialArray, array_of
from ..equations.symbols import Request
from ..formulations.closures import vectors_of
from ..systems.arrays import vector_array
from .chain_frames import ChainFrames
from .closure_equations import ClosureEnd, ClosureEquations, body_frame
from .elastic_quantities import ElasticQuantity, chain_elements, elastic_quantities, in_tree
from .gears import GearNumbers
from .loop_closures import ClosureNumbers
from .mounting import mounted
from .side_by_side import side_by_side

if TYPE_CHECKING:
    from .mechanism import Mechanism


class JointEquations:
    """The closed form of a mechanism in all its joints; ``chains`` has D, C and G of the open chains.

    Friction of drives, which is no polynomial, is not in it: ``mechanism.friction_torque`` has it.
    """

    def __init__(self, mechanism: Mechanism, parameters: Request = "numbers") -> None:
        """``parameters``: symbols in place of numbers, as of an arm; links count from 1 through all chains."""
        self.mechanism = mechanism
        gravity = exact_vector(mechanism.parts.gravity, "gravity")
        tree = side_by_side(mechanism.chains.arms, gravity, mechanism.name)
        self.chains = Equations(tree, parameters)
        self.space = self.chains.space
        self.one = as_polynomial(self.space, 1)

    def __repr__(self) -> str:
        mechanism = self.mechanism
        return f"<{type(self).__name__} of {mechanism.name!r}: {mechanism.m} joints, {mechanism.r} closure equations>"

    @cached_property
    def _tree(self) -> ChainFrames:
        """All chains as one on the ground."""
        return ChainFrames({"": mounted(self.chains.arm, Placement(), self.chains.arm.gravity)}, {})

    @property
    def _starts(self) -> list[int]:
        """Where the bodies of each chain begin in the tree."""
        return [part.start for part in self.mechanism.chains.slices]

    # -- in all joints --------------------------------------------------------------------------

    @cached_property
    def elastics(self) -> tuple[ElasticQuantity, ...]:
        """Springs, dampers and rotors at joints, along coordinates and between points, of chains and mechanism."""
        elements_of_mechanism = [
            replace(e, damping=Fraction(0)) if e.is_drive else e for e in self.mechanism.assembly.elements
        ]  # friction of drives comes in numbers alone
        model = self.chains.model
        elements = [*chain_elements(self.mechanism.chains), *elements_of_mechanism]
        return elastic_quantities(elements, self._tree, self._starts, self.space, model.ring, model.chain)

    @cached_property
    def mass_matrix(self) -> PolynomialArray:
        """D(phi) ``(m, m)`` of the chains and of rotors that turn with coordinates: + J g g^T, g = ds/dphi."""
        rotors = [(e.inertia, e.slopes) for e in self.elastics if e.inertia]

        def entry(index: tuple[int, ...]) -> TrigPolynomial:
            i, j = index
            total: TrigPolynomial = self.chains.mass_matrix[i, j]
            for inertia, g in rotors:
                if g[i] and g[j]:
                    total = total + g[i] * g[j] * inertia
            return total

        return array_of((self.mechanism.m,) * 2, "D", entry)

    @cached_property
    def christoffel(self) -> PolynomialArray:
        """C(phi) ``(m, m, m)``, symmetric in the last two: of the chains, and J g_i (dg_j/dphi_k + dg_k/dphi_j) / 2."""
        rotors = [(e.inertia, e.slopes) for e in self.elastics if e.inertia]

        def entry(index: tuple[int, ...]) -> TrigPolynomial:
            i, j, k = index
            total: TrigPolynomial = self.chains.christoffel[i, j, k]
            for inertia, g in rotors:
                if g[i]:
                    total = total + g[i] * (g[j].diff(k) + g[k].diff(j)) * (inertia / 2)
            return total

        return array_of((self.mechanism.m,) * 3, "C", entry)

    @property
    def gravity(self) -> PolynomialArray:
        """G(phi) ``(m,)``."""
        return PolynomialArray.of(np.array(self.chains.gravity, dtype=object), "G")

    def elastic_load(self, phi: ArrayLike, rate: ArrayLike | None = None) -> NDArray[np.float64]:
        """Q ``(..., m)``: what springs and dampers put on the joints at joints phi and joint rates."""
        joints = vector_array(self.mechanism.m, "phi", phi)
        speed = np.zeros(self.mechanism.m) if rate is None else vector_array(self.mechanism.m, "rate", rate)
        total = np.zeros(np.broadcast_shapes(joints.shape, speed.shape))
        for element in self.elastics:
            total = total + element.load(joints, speed)
        return total

    # -- closures -------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> tuple[dict[str, Any], list[list[Any]]]:
        """Values of the loops' equations by name, and the rows of [G^c] of all equations."""
        mechanism, model, system = self.mechanism, self.chains.model, self._tree
        values: dict[str, Any] = {}
        rows: list[list[Any]] = []
        for tie in mechanism.assembly.closures:
            if isinstance(tie, GearNumbers):
                row: list[Any] = [0] * mechanism.m
                for joint, slope in tie.slopes.items():
                    row[joint] = model.ring.number(slope)
                rows.append(row)
                continue
            table = ClosureEquations(system, (), model.ring, [model.chain])
            table.ties = [_ends(tie, model.ring, self._starts)]
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
        sums = {}
        for tie in self.mechanism.assembly.closures:
            if isinstance(tie, GearNumbers):
                terms = " ".join(f"{float(w):+.12g} {self.mechanism.joint_names[k]}" for k, w in tie.slopes.items())
                start = f" {-float(tie.offset):+.12g}" if tie.offset else ""
                sums[tie.closure.equation_names[0]] = terms + start
        return sums

    @cached_property
    def jacobian(self) -> PolynomialArray:
        """[G^c_phi] ``(r, m)``, in the order of ``mechanism.equation_names``."""
        return self._array(self._tables[1], (self.mechanism.r, self.mechanism.m))

    @cached_property
    def second_order(self) -> PolynomialArray:
        """[H^c_phi] ``(r, m, m)``: slopes of [G^c], for phi'.[H^c] phi'."""
        m = self.mechanism.m
        slopes = [[[entry.diff(k) for k in range(m)] for entry in row] for row in self.jacobian]
        return self._array(slopes, (self.mechanism.r, m, m))

    def _array(self, table: Any, shape: tuple[int, ...]) -> PolynomialArray:
        entries = np.array(table, dtype=object).reshape(shape)
        polynomials = np.empty(entries.shape, dtype=object)
        for index in np.ndindex(entries.shape):
            entry: Any = entries[index]
            polynomials[index] = entry if isinstance(entry, TrigPolynomial) else as_polynomial(self.space, entry)
        return PolynomialArray.of(polynomials)

    # -- values and text ------------------------------------------------------------------------

    def values(self, phi: ArrayLike) -> tuple[Any, ...]:
        """D, C, G of chains and rotors, and [G^c], as numbers at joints phi ``(m,)``."""
        joints = vector_array(self.mechanism.m, "phi", phi)
        slopes = np.array([[entry(joints) for entry in row] for row in self.jacobian], dtype=float)
        tables = (self.mass_matrix, self.christoffel, self.gravity)
        return (
            *(np.array([entry(joints) for entry in t.reshape(-1)], dtype=float).reshape(t.shape) for t in tables),
            slopes,
        )

    def text(self) -> str:
        """D and G, springs and dampers, the closures and their slopes, as lines of text; zeros are left out."""
        names = self.mechanism.joint_names
        lines = [f"q{k + 1} = {name}" for k, name in enumerate(names)]
        for table in (self.mass_matrix, self.gravity):
            lines += [f"{name} = {value}" for name, value in table.listed.items()]
        for element in self.elastics:
            lines += element.text(names)
        lines += [f"{name}: 0 = {value}" for name, value in (*self.closures.items(), *self.ties.items())]
        for row, equation in zip(self.jacobian, self.mechanism.equation_names, strict=True):
            lines += [f"d({equation})/d({names[k]}) = {entry}" for k, entry in enumerate(row) if entry]
        return "\n".join(lines)


def _ends(tie: ClosureNumbers, ring: Any, starts: Sequence[int]) -> Any:
    """A closure between frames of the tree: bodies count through all chains."""
    products = tie.closure.products
    a, b = (
        ClosureEnd(end, body_frame(ring, end), kinds)
        for end, kinds in zip((in_tree(tie.a, starts), in_tree(tie.b, starts)), vectors_of(products), strict=True)
    )
    return products, a, b
