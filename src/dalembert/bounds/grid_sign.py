"""Shows that a function is nowhere negative on a box, by grids on parts of it.

f >= 0 where |K - f| <= K, whatever the number K: a sum of magnitudes with a single wave, which ``grid_search.py`` shows
to be at most K. Where the grids there are do not show it, the box is cut in two and each part has a K of its own. With
five joints or more this takes less than boxes by themselves (``branch.py``); with fewer, boxes come closer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .box import TURN, Box
from .compiled_grid import searched
from .grid import CURVATURE_COST, SumOfMagnitudes, TooMuch
from .waves import OUTWARD, Array, Wave, constant

FEWEST = 5
"""Joints from which grids are worth it."""
SAMPLES = 128
"""Positions inside a part, and at its corners, at which the function is looked at beforehand."""
LIFT = 0.75
"""K as a part of the largest value there: from one half on, |K - f| is largest where f is least."""
SHARE = 1 / 2
"""Part of the work that one part of the box may take before it is cut in two."""
PER_PART = 2.0e6
"""Work that making the grids of a part counts as, beside that of its search."""
BEYOND = 1e-12
"""By how much an angle that goes all the way round is widened where it is cut (rad): rounding leaves nothing out."""


class Sign(NamedTuple):
    """Whether f >= 0 was shown everywhere, a position where it is negative if one was met, and the work (numbers)."""

    shown: bool
    below: Array | None
    work: float


def never_negative(wave: Wave, box: Box, at: Array, work: float) -> Sign:
    """Whether a wave is shown to be nowhere negative over a box; ``at`` is a position where it is small."""
    boxes, used = [box], 0.0
    while boxes:
        if used > work:
            return Sign(False, None, used)
        current = boxes.pop()
        starts = positions(current)
        values = wave(starts)
        if values.min() < 0:
            return Sign(False, starts[int(values.argmin())], used)
        try:
            question = Lifted.of(wave, current, LIFT * float(values.max()))
        except TooMuch:
            return Sign(False, None, used)
        if current is box and not float(wave(at)) > question.rounding:
            return Sign(False, None, used)  # less than rounding: no grid shows it
        is_shown = question.shown(min(work - used, SHARE * work))
        used += question.used + PER_PART
        if is_shown:
            continue
        met = question.met
        if met is not None and float(wave(met)) < 0:
            return Sign(False, met, used)
        boxes += halves_of(current, question.joint_to_cut)
    return Sign(True, None, used)


def positions(box: Box) -> Array:
    """Positions of a box: random ones, half of them moved to the nearest corner."""
    inner = box.samples(2 * SAMPLES, 3)
    inner[::2] = np.where(inner[::2] < box.centre, box.lower, box.upper)
    return inner


@dataclass
class Lifted:
    """|K - f| as a sum of magnitudes, scaled by 2^-exponent, which is exact; it has to be shown to be at most K."""

    question: SumOfMagnitudes
    most: float
    exponent: int
    used: float = 0.0
    met: Array | None = None
    """The position of the largest value met, where one is too large."""

    @classmethod
    def of(cls, wave: Wave, box: Box, most: float) -> Lifted:
        """With K = ``most``, which is best where it is above half of the largest value of f."""
        lifted = constant(most, wave.n) - wave
        exponent = int(np.frexp(lifted.most(box.reach))[1])
        question = SumOfMagnitudes([lifted.scaled(-exponent)], box, interpolated=True)
        return cls(question, float(np.ldexp(most, -exponent)), exponent)

    @property
    def rounding(self) -> float:
        """What a value of f may be off by."""
        return float(np.ldexp(self.question.rounding, self.exponent))

    def shown(self, work: float) -> bool:
        """Whether |K - f| <= K is shown: without second derivatives over the box first, then with them."""
        question, most = self.question, self.most / OUTWARD
        search = searched(question.grid())
        done = search.show(most, min(work, CURVATURE_COST * question.tensor.size))
        if not done and search.best <= most and search.used < work:
            search.bends(question.curvature(work))
            done = search.show(most, work + question.used)
        self.used = search.used + question.used
        if search.at is not None and search.best > most:
            self.met = question.position(search.at)
        return done

    @property
    def joint_to_cut(self) -> int:
        """The joint along which the function bends most over the length of the box."""
        question = self.question
        sizes = np.abs(question.tensor[..., 0])
        bends = [
            float(np.moveaxis(sizes, number, -1).reshape(-1, axis.size).sum(axis=0) @ axis.bend) * axis.length**2
            for number, axis in enumerate(question.axes)
        ]
        straight = not max(bends) > 0
        return question.axes[int(np.argmax([a.length for a in question.axes] if straight else bends))].joint


def halves_of(box: Box, joint: int) -> list[Box]:
    """The two halves of a box along one joint."""
    low, high = float(box.lower[joint]), float(box.upper[joint])
    if box.circle[joint]:
        high = low + TURN + BEYOND
    middle, halves = (low + high) / 2, []
    for ends in ((low, middle), (middle, high)):
        lower, upper, circle = box.lower.copy(), box.upper.copy(), box.circle.copy()
        (lower[joint], upper[joint]), circle[joint] = ends, False
        halves.append(Box(lower, upper, circle))
    return halves
