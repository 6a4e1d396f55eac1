"""Dynamically slow and fast motion (Bejczy 1974, section II).

A motion is slow at a joint if the torques that it induces there can be left out of the commanded torque. With

    own_i      = |D_ii qdd_i| + |G_i|                             what is commanded for the joint by itself
    reaction_i = sum_{j != i} D_ij qdd_j + sum_jk C_ijk qd_j qd_k  what accelerations of others and speeds induce

it is slow while |reaction_i| stays below a share of own_i, both at one state. Run at a pace p, the same motion has
speeds p qd and accelerations p^2 qdd: reactions and own inertia grow with p^2, gravity stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from .significance import Bounds

if TYPE_CHECKING:
    from ..systems.arm_system import ArmSystem

Array = NDArray[np.float64]
SAMPLES = 2000
"""Positions at which the largest torques are looked for."""


@dataclass(frozen=True, eq=False)
class Reactions:
    """What a state asks of one joint (N m or N): by itself, and induced by the motion of the others and by speeds.

    ``share`` is |acceleration + velocity| over |inertia| + |gravity|, infinite where nothing is asked by itself. At
    ``pace`` the motion passes from slow to fast: zero where it is fast at every pace, infinite where at none.
    """

    joint: str
    unit: str
    inertia: float
    gravity: float
    acceleration: float
    velocity: float
    share: float
    slow: bool
    pace: float


@dataclass(frozen=True, eq=False)
class SlowFast:
    """The boundary between dynamically slow and fast motion at one joint over all states (Bejczy 1974, section II).

    ``own``, ``acceleration`` and ``velocity`` are the largest torque of own inertia and gravity at one state, and the
    largest reactions to the accelerations of others and to speeds, at the limits (N m or N). At the pace ``speed``
    (that share of the speed limits, its square of the acceleration limits) reactions can reach ``share`` of the largest
    own torque at that pace; below ``proved`` they cannot. Where no gravity loads the joint both grow alike: the pace is
    then zero or infinite.
    """

    joint: str
    share: float
    speed: float
    proved: float
    own: float
    acceleration: float
    velocity: float


def pace(share: float, reaction: float, inertia: Array, gravity: Array) -> float:
    """The p at which p^2 reaction first is ``share`` of the largest of p^2 inertia + gravity; inf where it never is."""
    if reaction == 0:
        return np.inf
    room = reaction - share * inertia
    if (room <= 0).any():
        return np.inf
    return float(np.sqrt((share * gravity / room).max()))


def checked(share: float) -> float:
    """The share, above zero."""
    if not share > 0:
        raise ArmError(f"a share of the torque must be above zero, got {share!r}")
    return share


def reactions_at(
    system: ArmSystem, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, share: float = 0.05
) -> tuple[Reactions, ...]:
    """For every joint what one state asks of it by itself and what it induces, and whether that is slow."""
    position, speed, rate = (np.asarray(x, dtype=float) for x in (q, qd, qdd))
    mass = system.mass_matrix(position)
    if mass.shape != (system.n, system.n):
        raise ArmError(f"{system.name}: slow or fast is asked of one state; got positions of shape {position.shape}")
    checked(share)
    own = np.diagonal(mass) * rate
    induced = mass @ rate - own
    parts = system.parts(position, speed, rate)
    reactions = []
    for i, joint in enumerate(system.moving):
        gravity, velocity = float(parts.gravity[i]), float(parts.velocity[i])
        total, own_total = abs(float(induced[i]) + velocity), abs(float(own[i])) + abs(gravity)
        ratio = total / own_total if own_total else np.inf if total else 0.0
        bound = pace(share, total, np.array([abs(own[i])]), np.array([abs(gravity)]))
        reactions.append(
            Reactions(
                joint.name, "N" if joint.kind == "prismatic" else "N m", float(own[i]), gravity, float(induced[i]),
                velocity, ratio, ratio <= share, bound,
            )
        )  # fmt: skip
    return tuple(reactions)


def slow_fast(bounds: Bounds, share: float = 0.05) -> tuple[SlowFast, ...]:
    """For every joint, how fast is fast, over all states."""
    checked(share)
    model, states = bounds.model, bounds.states
    q = states.box.samples(SAMPLES, 2)
    rates = states.acceleration
    boundaries = []
    for i, name in enumerate(model.arm.joint_names):
        inertia = np.abs(model.inertia(i, i)(q)) * float(rates[i])
        gravity = np.abs(model.gravity(i)(q)) if len(model.gravity(i)) else np.zeros(len(q))
        coupled = [j for j in range(model.n) if j != i and len(model.inertia(i, j))]
        # Accelerations of both signs: at every position each can be the one that adds.
        induced = np.zeros(len(q))
        for j in coupled:
            induced += np.abs(model.inertia(i, j)(q)) * float(rates[j])
        induced_bound = sum(bounds(model.inertia(i, j))[0] * float(rates[j]) for j in coupled)
        velocity_term, velocity_bound = velocity_torque(bounds, i, q)
        reached = float((induced + velocity_term).max())
        boundaries.append(
            SlowFast(
                name, share, pace(share, reached, inertia, gravity),
                pace(share, float(induced_bound + velocity_bound), inertia, gravity),
                float((inertia + gravity).max()), float(induced.max()), float(velocity_term.max()),
            )
        )  # fmt: skip
    return tuple(boundaries)


def velocity_torque(bounds: Bounds, i: int, q: Array) -> tuple[Array, float]:
    """Largest torque of speeds at joint i: attained at each of the positions, and proved over all."""
    model, states = bounds.model, bounds.states
    signs = np.sign(np.random.default_rng(0).standard_normal((24, model.n)))
    sampled = np.zeros((len(signs), len(q)))
    proved = 0.0
    for (row, j, k), wave in model.christoffel.items():
        if row != i:
            continue
        factor = float(states.speed[j] * states.speed[k] * (1 if j == k else 2))
        proved += factor * bounds(wave)[0]
        sampled += (signs[:, j] * signs[:, k] * factor)[:, None] * wave(q)[None]
    return np.abs(sampled).max(axis=0), proved
