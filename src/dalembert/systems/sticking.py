"""Who sticks: friction of standing shafts, exactly, with the load and all couplings in.

A contact is a row c with relative speed c . qd: a motor shaft, a joint, or a stop that a joint leans on. Standing
contacts carry forces lambda within their limits; among all such forces those are real that leave the contact at
rest where they are inside the limits, and lie at a limit, against the motion, where it starts to move:

    a = C D^-1 (r + C^T lambda),    a_c = 0 or lambda_c at the limit that opposes a_c.

These are the conditions of least  lambda . A lambda / 2 + lambda . a0  within the limits, A = C D^-1 C^T: a convex
problem with one answer for the accelerations, solved by bounded least squares (Moreau 1988; Anitescu and Potra
1997). No regularisation is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.shaft_friction import Friction
from ..formulations.friction import ShaftFriction, contact_friction
from ..rings.real import REAL

Array = NDArray[np.float64]

SWEEPS = 2000
"""Sweeps of Gauss-Seidel at most; a handful suffice for matrices near a symmetric one."""
SETTLED = 1e-9
"""Change of the forces, as a part of the largest, in the last of so many sweeps that is still an answer."""


@dataclass(frozen=True)
class Contact:
    """A shaft with Coulomb friction: its speed is ``row`` . qd.

    Friction of several shafts that turn with it, each at a ratio to its speed, adds up in it: ``shafts`` name them,
    as ``contacts.py`` does, in the order of ``parts``. ``motor`` is the number of the motor whose shaft it is, -1 for a
    joint.
    """

    name: str
    row: Array
    parts: tuple[tuple[float, Friction], ...]
    motor: int = -1
    shafts: tuple[str, ...] = ()

    @cached_property
    def hold(self) -> float:
        """The load it holds while it stands."""
        return sum(abs(ratio) * friction.hold for ratio, friction in self.parts)

    @cached_property
    def varies(self) -> bool:
        """True if its friction depends on more than the direction of its speed."""
        return any(friction.model.varies for _, friction in self.parts)

    @cached_property
    def _laws(self) -> tuple[tuple[float, ShaftFriction], ...]:
        return tuple((ratio, ShaftFriction.of(friction, REAL)) for ratio, friction in self.parts)

    def sliding(self, direction: float, speed: float = 0.0) -> float:
        """The friction force on the shaft while it moves in ``direction`` at this speed, viscous friction left out."""
        return float(contact_friction(REAL, self._laws, math.copysign(1.0, direction), speed))


def contact_forces(
    mass: Array, torque: Array, rows: Array, low: Array, high: Array, drift: Array | None = None
) -> tuple[Array, Array]:
    """Forces lambda of standing contacts and their accelerations; ``torque`` is what acts otherwise, less the bias.

    ``drift`` is what velocities alone give the contacts, for rows that vary.
    """
    if not np.array_equal(mass, mass.T):
        return _forces_of_any_matrix(mass, torque, rows, low, high, drift)
    lower = np.linalg.cholesky(mass)
    leverage = np.linalg.solve(lower, rows.T)
    pull = np.linalg.solve(lower, torque)
    if drift is not None and drift.any():
        pull = pull + np.linalg.lstsq(leverage.T, drift, rcond=None)[0]
    # contacts of motors and joints differ in size by gear ratios: solved in columns of length one
    size = np.linalg.norm(leverage, axis=0)
    size[size == 0] = 1.0  # a shaft that closed loops hold still: no motion turns it, and no force of it moves anything
    from scipy.optimize import lsq_linear  # SciPy takes its time: imported where something sticks

    answer = lsq_linear(leverage / size, -pull, bounds=(low * size, high * size), method="bvls", tol=1e-15)
    force = np.clip(answer.x / size, low, high)
    return force, leverage.T @ (pull + leverage @ force)


def _forces_of_any_matrix(
    mass: Array, torque: Array, rows: Array, low: Array, high: Array, drift: Array | None
) -> tuple[Array, Array]:
    """The same for a matrix that is not quite symmetric, as reduced models have: projected Gauss-Seidel.

    The conditions are those of a linear complementarity problem with A = C D^-1 C^T, which has one solution while D is
    positive definite (Cottle, Pang and Stone 1992).
    """
    inverse = np.linalg.inv(mass)
    matrix, start = rows @ inverse @ rows.T, rows @ inverse @ torque
    start = start if drift is None else start + drift
    force = np.zeros(len(rows))
    for _ in range(SWEEPS):
        before = force.copy()
        for c in np.flatnonzero(np.diag(matrix)):  # the others stand still whatever moves
            residual = start[c] + matrix[c] @ force - matrix[c, c] * force[c]
            force[c] = np.clip(-residual / matrix[c, c], low[c], high[c])
        change = np.abs(force - before).max() / max(1.0, np.abs(force).max())
        if change <= 1e-16:
            break
    else:
        if change > SETTLED:
            raise ArmError(
                "which shafts stand cannot be decided, since the matrix of this reduced model is too far from "
                "symmetric; reduce it with a smaller tolerance"
            )
    return force, start + matrix @ force


EXACT, PROGRAMMED = 1e-10, 1e-6
"""How far the share that standing contacts use is known: from linear equations, and from a linear programme."""


def holding_share(rows: Array, needed: Array, low: Array, high: Array) -> tuple[float, float]:
    """How much of their limits standing contacts use to give ``needed`` = C^T lambda, and how well that is known.

    Above 1 something moves. For limits (-hold, hold); a stop, with limits (0, inf), uses less than all of its own while
    it is pushed and more while it is pulled.
    """
    count, size = len(rows), max(1.0, float(np.abs(needed).max()))
    if np.linalg.matrix_rank(rows) == count:
        force = np.linalg.lstsq(rows.T, needed, rcond=None)[0]
        return float(max(_share(f, a, b, size) for f, a, b in zip(force, low, high, strict=True))), EXACT
    # rows that depend on each other share the load; the best they can do is a linear programme
    bounded = np.isfinite(high)
    cost = np.r_[np.zeros(count), 1.0]
    limits = np.vstack(
        [
            np.column_stack([np.eye(count)[bounded], -high[bounded]]),
            np.column_stack([-np.eye(count)[bounded], low[bounded]]),
        ]
    )
    from scipy.optimize import linprog

    programme = linprog(
        cost,
        A_ub=limits,
        b_ub=np.zeros(len(limits)),
        A_eq=np.column_stack([rows.T, np.zeros(rows.shape[1])]) / size,
        b_eq=needed / size,
        bounds=[*((None, None) if b else (0, None) for b in bounded), (0, None)],
    )
    return float(programme.x[-1]) if programme.success else 2.0, PROGRAMMED


def _share(force: float, low: float, high: float, size: float) -> float:
    if not np.isfinite(high):
        return 1.0 - force / size
    if high <= 0 <= low:
        return 2.0
    return force / high if force > 0 else force / low


def free_directions(rows: Array, n: int) -> Array:
    """A basis of {qd: rows . qd = 0} by elimination, columns; joints that stand get exact zeros."""
    work = np.array(rows, dtype=float).reshape(-1, n)
    scale = np.abs(work).max(axis=1, initial=1.0)
    work = work / np.where(scale > 0, scale, 1.0)[:, None]
    pivots: list[int] = []
    for rank in range(min(len(work), n)):
        remaining = np.abs(work[rank:])
        i, j = divmod(int(np.argmax(remaining)), n)
        if remaining[i, j] < 1e-12:
            break
        work[[rank, rank + i]] = work[[rank + i, rank]]
        work[rank] /= work[rank, j]
        for k in range(len(work)):
            if k != rank and work[k, j]:
                work[k] -= work[k, j] * work[rank]
        pivots.append(j)
    free = [j for j in range(n) if j not in pivots]
    basis = np.zeros((n, len(free)))
    for column, j in enumerate(free):
        basis[j, column] = 1.0
        for row, pivot in enumerate(pivots):
            basis[pivot, column] = -work[row, j] if work[row, j] else 0.0
    return basis
