"""What the logs do not tell, and the motion that would.

A combination is silent where its standard error is not small beside what a body of that mass and length, or a drive of
that joint, may have. For each, simple motions are tried on paper: a joint slowly through its range, a joint to and fro,
two joints at once, all at once. A run of ten seconds adds the information W'W / s^2 of its equations to that of the
logs; the motion of the fewest joints that brings the error down is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..systems.arm_system import ArmSystem
from .consistency import parameter_sizes
from .description_sizes import description_sizes
from .log import Array

if TYPE_CHECKING:
    from .result import Identification

LARGEST_ERROR = 1 / 3
"""Share of its size up to which the error of a combination lets it count as known."""
VAGUE = 10.0
"""Sizes by which a combination may be off before anything was measured: enough to call it unknown."""
SECONDS, STATES = 10.0, 160
SLOW, FASTEST, WIDEST = 0.1, 1.0, 1.5
"""Share of its speed at which a joint moves slowly, speed (rad/s, m/s) without a limit, and most of an amplitude."""
DRIVE = 0.1
"""Share of efforts, and of the inertia about a joint, that friction and a rotor are measured in."""


@dataclass(frozen=True)
class Silent:
    """A combination that the logs do not tell: its error, what it may amount to, and the motion that would tell it."""

    name: str
    combination: str
    error: float
    size: float
    unit: str
    joints: tuple[str, ...]
    motion: str
    error_after: float

    def __str__(self) -> str:
        knowledge = "is not told at all" if not self.error < VAGUE * self.size else f"is known to {self.error:.2g} only"
        return (
            f"{self.name} {knowledge}, of {self.size:.2g} {self.unit} that it may have; 10 s of {self.motion} would "
            f"bring its error to {self.error_after:.2g} {self.unit}"
        )


def sizes(identified: Identification) -> Array:
    """What each base parameter may amount to, in its own unit."""
    unknowns, arm, logs = identified.unknowns, identified.described, identified.logs
    _, bodies = description_sizes(arm)
    inertial = np.concatenate([parameter_sizes(mass, length) for mass, length in bodies])
    effort = np.sqrt(np.mean([(log.effort**2).mean(axis=0) for log in logs], axis=0)) * DRIVE
    speed = np.array([_speed(arm, joint) for joint in range(arm.n)])
    middle = np.mean([log.q.mean(axis=0) for log in logs], axis=0)
    rotor = np.diag(arm.mass_matrix(middle)) * DRIVE
    terms = {"coulomb": effort, "viscous": effort / speed, "offset": effort, "stribeck": effort}
    terms["load"] = np.full(arm.n, DRIVE)
    friction = [terms[term][joint] for joint in range(arm.n) for term in unknowns.friction.names]
    all_sizes = np.concatenate([inertial, friction, rotor if unknowns.rotors else []])
    determined = np.array([abs(p.value) if p.determined else 0.0 for p in identified.parameters])
    return np.maximum(
        np.maximum(all_sizes[identified.base.columns], 1e-12),
        np.where(identified.base.columns < len(inertial), 0, determined),
    )


def information(identified: Identification) -> Array:
    """What the logs tell of the base parameters: W'W over the variance of residuals, neighbours alike as one."""
    return np.asarray(identified.estimate.gram / float(np.mean(identified.estimate.fit.memory)))


def silent(identified: Identification) -> tuple[Silent, ...]:
    """The combinations that the logs do not tell, each with a motion that would."""
    size = sizes(identified)
    scale = np.outer(size, size)
    scaled_information = information(identified) * scale + np.eye(len(size)) / VAGUE**2
    errors = np.sqrt(np.diag(np.linalg.inv(scaled_information)))
    missing = np.flatnonzero(errors > LARGEST_ERROR)
    if not len(missing):
        return ()
    trials = [
        (
            joints,
            motion,
            np.sqrt(np.diag(np.linalg.inv(scaled_information + _information_of(identified, states) * scale))),
        )
        for joints, motion, states in _motions(identified)
    ]
    listed = []
    for k in missing.tolist():
        sufficient = [trial for trial in trials if trial[2][k] <= LARGEST_ERROR]
        best = min(trials, key=lambda trial: float(trial[2][k]))
        joints, motion, after = (
            min(sufficient, key=lambda trial: (len(trial[0]), float(trial[2][k]))) if sufficient else best
        )
        column = int(identified.base.columns[k])
        names = identified.unknowns.names[column], identified.base.texts[k], identified.unknowns.units[column]
        listed.append(
            Silent(
                names[0], names[1], float(errors[k] * size[k]), float(size[k]), names[2],
                tuple(identified.described.joint_names[j] for j in joints), motion, float(after[k] * size[k]),
            )
        )  # fmt: skip
    return tuple(listed)


def equations(identified: Identification, q: Array, qd: Array, qdd: Array) -> Array:
    """W of the base parameters ``(..., n, base)`` at these states, in units of the residuals, neighbours as one."""
    unknowns, arm = identified.unknowns, identified.described
    smooth = arm.regressor(q, qd, qdd)
    links = smooth @ identified.values[: unknowns.inertial] + identified.known_at()(q, qd, qdd)
    friction = unknowns.friction.columns(qd, identified.shape.transition, identified.shape.stribeck, links)
    inertial = identified.base.columns[identified.base.columns < unknowns.inertial]
    matrix = unknowns.base_matrix(identified.base.columns, smooth[..., inertial], friction, qdd)
    log = identified.logs[0]
    samples = SECONDS * log.rate / log.every / identified.estimate.fit.memory
    return np.asarray(matrix * (np.sqrt(samples) / identified.spread)[:, None])


def _information_of(identified: Identification, states: tuple[Array, Array, Array]) -> Array:
    """W'W over these states, the mean of them: the information of a run that spends its time evenly there."""
    rows = equations(identified, *states).reshape(-1, len(identified.base.columns))
    return np.asarray(rows.T @ rows / len(states[0]))


def _motions(identified: Identification) -> Iterator[tuple[tuple[int, ...], str, tuple[Array, Array, Array]]]:
    """Joints that move, how, and the states: all others stand where they stood in the middle of the logs."""
    arm = identified.described
    middle = np.mean([log.q.mean(axis=0) for log in identified.logs], axis=0)
    for joint in range(arm.n):
        name = arm.joint_names[joint]
        yield (joint,), f"{name} slowly through its range", _sinusoids(arm, middle, (joint,), SLOW)
        yield (joint,), f"{name} to and fro as fast as it may", _sinusoids(arm, middle, (joint,), 1.0)
    for pair in combinations(range(arm.n), 2):
        names = " and ".join(arm.joint_names[j] for j in pair)
        yield pair, f"{names} to and fro at once", _sinusoids(arm, middle, pair, 1.0)
    if arm.n > 2:
        yield tuple(range(arm.n)), "all joints to and fro at once", _sinusoids(arm, middle, tuple(range(arm.n)), 1.0)


def _sinusoids(arm: ArmSystem, start: Array, joints: tuple[int, ...], share: float) -> tuple[Array, Array, Array]:
    """Sines of a frequency of its own for each joint, as wide as its range and as fast as it may."""
    q, qd, qdd = (np.tile(x, (STATES, 1)) for x in (start, np.zeros(arm.n), np.zeros(arm.n)))
    phase = 2 * np.pi * np.arange(STATES) / STATES
    for k, joint in enumerate(joints):
        low, high = float(arm.lower[joint]), float(arm.upper[joint])
        bounded = np.isfinite(low) and np.isfinite(high)
        middle = (low + high) / 2 if bounded else start[joint]
        amplitude = min((high - low) / 2, WIDEST) if bounded else WIDEST
        centre = float(np.clip(start[joint], low + amplitude, high - amplitude)) if bounded else middle
        top_speed = share * _speed(arm, joint)
        turns = k + 2  # whole numbers of periods, another for each joint
        rate = top_speed / amplitude
        q[:, joint] = centre + amplitude * np.sin(turns * phase)
        qd[:, joint] = top_speed * np.cos(turns * phase)
        qdd[:, joint] = -top_speed * rate * np.sin(turns * phase)
    return q, qd, qdd


def _speed(arm: ArmSystem, joint: int) -> float:
    """The velocity limit of a joint, or ``FASTEST`` where it has none."""
    limit = arm.moving[joint].limits.velocity
    return float(limit) if limit is not None and 0 < float(limit) < np.inf else FASTEST
