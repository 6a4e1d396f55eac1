"""Candidates of a closed form, judged by the arm itself: which of them reach their poses, within the limits.

A candidate that rounding near a singular pose, or axes that only nearly meet, leave beside its pose is brought there by
steps of damped least squares on the arm as it is. Nothing counts as a solution but what forward kinematics says is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ..descent import Descent
from .decomposition import ClosedForm
from .subproblems import LOST

Array = NDArray[np.float64]
SAME = 1e-4
"""Solutions whose joints are closer than this (rad, or lengths of the arm) are one."""
ROUNDING = 1e-7
"""What lacks less than this (rad, lengths of the arm) may be kept from its pose by rounding: nothing is proven."""
PIECE = 8192
"""Poses at once, to bound the memory."""
REGULAR = 1e-4
"""A solution is isolated, with margin, where the smallest singular value of its Jacobian is more than this."""
DOUBTFUL = 1e-7
"""Squares of singular values that are not above this by an estimate are looked at."""
SHARP, STRAY, STEPS = 1e-10, 1e-3, 8
"""Errors (rad, lengths of the arm) above which a candidate is brought nearer, from which it is none; and the steps."""


@dataclass(frozen=True)
class AllSolutions:
    """Solutions ``q`` ``(poses, most, n)``, nearest first: those of the first ``count`` of each pose.

    ``endless`` are poses of which a joint is free, or so nearly that nothing is proven: the list may be some of
    endlessly many. ``lost`` are those where the closed form does not know that it has them all. ``closest`` is the
    candidate that comes nearest to each pose, reached or not.
    """

    q: Array
    count: NDArray[np.int64]
    position_error: Array
    orientation_error: Array
    endless: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    closest: Array


def revolute(descent: Descent) -> NDArray[np.bool_]:
    """Which joints turn."""
    arm = descent.arm
    return arm.kept("revolute", lambda: np.array([joint.kind == "revolute" for joint in arm.moving], dtype=bool))


def within_limits(q: Array, near: Array, descent: Descent) -> tuple[Array, NDArray[np.bool_]]:
    """The same positions by whole turns as near to ``near`` as the limits allow, and where they allow any.

    What is beyond a limit by rounding alone is put on it.
    """
    whole = np.where(revolute(descent), math.tau, np.inf)
    lower, upper = descent.lower, descent.upper
    moved = q + np.where(revolute(descent), math.tau * np.round((near - q) / whole), 0.0)
    beyond = (moved > upper + SHARP) | (moved < lower - SHARP)
    if beyond.any():
        turns = np.ceil(np.maximum(moved - upper - SHARP, 0.0) / whole)
        moved = moved - np.where(turns > 0, turns * math.tau, 0.0)
        turns = np.ceil(np.maximum(lower - SHARP - moved, 0.0) / whole)
        moved = moved + np.where(turns > 0, turns * math.tau, 0.0)
        beyond = (moved > upper + SHARP) | (moved < lower - SHARP)
    return np.minimum(np.maximum(moved, lower), upper), np.asarray(~beyond.any(axis=-1))


def all_solutions(form: ClosedForm, descent: Descent, target: Array, near: Array) -> AllSolutions:
    """All solutions of poses ``(poses, 4, 4)`` within the limits of ``descent``, those nearest to ``near`` first."""
    if len(target) > PIECE:
        parts = [
            all_solutions(form, descent, target[begin : begin + PIECE], near[begin : begin + PIECE])
            for begin in range(0, len(target), PIECE)
        ]
        return AllSolutions(
            *(np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(AllSolutions))
        )
    task = descent.task
    q, free = form.candidates(target, near)
    # where one would rather be is a candidate too: if it solves the pose it is the answer, a free joint or not
    q, free = np.concatenate([q, near[:, None]], axis=1), np.concatenate([free, np.zeros((len(q), 1))], axis=1)
    count, _, n = q.shape
    _, off, about = task.errors(descent.arm.forward_kinematics(q), target[:, None])
    scaled = np.maximum(off / task.length, about)
    vague = (scaled > SHARP) & (scaled < STRAY)
    if vague.any():
        which = np.nonzero(vague)
        sharp = replace(task, position_tolerance=SHARP * task.length, orientation_tolerance=SHARP, error="angle-axis")
        endless = np.full(n, math.inf)
        lanes = replace(descent, task=sharp, lower=-endless, upper=endless).run(q[which], target[which[0]], STEPS)
        q[which], off[which], about[which] = lanes.q, lanes.position_error, lanes.orientation_error
        scaled = np.maximum(off / task.length, about)
    reached = (off <= task.position_tolerance) & (about <= task.orientation_tolerance)
    reached[:, -1] &= scaled[:, -1] < STRAY
    moved, inside = within_limits(q, near[:, None], descent)
    inside &= reached
    rank = np.where(inside, (np.abs(moved - near[:, None]) * descent.scale).max(axis=-1), np.inf)
    each, order = np.arange(count)[:, None], np.argsort(rank, axis=1, kind="stable")
    closest = q[each[:, 0], np.argmin(scaled, axis=1)]
    # an angle that an equation leaves free may be bound by a later one: its branch is not known, reached or not
    unsure = ((free > 0.5) & (free < LOST) | (scaled < ROUNDING) & ~reached).any(axis=1)
    unsure |= singular(descent, q, reached)
    own = (apart(q[:, :-1], q[:, -1:], descent) < SAME) & reached[:, :-1]
    lost = (free >= LOST).any(axis=1) | reached[:, -1] & ~own.any(axis=1)
    best = moved[each, order], inside.sum(axis=1), off[each, order], about[each, order]
    return AllSolutions(*best, np.asarray(unsure), np.asarray(lost), closest)


def apart(a: Array, b: Array, descent: Descent) -> Array:
    """The largest difference of a joint (rad, lengths of the arm), whole turns left out."""
    off = np.abs(a - b)
    turns = np.where(revolute(descent), np.round(off / math.tau), 0.0)
    return np.asarray((np.abs(off - math.tau * turns) * descent.scale).max(axis=-1))


def singular(descent: Descent, q: Array, which: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Poses of which a solution ``q[which]`` is not isolated for sure: its Jacobian is singular, or nearly."""
    found = np.zeros(len(q), bool)
    pose, _ = np.nonzero(which)
    task = descent.task
    rows = task.weights > 0
    per = np.where(np.arange(6) < 3, 1 / task.length, 1.0)[rows]
    matrix = descent.arm.jacobian(q[which])[:, rows] * per[:, None] / descent.scale
    n = matrix.shape[-1]
    # s_min^2 >= det(J^T J) ((n - 1) / trace)^(n - 1), by the means of the other n - 1: most need no singular values
    square = np.swapaxes(matrix, -1, -2) @ matrix
    size = np.einsum("nii->n", square)
    least = np.linalg.det(square) * ((n - 1) / np.maximum(size, 1e-300)) ** (n - 1)
    doubtful = np.flatnonzero(~(least > DOUBTFUL))
    if n > rows.sum():
        found[pose] = True
    elif len(doubtful):
        values = np.linalg.svd(matrix[doubtful], compute_uv=False)[:, -1]
        found[pose[doubtful[~(values > REGULAR)]]] = True
    return found


def distinct(found: AllSolutions, descent: Descent) -> tuple[Array, ...]:
    """The solutions of each pose, each once, by turns nearest to zero."""
    several: list[Array] = []
    for begin in range(0, len(found.q), PIECE):
        q = found.q[begin : begin + PIECE]
        near = apart(q[:, :, None, :], q[:, None, :, :], descent) < SAME
        alike = np.asarray(np.tril(near, k=-1).any(axis=-1))
        listed, _ = within_limits(q, np.zeros(q.shape[-1]), descent)
        for points, again, count in zip(listed, alike, found.count[begin : begin + PIECE], strict=True):
            several.append(points[:count][~again[:count]])
    return tuple(several)
