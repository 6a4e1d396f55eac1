"""``identify``: from logs to the model of the robot that was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..systems.arm_system import ArmSystem
from .base_columns import BaseColumns, base_columns
from .consistency import consistent, parameter_sizes
from .friction_terms import SIGNED, FrictionTerms
from .least_squares import WeightedFit, fit
from .log import Array, Log
from .log_checks import check_log
from .observations import STRIBECK, TRANSITIONS, Observations, Shape, Unknowns, load_torques
from .result import Identification
from .smoothing import smoothed

METHODS = ("consistent", "least squares")
SEARCHES = 3
"""Rounds in which friction is fitted, its shape chosen joint by joint, and all fitted again."""
PRIOR = 1.0
"""How far a link may be off its description, in its own size: the data decide whatever they tell."""


def identify(
    arm: ArmSystem,
    logs: Log | Sequence[Log],
    friction: str = "coulomb+viscous+offset",
    rotors: bool = True,
    gains: ArrayLike | None = None,
    *,
    loads: Sequence[Load | None] | None = None,
    method: str = "consistent",
    robust: bool = False,
    cutoff: float | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> Identification:
    """The inertias, friction and reflected rotor inertias that explain the logs best.

    ``friction`` joins some of coulomb, viscous, offset, stribeck and load by +. ``gains`` (N m/A) make torques of
    currents. ``loads`` are the known loads in the hand, one for each log. ``method`` "consistent" gives bodies that
    could be built, closest to the data; "least squares" the base parameters alone as they come. ``robust`` lets
    outliers count less. ``cutoff`` (Hz) is that of the filter, chosen from the data where it is left out.
    """
    if method not in METHODS:
        raise ArmError(f"the method is {' or '.join(map(repr, METHODS))}, not {method!r}")
    if not isinstance(arm, ArmSystem):
        raise ArmError(f"identification needs an arm, as da.load gives it; got {arm!r}")
    if arm.counts_drives:
        raise ArmError(f"{arm.name}: identification finds the drives itself; give it the links, as in driven.arm")
    given = [logs] if isinstance(logs, Log) else list(logs)
    if not given or not all(isinstance(log, Log) for log in given):
        raise ArmError("identification needs a Log, or a list of them")
    if isinstance(loads, Load):
        raise ArmError("loads are a list, one for each log, None where there is none")
    held = [None] * len(given) if loads is None else list(loads)
    if len(held) != len(given):
        raise ArmError(
            f"there are {len(given)} logs and {len(held)} loads; give one for each log, None where there is none"
        )
    unknowns = Unknowns(arm, FrictionTerms.read(friction), rotors)
    warnings = [sentence for log in given for sentence in check_log(arm, log)]
    progress("filtering")
    measured = [smoothed(log if gains is None else log.gained(gains), cutoff) for log in given]
    known = [load_torques(arm, log, load) for log, load in zip(measured, held, strict=True)]
    progress("base parameters")
    base = base_columns(arm, unknowns)
    seen = Observations(arm, unknowns, measured, known)
    progress("least squares")
    shape, found, matrix = _fitted(seen, base, robust)
    values, full = _all_values(arm, unknowns, base, found, matrix, seen, method, progress)
    factors = None if gains is None else np.asarray(gains, dtype=float)
    return Identification(
        arm, unknowns, base, shape, values, full, found, tuple(measured), tuple(known), factors, method,
        robust, cutoff, tuple(warnings), len(seen),
    )  # fmt: skip


def _fitted(seen: Observations, base: BaseColumns, robust: bool) -> tuple[Shape, WeightedFit, Array]:
    """Least squares, with the numbers in which friction is not linear chosen on their grids."""
    n, terms = seen.unknowns.arm.n, seen.unknowns.friction
    shape = Shape(np.full(n, TRANSITIONS[len(TRANSITIONS) // 2]), np.full(n, STRIBECK[len(STRIBECK) // 2]))
    inertial: Array | None = None
    found, matrix = _once(seen, base, shape, inertial, robust)
    if not terms.regularised:
        return shape, found, matrix
    for _ in range(SEARCHES):
        inertial = _inertial(seen, base, found)
        shape = _shaped(seen, base, shape, inertial, found, matrix)
        found, matrix = _once(seen, base, shape, inertial, robust)
    return shape, found, matrix


def _once(
    seen: Observations, base: BaseColumns, shape: Shape, inertial: Array | None, robust: bool
) -> tuple[WeightedFit, Array]:
    matrix = seen.matrix(seen.friction(shape, inertial))
    return fit(matrix[..., base.columns], seen.effort, robust), matrix


def _inertial(seen: Observations, base: BaseColumns, found: WeightedFit) -> Array:
    """Inertial parameters with the same torques: the base parameters, all others zero."""
    values = np.zeros(seen.unknowns.count)
    values[base.columns] = found.values
    return values[: seen.unknowns.inertial]


def _shaped(
    seen: Observations, base: BaseColumns, shape: Shape, inertial: Array, found: WeightedFit, matrix: Array
) -> Shape:
    """For each joint the speeds of transition and of Stribeck with the least residual, all else as it is."""
    unknowns = seen.unknowns
    n, count = unknowns.arm.n, len(unknowns.friction.names)
    values = np.zeros(unknowns.count)
    values[base.columns] = found.values
    first, last = unknowns.friction_column(0, 0), unknowns.friction_column(n, 0)
    without = values.copy()
    without[first:last] = 0.0
    rest = seen.effort - matrix @ without
    best = np.full(n, np.inf)
    transition, stribeck = shape.transition.copy(), shape.stribeck.copy()
    speeds = STRIBECK if "stribeck" in unknowns.friction.names else STRIBECK[:1]
    for v_0 in TRANSITIONS:
        for v_s in speeds:
            columns = seen.friction(Shape(np.full(n, v_0), np.full(n, v_s)), inertial)
            for joint in range(n):
                left = rest[:, joint]
                factors = np.linalg.lstsq(columns[:, joint], left, rcond=None)[0] if count else np.zeros(0)
                error = float(np.linalg.norm(left - columns[:, joint] @ factors))
                if error < best[joint]:
                    best[joint], transition[joint], stribeck[joint] = error, v_0, v_s
    return Shape(transition, stribeck)


def _all_values(
    arm: ArmSystem, unknowns: Unknowns, base: BaseColumns, found: WeightedFit, matrix: Array, seen: Observations,
    method: str, progress: Callable[[str], None],
) -> tuple[Array, bool]:  # fmt: skip
    """A value for every unknown, and whether every link is a body that could be built."""
    values = np.zeros(unknowns.count)
    if method == "least squares":
        values[base.columns] = found.values
        return values, False
    progress("bodies that could be built")
    weight = found.weights / found.spread
    rows = (matrix * weight[..., None]).reshape(-1, unknowns.count)
    target = (seen.effort * weight).reshape(-1)
    prior, sizes = _prior(arm)
    strength = np.zeros(unknowns.count)
    for body, (mass, length) in enumerate(sizes):
        strength[10 * body : 10 * body + 10] = 1.0 / (PRIOR * parameter_sizes(mass, length)) ** 2
    expected = np.concatenate([prior, np.zeros(unknowns.count - len(prior))])
    quadratic = rows.T @ rows + np.diag(strength)
    positive = [
        unknowns.friction_column(joint, k)
        for joint in range(arm.n)
        for k, term in enumerate(unknowns.friction.names)
        if term not in SIGNED
    ]
    positive += [unknowns.rotor_column(joint) for joint in range(arm.n if unknowns.rotors else 0)]
    return consistent(quadratic, rows.T @ target + strength * expected, len(arm.bodies), sizes, positive), True


def _prior(arm: ArmSystem) -> tuple[Array, list[tuple[float, float]]]:
    """The parameters of the description, and a mass and a length for each body to measure deviations in."""
    prior = np.array(arm.parameters)
    masses = prior[::10]
    usual = float(masses.mean()) or 1.0
    lengths = []
    for body in range(len(arm.bodies)):
        m, moment, tensor = (
            prior[10 * body],
            prior[10 * body + 1 : 10 * body + 4],
            prior[[10 * body + k for k in (4, 7, 9)]],
        )
        radius = np.sqrt(max(tensor.sum() / 2, 0.0) / m) if m > 0 else 0.0
        lengths.append(max(float(radius), float(np.linalg.norm(moment) / m) if m > 0 else 0.0))
    typical = float(np.mean([x for x in lengths if x > 0])) if any(lengths) else 0.2
    return prior, [
        (float(m) if m > 0 else usual, length if length > 0 else typical)
        for m, length in zip(masses, lengths, strict=True)
    ]
