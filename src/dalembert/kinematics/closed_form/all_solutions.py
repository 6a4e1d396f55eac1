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
    full_turn = np.where(revolute(descent), math.tau, np.inf)
    lower, upper = descent.lower, descent.upper
    moved = q + np.where(revolute(descent), math.tau * np.round((near - q) / full_turn), 0.0)
    beyond = (moved > upper + SHARP) | (moved < lower - SHARP)
    if beyond.any():
        turns = np.ceil(np.maximum(moved - upper - SHARP, 0.0) / full_turn)
        moved = moved - np.where(turns > 0, turns * math.tau, 0.0)
        turns = np.ceil(np.maximum(lower - SHARP - moved, 0.0) / full_turn)
        moved = moved + np.where(turns > 0, turns * math.tau, 0.0)
        beyond = (moved > upper + SHARP) | (moved < lower - SHARP)
    return np.minimum(np.maximum(moved, lower), upper), np.asarray(~beyond.any(axis=-1))


def all_solutions(form: ClosedForm, descent: Descent, target: Array, near: Array) -> AllSolutions:
    """All solutions of poses ``(poses, 4, 4)`` within the limits of ``descent``, those nearest to ``near`` first."""
    if len(target) > PIECE:
        chunks = [
            all_solutions(form, descent, target[begin : begin + PIECE], near[begin : begin + PIECE])
            for begin in range(0, len(target), PIECE)
        ]
        return AllSolutions(
            *(np.concatenate([getattr(chunk, entry.name) for chunk in chunks]) for entry in fields(AllSolutions))
        )
    task = descent.task
    q, free = form.candidates(target, near)
    # where one would rather be is a candidate too: if it solves the pose it is the answer, a free joint or not
    q, free = np.concatenate([q, near[:, None]], axis=1), np.concatenate([free, np.zeros((len(q), 1))], axis=1)
    count, _, n = q.shape
    _, position_error, orientation_error = task.errors(descent.arm.forward_kinematics(q), target[:, None])
    scaled = np.maximum(position_error / task.length, orientation_error)
    vague = (scaled > SHARP) & (scaled < STRAY)
    if vague.any():
        indices = np.nonzero(vague)
        sharp = replace(task, position_tolerance=SHARP * task.length, orientation_tolerance=SHARP, error="angle-axis")
        endless = np.full(n, math.inf)
        lanes = replace(descent, task=sharp, lower=-endless, upper=endless).run(q[indices], target[indices[0]], STEPS)
        q[indices], position_error[indices], orientation_error[indices] = (
            lanes.q,
            lanes.position_error,
            lanes.orientation_error,
        )
        scaled = np.maximum(position_error / task.length, orientation_error)
    reached = (position_error <= task.position_tolerance) & (orientation_error <= task.orientation_tolerance)
    reached[:, -1] &= scaled[:, -1] < STRAY
    moved, inside = within_limits(q, near[:, None], descent)
    inside &= reached
    rank = np.where(inside, (np.abs(moved - near[:, None]) * descent.scale).max(axis=-1), np.inf)
    rows, order = np.arange(count)[:, None], np.argsort(rank, axis=1, kind="stable")
    closest = q[rows[:, 0], np.argmin(scaled, axis=1)]
    # an angle that an equation leaves free may be bound by a later one: its branch is not known, reached or not
    unsure = ((free > 0.5) & (free < LOST) | (scaled < ROUNDING) & ~reached).any(axis=1)
    unsure |= singular(descent, q, reached)
    matched = (joint_distance(q[:, :-1], q[:, -1:], descent) < SAME) & reached[:, :-1]
    lost = (free >= LOST).any(axis=1) | reached[:, -1] & ~matched.any(axis=1)
    best = moved[rows, order], inside.sum(axis=1), position_error[rows, order], orientation_error[rows, order]
    return AllSolutions(*best, np.asarray(unsure), np.asarray(lost), closest)


def joint_distance(a: Array, b: Array, descent: Descent) -> Array:
    """The largest difference of a joint (rad, lengths of the arm), whole turns left out."""
    difference = np.abs(a - b)
    turns = np.where(revolute(descent), np.round(difference / math.tau), 0.0)
    return np.asarray((np.abs(difference - math.tau * turns) * descent.scale).max(axis=-1))


def singular(descent: Descent, q: Array, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Poses of which a solution ``q[mask]`` is not isolated for sure: its Jacobian is singular, or nearly."""
    flagged = np.zeros(len(q), bool)
    pose, _ = np.nonzero(mask)
    task = descent.task
    rows = task.weights > 0
    per = np.where(np.arange(6) < 3, 1 / task.length, 1.0)[rows]
    matrix = descent.arm.jacobian(q[mask])[:, rows] * per[:, None] / descent.scale
    n = matrix.shape[-1]
    # s_min^2 >= det(J^T J) ((n - 1) / trace)^(n - 1), by the means of the other n - 1: most need no singular values
    square = np.swapaxes(matrix, -1, -2) @ matrix
    size = np.einsum("nii->n", square)
    bound = np.linalg.det(square) * ((n - 1) / np.maximum(size, 1e-300)) ** (n - 1)
    doubtful = np.flatnonzero(~(bound > DOUBTFUL))
    if n > rows.sum():
        flagged[pose] = True
    elif len(doubtful):
        values = np.linalg.svd(matrix[doubtful], compute_uv=False)[:, -1]
        flagged[pose[doubtful[~(values > REGULAR)]]] = True
    return flagged


def distinct(solutions: AllSolutions, descent: Descent) -> tuple[Array, ...]:
    """The solutions of each pose, each once, by turns nearest to zero."""
    several: list[Array] = []
    for begin in range(0, len(solutions.q), PIECE):
        q = solutions.q[begin : begin + PIECE]
        near = joint_distance(q[:, :, None, :], q[:, None, :, :], descent) < SAME
        alike = np.asarray(np.tril(near, k=-1).any(axis=-1))
        listed, _ = within_limits(q, np.zeros(q.shape[-1]), descent)
        for points, repeated, count in zip(listed, alike, solutions.count[begin : begin + PIECE], strict=True):
            several.append(points[:count][~repeated[:count]])
    return tuple(several)
