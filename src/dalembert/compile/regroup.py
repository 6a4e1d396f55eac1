"""Base-parameter regrouping: inertia without effect on a joint is transferred to the body before it, exactly.

For a revolute joint, the inertia (m, m z, and Ixx = Iyy) is the same at every angle and does not load the joint
itself, so it may be added to the parent; for a prismatic joint the whole tensor may (Khalil and Dombre 2002, ch. 9; the
classical grouping relations). Torques, mass matrix and gravity load stay the same functions of fewer parameters. What
reaches the base is dropped. Forces between links are not preserved, only the joint torques.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..arm.inertia import moved
from ..formulations.chain import Chain, Segment
from ..rings.algebra import as_matrix, matplus

Numbers = tuple[Fraction, Any, Any]
"""Mass, first moment and tensor."""
ZERO = Fraction(0)
DIGITS = 1024
"""Bits of a denominator beyond which a sum is rounded."""
NOTHING = ((ZERO,) * 3,) * 3


def split(segment: Segment, plane: bool) -> tuple[Numbers, Numbers]:
    """The inertia that affects the joint of this body, and the inertia that may be transferred to the parent.

    Of a revolute joint's tensor one number may be transferred: Iyy, or with ``plane`` the second moment along the axis,
    (Ixx + Iyy - Izz) / 2, which leaves a body without extent along the axis.
    """
    tensor = segment.tensor
    if not segment.revolute:
        return (segment.mass, segment.moment, NOTHING), (ZERO, (ZERO,) * 3, tensor)
    x, y, z = segment.moment
    moment = (tensor[0][0] + tensor[1][1] - tensor[2][2]) / 2 if plane else tensor[1][1]
    remaining = tuple(tuple(tensor[i][j] - (moment if i == j and i < 2 else 0) for j in range(3)) for i in range(3))
    transferred = tuple(tuple(moment if i == j and i < 2 else ZERO for j in range(3)) for i in range(3))
    return (ZERO, (x, y, ZERO), remaining), (segment.mass, (ZERO, ZERO, z), transferred)


def regrouped(chain: Chain, plane: bool = False) -> Chain:
    """The chain of rationals with the same torques and the fewest inertial parameters.

    ``plane`` suits Newton-Euler, which uses second moments; without it the tensors have the most zeros.
    """
    segments = list(chain.segments)
    for index in reversed(range(len(segments))):
        segment = segments[index]
        (mass, moment, tensor), transferred = split(segment, plane)
        segments[index] = replace(segment, mass=mass, moment=moment, tensor=tensor, com=None, central=None)
        if segment.parent >= 0:
            extra = moved(*transferred, segment.rotation, segment.position)
            parent = segments[segment.parent]
            x, y, z = (bounded(a + b) for a, b in zip(parent.moment, extra[1], strict=True))
            segments[segment.parent] = replace(
                parent,
                mass=parent.mass + extra[0],
                moment=(x, y, z),
                tensor=as_matrix([bounded(x) for x in row] for row in matplus(parent.tensor, extra[2])),
            )
    return replace(chain, segments=tuple(segments))


def bounded(value: Fraction) -> Fraction:
    """The number, or where it has more than ``DIGITS`` bits the nearest of half as many.

    Each joint whose axes stand askew to the last multiplies the digits of exact sums; a hundred of them would take
    longer than everything else, and only the first 53 bits reach the code.
    """
    if value.denominator.bit_length() <= DIGITS:
        return value
    places = DIGITS // 2 + value.denominator.bit_length() - abs(value.numerator).bit_length()
    return Fraction(round(value * 2**places), 2**places) if places > 0 else Fraction(round(value))
