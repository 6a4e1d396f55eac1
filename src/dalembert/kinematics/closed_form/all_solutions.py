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
SHARP, STRAY, STEPS = 1e-10, 1e-3, 8
"""Errors (rad, lengths of the arm) above which a candidate is brought nearer, from which it is none; and the steps."""


@dataclass(frozen=True)
class AllSolutions:
    """Solutions ``q`` ``(poses, most, n)``, nearest first: those of the first ``count`` of each pose.

    ``endless`` are poses of which a joint is free, so that the list is some of endlessly many (or where the
    closed form cannot tell); ``closest`` is the candidate that comes nearest to each pose, reached or not.
    """

    q: Array
    count: NDArray[np.int64]
    position_error: Array
    orientation_error: Array
    endless: NDArray[np.bool_]
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
    moved, inside = within_limits(q, near[:, None], descent)
    inside &= reached
    rank = np.where(inside, (np.abs(moved - near[:, None]) * descent.scale).max(axis=-1), np.inf)
    each, order = np.arange(count)[:, None], np.argsort(rank, axis=1, kind="stable")
    closest = q[each[:, 0], np.argmin(scaled, axis=1)]
    unsure = ((free > 0.5) & reached | (free >= LOST) | (scaled < ROUNDING) & ~reached).any(axis=1)
    best = moved[each, order], inside.sum(axis=1), off[each, order], about[each, order]
    return AllSolutions(*best, np.asarray(unsure), closest)


def distinct(found: AllSolutions, descent: Descent) -> tuple[Array, ...]:
    """The solutions of each pose, each once, by turns nearest to zero."""
    several: list[Array] = []
    for begin in range(0, len(found.q), PIECE):
        q = found.q[begin : begin + PIECE]
        off = np.abs(q[:, :, None, :] - q[:, None, :, :])
        off = np.where(revolute(descent), np.abs(np.remainder(off + math.pi, math.tau) - math.pi), off) * descent.scale
        alike = np.tril((off.max(axis=-1) < SAME), k=-1).any(axis=-1)
        listed, _ = within_limits(q, np.zeros(q.shape[-1]), descent)
        for points, again, count in zip(listed, alike, found.count[begin : begin + PIECE], strict=True):
            several.append(points[:count][~again[:count]])
    return tuple(several)
