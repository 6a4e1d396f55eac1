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

TOLD = 1 / 3
"""Share of its size below which the error of a combination lets it be told."""
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
        now = "is not told at all" if not self.error < VAGUE * self.size else f"is known to {self.error:.2g} only"
        return (
            f"{self.name} {now}, of {self.size:.2g} {self.unit} that it may have; 10 s of {self.motion} would "
            f"bring its error to {self.error_after:.2g} {self.unit}"
        )


def sizes(found: Identification) -> Array:
    """What each base parameter may amount to, in its own unit."""
    unknowns, arm, logs = found.unknowns, found.described, found.logs
    _, bodies = description_sizes(arm)
    inertial = np.concatenate([parameter_sizes(mass, length) for mass, length in bodies])
    effort = np.sqrt(np.mean([(log.effort**2).mean(axis=0) for log in logs], axis=0)) * DRIVE
    speed = np.array([_speed(arm, joint) for joint in range(arm.n)])
    middle = np.mean([log.q.mean(axis=0) for log in logs], axis=0)
    about = np.diag(arm.mass_matrix(middle)) * DRIVE
    terms = {"coulomb": effort, "viscous": effort / speed, "offset": effort, "stribeck": effort}
    terms["load"] = np.full(arm.n, DRIVE)
    friction = [terms[term][joint] for joint in range(arm.n) for term in unknowns.friction.names]
    whole = np.concatenate([inertial, friction, about if unknowns.rotors else []])
    told = np.array([abs(p.value) if p.determined else 0.0 for p in found.parameters])
    return np.maximum(
        np.maximum(whole[found.base.columns], 1e-12), np.where(found.base.columns < len(inertial), 0, told)
    )


def information(found: Identification) -> Array:
    """What the logs tell of the base parameters: W'W over the variance of residuals, neighbours alike as one."""
    return np.asarray(found.estimate.gram / float(np.mean(found.estimate.fit.memory)))


def silent(found: Identification) -> tuple[Silent, ...]:
    """The combinations that the logs do not tell, each with a motion that would."""
    size = sizes(found)
    scale = np.outer(size, size)
    known = information(found) * scale + np.eye(len(size)) / VAGUE**2
    errors = np.sqrt(np.diag(np.linalg.inv(known)))
    missing = np.flatnonzero(errors > TOLD)
    if not len(missing):
        return ()
    tried = [
        (joints, what, np.sqrt(np.diag(np.linalg.inv(known + _told_by(found, states) * scale))))
        for joints, what, states in _motions(found)
    ]
    listed = []
    for k in missing.tolist():
        enough = [each for each in tried if each[2][k] <= TOLD]
        best = min(tried, key=lambda each: float(each[2][k]))
        joints, what, after = min(enough, key=lambda each: (len(each[0]), float(each[2][k]))) if enough else best
        column = int(found.base.columns[k])
        names = found.unknowns.names[column], found.base.texts[k], found.unknowns.units[column]
        listed.append(
            Silent(
                names[0], names[1], float(errors[k] * size[k]), float(size[k]), names[2],
                tuple(found.described.joint_names[j] for j in joints), what, float(after[k] * size[k]),
            )
        )  # fmt: skip
    return tuple(listed)


def equations(found: Identification, q: Array, qd: Array, qdd: Array) -> Array:
    """W of the base parameters ``(..., n, base)`` at these states, in units of the residuals, neighbours as one."""
    unknowns, arm = found.unknowns, found.described
    smooth = arm.regressor(q, qd, qdd)
    links = smooth @ found.values[: unknowns.inertial] + found.known_at()(q, qd, qdd)
    friction = unknowns.friction.columns(qd, found.shape.transition, found.shape.stribeck, links)
    inertial = found.base.columns[found.base.columns < unknowns.inertial]
    matrix = unknowns.base_matrix(found.base.columns, smooth[..., inertial], friction, qdd)
    log = found.logs[0]
    kept = SECONDS * log.rate / log.every / found.estimate.fit.memory
    return np.asarray(matrix * (np.sqrt(kept) / found.spread)[:, None])


def _told_by(found: Identification, states: tuple[Array, Array, Array]) -> Array:
    rows = equations(found, *states).reshape(-1, len(found.base.columns))
    return np.asarray(rows.T @ rows / len(states[0]))


def _motions(found: Identification) -> Iterator[tuple[tuple[int, ...], str, tuple[Array, Array, Array]]]:
    """Joints that move, how, and the states: all others stand where they stood in the middle of the logs."""
    arm = found.described
    rest = np.mean([log.q.mean(axis=0) for log in found.logs], axis=0)
    for joint in range(arm.n):
        name = arm.joint_names[joint]
        yield (joint,), f"{name} slowly through its range", _moved(arm, rest, (joint,), SLOW)
        yield (joint,), f"{name} to and fro as fast as it may", _moved(arm, rest, (joint,), 1.0)
    for pair in combinations(range(arm.n), 2):
        names = " and ".join(arm.joint_names[j] for j in pair)
        yield pair, f"{names} to and fro at once", _moved(arm, rest, pair, 1.0)
    if arm.n > 2:
        yield tuple(range(arm.n)), "all joints to and fro at once", _moved(arm, rest, tuple(range(arm.n)), 1.0)


def _moved(arm: ArmSystem, rest: Array, joints: tuple[int, ...], share: float) -> tuple[Array, Array, Array]:
    """Sines of a frequency of its own for each joint, as wide as its range and as fast as it may."""
    q, qd, qdd = (np.tile(x, (STATES, 1)) for x in (rest, np.zeros(arm.n), np.zeros(arm.n)))
    phase = 2 * np.pi * np.arange(STATES) / STATES
    for k, joint in enumerate(joints):
        low, high = float(arm.lower[joint]), float(arm.upper[joint])
        bounded = np.isfinite(low) and np.isfinite(high)
        middle = (low + high) / 2 if bounded else rest[joint]
        wide = min((high - low) / 2, WIDEST) if bounded else WIDEST
        centre = float(np.clip(rest[joint], low + wide, high - wide)) if bounded else middle
        fast = share * _speed(arm, joint)
        turns = k + 2  # whole numbers of periods, another for each joint
        rate = fast / wide
        q[:, joint] = centre + wide * np.sin(turns * phase)
        qd[:, joint] = fast * np.cos(turns * phase)
        qdd[:, joint] = -fast * rate * np.sin(turns * phase)
    return q, qd, qdd


def _speed(arm: ArmSystem, joint: int) -> float:
    limit = arm.moving[joint].limits.velocity
    return float(limit) if limit is not None and 0 < float(limit) < np.inf else FASTEST
