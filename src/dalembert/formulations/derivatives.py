"""Exact derivatives of inverse and forward dynamics.

Inverse: Newton-Euler over dual numbers, whose tangents are sparse (a body does not depend on joints beyond
it). Forward: from tau(q, qd, qdd(q, qd, tau)) = tau follows

    d qdd/dx = -D^-1 d tau/dx  for x = q, qd,    d qdd/d tau = D^-1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..rings.algebra import add, sub
from ..rings.dual import Duals, slope_of
from ..rings.ring import Field, Ring, Scalar
from . import articulated_body, composite_body, newton_euler
from .chain import Chain
from .factor import factor, solve

Table = list[list[Scalar]]
Extra = Callable[[Ring, Sequence[Scalar], Sequence[Scalar]], list[Scalar]]
"""A further load Q(q, qd) on the joints (springs, dampers), to be taken off the torque."""


def inverse_dynamics_derivatives(
    chain: Chain,
    ring: Ring,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    extra: Extra | None = None,
) -> tuple[Table, Table, Table]:
    """d tau/dq, d tau/dqd and d tau/dqdd = D."""
    n = chain.n
    duals = Duals(ring)
    moving_q = [duals.variable(value, k) for k, value in enumerate(q)]
    moving_qd = [duals.variable(value, n + k) for k, value in enumerate(qd)]
    torque = newton_euler.inverse_dynamics(chain, duals, moving_q, moving_qd, qdd)
    if extra is not None:
        torque = [sub(t, load) for t, load in zip(torque, extra(duals, moving_q, moving_qd), strict=True)]
    to_q = [[slope_of(t, k) for k in range(n)] for t in torque]
    to_qd = [[slope_of(t, n + k) for k in range(n)] for t in torque]
    return to_q, to_qd, composite_body.mass_matrix(chain, ring, q)


def forward_dynamics_derivatives(
    chain: Chain,
    field: Field,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    extra: Extra | None = None,
) -> tuple[Table, Table, Table]:
    """d qdd/dq, d qdd/dqd and d qdd/d tau = D^-1."""
    drive = list(tau)
    if extra is not None:
        drive = [add(t, load) for t, load in zip(tau, extra(field, q, qd), strict=True)]
    qdd = articulated_body.forward_dynamics(chain, field, q, qd, drive)
    to_q, to_qd, matrix = inverse_dynamics_derivatives(chain, field, q, qd, qdd, extra)
    lower, pivots = factor(chain, field, matrix)

    def answer(columns: Table) -> Table:
        solved = [solve(chain, lower, pivots, [sub(0, row[k]) for row in columns]) for k in range(chain.n)]
        return [[solved[k][i] for k in range(chain.n)] for i in range(chain.n)]

    inverse = [solve(chain, lower, pivots, [int(i == k) for i in range(chain.n)]) for k in range(chain.n)]
    return answer(to_q), answer(to_qd), inverse
