"""Christoffel symbols and the Coriolis matrix.

    c_ijk = (d D_ij/d q_k + d D_ik/d q_j - d D_jk/d q_i) / 2        (Tourassis and Neuman 1985, eq. 12)

The derivatives are exact: the composite-body page run over dual numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..rings.algebra import ZERO, add, mul, sub
from ..rings.dual import Duals, slope_of
from ..rings.ring import Ring, Scalar
from . import composite_body, newton_euler
from .chain import Chain
from .coefficients import Christoffel

HALF = Fraction(1, 2)


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """``[i][j][k]``, symmetric in j and k."""
    duals = Duals(ring)
    matrix = composite_body.mass_matrix(chain, duals, [duals.variable(value, k) for k, value in enumerate(q)])
    return of_matrix(matrix, ring)


def of_matrix(matrix: Sequence[Sequence[Scalar]], ring: Ring) -> Christoffel:
    """The symbols of any D whose entries are dual numbers over ``ring``, with slopes to the positions."""
    n, half = len(matrix), ring.number(HALF)
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(j, n):
                turn = sub(add(slope_of(matrix[i][j], k), slope_of(matrix[i][k], j)), slope_of(matrix[j][k], i))
                symbols[i][j][k] = symbols[i][k][j] = mul(half, turn)
    return symbols


def coriolis_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """C(q, qd)_ij = sum_k c_ijk qd_k, for which C qd = h and dD/dt - 2C is skew-symmetric.

    h_i = sum_jk c_ijk qd_j qd_k with c symmetric in j and k, so C is half the slope of h to the velocities: one pass
    of Newton-Euler over dual numbers, without gravity, in place of all the symbols.
    """
    duals = Duals(ring)
    moving = [duals.variable(value, k) for k, value in enumerate(qd)]
    weightless = replace(chain, gravity=ZERO)
    velocity = newton_euler.inverse_dynamics(weightless, duals, q, moving, [0] * chain.n)
    half = ring.number(HALF)
    return [[mul(half, slope_of(torque, k)) for k in range(chain.n)] for torque in velocity]
