"""An arm as screws: the axes of its joints at q = 0 in the base, and where its tool then is.

    T(q) = e^(S1 q1) ... e^(Sn qn) M        product of exponentials, Brockett 1984

Lengths are divided by the size of the arm, so that one tolerance says what is parallel and what intersects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...systems.arm_kinematics import MovingArm

Array = NDArray[np.float64]
SAME = 1e-9
"""Axes closer than this (rad, or parts of the arm's length) count as parallel, or as intersecting."""


@dataclass(frozen=True, eq=False)
class Screw:
    """A joint: the direction of its axis, a point of it, whether it turns, and its place in q (-1: none)."""

    direction: Array
    point: Array
    revolute: bool
    joint: int

    def reversed(self) -> Screw:
        """The same joint with its motion the other way round."""
        return replace(self, direction=-self.direction)

    def placed(self, turn: Array, shift: Array) -> Screw:
        """The screw after a displacement of all."""
        return replace(self, direction=turn @ self.direction, point=turn @ self.point + shift)

    def through(self, point: Array) -> Screw:
        """The same screw, by another point of it."""
        return replace(self, point=point)


@dataclass(frozen=True, eq=False)
class ScrewChain:
    """Screws from the base to the tool, the tool's frame at q = 0, and the length (m) that is 1 in it."""

    screws: tuple[Screw, ...]
    turn: Array
    shift: Array
    length: float

    @classmethod
    def of(cls, arm: MovingArm) -> ScrewChain | None:
        """The joints that move the tool; None where one of them follows another or the tool does not move."""
        links = arm.over_reals.links
        if links.tool_body < 0:
            return None
        frames: dict[int, tuple[Array, Array]] = {}
        screws = []
        for body in links.paths[links.tool_body]:
            segment = links.segments[body]
            turn, shift = np.array(segment.rotation, dtype=float), np.array(segment.position, dtype=float)
            if segment.parent >= 0:
                before = frames[segment.parent]
                turn, shift = before[0] @ turn, before[1] + before[0] @ shift
            frames[body] = turn, shift
            joint = arm.all_moving[body]
            if joint.follows is not None:
                return None
            screws.append(Screw(turn[:, 2], shift, segment.revolute, arm.couplings[body].coordinate))
        tool_turn, tool_shift = np.array(links.tool[0], dtype=float), np.array(links.tool[1], dtype=float)
        shift = shift + turn @ tool_shift
        points = np.array([*(screw.point for screw in screws), shift])
        size = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) or 1.0
        scaled = tuple(screw.through(screw.point / size) for screw in screws)
        return cls(scaled, turn @ tool_turn, shift / size, size)

    @property
    def letters(self) -> str:
        """R for each joint that turns, P for each that slides."""
        return "".join("R" if screw.revolute else "P" for screw in self.screws)

    def reversed(self) -> ScrewChain:
        """The arm from its tool to its base: T^-1 = e^(-S6' q6) ... e^(-S1' q1) M^-1, S' = M^-1 S."""
        turn_t = self.turn.T
        shift = -turn_t @ self.shift
        screws = tuple(screw.placed(turn_t, shift).reversed() for screw in reversed(self.screws))
        return ScrewChain(screws, turn_t, shift, self.length)


@dataclass(frozen=True, eq=False)
class CommonNormal:
    """Of two screws: the feet of their common normal, the normal from the first to the second, its length, the angle.

    ``normal`` is a unit vector perpendicular to both directions, also where the axes intersect; ``third`` completes it
    and the second direction: normal x third = second direction.
    """

    first: Screw
    second: Screw
    normal: Array
    third: Array
    distance: float
    cosine: float
    sine: float

    @classmethod
    def of(cls, first: Screw, second: Screw) -> CommonNormal:
        """The common normal; feet are only meaningful for screws that turn."""
        across = np.cross(first.direction, second.direction)
        sine, cosine = float(np.linalg.norm(across)), float(first.direction @ second.direction)
        between = second.point - first.point
        if sine > SAME:
            normal = across / sine
            # first.point + a h1 and second.point + b h2 are the feet: their difference is along the normal
            a, b = np.linalg.lstsq(np.stack([first.direction, -second.direction], axis=1), between, rcond=None)[0]
            feet = first.point + a * first.direction, second.point + b * second.direction
            distance = float((feet[1] - feet[0]) @ normal)
            if abs(distance) < SAME:
                feet, distance = (feet[0], feet[0]), 0.0
        else:
            sine, cosine = 0.0, float(np.sign(cosine))
            foot = second.point - ((between @ first.direction) * first.direction)
            offset = foot - first.point
            distance = float(np.linalg.norm(offset))
            feet = first.point, foot
            if distance > SAME:
                normal = offset / distance
            else:
                distance = 0.0
                normal = perpendicular(first.direction)
        if abs(cosine) < SAME:
            cosine = 0.0
        third = np.cross(second.direction, normal)
        return cls(first.through(feet[0]), second.through(feet[1]), normal, third, distance, cosine, sine)

    @property
    def intersect(self) -> bool:
        """Axes that meet in one point."""
        return self.distance == 0.0 and self.sine > 0

    @property
    def parallel(self) -> bool:
        """Axes of one direction."""
        return self.sine == 0.0


def perpendicular(direction: Array) -> Array:
    """A unit vector perpendicular to ``direction``."""
    unit = np.eye(3)[int(np.argmin(np.abs(direction)))]
    normal = np.cross(direction, unit)
    return np.asarray(normal / np.linalg.norm(normal))


def meeting_point(screws: tuple[Screw, ...]) -> Array | None:
    """The point in which three axes of joints that turn meet, no two of them along each other in a row."""
    if not all(screw.revolute for screw in screws):
        return None
    for first, second in pairwise(screws):
        if CommonNormal.of(first, second).parallel:
            return None
    matrix, right = np.zeros((3, 3)), np.zeros(3)
    for screw in screws:
        across = np.eye(3) - np.outer(screw.direction, screw.direction)
        matrix, right = matrix + across, right + across @ screw.point
    point = np.linalg.solve(matrix, right)
    for screw in screws:
        offset = point - screw.point
        if np.linalg.norm(offset - (offset @ screw.direction) * screw.direction) > SAME:
            return None
    return np.asarray(point)
