"""Ranges of total inertia and gravity load at every joint: Bejczy 1974, Tables 1 and 2, Figure 3, for any system.

At the motor shafts D_a = N^-T D N^-1 and G_a = N^-T G; for a motor that turns with one joint alone these are D_ii over
the square of its ratio and G_i over the ratio.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from ..arm.description import ArmDescription
from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.motor_units import is_force
from ..arm.own_joints import own_joints
from ..bounds.ranges import Range
from ..bounds.waves import wave_of
from ..equations import names
from ..equations.polynomial import TrigPolynomial
from .certified_ranges import CertifiedRanges


class RowRanges:
    """The ranges of a line of the tables, of the hand empty and with a load, at the joint and at its motor."""

    empty: Range
    loaded: Range | None
    empty_at_motor: Range | None
    loaded_at_motor: Range | None

    @property
    def ranges(self) -> Mapping[str, Range]:
        """Those that there are: "" at the joint, "with load", "at the motor", "at the motor with load"."""
        known = {
            "": self.empty, "with load": self.loaded,
            "at the motor": self.empty_at_motor, "at the motor with load": self.loaded_at_motor,
        }  # fmt: skip
        return {case: range_ for case, range_ in known.items() if range_ is not None}

    @property
    def certified(self) -> bool:
        """Whether the ranges of the row are proved to their tolerance, those at the motor as well."""
        return all(range_.certified for range_ in self.ranges.values())


@dataclass(frozen=True, eq=False)
class InertiaRow(RowRanges):
    """One line of Table 1: the total inertia D_ii of a joint.

    ``rotors`` is the largest part of it that the rotors of the drives have, zero where they do not count. ``motor``
    names the motor of the joint; ``empty_at_motor`` and ``loaded_at_motor`` are what its shaft feels while the other
    motors are held (kg m^2), None where no transmission is known.
    """

    joint: str
    name: str
    unit: str
    rotors: float
    empty: Range
    loaded: Range | None
    motor: str = ""
    empty_at_motor: Range | None = None
    loaded_at_motor: Range | None = None

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


@dataclass(frozen=True, eq=False)
class GravityRow(RowRanges):
    """One line of Table 2: the gravity load G_i of a joint.

    ``capacity`` is what the drive can give at the joint (stall torque times gear ratio, else the effort limit);
    the ranges at the motor are as in ``InertiaRow``, in ``motor_unit``: N m, or N for a motor that is a force on its
    joint. ``gear_ratio`` is that of the motor that turns with this joint alone, None where there is none.
    """

    joint: str
    name: str
    unit: str
    stall_torque: float | None
    capacity: float | None
    empty: Range
    loaded: Range | None
    motor: str = ""
    empty_at_motor: Range | None = None
    loaded_at_motor: Range | None = None
    gear_ratio: float | None = None
    motor_unit: str = "N m"

    def share(self, which: Range | None) -> float | None:
        """The largest load as a share of what the drive can give."""
        return which.largest / self.capacity if which is not None and self.capacity else None


@dataclass(frozen=True, eq=False)
class LoadTables:
    """Total inertia and gravity load at all joints, of one system, or of it with the hand empty and with a load.

    ``drives`` says whether the rotors of the drives are in the inertia, ``interrupted`` that joints
    are missing: nothing more was asked.
    """

    arm: str
    load: str
    drives: bool
    inertia: tuple[InertiaRow, ...]
    gravity: tuple[GravityRow, ...]
    asked: tuple[CertifiedRanges, ...] = field(repr=False)
    interrupted: bool = False

    def certificate(self, path: str | Path) -> Path:
        """Write the ranges at the joints, of each system, as a file that ``dalembert check`` verifies by itself.

        Ranges at the motors follow from them by the ratios and have no claims of their own.
        """
        from .range_certificate import write_range_certificate

        return write_range_certificate(path, [(ranges, row.name) for ranges in self.asked for row in self.rows])

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

    def plot(self, library: str | None = None) -> Any:
        """The ranges of inertia and gravity load as bars: a figure of plotly, or of matplotlib.

        ``library`` names one of the two; without it plotly is taken where it is installed. Joints that slide have a
        panel of their own, in kg and N.
        """
        from ..markup.plots import Panel, Span, figure_of

        panels = []
        for title, rows in (("total inertia", self.inertia), ("gravity load", self.gravity)):
            for unit in dict.fromkeys(row.unit for row in rows):
                spans = []
                for row in (candidate for candidate in rows if candidate.unit == unit):
                    label = f"{row.joint} ({row.name})"
                    spans.append(
                        Span(label, row.empty.minimum, row.empty.maximum, "empty hand" if self.load else "range")
                    )
                    if row.loaded is not None:
                        spans.append(Span(label, row.loaded.minimum, row.loaded.maximum, f"with {self.load}"))
                panels.append(Panel(title, unit, spans=spans))
        try:
            return figure_of(f"Ranges of {self.arm}", panels, "", library)
        except (ImportError, ValueError) as fault:
            raise ArmError(str(fault)) from None

    def __repr__(self) -> str:
        load = f", with {self.load}" if self.load else ""
        return f"<LoadTables of {self.arm!r}: ranges of inertia and gravity load at {len(self.inertia)} joints{load}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .range_tables import gravity_table, inertia_table

        uncertified = self.uncertified
        verdict = (
            f"Searched, not proved: {', '.join(uncertified)}."
            if uncertified
            else "All ranges are proved to their tolerance."
        )
        return framed(heading(f"Ranges of {self.arm}"), inertia_table(self), gravity_table(self), note(verdict))


def load_tables(empty: CertifiedRanges, loaded: CertifiedRanges | None = None, *, partial: bool = False) -> LoadTables:
    """The ranges of D_ii and G_i of a system, and of the same system with a load beside it.

    With ``partial`` an interrupt (Ctrl-C) ends with the joints that are done, which the tables say; before there is one
    it is an interrupt.
    """
    system, interrupted = empty.system, False
    geared = transmission(system)
    rows: list[tuple[InertiaRow, GravityRow]] = []
    try:
        # from the hand to the base: the first joints move most links and take longest
        for index in reversed(range(system.n)):
            rows.append(joint_rows(empty, loaded, index, geared[index] if geared is not None else None))
    except KeyboardInterrupt:
        if not partial or not rows:
            raise
        interrupted = True
    load_text = payload(loaded.system) if loaded is not None else ""
    ranges = (empty,) if loaded is None else (empty, loaded)
    inertia, gravity = tuple(d for d, _ in reversed(rows)), tuple(g for _, g in reversed(rows))
    return LoadTables(system.name, load_text, system.counts_drives, inertia, gravity, ranges, interrupted)


def joint_rows(
    empty: CertifiedRanges, loaded: CertifiedRanges | None, index: int, geared: tuple[str, Sequence[Fraction]] | None
) -> tuple[InertiaRow, GravityRow]:
    """The lines of one joint, with its motor where there is one (``transmission``)."""
    system, joint = empty.system, empty.system.moving[index]
    d, g = names.name("D", (index, index)), names.name("G", (index,))
    motor, levers = geared or ("", None)
    pushes = geared is not None and is_force(system, system.drives.names.index(motor))
    mass, force = ("kg", "N") if pushes else ("kg m^2", "N m")
    rotors = empty.range_of_wave(f"rotors of {d}", empty.waves.rotors(index, index), "").largest
    inertia = InertiaRow(
        joint.name, d, names.coefficient_unit(system, d), rotors if system.counts_drives else 0.0,
        empty.inertia(index, index), loaded.inertia(index, index) if loaded is not None else None, motor,
        inertia_at_motor(empty, levers, mass), inertia_at_motor(loaded, levers, mass),
    )  # fmt: skip
    gravity = GravityRow(
        joint.name, g, names.coefficient_unit(system, g), stall_torque(system, joint.name),
        capacity(system, index), empty.gravity(index),
        loaded.gravity(index) if loaded is not None else None, motor,
        gravity_at_motor(empty, levers, force), gravity_at_motor(loaded, levers, force),
        gear_ratio(system, joint.name), force,
    )  # fmt: skip
    return inertia, gravity


def payload(arm: ArmDescription) -> str:
    """The masses that an arm holds, in words."""
    return ", ".join(f"{float(load.body.mass):g} kg" for _, load in arm.loads)


def transmission(arm: ArmDescription) -> list[tuple[str, list[Fraction]]] | None:
    """For each joint its motor and the column of N^-1 for it, exact; None where no ratio is known or it varies."""
    drives = arm.drives
    if not drives or drives.turns is not None or len(drives.actuators) != arm.n:
        return None
    rows = [[Fraction(x) for x in row] for row in drives.rows(arm)]
    if all(sum(map(bool, row)) == 1 and max(map(abs, row)) == 1 for row in rows):
        # Where no source gives a gear ratio the motors are taken to turn with their joints: nothing to refer to.
        return None
    own = own_joints([motor.ratios for motor in drives.actuators], {joint.name for joint in arm.all_moving})
    of_joint = {joint: motor for motor, joint in reversed(list(enumerate(own)))}
    left = iter(motor for motor in range(arm.n) if motor not in [of_joint.get(name) for name in arm.joint_names])
    motors = [of_joint[name] if name in of_joint else next(left) for name in arm.joint_names]
    inverse = fmpq_mat(arm.n, arm.n, [fmpq(x.numerator, x.denominator) for row in rows for x in row]).inv()
    columns = [[Fraction(int(x.p), int(x.q)) for x in (inverse[i, motor] for i in range(arm.n))] for motor in motors]
    return [(drives.names[motor], column) for motor, column in zip(motors, columns, strict=True)]


def inertia_at_motor(ranges: CertifiedRanges | None, levers: Sequence[Fraction] | None, unit: str) -> Range | None:
    """The range of a diagonal entry of N^-T D N^-1."""
    if ranges is None or levers is None:
        return None
    joints = [j for j, lever in enumerate(levers) if lever]
    if len(joints) == 1:
        return scaled(ranges.inertia(joints[0], joints[0]), float(levers[joints[0]] ** 2), unit)
    D = ranges.equations.mass_matrix
    return _at_motor(
        ranges, "inertia", levers, [D[i, j] * (levers[i] * levers[j]) for i in joints for j in joints], unit
    )


def gravity_at_motor(ranges: CertifiedRanges | None, levers: Sequence[Fraction] | None, unit: str) -> Range | None:
    """The range of an entry of N^-T G."""
    if ranges is None or levers is None:
        return None
    joints = [j for j, lever in enumerate(levers) if lever]
    if len(joints) == 1:
        return scaled(ranges.gravity(joints[0]), float(levers[joints[0]]), unit)
    return _at_motor(ranges, "gravity", levers, [ranges.equations.gravity[j] * levers[j] for j in joints], unit)


def _at_motor(
    ranges: CertifiedRanges, what: str, levers: Sequence[Fraction], parts: Sequence[TrigPolynomial], unit: str
) -> Range:
    """The range of a sum, added up exactly: motors that turn almost alike have large levers, whose parts cancel."""
    called = f"{what} at the motor ({', '.join(map(str, levers))})"
    return ranges.range_of_wave(called, wave_of(sum(parts[1:], start=parts[0])), unit)


def scaled(range_: Range, factor: float, unit: str) -> Range:
    """The range of the function times a number that ``factor`` is right to three units in the last place of.

    The proved ends are rounded outwards by more than that and the product lose.
    """
    ends = [(range_.minimum, range_.at_minimum, range_.lower), (range_.maximum, range_.at_maximum, range_.upper)]
    low, high = ends if factor > 0 else ends[::-1]
    lower, upper = low[2] * factor, high[2] * factor
    return replace(
        range_, unit=unit, minimum=low[0] * factor, maximum=high[0] * factor, at_minimum=low[1], at_maximum=high[1],
        lower=lower - 4 * float(np.spacing(abs(lower))), upper=upper + 4 * float(np.spacing(abs(upper))),
        tolerance=range_.tolerance * abs(factor) + 8 * float(np.spacing(abs(factor) * range_.bound)),
    )  # fmt: skip


def own_motor(arm: ArmDescription, joint: str) -> Actuator | None:
    """The motor that turns with this joint alone."""
    candidates = [actuator for actuator in arm.drives.actuators if [name for name, _ in actuator.ratios] == [joint]]
    return candidates[0] if len(candidates) == 1 else None


def stall_torque(arm: ArmDescription, joint: str) -> float | None:
    """The stall torque of the motor that turns with this joint alone, where it is known (N m)."""
    motor = own_motor(arm, joint)
    return None if motor is None else motor.stall_torque


def gear_ratio(arm: ArmDescription, joint: str) -> float | None:
    """The gear ratio of the motor that turns with this joint alone, where it is constant."""
    motor = own_motor(arm, joint)
    return None if motor is None or arm.drives.turns is not None else float(dict(motor.ratios)[joint])


def capacity(arm: ArmDescription, index: int) -> float | None:
    """Largest torque or force at a joint: stall torque through the gear, else the effort limit, where known."""
    joint = arm.moving[index]
    motor = own_motor(arm, joint.name)
    if motor is not None and motor.stall_torque is not None:
        return motor.stall_torque * abs(float(dict(motor.ratios)[joint.name]))
    return joint.limits.effort if joint.limits.effort < float("inf") else None
