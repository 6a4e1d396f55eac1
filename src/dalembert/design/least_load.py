"""The counterweight that makes the largest gravity load least: a Chebyshev problem, solved by exchange.

G(q) + sum_k A_k(q) u_k is linear in the moments u, so that its largest magnitude over some poses is least at the
solution of a linear program. Where the answer is exceeded at another pose, that pose joins the others and the program
is solved again: the cutting planes of Kelley 1960. The value of the program is a floor, to the tolerance of its solver:
over more poses no weight can do better. It ends when the load of the answer is at its floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arm.errors import ArmError
from ..bounds.box import Box
from ..bounds.ranges import range_of
from ..bounds.search import search
from ..bounds.waves import Array, Wave, total

SAMPLES, STARTS = 300, 12
"""Poses to begin with, and those from which each search for the worst one starts."""
ROUNDS = 60
"""Most exchanges."""
NEAR = 1e-6
"""How near the load must come to its floor, as a share of it; of the weights within this the lightest is taken."""
SEARCH = 1.0e6
"""Limit of work (control values) for the last look for a worse pose."""


@dataclass(frozen=True, eq=False)
class LeastLoad:
    """The moments u (kg m), and the floor (N m): no moments leave less than it at the poses that were exchanged."""

    moment: list[float]
    floor: float


def least_load(load: Wave, slopes: Sequence[Wave], box: Box) -> LeastLoad:
    """The moments that make the largest magnitude of load + sum slope u over the box least."""
    free = [k for k, slope in enumerate(slopes) if len(slope)]
    q = box.samples(SAMPLES, 8)
    q[0] = box.centre
    moment = [0.0] * len(slopes)
    floor = 0.0
    for _ in range(ROUNDS if free else 0):
        table = np.stack([slopes[k](q) for k in free], axis=1)
        floor, solution = program(load(q), table)
        for k, value in zip(free, solution, strict=True):
            moment[k] = float(value)
        residual_load = total([load, *(slopes[k].times(moment[k]) for k in free)])
        worse = worst(residual_load, box, q, (1 + 2 * NEAR) * floor)
        if not len(worse):
            break
        q = np.concatenate([q, worse])
    return LeastLoad(moment, floor)


def program(load: Array, table: Array) -> tuple[float, Array]:
    """The least t with |load + table u| <= t at all poses, and the u with the smallest sum |u_k| that is near it."""
    count = table.shape[1]
    size = float(np.abs(load).max())
    if not size:
        return 0.0, np.zeros(count)
    scale = np.abs(table).max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    # In units of the largest load, so that the tolerances of the solver are relative ones.
    right, left = load / size, table / scale
    ones = np.ones((len(load), 1))
    rows = np.concatenate([np.hstack([left, -ones]), np.hstack([-left, -ones])])
    ends = np.concatenate([-right, right])
    first = _solved(np.append(np.zeros(count), 1.0), rows, ends, [(None, None)] * (count + 1))
    floor = float(first[-1])
    # Of all u that come as near: those with u = v - w, v and w not negative, and the least sum of both.
    split = np.concatenate([np.hstack([left, -left]), np.hstack([-left, left])])
    limits = ends + (1 + NEAR) * floor + 1e-12
    second = _solved(np.ones(2 * count), split, limits, [(0, None)] * (2 * count))
    return floor * size, (second[:count] - second[count:]) * size / scale


def _solved(cost: Array, rows: Array, ends: Array, limits: list[tuple[int | None, int | None]]) -> Array:
    from scipy.optimize import linprog  # SciPy takes its time: imported where it is used

    solution = linprog(cost, rows, ends, bounds=limits, method="highs")
    if not solution.success:
        raise ArmError(f"the linear program of a counterweight was not solved: {solution.message}; give another box")
    x: Array = solution.x
    return x


def worst(residual_load: Wave, box: Box, q: Array, allowed: float) -> Array:
    """Poses at which the load exceeds what is allowed: by descent, or where that finds none, by a coarse proof."""
    values = residual_load(q)
    for polish in (False, True):
        ends = [
            search(wave, box, q[np.argsort(sign * values)[:STARTS]], polish)
            for sign, wave in ((1.0, residual_load), (-1.0, -residual_load))
        ]
        exceeding = [pose for pose in ends if abs(float(residual_load(pose))) > allowed]
        if exceeding:
            return np.array(exceeding)
    proved_range = range_of(residual_load, box, work=SEARCH)
    exceeding = [
        pose for pose in (proved_range.at_minimum, proved_range.at_maximum) if abs(float(residual_load(pose))) > allowed
    ]
    return np.array(exceeding).reshape(-1, q.shape[1])
