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
PIECE = 8192
"""Poses at once, to bound the memory."""
SHARP, STRAY, STEPS = 1e-10, 1e-3, 8
"""Errors (rad, lengths of the arm) above which a candidate is brought nearer, from which it is none; and the steps."""


@dataclass(frozen=True)
class AllSolutions:
    """Solutions ``q`` ``(poses, most, n)``, nearest first: those of the first ``count`` of each pose.

    ``endless`` are poses of which a joint is free, so that the list is some of endlessly many (or where the way of the
    closed form fails); ``closest`` is the candidate that comes nearest to each pose, whether it reaches it or not.
    """

    q: Array
    count: NDArray[np.int64]
    position_error: Array
    orientation_error: Array
    endless: NDArray[np.bool_]
    closest: Array


def within_limits(q: Array, near: Array, lower: Array, upper: Array, turns: NDArray[np.bool_]) -> Array:
    """The same positions by whole turns: as near to ``near`` as the limits allow, NaN where they allow none.

    What is beyond a limit by rounding alone is put on it.
    """
    moved = q + math.tau * np.where(turns, np.round((near - q) / math.tau), 0.0)
    slack = SHARP
    over = np.where(turns, np.ceil(np.maximum(moved - upper - slack, 0.0) / math.tau), 0.0)
    moved = moved - math.tau * over
    under = np.where(turns, np.ceil(np.maximum(lower - slack - moved, 0.0) / math.tau), 0.0)
    moved = moved + math.tau * under
    inside = ((moved >= lower - slack) & (moved <= upper + slack)).all(axis=-1, keepdims=True)
    return np.where(inside, np.clip(moved, lower, upper), np.nan)


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
    count, most, n = q.shape
    _, off, about = task.errors(descent.arm.forward_kinematics(q), target[:, None])
    scaled = np.maximum(off / task.length, about)
    vague = (scaled > SHARP) & (scaled < STRAY)
    if vague.any():
        which = np.nonzero(vague)
        sharp = replace(task, position_tolerance=SHARP * task.length, orientation_tolerance=SHARP, error="angle-axis")
        endless = np.full(n, math.inf)
        lanes = replace(descent, task=sharp, lower=-endless, upper=endless).run(q[which], target[which[0]], STEPS)
        q[which], off[which], about[which] = lanes.q, lanes.position_error, lanes.orientation_error
    reached = (off <= task.position_tolerance) & (about <= task.orientation_tolerance)
    turns = np.array([joint.kind == "revolute" for joint in descent.arm.moving])
    closest = q[np.arange(count), np.argmin(np.where(reached, 0.0, scaled), axis=1)] if most else np.zeros((count, n))
    q = within_limits(q, near[:, None], descent.lower, descent.upper, turns)
    inside = reached & ~np.isnan(q[..., 0])
    apart = np.abs(q - near[:, None]) * descent.scale
    rank = np.where(inside, apart.max(axis=-1), np.inf)
    order = np.argsort(rank, axis=1, kind="stable")
    q, inside = np.take_along_axis(q, order[..., None], axis=1), np.take_along_axis(inside, order, axis=1)
    off, about = np.take_along_axis(off, order, axis=1), np.take_along_axis(about, order, axis=1)
    unsure = ((free > 0.5) & reached).any(axis=1) | (free >= LOST).any(axis=1)
    return AllSolutions(q, inside.sum(axis=1), off, about, np.asarray(unsure), closest)


def distinct(found: AllSolutions, descent: Descent) -> tuple[Array, ...]:
    """The solutions of each pose, each once, by turns nearest to zero."""
    turns = np.array([joint.kind == "revolute" for joint in descent.arm.moving])
    off = np.abs(found.q[:, :, None, :] - found.q[:, None, :, :])
    off = np.where(turns, np.abs(np.remainder(off + math.pi, math.tau) - math.pi), off) * descent.scale
    alike = np.tril((off.max(axis=-1) < SAME), k=-1).any(axis=-1)
    listed = within_limits(found.q, np.zeros(len(turns)), descent.lower, descent.upper, turns)
    several = []
    for points, again, count in zip(listed, alike, found.count, strict=True):
        several.append(points[:count][~again[:count]])
    return tuple(several)
