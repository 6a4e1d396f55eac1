"""Questions the report asks of the analysis rooms, put in the form its sections take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ..arm.description import ArmDescription
from ..design import review
from ..design.counterbalance import Counterbalance, counterbalance
from ..design.coupling import Coupling
from ..design.coupling import coupling as design_coupling
from ..design.review import Finding
from ..equations.equations import Equations
from ..equations.names import name
from ..reduction.box import Box, box_of
from ..reduction.model_waves import ModelWaves
from ..reduction.ranges import Range, range_of
from ..reduction.ratios import ratio_range
from ..reduction.significance import TermShare
from ..reduction.waves import Wave
from .sections.coupling import Pair
from .sections.significance import Contribution

Limits: TypeAlias = "Mapping[str | int, tuple[float, float]] | None"
WORK = 4.0e6
"""Boxes times terms for one proof; a report is to be had in seconds, and says where a gap stayed open."""
NEGLIGIBLE = 0.01
TOTAL = 1.0e8
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
        floor = range_of(own, box, work=WORK).lower
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
    return [
        ratio_range(top, own, box, name=label, work=work, floor=floor) for top, own, floor, label in asked
    ], unbounded


def coupling(arm: ArmDescription, box: Limits) -> list[Pair]:
    """The largest |k_ij| of every pair, with its factors; no bound where nothing below one is proved."""
    known = {(one.first, one.second): one for one in design_coupling(arm, box=box)}
    names, rest = arm.joint_names, tuple(map(float, box_of(arm, box).centre))
    found = []
    for i in range(arm.n):
        for j in range(i + 1, arm.n):
            one = known.get((names[i], names[j]))
            if one is None:
                found.append(Pair(i, j, 0.0, rest, 0.0))
            else:
                bound = one.proved if one.certified else None
                found.append(Pair(i, j, one.largest, tuple(map(float, one.at)), bound, one.loading, one.kinematic))
    return found


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
