"""The box of joint positions over which something is bounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError

TURN = 2 * math.pi


@dataclass(frozen=True, eq=False)
class Box:
    """Lowest and highest position of each joint (rad or m); ``circle`` marks angles that go all the way round."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    circle: NDArray[np.bool_]

    @property
    def centre(self) -> NDArray[np.float64]:
        return (self.lower + self.upper) / 2

    @property
    def half(self) -> NDArray[np.float64]:
        return (self.upper - self.lower) / 2

    @property
    def reach(self) -> NDArray[np.float64]:
        """Largest magnitude of each position."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def samples(self, count: int, seed: int = 0) -> NDArray[np.float64]:
        """Random positions, evenly spread."""
        return np.random.default_rng(seed).uniform(self.lower, self.upper, (count, len(self.lower)))


def box_of(arm: ArmDescription, given: Mapping[str | int, tuple[float, float]] | None = None) -> Box:
    """The joint limits of an arm, replaced where ``given`` names a joint (by name, "q3", or counted from 0).

    An angle without limits, or with a whole turn between them, goes all the way round. A prismatic joint needs limits.
    """
    asked: dict[int, tuple[float, float]] = {}
    for key, ends in (given or {}).items():
        asked[place(arm, key)] = checked(arm, key, ends)
    lower, upper, circle = np.zeros(arm.n), np.zeros(arm.n), np.zeros(arm.n, bool)
    for index, joint in enumerate(arm.moving):
        low, high = asked.get(index, (joint.limits.lower, joint.limits.upper))
        if joint.kind == "revolute" and (not math.isfinite(low) or not math.isfinite(high) or high - low >= TURN):
            low, high, circle[index] = -math.pi, math.pi, True
        if not math.isfinite(low) or not math.isfinite(high):
            raise ArmError(
                f"{arm.where}joint {joint.name!r} slides and has no limits, so its range is not known; give one, as in "
                f'box={{"{joint.name}": (0, 1)}} (m)'
            )
        lower[index], upper[index] = low, high
    return Box(lower, upper, circle)


def place(arm: ArmDescription, key: str | int) -> int:
    """The joint a key names, counted from 0."""
    if isinstance(key, int) and 0 <= key < arm.n:
        return key
    if isinstance(key, str):
        if key in arm.joint_names:
            return arm.joint_names.index(key)
        if key[:1] == "q" and key[1:].isdigit() and 1 <= int(key[1:]) <= arm.n:
            return int(key[1:]) - 1
    raise ArmError(f"{arm.where}no joint {key!r}; the joints are {', '.join(arm.joint_names)} (or q1 to q{arm.n})")


def checked(arm: ArmDescription, key: str | int, ends: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in ends)
    except (TypeError, ValueError):
        raise ArmError(
            f"{arm.where}the range of joint {key!r} must be two numbers, lowest and highest, not {ends!r}"
        ) from None
    if math.isnan(low) or math.isnan(high):
        raise ArmError(f"{arm.where}the range of joint {key!r} is not a number")
    if low > high:
        raise ArmError(f"{arm.where}the range of joint {key!r} is empty: {low:g} is above {high:g}; exchange them")
    return low, high
