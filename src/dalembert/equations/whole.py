"""What the coefficients make up: torques and kinetic energy, with joint speeds and accelerations as symbols.

    tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i
    K = sum_ij D_ij qd_i qd_j / 2

Both are linear in the inertia of the bodies, so the share of one link is made of its shares in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .polynomial import TrigPolynomial, as_polynomial
from .space import Space
from .symbols import Symbol

SPEED, ACCELERATION = "qd", "qdd"


def moving_space(space: Space, n: int) -> Space:
    """The ring with joint speeds qd1, ... and accelerations qdd1, ... as symbols."""
    marks = ((SPEED, "speed"), (ACCELERATION, "acceleration"))
    return space.extended(Symbol(f"{mark}{i + 1}", None, kind) for mark, kind in marks for i in range(n))


@dataclass(frozen=True)
class MotionSymbols:
    """Joint speeds and accelerations as polynomials of ``space``."""

    space: Space
    n: int

    def symbols(self, mark: str) -> list[TrigPolynomial]:
        """qd1, qd2, ... or qdd1, qdd2, ..."""
        return [as_polynomial(self.space, self.space.ring.symbol(f"{mark}{i + 1}")) for i in range(self.n)]

    def torque(self, inertia: Any, velocity: Any, gravity: Any) -> TrigPolynomial:
        """tau_i from row i of D, C_ijk for j <= k and G_i; C_ijk with two joints stands twice in the sum."""
        qd, qdd = self.symbols(SPEED), self.symbols(ACCELERATION)
        total = as_polynomial(self.space, 0) + gravity
        for j in range(self.n):
            total = total + qdd[j] * inertia[j]
            for k in range(j, self.n):
                if velocity[j][k]:
                    total = total + qd[j] * qd[k] * velocity[j][k] * (1 if j == k else 2)
        return total

    def kinetic_energy(self, matrix: Any) -> TrigPolynomial:
        """K from D."""
        qd = self.symbols(SPEED)
        total = as_polynomial(self.space, 0)
        for i in range(self.n):
            for j in range(i, self.n):
                total = total + qd[i] * qd[j] * matrix[i][j] * (Fraction(1, 2) if i == j else 1)
        return total
