"""The angles of an arm: one for each revolute joint, sums along groups of parallel axes, fixed angles.

Where consecutive revolute joints turn about parallel axes, the bodies after them are turned by the sum of
their positions. The sums are the natural angles (c23, s23 in the papers): with q2 and q2 + q3 as the angles,
the position of joint 3 is their difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Axis:
    """A joint as the angles see it: the revolute joint with parallel axis that carries it, if any.

    ``sign`` is -1 where the two axes point opposite ways. A prismatic joint has no angle.
    """

    revolute: bool
    parallel: int | None = None
    sign: int = 1


@dataclass(frozen=True)
class Angles:
    """The angles of the joints (counted from 0), and named fixed angles after them."""

    axes: tuple[Axis, ...]
    fixed: tuple[str, ...] = ()

    @property
    def joints(self) -> int:
        return len(self.axes)

    @property
    def wide(self) -> bool:
        """True if joint numbers have two digits."""
        return self.joints > 9

    @cached_property
    def prismatic(self) -> tuple[int, ...]:
        return tuple(j for j, axis in enumerate(self.axes) if not axis.revolute)

    @cached_property
    def revolute(self) -> tuple[int, ...]:
        return tuple(j for j, axis in enumerate(self.axes) if axis.revolute)

    @cached_property
    def place(self) -> dict[int, int]:
        """Of each revolute joint, the place of its (summed) angle among the angles."""
        return {joint: place for place, joint in enumerate(self.revolute)}

    @cached_property
    def weights(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Of each joint angle, the joints it sums with their signs, base first. Fixed angles sum none."""
        found: dict[int, tuple[tuple[int, int], ...]] = {}
        for joint in self.revolute:
            axis = self.axes[joint]
            before = () if axis.parallel is None else found[axis.parallel]
            # The sign is against the axis next to it; along the group signs multiply.
            sign = axis.sign * (before[-1][1] if before else 1)
            found[joint] = (*before, (joint, sign))
        return (*(found[joint] for joint in self.revolute), *(() for _ in self.fixed))

    @cached_property
    def of_joint(self) -> dict[int, tuple[int, int | None, int]]:
        """Of each revolute joint: (its sum, the sum before it or None, sign), so that q = sign (sum - sum before)."""
        return {
            joint: (
                self.place[joint],
                None if self.axes[joint].parallel is None else self.place[self.axes[joint].parallel],  # type: ignore[index]
                self.weights[self.place[joint]][-1][1],
            )
            for joint in self.revolute
        }

    @cached_property
    def moved_by(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """Of each revolute joint, the angles its position enters, with signs."""
        found: dict[int, list[tuple[int, int]]] = {joint: [] for joint in self.revolute}
        for place, weights in enumerate(self.weights):
            for joint, sign in weights:
                found[joint].append((place, sign))
        return {joint: tuple(entries) for joint, entries in found.items()}

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """What follows s and c in the name of each angle: "2", "23", "2-3", or "_alpha1" for a fixed angle."""
        joint_tags = (angle_tag(weights, self.wide) for weights in self.weights[: len(self.revolute)])
        return (*joint_tags, *(f"_{name}" for name in self.fixed))

    @cached_property
    def fixed_place(self) -> dict[str, int]:
        return {name: len(self.revolute) + place for place, name in enumerate(self.fixed)}

    @property
    def summed(self) -> bool:
        """True if some joints are parallel."""
        return any(axis.parallel is not None for axis in self.axes)

    def single(self) -> Angles:
        """The same joints, each with its own angle."""
        return Angles(tuple(Axis(axis.revolute) for axis in self.axes), self.fixed)


def angle_tag(weights: Sequence[tuple[int, int]], wide: bool = False) -> str:
    """The joints of a sum as they are printed: "23" for q2 + q3, "2-3" for q2 - q3.

    ``wide``: the arm has more than nine joints, and commas keep "1,2" apart from joint 12.
    """
    text = ""
    for place, (joint, sign) in enumerate(weights):
        text += "-" if sign < 0 else "," if place and wide else ""
        text += str(joint + 1)
    return text


def read_tag(tag: str, wide: bool = False) -> list[tuple[int, int]]:
    """The joints and signs that a tag names: the inverse of ``angle_tag``. No digit, no joint: an empty list."""
    words = re.findall(r"-?\d+" if wide else r"-?\d", tag)
    return [(abs(int(word)) - 1, -1 if word.startswith("-") else 1) for word in words]
