"""The angles of an arm: one for each revolute joint, sums along groups of parallel axes, fixed angles.

Where consecutive revolute joints have parallel axes, the orientation of the bodies after them depends on the sum of
their positions. These sums are taken as the angles (c23, s23 in the papers): with q2 and q2 + q3 as the angles, the
position of joint 3 is their difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Axis:
    """The axis of one joint, and the revolute joint with a parallel axis before it, if any.

    ``sign`` is -1 where the two axes point in opposite directions. A prismatic joint has no angle.
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
        """Number of joints."""
        return len(self.axes)

    @property
    def wide(self) -> bool:
        """True if joint numbers may have two digits, so that commas separate them."""
        return self.joints > 9

    @cached_property
    def prismatic(self) -> tuple[int, ...]:
        """The prismatic joints."""
        return tuple(j for j, axis in enumerate(self.axes) if not axis.revolute)

    @cached_property
    def revolute(self) -> tuple[int, ...]:
        """The revolute joints."""
        return tuple(j for j, axis in enumerate(self.axes) if axis.revolute)

    @cached_property
    def index(self) -> dict[int, int]:
        """For each revolute joint, the index of its (summed) angle among the angles."""
        return {joint: index for index, joint in enumerate(self.revolute)}

    @cached_property
    def weights(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each joint angle, the joints it sums with their signs, base first; a fixed angle sums none."""
        sums: dict[int, tuple[tuple[int, int], ...]] = {}
        for joint in self.revolute:
            axis = self.axes[joint]
            before = () if axis.parallel is None else sums[axis.parallel]
            # An axis has its sign relative to the axis before it; along the group the signs multiply.
            sign = axis.sign * (before[-1][1] if before else 1)
            sums[joint] = (*before, (joint, sign))
        return (*(sums[joint] for joint in self.revolute), *(() for _ in self.fixed))

    @cached_property
    def of_joint(self) -> dict[int, tuple[int, int | None, int]]:
        """For each revolute joint (its sum, the sum before it or None, sign): q = sign (sum - sum before)."""
        return {
            joint: (
                self.index[joint],
                None if self.axes[joint].parallel is None else self.index[self.axes[joint].parallel],  # type: ignore[index]
                self.weights[self.index[joint]][-1][1],
            )
            for joint in self.revolute
        }

    @cached_property
    def moved_by(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """For each revolute joint, the angles that contain its position, with signs."""
        containing: dict[int, list[tuple[int, int]]] = {joint: [] for joint in self.revolute}
        for index, weights in enumerate(self.weights):
            for joint, sign in weights:
                containing[joint].append((index, sign))
        return {joint: tuple(entries) for joint, entries in containing.items()}

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The suffix of s and c in the name of each angle: "2", "23", "2-3", or "_alpha1" for a fixed angle."""
        joint_tags = (angle_tag(weights, self.wide) for weights in self.weights[: len(self.revolute)])
        return (*joint_tags, *(f"_{name}" for name in self.fixed))

    @cached_property
    def fixed_index(self) -> dict[str, int]:
        """The index of each fixed angle among the angles."""
        return {name: len(self.revolute) + index for index, name in enumerate(self.fixed)}

    @property
    def summed(self) -> bool:
        """True if some angle is a sum of several joint positions."""
        return any(axis.parallel is not None for axis in self.axes)

    def single(self) -> Angles:
        """The same joints, each with its own angle."""
        return Angles(tuple(Axis(axis.revolute) for axis in self.axes), self.fixed)


def angle_tag(weights: Sequence[tuple[int, int]], wide: bool = False) -> str:
    """The joints of a sum as printed: "23" for q2 + q3, "2-3" for q2 - q3.

    ``wide``: the arm has more than nine joints, and commas separate "1,2" from joint 12.
    """
    text = ""
    for position, (joint, sign) in enumerate(weights):
        text += "-" if sign < 0 else "," if position and wide else ""
        text += str(joint + 1)
    return text


def read_tag(tag: str, wide: bool = False) -> list[tuple[int, int]]:
    """The joints and signs of a tag, the inverse of ``angle_tag``; an empty list where it has no digit."""
    numbers = re.findall(r"-?\d+" if wide else r"-?\d", tag)
    return [(abs(int(number)) - 1, -1 if number.startswith("-") else 1) for number in numbers]
