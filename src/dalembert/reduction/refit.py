"""Constants refitted so that the worst error on the samples is least.

Torques are linear in the constants: with one unit of constant k contributing a_kcx to the coefficient c of a joint at
position x, the shifts d make the error

    w_i(d) = max_x sum_c |e_icx + sum_k d_k a_kicx| / target_i

of joint i, a convex function. The least of max_i w_i is found by Kelley's cutting planes (1960): where w is largest,
its tangent bounds it from below; a linear program over all tangents gives the next d. One shift serves all loads.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from .hoist import Hoisted
from .samples import Samples, worst
from .states import Array

ROUNDS, AT_ONCE = 40, 2
"""Linear programs, and tangents that each adds for a joint."""
CLOSE = 0.01
"""A fit is done when the tangents leave no more than this of the error to be won."""
REACH = 2.0
"""How far a shift may move any contribution, in targets."""
REST = 0.3
"""What the mean error of the joints counts beside the worst: headroom at every joint is worth something."""


def refitted(program: Hoisted, samples: Samples, target: Array, rest: float = REST) -> Hoisted:
    """The program with shifted constants, or as it was where that is no better on the samples.

    ``rest`` is what the mean error of the joints counts beside the worst.
    """
    order, _, slopes = samples.slopes(program)
    names, units = samples.per_constant(program, order, slopes)
    error = samples.error(program)
    if not names or not np.any(error):
        return program
    shifts = least_worst(error, units, target, rest)
    before, after = (worst(e) / target for e in (error, error + np.tensordot(shifts, units, 1)))
    worth = [float(w.max() + rest * w.mean()) for w in (before, after)]
    if after.max() > max(before.max(), 1.0) or worth[1] > 0.995 * worth[0]:
        return program
    values = {name: rounded(value) for name, value in zip(names, shifts, strict=True)}
    return program.shifted(values)


def rounded(value: float) -> Fraction:
    """Six digits are more than a fit is worth, and stay readable."""
    return Fraction(f"{value:.5e}") if abs(value) > 1e-12 else Fraction(0)


def least_worst(error: Array, units: Array, target: Array, rest: float) -> Array:
    """The shifts d of the equation above."""
    count, joints = len(units), len(target)
    size = (np.abs(units) / target[:, None, None]).reshape(count, -1).max(axis=1)
    size[size == 0] = 1.0
    a, e = units / size[:, None, None, None] / target[:, None, None], error / target[:, None, None]
    # Unknowns: the shifts, w_1 to w_n, and their largest.
    cost = np.concatenate([np.zeros(count), np.full(joints, rest / joints), [1.0]])
    free = [(-REACH, REACH)] * count + [(0, None)] * (joints + 1)
    rows = [np.concatenate([np.zeros(count), np.eye(joints)[i], [-1.0]]) for i in range(joints)]
    right = [0.0] * joints
    shifts = best = np.zeros(count)
    least = np.inf
    for _ in range(ROUNDS):
        left = e + np.tensordot(shifts, a, 1)
        sums = np.abs(left).sum(axis=1)
        w = sums.max(axis=1)
        worth = float(w.max() + rest * w.mean())
        if worth < least:
            least, best = worth, shifts
        for i in range(joints):
            for x in np.argsort(-sums[i])[:AT_ONCE].tolist():
                sign = np.sign(left[i, :, x])
                slope = a[:, i, :, x] @ sign
                rows.append(np.concatenate([slope, -np.eye(joints)[i], [0.0]]))
                right.append(-float(e[i, :, x] @ sign))
        found = linprog(cost, np.stack(rows), np.array(right), bounds=free, method="highs")
        if not found.success or least - found.fun <= CLOSE * least:
            break
        shifts = found.x[:count]
    return best / size
