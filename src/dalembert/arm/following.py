"""Joints that follow others: q_J = A q, the joints of an arm that moves by fewer coordinates than it has joints.

A joint of ``<mimic>`` stands at multiplier q_other + offset. Where the other follows a third one, the relations are put
into one another, until each joint goes with one coordinate q_c, the position of a joint that follows none:

    q_j = A_jc q_c + b_j.

Velocities and accelerations go by A alone, and what acts on the joints acts on the coordinates as A^T tau_J (virtual
work; Freeman 1985, eqs 3-34 to 3-36 with a constant matrix). The offset b_j is a fixed part of the placement of the
joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from .errors import ArmError
from .exact import Angle, exact
from .placement import Placement, Step

if TYPE_CHECKING:
    from .description import Joint, Limits

EXPONENT = 30
LEAST_MULTIPLIER = Fraction(1, 10**EXPONENT)
"""Least multiplier of a joint that follows another, and one over the largest."""


@dataclass(frozen=True)
class Follows:
    """The joint stands at ``multiplier`` times the position of joint ``joint`` plus ``offset`` (rad or m)."""

    joint: str
    multiplier: Fraction = Fraction(1)
    offset: Angle | Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "multiplier", exact(self.multiplier, f"multiplier of joint {self.joint!r}"))
        if not isinstance(self.offset, Angle):
            object.__setattr__(self, "offset", exact(self.offset, f"offset from joint {self.joint!r}"))

    def position(self, other: object) -> Angle | Fraction:
        """Where the joint stands while the other stands at ``other``."""
        scaled = self.multiplier * amount(other)
        if not scaled:
            return self.offset
        return scaled + amount(self.offset)

    def __str__(self) -> str:
        factor = "" if self.multiplier == 1 else "-" if self.multiplier == -1 else f"{float(self.multiplier):.12g} "
        start = float(amount(self.offset))
        added = f" {'-' if start < 0 else '+'} {abs(start):.12g}" if start else ""
        return f"{factor}{self.joint}{added}"


@dataclass(frozen=True)
class Coupled:
    """How a moving joint goes with the coordinates: position = ``multiplier`` q[``coordinate``] + ``offset``."""

    coordinate: int
    multiplier: Fraction = Fraction(1)
    offset: Angle | Fraction = Fraction(0)

    @property
    def start(self) -> float:
        """The offset as a number (rad or m)."""
        return float(amount(self.offset))


def amount(value: object) -> Fraction:
    """A position as a number; an angle by its radians."""
    return exact(value.radians) if isinstance(value, Angle) else exact(value, "position")


def offset_placement(kind: str, offset: Angle | Fraction) -> Placement:
    """The motion of a joint by its offset."""
    if kind == "revolute":
        return Placement.of(Step("rotate", 2, Angle.of(offset)))
    return Placement.of(Step("translate", 2, amount(offset)))


def leaders_first(joints: Iterable[Joint]) -> list[Joint]:
    """The joints, each after the one that it follows; refuses relations that lead nowhere."""
    by_name = {joint.name: joint for joint in joints}
    order: dict[str, Joint] = {}
    for name in by_name:
        path: dict[str, Joint] = {}
        while name not in order and name not in path:
            path[name] = by_name[name]
            follows = by_name[name].follows
            if follows is None:
                break
            if follows.joint not in by_name:
                raise ArmError(
                    f"joint {name!r} follows joint {follows.joint!r}, which is not there; name a joint of the arm, "
                    f"or let {name!r} follow none"
                )
            name = follows.joint
            if name in path:
                raise ArmError(
                    f"joints {', '.join((*path, name))} follow each other in a circle; let one of them follow none"
                )
        order |= dict(reversed(path.items()))
    return list(order.values())


def settled(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with those frozen that follow one which does not move; refuses relations that lead nowhere."""
    by_name: dict[str, Joint] = {}
    for joint in leaders_first(joints):
        follows, settled_joint = joint.follows, joint
        if follows is not None and not joint.moves:
            settled_joint = replace(joint, follows=None)
        elif follows is not None and (not follows.multiplier or not by_name[follows.joint].moves):
            settled_joint = joint.at(follows.position(exact(by_name[follows.joint].held)))
        by_name[joint.name] = settled_joint
    return tuple(_with_angle(by_name[joint.name]) for joint in joints)


def _with_angle(joint: Joint) -> Joint:
    """The joint with the offset of a turn as an angle, however it was given."""
    if joint.follows is None or joint.kind != "revolute" or isinstance(joint.follows.offset, Angle):
        return joint
    return replace(joint, follows=replace(joint.follows, offset=Angle.of(joint.follows.offset)))


def couplings(joints: Sequence[Joint]) -> tuple[Coupled, ...]:
    """For each joint that moves, in their order, its coordinate, A_jc and b_j."""
    moving = [joint for joint in joints if joint.moves]
    coordinates = [joint.name for joint in moving if joint.follows is None]
    coupled = {name: Coupled(index) for index, name in enumerate(coordinates)}
    for joint in leaders_first(moving):
        if joint.follows is not None:
            leader, follows = coupled[joint.follows.joint], joint.follows
            multiplier = follows.multiplier * leader.multiplier
            if not LEAST_MULTIPLIER <= abs(multiplier) <= 1 / LEAST_MULTIPLIER:
                raise ArmError(
                    f"joint {joint.name!r} follows joint {coordinates[leader.coordinate]!r} by a multiplier beyond "
                    f"1e±{EXPONENT}, which no gear has; mend it, or let {joint.name!r} stand still"
                )
            coupled[joint.name] = Coupled(leader.coordinate, multiplier, _offset(follows, leader.offset))
    return tuple(coupled[joint.name] for joint in moving)


def _offset(follows: Follows, leading: Angle | Fraction) -> Angle | Fraction:
    """b + m B of a joint at b + m times a position with the offset B.

    An angle stays as exact as it is written where nothing is added to it.
    """
    own_offset = amount(follows.offset)
    if not amount(leading):
        return follows.offset if own_offset else Fraction(0)
    if not own_offset and follows.multiplier == 1:
        return leading
    return own_offset + follows.multiplier * amount(leading)


def independent(joints: Sequence[Joint], coupled: Sequence[Coupled]) -> tuple[Joint, ...]:
    """The joints that follow none, with limits that suit all joints that follow them, directly or by others."""
    pairs = [(joint, how) for joint, how in zip(joints, coupled, strict=True) if joint.follows is not None]
    return tuple(
        replace(joint, limits=tightened(joint, [(j, c) for j, c in pairs if c.coordinate == index]))
        for index, joint in enumerate(joint for joint in joints if joint.follows is None)
    )


def followers_phrase(followers: Sequence[Joint]) -> str:
    """How many joints follow others, as the end of a title; empty where none does."""
    return f" and {len(followers)} that follow{'s' * (len(followers) == 1)}" if followers else ""


def tightened(joint: Joint, followers: Sequence[tuple[Joint, Coupled]]) -> Limits:
    """The limits of a coordinate: what its own joint allows, and all joints that follow it.

    Positions b + m q within [lower, upper] leave q an interval, speeds |m qd| <= v leave |qd| <= v/|m|. The effort is
    that of the joint itself: what drives the coordinate acts there; the limit of a follower is about its own coupling.
    A speed or effort of zero, as exports write it where nothing is known, limits nothing.
    """
    limits = joint.limits
    lower, upper, velocity = limits.lower, limits.upper, limits.known("velocity")
    for follower, coupled in followers:
        ends = sorted(
            (end - coupled.start) / float(coupled.multiplier) for end in (follower.limits.lower, follower.limits.upper)
        )
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
        velocity = min(velocity, follower.limits.known("velocity") / abs(float(coupled.multiplier)))
        if lower > upper:
            raise ArmError(
                f"joint {follower.name!r} follows joint {joint.name!r}, and their limits have no position in common; "
                f"mend the limits or the relation"
            )
    return replace(limits, lower=lower, upper=upper, velocity=velocity, effort=limits.known("effort"))
