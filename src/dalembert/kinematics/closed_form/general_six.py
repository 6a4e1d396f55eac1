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
WAYS = (0, 1, 2, 3, 4, 5)
"""Where the loop is closed."""
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
        turn, place = target[:, :3, :3], target[:, :3, 3] / self.length
        if self.inverted:
            turn = np.swapaxes(turn, 1, 2)
            place = -np.einsum("nij,nj->ni", turn, place)
        turn = turn @ self.chain.turn.T
        q = np.zeros((len(target), MOST, preferred.shape[-1]))
        if not len(target):
            return q, np.zeros((0, MOST))
        with np.errstate(all="ignore"):
            found, sure = self.positions(turn, place - turn @ self.chain.shift)
        for k, screw in enumerate(self.chain.screws):
            if screw.joint >= 0:
                q[..., screw.joint] = finite(found[..., k])
        return q, np.broadcast_to(np.where(sure[:, None], 0.0, LOST), q.shape[:-1])

    def _axes(self, count: int) -> Axes:
        screws = self.chain.screws
        spread = (np.broadcast_to([getattr(s, name) for s in screws], (count, 6, 3)) for name in ("direction", "point"))
        return Axes(*spread)

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """Where to close the loop, the best witnesses of some random poses first: special axes make some ways dumb."""
        rng = np.random.default_rng(5)
        angles = rng.uniform(-np.pi, np.pi, (TRIALS, 6))
        axes = self._axes(TRIALS)
        shift, turn = np.zeros((TRIALS, 3)), np.broadcast_to(np.eye(3), (TRIALS, 3, 3))
        for k in range(5, -1, -1):
            h, p = axes.direction[:, k], axes.point[:, k]
            shift = turned(h, angles[:, k], shift - p) + p
            turn = turned(h[:, None], np.broadcast_to(angles[:, k : k + 1], (TRIALS, 3)), turn)
        _, votes = self._asked(WAYS, np.swapaxes(turn, 1, 2), shift, len(WAYS) + 1)
        return tuple(sorted(WAYS, key=lambda way: -votes[way]))

    def positions(self, turn: Array, shift: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Candidates ``(poses, 16, 6)`` for displacements T' = (turn, shift), and for which they are all there are."""
        (found, witnesses), _ = self._asked(self.ways, turn, shift, WITNESSES)
        return found, np.asarray(witnesses >= WITNESSES)

    def _asked(
        self, ways: tuple[int, ...], turn: Array, shift: Array, enough: int
    ) -> tuple[tuple[Array, NDArray[np.int64]], dict[int, int]]:
        """Candidates, the witnesses of each pose until it has enough, and of how many poses each way is one."""
        count = len(turn)
        found, held = np.zeros((count, MOST, 6)), np.zeros(count, np.int64)
        witnesses, votes = np.zeros(count, np.int64), dict.fromkeys(ways, 0)
        waiting = np.arange(count)
        tried: list[tuple[int, NDArray[np.int64], Eliminated]] = []
        for way in ways:
            t, s = turn[waiting], shift[waiting]
            axes = self._axes(len(waiting))
            said = eliminated(_closed_at(axes, way, t, s), t, s)
            candidates = finite(np.roll(said.q, way, axis=-1))
            q, error = candidates, np.full(candidates.shape[:2], np.inf)
            pose, k = np.nonzero(said.imaginary < SEARCHED)
            own = Axes(axes.direction[pose], axes.point[pose])
            better, rest = improved(own, candidates[pose, k][:, None], t[pose], s[pose])
            q[pose, k], error[pose, k] = better[:, 0], rest[:, 0]
            found[waiting], held[waiting] = _united(found[waiting], held[waiting], q, error < EXACT)
            tried.append((way, waiting, said))
            witnesses[:] = 0
            for other, poses, seen in tried:
                agreed = _accounted(seen, found[poses][..., (other + 2) % 6], held[poses])
                witnesses[poses] += agreed
                votes[other] = int(agreed.sum())
            waiting = waiting[witnesses[waiting] < enough]
            if not len(waiting):
                break
        # what is left of the table repeats the first, or stays at zero, which fails as a candidate
        empty = np.arange(MOST) >= held[:, None]
        found[empty] = np.broadcast_to(found[:, :1], found.shape)[empty]
        return (found, witnesses), votes


def _closed_at(axes: Axes, way: int, turn: Array, shift: Array) -> Axes:
    """The loop from axis ``way`` on: those before it come last, brought back by T'."""
    back = np.swapaxes(turn, 1, 2)
    direction = np.einsum("nij,nkj->nki", back, axes.direction[:, :way])
    point = np.einsum("nij,nkj->nki", back, axes.point[:, :way] - shift[:, None])
    return Axes(
        np.concatenate([axes.direction[:, way:], direction], axis=1),
        np.concatenate([axes.point[:, way:], point], axis=1),
    )


def improved(axes: Axes, q: Array, turn: Array, shift: Array) -> tuple[Array, Array]:
    """Candidates ``(poses, k, 6)`` after Newton's steps, and what they lack then (rad, lengths)."""
    q = q.copy()
    lacks, jacobian = _lacks(axes, q, turn, shift)
    size = np.abs(lacks).max(axis=-1)
    for _ in range(STEPS):
        pose, k = np.nonzero((size < CLOSE) & (size > SHARP))
        if not len(pose):
            break
        matrix, rest = jacobian[pose, k], lacks[pose, k]
        square = np.swapaxes(matrix, -1, -2) @ matrix + 1e-15 * np.eye(6)
        step = np.linalg.solve(square, np.einsum("nij,ni->nj", matrix, rest)[..., None])[..., 0]
        trial = q[pose, k] + step * np.minimum(1.0, 0.3 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        own = Axes(axes.direction[pose], axes.point[pose])
        rest, matrix = (x[:, 0] for x in _lacks(own, trial[:, None], turn[pose], shift[pose]))
        off = np.abs(rest).max(axis=-1)
        better = off < size[pose, k]
        pose, k = pose[better], k[better]
        q[pose, k], lacks[pose, k], jacobian[pose, k], size[pose, k] = (x[better] for x in (trial, rest, matrix, off))
        if not better.any():
            break
    return q, size


def _lacks(axes: Axes, q: Array, turn: Array, shift: Array) -> tuple[Array, Array]:
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
    left = np.einsum("nij,nkil->nkjl", np.swapaxes(turn, 1, 2), frames)
    sine = 0.5 * np.stack(
        [left[..., 2, 1] - left[..., 1, 2], left[..., 0, 2] - left[..., 2, 0], left[..., 1, 0] - left[..., 0, 1]], -1
    )
    cosine = 0.5 * (np.einsum("nkii->nk", left) - 1)
    away = np.where(cosine < 0.5, 1.0, 0.0)[..., None]  # a sine is small at half a turn too
    lacks = np.concatenate([sine + away, shift[:, None] - origin], axis=-1)
    h, p = np.stack(directions, axis=-1), np.stack(points, axis=-1)
    velocity = np.cross(h, origin[..., None] - p, axis=2)
    return lacks, np.concatenate([h, velocity], axis=2)


def _united(
    table: Array, held: NDArray[np.int64], q: Array, good: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.int64]]:
    """Tables of sixteen, of which ``held`` are solutions, with those of ``q`` that are good and not in them yet."""
    both = np.concatenate([table, q], axis=1)
    keep = np.concatenate([np.arange(MOST) < held[:, None], good], axis=1)
    alike = np.ones((len(q), MOST, 2 * MOST), bool)
    for k in range(q.shape[-1]):
        off = q[:, :, None, k] - both[:, None, :, k]
        alike &= np.abs(off - 2 * np.pi * np.round(off / (2 * np.pi))) < SAME
    alike &= keep[:, None, :] & (np.arange(2 * MOST) < np.arange(MOST, 2 * MOST)[:, None])
    keep[:, MOST:] &= ~alike.any(axis=2)
    order = np.argsort(~keep, axis=1, kind="stable")[:, :MOST]
    return np.take_along_axis(both, order[..., None], axis=1), np.minimum(keep.sum(axis=1), MOST)


def _accounted(said: Eliminated, angle: Array, held: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether every eigenvalue that may be real is that of as many solutions, whose joint is at ``angle``."""
    real = said.imaginary < REAL
    mine = np.arange(MOST) < held[:, None]

    def close(a: Array, b: Array) -> NDArray[np.bool_]:
        off = np.abs(np.remainder(a[:, :, None] - b[:, None, :] + np.pi, 2 * np.pi) - np.pi)
        return np.asarray(off < TOGETHER)

    eigenvalues = (close(said.angle, said.angle) & real[:, None, :]).sum(axis=2)
    solutions = (close(said.angle, angle) & mine[:, None, :]).sum(axis=2)
    told = ((eigenvalues <= solutions) | ~real).all(axis=1)
    return np.asarray(said.regular & told & (real.sum(axis=1) == held))
