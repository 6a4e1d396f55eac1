"""Certified ranges: the least and the greatest value of a function over a box.

A local search gives the attained end, branch and bound over Bernstein forms (``branch.py``) the proved end, and the
two differ by at most the gap that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .box import Box
from .branch import Branch
from .merge import merged
from .search import inside, search
from .waves import Array, Wave

WORK, LESS_WORK = 1.5e9, 1.0e8
"""Control values made for one end of a range: at most some six seconds, or half a second where many are asked for."""
GAP = 1e-4


@dataclass(frozen=True, eq=False)
class Range:
    """The range of a function over a box.

    ``minimum`` and ``maximum`` are attained, at ``at_minimum`` and ``at_maximum`` (joints the function does not
    depend on rest at the middle of the box). ``lower`` and ``upper`` are proved: no state lies outside them.
    ``certified`` says that both gaps are at most ``tolerance``.
    """

    name: str
    unit: str
    minimum: float
    maximum: float
    at_minimum: NDArray[np.float64]
    at_maximum: NDArray[np.float64]
    lower: float
    upper: float
    tolerance: float
    work: float
    joints: tuple[int, ...]

    @property
    def gap(self) -> float:
        """The larger distance between a proved and an attained end."""
        return max(self.minimum - self.lower, self.upper - self.maximum)

    @property
    def certified(self) -> bool:
        return bool(self.gap <= self.tolerance)

    @property
    def largest(self) -> float:
        """The largest magnitude, attained."""
        return max(abs(self.minimum), abs(self.maximum))

    @property
    def bound(self) -> float:
        """The largest magnitude, proved."""
        return max(abs(self.lower), abs(self.upper))

    @property
    def relative(self) -> float:
        """Maximum over minimum, as in Bejczy 1974, Table 1; infinite where the minimum is not above zero."""
        return self.maximum / self.minimum if self.minimum > 0 else float("inf")


def range_of(
    wave: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "", work: float = WORK,
    polish: bool = True,
) -> Range:  # fmt: skip
    """The certified range of a wave; ``gap`` is the tolerance (1e-4 of the spread of values by default).

    ``work`` (control values, for each end) limits the proof. What stays open then shows in ``gap``, and ``certified``
    is False.
    """
    if gap is not None and not gap > 0:
        raise ArmError(f"the gap of a range must be above zero, not {gap!r}")
    if not wave.joints:
        value = float(wave.c.real.sum()) if len(wave) else 0.0
        return Range(name, unit, value, value, box.centre, box.centre, value - wave.slack, value + wave.slack,
                     gap or max(wave.slack, 1e-12 * abs(value)), 0, ())  # fmt: skip
    depends, one = wave.joints, merged(wave, box)
    wave, box = one.wave, one.box
    starts = box.samples(512)
    values = wave(starts)
    if gap is None:
        gap = GAP * max(float(values.max() - values.min()), 1e-9 * wave.most(box.reach), 10 * wave.slack)
    low = least(wave, box, gap, starts[np.argsort(values)[:10]], work, polish)
    high = least(-wave, box, gap, starts[np.argsort(-values)[:10]], work, polish)
    return Range(
        name, unit, low.value, -high.value, one.lifted(low.at), one.lifted(high.at), low.bound, -high.bound, gap,
        low.work + high.work, depends,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class End:
    """One end: the least value found, where, the proved bound below it, and the work it took (control values)."""

    value: float
    at: NDArray[np.float64]
    bound: float
    work: float


def least(wave: Wave, box: Box, gap: float, starts: Array, work: float = WORK, polish: bool = True) -> End:
    """The least value with proof."""
    at = search(wave, box, starts, polish)
    main, rest = trimmed(wave, box, gap / 8)
    if not main.joints:
        return End(float(wave(at)), at, float(main.c.real.sum()) - rest - wave.slack, 0.0)
    # The search is on the whole wave; what was trimmed is accounted for in the bound.
    branch = Branch(main, (), box)
    found = branch.least(float(main(at)), at, gap - 2 * rest, work)
    if float(wave(found.at)) < float(wave(at)):
        at = search(wave, box, inside(box, found.at)[None], polish)
    return End(float(wave(at)), at, found.bound - rest, found.work)


class Largest(NamedTuple):
    """The largest magnitude of a wave: proved, found, and the work the proof took (control values)."""

    proved: float
    found: float
    work: float


def largest(wave: Wave, box: Box, gap: float, work: float = WORK) -> Largest:
    """The largest magnitude of a wave; ``gap`` is a share of what is found."""
    if not wave.joints:
        return Largest(wave.most(box.reach), float(abs(wave.c.real.sum())), 0.0)
    crude, one = wave.most(box.reach), merged(wave, box)
    wave, box = one.wave, one.box
    starts = box.samples(256)
    values = wave(starts)
    top = int(np.abs(values).argmax())
    if crude <= (1 + gap) * abs(values[top]):
        return Largest(crude, float(abs(values[top])), 0.0)
    ends = [search(w, box, starts[np.argsort(sign * values)[:3]], polish=False) for sign, w in ((1, wave), (-1, -wave))]
    tried = np.stack([*ends, starts[top]])
    found = np.abs(wave(tried))
    at = tried[int(found.argmax())]
    allowed = max(gap * float(found.max()), 4 * wave.slack)
    main, rest = trimmed(wave, box, allowed / 4)
    if not main.joints:
        return Largest(abs(float(main.c.real.sum())) + rest + wave.slack, float(found.max()), 0.0)
    branch = Branch(None, [main], box)
    made = branch.least(-abs(float(main(at))), at, allowed - 2 * rest, work, -crude - rest)
    return Largest(min(crude, -made.bound + rest), max(float(found.max()), abs(float(wave(made.at)))), made.work)


def trimmed(wave: Wave, box: Box, amount: float) -> tuple[Wave, float]:
    """The wave without the fastest waves of joints that hardly matter, and a bound (at most ``amount``) on those."""
    weight = wave.size * np.prod(np.where(wave.p.any(axis=0), box.reach, 1.0)[None] ** wave.p, axis=1) * (1 + 1e-9)
    degree = np.abs(wave.k) + wave.p
    keep = np.ones(len(wave), bool)
    rest = 0.0
    while True:
        tops = degree[keep].max(axis=0, initial=0)
        rows = keep[:, None] & (degree == tops) & (tops > 0)
        loss = np.where(tops > 0, rows.T @ weight, np.inf)
        joint = int(np.argmin(loss))
        if not rest + loss[joint] <= amount:
            return (wave, 0.0) if rest == 0 else (wave.kept(keep), rest)
        rest += float(loss[joint])
        keep &= ~rows[:, joint]
