"""Positions where the errors of a program are largest, by climbing: no proof, and far quicker than one.

What is climbed is the largest error of a joint's torque at a position, at rest or with speeds at their limits, all
signs tried; accelerations are affine. A program whose errors are seen to pass the tolerance needs no proof.
"""

from __future__ import annotations

import numpy as np

from ..bounds.products import products
from .hoist import Hoisted
from .samples import Samples
from .states import Array, States

SPREAD = 1000
"""Random positions to begin with."""
POOL, TRIALS = 4, 8
"""Positions that are kept for each joint, and steps that are tried from each of them in a round."""
FIRST = 24
"""Random positions with the largest sums of magnitudes that are looked at with all signs, for each joint."""
STEPS = 0.3 * 0.75 ** np.arange(14, dtype=float)
"""Step of each round, as a part of the half-width of the box."""


def climbed(
    samples: Samples, program: Hoisted, exact: Hoisted, states: States, begin: Array, seed: int
) -> tuple[Array, Array]:
    """For each joint the largest error met, over all loads, and the positions (positions, n) at which the climbs of all
    joints and loads end.

    ``begin`` are positions to begin with besides random ones.
    """
    n = states.n
    climbs = [_climbed(samples, load, program, exact, states, begin, seed) for load in range(len(samples.cases))]
    return np.max([errors for errors, _ in climbs], axis=0), np.concatenate([at.reshape(-1, n) for _, at in climbs])


def _climbed(
    samples: Samples, load: int, program: Hoisted, exact: Hoisted, states: States, begin: Array, seed: int
) -> tuple[Array, Array]:
    box, n, rng = states.box, states.n, np.random.default_rng(seed)
    low, high = np.where(box.circle, -np.inf, box.lower), np.where(box.circle, np.inf, box.upper)
    q = np.concatenate([rng.uniform(box.lower, box.upper, (SPREAD, n)), begin])
    speed_products = products([[(factor, 1.0)] for factor in samples.factors], np.ones(len(samples.factors)))

    def largest(errors: Array) -> Array:
        """The largest errors (joints, positions), from contributions (joints, contributions, positions)."""
        if speed_products is None:
            return np.asarray(np.abs(errors).sum(axis=1))
        rows = np.ascontiguousarray(errors.swapaxes(1, 2)).reshape(-1, errors.shape[1])
        return speed_products.largest(rows, np.inf)[1].reshape(n, -1)

    errors = samples.errors_at(program, exact, q, load)
    likely = np.argsort(-np.abs(errors).sum(axis=1), axis=1, kind="stable")[:, :FIRST]
    values = largest(np.take_along_axis(errors, likely[:, None], axis=2))
    top = np.argsort(-values, axis=1, kind="stable")[:, :POOL]
    pool = q[np.take_along_axis(likely, top, axis=1)]  # (joints, POOL, n)
    score = np.take_along_axis(values, top, axis=1)  # (joints, POOL)
    rows, columns = np.arange(n)[:, None], np.arange(POOL)[None]
    for step in STEPS:
        shape = (n, POOL, TRIALS, n)
        trial = pool[:, :, None] + step * box.half * rng.standard_normal(shape) * (rng.random(shape) < 0.5)
        trial = np.clip(trial, low, high)
        errors = samples.errors_at(program, exact, trial.reshape(-1, n), load).reshape(n, -1, n, POOL * TRIALS)
        joint_errors = largest(errors[np.arange(n), :, np.arange(n)]).reshape(n, POOL, TRIALS)
        pick = joint_errors.argmax(axis=2)
        largest_error = np.take_along_axis(joint_errors, pick[:, :, None], axis=2)[:, :, 0]
        better = largest_error > score
        pool[better], score[better] = trial[rows, columns, pick][better], largest_error[better]
    return score.max(axis=1), pool
