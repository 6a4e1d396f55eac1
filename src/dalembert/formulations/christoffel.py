"""Christoffel symbols from the inertia matrix, whatever formulation gave it.

    c_ijk = (d D_ij/d q_k + d D_ik/d q_j - d D_jk/d q_i) / 2        (Tourassis and Neuman 1985, eq. 12)

The derivatives are exact: the composite-body page run over dual numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..rings.algebra import add, mul, sub
from ..rings.dual import Duals, slope_of
from ..rings.ring import Ring, Scalar
from . import composite_body
from .coefficients import Christoffel
from .model import Chain


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """``[i][j][k]``, symmetric in j and k."""
    n = chain.n
    duals = Duals(ring)
    matrix = composite_body.mass_matrix(chain, duals, [duals.variable(value, k) for k, value in enumerate(q)])
    half = ring.number(Fraction(1, 2))
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(j, n):
                turn = sub(add(slope_of(matrix[i][j], k), slope_of(matrix[i][k], j)), slope_of(matrix[j][k], i))
                symbols[i][j][k] = symbols[i][k][j] = mul(half, turn)
    return symbols
