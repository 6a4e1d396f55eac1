"""The skeleton of a mechanism, for drawings: points that its bodies carry, bars between them, plates.

A bar leads from the joint of a body to the joints it carries, to its tool and to its ends of closures. A body with
three ends of closures or more, such as the platform of a parallel robot, is a plate.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..arm.description import Body
from ..arm.placement import Placement
from ..compile.function import Function, Tables
from ..formulations.chain import chain, placed
from ..formulations.kinematics import frames
from ..rings.algebra import matvec, plus
from ..rings.graph import Graph
from .batch import Array
from .chain_frames import Carrier
from .loop_closures import ClosureNumbers

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Skeleton:
    """Points with their names; ``bars`` are pairs of points with their chain, ``plates`` lists of points."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.points: list[Carrier] = []
        self.bars: list[tuple[int, int, int]] = []
        self.plates: list[list[int]] = []
        self.joints: list[int] = []
        """Points that are joints of chains, or closures."""
        self._ends: dict[tuple[int, int], list[Carrier]] = {}
        for closure in mechanism.assembly.closures:
            if isinstance(closure, ClosureNumbers):
                for end in (closure.a, closure.b):
                    self._ends.setdefault((end.chain, end.body), []).append(end)
        for number in range(len(mechanism.chains.names)):
            self._chain(number)

    def _chain(self, number: int) -> None:
        """Add the points, bars and plates of one chain."""
        chains = self.mechanism.chains
        arm, links = list(chains.arms.values())[number], chains.numbers[number].chain
        free = _is_free(arm.bodies, arm.joints[0].child)
        joint_points = [self._point(number, body, Placement()) for body in range(links.n)]
        if not free:
            self.joints += joint_points
        tool_body, frame = arm.body_of[arm.tool_link]
        for body, segment in enumerate(links.segments):
            if free and body < links.n - 1:
                continue
            if segment.parent >= 0 and not free:
                self.bars.append((joint_points[segment.parent], joint_points[body], number))
            ends = [self._add(end) for end in self._ends.get((number, body), [])]
            self.joints += ends
            if len(ends) >= 3:
                self.plates.append(ends)
            else:
                self.bars += [(joint_points[body], end, number) for end in ends]
            if body == tool_body and not ends:
                tool = arm.bodies[body].after @ frame @ arm.tool
                self.bars.append((joint_points[body], self._point(number, body, tool), number))

    def _point(self, number: int, body: int, placement: Placement) -> int:
        chains = self.mechanism.chains
        path = np.array(chains.numbers[number].chain.paths[body], dtype=np.intp)
        turn, shift = (np.array(part, dtype=float) for part in placement.exact)
        return self._add(Carrier(path + chains.slices[number].start, number, body, path, turn, shift, placement))

    def _add(self, carrier: Carrier) -> int:
        self.points.append(carrier)
        return len(self.points) - 1

    def positions(self, phi: Array) -> Array:
        """The points in the world ``(b, points, 3)`` at joints ``(b, m)``."""
        configuration = self.mechanism.chains.place(phi)
        return np.stack([configuration.pose(point)[1] for point in self.points], axis=1)

    def function(self) -> Function:
        """The points as a function of phi, to compile."""
        size = len(self.points)
        return Function("skeleton", (("phi", self.mechanism.m),), (("points", (size, 3)),), partial(_tables, self))


def _is_free(bodies: Sequence[Body], base_link: str) -> bool:
    """A body that nothing holds is a chain of joints without inertia on the ground (``free_body``)."""
    return base_link == "ground" and len(bodies) in (3, 6) and not any(body.inertia for body in bodies[:-1])


def _tables(skeleton: Skeleton) -> Tables:
    graph, mechanism = Graph(), skeleton.mechanism
    phi = graph.inputs("phi_", mechanism.m)
    chains = zip(mechanism.chains.arms.values(), mechanism.chains.slices, strict=True)
    joint_frames = [frames(chain(arm, graph), graph, phi[joints]) for arm, joints in chains]
    points = []
    for point in skeleton.points:
        turn, origin = joint_frames[point.chain][point.body]
        points.append(list(plus(origin, matvec(turn, placed(point.placement, graph, {})[1]))))
    return (points,)
