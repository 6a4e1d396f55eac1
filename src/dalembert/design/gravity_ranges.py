"""The range of a gravity load: the joints before it matter only through the direction of gravity that they leave.

G_i is linear in the direction of gravity seen from body i, and otherwise a function of the joints after i alone. Three
or more joints before it reach the same direction in many ways, so that no box of positions is better than its
neighbours. With the direction itself, two angles, in place of all these joints, the function has few variables. Every
pose gives some direction: bounds over all directions hold for all poses.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arm.description import ArmDescription
from ..bounds.box import Box
from ..bounds.ranges import WORK, Range, least, range_of
from ..bounds.search import search
from ..bounds.waves import OUTWARD, Wave, total, turning, zero
from ..reduction.coefficient_waves import CoefficientWaves

FEW = 2
"""Joints before i up to which nothing is gained."""


def load_range(
    model: CoefficientWaves, i: int, box: Box, gap: float | None = None, *, name: str = "", unit: str = "",
    work: float = WORK,
) -> Range:  # fmt: skip
    """The certified range of G_i; see ``range_of``."""
    wave = model.gravity(i)
    if model.arm.followers:
        # A coordinate moves joints in several places: those before it change more than the direction of gravity.
        return range_of(wave, box, gap, name=name, unit=unit, work=work)
    before = before_of(model.arm, i, wave)
    # A body that drives move on an earlier link sees more of the joints than the direction of gravity.
    if len(before) <= FEW or model.has_moving_bodies:
        return range_of(wave, box, gap, name=name, unit=unit, work=work)
    plain = range_of(wave, box, gap, name=name, unit=unit, work=work / 100)
    if plain.certified:
        return plain
    free, domain = over_directions(model, i, before, box)
    starts, many = domain.samples(512, 3), box.samples(4096, 7)
    ends = []
    for sign, start in ((1.0, plain.at_minimum), (-1.0, plain.at_maximum)):
        signed = wave if sign > 0 else -wave
        pose = search(signed, box, np.concatenate([start[None], many[np.argsort(signed(many))[:20]]]))
        signed_free = free if sign > 0 else -free
        below = least(signed_free, domain, plain.tolerance, starts[np.argsort(signed_free(starts))[:10]], work).bound
        ends.append((float(signed(pose)), pose, below))
    (low, at_low, lower), (high, at_high, upper) = ends
    by_direction = replace(
        plain, minimum=low, maximum=-high, at_minimum=at_low, at_maximum=at_high,
        lower=max(lower, plain.lower), upper=min(-upper, plain.upper),
    )  # fmt: skip
    if by_direction.certified:
        return by_direction
    # Joint limits may keep gravity from its worst direction: then the poses themselves have to be gone through.
    over_poses = range_of(wave, box, gap, name=name, unit=unit, work=work)
    return replace(
        over_poses, lower=max(over_poses.lower, by_direction.lower), upper=min(over_poses.upper, by_direction.upper)
    )


def before_of(arm: ArmDescription, i: int, wave: Wave) -> list[int]:
    """The joints up to i on which the load ``wave`` of joint i depends."""
    return [j for j in ancestors(arm, i) if j in wave.joints]


def ancestors(arm: ArmDescription, i: int) -> list[int]:
    """Joint i and those between it and the base, the base first."""
    path = []
    while i >= 0:
        path.append(i)
        i = arm.bodies[i].parent
    return path[::-1]


def over_directions(model: CoefficientWaves, i: int, before: list[int], box: Box) -> tuple[Wave, Box]:
    """G_i with gravity g (cos a cos b, cos a sin b, sin a), a and b in place of the first two of ``before``.

    All joints up to i stand at zero, those that turn about the vertical too, on which pulls from the side depend:
    whatever direction they leave is one of those that a and b go through.
    """
    arm, n = model.arm, model.n
    a, b = before[:2]
    strength = OUTWARD * float(np.sqrt(float(sum(x * x for x in arm.gravity))))
    (cos_a, sin_a), (cos_b, sin_b) = ((turning(n, j), turning(n, j, -1j)) for j in (a, b))
    parts = [zero(n)]
    for pulled, direction in zip(model.pulled, (cos_a * cos_b, cos_a * sin_b, sin_a), strict=True):
        load = at_zero(pulled.gravity(i), ancestors(arm, i))
        if len(load):
            parts.append((load * direction).times(strength))
    lower, upper, circle = box.lower.copy(), box.upper.copy(), box.circle.copy()
    lower[a], upper[a], circle[a] = -np.pi / 2, np.pi / 2, False
    lower[b], upper[b], circle[b] = -np.pi, np.pi, True
    return total(parts), Box(lower, upper, circle)


def at_zero(wave: Wave, joints: list[int]) -> Wave:
    """The function with these joints at zero: what is left of their waves is one."""
    k = wave.k.copy()
    k[:, joints] = 0
    return Wave(k, wave.p, wave.c, wave.slack, wave.lost) + 0.0
