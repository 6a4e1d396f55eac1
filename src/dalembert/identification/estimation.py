"""The estimate from equations: the shape of friction on its grid, gains and gravity by steps, then all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .any_gravity import AnyGravity
from .calibration import (
    DIRECTIONS,
    CurrentColumns,
    GainColumns,
    TiltColumns,
    across,
    gained,
    rotated,
    settled,
    under,
)
from .least_squares import WeightedFit, fit
from .log import Array
from .observations import STRIBECK, TRANSITIONS, Extra, KnownTorques, Loads, Observations, Shape, known_torques
from .smoothing import Smoothed

SEARCHES = 3
"""Rounds in which friction is fitted, its shape chosen joint by joint, and all fitted again."""
SEARCHED = 100_000
"""Samples of each log by which the shape of friction is chosen."""


CLOSER = np.radians((22.0, 15.0, 9.0, 5.0))
"""Turns by which the search for gravity closes in on its start."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """What was found: base unknowns with the covariance that holds errors of gains and gravity, and those themselves.

    ``plain`` is the fit without instruments where the estimate has them.
    """

    fit: WeightedFit
    shape: Shape
    count: int
    logs: tuple[Smoothed, ...]
    known: tuple[Array, ...]
    gain_changes: Array
    gain_errors: Array
    gravity: Array | None
    gravity_error: float
    plain: WeightedFit | None

    @property
    def values(self) -> Array:
        """The base unknowns."""
        return self.fit.values[: self.count]

    @property
    def covariance(self) -> Array:
        """Their covariance."""
        return self.fit.covariance[: self.count, : self.count]

    @property
    def gram(self) -> Array:
        """W'W of the base unknowns, over the spreads of the residuals."""
        return self.fit.gram[: self.count, : self.count]


def estimated(
    seen: Observations,
    loads: Sequence[Loads],
    unknown_gains: Array,
    find_gravity: bool,
    robust: bool,
    progress: Callable[[str], None],
) -> Estimate:
    """The estimate; gains of the joints in ``unknown_gains`` and the direction of gravity are found where asked."""
    joints = np.flatnonzero(unknown_gains).tolist()
    if not find_gravity:
        return _estimated(seen, loads, joints, robust, progress)
    progress("direction of gravity")
    start = _first_direction(seen, loads, joints)
    # gravity upside down, with centres of mass on the other side, weighs as much: motion alone tells the two apart
    both = [_estimated(_under(seen, g, loads), loads, joints, robust, progress) for g in (start, -start)]
    return min(both, key=lambda found: float(np.log(found.fit.spread).sum()))


def _estimated(
    seen: Observations,
    loads: Sequence[Loads],
    joints: list[int],
    robust: bool,
    progress: Callable[[str], None],
) -> Estimate:
    count, n, find_gravity = len(seen.base), seen.unknowns.arm.n, isinstance(seen.system, AnyGravity)
    changes = np.ones(n)
    if joints:
        progress("gains of the drives")
        changes = _first_gains(seen, joints)
        seen = _rescaled(seen, changes)
    shape, found = _shaped_fit(seen, robust)
    state = {"fit": found}

    def extras() -> list[Extra]:
        values = state["fit"].values[:count]
        made: list[Extra] = []
        if joints:
            made.append(GainColumns(values, seen.known, joints))
        if find_gravity:
            assert isinstance(seen.system, AnyGravity)
            axes = across(seen.system.gravity)
            made.append(TiltColumns(seen.system, inertial_part(seen, values), axes))
        return made

    def step() -> float:
        nonlocal seen, changes
        inertial = inertial_part(seen, state["fit"].values[:count])
        added = extras()
        state["fit"] = fit(partial(seen.blocks, shape, inertial, added), robust)
        moved = state["fit"].values[count:]
        if joints:
            factor = np.ones(n)
            factor[joints] = 1 / np.maximum(1 + moved[: len(joints)], 0.2)
            changes = changes * factor
            seen = _rescaled(seen, factor)
        if find_gravity:
            assert isinstance(seen.system, AnyGravity)
            turn = across(seen.system.gravity).T @ moved[-2:]
            turn = turn * min(1.0, 0.5 / max(float(np.linalg.norm(turn)), 1e-12))
            seen = _under(seen, rotated(seen.system.gravity, turn), loads)
        return float(np.abs(moved).max())

    if joints or find_gravity:
        settled(step, "gains" if joints else "the directions of gravity")
        shape, state["fit"] = _shaped_fit(seen, robust, state["fit"].values[:count], shape)
        settled(step, "gains" if joints else "the directions of gravity")
        inertial, added = inertial_part(seen, state["fit"].values[:count]), extras()
    else:
        inertial, added = inertial_part(seen, found.values), []
    plain = None
    if seen.instruments:
        plain = fit(partial(seen.plain().blocks, shape, inertial, added), robust)
        state["fit"] = fit(partial(seen.blocks, shape, inertial, added), robust, instruments=True)
    whole = state["fit"]
    errors = np.sqrt(np.maximum(np.diag(whole.covariance)[count:], 0.0))
    gain_errors = np.zeros(n)
    gain_errors[joints] = errors[: len(joints)]
    return Estimate(
        whole, shape, count, tuple(seen.logs), tuple(seen.known), changes, gain_errors,
        seen.system.gravity if isinstance(seen.system, AnyGravity) else None,
        float(np.hypot(*errors[-2:])) if find_gravity else 0.0, plain,
    )  # fmt: skip


def inertial_part(seen: Observations, values: Array) -> Array:
    """Inertial parameters with the same torques: the base parameters, all others zero."""
    found = np.zeros(seen.unknowns.count)
    found[seen.base] = values
    return found[: seen.unknowns.inertial]


# -- gains and gravity ------------------------------------------------------------------------------


def _rescaled(seen: Observations, factor: Array) -> Observations:
    made = Observations(
        seen.system, seen.unknowns, seen.base, gained(seen.logs, factor), seen.known, seen.instruments
    )  # fmt: skip
    made.share_memory(seen)
    return made


def _under(seen: Observations, gravity: Array, loads: Sequence[Loads]) -> Observations:
    made = under(seen, gravity)
    made.known = [
        known_torques(KnownTorques(made.system, each), log) for log, each in zip(made.logs, loads, strict=True)
    ]
    return made


def _first_gains(seen: Observations, joints: list[int]) -> Array:
    """Gains from the equations that are linear in them."""
    n = seen.unknowns.arm.n
    still = np.ones(n)
    still[joints] = 0.0
    silent = _rescaled(seen, still)
    columns = CurrentColumns(seen.logs, joints)
    found = fit(partial(silent.blocks, middle_shape(n), None, [columns]))
    gains = np.ones(n)
    gains[joints] = found.values[len(seen.base) :]
    # a current that is all noise has no gain of its own: the least that is still a start
    return np.where(np.abs(gains) > 1e-6 * np.abs(gains).max(), gains, np.abs(gains).max())


def _first_direction(seen: Observations, loads: Sequence[Loads], joints: list[int]) -> Array:
    """Gravity in the direction that leaves the least: among ``DIRECTIONS``, then ever closer about the best.

    From far away the steps of Gauss and Newton may run about the solution without end.
    """
    assert isinstance(seen.system, AnyGravity)
    start = seen.system.gravity
    size = float(np.linalg.norm(start)) or 9.81
    still = np.ones(seen.unknowns.arm.n)
    still[joints] = 0.0
    few = seen.beginning(SEARCHED // 10)

    def left(gravity: Array) -> float:
        extras: list[Extra] = [CurrentColumns(few.logs, joints)] if joints else []
        asked = _rescaled(_under(few, gravity, loads), still)
        found = fit(partial(asked.blocks, middle_shape(len(still)), None, extras))
        scale = np.linalg.norm(found.effort, axis=0)
        return float((np.linalg.norm(found.residual, axis=0) / np.where(scale > 0, scale, 1.0)).sum())

    ways = [size * way / np.linalg.norm(way) for way in (start, *DIRECTIONS) if np.any(way)]
    best, chosen = min(((left(way), way) for way in ways), key=lambda pair: pair[0])
    for turn in CLOSER:
        for axis in across(chosen):
            for way in (rotated(chosen, turn * axis), rotated(chosen, -turn * axis)):
                error = left(way)
                if error < best:
                    best, chosen = error, way
    return np.asarray(chosen, dtype=float)


# -- the shape of friction --------------------------------------------------------------------------


def middle_shape(n: int) -> Shape:
    """A shape to begin with."""
    return Shape(np.full(n, TRANSITIONS[len(TRANSITIONS) // 2]), np.full(n, STRIBECK[len(STRIBECK) // 2]))


def _shaped_fit(
    seen: Observations, robust: bool, values: Array | None = None, shape: Shape | None = None
) -> tuple[Shape, WeightedFit]:
    """Least squares, with the numbers in which friction is not linear chosen on their grids."""
    shape = middle_shape(seen.unknowns.arm.n) if shape is None else shape
    inertial = None if values is None else inertial_part(seen, values)
    if seen.unknowns.friction.regularised:
        few = seen if max(len(log.t) for log in seen.logs) <= SEARCHED else seen.beginning(SEARCHED)
        found = fit(partial(few.blocks, shape, inertial), robust)
        for _ in range(SEARCHES):
            inertial = inertial_part(seen, found.values)
            shape = _better_shape(few, shape, inertial, found)
            found = fit(partial(few.blocks, shape, inertial), robust)
        if few is seen:
            return shape, found
        inertial = inertial_part(seen, found.values)
    return shape, fit(partial(seen.blocks, shape, inertial), robust)


def _better_shape(seen: Observations, shape: Shape, inertial: Array, found: WeightedFit) -> Shape:
    """For each joint the speeds of transition and of Stribeck with the least residual, all else as it is."""
    unknowns = seen.unknowns
    n, terms = unknowns.arm.n, unknowns.friction.names
    values = np.zeros(unknowns.count)
    values[seen.base] = found.values
    factors = values[unknowns.friction_column(0, 0) : unknowns.friction_column(n, 0)].reshape(n, len(terms))
    rest = found.residual + (seen.friction(shape, inertial) * factors).sum(axis=-1)
    best = np.full(n, np.inf)
    transition, stribeck = shape.transition.copy(), shape.stribeck.copy()
    for v_0 in TRANSITIONS:
        for v_s in STRIBECK if "stribeck" in terms else STRIBECK[:1]:
            columns = seen.friction(Shape(np.full(n, v_0), np.full(n, v_s)), inertial)
            for joint in range(n):
                rows = columns[:, joint]
                left = rest[:, joint] - rows @ np.linalg.lstsq(rows, rest[:, joint], rcond=None)[0]
                error = float(np.linalg.norm(left))
                if error < best[joint]:
                    best[joint], transition[joint], stribeck[joint] = error, v_0, v_s
    return Shape(transition, stribeck)
