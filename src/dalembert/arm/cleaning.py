"""Numbers that are zero, or a multiple of 15 degrees, but for rounding: found, told, and taken as such when asked.

Exports of CAD programs hold lengths of 1e-17 m, angles of 1.5e-11 rad and products of inertia of 4.6e-13 kg m^2, the
remains of their floating-point arithmetic. They change no torque that anybody can measure, but each of them is one
more term in every closed form.

Small is small beside something: a length beside the reach of the arm, a product of inertia beside the largest moment
of its own link, both about the mass centre. Masses and moments of inertia are never touched.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Generic, TypeVar

from .axes import turned
from .description import ArmDescription, Joint
from .errors import ArmError, RoundedWarning, caller_level
from .exact import Angle
from .inertia import Inertia
from .placement import Matrix, Placement, Step

HINT = 1e-9
"""Relative size below which a number of a file is probably meant to be zero."""
LARGEST = 0.01
FIFTEEN = math.pi / 12
Description = TypeVar("Description", bound=ArmDescription)


@dataclass(frozen=True)
class Cleaning(Generic[Description]):
    """An arm with such numbers taken as meant, and the sizes of the changes: angles (rad), lengths (m), products of
    inertia (kg m^2)."""

    arm: Description
    angles: tuple[float, ...] = ()
    lengths: tuple[float, ...] = ()
    products: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.angles or self.lengths or self.products)

    def __str__(self) -> str:
        kinds = (
            (self.angles, "an angle", "angles", "rad"),
            (self.lengths, "a length", "lengths", "m"),
            (self.products, "a product of inertia", "products of inertia", "kg m^2"),
        )
        return ", ".join(
            f"{singular} by {sizes[0]:.2g} {unit}"
            if len(sizes) == 1
            else f"{len(sizes)} {plural} by up to {max(sizes):.2g} {unit}"
            for sizes, singular, plural, unit in kinds
            if sizes
        )


def clean(arm: Description, tolerance: float) -> Description:
    """The arm with what is zero, or a multiple of 15 degrees, within ``tolerance`` taken as such; a warning says so."""
    cleaned = cleaning(arm, tolerance)
    if cleaned:
        warnings.warn(f"{arm.where}{arm.name} is cleaned: {cleaned}", RoundedWarning, caller_level())
    return cleaned.arm


def hint(arm: ArmDescription) -> None:
    """One warning where cleaning would change the arm."""
    cleaned = cleaning(arm, HINT)
    if cleaned:
        warnings.warn(
            f"{arm.where}{arm.name} is off round numbers by what looks like rounding, {cleaned}; used as given, and "
            f"clean={HINT:g} (--clean {HINT:g}) takes them off",
            RoundedWarning,
            caller_level(),
        )


def cleaning(arm: Description, tolerance: float) -> Cleaning[Description]:
    """What ``clean`` does: angles within ``tolerance`` rad, lengths and products of inertia within their share."""
    if not 0 <= tolerance <= LARGEST:
        raise ArmError(f"clean is a share such as 1e-9, from 0 to {LARGEST:g}; got {tolerance}")
    work = _Cleaner(tolerance, tolerance * reach(arm))
    joints = tuple(work.joint(joint) for joint in arm.joints)
    links = tuple(replace(link, inertia=work.inertia(link.inertia)) for link in arm.links)
    tool = work.placement(arm.tool)
    if not (work.angles or work.lengths or work.products):
        return Cleaning(arm)
    changed = replace(arm, joints=joints, links=links, tool=tool)
    return Cleaning(changed, tuple(work.angles), tuple(work.lengths), tuple(work.products))


def reach(arm: ArmDescription) -> float:
    """Length of the longest path of frames from the base to a link's mass centre (m)."""
    distance = {arm.base: 0.0}
    for joint in arm.joints:
        step = sum(math.hypot(*placement.position) for placement in (joint.before, joint.after))
        distance[joint.child] = distance[joint.parent] + step
    return max(distance[link.name] + math.hypot(*link.inertia.com) for link in arm.links)


@dataclass
class _Cleaner:
    """Cleans part by part and keeps account."""

    tolerance: float
    length: float
    angles: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    products: list[float] = field(default_factory=list)

    def joint(self, joint: Joint) -> Joint:
        return replace(joint, before=self.placement(joint.before), after=self.placement(joint.after))

    def placement(self, placement: Placement) -> Placement:
        steps: list[Step] = []
        run: list[Step] = []
        for step in placement.steps:
            if isinstance(step.amount, Angle):
                run.append(step)
                continue
            steps += [*self.rotations(run), replace(step, amount=self.size(step.amount))]
            run = []
        return Placement.of(*steps, *self.rotations(run))

    def rotations(self, run: list[Step]) -> list[Step]:
        """Consecutive rotations; near a pitch of 90 degrees their product can be round while roll and yaw are not."""
        cleaned = [self.rotation(step) for step in run]
        if len(run) > 1 and not any(step.name for step in run) and any(_slanted(step) for step in cleaned):
            matrix = Placement(tuple(cleaned)).rotation
            rounded: Matrix = tuple(tuple(Fraction(round(x)) for x in row) for row in matrix)  # type: ignore[assignment]
            error = max(
                abs(float(x - y)) for a, b in zip(matrix, rounded, strict=True) for x, y in zip(a, b, strict=True)
            )
            if error <= self.tolerance:
                self.angles.append(error)
                return list(turned(rounded).steps)
        return cleaned

    def rotation(self, step: Step) -> Step:
        assert isinstance(step.amount, Angle)
        count = round(step.amount.radians / FIFTEEN)
        meant = Angle.degrees(15 * count)
        error = math.hypot(step.amount.cos - meant.cos, step.amount.sin - meant.sin)
        if not error or error > self.tolerance:
            return step
        self.angles.append(error)
        return replace(step, amount=meant)

    def size(self, length: Fraction) -> Fraction:
        if not length or abs(length) > self.length:
            return length
        self.lengths.append(abs(float(length)))
        return Fraction(0)

    def inertia(self, body: Inertia) -> Inertia:
        if not body.mass:
            return body
        changes_before = len(self.lengths) + len(self.products)
        central, com = body.central, tuple(self.size(c) for c in body.com)
        largest = max(abs(float(central[i][i])) for i in range(3))
        rows = [list(row) for row in central]
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if central[i][j] and abs(float(central[i][j])) <= self.tolerance * largest:
                self.products.append(abs(float(central[i][j])))
                rows[i][j] = rows[j][i] = Fraction(0)
        unchanged = len(self.lengths) + len(self.products) == changes_before
        return body if unchanged else Inertia.of(body.mass, com, rows)


def _slanted(step: Step) -> bool:
    """Whether a rotation is by other than right angles."""
    return isinstance(step.amount, Angle) and step.amount.cos.denominator > 1
