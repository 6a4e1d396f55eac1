"""``identify``: from logs to the model of the robot that was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..systems.arm_system import ArmSystem
from .any_gravity import AnyGravity, Regressed
from .base_columns import base_columns
from .calibration import gained, generic, read_gains
from .consistency import consistent, parameter_sizes
from .description_sizes import description_sizes
from .estimation import Estimate, estimated
from .friction_terms import SIGNED, FrictionTerms
from .log import Array, Log
from .log_checks import check_fit, check_log
from .observations import KnownTorques, Loads, Observations, Unknowns, known_torques
from .position_noise import check_noise
from .result import Identification
from .smoothing import smoothed

METHODS = ("consistent", "least squares")
PRIOR = 1.0
"""How far a link may be off its description, in its own size: the data decide whatever they tell."""


def identify(
    arm: ArmSystem,
    logs: Log | Sequence[Log],
    friction: str = "coulomb+viscous+offset",
    rotors: bool = True,
    gains: ArrayLike | str | Sequence[float | None] | None = None,
    *,
    loads: Sequence[Load | None] | None = None,
    gravity: str = "described",
    instruments: bool = False,
    method: str = "consistent",
    robust: bool = False,
    cutoff: float | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> Identification:
    """The inertias, friction and reflected rotor inertias that explain the logs best.

    ``friction`` joins some of coulomb, viscous, offset, stribeck and load by +. ``gains`` (N m/A) make torques of
    currents; "find", or None in place of a number, finds them from runs with a known load. ``loads`` are the known
    loads in the hand, one for each log; those that the arm itself carries are known too, in all logs, and the arm found
    carries them. ``gravity`` "find" finds its direction, and so how the robot is mounted.
    ``instruments`` from the references of the logs take away the bias of noisy positions. ``method`` "consistent" gives
    bodies that could be built, closest to the data; "least squares" the base parameters alone as they come. ``robust``
    lets outliers count less. ``cutoff`` (Hz) is that of the filter, chosen from the data where it is left out.
    """
    log_list, held_loads = _checked(arm, logs, loads, gravity, method)
    carried, arm = arm.loads, replace(arm, loads=())
    unknowns = Unknowns(arm, FrictionTerms.read(friction), rotors)
    factors, unknown = read_gains(gains, arm.n)
    if unknown.all() and len({tuple((link, load.body) for link, load in log_loads) for log_loads in held_loads}) < 2:
        raise ArmError(
            "gains are found from runs with a known load in the hand beside runs with another or none; give it, as in "
            "loads=[None, da.Load(...)]"
        )
    if instruments and all(log.reference is None for log in log_list):
        raise ArmError("instruments come from the reference of the motion; give it, as in da.Log(..., reference=...)")
    warnings = [sentence for log in log_list for sentence in check_log(arm, log)]
    in_amperes = [log.name for log in log_list if log.currents and gains is None]
    warnings += [
        f"{name}: its efforts are currents (A), and no gains are given: what is found is in A in place of N m and N; "
        "give the gains of the drives (N m/A)"
        for name in in_amperes
    ]
    progress("filtering")
    measured = [smoothed(log, cutoff) for log in log_list]
    scaled = measured if factors is None else gained(measured, factors)
    system: Regressed = arm if gravity == "described" else AnyGravity(arm, np.array(arm.gravity, dtype=float))
    known = [
        known_torques(KnownTorques(system, log_loads), log) for log, log_loads in zip(measured, held_loads, strict=True)
    ]
    progress("base parameters")
    base = base_columns(arm if gravity == "described" else generic(arm), unknowns)
    observations = Observations(system, unknowns, base.columns, scaled, known, instruments)
    progress("least squares")
    estimate = estimated(observations, held_loads, unknown, gravity == "find", robust, progress)
    values = np.zeros(unknowns.count)
    values[base.columns] = estimate.values
    described = arm if estimate.gravity is None else arm.with_gravity(estimate.gravity.tolist())
    if method == "consistent":
        progress("bodies that could be built")
        values = _consistent(described, unknowns, base.combinations, estimate)
    result = Identification(
        described, unknowns, base, estimate.shape, values, method == "consistent", estimate, tuple(estimate.logs),
        estimate.known, None if factors is None else factors * estimate.gain_changes, method, robust, cutoff,
        tuple(warnings), len(observations), carried,
    )  # fmt: skip
    return result.noting([*check_fit(result, in_amperes), *check_noise(result)])


def _checked(
    arm: ArmSystem, logs: Log | Sequence[Log], loads: Sequence[Load | None] | None, gravity: str, method: str
) -> tuple[list[Log], list[Loads]]:
    """The logs, and the loads that were carried in each where they move."""
    if method not in METHODS:
        raise ArmError(f"the method is {' or '.join(map(repr, METHODS))}, not {method!r}")
    if gravity not in ("described", "find"):
        raise ArmError(f'gravity is "described" or "find", not {gravity!r}; arm.with_gravity(...) gives another')
    if not isinstance(arm, ArmSystem):
        raise ArmError(f"identification needs an arm, as da.load gives it; got {arm!r}")
    if arm.counts_drives:
        raise ArmError(f"{arm.name}: identification finds the drives itself; give it the links, as in driven.arm")
    log_list = [logs] if isinstance(logs, Log) else list(logs)
    if not log_list or not all(isinstance(log, Log) for log in log_list):
        raise ArmError("identification needs a Log, or a list of them")
    if isinstance(loads, Load):
        raise ArmError("loads are a list, one for each log, None where there is none")
    if loads is not None and len(loads) != len(log_list):
        raise ArmError(
            f"there are {len(log_list)} logs and {len(loads)} loads; give one for each log, None where there is none"
        )
    moving = tuple((link, load) for link, load in arm.loads if arm.body_of[link][0] >= 0)
    if loads is None:
        return log_list, [moving] * len(log_list)
    hand = dict(arm.loads).get(arm.tool_link)
    for log, load in zip(log_list, loads, strict=True):
        if hand is not None and (load is None or load.body != hand.body):
            raise ArmError(
                f"{log.name}: loads give {'none' if load is None else 'another'} for the hand of {arm.name}, which "
                f"carries one already; give the arm with an empty hand, as in arm.holding(None), or leave loads out"
            )
    others = tuple((link, load) for link, load in moving if link != arm.tool_link)
    return log_list, [(*others, (arm.tool_link, load)) if load is not None else others for load in loads]


def _consistent(arm: ArmSystem, unknowns: Unknowns, combinations: Array, estimate: Estimate) -> Array:
    """A value for every unknown, every link a body that could be built."""
    prior, sizes = description_sizes(arm)
    strength = np.zeros(unknowns.count)
    for body, (mass, length) in enumerate(sizes):
        strength[10 * body : 10 * body + 10] = 1.0 / (PRIOR * parameter_sizes(mass, length)) ** 2
    expected = np.concatenate([prior, np.zeros(unknowns.count - len(prior))])
    quadratic = combinations.T @ estimate.gram @ combinations + np.diag(strength)
    linear = combinations.T @ (estimate.gram @ estimate.values) + strength * expected
    positive = [
        unknowns.friction_column(joint, k)
        for joint in range(arm.n)
        for k, term in enumerate(unknowns.friction.names)
        if term not in SIGNED
    ]
    positive += [unknowns.rotor_column(joint) for joint in range(arm.n if unknowns.rotors else 0)]
    return consistent(quadratic, linear, len(arm.bodies), sizes, positive)
