"""Diagonal dominance of the mass matrix, row by row, with proof.

The margin (D_ii - sum |D_ij|) / D_ii is at least 1 - r everywhere exactly if r D_ii - sum |D_ij| >= 0 everywhere, which
branch and bound decides (``bounds/branch.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..bounds.box import Box
from ..bounds.branch import Branch
from ..bounds.ranges import LESS_WORK
from ..bounds.ratios import search
from ..bounds.waves import Wave, total
from .certified_ranges import CertifiedRanges
from .coupling import refuse_below_zero

NEAR = 1.01
"""The sum to prove, as a multiple of the largest found."""


@dataclass(frozen=True, eq=False)
class Dominance:
    """Diagonal dominance of a row of D: (D_ii - sum |D_ij|) / D_ii at its least; above zero the row is dominant.

    ``least`` is attained at ``at``; no pose is below ``proved`` (None where the work did not suffice to show one).
    Rows mix units where revolute and prismatic joints meet; the figure is then one of numbers in SI units.
    """

    joint: str
    least: float
    at: NDArray[np.float64]
    proved: float | None

    @property
    def dominant(self) -> bool | None:
        """Whether the diagonal outweighs the rest everywhere; None where neither is shown."""
        if self.least <= 0:
            return False
        return True if self.proved is not None and self.proved > 0 else None


def dominance(ranges: CertifiedRanges) -> tuple[Dominance, ...]:
    """How dominant the diagonal of D is, row by row."""
    n, waves, box, work = ranges.n, ranges.waves, ranges.box, ranges.effort * LESS_WORK
    rows = []
    for i, name in enumerate(ranges.system.joint_names):
        ranges.tell(f"dominance of row {i + 1}")
        diagonal = waves.inertia(i, i)
        off_diagonal = [waves.inertia(i, j) for j in range(n) if j != i and len(waves.inertia(i, j))]
        if not len(diagonal) or not off_diagonal:
            rows.append(
                Dominance(name, 1.0 if not off_diagonal else -np.inf, box.centre, 1.0 if not off_diagonal else None)
            )
            continue
        off_diagonal_sum = sum(np.abs(ranges.sampled(i, j)) for j in range(n) if j != i)
        ratio, pose = largest(
            diagonal, off_diagonal, ranges, np.asarray(off_diagonal_sum / np.maximum(ranges.sampled(i, i), 1e-300))
        )
        refuse_below_zero(ranges, i, pose)
        rows.append(Dominance(name, 1 - ratio, pose, proof(diagonal, off_diagonal, box, ratio, work)))
    return tuple(rows)


def largest(
    diagonal: Wave, off_diagonal: list[Wave], ranges: CertifiedRanges, values: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The largest sum of |D_ij| over D_ii that a search from the samples and their ``values`` finds, and where."""
    q = ranges.samples
    best = q[int(np.argmax(values))]
    top = total([wave.times(float(np.sign(wave(best)) or 1.0)) for wave in off_diagonal])
    pose = search(-top, diagonal, ranges.box, q[np.argsort(-values)[:3]])
    reached = float(sum(abs(wave(pose)) for wave in off_diagonal) / max(float(diagonal(pose)), 1e-300))
    return (reached, pose) if reached > values.max() else (float(values.max()), best)


def proof(diagonal: Wave, off_diagonal: list[Wave], box: Box, ratio: float, work: float) -> float | None:
    """The proved margin, a hundredth of the sum below the least found; None where the work does not suffice.

    A margin below zero is shown by its pose, and its size is of no use: no work is spent on it.
    """
    r = min(NEAR * ratio, 1.0 - 1e-12)
    if ratio >= r:
        return None
    return float(np.nextafter(1 - r, -1)) if Branch(diagonal.times(r), off_diagonal, box).never_negative(work) else None
