"""The structure of a dynamic model (Tourassis and Neuman 1985): dependence, zeros and why, counts, sparsity.

Everything here is decided on exact polynomials: a coefficient depends on a joint if its partial derivative is
not zero, and two coefficients are equal if their normal forms are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..arm.errors import ArmError
from .names import all_names, name, parse

if TYPE_CHECKING:
    from .closed_form import Equations

CARTESIAN = Fraction(4, 17)
"""Sparsity of the Cartesian robot with three joints: 4 of 17 independent coefficients are not zero."""
BY_IDENTITY = "identity"
BY_GEOMETRY = "geometry"
BY_PARAMETERS = "parameters"
BY_CANCELLATION = "cancellation"
WHY = {
    BY_IDENTITY: "zero for every arm, by eqs (36) and (38)",
    BY_GEOMETRY: "zero for every mass distribution, by the arrangement of the axes and the direction of gravity",
    BY_PARAMETERS: "zero because inertial parameters of the arm are zero",
    BY_CANCELLATION: "zero because numbers of the arm cancel",
}


@dataclass(frozen=True)
class Coefficient:
    """One independent coefficient: the joints it depends on, and the reason if it is zero."""

    name: str
    kind: str
    joints: tuple[int, ...]
    allowed: tuple[int, ...]
    terms: int
    zero: str | None

    @property
    def constant(self) -> bool:
        """Whether it is a non-zero constant."""
        return self.zero is None and not self.joints

    @property
    def as_predicted(self) -> bool:
        """Whether it depends only on joints that Table 1 of Tourassis and Neuman 1985 allows."""
        return set(self.joints) <= set(self.allowed)


@dataclass(frozen=True)
class Count:
    """A column of Tables 2 and 3: coefficients of a general arm, of this arm, and constant ones."""

    independent: int
    nonzero: int
    constant: int

    def __str__(self) -> str:
        return f"{self.nonzero} ({self.constant})" if self.constant else str(self.nonzero)


@dataclass(frozen=True)
class Structure:
    """The structure of the equations of one arm."""

    arm: str
    n: int
    revolute: int
    coefficients: tuple[Coefficient, ...]
    zeros: dict[str, str]
    """All coefficients that are zero, dependent ones too, with the reason."""
    relations: dict[str, tuple[str, ...]]
    """Each relation of the paper with the coefficients that violate it: none where the theory holds."""

    @property
    def counts(self) -> dict[str, Count]:
        """Numbers of coefficients by kind, as in Table 3."""
        counts: dict[str, Count] = {}
        for kind in ("d_ii", "d_ij", "c_jj(i)", "c_jm(i)", "G_i"):
            members = [c for c in self.coefficients if c.kind == kind]
            counts[kind] = Count(len(members), sum(c.zero is None for c in members), sum(c.constant for c in members))
        return counts

    @property
    def total(self) -> int:
        """Number of non-zero independent coefficients."""
        return sum(count.nonzero for count in self.counts.values())

    @property
    def independent(self) -> int:
        """N (2 N^2 + 3 N + 7) / 6, the last row of Table 2."""
        return sum(count.independent for count in self.counts.values())

    @property
    def sparsity(self) -> Fraction:
        """Non-zero independent coefficients over independent coefficients."""
        return Fraction(self.total, self.independent)

    @property
    def anthropomorphism(self) -> Fraction:
        """The degree of anthropomorphism N_R / N: the share of joints that turn (section 6)."""
        return Fraction(self.revolute, self.n)

    @property
    def sparsity_law(self) -> Fraction:
        """(4/17) [1 + (N_R/N)^2]^2, the empirical law of section 6; 4/17 = 0.235 is that of the Cartesian robot."""
        return CARTESIAN * (1 + self.anthropomorphism**2) ** 2

    @property
    def law_error(self) -> float:
        """By how much the law is off: predicted over actual sparsity, less one."""
        return float(self.sparsity_law / self.sparsity) - 1 if self.total else math.nan

    @property
    def independent_law(self) -> float:
        """N^2.55, their approximation to N (2 N^2 + 3 N + 7) / 6 for three to six joints."""
        return float(self.n**2.55)

    @property
    def as_predicted(self) -> bool:
        """Whether every dependence is within Table 1 and every relation holds."""
        return all(c.as_predicted for c in self.coefficients) and not any(self.relations.values())

    def __repr__(self) -> str:
        nonzero = f"{self.total} of {self.independent} independent coefficients not zero"
        return f"<Structure of {self.arm!r}: {self.n} joints, {nonzero}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import folded, framed, heading
        from .structure_tables import counts_table, dependence_table, reasons

        title = heading(f"Structure of the equations of {self.arm}")
        zero = folded("Why the others are zero", reasons(self))
        return framed(title, counts_table(self), dependence_table(self), zero)


def structure(equations: Equations) -> Structure:
    """The structure of the equations of an arm."""
    from .closed_form import Equations

    for joint in equations.arm.followers:
        raise ArmError(
            f"{equations.arm.where}{equations.arm.name}: joint {joint.name!r} follows another, and the structure of "
            f"Tourassis and Neuman 1985 is that of joints which move by themselves; ask with the joint held or free"
        )
    full = Equations(equations.arm, "full+gravity")
    symbols = Equations(equations.arm, "symbols")
    coefficients = []
    for label, kind, index in independent(equations.n):
        polynomial = equations[label]
        zero = None if polynomial else reason(label, full, symbols)
        coefficients.append(
            Coefficient(label, kind, polynomial.joints, allowed(equations, kind, index), len(polynomial), zero)
        )
    zeros = {label: reason(label, full, symbols) for label in all_names(equations.n) if not equations[label]}
    revolute = sum(joint.kind == "revolute" for joint in equations.arm.moving)
    return Structure(equations.arm.name, equations.n, revolute, tuple(coefficients), zeros, relations(equations))


def independent(n: int) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Names, kinds and indices of the independent coefficients (Table 2).

    Of the three Coriolis coefficients of joints a < b < c two are independent, by reflective coupling (39);
    those with a repeated joint vanish (38) or mirror a centrifugal one (39).
    """
    for i in range(n):
        yield name("D", (i, i)), "d_ii", (i, i)
    for i in range(n):
        for j in range(i + 1, n):
            yield name("D", (i, j)), "d_ij", (i, j)
    for i in range(n):
        for j in range(n):
            if i != j:
                yield name("C", (i, j, j)), "c_jj(i)", (i, j, j)
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                yield name("C", (b, a, c)), "c_jm(i)", (b, a, c)
                yield name("C", (a, b, c)), "c_jm(i)", (a, b, c)
    for i in range(n):
        yield name("G", (i,)), "G_i", (i,)


def reason(label: str, full: Equations, symbols: Equations) -> str:
    """Why a coefficient is zero."""
    kind, index = parse(label, full.n)
    if kind == "C" and index[0] in index[1:] and min(index[1:]) <= index[0] == max(index[1:]):
        return BY_IDENTITY
    if not full[label]:
        return BY_GEOMETRY
    return BY_PARAMETERS if not symbols[label] else BY_CANCELLATION


def allowed(equations: Equations, kind: str, index: tuple[int, ...]) -> tuple[int, ...]:
    """The joints a coefficient may depend on: Table 1, sections 4.1, 4.2 and 5, read along the path of a tree."""
    chain = equations.model.chain
    n = chain.n
    revolute = [segment.revolute for segment in chain.segments]

    def outward(i: int) -> set[int]:
        return {j for j in range(n) if j != i and chain.below(i, j)}

    if kind == "d_ii":
        return tuple(sorted(outward(index[0]))) if revolute[index[0]] else ()
    if kind == "d_ij":
        i, j = index
        between = {k for k in outward(i) if k != j and chain.below(k, j)}
        if not chain.below(i, j):
            return ()
        if not revolute[j]:
            outer = outward(j) if revolute[i] else set()
            return tuple(sorted(between | outer))
        return tuple(sorted(outward(i)))
    if kind == "G_i":
        (i,) = index
        inner = {k for k in chain.paths[i] if k != i}
        return tuple(sorted(inner | outward(i) | {i})) if revolute[i] else tuple(sorted(inner))
    return tuple(sorted(outward(min(index))))


def relations(equations: Equations) -> dict[str, tuple[str, ...]]:
    """The relations among coefficients, each with its violations, decided by equality of normal forms."""
    n, d, c = equations.n, equations.mass_matrix, equations.christoffel
    lagrange = equations.second_christoffel
    joints = range(n)
    return {
        "symmetric: d_ij = d_ji": tuple(name("D", (i, j)) for i in joints for j in range(i) if d[i, j] != d[j, i]),
        "symmetric: c_jm(i) = c_mj(i), by Lagrange-Euler traces too": tuple(
            name("C", (i, j, m)) for i in joints for j in joints for m in joints if c[i, j, m] != lagrange[i, m, j]
        ),
        "centrifugal: c_jj(j) = 0 (36)": tuple(name("C", (j, j, j)) for j in joints if c[j, j, j]),
        "non-interacting: c_ji(i) = 0 for j <= i (38)": tuple(
            name("C", (i, j, i)) for i in joints for j in range(i + 1) if c[i, j, i]
        ),
        "reflective coupling: c_jm(i) = -c_ji(m) for j <= i, m (39)": tuple(
            name("C", (i, j, m))
            for i in joints
            for m in joints
            for j in range(min(i, m) + 1)
            if c[i, j, m] != -c[m, j, i]
        ),
    }
