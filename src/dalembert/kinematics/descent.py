"""Damped least squares for many poses at once: each lane goes from its own start to its own pose.

The damping is the squared error itself and a little more, so that steps are short far away and at singular poses, and
full near the solution, where convergence is quadratic (Sugihara 2011, eqs 11 and 24; without his line search, with
positions in units of the arm's length). Joints stay within their limits (``formulations/damped_step.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..systems.arm_kinematics import MovingArm
from .step_kernel import Step
from .task import Task

Array = NDArray[np.float64]
LEAST_DAMPING = 1e-12
LONGEST_STEP = 1.0
"""Largest change of a joint in one step (rad, or lengths of the arm)."""
WINDOW, PROGRESS = 8, 0.6
"""A lane is given up whose squared error did not fall to this share within so many steps."""


@dataclass
class Lanes:
    """What became of each lane: its positions, errors (m, rad), squared error, whether it arrived, and its steps."""

    q: Array
    position_error: Array
    orientation_error: Array
    cost: Array
    arrived: NDArray[np.bool_]
    iterations: NDArray[np.int64]


@dataclass(frozen=True)
class Descent:
    """The arm with its tool in the frame asked for, its step, the task, and the ranges of the joints."""

    arm: MovingArm
    step: Step
    task: Task
    lower: Array
    upper: Array
    scale: Array
    """What a joint counts in a step: 1 for one that turns, 1 / length for one that slides."""

    def errors(self, q: Array, target: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Pose error, distances (m, rad), weights and squared error / 2 of positions ``q``."""
        pose = self.arm.forward_kinematics(q)
        error, near, about = self.task.errors(pose, target)
        weight = self.task.weight_blocks(pose)
        return error, near, about, weight, self.task.cost(error, weight)

    def stepped(
        self, q: Array, error: Array, weight: Array, cost: Array, secondary: Array | None, metric: Array | None = None
    ) -> tuple[Array, Array]:
        """The positions after one step, and which joints were free.

        ``secondary`` passes by its projection to the null space in ``metric``, else in that of ``scale``.
        """
        damping = (cost + LEAST_DAMPING)[:, None] * (self.scale**2 if metric is None else metric)
        edge = (q >= self.upper).astype(float) - (q <= self.lower)
        pull = np.zeros_like(q) if secondary is None else secondary
        step, free = self.step(q, error, weight, damping, pull, edge)
        longest = np.abs(step * self.scale).max(axis=-1, keepdims=True)
        step = step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))
        return np.clip(q + step, self.lower, self.upper), free

    def run(self, start: Array, target: Array, iterations: int) -> Lanes:
        """All lanes from ``start`` ``(lanes, n)`` towards ``target`` ``(lanes, 4, 4)``."""
        count = len(start)
        q = np.clip(start, self.lower, self.upper)
        lanes = Lanes(
            q.copy(), np.full(count, np.inf), np.full(count, np.inf), np.full(count, np.inf), np.zeros(count, bool),
            np.zeros(count, np.int64),
        )  # fmt: skip
        live, mark = np.arange(count), np.full(count, np.inf)
        for iteration in range(iterations + 1):
            error, near, about, weight, cost = self.errors(q, target)
            arrived = (near <= self.task.position_tolerance) & (about <= self.task.orientation_tolerance)
            better = (cost < lanes.cost[live]) | arrived
            improved = live[better]
            lanes.q[improved], lanes.cost[improved] = q[better], cost[better]
            lanes.position_error[improved], lanes.orientation_error[improved] = near[better], about[better]
            lanes.iterations[live] = iteration
            lanes.arrived[live[arrived]] = True
            unfinished = ~arrived
            if iteration % WINDOW == 0:
                unfinished &= cost < PROGRESS * mark
                mark = np.where(unfinished, cost, mark)
            if not unfinished.all():
                live, q, target, mark = live[unfinished], q[unfinished], target[unfinished], mark[unfinished]
                error, weight, cost = error[unfinished], weight[unfinished], cost[unfinished]
            if not len(live):
                break
            q, _ = self.stepped(q, error, weight, cost, None)
        return lanes

    def blocked_joints(self, q: Array, target: Array) -> NDArray[np.bool_]:
        """Which joints a limit keeps from going further towards the pose ``(lanes, n)``."""
        error, near, about, weight, cost = self.errors(q, target)
        _, free = self.stepped(q, error, weight, cost, None)
        missed = (near > self.task.position_tolerance) | (about > self.task.orientation_tolerance)
        return np.asarray((free < 0.25) & missed[:, None])
