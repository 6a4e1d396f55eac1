"""Inverse kinematics: joint positions that bring a frame of an arm to poses.

In closed form, all of them, where the geometry of the arm has one (``closed_form/``); else from many starts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.placement import Placement
from ..systems.arm_kinematics import MovingArm
from ..systems.arrays import joint_array
from ..systems.frame_axes import AskedFrame
from .closed_form.all_solutions import SAME, all_solutions, distinct, joint_distance, singular
from .closed_form.decomposition import ClosedForm, closed_form_of
from .descent import Descent, Lanes
from .held_joints import HeldJoints
from .joint_solutions import JointSolutions
from .null_space import check_criterion, settled
from .pose_errors import poses_of
from .starts import TABLE, Starts, ranges
from .step_kernel import compiled_step
from .task import Task

Array = NDArray[np.float64]
GROWTH = 4
"""Each round tries this many times as many starts as the one before."""
MOST_LANES = 65536
FEW = 21
"""Starts that tell how near one gets to a pose that no joint positions reach."""
DESCENT = "damped least squares"


@dataclass(frozen=True)
class Solver:
    """What inverse kinematics of one arm and one frame needs again and again: its step, its starts, its size."""

    arm: MovingArm
    descent: Descent
    starts: Starts
    free_turns: NDArray[np.bool_]
    """Joints whose whole turns change nothing."""

    def best_lanes(self, target: Array, start: Array, iterations: int, near: Array | None) -> tuple[Lanes, Array]:
        """The best lane of each pose from its starts ``(poses, k, n)``, and the indices of those lanes."""
        count, each, n = start.shape
        lanes = self.descent.run(start.reshape(-1, n), np.repeat(target, each, axis=0), iterations)
        rank = np.where(lanes.arrived, -1.0, lanes.cost).reshape(count, each)
        if near is not None:
            lanes.q = self.nearest_turns(lanes.q, np.repeat(near, each, axis=0))
            distance = np.abs((lanes.q - np.repeat(near, each, axis=0)) * self.descent.scale).max(axis=-1)
            rank = np.where(rank < 0, -1 / (1 + distance.reshape(count, each)), rank)
        return lanes, np.arange(count) * each + np.argmin(rank, axis=1)

    def nearest_turns(self, q: Array, near: Array) -> Array:
        """The same positions by whole turns nearer to ``near``, within the limits."""
        turns = np.where(self.free_turns, np.round((near - q) / math.tau), 0.0)
        moved = q + math.tau * turns
        inside = (moved >= self.descent.lower) & (moved <= self.descent.upper)
        return np.where(inside, moved, q)


def solver_of(arm: MovingArm, frame: AskedFrame | None, task: Task, limits: bool, seed: int) -> Solver:
    """The solver of a task."""
    framed = arm.framed(frame)
    length = task.length
    scale = np.array([1.0 if joint.kind == "revolute" else 1 / length for joint in framed.moving])
    lower, upper = (framed.lower, framed.upper) if limits else (np.full(arm.n, -np.inf), np.full(arm.n, np.inf))
    followed = {
        coupled.coordinate for joint, coupled in zip(arm.all_moving, arm.couplings, strict=True) if joint.follows
    }
    free = [joint.kind == "revolute" and k not in followed for k, joint in enumerate(framed.moving)]
    step = framed.kept("damped step", lambda: compiled_step(framed))
    starts = framed.kept(("starts", limits, seed), lambda: Starts(framed, *ranges(framed, length, limits), seed))
    return Solver(framed, Descent(framed, step, task, lower, upper, scale), starts, np.array(free))


def length_of(arm: MovingArm) -> float:
    """How far the tool gets about its middle, over some poses (m): what positions are measured by."""
    return arm.kept("length", lambda: _length(arm))


def _length(arm: MovingArm) -> float:
    rng = np.random.default_rng(1)
    points = arm.forward_kinematics(rng.uniform(*ranges(arm, 1.0, True), (64, arm.n)))[:, :3, 3]
    size = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())
    return size if size > 1e-9 else 1.0


def inverse_kinematics(
    arm: MovingArm, pose: ArrayLike | Placement, *, frame: AskedFrame | None, task: str, near: ArrayLike | None,
    weights: ArrayLike | None, axes: str, error: str, limits: bool, tolerance: float | tuple[float, float],
    iterations: int, starts: int, criterion: str | None, solutions: bool, seed: int,
    fixed: Mapping[str, float] | None = None,
) -> JointSolutions:  # fmt: skip
    """What ``arm.inverse_kinematics`` says."""
    if arm.n == 0:
        raise ArmError(f"{arm.where}{arm.name}: no joint moves, so that it reaches one pose only; free a joint")
    if not (isinstance(iterations, int) and isinstance(starts, int) and iterations >= 1 and 1 <= starts <= TABLE):
        raise ArmError(f"iterations and starts are numbers of at least 1, starts at most {TABLE}")
    if not (isinstance(seed, int) and seed >= 0):
        raise ArmError(f"a seed is a whole number of zero or more; got {seed!r}")
    if fixed:
        held = HeldJoints.of(arm, fixed, limits)
        near_free = None if near is None else held.free_joints(joint_array(arm, "near", near))
        reduced = inverse_kinematics(
            held.reduced, pose, frame=frame, task=task, near=near_free, weights=weights, axes=axes, error=error,
            limits=limits, tolerance=tolerance, iterations=iterations, starts=starts, criterion=criterion,
            solutions=solutions, seed=seed,
        )  # fmt: skip
        return held.completed(reduced)
    target = poses_of(pose, task)
    batch = target.shape[:-2]
    guess = None if near is None else joint_array(arm, "near", near)
    if guess is not None:
        try:
            batch = np.broadcast_shapes(batch, guess.shape[:-1])
        except ValueError:
            raise ArmError(f"near {guess.shape} does not fit poses {target.shape}; give one for each, or one") from None
        guess = np.broadcast_to(guess, (*batch, arm.n)).reshape(-1, arm.n)
    flat = np.ascontiguousarray(np.broadcast_to(target, (*batch, 4, 4)).reshape(-1, 4, 4))
    framed = arm.framed(frame)
    checked = Task.of(task, weights, axes, error, tolerance, length_of(framed))
    check_criterion(criterion, arm.n, checked.rows, f"{arm.where}{arm.name}")
    if solutions and arm.n > checked.rows:
        raise ArmError(
            f"{arm.where}{arm.name}: {arm.n} joints reach {checked.rows} directions in endlessly many ways; hold "
            "joints by fixed=, or ask without solutions"
        )
    solver = solver_of(arm, frame, checked, limits, seed)
    form = None
    if checked.rows == (6 if task == "pose" else 3) and criterion is None:
        form = framed.kept(("closed form", task), lambda: closed_form_of(framed, task))
    if form is not None:
        lanes, starts_tried, complete, several = _in_closed_form(
            solver, form, flat, guess, iterations, starts, solutions
        )
    else:
        lanes, starts_tried = _searched(solver, flat, guess, iterations, starts)
        if criterion is not None and lanes.arrived.any():
            _follow_criterion(solver, lanes, flat, criterion, iterations)
        if guess is None:
            lanes.q = solver.nearest_turns(
                lanes.q, np.clip(np.zeros_like(lanes.q), solver.starts.lower, solver.starts.upper)
            )
        several = _distinct(solver, flat, lanes, iterations, starts) if solutions else ()
        complete = np.zeros(len(flat), bool)
    at_limit = np.zeros(lanes.q.shape, bool)
    if not lanes.arrived.all():
        lost = ~lanes.arrived
        at_limit[lost] = solver.descent.blocked_joints(lanes.q[lost], flat[lost])
    return JointSolutions(
        lanes.q.reshape(*batch, arm.n), lanes.position_error.reshape(batch), lanes.orientation_error.reshape(batch),
        lanes.arrived.reshape(batch), lanes.iterations.reshape(batch), starts_tried.reshape(batch),
        at_limit.reshape(*batch, arm.n), arm.joint_names, arm.name, several, complete.reshape(batch),
        DESCENT if form is None else f"closed form: {form.words}",
    )  # fmt: skip


def _in_closed_form(
    solver: Solver, form: ClosedForm, target: Array, near: Array | None, iterations: int, starts: int, solutions: bool
) -> tuple[Lanes, NDArray[np.int64], NDArray[np.bool_], tuple[Array, ...]]:
    """The nearest solution of each pose; the best that a few starts lead to where there is none.

    Also the starts that were tried, where all solutions are known, and the list of them.
    """
    descent, count = solver.descent, len(target)
    preferred = near if near is not None else np.clip(np.zeros((count, solver.arm.n)), descent.lower, descent.upper)
    closed = all_solutions(form, descent, target, preferred)
    arrived = closed.count > 0
    best = Lanes(
        closed.q[:, 0], closed.position_error[:, 0], closed.orientation_error[:, 0], np.zeros(count), arrived,
        np.zeros(count, np.int64),
    )  # fmt: skip
    starts_tried, complete = np.zeros(count, np.int64), ~(closed.endless | closed.lost)
    several = distinct(closed, descent) if solutions else ()
    if (closed.lost & arrived).any():
        lost = np.flatnonzero(closed.lost & arrived)
        several = _from_starts_too(solver, best, several, target, preferred, lost, iterations, starts)
    # nothing to be found where the closed form has no solution: a few starts tell how near one gets
    for mask, budget in ((~arrived & complete, min(starts, FEW)), (~arrived & ~complete, starts)):
        lost = np.flatnonzero(mask)
        if not len(lost):
            continue
        begin = preferred[lost] if near is not None else closed.closest[lost]
        lanes, starts_tried[lost] = _searched(solver, target[lost], begin, iterations, budget)
        for name in ("q", "position_error", "orientation_error", "cost", "arrived", "iterations"):
            getattr(best, name)[lost] = getattr(lanes, name)
        complete[lost[lanes.arrived]] = False
        if solutions:
            listed = list(several)
            for k in lost[lanes.arrived]:
                listed[k] = best.q[k : k + 1]
            several = tuple(listed)
    return best, starts_tried, complete, several


def _from_starts_too(
    solver: Solver, best: Lanes, several: tuple[Array, ...], target: Array, preferred: Array, lost: NDArray[np.int64],
    iterations: int, starts: int,
) -> tuple[Array, ...]:  # fmt: skip
    """Where a closed form may lack solutions: the one that ``preferred`` leads to, and of a list those of all starts.

    Of these only what is isolated; where a pose has endlessly many, no list is the better for some more of them.
    """
    lanes = solver.descent.run(preferred[lost], target[lost], iterations)
    scale = solver.descent.scale
    lanes.q = solver.nearest_turns(lanes.q, preferred[lost])
    near, current = (np.abs((q - preferred[lost]) * scale).max(axis=-1) for q in (lanes.q, best.q[lost]))
    nearer = lanes.arrived & (near < current)
    for name in ("q", "position_error", "orientation_error", "iterations"):
        getattr(best, name)[lost[nearer]] = getattr(lanes, name)[nearer]
    if not several:
        return several
    subset = Lanes(*(getattr(best, entry.name)[lost] for entry in fields(Lanes)))
    listed = list(several)
    for k, points in zip(lost, _distinct(solver, target[lost], subset, iterations, starts), strict=True):
        isolated = ~singular(solver.descent, points[:, None], np.ones((len(points), 1), bool))
        repeated = joint_distance(points[:, None], listed[k][None], solver.descent) < SAME
        listed[k] = np.concatenate([listed[k], points[isolated & ~repeated.any(axis=1)]])
    return tuple(listed)


def _searched(
    solver: Solver, target: Array, near: Array | None, iterations: int, starts: int
) -> tuple[Lanes, NDArray[np.int64]]:
    """Each pose from the start that is given, or the nearest of the table, then from more and more others."""
    count, n = len(target), solver.arm.n
    result = Lanes(
        np.zeros((count, n)), np.full(count, np.inf), np.full(count, np.inf), np.full(count, np.inf),
        np.zeros(count, bool), np.zeros(count, np.int64),
    )  # fmt: skip
    starts_tried = np.zeros(count, np.int64)
    weights = np.array([solver.descent.task.scaled[:3].mean(), solver.descent.task.scaled[3:].mean()])
    waiting, finished, size = np.arange(count), 0, 1
    while len(waiting) and finished < starts:
        stop = min(finished + size, starts)
        for begin in range(0, len(waiting), max(MOST_LANES // (stop - finished), 1)):
            chunk = waiting[begin : begin + max(MOST_LANES // (stop - finished), 1)]
            if near is not None and finished == 0:
                begun = near[chunk][:, None, :]
            else:
                shift = int(near is not None)
                begun = solver.starts.nearest(target[chunk], weights, finished - shift, stop - shift)
            lanes, best = solver.best_lanes(target[chunk], begun, iterations, None if near is None else near[chunk])
            better = lanes.arrived[best] | (lanes.cost[best] < result.cost[chunk])
            rows, lane_rows = chunk[better], best[better]
            for name in ("q", "position_error", "orientation_error", "cost", "arrived", "iterations"):
                getattr(result, name)[rows] = getattr(lanes, name)[lane_rows]
        starts_tried[waiting] = stop
        waiting = waiting[~result.arrived[waiting]]
        finished, size = stop, size * GROWTH
    return result, starts_tried


def _follow_criterion(solver: Solver, result: Lanes, target: Array, criterion: str, iterations: int) -> None:
    """Let the joints to spare follow their criterion, then come back to the pose; where that fails, stay."""
    rows = np.flatnonzero(result.arrived)
    moved = settled(solver.descent, result.q[rows], target[rows], criterion)
    lanes = solver.descent.run(moved, target[rows], iterations)
    returned = rows[lanes.arrived]
    for name in ("q", "position_error", "orientation_error", "cost"):
        getattr(result, name)[returned] = getattr(lanes, name)[lanes.arrived]


def _distinct(solver: Solver, target: Array, result: Lanes, iterations: int, starts: int) -> tuple[Array, ...]:
    """All solutions of each pose that the starts lead to, whole turns apart counted once."""
    weights = np.array([solver.descent.task.scaled[:3].mean(), solver.descent.task.scaled[3:].mean()])
    several = []
    for k in range(len(target)):
        begun = solver.starts.nearest(target[k : k + 1], weights, 0, starts)[0]
        lanes = solver.descent.run(begun, np.repeat(target[k : k + 1], starts, axis=0), iterations)
        points = np.concatenate([result.q[k : k + 1][result.arrived[k : k + 1]], lanes.q[lanes.arrived]])
        points = solver.nearest_turns(points, np.zeros_like(points))
        unique: list[Array] = []
        for point in points:
            if not any(joint_distance(point, known_point, solver.descent) < SAME for known_point in unique):
                unique.append(point)
        several.append(np.array(unique).reshape(-1, solver.arm.n))
    return tuple(several)
