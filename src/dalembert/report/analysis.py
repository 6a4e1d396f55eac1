"""Questions the report asks of the analysis rooms, put in the form its sections take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ..arm.description import ArmDescription
from ..design import review
from ..design.counterbalance import Counterbalance, counterbalance
from ..design.coupling import Coupling, moved_mass
from ..design.review import Finding
from ..equations.equations import Equations
from ..equations.names import name
from ..reduction.box import Box
from ..reduction.model_waves import ModelWaves
from ..reduction.ranges import Range, least, range_of
from ..reduction.ratios import search
from ..reduction.significance import TermShare
from ..reduction.waves import Array, Wave
from .sections.coupling import Pair
from .sections.significance import Contribution

Limits: TypeAlias = "Mapping[str | int, tuple[float, float]] | None"
MOST_BOXES = 20_000
"""Boxes for one ratio; a report is to be had in seconds, and says where a gap stayed open."""
WORK = 2.0e7
"""Boxes times terms for one proof."""
MOST_TERMS = 4_000
"""Terms of a product of inertias beyond which its range is searched and not proved."""
NEGLIGIBLE = 0.01
TOTAL = 2.0e8
"""Boxes times terms for all ratios together, so that an arm with many of them does not take minutes."""


def importance(waves: ModelWaves, box: Box) -> tuple[list[Range], list[str]]:
    """Certified ranges of G_i / D_ii and of those D_ij / D_ii that reach a hundredth, inertia with the drives.

    Ratios whose denominator is not proved to keep off zero have no range; their names come second.
    """
    asked: list[tuple[Wave, Wave, float, str]] = []
    unbounded: list[str] = []
    samples = box.samples(400)
    for i in range(waves.n):
        own = waves.inertia(i, i)
        if not len(own):
            continue
        floor = range_of(own, box, most_boxes=MOST_BOXES, work=WORK).lower
        under = np.maximum(own(samples), 1e-300)
        for j in range(waves.n):
            top = waves.gravity(i) if i == j else waves.inertia(i, j)
            if not len(top) or abs(top(samples) / under).max() <= NEGLIGIBLE:
                continue
            above = name("G", (i,)) if i == j else name("D", (i, j))
            label = f"{above}/{name('D', (i, i))}"
            if floor > 0:
                asked.append((top, own, floor, label))
            else:
                unbounded.append(label)
    work = min(WORK, TOTAL / max(2 * len(asked), 1))
    return [ratio_within(top, own, floor, box, label, work) for top, own, floor, label in asked], unbounded


def ratio_within(top: Wave, bottom: Wave, floor: float, box: Box, label: str, work: float = WORK) -> Range:
    """The range of top / bottom, bottom >= ``floor`` > 0, as ``reduction.ratios`` has it but with less work.

    With t the least ratio found and -e a proved lower bound of top - t bottom, no ratio is below t - e / floor.
    """
    starts = box.samples(512, 1)
    values = top(starts) / bottom(starts)
    gap = 1e-3 * max(float(np.ptp(values)), 1e-9)
    ends = []
    for sign in (1.0, -1.0):
        numerator = top if sign > 0 else -top
        at = search(numerator, bottom, box, starts[np.argsort(sign * values)[:4]])
        value = float(numerator(at) / bottom(at))
        rest = numerator - bottom.times(value)
        if rest.joints:
            lowest = least(rest, box, gap * floor, at[None], MOST_BOXES, work, False).bound
        else:
            lowest = float(rest.c.real.sum()) - rest.slack
        ends.append((sign * value, at, sign * (value + min(lowest, 0.0) / floor)))
    (low, at_low, below), (high, at_high, above) = ends
    joints = tuple(sorted({*top.joints, *bottom.joints}))
    return Range(label, "", low, high, at_low, at_high, below, above, gap * (1 + 1e-6), 0, joints)


def coupling(waves: ModelWaves, box: Box) -> list[Pair]:
    """The largest |k_ij| = |D_ij| / sqrt(D_ii D_jj) of every pair, with its factors (Tourassis and Neuman 1985, 32-35).

    The full effort to close the gap is that of ``design.coupling``; here the proof stops after a few seconds.
    """
    masses = moved_mass(waves.arm)
    floors = [range_of(waves.inertia(i, i), box, most_boxes=MOST_BOXES, work=WORK).lower for i in range(waves.n)]
    found = []
    for i in range(waves.n):
        for j in range(i + 1, waves.n):
            loading = float(np.sqrt(masses[j] / masses[i])) if masses[i] > 0 else None
            across = waves.inertia(i, j)
            largest, pose = 0.0, box.centre
            proved: float | None = 0.0
            if len(across):
                own = waves.inertia(i, i), waves.inertia(j, j)
                largest, pose, proved = coupling_of(across, own, floors[i] * floors[j], box)
            kinematic = largest / loading if loading else None
            found.append(Pair(i, j, largest, tuple(map(float, pose)), proved, loading, kinematic))
    return found


def coupling_of(across: Wave, own: tuple[Wave, Wave], floor: float, box: Box) -> tuple[float, Array, float | None]:
    """(largest found, where, proved bound or None) of one pair.

    With t the largest k^2 found and D_ii D_jj >= ``floor`` > 0, a lower bound -e of t D_ii D_jj - D_ij^2 proves that
    k^2 <= t + e / floor.
    """
    starts = box.samples(2000, 3)
    under = np.maximum(own[0](starts) * own[1](starts), 1e-300)
    order = np.argsort(-(across(starts) ** 2) / under)
    small = len(across) ** 2 + len(own[0]) * len(own[1]) <= MOST_TERMS
    if not small:
        best = starts[order[0]]
        return float(np.abs(across(best)) / np.sqrt(own[0](best) * own[1](best))), best, None
    top, bottom = across * across, own[0] * own[1]
    best = search(-top, bottom, box, starts[order[:3]])
    square = float(top(best) / bottom(best))
    if floor <= 0:
        return float(np.sqrt(square)), best, None
    rest = bottom.times(square) - top
    gap = 0.02 * max(square, 1e-4) * floor
    end = least(rest, box, gap, best[None], MOST_BOXES, WORK, False) if rest.joints else None
    excess = max(0.0, -(end.bound if end is not None else float(rest.c.real.sum()) - rest.slack)) / floor
    proved = float(np.sqrt(square + excess))
    return float(np.sqrt(square)), best, proved if proved <= 1 else None


def contributions(arm: ArmDescription, terms: Sequence[TermShare]) -> list[Contribution]:
    """The terms of the torques as the section shows them."""
    return [
        Contribution(arm.joint_names.index(one.joint), printed(one), one.proved, one.rms, one.share) for one in terms
    ]


def printed(one: TermShare) -> str:
    """How a term is printed: D12 q̈2, 2 C112 q̇1 q̇2, G2."""
    moved = one.motion.replace("qdd", "q\u0308").replace("qd", "q\u0307").replace("^2", "\u00b2")
    number, rest = ("2 ", moved[2:]) if moved.startswith("2 ") else ("", moved)
    return f"{number}{one.name} {rest}".strip()


def review_findings(arm: ArmDescription, numbers: Equations, pairs: Sequence[Pair], box: Limits) -> list[Finding]:
    """The guidelines, with the couplings that are known already in place of a second and longer search."""
    names = arm.joint_names
    strongest = sorted((pair for pair in pairs if pair.largest > 0), key=lambda pair: -pair.largest)[:1]
    known = tuple(
        Coupling(
            names[pair.i],
            names[pair.j],
            0.0,
            pair.largest,
            pair.bound or 1.0,
            np.array(pair.pose),
            pair.loading or 0.0,
            pair.kinematic or 0.0,
            None,
        )
        for pair in strongest
    )
    return [
        review.translation(arm),
        review.directions(arm, numbers),
        review.masses(arm, known),
        review.gravity(arm, numbers, box),
    ]


def weights(arm: ArmDescription, numbers: Equations, box: Limits) -> list[Counterbalance]:
    """What would balance each revolute joint that gravity loads; a weight of nothing is no advice."""
    found = [
        counterbalance(arm, i, box=box)
        for i, joint in enumerate(arm.moving)
        if joint.kind == "revolute" and numbers.gravity[i]
    ]
    return [one for one in found if one.mass > 0]
