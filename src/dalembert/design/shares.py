"""Shares of translation and rotation in every inertial coefficient (Lee, Lee and Nigam 1982, section 3).

D_ij = D_ij^tran + D_ij^rot; the share of translation is RMS(D^tran) / (RMS(D^tran) + RMS(D^rot)) over the box.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..bounds.moments import rms
from ..bounds.waves import wave_of
from .certified_ranges import CertifiedRanges


@dataclass(frozen=True)
class PartShare:
    """RMS over the box of a coefficient and of its two parts; ``share`` is that of translation in their sum."""

    name: str
    unit: str
    whole: float
    translational: float
    rotational: float

    @property
    def share(self) -> float:
        """Translation over the sum of both."""
        total = self.translational + self.rotational
        return self.translational / total if total else 0.0


def part_shares(ranges: CertifiedRanges, velocity: bool = False) -> tuple[PartShare, ...]:
    """The parts of every D_ij, and of every C_ijk with ``velocity``, that is not zero."""
    eq, box = ranges.equations, ranges.box
    kinds = "DC" if velocity else "D"
    shares = []
    for name in eq.names(zeros=False):
        if name[0] in kinds:
            move, turn = wave_of(eq.translational(name)), wave_of(eq.rotational(name))
            sizes = (rms(wave, box) for wave in (wave_of(eq[name]), move, turn))
            shares.append(PartShare(name, ranges.waves.unit(name), *sizes))
    return tuple(shares)
