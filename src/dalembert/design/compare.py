"""Two designs side by side: ranges of inertia and gravity load, also at the motor, coupling, masses, what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from ..arm.description import ArmDescription
from ..arm.inertia import Load
from ..bounds.ranges import LESS_WORK, Range
from ..equations import names
from .certified_ranges import Known
from .coupling import Coupling, coupling, moved_mass
from .tables import GravityRow, InertiaRow, load_tables

Limits: TypeAlias = Mapping[str | int, tuple[float, float]]
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
        return self.change is None or abs(self.change) > SAME


def compared(
    first: ArmDescription, second: ArmDescription, *, box: Limits | None = None, load: Load | None = None,
    known: Known | None = None,
) -> tuple[Compared, ...]:  # fmt: skip
    """Two designs side by side, joint by joint in their order; ``load`` adds the figures with it in both hands.

    ``box`` is by joint: names that only one of the arms has count for that one. ``known`` holds ranges of the first arm
    over the box.
    """
    boxes = [{key: ends for key, ends in (box or {}).items() if belongs(arm, key)} for arm in (first, second)]
    books = [known or Known(first, boxes[0], work=LESS_WORK), Known(second, boxes[1], work=LESS_WORK)]
    tables = [load_tables(arm, load, own, known=book)
              for arm, own, book in zip((first, second), boxes, books, strict=True)]  # fmt: skip
    found = masses(first, second)
    count = max(first.n, second.n)
    for index in range(count):
        found += inertia_rows([at(table.inertia, index) for table in tables])
    for index in range(count):
        found += gravity_rows([at(table.gravity, index) for table in tables])
    return (*found, *coupling_rows(first, second, books))


def belongs(arm: ArmDescription, key: str | int) -> bool:
    return key in arm.joint_names if isinstance(key, str) else -arm.n <= key < arm.n


def at(rows: Sequence[Row], index: int) -> Row | None:
    return rows[index] if index < len(rows) else None


def masses(first: ArmDescription, second: ArmDescription) -> list[Compared]:
    """The mass that each joint moves."""
    moved = [moved_mass(arm) for arm in (first, second)]
    found = []
    for index in range(max(first.n, second.n)):
        own, other = (each[index] if index < len(each) else None for each in moved)
        found.append(Compared("mass", f"mass moved by joint {index + 1}", "kg", own, other))
    return found


def inertia_rows(rows: Sequence[InertiaRow | None]) -> list[Compared]:
    """What is told of D_ii."""
    known = next(row for row in rows if row is not None)
    sure = all(row.certified for row in rows if row is not None)
    name, unit = known.name, known.unit

    def line(what: str, values: Sequence[float | None], unit: str = unit, group: str = "inertia") -> Compared:
        return Compared(group, f"{name} {what}", unit, values[0], values[1], sure)

    found = [
        line("least", [row.empty.minimum if row else None for row in rows]),
        line("greatest", [row.empty.maximum if row else None for row in rows]),
        line("greatest/least", [row.relative if row else None for row in rows], ""),
    ]
    if any(row is not None and row.loaded is not None for row in rows):
        found.append(line("greatest with load", [loaded(row).maximum if row else None for row in rows]))
    if any(row is not None and row.gear_ratio for row in rows):
        most = [row.at_motor(loaded(row).maximum) if row else None for row in rows]
        found.append(line("greatest at the motor", most, group="motor"))
    return found


def gravity_rows(rows: Sequence[GravityRow | None]) -> list[Compared]:
    """What is told of G_i."""
    known = next(row for row in rows if row is not None)
    sure = all(row.certified for row in rows if row is not None)
    name, unit = known.name, known.unit

    def line(what: str, values: Sequence[float | None], unit: str = unit, group: str = "gravity") -> Compared:
        return Compared(group, f"{name} {what}", unit, values[0], values[1], sure)

    found = [line("largest", [row.empty.largest if row else None for row in rows])]
    if any(row is not None and row.loaded is not None for row in rows):
        found.append(line("largest with load", [loaded(row).largest if row else None for row in rows]))
    if any(row is not None and row.gear_ratio for row in rows):
        most = [row.at_motor(loaded(row).largest) if row else None for row in rows]
        found.append(line("largest at the motor", most, group="motor"))
    if any(row is not None and row.capacity for row in rows):
        shares = [row.share(loaded(row)) if row else None for row in rows]
        found.append(line("share of what the drive gives", shares, "", "motor"))
    return found


def loaded(row: InertiaRow | GravityRow) -> Range:
    """The range with the load where there is one."""
    return row.loaded if row.loaded is not None else row.empty


def coupling_rows(first: ArmDescription, second: ArmDescription, books: Sequence[Known]) -> list[Compared]:
    """The largest coupling of every pair that couples in either design."""
    found: list[dict[tuple[int, int], Coupling]] = []
    for arm, book in zip((first, second), books, strict=True):
        place = {name: index for index, name in enumerate(arm.joint_names)}
        found.append({(place[one.first], place[one.second]): one for one in coupling(arm, known=book)})
    rows = []
    for i, j in sorted({*found[0], *found[1]}):
        values = [
            pairs[i, j].largest if (i, j) in pairs else (0.0 if j < arm.n else None)
            for arm, pairs in zip((first, second), found, strict=True)
        ]
        sure = all(pairs[i, j].certified for pairs in found if (i, j) in pairs)
        rows.append(Compared("coupling", f"k{names.name('D', (i, j))[1:]}", "", values[0], values[1], sure))
    return rows
