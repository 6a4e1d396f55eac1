"""Change of variables: joints that a function depends on only through their sum become one variable.

Joints with parallel axes often enter through q_2 + q_3 alone. The function is then constant along a line of positions,
and branch and bound could discard none of the boxes on it; in the new variable the line is a point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .box import TURN, Box
from .waves import UNIT, Wave


@dataclass(frozen=True, eq=False)
class Merged:
    """A wave and a box in which each group of joints (with signs) is replaced by one variable, at its first joint.

    ``whole`` is the box of all joints.
    """

    wave: Wave
    box: Box
    groups: tuple[tuple[tuple[int, int], ...], ...]
    whole: Box

    def lifted(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions of all joints whose sums are the merged positions ``y``."""
        x = y.copy()
        lower, upper = self.whole.lower, self.whole.upper
        for group in self.groups:
            first_joint = group[0][0]
            if self.box.circle[first_joint]:
                circular = next((j for j, _ in group if self.whole.circle[j]), None)
                if circular is None:
                    x = self._spread(x, group, self._inside(y[first_joint], group))
                else:
                    sum_of_others = sum(sign * self.whole.centre[j] for j, sign in group if j != circular)
                    for j, _ in group:
                        x[j] = self.whole.centre[j]
                    sign = dict(group)[circular]
                    x[circular] = (sign * (y[first_joint] - sum_of_others) + np.pi) % TURN - np.pi
            else:
                x = self._spread(x, group, float(y[first_joint]))
        return np.clip(x, lower, upper)

    def _ends(self, group: tuple[tuple[int, int], ...]) -> tuple[float, float]:
        """Least and greatest value of the signed sum of a group."""
        centre = sum(sign * self.whole.centre[j] for j, sign in group)
        half = sum(self.whole.half[j] for j, _ in group)
        return centre - half, centre + half

    def _inside(self, y: float, group: tuple[tuple[int, int], ...]) -> float:
        """The same angle, shifted by whole turns into the range of the sum."""
        low, _ = self._ends(group)
        return float(low + (y - low) % TURN)

    def _spread(self, x: NDArray[np.float64], group: tuple[tuple[int, int], ...], y: float) -> NDArray[np.float64]:
        """Positions of a group whose signed sum is ``y``, each at the same fraction of its own range."""
        low, high = self._ends(group)
        fraction = (y - low) / (high - low) if high > low else 0.5
        for j, sign in group:
            ends = (self.whole.lower[j], self.whole.upper[j])[::sign]
            x[j] = ends[0] + fraction * (ends[1] - ends[0])
        return x


def merged(wave: Wave, box: Box) -> Merged:
    """The wave with joints whose columns of k are equal up to sign merged into one variable each."""
    groups: list[list[tuple[int, int]]] = []
    for j in wave.joints:
        if wave.p[:, j].any():
            continue
        for group in groups:
            first_joint = group[0][0]
            if np.array_equal(wave.k[:, j], wave.k[:, first_joint]):
                group.append((j, 1))
                break
            if np.array_equal(wave.k[:, j], -wave.k[:, first_joint]):
                group.append((j, -1))
                break
        else:
            groups.append([(j, 1)])
    sums = tuple(tuple(group) for group in groups if len(group) > 1)
    if not sums:
        return Merged(wave, box, (), box)
    k, lower, upper, circle = wave.k.copy(), box.lower.copy(), box.upper.copy(), box.circle.copy()
    for members in sums:
        first_joint = members[0][0]
        centre = sum(sign * box.centre[j] for j, sign in members)
        # a sum of rounded limits is rounded too
        half = sum(box.half[j] for j, _ in members) + 4 * UNIT * sum(box.reach[j] for j, _ in members)
        lower[first_joint], upper[first_joint] = centre - half, centre + half
        if any(box.circle[j] for j, _ in members) or half >= np.pi:
            lower[first_joint], upper[first_joint], circle[first_joint] = -np.pi, np.pi, True
        for j, _ in members[1:]:
            k[:, j] = 0
    reduced = Wave(k, wave.p, wave.c, wave.slack, wave.lost)
    return Merged(reduced, Box(lower, upper, circle), sums, box)
