"""Joints that follow others: q_J = A q, the joints of an arm that moves by fewer coordinates than it has joints.

A joint of ``<mimic>`` stands at multiplier q_other + offset. Where the other follows a third one, the relations are put
into one another, until each joint goes with one coordinate q_c, the position of a joint that follows none:

    q_j = A_jc q_c + b_j.

Velocities and accelerations go by A alone, and what acts on the joints acts on the coordinates as A^T tau_J (virtual
work; Freeman 1985, eqs 3-34 to 3-36 with a constant matrix). The offset b_j is a fixed part of the placement of the
joint.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        turned = self.multiplier * amount(other)
        if not turned:
            return self.offset
        return turned + amount(self.offset)

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


def settled(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with those frozen that follow one which does not move; refuses relations that lead nowhere."""
    known = {joint.name: joint for joint in joints}
    for joint in joints:
        seen = [joint.name]
        while (follows := known[seen[-1]].follows) is not None:
            if follows.joint not in known:
                raise ArmError(
                    f"joint {seen[-1]!r} follows joint {follows.joint!r}, which is not there; name a joint of the arm, "
                    f"or let {seen[-1]!r} follow none"
                )
            if follows.joint in seen:
                raise ArmError(
                    f"joints {', '.join((*seen, follows.joint))} follow each other in a circle; let one of them follow "
                    f"none"
                )
            seen.append(follows.joint)
    waiting = True
    while waiting:
        waiting = False
        for joint in tuple(known.values()):
            follows = joint.follows
            if follows is None:
                continue
            if not joint.moves:
                known[joint.name] = replace(joint, follows=None)
            elif not follows.multiplier or not known[follows.joint].moves:
                known[joint.name] = joint.at(follows.position(exact(known[follows.joint].held)))
            else:
                continue
            waiting = True
    return tuple(_with_angle(known[joint.name]) for joint in joints)


def _with_angle(joint: Joint) -> Joint:
    """The joint with the offset of a turn as an angle, however it was given."""
    if joint.follows is None or joint.kind != "revolute" or isinstance(joint.follows.offset, Angle):
        return joint
    return replace(joint, follows=replace(joint.follows, offset=Angle.of(joint.follows.offset)))


def couplings(joints: Sequence[Joint]) -> tuple[Coupled, ...]:
    """For each joint that moves, in their order, its coordinate, A_jc and b_j."""
    moving = {joint.name: joint for joint in joints if joint.moves}
    places = {name: index for index, name in enumerate(n for n, joint in moving.items() if joint.follows is None)}
    found = []
    for follower, joint in moving.items():
        name, multiplier = follower, Fraction(1)
        offset: Angle | Fraction = Fraction(0)
        while (follows := joint.follows) is not None:
            if amount(follows.offset):
                # An angle stays as exact as it is written where nothing is added to it.
                alone = multiplier == 1 and not amount(offset)
                offset = follows.offset if alone else amount(offset) + multiplier * amount(follows.offset)
            multiplier *= follows.multiplier
            name, joint = follows.joint, moving[follows.joint]
        if not LEAST_MULTIPLIER <= abs(multiplier) <= 1 / LEAST_MULTIPLIER:
            raise ArmError(
                f"joint {follower!r} follows joint {name!r} by a multiplier beyond 1e±{EXPONENT}, which no gear has; "
                f"mend it, or let {follower!r} stand still"
            )
        found.append(Coupled(places[name], multiplier, offset))
    return tuple(found)


def independent(joints: Sequence[Joint], coupled: Sequence[Coupled]) -> tuple[Joint, ...]:
    """The joints that follow none, with limits that suit all joints that follow them, directly or by others."""
    pairs = [(joint, how) for joint, how in zip(joints, coupled, strict=True) if joint.follows is not None]
    return tuple(
        replace(joint, limits=tightened(joint, [(j, c) for j, c in pairs if c.coordinate == index]))
        for index, joint in enumerate(joint for joint in joints if joint.follows is None)
    )


def counted(followers: Sequence[Joint]) -> str:
    """How many joints follow others, as the end of a title; empty where none does."""
    return f" and {len(followers)} that follow{'s' * (len(followers) == 1)}" if followers else ""


def tightened(joint: Joint, followers: Sequence[tuple[Joint, Coupled]]) -> Limits:
    """The limits of a coordinate: what its own joint allows, and all joints that follow it.

    Positions b + m q within [lower, upper] leave q an interval, speeds |m qd| <= v leave |qd| <= v/|m|. The effort is
    that of the joint itself: what drives the coordinate acts there; the limit of a follower is about its own coupling.
    """
    limits = joint.limits
    lower, upper, velocity = limits.lower, limits.upper, limits.velocity
    for other, coupled in followers:
        ends = sorted(
            (end - coupled.start) / float(coupled.multiplier) for end in (other.limits.lower, other.limits.upper)
        )
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
        velocity = min(velocity, other.limits.velocity / abs(float(coupled.multiplier)))
        if lower > upper:
            raise ArmError(
                f"joint {other.name!r} follows joint {joint.name!r}, and their limits have no position in common; mend "
                f"the limits or the relation"
            )
    return replace(limits, lower=lower, upper=upper, velocity=velocity)
