"""Two designs side by side: ranges of inertia and gravity load, also at the motor, coupling, masses, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..arm.description import ArmDescription
from ..bounds.ranges import Range
from ..equations import names
from .certified_ranges import CertifiedRanges
from .coupling import Coupling, coupling, moved_mass
from .tables import GravityRow, InertiaRow, load_tables

Row = TypeVar("Row", InertiaRow, GravityRow)
SAME = 1e-6
"""Changes below this share are rounding."""


@dataclass(frozen=True)
class Compared:
    """One figure of two designs; None where a design has no such joint, or no drive to refer the figure to.

    ``group`` is "mass", "inertia", "gravity", "coupling" or "motor". ``proved`` says that both figures come from ranges
    certified to their tolerance; a mass is what it is.
    """

    group: str
    name: str
    unit: str
    first: float | None
    second: float | None
    proved: bool = True

    @property
    def change(self) -> float | None:
        """Second over first less one; infinite where the first is zero and the second is not."""
        if self.first is None or self.second is None:
            return None
        if self.first:
            return self.second / self.first - 1
        return 0.0 if not self.second else float("inf")

    @property
    def changed(self) -> bool:
        """Whether the two differ by more than rounding."""
        return self.change is None or abs(self.change) > SAME


def compared(first: Sequence[CertifiedRanges], second: Sequence[CertifiedRanges]) -> tuple[Compared, ...]:
    """Two designs side by side, joint by joint in their order.

    Each is one system, or one with the hand empty and the same with a load, whose figures are then added.
    """
    tables = [load_tables(*side) for side in (first, second)]
    systems = [side[0].system for side in (first, second)]
    rows = masses(*systems)
    count = max(system.n for system in systems)
    for index in range(count):
        rows += inertia_rows([at(table.inertia, index) for table in tables])
    for index in range(count):
        rows += gravity_rows([at(table.gravity, index) for table in tables])
    return (*rows, *coupling_rows([side[0] for side in (first, second)]))


def at(rows: Sequence[Row], index: int) -> Row | None:
    """The row of a joint, or None where the design has no such joint."""
    return rows[index] if index < len(rows) else None


def masses(first: ArmDescription, second: ArmDescription) -> list[Compared]:
    """The mass that each joint moves."""
    moved_masses = [moved_mass(arm) for arm in (first, second)]
    rows = []
    for index in range(max(first.n, second.n)):
        first_mass, second_mass = (masses_[index] if index < len(masses_) else None for masses_ in moved_masses)
        rows.append(Compared("mass", f"mass moved by joint {index + 1}", "kg", first_mass, second_mass))
    return rows


def inertia_rows(rows: Sequence[InertiaRow | None]) -> list[Compared]:
    """The figures of D_ii."""
    present = next(row for row in rows if row is not None)
    certified = all(row.certified for row in rows if row is not None)
    name, unit = present.name, present.unit

    def line(figure: str, values: Sequence[float | None], unit: str = unit, group: str = "inertia") -> Compared:
        return Compared(group, f"{name} {figure}", unit, values[0], values[1], certified)

    lines = [
        line("least", [row.empty.minimum if row else None for row in rows]),
        line("greatest", [row.empty.maximum if row else None for row in rows]),
        line("greatest/least", [row.relative if row else None for row in rows], ""),
    ]
    if any(row is not None and row.loaded is not None for row in rows):
        lines.append(line("greatest with load", [loaded(row).maximum if row else None for row in rows]))
    if any(row is not None and row.empty_at_motor for row in rows):
        at_motors = [at_motor(row) for row in rows]
        lines.append(line("greatest at the motor", [x.maximum if x else None for x in at_motors], "kg m^2", "motor"))
    return lines


def gravity_rows(rows: Sequence[GravityRow | None]) -> list[Compared]:
    """The figures of G_i."""
    present = next(row for row in rows if row is not None)
    certified = all(row.certified for row in rows if row is not None)
    name, unit = present.name, present.unit

    def line(figure: str, values: Sequence[float | None], unit: str = unit, group: str = "gravity") -> Compared:
        return Compared(group, f"{name} {figure}", unit, values[0], values[1], certified)

    lines = [line("largest", [row.empty.largest if row else None for row in rows])]
    if any(row is not None and row.loaded is not None for row in rows):
        lines.append(line("largest with load", [loaded(row).largest if row else None for row in rows]))
    if any(row is not None and row.empty_at_motor for row in rows):
        at_motors = [at_motor(row) for row in rows]
        lines.append(line("largest at the motor", [x.largest if x else None for x in at_motors], "N m", "motor"))
    if any(row is not None and row.capacity for row in rows):
        shares = [row.share(loaded(row)) if row else None for row in rows]
        lines.append(line("share of what the drive gives", shares, "", "motor"))
    return lines


def loaded(row: InertiaRow | GravityRow) -> Range:
    """The range with the load where there is one."""
    return row.loaded if row.loaded is not None else row.empty


def at_motor(row: InertiaRow | GravityRow | None) -> Range | None:
    """The range at the motor shaft, with the load where there is one."""
    if row is None:
        return None
    return row.loaded_at_motor if row.loaded_at_motor is not None else row.empty_at_motor


def coupling_rows(designs: Sequence[CertifiedRanges]) -> list[Compared]:
    """The largest coupling of every pair that couples in either design."""
    couplings: list[dict[tuple[int, int], Coupling]] = []
    for design in designs:
        index = {name: k for k, name in enumerate(design.system.joint_names)}
        couplings.append({(index[pair_.first], index[pair_.second]): pair_ for pair_ in coupling(design)})
    rows = []
    for i, j in sorted({*couplings[0], *couplings[1]}):
        values = [
            pairs[i, j].largest if (i, j) in pairs else (0.0 if j < design.n else None)
            for design, pairs in zip(designs, couplings, strict=True)
        ]
        certified = all(pairs[i, j].certified for pairs in couplings if (i, j) in pairs)
        rows.append(Compared("coupling", f"k{names.name('D', (i, j))[1:]}", "", values[0], values[1], certified))
    return rows
