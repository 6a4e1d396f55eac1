"""Translation and rotation: how much of every inertial coefficient comes from each (Lee 1982, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..arm.description import ArmDescription
from ..bounds.moments import rms
from ..bounds.waves import wave_of
from ..equations.closed_form import Equations
from ..equations.names import coefficient_unit
from ..reduction.states import box_of


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
        both = self.translational + self.rotational
        return self.translational / both if both else 0.0


def part_shares(
    arm: ArmDescription, *, velocity: bool = False, box: Mapping[str | int, tuple[float, float]] | None = None
) -> tuple[PartShare, ...]:
    """The parts of every D_ij, and of every C_ijk with ``velocity``, that is not zero."""
    eq, domain = Equations(arm, "numbers"), box_of(arm, box)
    kinds = "DC" if velocity else "D"
    found = []
    for name in eq.names(zeros=False):
        if name[0] in kinds:
            move, turn = wave_of(eq.translational(name)), wave_of(eq.rotational(name))
            found.append(
                PartShare(
                    name,
                    coefficient_unit(arm, name),
                    rms(wave_of(eq[name]), domain),
                    rms(move, domain),
                    rms(turn, domain),
                )
            )
    return tuple(found)
