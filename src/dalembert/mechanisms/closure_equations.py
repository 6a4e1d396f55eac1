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
    frame: Frame
    vectors: set[int]


class ClosureEquations:
    """All closures of ``system``, whose chains over ``ring`` are ``links``.

    ``parameters`` are numbers of the ring in place of named lengths and angles, chain by chain.
    """

    def __init__(
        self,
        system: ChainFrames,
        closures: Sequence[ClosureNumbers | GearNumbers],
        ring: Ring,
        links: Sequence[Chain],
        parameters: Sequence[Mapping[str, Scalar]] = (),
    ) -> None:
        self.chains, self.ring, self.links = system, ring, links
        self.ties: list[GearNumbers | tuple[tuple[Product, ...], ClosureEnd, ClosureEnd]] = []
        for c in closures:
            if isinstance(c, GearNumbers):
                self.ties.append(c)
                continue
            products = c.closure.products
            a, b = (
                ClosureEnd(e, body_frame(ring, e, parameters), v)
                for e, v in zip((c.a, c.b), vectors_of(products), strict=True)
            )
            self.ties.append((products, a, b))

    def tables(self, phi: Sequence[Scalar], rate: Sequence[Scalar] = ()) -> ClosureTables:
        """c, rows of [G^c] and, with joint rates, phi'.[H^c] phi' (else zeros)."""
        values: list[Scalar] = []
        rows: list[list[Scalar]] = []
        drift: list[Scalar] = []
        joint_frames: dict[int, list[Frame]] = {}
        for tie in self.ties:
            if isinstance(tie, GearNumbers):
                tie_equations = [tie.equation(self.ring, phi)]
            else:
                products, *ends = tie
                tie_equations = equations(products, *(self.vectors(end, phi, rate, joint_frames) for end in ends))
            for equation in tie_equations:
                row: list[Scalar] = [0] * self.chains.m
                for joint, slope in equation.slopes.items():
                    row[joint] = slope
                values.append(equation.value)
                rows.append(row)
                drift.append(equation.drift)
        return values, rows, drift

    def vectors(
        self, end: ClosureEnd, phi: Sequence[Scalar], rate: Sequence[Scalar], joint_frames: dict[int, list[Frame]]
    ) -> dict[int, CarriedVector]:
        """The vectors of a frame that are asked for; ``joint_frames`` keeps the joint frames of chains met before."""
        number = max(end.carrier.chain, 0)  # a frame in the world belongs to no chain; none is asked then
        joints, chain, body = self.chains.slices[number], self.links[number], end.carrier.body
        if body >= 0 and number not in joint_frames:
            joint_frames[number] = frames(chain, self.ring, phi[joints])
        return frame_vectors(
            chain, joint_frames.get(number, []), body, end.frame, rate[joints], joints.start, end.vectors
        )


def body_frame(ring: Ring, end: Carrier, parameters: Sequence[Mapping[str, Scalar]] = ()) -> Frame:
    """A frame on its body in numbers of the ring; ``parameters`` replaces named lengths and angles of each chain."""
    return placed(end.placement, ring, parameters[end.chain] if parameters and end.chain >= 0 else {})
