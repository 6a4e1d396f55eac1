"""Certified ranges of a system's coefficients over one set of states, each worked out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from ..bounds.box import Box
from ..bounds.ranges import WORK, Range, range_of
from ..bounds.ratios import RATIO_WORK, ratio_range
from ..bounds.waves import Array, Wave
from ..equations.closed_form import Equations
from ..equations.names import expression_unit, name
from ..reduction.coefficient_waves import CoefficientWaves
from ..reduction.states import States
from ..systems.arm_system import ArmSystem
from .gravity_ranges import load_range

if TYPE_CHECKING:
    from .coupling import Coupling

SAMPLES = 2000


class CertifiedRanges:
    """The coefficients of one system as waves, and their ranges over the box of its states when asked for.

    ``gap`` is a share of each function's spread (1e-4 by default), ``work`` limits each end of each range (see
    ``range_of``), ``effort`` is the share of the usual work of proofs that come in great numbers, ``tell`` is called
    with what is being worked out. After an interrupt (Ctrl-C) all that was proved by then is kept: who asks again goes
    on from there.
    """

    def __init__(
        self, system: ArmSystem, states: States, gap: float | None = None, work: float | None = None,
        effort: float = 1.0, tell: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        if not 0 < effort <= 1:
            raise ArmError(f"effort is a share of the usual work, above 0 and at most 1; got {effort!r}")
        self.system, self.n, self.states, self.gap = system, system.n, states, gap
        self.work, self.effort = WORK if work is None else work, effort
        self.listener = tell
        """Who is called with what is being worked out."""
        self._equations: dict[str, Equations] = {}
        self._ranges: dict[str, Range] = {}
        self.proved_couplings: dict[tuple[int, int, float], Coupling] = {}
        """Those of two joints that are worked out, by the work that each proof was allowed."""
        self._sampled: dict[tuple[int, int], Array] = {}

    def tell(self, text: str) -> None:
        """Say what is being worked out, to whoever wants to know."""
        if self.listener is not None:
            self.listener(text)

    @property
    def box(self) -> Box:
        """The joint positions meant."""
        return self.states.box

    @cached_property
    def equations(self) -> Equations:
        """The closed form of the system, its parameters as numbers."""
        return self.equations_in("numbers")

    def equations_in(self, parameters: str) -> Equations:
        """The closed form with these parameters as symbols, derived once; ``system.equations`` says which there are."""
        if parameters not in self._equations:
            self._equations[parameters] = Equations(self.system, parameters)
        return self._equations[parameters]

    @cached_property
    def waves(self) -> CoefficientWaves:
        """The coefficients as Fourier series."""
        return CoefficientWaves(self.system, self.equations)

    @cached_property
    def samples(self) -> Array:
        """Positions from which searches start."""
        return self.box.samples(SAMPLES, 4)

    def sampled(self, i: int, j: int) -> Array:
        """D_ij at the samples."""
        key = min(i, j), max(i, j)
        if key not in self._sampled:
            self._sampled[key] = np.asarray(self.waves.inertia(*key)(self.samples))
        return self._sampled[key]

    def inertia(self, i: int, j: int) -> Range:
        """The range of D_ij."""
        i, j = min(i, j), max(i, j)
        return self.range_of_wave(name("D", (i, j)), self.waves.inertia(i, j))

    def gravity(self, i: int) -> Range:
        """The range of G_i."""
        label = name("G", (i,))
        if label not in self._ranges:
            wave = self.waves.gravity(i)
            self.tell(f"range of {label}")
            self._ranges[label] = load_range(
                self.waves, i, self.box, self._gap(wave), name=label, unit=self.waves.unit(label), work=self.work
            )
        return self._ranges[label]

    def range_of_wave(self, called: str, wave: Wave, unit: str | None = None) -> Range:
        """The range of a function of the positions under this name, worked out once."""
        if called not in self._ranges:
            self.tell(f"range of {called}")
            wave_unit = self.waves.unit(called) if unit is None else unit
            self._ranges[called] = range_of(
                wave, self.box, self._gap(wave), name=called, unit=wave_unit, work=self.work
            )
        return self._ranges[called]

    def ratio(self, called: str, top: Wave, bottom: Wave, denominator: Range | None = None) -> Range:
        """The range of a ratio of two functions of the positions under this name, worked out once; that of its
        ``denominator`` where it is known already.
        """
        if called not in self._ranges:
            self.tell(f"range of {called}")
            work = min(self.work, self.effort * RATIO_WORK)
            floor = denominator.lower if denominator is not None and denominator.lower > 0 else None
            self._ranges[called] = ratio_range(
                top, bottom, self.box, self.gap, name=called, unit=expression_unit(self.system, called), work=work,
                floor=floor,
            )  # fmt: skip
        return self._ranges[called]

    def certificate(self, path: str | Path, *names: str) -> Path:
        """Write the ranges of coefficients, sums and ratios as a file that ``dalembert check`` verifies by itself.

        Without ``names`` these are all D_ii and G_i.
        """
        from .range_certificate import write_range_certificate

        diagonal = [name(kind, index) for i in range(self.n) for kind, index in (("D", (i, i)), ("G", (i,)))]
        return write_range_certificate(path, [(self, expression) for expression in names or diagonal])

    def _gap(self, wave: Wave) -> float | None:
        """What a range may stay open by; None for the default share of its spread."""
        if self.gap is None or not wave.joints:
            return None
        values = wave(self.box.samples(512))
        return self.gap * max(float(values.max() - values.min()), 1e-9)
