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
    converge,
    gained,
    rotated,
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
    observations: Observations,
    loads: Sequence[Loads],
    unknown_gains: Array,
    find_gravity: bool,
    robust: bool,
    progress: Callable[[str], None],
) -> Estimate:
    """The estimate; gains of the joints in ``unknown_gains`` and the direction of gravity are found where asked."""
    joints = np.flatnonzero(unknown_gains).tolist()
    if not find_gravity:
        return _estimated(observations, loads, joints, robust, progress)
    progress("direction of gravity")
    start = _first_direction(observations, loads, joints)
    # gravity upside down, with centres of mass on the other side, weighs as much: motion alone tells the two apart
    candidates = [
        _estimated(_under_gravity(observations, g, loads), loads, joints, robust, progress) for g in (start, -start)
    ]
    return min(candidates, key=lambda candidate: float(np.log(candidate.fit.spread).sum()))


def _estimated(
    observations: Observations,
    loads: Sequence[Loads],
    joints: list[int],
    robust: bool,
    progress: Callable[[str], None],
) -> Estimate:
    count, n = len(observations.base), observations.unknowns.arm.n
    find_gravity = isinstance(observations.system, AnyGravity)
    changes = np.ones(n)
    if joints:
        progress("gains of the drives")
        changes = _first_gains(observations, joints)
        observations = _rescaled(observations, changes)
    shape, initial = _shaped_fit(observations, robust)
    state = {"fit": initial}

    def extras() -> list[Extra]:
        values = state["fit"].values[:count]
        extra_columns: list[Extra] = []
        if joints:
            extra_columns.append(GainColumns(values, observations.known, joints))
        if find_gravity:
            assert isinstance(observations.system, AnyGravity)
            axes = across(observations.system.gravity)
            extra_columns.append(TiltColumns(observations.system, inertial_part(observations, values), axes))
        return extra_columns

    def step() -> float:
        nonlocal observations, changes
        inertial = inertial_part(observations, state["fit"].values[:count])
        added = extras()
        state["fit"] = fit(partial(observations.blocks, shape, inertial, added), robust)
        extra_values = state["fit"].values[count:]
        if joints:
            factor = np.ones(n)
            factor[joints] = 1 / np.maximum(1 + extra_values[: len(joints)], 0.2)
            changes = changes * factor
            observations = _rescaled(observations, factor)
        if find_gravity:
            assert isinstance(observations.system, AnyGravity)
            turn = across(observations.system.gravity).T @ extra_values[-2:]
            turn = turn * min(1.0, 0.5 / max(float(np.linalg.norm(turn)), 1e-12))
            observations = _under_gravity(observations, rotated(observations.system.gravity, turn), loads)
        return float(np.abs(extra_values).max())

    if joints or find_gravity:
        converge(step, "gains" if joints else "the directions of gravity")
        shape, state["fit"] = _shaped_fit(observations, robust, state["fit"].values[:count], shape)
        converge(step, "gains" if joints else "the directions of gravity")
        inertial, added = inertial_part(observations, state["fit"].values[:count]), extras()
    else:
        inertial, added = inertial_part(observations, initial.values), []
    plain = None
    if observations.instruments:
        plain = fit(partial(observations.plain().blocks, shape, inertial, added), robust)
        state["fit"] = fit(partial(observations.blocks, shape, inertial, added), robust, instruments=True)
    final = state["fit"]
    errors = np.sqrt(np.maximum(np.diag(final.covariance)[count:], 0.0))
    gain_errors = np.zeros(n)
    gain_errors[joints] = errors[: len(joints)]
    return Estimate(
        final, shape, count, tuple(observations.logs), tuple(observations.known), changes, gain_errors,
        observations.system.gravity if isinstance(observations.system, AnyGravity) else None,
        float(np.hypot(*errors[-2:])) if find_gravity else 0.0, plain,
    )  # fmt: skip


def inertial_part(observations: Observations, values: Array) -> Array:
    """Inertial parameters with the same torques: the base parameters, all others zero."""
    unknowns = np.zeros(observations.unknowns.count)
    unknowns[observations.base] = values
    return unknowns[: observations.unknowns.inertial]


# -- gains and gravity ------------------------------------------------------------------------------


def _rescaled(observations: Observations, factor: Array) -> Observations:
    rescaled = Observations(
        observations.system,
        observations.unknowns,
        observations.base,
        gained(observations.logs, factor),
        observations.known,
        observations.instruments,
    )
    rescaled.share_memory(observations)
    return rescaled


def _under_gravity(observations: Observations, gravity: Array, loads: Sequence[Loads]) -> Observations:
    turned = under(observations, gravity)
    turned.known = [
        known_torques(KnownTorques(turned.system, log_loads), log)
        for log, log_loads in zip(turned.logs, loads, strict=True)
    ]
    return turned


def _first_gains(observations: Observations, joints: list[int]) -> Array:
    """Gains from the equations that are linear in them."""
    n = observations.unknowns.arm.n
    zero_gain = np.ones(n)
    zero_gain[joints] = 0.0
    without_effort = _rescaled(observations, zero_gain)
    columns = CurrentColumns(observations.logs, joints)
    initial = fit(partial(without_effort.blocks, middle_shape(n), None, [columns]))
    gains = np.ones(n)
    gains[joints] = initial.values[len(observations.base) :]
    # a current that is all noise has no gain of its own: the least that is still a start
    return np.where(np.abs(gains) > 1e-6 * np.abs(gains).max(), gains, np.abs(gains).max())


def _first_direction(observations: Observations, loads: Sequence[Loads], joints: list[int]) -> Array:
    """Gravity in the direction that leaves the least: among ``DIRECTIONS``, then ever closer about the best.

    From far away the steps of Gauss and Newton may run about the solution without end.
    """
    assert isinstance(observations.system, AnyGravity)
    start = observations.system.gravity
    size = float(np.linalg.norm(start)) or 9.81
    zero_gain = np.ones(observations.unknowns.arm.n)
    zero_gain[joints] = 0.0
    subset = observations.beginning(SEARCHED // 10)

    def residual_size(gravity: Array) -> float:
        extras: list[Extra] = [CurrentColumns(subset.logs, joints)] if joints else []
        trial = _rescaled(_under_gravity(subset, gravity, loads), zero_gain)
        trial_fit = fit(partial(trial.blocks, middle_shape(len(zero_gain)), None, extras))
        scale = np.linalg.norm(trial_fit.effort, axis=0)
        return float((np.linalg.norm(trial_fit.residual, axis=0) / np.where(scale > 0, scale, 1.0)).sum())

    directions = [
        size * direction / np.linalg.norm(direction) for direction in (start, *DIRECTIONS) if np.any(direction)
    ]
    least, best_direction = min(
        ((residual_size(direction), direction) for direction in directions), key=lambda pair: pair[0]
    )
    for turn in CLOSER:
        for axis in across(best_direction):
            for direction in (rotated(best_direction, turn * axis), rotated(best_direction, -turn * axis)):
                error = residual_size(direction)
                if error < least:
                    least, best_direction = error, direction
    return np.asarray(best_direction, dtype=float)


# -- the shape of friction --------------------------------------------------------------------------


def middle_shape(n: int) -> Shape:
    """A shape to begin with."""
    return Shape(np.full(n, TRANSITIONS[len(TRANSITIONS) // 2]), np.full(n, STRIBECK[len(STRIBECK) // 2]))


def _shaped_fit(
    observations: Observations, robust: bool, values: Array | None = None, shape: Shape | None = None
) -> tuple[Shape, WeightedFit]:
    """Least squares, with the numbers in which friction is not linear chosen on their grids."""
    shape = middle_shape(observations.unknowns.arm.n) if shape is None else shape
    inertial = None if values is None else inertial_part(observations, values)
    if observations.unknowns.friction.regularised:
        subset = (
            observations
            if max(len(log.t) for log in observations.logs) <= SEARCHED
            else observations.beginning(SEARCHED)
        )
        current = fit(partial(subset.blocks, shape, inertial), robust)
        for _ in range(SEARCHES):
            inertial = inertial_part(observations, current.values)
            shape = _better_shape(subset, shape, inertial, current)
            current = fit(partial(subset.blocks, shape, inertial), robust)
        if subset is observations:
            return shape, current
        inertial = inertial_part(observations, current.values)
    return shape, fit(partial(observations.blocks, shape, inertial), robust)


def _better_shape(observations: Observations, shape: Shape, inertial: Array, current: WeightedFit) -> Shape:
    """For each joint the speeds of transition and of Stribeck with the least residual, all else as it is."""
    unknowns = observations.unknowns
    n, terms = unknowns.arm.n, unknowns.friction.names
    values = np.zeros(unknowns.count)
    values[observations.base] = current.values
    factors = values[unknowns.friction_column(0, 0) : unknowns.friction_column(n, 0)].reshape(n, len(terms))
    frictionless = current.residual + (observations.friction(shape, inertial) * factors).sum(axis=-1)
    best = np.full(n, np.inf)
    transition, stribeck = shape.transition.copy(), shape.stribeck.copy()
    for v_0 in TRANSITIONS:
        for v_s in STRIBECK if "stribeck" in terms else STRIBECK[:1]:
            columns = observations.friction(Shape(np.full(n, v_0), np.full(n, v_s)), inertial)
            for joint in range(n):
                rows = columns[:, joint]
                residual = frictionless[:, joint] - rows @ np.linalg.lstsq(rows, frictionless[:, joint], rcond=None)[0]
                error = float(np.linalg.norm(residual))
                if error < best[joint]:
                    best[joint], transition[joint], stribeck[joint] = error, v_0, v_s
    return Shape(transition, stribeck)
