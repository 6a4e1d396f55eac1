"""Six turning joints of any geometry: up to sixteen solutions, and when it is sure that these are all.

The axes are a closed loop: with e1 ... e6 = T' also e2 ... e6 (T'^-1 e1 T') = T', and so on round. Each way to close it
eliminates all joints but one (``loop_elimination.py``). Every solution is an eigenvalue of that joint, as often as
solutions share it: a way whose matrix is regular, and whose real eigenvalues are all accounted for by solutions that
were found, is a witness that there are no others. Ways are tried until ``WITNESSES`` of them say so; symmetric poses,
where solutions share a joint and complex ones come to lie on the real line, take more of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .loop_elimination import MOST, TOGETHER, Axes, Eliminated, eliminated, turned
from .screw_chain import ScrewChain
from .subproblems import LOST, finite

Array = NDArray[np.float64]
FIRST_AXES = (0, 1, 2, 3, 4, 5)
"""Axes from which the loop is read: where it is closed."""
WITNESSES, TRIALS = 2, 16
REAL, SEARCHED = 1e-3, 1e-2
"""Eigenvalues closer than this to a real angle (rad) may be real; from those closer than that solutions are sought."""
CLOSE, EXACT, SHARP, STEPS = 1e-1, 1e-9, 1e-11, 6
"""Errors (rad, lengths) of candidates that are improved, that are solutions, that need no more; and the steps."""
SAME = 1e-5
"""Solutions closer than this (rad) are one."""


@dataclass(frozen=True, eq=False)
class GeneralSix:
    """Six turning joints, their axes anywhere, read from the base or (``inverted``) from the tool."""

    chain: ScrewChain
    inverted: bool
    words = "six axes, by eigenvalues"
    degree = 16

    @property
    def length(self) -> float:
        """The size of the arm (m)."""
        return self.chain.length

    def candidates(self, target: Array, preferred: Array, compiled: bool = True) -> tuple[Array, Array]:
        """``(poses, 16, joints)``, and ``LOST`` for poses that may have more; the other arguments change nothing."""
        turn, position = target[:, :3, :3], target[:, :3, 3] / self.length
        if self.inverted:
            turn = np.swapaxes(turn, 1, 2)
            position = -np.einsum("nij,nj->ni", turn, position)
        turn = turn @ self.chain.turn.T
        q = np.zeros((len(target), MOST, preferred.shape[-1]))
        if not len(target):
            return q, np.zeros((0, MOST))
        with np.errstate(all="ignore"):
            angles, sure = self.positions(turn, position - turn @ self.chain.shift)
        for k, screw in enumerate(self.chain.screws):
            if screw.joint >= 0:
                q[..., screw.joint] = finite(angles[..., k])
        return q, np.broadcast_to(np.where(sure[:, None], 0.0, LOST), q.shape[:-1])

    def _axes(self, count: int) -> Axes:
        screws = self.chain.screws
        spread = (np.broadcast_to([getattr(s, name) for s in screws], (count, 6, 3)) for name in ("direction", "point"))
        return Axes(*spread)

    @cached_property
    def first_axes(self) -> tuple[int, ...]:
        """Where to close the loop, the best witnesses of some random poses first: special axes make some ways dumb."""
        rng = np.random.default_rng(5)
        angles = rng.uniform(-np.pi, np.pi, (TRIALS, 6))
        axes = self._axes(TRIALS)
        shift, turn = np.zeros((TRIALS, 3)), np.broadcast_to(np.eye(3), (TRIALS, 3, 3))
        for k in range(5, -1, -1):
            h, p = axes.direction[:, k], axes.point[:, k]
            shift = turned(h, angles[:, k], shift - p) + p
            turn = turned(h[:, None], np.broadcast_to(angles[:, k : k + 1], (TRIALS, 3)), turn)
        _, votes = self._searched(FIRST_AXES, np.swapaxes(turn, 1, 2), shift, len(FIRST_AXES) + 1)
        return tuple(sorted(FIRST_AXES, key=lambda first_axis: -votes[first_axis]))

    def positions(self, turn: Array, shift: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Candidates ``(poses, 16, 6)`` for displacements T' = (turn, shift), and for which they are all there are."""
        (angles, witnesses), _ = self._searched(self.first_axes, turn, shift, WITNESSES)
        return angles, np.asarray(witnesses >= WITNESSES)

    def _searched(
        self, first_axes: tuple[int, ...], turn: Array, shift: Array, enough: int
    ) -> tuple[tuple[Array, NDArray[np.int64]], dict[int, int]]:
        """Candidates, the witnesses of each pose until it has enough, and of how many poses each way is one."""
        count = len(turn)
        solutions, counts = np.zeros((count, MOST, 6)), np.zeros(count, np.int64)
        witnesses, votes = np.zeros(count, np.int64), dict.fromkeys(first_axes, 0)
        waiting = np.arange(count)
        eliminations: list[tuple[int, NDArray[np.int64], Eliminated]] = []
        for first_axis in first_axes:
            t, s = turn[waiting], shift[waiting]
            axes = self._axes(len(waiting))
            elimination = eliminated(_closed_at(axes, first_axis, t, s), t, s)
            candidates = finite(np.roll(elimination.q, first_axis, axis=-1))
            q, error = candidates, np.full(candidates.shape[:2], np.inf)
            pose, k = np.nonzero(elimination.imaginary < SEARCHED)
            pose_axes = Axes(axes.direction[pose], axes.point[pose])
            better, residual = improved(pose_axes, candidates[pose, k][:, None], t[pose], s[pose])
            q[pose, k], error[pose, k] = better[:, 0], residual[:, 0]
            solutions[waiting], counts[waiting] = _merged(solutions[waiting], counts[waiting], q, error < EXACT)
            eliminations.append((first_axis, waiting, elimination))
            witnesses[:] = 0
            for tried_axis, poses, earlier in eliminations:
                agreed = _accounted(earlier, solutions[poses][..., (tried_axis + 2) % 6], counts[poses])
                witnesses[poses] += agreed
                votes[tried_axis] = int(agreed.sum())
            waiting = waiting[witnesses[waiting] < enough]
            if not len(waiting):
                break
        # what is left of the table repeats the first, or stays at zero, which fails as a candidate
        empty = np.arange(MOST) >= counts[:, None]
        solutions[empty] = np.broadcast_to(solutions[:, :1], solutions.shape)[empty]
        return (solutions, witnesses), votes


def _closed_at(axes: Axes, first_axis: int, turn: Array, shift: Array) -> Axes:
    """The loop from axis ``first_axis`` on: those before it come last, brought back by T'."""
    turn_t = np.swapaxes(turn, 1, 2)
    direction = np.einsum("nij,nkj->nki", turn_t, axes.direction[:, :first_axis])
    point = np.einsum("nij,nkj->nki", turn_t, axes.point[:, :first_axis] - shift[:, None])
    return Axes(
        np.concatenate([axes.direction[:, first_axis:], direction], axis=1),
        np.concatenate([axes.point[:, first_axis:], point], axis=1),
    )


def improved(axes: Axes, q: Array, turn: Array, shift: Array) -> tuple[Array, Array]:
    """Candidates ``(poses, k, 6)`` after Newton's steps, and what they lack then (rad, lengths)."""
    q = q.copy()
    lacks, jacobian = _pose_error(axes, q, turn, shift)
    size = np.abs(lacks).max(axis=-1)
    for _ in range(STEPS):
        pose, k = np.nonzero((size < CLOSE) & (size > SHARP))
        if not len(pose):
            break
        matrix, residual = jacobian[pose, k], lacks[pose, k]
        square = np.swapaxes(matrix, -1, -2) @ matrix + 1e-15 * np.eye(6)
        step = np.linalg.solve(square, np.einsum("nij,ni->nj", matrix, residual)[..., None])[..., 0]
        trial = q[pose, k] + step * np.minimum(1.0, 0.3 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        pose_axes = Axes(axes.direction[pose], axes.point[pose])
        residual, matrix = (x[:, 0] for x in _pose_error(pose_axes, trial[:, None], turn[pose], shift[pose]))
        trial_size = np.abs(residual).max(axis=-1)
        better = trial_size < size[pose, k]
        pose, k = pose[better], k[better]
        q[pose, k], lacks[pose, k], jacobian[pose, k], size[pose, k] = (
            x[better] for x in (trial, residual, matrix, trial_size)
        )
        if not better.any():
            break
    return q, size


def _pose_error(axes: Axes, q: Array, turn: Array, shift: Array) -> tuple[Array, Array]:
    """The twist (rotation, then velocity of the origin) that is left to T', and the screws it is to be made of."""
    count, many, _ = q.shape
    frames = np.broadcast_to(np.eye(3), (count, many, 3, 3)).copy()
    # rows of frames: where the base's directions go, last joint first; screws meanwhile move along
    origin = np.zeros((count, many, 3))
    directions: list[Array] = []
    points: list[Array] = []
    for k in range(5, -1, -1):
        h, p = axes.spread(k, 1)
        angle = q[..., k]
        directions = [turned(h, angle, x) for x in directions]
        points = [turned(h, angle, x - p) + p for x in points]
        origin = turned(h, angle, origin - p) + p
        frames = turned(h[:, :, None], np.broadcast_to(angle[..., None], (count, many, 3)), frames)
        directions.insert(0, np.broadcast_to(h, (count, many, 3)))
        points.insert(0, np.broadcast_to(p, (count, many, 3)))
    # frames[i] is R e_i: R' R^T = sum of (R' e_i) (R e_i)^T
    rotation_left = np.einsum("nij,nkil->nkjl", np.swapaxes(turn, 1, 2), frames)
    sine = 0.5 * np.stack(
        [
            rotation_left[..., 2, 1] - rotation_left[..., 1, 2],
            rotation_left[..., 0, 2] - rotation_left[..., 2, 0],
            rotation_left[..., 1, 0] - rotation_left[..., 0, 1],
        ],
        -1,
    )
    cosine = 0.5 * (np.einsum("nkii->nk", rotation_left) - 1)
    away = np.where(cosine < 0.5, 1.0, 0.0)[..., None]  # a sine is small at half a turn too
    lacks = np.concatenate([sine + away, shift[:, None] - origin], axis=-1)
    h, p = np.stack(directions, axis=-1), np.stack(points, axis=-1)
    velocity = np.cross(h, origin[..., None] - p, axis=2)
    return lacks, np.concatenate([h, velocity], axis=2)


def _merged(
    table: Array, counts: NDArray[np.int64], q: Array, good: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.int64]]:
    """Tables of sixteen, of which ``counts`` are solutions, with those of ``q`` that are good and not in them yet."""
    joined = np.concatenate([table, q], axis=1)
    kept = np.concatenate([np.arange(MOST) < counts[:, None], good], axis=1)
    alike = np.ones((len(q), MOST, 2 * MOST), bool)
    for k in range(q.shape[-1]):
        difference = q[:, :, None, k] - joined[:, None, :, k]
        alike &= np.abs(difference - 2 * np.pi * np.round(difference / (2 * np.pi))) < SAME
    alike &= kept[:, None, :] & (np.arange(2 * MOST) < np.arange(MOST, 2 * MOST)[:, None])
    kept[:, MOST:] &= ~alike.any(axis=2)
    order = np.argsort(~kept, axis=1, kind="stable")[:, :MOST]
    return np.take_along_axis(joined, order[..., None], axis=1), np.minimum(kept.sum(axis=1), MOST)


def _accounted(elimination: Eliminated, angle: Array, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether every eigenvalue that may be real is that of as many solutions, whose joint is at ``angle``."""
    real = elimination.imaginary < REAL
    filled = np.arange(MOST) < counts[:, None]

    def close(a: Array, b: Array) -> NDArray[np.bool_]:
        difference = np.abs(np.remainder(a[:, :, None] - b[:, None, :] + np.pi, 2 * np.pi) - np.pi)
        return np.asarray(difference < TOGETHER)

    eigenvalues = (close(elimination.angle, elimination.angle) & real[:, None, :]).sum(axis=2)
    solutions = (close(elimination.angle, angle) & filled[:, None, :]).sum(axis=2)
    accounted = ((eigenvalues <= solutions) | ~real).all(axis=1)
    return np.asarray(elimination.regular & accounted & (real.sum(axis=1) == counts))
