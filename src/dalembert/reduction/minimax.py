"""Shifts of constants that make the worst error least, by cutting planes (Kelley 1960).

With one unit of constant k contributing a_kicx to the coefficient c of joint i at position x, shifts d give the joint
the error

    w_i(d) = max_x sum_c |e_icx + sum_k d_k a_kicx| / target_i,

a convex function. max_i w_i, plus a small weight on the mean of the w_i, is minimised: at the positions of largest
error the tangents of w bound it from below, and a linear program over all tangents gives the next d. Each is solved
from the solution of the one before by the dual simplex method (Lemke 1954), with the inverse of the rows that are met
kept up to date. In machine code (``minimax.c``) where there is a compiler, else in NumPy.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from ..compile.own_library import own_library, pointer
from .states import Array

ROUNDS, AT_ONCE = 40, 4
"""Most linear programs, and the tangents that each adds for a joint."""
CLOSE = 0.02
"""Relative gap between the best value and the lower bound of the tangents at which the refit ends."""
REACH = 2.0
"""Bound on the shift of a constant: the largest change of any contribution, in targets."""
NUDGE = 1e-8
"""Cost of a shift itself, a little different for each: what settles which of equal solutions is taken."""
_POINTER, _INT, _NUMBER = ctypes.c_void_p, ctypes.c_int, ctypes.c_double
SOURCE = Path(__file__).with_name("minimax.c")
SIGNATURES = {
    "least_worst": (
        _INT, [*(_INT,) * 4, *(_POINTER,) * 3, _NUMBER, *(_INT,) * 3, *(_NUMBER,) * 3, _POINTER],
    )
}  # fmt: skip


def library() -> Any:
    """The search in machine code; None where there is no compiler."""
    return own_library(SOURCE, signatures=SIGNATURES)


def least_worst(error: Array, units: Array, target: Array, mean_weight: float, enough: bool = False) -> Array:
    """The shifts d that minimise the objective of the module docstring.

    With ``enough`` the search ends as soon as every w_i is at most one, or where no shifts make it so.
    """
    compiled = library()
    if compiled is None or not len(units):
        return _least_worst(error, units, target, mean_weight, enough)
    shifts = np.zeros(len(units))
    error, units, target = (np.ascontiguousarray(x, float) for x in (error, units, target))
    result = compiled.least_worst(
        *units.shape, pointer(error), pointer(units), pointer(target), mean_weight, enough, ROUNDS, AT_ONCE, CLOSE,
        REACH, NUDGE, pointer(shifts),
    )  # fmt: skip
    if result == 2:
        raise MemoryError("no memory for the refit of a reduction")
    return shifts


def _least_worst(error: Array, units: Array, target: Array, mean_weight: float, enough: bool) -> Array:
    """The same in NumPy."""
    count, joints = len(units), len(target)
    if not count:
        return np.zeros(0)
    size = (np.abs(units) / target[:, None, None]).reshape(count, -1).max(axis=1)
    size[size == 0] = 1.0
    a, e = units / size[:, None, None, None] / target[:, None, None], error / target[:, None, None]
    flat = a.reshape(count, -1)
    planes = CuttingPlanes(count, joints, mean_weight)
    shifts = best = np.zeros(count)
    smallest = np.inf
    for _ in range(ROUNDS):
        residual = e + (shifts @ flat).reshape(e.shape)
        sums = np.abs(residual).sum(axis=1)
        w = sums.max(axis=1)
        objective = float(w.max() + mean_weight * w.mean())
        if objective < smallest:
            smallest, best = objective, shifts
        if enough and w.max() <= 1.0:
            break
        for i in range(joints):
            for x in np.argsort(-sums[i], kind="stable")[:AT_ONCE].tolist():
                sign = np.sign(residual[i, :, x])
                row = np.zeros(count + joints + 1)
                row[:count], row[count + i] = a[:, i, :, x] @ sign, -1.0
                planes.add(row, -float(e[i, :, x] @ sign))
        bound = planes.solve()
        if bound is None or smallest - bound <= CLOSE * smallest or (enough and bound > 1.0):
            break
        shifts = planes.z[:count].copy()
    return np.asarray(best / size)


class CuttingPlanes:
    """The linear program over shifts d, errors w_i and their largest t: least t + weight mean w, row . z <= right.

    The dual simplex method: ``z`` meets the rows of the basis with equality, ``y`` says how much each is worth, none of
    them negative. A row that z violates enters, the one whose y first falls to zero leaves.
    """

    def __init__(self, count: int, joints: int, mean_weight: float) -> None:
        n = count + joints + 1
        nudges = NUDGE * (1 + (np.arange(count) * 7) % 11)
        self.cost = np.concatenate([nudges, np.full(joints, mean_weight / joints), [1.0]])
        self.rows, self.right = [*-np.eye(n)], [*np.where(np.arange(n) < count, REACH, 0.0)]
        for j in range(count):
            self.add(np.eye(n)[j], REACH)
        for i in range(joints):
            self.add(np.eye(n)[count + i] - np.eye(n)[n - 1], 0.0)
        self.inverse = -np.eye(n)
        self.z, self.y = np.where(np.arange(n) < count, -REACH, 0.0), self.cost.copy()

    def add(self, row: Array, limit: float) -> None:
        """One more plane."""
        self.rows.append(row)
        self.right.append(limit)

    def solve(self) -> float | None:
        """The least cost below all planes; None where rounding stands in the way."""
        rows, limits = np.array(self.rows), np.array(self.right)
        norms = np.maximum((rows * rows).sum(axis=1), 1e-300)
        for _ in range(50 * len(self.z)):
            excess = rows @ self.z - limits
            steep = np.where(excess > 1e-9, excess * excess / norms, 0.0)
            enter = int(steep.argmax())
            if not steep[enter] > 0:
                return float(self.cost @ self.z)
            alpha = rows[enter] @ self.inverse
            ratios = np.where(alpha > 1e-9, self.y / np.where(alpha > 1e-9, alpha, 1.0), np.inf)
            if not np.isfinite(ratios.min()):
                return None
            leave = int(np.where(ratios <= ratios.min() + 1e-12, alpha, -1.0).argmax())
            pivoted = self.inverse[:, leave] / alpha[leave]
            self.inverse -= np.outer(pivoted, alpha)
            self.inverse[:, leave] = pivoted
            self.z = self.z - pivoted * excess[enter]
            step = self.y[leave] / alpha[leave]
            self.y = np.maximum(self.y - step * alpha, 0.0)
            self.y[leave] = step
        return None
