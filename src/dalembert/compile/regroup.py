"""Base-parameter regrouping: inertia that a joint cannot feel is handed to the body before it, exactly.

Along and about its own axis a joint frame has freedom that the torques do not see. For a revolute joint the
inertia (m, m z, and Ixx = Iyy) looks the same at every angle and loads the joint itself with nothing, so it may
be added to the parent; for a prismatic joint the whole tensor may (Khalil and Dombre 2002, ch. 9; the classical
grouping relations). Torques, mass matrix and gravity load stay the same functions; fewer numbers are left.
What reaches the base is dropped. Forces between links are not preserved, only what the joints feel.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..arm.inertia import moved
from ..formulations.chain import Chain, Segment
from ..rings.algebra import matplus
from ..rings.ring import Ring

Numbers = tuple[Fraction, Any, Any]
"""Mass, first moment and tensor."""
ZERO = Fraction(0)
NOTHING = ((ZERO,) * 3,) * 3


class Rationals:
    """The ring of exact rationals, zeros and ones included: what regrouping computes in."""

    def number(self, value: Fraction) -> Fraction:
        return value

    def sincos(self, angle: object) -> tuple[Fraction, Fraction]:
        raise TypeError("an exact rational has no exact sine")


def split(segment: Segment, plane: bool) -> tuple[Numbers, Numbers]:
    """What the joint of this body feels, and what it may hand to the parent.

    Of a revolute joint's tensor one number may go: Iyy, or with ``plane`` the second moment along the axis,
    (Ixx + Iyy - Izz) / 2, which leaves a body without extent along the axis.
    """
    tensor = segment.tensor
    if not segment.revolute:
        return (segment.mass, segment.moment, NOTHING), (ZERO, (ZERO,) * 3, tensor)
    x, y, z = segment.moment
    ring = (tensor[0][0] + tensor[1][1] - tensor[2][2]) / 2 if plane else tensor[1][1]
    rest = tuple(tuple(tensor[i][j] - (ring if i == j and i < 2 else 0) for j in range(3)) for i in range(3))
    handed = tuple(tuple(ring if i == j and i < 2 else ZERO for j in range(3)) for i in range(3))
    return (ZERO, (x, y, ZERO), rest), (segment.mass, (ZERO, ZERO, z), handed)


def regrouped(chain: Chain, plane: bool = False) -> Chain:
    """The chain of rationals with the same torques and the fewest inertial numbers.

    ``plane`` suits Newton-Euler, which uses second moments; without it the tensors have the most zeros.
    """
    segments = list(chain.segments)
    for index in reversed(range(len(segments))):
        segment = segments[index]
        (mass, moment, tensor), handed = split(segment, plane)
        segments[index] = replace(segment, mass=mass, moment=moment, tensor=tensor, com=None, central=None)
        if segment.parent >= 0:
            extra = moved(*handed, segment.rotation, segment.position)
            parent = segments[segment.parent]
            segments[segment.parent] = replace(
                parent,
                mass=parent.mass + extra[0],
                moment=tuple(a + b for a, b in zip(parent.moment, extra[1], strict=True)),
                tensor=matplus(parent.tensor, extra[2]),
            )
    return replace(chain, segments=tuple(segments))


def over(chain: Chain, ring: Ring) -> Chain:
    """A chain of rationals over another ring."""

    def numbers(values: Any) -> Any:
        if isinstance(values, tuple):
            return tuple(numbers(value) for value in values)
        return ring.number(Fraction(values))

    segments = tuple(
        replace(
            s,
            rotation=numbers(s.rotation),
            position=numbers(s.position),
            link=numbers(s.link),
            mass=numbers(s.mass),
            moment=numbers(s.moment),
            tensor=numbers(s.tensor),
            com=None,
            central=None,
        )
        for s in chain.segments
    )
    return replace(chain, segments=segments, gravity=numbers(chain.gravity), tool=numbers(chain.tool))
