"""The closures of a mechanism over one ring: c, [G^c] and phi'.[H^c] phi' in the joints phi of all chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..formulations.chain import Chain, placed
from ..formulations.closures import CarriedVector, Product, equations, frame_vectors, vectors_of
from ..formulations.kinematics import Frame, frames
from ..rings.ring import Ring, Scalar
from .chain_frames import Carrier, ChainFrames
from .gears import GearNumbers
from .loop_closures import ClosureNumbers

ClosureTables = tuple[list[Scalar], list[list[Scalar]], list[Scalar]]


@dataclass(frozen=True)
class ClosureEnd:
    """One frame of a closure: what carries it, where it is on that body, and which of its vectors are asked for."""

    carrier: Carrier
    place: Frame
    vectors: set[int]


class ClosureEquations:
    """All closures of ``system``, whose chains over ``ring`` are ``links``.

    ``given`` are numbers of the ring in place of named lengths and angles, chain by chain.
    """

    def __init__(
        self,
        system: ChainFrames,
        closures: Sequence[ClosureNumbers | GearNumbers],
        ring: Ring,
        links: Sequence[Chain],
        given: Sequence[Mapping[str, Scalar]] = (),
    ) -> None:
        self.chains, self.ring, self.links = system, ring, links
        self.ties: list[GearNumbers | tuple[tuple[Product, ...], ClosureEnd, ClosureEnd]] = []
        for c in closures:
            if isinstance(c, GearNumbers):
                self.ties.append(c)
                continue
            products = c.closure.products
            a, b = (
                ClosureEnd(e, over(ring, e, given), v) for e, v in zip((c.a, c.b), vectors_of(products), strict=True)
            )
            self.ties.append((products, a, b))

    def tables(self, phi: Sequence[Scalar], rate: Sequence[Scalar] = ()) -> ClosureTables:
        """c, rows of [G^c] and, with joint rates, phi'.[H^c] phi' (else zeros)."""
        values: list[Scalar] = []
        rows: list[list[Scalar]] = []
        drift: list[Scalar] = []
        met: dict[int, list[Frame]] = {}
        for tie in self.ties:
            if isinstance(tie, GearNumbers):
                found = [tie.equation(self.ring, phi)]
            else:
                products, *ends = tie
                found = equations(products, *(self.vectors(end, phi, rate, met) for end in ends))
            for equation in found:
                row: list[Scalar] = [0] * self.chains.m
                for joint, slope in equation.slopes.items():
                    row[joint] = slope
                values.append(equation.value)
                rows.append(row)
                drift.append(equation.drift)
        return values, rows, drift

    def vectors(
        self, end: ClosureEnd, phi: Sequence[Scalar], rate: Sequence[Scalar], met: dict[int, list[Frame]]
    ) -> dict[int, CarriedVector]:
        """The vectors of a frame that are asked for; ``met`` keeps the joint frames of chains met before."""
        number = max(end.carrier.chain, 0)  # a frame in the world belongs to no chain; none is asked then
        part, chain, body = self.chains.slices[number], self.links[number], end.carrier.body
        if body >= 0 and number not in met:
            met[number] = frames(chain, self.ring, phi[part])
        return frame_vectors(chain, met.get(number, []), body, end.place, rate[part], part.start, end.vectors)


def over(ring: Ring, end: Carrier, given: Sequence[Mapping[str, Scalar]] = ()) -> Frame:
    """A frame on its body in numbers of the ring; ``given`` replaces named lengths and angles of each chain."""
    return placed(end.placement, ring, given[end.chain] if given and end.chain >= 0 else {})
