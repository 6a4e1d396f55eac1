"""The equations of a mechanism in closed form: exact polynomials in the joints of all chains, and quotients of them.

    D(phi) phi'' + phi'.C(phi) phi' + G(phi) = T + Q + [G^c]^T T_c,     c(phi) = 0,

in the joints phi, always; Q are the loads of springs and dampers (``elastic_quantities.py``). Where the coordinates q
are joints and no constraint is redundant, the others u follow by

    u' = -[G^c_u]^-1 [G^c_q] q' = N q' / d,  d = det [G^c_u],      I*_qq = Y^T D Y / d^2,  Y = (d E, N),
    [H^u_qq] = -[G^c_u]^-1 (X^T [H^c] X) = Z / d^3,                P*_qqq = (d Y^T.(Y^T C Y) + Y^T D . Z) / d^4,

by Cramer's rule (Freeman 1985, eqs 3-15, 3-19, 3-34, 3-35, 4-22): quotients of polynomials, exact on the closed
configurations. The joints u themselves as functions of q are roots of polynomial equations, of degree two for a planar
loop and up to forty for a Stewart platform, and no polynomials in sines and cosines: ``position`` finds them.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..equations.polynomial_array import PolynomialArray
from ..systems.arrays import vector_array
from .closed_quotients import ClosedQuotients, PolynomialSystem, Products, block_sizes
from .joint_equations import JointEquations

MOST_CLOSING = 6
"""Closure equations up to which joints are eliminated at once: determinants grow with their factorial."""


class MechanismEquations(JointEquations):
    """The closed form of a mechanism: in all joints, and in its coordinates where these are joints."""

    @cached_property
    def _split(self) -> tuple[list[int], list[int]]:
        """The joints that are coordinates, and those that follow from them."""
        mechanism = self.mechanism
        chosen = [coordinate.joint for coordinate in mechanism.assembly.coordinates]
        dependent = [k for k in range(mechanism.m) if k not in chosen]
        fault = ""
        if min(chosen, default=0) < 0:
            fault = "a coordinate of it is no joint; choose joints with with_coordinates([...])"
        elif mechanism.r != len(dependent):
            fault = f"{mechanism.r - len(dependent)} of its closure equations are redundant; hold fewer freedoms"
        if fault:
            raise ArmError(f"{mechanism.name}: no closed form in its coordinates: {fault}")
        return chosen, dependent

    @cached_property
    def _products(self) -> Products:
        return Products(self.mechanism.name, self.one)

    @cached_property
    def _closing(self) -> PolynomialSystem:
        """[G^c_u], to be solved for the rates of the joints that follow."""
        _, dependent = self._split
        # which slopes are zero is seen in numbers first: polynomials of many joints take long
        somewhere = np.random.default_rng(0).uniform(-1, 1, (1, self.mechanism.m))
        slopes = np.abs(self.mechanism.assembly.closure_jacobian(somewhere)[0][:, dependent])
        sizes = block_sizes(slopes > 1e-12 * slopes.max(initial=1.0))
        fault = ""
        if max(sizes, default=0) > MOST_CLOSING:
            fault = (
                f"{max(sizes)} joints would have to be eliminated at once, and at most {MOST_CLOSING} are; "
                "ask for numbers"
            )
        elif dependent and not sizes:
            fault = "they determine the other joints nowhere; choose others with with_coordinates([...])"
        if fault:
            raise ArmError(f"{self.mechanism.name}: no closed form in its coordinates: {fault}")
        self._products.begin()
        return PolynomialSystem(np.asarray(self.jacobian)[:, dependent], self._products)

    @cached_property
    def influence(self) -> ClosedQuotients:
        """[G^phi_q] ``(m, n)``: rates of all joints per rate of a coordinate, over det [G^c_u] (3-15)."""
        chosen, dependent = self._split
        closing = self._closing
        self._products.begin()
        numerator = np.full((self.mechanism.m, len(chosen)), self._products.zero, dtype=object)
        for j, k in enumerate(chosen):
            numerator[k, j] = closing.determinant
        numerator[dependent] = closing.solve(-np.asarray(self.jacobian)[:, chosen])
        return ClosedQuotients(PolynomialArray.of(numerator), closing.determinant)

    @cached_property
    def second_influence(self) -> ClosedQuotients:
        """[H^phi_qq] ``(m, n, n)`` over det^3: phi'' = [G] q'' + q'.[H] q' (3-19)."""
        chosen, dependent = self._split
        n, y, closing, products = len(chosen), np.asarray(self.influence.numerator), self._closing, self._products
        products.begin()
        pairs = [(j, k) for j in range(n) for k in range(j, n)]
        right = np.empty((len(dependent), len(pairs)), dtype=object)
        for i, bend in enumerate(np.asarray(self.second_order)):
            pulled = products.matrix(bend, y)
            for p, (j, k) in enumerate(pairs):
                right[i, p] = -products.total(y[:, j], pulled[:, k])
        solved = closing.solve(right)
        numerator = np.full((self.mechanism.m, n, n), products.zero, dtype=object)
        for p, (j, k) in enumerate(pairs):
            numerator[dependent, j, k] = numerator[dependent, k, j] = solved[:, p]
        return ClosedQuotients(PolynomialArray.of(numerator), products.power(closing.determinant, 3))

    @cached_property
    def inertia(self) -> ClosedQuotients:
        """I*_qq ``(n, n)`` over det^2 (3-34)."""
        y, pushed, products = np.asarray(self.influence.numerator), self._mass_times_influence, self._products
        products.begin()
        numerator = products.matrix(y.T, pushed)
        return ClosedQuotients(PolynomialArray.of(numerator), products.power(self.influence.denominator, 2))

    @cached_property
    def power(self) -> ClosedQuotients:
        """P*_qqq ``(n, n, n)`` over det^4: loads q'.P* q' of constant rates, symmetric in the last two (3-35)."""
        y, denominator, pushed = (
            np.asarray(self.influence.numerator),
            self.influence.denominator,
            self._mass_times_influence,
        )
        bent, n, products = np.asarray(self.second_influence.numerator), y.shape[1], self._products
        products.begin()
        symbols = [products.matrix(np.asarray(plane), y) for plane in self.christoffel]
        numerator = np.empty((n, n, n), dtype=object)
        for j in range(n):
            for k in range(j, n):
                convective = [products.times(products.total(y[:, j], plane[:, k]), denominator) for plane in symbols]
                for i in range(n):
                    total = products.total(y[:, i], convective) + products.total(pushed[:, i], bent[:, j, k])
                    numerator[i, j, k] = numerator[i, k, j] = total
        return ClosedQuotients(PolynomialArray.of(numerator), products.power(denominator, 4))

    @cached_property
    def _mass_times_influence(self) -> NDArray[np.object_]:
        """D Y."""
        y = np.asarray(self.influence.numerator)
        self._products.begin()
        return self._products.matrix(np.asarray(self.mass_matrix), y)

    @cached_property
    def gravity_load(self) -> ClosedQuotients:
        """What holds the weight at the coordinates ``(n,)``, over det."""
        y, g = np.asarray(self.influence.numerator), np.asarray(self.gravity)
        self._products.begin()
        numerator = self._products.matrix(y.T, g[:, None])[:, 0]
        return ClosedQuotients(PolynomialArray.of(numerator), self.influence.denominator)

    def inverse_dynamics(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> NDArray[np.float64]:
        """T_q = I* q'' + q'.P* q' + [G^phi_q]^T (G - Q) ``(..., n)`` of closed joints phi, from the closed form."""
        n = self.mechanism.n
        joints = vector_array(self.mechanism.m, "phi", phi)
        speed, rate2 = (vector_array(n, k, x, "coordinate") for k, x in (("qd", qd), ("qdd", qdd)))
        x = self.influence(joints)
        static = self.gravity_load(joints)
        if self.elastics:
            rate = np.einsum("...mn,...n->...m", x, speed)
            static = static - np.einsum("...mn,...m->...n", x, self.elastic_load(joints, rate))
        velocity_load = np.einsum("...ijk,...j,...k->...i", self.power(joints), speed, speed)
        return np.asarray(np.einsum("...ij,...j->...i", self.inertia(joints), rate2) + velocity_load + static)
