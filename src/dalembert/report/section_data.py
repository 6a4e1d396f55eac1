"""Questions the report asks of the analysis rooms, put in the form its sections take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arm.description import ArmDescription
from ..bounds.ranges import LESS_WORK, Range
from ..bounds.ratios import ratio_range
from ..bounds.waves import Wave
from ..design.certified_ranges import CertifiedRanges
from ..design.coupling import Coupling
from ..design.significance import TermShare
from ..design.significance_tables import printed
from ..equations.names import name
from .sections.coupling_section import Pair
from .sections.significance_section import Contribution

NEGLIGIBLE = 0.01
TOTAL = 3.0e9
"""Control values for all ratios together, so that an arm with many of them does not take minutes."""


def importance(ranges: CertifiedRanges) -> tuple[list[Range], list[str]]:
    """Certified ranges of G_i / D_ii and of those D_ij / D_ii that reach a hundredth.

    Ratios whose denominator is not proved to keep off zero have no range; their names come second.
    """
    ratios: list[tuple[Wave, Wave, float, str]] = []
    unbounded: list[str] = []
    waves = ranges.waves
    samples = ranges.box.samples(400)
    for i in range(waves.n):
        inertia = waves.inertia(i, i)
        if not len(inertia):
            continue
        floor = ranges.inertia(i, i).lower
        denominator = np.maximum(inertia(samples), 1e-300)
        for j in range(waves.n):
            top = waves.gravity(i) if i == j else waves.inertia(i, j)
            if not len(top) or abs(top(samples) / denominator).max() <= NEGLIGIBLE:
                continue
            numerator = name("G", (i,)) if i == j else name("D", (i, j))
            label = f"{numerator}/{name('D', (i, i))}"
            if floor > 0:
                ratios.append((top, inertia, floor, label))
            else:
                unbounded.append(label)
    work = ranges.effort * min(LESS_WORK, TOTAL / max(2 * len(ratios), 1))
    ranges_ = []
    for top, inertia, floor, label in ratios:
        ranges.tell(f"range of {label}")
        ranges_.append(ratio_range(top, inertia, ranges.box, name=label, work=work, floor=floor))
    return ranges_, unbounded


def pairs(ranges: CertifiedRanges, couplings: Sequence[Coupling]) -> list[Pair]:
    """The largest |k_ij| of every pair, with its factors; no bound where nothing below one is proved."""
    by_names, names = {(coupling.first, coupling.second): coupling for coupling in couplings}, ranges.system.joint_names
    centre = tuple(map(float, ranges.box.centre))
    pairs_ = []
    for i in range(ranges.n):
        for j in range(i + 1, ranges.n):
            coupling = by_names.get((names[i], names[j]))
            if coupling is None:
                pairs_.append(Pair(i, j, 0.0, centre, 0.0))
            else:
                bound = coupling.proved if coupling.certified else None
                pairs_.append(
                    Pair(
                        i,
                        j,
                        coupling.largest,
                        tuple(map(float, coupling.at)),
                        bound,
                        coupling.loading,
                        coupling.kinematic,
                    )
                )
    return pairs_


def contributions(arm: ArmDescription, terms: Sequence[TermShare]) -> list[Contribution]:
    """The terms of the torques as the section shows them."""
    return [
        Contribution(arm.joint_names.index(term.joint), printed(term), term.largest, term.proved, term.rms, term.share)
        for term in terms
    ]
