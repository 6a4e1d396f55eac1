"""The inertial parameters that the torques are linear in, grouped to the fewest (``compile/regroup.py``).

tau = sum_p Y_p(q, qd, qdd) pi_p. Dropping a parameter changes the torques by Y_p pi_p exactly: a model with some
parameters left out is an arm like any other, only lighter to compute, and its error is a polynomial too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from ..arm.description import ArmDescription
from ..arm.inertia import ENTRIES
from ..compile.regroup import regrouped
from ..formulations.chain import Chain, chain
from ..rings.algebra import as_matrix
from ..rings.rational import Rationals

Name: TypeAlias = str
NAMES = ("m", "mx", "my", "mz", *(f"I{key}" for key, _, _ in ENTRIES))


@dataclass(frozen=True)
class Grouped:
    """The grouped chain of an arm, and the values of its non-zero parameters by name ("Ixx3", bodies from 1)."""

    arm: ArmDescription
    chain: Chain
    values: Mapping[Name, Fraction]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Names of the non-zero grouped parameters, from the base out."""
        return tuple(self.values)


def grouped(arm: ArmDescription) -> Grouped:
    """The fewest parameters of an arm; those that act through gravity alone in a chain are not grouped."""
    bodies = regrouped(chain(arm, Rationals()), plane=True)
    values: dict[Name, Fraction] = {}
    for index, segment in enumerate(bodies.segments):
        numbers = (segment.mass, *segment.moment, *(segment.tensor[i][j] for _, i, j in ENTRIES))
        for name, value in zip(NAMES, numbers, strict=True):
            if value and name != "Izz":
                values[f"{name}{index + 1}"] = Fraction(value)
    # A body before the first that turns or falls can hold numbers that no torque depends on; they do no harm.
    return Grouped(arm, bodies, values)


def with_values(bodies: Chain, values: Mapping[Name, Fraction]) -> Chain:
    """The chain with these parameters and no others."""
    segments = []
    for index, segment in enumerate(bodies.segments):
        mine = [Fraction(values.get(f"{name}{index + 1}", 0)) for name in NAMES]
        rows = [[Fraction(0)] * 3 for _ in range(3)]
        for (_, i, j), value in zip(ENTRIES, mine[4:], strict=True):
            rows[i][j] = rows[j][i] = value
        segments.append(
            replace(
                segment,
                mass=mine[0],
                moment=(mine[1], mine[2], mine[3]),
                tensor=as_matrix(rows),
                com=None,
                central=None,
            )
        )
    return replace(bodies, segments=tuple(segments))
