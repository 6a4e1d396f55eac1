"""Certified ranges of an arm's coefficients over one box, each worked out once, however many questions need it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..arm.description import ArmDescription
from ..bounds.ranges import WORK, Range, range_of
from ..bounds.waves import Array, Wave
from ..equations.names import name
from ..reduction.coefficient_waves import ModelWaves, input_inertia
from ..reduction.states import box_of
from .gravity_ranges import load_range

SAMPLES = 2000


class Known:
    """The coefficients of one arm as waves, and their ranges when asked for.

    ``gap`` is a share of each function's spread (1e-4 by default), ``work`` limits each end of each proof (see
    ``range_of``), ``tell`` hears what is worked out.
    """

    def __init__(
        self, arm: ArmDescription, box: Mapping[str | int, tuple[float, float]] | None = None,
        gap: float | None = None, work: float | None = None, tell: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.arm, self.n, self.gap, self.tell = arm, arm.n, gap, tell or silent
        self.work = WORK if work is None else work
        self.box = box_of(arm, box)
        self.links = ModelWaves(arm)
        self.added = input_inertia(arm)
        self._ranges: dict[str, Range] = {}
        self._sampled: dict[tuple[int, int], Array] = {}

    @cached_property
    def samples(self) -> Array:
        """Positions from which searches start."""
        return self.box.samples(SAMPLES, 4)

    def sampled(self, i: int, j: int, drives: bool = False) -> Array:
        """D_ij at the samples."""
        key = min(i, j), max(i, j)
        if key not in self._sampled:
            self._sampled[key] = np.asarray(self.links.inertia(*key)(self.samples))
        return self._sampled[key] + (float(self.added[i]) if drives and i == j else 0.0)

    def inertia(self, i: int, j: int, drives: bool = False) -> Range:
        """The range of D_ij, with the input inertia on the diagonal where ``drives`` count."""
        i, j = min(i, j), max(i, j)
        found = self._range(name("D", (i, j)), self.links.inertia(i, j))
        return shifted(found, float(self.added[i])) if drives and i == j and self.added[i] else found

    def gravity(self, i: int) -> Range:
        """The range of G_i."""
        return self._range(name("G", (i,)), self.links.gravity(i), i)

    def _range(self, called: str, wave: Wave, gravity: int | None = None) -> Range:
        if called not in self._ranges:
            gap = None
            if self.gap is not None and wave.joints:
                values = wave(self.box.samples(512))
                gap = self.gap * max(float(values.max() - values.min()), 1e-9)
            self.tell(f"range of {called}")
            unit = self.links.unit(called)
            if gravity is None:
                self._ranges[called] = range_of(wave, self.box, gap, name=called, unit=unit, work=self.work)
            else:
                self._ranges[called] = load_range(
                    self.links, gravity, self.box, gap, name=called, unit=unit, work=self.work
                )
        return self._ranges[called]


def silent(_text: str) -> None:
    """Hears and says nothing."""


def shifted(one: Range, amount: float) -> Range:
    """The range of the function plus a constant; the proved ends are rounded outwards."""
    return replace(
        one,
        minimum=one.minimum + amount,
        maximum=one.maximum + amount,
        lower=float(np.nextafter(one.lower + amount, -np.inf)),
        upper=float(np.nextafter(one.upper + amount, np.inf)),
        tolerance=one.tolerance + 4 * float(np.spacing(max(abs(one.upper + amount), abs(one.lower + amount)))),
    )
