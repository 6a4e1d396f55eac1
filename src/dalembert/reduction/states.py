"""All states a model is meant for: positions in a box, speeds and accelerations within limits.

The largest torque, or the largest difference of two torques, over such states is found by search (never a proof,
always attained): torques are affine in the accelerations, so these stand at a limit; positions and speeds climb.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.joint_keys import by_joint
from ..bounds.box import TURN, Box
from ..systems.arm_system import ArmSystem

Array: TypeAlias = NDArray[np.float64]
Torque: TypeAlias = Callable[[Array, Array, Array], Array]
Amounts: TypeAlias = "float | Sequence[float] | Mapping[str | int, float] | None"

SPEED = {"revolute": 2.0, "prismatic": 1.0}
"""Largest speed (rad/s, m/s) where neither the caller nor the arm specifies one."""
SECONDS = 0.2
"""Time in which a joint reaches its largest speed, where no acceleration is given."""
UNASKED = (
    f"Speeds are the limits of the joints, or {SPEED['revolute']:g} rad/s and {SPEED['prismatic']:g} m/s where they "
    f"have none, and accelerations reach these in {SECONDS:g} s"
)
"""Where the speeds and accelerations come from that nobody gave."""

LEAST_LIMIT = 1e-70
"""Least speed and acceleration that is not zero; the largest is one over it. Products of four keep all their digits."""
POOL = 12
"""States from which the search for a largest torque goes on."""
MOST_SIGNED = 7
"""Most joints whose speeds are tried with all signs."""


@dataclass(frozen=True, eq=False)
class States:
    """Positions in ``box``, |qd| at most ``speed``, |qdd| at most ``acceleration``."""

    box: Box
    speed: Array
    acceleration: Array

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.speed)

    def samples(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Random states, evenly spread over positions, speeds and accelerations."""
        rng = np.random.default_rng(seed)
        q = rng.uniform(self.box.lower, self.box.upper, (count, self.n))
        return (
            q,
            rng.uniform(-1, 1, (count, self.n)) * self.speed,
            rng.uniform(-1, 1, (count, self.n)) * self.acceleration,
        )


def states_of(
    arm: ArmDescription,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    speed: Amounts = None,
    acceleration: Amounts = None,
) -> States:
    """The domain of a model: joint limits or ``box``; speeds given, or the arm's limits, or 2 rad/s and 1 m/s;
    accelerations given, or those that reach the largest speed in 0.2 s.
    """
    speed_limits = [
        joint.limits.velocity if np.isfinite(joint.limits.velocity) else SPEED[joint.kind] for joint in arm.moving
    ]
    fast = amounts(arm, "speed", speed, np.array(speed_limits))
    return States(box_of(arm, box), fast, amounts(arm, "acceleration", acceleration, fast / SECONDS))


def amounts(arm: ArmDescription, quantity: str, numbers: Amounts, default: Array) -> Array:
    """One number for each joint."""
    values = default.astype(float).copy()
    try:
        if numbers is None:
            pass
        elif isinstance(numbers, Mapping):
            for index, value in by_joint(arm, numbers).items():
                values[index] = float(value)
        else:
            values[:] = np.asarray(numbers, dtype=float)
    except (TypeError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(
            f"{arm.where}{quantity} must be one number, or {arm.n} of them, or a table by joint; got {numbers!r}"
        ) from None
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise ArmError(f"{arm.where}{quantity} limits must be finite and not negative, got {values.tolist()}")
    if np.any((values > 0) & ((values < LEAST_LIMIT) | (values > 1 / LEAST_LIMIT))):
        raise ArmError(
            f"{arm.where}{quantity} limits must be zero or between {LEAST_LIMIT:g} and {1 / LEAST_LIMIT:g}, since "
            f"products of others are beyond a computer's numbers; got {values.tolist()}"
        )
    return values


def rigid(system: ArmSystem) -> ArmSystem:
    """The system without friction, which a reduced model has as the system has it."""
    return system.frictionless() if system.has_friction else system


def rigid_torque(system: ArmSystem) -> Torque:
    """D qdd + h + G of a system: what a reduced model computes; friction is added to both alike."""
    return rigid(system).inverse_dynamics


def one_arm(systems: Sequence[ArmSystem]) -> None:
    """Refuse what a shorter model cannot serve: springs and dampers, systems that differ in more than their load."""
    for system in systems:
        if system.elastic:
            raise ArmError(
                f"{system.where}{system.name} has springs or dampers, which a reduced model does not hold; take them "
                "off"
            )
        if replace(system, loads=()) != replace(systems[0], loads=()):
            raise ArmError(
                f"{system.where}{system.name}: a reduced model serves one arm with several loads, not two arms"
            )


def loads_in_words(system: ArmSystem) -> str:
    """What a system holds, in words."""
    masses = [f"{float(load.body.mass):g} kg" for _, load in system.loads]
    return ", ".join(masses) or "no load"


def largest(
    torque: Torque,
    states: States,
    count: int = 6000,
    rounds: int = 40,
    seed: int = 0,
    extra_positions: Array | None = None,
) -> tuple[Array, Array]:
    """The largest |torque| found per joint, and the state (q, qd, qdd in a row) that gives it.

    ``extra_positions`` are tried with the speeds and accelerations that suit them best, and so are those where the
    search ends, from which it then goes on.
    """
    n = states.n
    rng = np.random.default_rng(seed)
    q, qd, qdd = states.samples(count, seed)
    qdd = np.sign(qdd) * states.acceleration
    half = count // 2
    qd[:half] = np.sign(qd[:half]) * states.speed
    qd[half : half + count // 8] = 0.0
    x = np.concatenate([q, qd, qdd], axis=1)
    value = np.abs(torque(q, qd, qdd))
    best, at = np.zeros(n), np.zeros((n, 3 * n))
    suited = None if extra_positions is None or not len(extra_positions) else fastest(torque, states, extra_positions)
    for joint in range(n):
        top = np.argsort(-value[:, joint])[:POOL]
        pool, score = x[top], value[top, joint]
        if suited is not None:
            pool, score = _best_of(pool, score, suited[0][:, joint], suited[1][:, joint])
        pool, score = climbed(torque, states, joint, pool, score, 0.4 * 0.86 ** np.arange(rounds, dtype=float), rng)
        if suited is not None:
            rows, torques = fastest(torque, states, pool[:, :n])
            pool, score = _best_of(pool, score, rows[:, joint], torques[:, joint])
            pool, score = climbed(
                torque, states, joint, pool, score, 0.1 * 0.8 ** np.arange(rounds // 2, dtype=float), rng
            )
        best[joint], at[joint] = score.max(), pool[score.argmax()]
    return best, at


def _best_of(pool: Array, score: Array, more: Array, values: Array) -> tuple[Array, Array]:
    """The states with the largest values among both."""
    pool, score = np.concatenate([pool, more]), np.concatenate([score, values])
    top = np.argsort(-score)[:POOL]
    return pool[top], score[top]


def climbed(
    torque: Torque,
    states: States,
    joint: int,
    pool: Array,
    score: Array,
    steps: Iterable[float],
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """States, and the |torque| of a joint there, after random steps that are kept where they make it larger."""
    n, box = states.n, states.box
    low = np.concatenate([np.where(box.circle, -np.inf, box.lower), -states.speed, -states.acceleration])
    high = np.concatenate([np.where(box.circle, np.inf, box.upper), states.speed, states.acceleration])
    size, rows = np.concatenate([box.half, states.speed, states.acceleration]), np.arange(len(pool))
    for step in steps:
        shape = (len(pool), 24, 3 * n)
        trial = pool[:, None] + step * size * rng.standard_normal(shape) * (rng.random(shape) < 0.35)
        flips = rng.random((len(pool), 24, n)) < 0.08
        trial[:, :, 2 * n :] = np.where(flips, -1, 1) * pool[:, None, 2 * n :]
        trial = np.clip(trial, low, high).reshape(-1, 3 * n)
        torques = np.abs(torque(trial[:, :n], trial[:, n : 2 * n], trial[:, 2 * n :])[:, joint]).reshape(len(pool), -1)
        pick = torques.argmax(axis=1)
        better = torques[rows, pick] > score
        pool[better], score[better] = trial[(rows * 24 + pick)[better]], torques[rows, pick][better]
    return pool, score


def fastest(torque: Torque, states: States, q: Array) -> tuple[Array, Array]:
    """For each position and joint the state (q, qd, qdd) with the largest |torque| among speeds at rest and at their
    limits (all signs of up to seven joints, else some), and that torque: (positions, joints, 3 n), (positions, joints).

    Torques are affine in the accelerations, whose signs follow from those of the inertias.
    """
    n, count = states.n, len(q)
    none = np.zeros_like(q)
    weight = torque(q, none, none)
    inertia = np.stack([torque(q, none, none + a) - weight for a in np.diag(states.acceleration)], axis=2)
    if n <= MOST_SIGNED:
        signs = np.array([[1 - 2 * (bits >> j & 1) for j in range(n)] for bits in range(2 ** (n - 1))], float)
    else:
        signs = np.sign(np.random.default_rng(0).standard_normal((2 ** (MOST_SIGNED - 1), n)))
    speeds = np.concatenate([np.zeros((1, n)), signs]) * states.speed
    count_of_speeds = len(speeds)
    values = torque(
        np.repeat(q, count_of_speeds, 0), np.tile(speeds, (count, 1)), np.zeros((count * count_of_speeds, n))
    )
    values = values.reshape(count, count_of_speeds, n)
    pick = np.abs(values).argmax(axis=1)
    moving = np.take_along_axis(values, pick[:, None], axis=1)[:, 0]
    side = np.where(moving < 0, -1.0, 1.0)[:, :, None] * np.where(inertia < 0, -1.0, 1.0)
    rows = np.concatenate([np.repeat(q[:, None], n, 1), speeds[pick], side * states.acceleration], axis=2)
    return rows, np.abs(moving) + np.abs(inertia).sum(axis=2)


def box_of(arm: ArmDescription, ends_of_joints: Mapping[str | int, tuple[float, float]] | None = None) -> Box:
    """The joint limits of an arm, replaced where ``ends_of_joints`` names a joint (by name, "q3", or counted from 0).

    An angle without limits, or with a whole turn between them, goes all the way round. A prismatic joint needs limits.
    """
    chosen: dict[int, tuple[float, float]] = {}
    if not isinstance(ends_of_joints, Mapping | None):
        raise ArmError(
            f'{arm.where}box must be a table by joint, as in box={{"{arm.joint_names[0]}": (-1, 1)}}, not '
            f"{ends_of_joints!r:.60}"
        )
    for index, ends in by_joint(arm, ends_of_joints or {}).items():
        chosen[index] = checked(arm, arm.joint_names[index], ends)
    lower, upper, circle = np.zeros(arm.n), np.zeros(arm.n), np.zeros(arm.n, bool)
    for index, joint in enumerate(arm.moving):
        low, high = chosen.get(index, (joint.limits.lower, joint.limits.upper))
        if joint.kind == "revolute" and (not math.isfinite(low) or not math.isfinite(high) or high - low >= TURN):
            low, high, circle[index] = -math.pi, math.pi, True
        if not math.isfinite(low) or not math.isfinite(high):
            raise ArmError(
                f"{arm.where}joint {joint.name!r} slides and has no limits, so its range is not known; give one, as in "
                f'box={{"{joint.name}": (0, 1)}} (m)'
            )
        lower[index], upper[index] = low, high
    return Box(lower, upper, circle)


def checked(arm: ArmDescription, key: str | int, ends: tuple[float, float]) -> tuple[float, float]:
    """Lowest and highest position of a joint (rad or m) as floats; refused where they are no interval."""
    try:
        low, high = (float(x) for x in ends)
    except (TypeError, ValueError):
        raise ArmError(
            f"{arm.where}the range of joint {key!r} must be two numbers, lowest and highest, not {ends!r}"
        ) from None
    if math.isnan(low) or math.isnan(high):
        raise ArmError(f"{arm.where}the range of joint {key!r} is not a number")
    if low > high:
        raise ArmError(f"{arm.where}the range of joint {key!r} is empty: {low:g} is above {high:g}; exchange them")
    return low, high
