"""The linear model in closed form, from the equations of motion: every entry is an exact polynomial.

D^-1 is not a polynomial, so the model is kept in descriptor form,

    E dx/dt = A dx + B du,   E = [[1, 0], [0, D]],  A = [[0, 1], [-d tau/dq, -d tau/dqd]],  B = [[0], [1]],

whose poles and responses are those of the state-space model. Speeds and accelerations of the operating point are
the symbols qd1, ..., qdd1, ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..equations.closed_form import Equations
from ..equations.polynomial import as_polynomial
from ..systems.arrays import one_state

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SymbolicLinear:
    """E, A and B as arrays of polynomials; ``at`` evaluates the state-space matrices."""

    E: NDArray[np.object_]
    A: NDArray[np.object_]
    B: NDArray[np.object_]

    def at(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array]:
        """A and B of dx/dt = A dx + B du about this motion."""
        n = self.B.shape[1]
        values = {f"qd{i + 1}": float(v) for i, v in enumerate(one_state(n, "qd", qd))}
        values |= {f"qdd{i + 1}": float(a) for i, a in enumerate(one_state(n, "qdd", qdd))}
        e, a, b = (_numbers(table, q, values) for table in (self.E, self.A, self.B))
        return np.asarray(np.linalg.solve(e, a), np.float64), np.asarray(np.linalg.solve(e, b), np.float64)


def symbolic_linear(equations: Equations) -> SymbolicLinear:
    """The linear model of ``arm.equations()`` (or of the equations with drives), inputs joint torques."""
    arm = equations.arm
    frictions = [*(motor.friction for motor in arm.drives.actuators), *(f for _, f in arm.drives.joint_friction)]
    if arm.counts_drives and any(friction.viscous or friction.model.varies for friction in frictions):
        raise ArmError(
            f"{arm.where}{arm.name}: the closed form holds no friction, and what of it depends on the speed belongs "
            "into A; take it off with frictionless(), or ask linearize() for numbers"
        )
    n, space = equations.n, equations.moving_space
    zero, one = as_polynomial(space, 0), as_polynomial(space, 1)
    torque = equations.torque
    e, a = (np.full((2 * n, 2 * n), zero, dtype=object) for _ in range(2))
    b = np.full((2 * n, n), zero, dtype=object)
    for i in range(n):
        e[i, i] = a[i, n + i] = b[n + i, i] = one
        for j in range(n):
            e[n + i, n + j] = equations.mass_matrix[i, j].over(space)
            a[n + i, j] = -torque[i].diff(j)
            a[n + i, n + j] = -torque[i].diff(f"qd{j + 1}")
    return SymbolicLinear(e, a, b)


def _numbers(table: NDArray[np.object_], q: ArrayLike, values: dict[str, float]) -> Array:
    """A table of polynomials evaluated at one state."""
    numbers = np.zeros(table.shape)
    for index in np.ndindex(table.shape):
        polynomial: Any = table[index]
        if polynomial:
            used = {name: value for name, value in values.items() if name in polynomial.parameters}
            numbers[index] = polynomial(q, used)
    return numbers
