"""Inertia and load in ounces, inches and seconds, as Bejczy 1974 prints them beside SI units (Tables 1, 2, Appendix B).

The ounce is a force; a mass of one oz s^2/in is accelerated by it at one inch per second squared.
"""

from __future__ import annotations

from dataclasses import replace

from ..arm.errors import ArmError
from ..arm.units import factor_of
from ..bounds.ranges import Range
from .tables import GravityRow, InertiaRow, LoadTables, scaled

OUNCE, INCH = factor_of("oz"), factor_of("in")
"""An ounce force in N (the pound is defined as 0.45359237 kg, at the standard gravity), an inch in m."""
UNITS = {
    "m": (1 / INCH, "in"),
    "kg": (INCH / OUNCE, "oz s^2/in"),
    "kg m": (1 / OUNCE, "oz s^2"),
    "kg m^2": (1 / (OUNCE * INCH), "oz in s^2"),
    "N": (1 / OUNCE, "oz"),
    "N m": (1 / (OUNCE * INCH), "oz in"),
    "N s/m": (INCH / OUNCE, "oz s/in"),
    "N m s/rad": (1 / (OUNCE * INCH), "oz in s/rad"),
}
"""For each unit its measure in ounces and inches, and what that is called."""


def in_ounces(range_: Range) -> Range:
    """A range of inertia or load in ounces."""
    if range_.unit not in UNITS:
        refused = "ratios" if range_.unit == "1" else f"what is in {range_.unit}"
        raise ArmError(f"{range_.name}: inertias and loads can be given in ounces, not {refused}")
    factor, unit = UNITS[range_.unit]
    return scaled(range_, factor, unit)


def tables_in_ounces(tables: LoadTables) -> LoadTables:
    """Bejczy 1974, Tables 1 and 2, as he has them in brackets."""
    return replace(
        tables,
        inertia=tuple(inertia_in_ounces(row) for row in tables.inertia),
        gravity=tuple(gravity_in_ounces(row) for row in tables.gravity),
    )


def optional_in_ounces(range_: Range | None) -> Range | None:
    """A range in ounces, where there is one."""
    return None if range_ is None else in_ounces(range_)


def inertia_in_ounces(row: InertiaRow) -> InertiaRow:
    """One line of Table 1."""
    factor, unit = UNITS[row.unit]
    return replace(
        row, unit=unit, rotors=row.rotors * factor, empty=in_ounces(row.empty), loaded=optional_in_ounces(row.loaded),
        empty_at_motor=optional_in_ounces(row.empty_at_motor), loaded_at_motor=optional_in_ounces(row.loaded_at_motor),
    )  # fmt: skip


def gravity_in_ounces(row: GravityRow) -> GravityRow:
    """One line of Table 2."""
    factor, unit = UNITS[row.unit]
    stall, _ = UNITS[row.motor_unit]
    return replace(
        row, unit=unit, motor_unit=UNITS[row.motor_unit][1],
        stall_torque=None if row.stall_torque is None else row.stall_torque * stall,
        capacity=None if row.capacity is None else row.capacity * factor,
        empty=in_ounces(row.empty), loaded=optional_in_ounces(row.loaded),
        empty_at_motor=optional_in_ounces(row.empty_at_motor), loaded_at_motor=optional_in_ounces(row.loaded_at_motor),
    )  # fmt: skip
