"""Integrators as templates around a function: the same text for C over vectors of arms and for CUDA.

A template advances positions ``q`` and velocities ``qd`` (arrays of ``N`` numbers of ``{type}``) by ``{step}`` seconds;
``{rates}`` is the statement that puts the accelerations at ``q``, ``qd`` into ``a``.
"""

from __future__ import annotations

RK4 = """\
{type} q0[N], qd0[N], dq[N], dqd[N];
for (int k = 0; k < N; k++) {{ q0[k] = q[k]; qd0[k] = qd[k]; dq[k] = q[k] - q[k]; dqd[k] = dq[k]; }}
{pragma}
for (int stage = 0; stage < 4; stage++) {{
  {rates}
  const {scalar} weight = (stage == 0 || stage == 3) ? {step} / 6 : {step} / 3;
  const {scalar} next = stage == 2 ? {step} : {step} / 2;
  for (int k = 0; k < N; k++) {{
    dq[k] += weight * qd[k];
    dqd[k] += weight * a[k];
    q[k] = q0[k] + next * qd[k];
    qd[k] = qd0[k] + next * a[k];
  }}
}}
for (int k = 0; k < N; k++) {{ q[k] = q0[k] + dq[k]; qd[k] = qd0[k] + dqd[k]; }}
"""
"""Classical Runge-Kutta of order four."""

SEMI_IMPLICIT = """\
{rates}
for (int k = 0; k < N; k++) {{ qd[k] += {step} * a[k]; q[k] += {step} * qd[k]; }}
"""
"""Euler with the new velocity: one evaluation a step, energy bounded."""

METHODS = {"rk4": RK4, "semi-implicit": SEMI_IMPLICIT}


def advance(method: str, rates: str, step: str, type_: str, scalar: str = "", pragma: str = "") -> str:
    """The statements of one step; ``scalar`` is the type of a number where ``type_`` is a vector of them."""
    return METHODS[method].format(type=type_, scalar=scalar or type_, rates=rates, step=step, pragma=pragma)
