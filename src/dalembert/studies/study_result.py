"""What a study found: every design with its outputs, and what follows from all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..markup.data_tables import DataTable
from .factors import Factor
from .sensitivity_indices import (
    MorrisEffect,
    SobolIndex,
    ToleranceBudget,
    check_column,
    morris_effects,
    pareto_front,
    sobol_indices,
    tolerance_budget,
)
from .study_files import Columns, checked_path, save_table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StudyResult:
    """Designs ``(count, factors)``, values of the outputs ``(count, outputs)``, and why a design has none."""

    name: str
    factors: tuple[Factor, ...]
    units: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    designs: Array
    values: Array
    failures: tuple[str, ...]
    design: str
    samples: int
    seed: int

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if len(self.failed) else ""
        return (
            f"<StudyResult {self.name!r}: {len(self)} designs of {len(self.factors)} factors, "
            f"{len(self.outputs)} outputs{failed}>"
        )

    def __len__(self) -> int:
        return len(self.designs)

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .study_tables import failure_table, summary_table

        failed = failure_table(self)
        return framed(heading(repr(self)[1:-1]), summary_table(self), *([failed] if failed is not None else []),
                      note("" if failed is None else "Designs that failed have no outputs."))  # fmt: skip

    @property
    def columns(self) -> Columns:
        """All factors, then all outputs, with their units."""
        factor_columns: Columns = {
            factor.name: (unit, self.designs[:, k])
            for k, (factor, unit) in enumerate(zip(self.factors, self.units, strict=True))
        }
        return factor_columns | {name: (unit, self.values[:, k]) for k, (name, unit) in enumerate(self.outputs)}

    def column(self, name: str) -> Array:
        """The values of a factor or an output."""
        columns = self.columns
        check_column(name, list(columns))
        return columns[name][1]

    @property
    def failed(self) -> NDArray[np.intp]:
        """Rows of the designs without outputs."""
        return np.flatnonzero([bool(failure) for failure in self.failures])

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """Why designs failed, and how many did for each reason, most first."""
        return tuple(Counter(failure for failure in self.failures if failure).most_common())

    def save(self, path: str | Path) -> None:
        """Write all columns as .parquet or .csv."""
        save_table(checked_path(path), self.columns, self.failures, "")

    def sobol(self, output: str, resamples: int = 200) -> tuple[SobolIndex, ...]:
        """Sobol indices of an output, with 95 percent intervals; of a "saltelli" study."""
        return sobol_indices(self, output, resamples)

    def morris(self, output: str) -> tuple[MorrisEffect, ...]:
        """Elementary effects on an output; of a "morris" study."""
        return morris_effects(self, output)

    def pareto(self, goals: Mapping[str, str]) -> NDArray[np.intp]:
        """Rows of the designs on the Pareto front of goals such as {"energy": "least", "cycle_time": "least"}."""
        return pareto_front(self, goals)

    def budget(self, output: str, allowed: float | None = None) -> ToleranceBudget:
        """Which factor makes how much of the spread of an output, and what spread each may have."""
        return tolerance_budget(self, output, allowed)

    def table(self) -> DataTable:
        """Least, mean, spread and most of every output."""
        from .study_tables import summary_table

        return summary_table(self)
