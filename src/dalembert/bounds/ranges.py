"""Certified ranges: the least and the greatest value of a function over a box.

Local search gives an attained value at each end, branch and bound over Bernstein forms (``branch.py``) a proved bound;
the reported gap is the difference of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .box import Box
from .branch import Branch, ProofError
from .merge import merged
from .search import inside, search
from .waves import OUTWARD, Array, Wave

WORK, LESS_WORK = 3.0e9, 1.0e8
"""Work limits (control values computed for one end of a range): about six seconds at most, or half a second where many
ranges are asked for."""
GAP = 1e-4
"""The default gap, as a fraction of the spread of sampled values."""


@dataclass(frozen=True, eq=False)
class Range:
    """The range of a function over a box.

    ``minimum`` and ``maximum`` are attained, at ``at_minimum`` and ``at_maximum`` (joints the function does not depend
    on stay at the centre of the box). ``lower`` and ``upper`` are proved bounds: no state gives a value outside them.
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

    def __post_init__(self) -> None:
        size = max(abs(x) for x in (self.minimum, self.maximum, self.lower, self.upper))
        if self.minimum < self.lower - 1e-9 * size or self.maximum > self.upper + 1e-9 * size:
            raise ProofError(
                f"{self.name or 'a function'} is found between {self.minimum:g} and {self.maximum:g} where "
                f"{self.lower:g} and {self.upper:g} were proved to be its limits: a fault of the proof, which is worth "
                "a report with the arm"
            )

    @property
    def gap(self) -> float:
        """The larger of the two differences between a proved bound and the attained value at the same end."""
        return max(self.minimum - self.lower, self.upper - self.maximum)

    @property
    def certified(self) -> bool:
        """Whether the gap is within the tolerance."""
        return bool(self.gap <= self.tolerance)

    @property
    def largest(self) -> float:
        """The largest magnitude attained."""
        return max(abs(self.minimum), abs(self.maximum))

    @property
    def bound(self) -> float:
        """The proved bound on the magnitude."""
        return max(abs(self.lower), abs(self.upper))

    @property
    def relative(self) -> float:
        """Maximum over minimum, as in Bejczy 1974, Table 1; infinite where the minimum is not above zero."""
        return self.maximum / self.minimum if self.minimum > 0 else float("inf")


def range_of(
    wave: Wave, box: Box, gap: float | None = None, *, name: str = "", unit: str = "", work: float = WORK
) -> Range:
    """The certified range of a wave; ``gap`` is the tolerance (1e-4 of the spread of values by default).

    ``work`` (control values, for each end) limits the proof; where it does not suffice ``Range.gap`` exceeds the
    tolerance and ``certified`` is False.
    """
    if gap is not None and not gap > 0:
        raise ArmError(f"the gap of a range must be above zero, not {gap!r}")
    if not wave.joints:
        value = float(wave.c.real.sum()) if len(wave) else 0.0
        off = wave.slack * wave.stretch(box.reach)
        return Range(name, unit, value, value, box.centre, box.centre, value - off, value + off,
                     gap or max(off, 1e-12 * abs(value)), 0, ())  # fmt: skip
    depends, merge = wave.joints, merged(wave, box)
    wave, box = merge.wave, merge.box
    starts = box.samples(512)
    values = wave(starts)
    if gap is None:
        gap = GAP * max(float(values.max() - values.min()), 1e-7 * wave.most(box.reach), 10 * wave.slack)
    low = least(wave, box, gap, starts[np.argsort(values)[:10]], work)
    high = least(-wave, box, gap, starts[np.argsort(-values)[:10]], work)
    return Range(
        name, unit, low.value, -high.value, merge.lifted(low.at), merge.lifted(high.at), low.bound, -high.bound, gap,
        low.work + high.work, depends,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class End:
    """One end of a range: the least value attained, its position, the proved lower bound, and the work used."""

    value: float
    at: NDArray[np.float64]
    bound: float
    work: float


def least(wave: Wave, box: Box, gap: float, starts: Array, work: float = WORK, polish: bool = True) -> End:
    """The least value of a wave, attained by local search and bounded by branch and bound."""
    at = search(wave, box, starts, polish)
    main, remainder = trimmed(wave, box, gap / 8)
    if not main.joints:
        value, off = float(main.c.real.sum()), wave.slack * wave.stretch(box.reach)
        return End(float(wave(at)), at, value - (OUTWARD - 1) * abs(value) - OUTWARD * (remainder + off), 0.0)
    # Local search is on the whole wave; the trimmed terms are accounted for in the bound.
    branch = Branch(main, (), box)
    certified = branch.least(float(main(at)), at, gap - 2 * remainder, work)
    if float(wave(certified.at)) < float(wave(at)):
        at = search(wave, box, inside(box, certified.at)[None], polish)
    return End(float(wave(at)), at, certified.bound - OUTWARD * remainder, certified.work)


class Largest(NamedTuple):
    """The largest magnitude of a wave: proved bound, attained value, and the work of the proof (control values)."""

    proved: float
    found: float
    work: float


def largest(wave: Wave, box: Box, gap: float, work: float = WORK) -> Largest:
    """The largest magnitude of a wave; ``gap`` is relative to the attained value."""
    if not wave.joints:
        return Largest(wave.most(box.reach), float(abs(wave.c.real.sum())), 0.0)
    crude, merge = wave.most(box.reach), merged(wave, box)
    wave, box = merge.wave, merge.box
    starts = box.samples(256)
    values = wave(starts)
    top = int(np.abs(values).argmax())
    if crude <= (1 + gap) * abs(values[top]):
        return Largest(crude, float(abs(values[top])), 0.0)
    ends = [search(w, box, starts[np.argsort(sign * values)[:3]], polish=False) for sign, w in ((1, wave), (-1, -wave))]
    candidates = np.stack([*ends, starts[top]])
    sizes = np.abs(wave(candidates))
    at = candidates[int(sizes.argmax())]
    allowed = max(gap * float(sizes.max()), 4 * wave.slack)
    main, remainder = trimmed(wave, box, allowed / 4)
    if not main.joints:
        return Largest(OUTWARD * (main.most(box.reach) + remainder), float(sizes.max()), 0.0)
    branch = Branch(None, [main], box)
    proof = branch.least(-abs(float(main(at))), at, allowed - 2 * remainder, work, -crude - remainder)
    return Largest(
        min(crude, OUTWARD * (-proof.bound + remainder)),
        max(float(sizes.max()), abs(float(wave(proof.at)))),
        proof.work,
    )


def trimmed(wave: Wave, box: Box, amount: float) -> tuple[Wave, float]:
    """The wave without its highest harmonics in the joints that matter least, and a bound on what was removed.

    Harmonics are removed while the sum of their moduli is at most ``amount``.
    """
    weight = wave.size * np.prod(np.where(wave.p.any(axis=0), box.reach, 1.0)[None] ** wave.p, axis=1) * (1 + 1e-9)
    degree = np.abs(wave.k) + wave.p
    keep = np.ones(len(wave), bool)
    removed = 0.0
    while True:
        degrees = degree[keep].max(axis=0, initial=0)
        highest = keep[:, None] & (degree == degrees) & (degrees > 0)
        loss = np.where(degrees > 0, highest.T @ weight, np.inf)
        joint = int(np.argmin(loss))
        if not removed + loss[joint] <= amount:
            return (wave, 0.0) if removed == 0 else (wave.kept(keep), removed)
        removed += float(loss[joint])
        keep &= ~highest[:, joint]
