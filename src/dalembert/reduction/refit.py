"""Minimax refit of the constants of a program on sample states.

Torques are linear in the constants: with one unit of constant k contributing a_kcx to the coefficient c of a joint at
position x, shifts d of the constants give joint i the error

    w_i(d) = max_x sum_c |e_icx + sum_k d_k a_kicx| / target_i,

a convex function. max_i w_i, plus a small weight on the mean of the w_i, is minimised by cutting planes (Kelley 1960):
at the positions of largest error the tangents of w bound it from below, and a linear program over all tangents gives
the next d. One shift serves all loads.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from .hoist import Hoisted
from .samples import Samples, worst
from .states import Array

ROUNDS, AT_ONCE = 40, 4
"""Most linear programs, and the tangents that each adds for a joint."""
CLOSE = 0.02
"""Relative gap between the best value and the lower bound of the tangents at which the refit ends."""
REACH = 2.0
"""Bound on the shift of a constant: the largest change of any contribution, in targets."""
MEAN_WEIGHT = 0.3
"""Default weight of the mean error of the joints against the largest: margin at every joint helps later pruning."""


def refitted(program: Hoisted, samples: Samples, target: Array, mean_weight: float = MEAN_WEIGHT) -> Hoisted:
    """The program with shifted constants, or unchanged where that is no better on the samples.

    ``mean_weight`` is the weight of the mean error of the joints against the largest.
    """
    order, _, slopes = samples.slopes(program)
    names, units = samples.per_constant(program, order, slopes)
    error = samples.error(program)
    if not names or not np.any(error):
        return program
    shifts = least_worst(error, units, target, mean_weight)
    before, after = (worst(e) / target for e in (error, error + np.tensordot(shifts, units, 1)))
    objective = [float(w.max() + mean_weight * w.mean()) for w in (before, after)]
    if after.max() > max(before.max(), 1.0) or objective[1] > 0.995 * objective[0]:
        return program
    values = {name: rounded(value) for name, value in zip(names, shifts, strict=True)}
    return program.shifted(values)


def rounded(value: float) -> Fraction:
    """A shift rounded to six digits, which is finer than the refit and stays readable."""
    return Fraction(f"{value:.5e}") if abs(value) > 1e-12 else Fraction(0)


def least_worst(error: Array, units: Array, target: Array, mean_weight: float, enough: bool = False) -> Array:
    """The shifts d that minimise the objective of the module docstring.

    With ``enough`` the search ends as soon as every w_i is at most one, or where no shifts make it so.
    """
    count, joints = len(units), len(target)
    size = (np.abs(units) / target[:, None, None]).reshape(count, -1).max(axis=1)
    size[size == 0] = 1.0
    a, e = units / size[:, None, None, None] / target[:, None, None], error / target[:, None, None]
    flat = a.reshape(count, -1)
    # Unknowns: the shifts, w_1 to w_n, and their largest.
    cost = np.concatenate([np.zeros(count), np.full(joints, mean_weight / joints), [1.0]])
    least_allowed = np.concatenate([np.full(count, -REACH), np.zeros(joints + 1)])
    most_allowed = np.concatenate([np.full(count, REACH), np.full(joints + 1, np.inf)])
    room = Bounds(least_allowed, most_allowed)
    most_rows = joints * (1 + ROUNDS * AT_ONCE)
    rows, right = np.zeros((most_rows, count + joints + 1)), np.zeros(most_rows)
    rows[:joints, count:-1], rows[:joints, -1] = np.eye(joints), -1.0
    filled = joints
    shifts = best = np.zeros(count)
    least = np.inf
    for _ in range(ROUNDS):
        residual = e + (shifts @ flat).reshape(e.shape)
        sums = np.abs(residual).sum(axis=1)
        w = sums.max(axis=1)
        objective = float(w.max() + mean_weight * w.mean())
        if objective < least:
            least, best = objective, shifts
        if enough and w.max() <= 1.0:
            break
        for i in range(joints):
            for x in np.argpartition(-sums[i], AT_ONCE - 1)[:AT_ONCE].tolist():
                sign = np.sign(residual[i, :, x])
                rows[filled, :count], rows[filled, count + i] = a[:, i, :, x] @ sign, -1.0
                right[filled] = -float(e[i, :, x] @ sign)
                filled += 1
        tangents = LinearConstraint(rows[:filled], -np.inf, right[:filled])
        solution = milp(cost, constraints=tangents, bounds=room, options={"presolve": False})
        if solution.x is None or least - solution.fun <= CLOSE * least or (enough and solution.fun > 1.0):
            break
        shifts = solution.x[:count]
    return np.asarray(best / size)
