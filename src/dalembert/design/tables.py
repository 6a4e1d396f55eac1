"""Ranges of total inertia and gravity load at every joint: Bejczy 1974, Tables 1 and 2, Figure 3, for any arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..arm.description import ArmDescription, Joint
from ..arm.inertia import Load
from ..bounds.ranges import Range
from ..equations import names
from ..equations.names import coefficient_unit
from .certified_ranges import Known


@dataclass(frozen=True, eq=False)
class InertiaRow:
    """One line of Table 1: the total inertia D_ii of a joint, its input inertia included."""

    joint: str
    name: str
    unit: str
    input_inertia: float
    gear_ratio: float | None
    empty: Range
    loaded: Range | None

    @property
    def certified(self) -> bool:
        return certified(self)

    @property
    def relative(self) -> float:
        """Maximum over minimum without load."""
        return self.empty.relative

    @property
    def relative_loaded(self) -> float | None:
        """Maximum with load over minimum without, as in Bejczy 1974, Table 1."""
        if self.loaded is None:
            return None
        return self.loaded.maximum / self.empty.minimum if self.empty.minimum > 0 else float("inf")

    def at_motor(self, value: float) -> float | None:
        """An inertia of this row as the motor shaft feels it: over the square of the gear ratio."""
        return value / self.gear_ratio**2 if self.gear_ratio else None


@dataclass(frozen=True, eq=False)
class GravityRow:
    """One line of Table 2: the gravity load G_i of a joint.

    ``capacity`` is what the drive can give at the joint (stall torque times gear ratio, else the effort limit).
    """

    joint: str
    name: str
    unit: str
    gear_ratio: float | None
    stall_torque: float | None
    capacity: float | None
    empty: Range
    loaded: Range | None

    @property
    def certified(self) -> bool:
        return certified(self)

    def at_motor(self, value: float) -> float | None:
        """A load of this row as the motor shaft feels it: over the gear ratio."""
        return value / abs(self.gear_ratio) if self.gear_ratio else None

    def share(self, which: Range | None) -> float | None:
        """The largest load as a share of what the drive can give."""
        return which.largest / self.capacity if which is not None and self.capacity else None


@dataclass(frozen=True, eq=False)
class LoadTables:
    """Total inertia and gravity load at all joints, without and with a load."""

    arm: str
    load: str
    inertia: tuple[InertiaRow, ...]
    gravity: tuple[GravityRow, ...]

    @property
    def rows(self) -> tuple[InertiaRow | GravityRow, ...]:
        """All rows, inertia first."""
        return (*self.inertia, *self.gravity)

    @property
    def uncertified(self) -> tuple[str, ...]:
        """The coefficients whose ranges were searched but not proved to the tolerance."""
        return tuple(row.name for row in self.rows if not row.certified)

    @property
    def figure(self) -> tuple[tuple[str, float, float, float | None], ...]:
        """Figure 3: per joint 1, maximum over minimum without load, and the same with load."""
        return tuple((row.name, 1.0, row.relative, row.relative_loaded) for row in self.inertia)


def load_tables(
    arm: ArmDescription,
    load: Load | None = None,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    gap: float | None = None,
    work: float | None = None,
    known: Known | None = None,
) -> LoadTables:
    """The ranges of D_ii (with input inertia) and G_i over the joint limits or ``box``, certified to ``gap``.

    ``gap`` is a share of each function's spread (1e-4 by default). ``work`` limits each end (see ``range_of``); a range
    still open then has ``certified`` False, its proved ends wider than its attained ones. ``known`` holds ranges of
    the arm with its hand empty over this box.
    """
    bare = arm.holding(None) if load is not None else arm
    empty = known if known is not None and known.arm == bare else Known(bare, box, gap, work)
    loaded = Known(arm.holding(load), box, gap, empty.work) if load is not None else None
    rows_d, rows_g = [], []
    for index, joint in enumerate(arm.moving):
        gear = joint.drive.gear_ratio if joint.drive is not None else None
        d, g = names.name("D", (index, index)), names.name("G", (index,))
        rows_d.append(
            InertiaRow(
                joint.name, d, coefficient_unit(arm, d), float(empty.added[index]), gear,
                empty.inertia(index, index, True),
                loaded.inertia(index, index, True) if loaded is not None else None,
            )
        )  # fmt: skip
        stall = joint.drive.stall_torque if joint.drive is not None else None
        rows_g.append(
            GravityRow(
                joint.name, g, coefficient_unit(arm, g), gear, stall, capacity(joint), empty.gravity(index),
                loaded.gravity(index) if loaded is not None else None,
            )
        )  # fmt: skip
    said = f"{float(load.body.mass):g} kg" if load is not None else ""
    return LoadTables(arm.name, said, tuple(rows_d), tuple(rows_g))


def certified(row: InertiaRow | GravityRow) -> bool:
    """Whether the ranges of a row are proved to their tolerance."""
    return row.empty.certified and (row.loaded is None or row.loaded.certified)


def capacity(joint: Joint) -> float | None:
    """Largest torque or force at the joint: stall torque through the gear, else the effort limit, where known."""
    drive = joint.drive
    if drive is not None and drive.stall_torque is not None:
        return drive.stall_torque * abs(drive.gear_ratio or 1.0)
    return joint.limits.effort if joint.limits.effort < float("inf") else None
