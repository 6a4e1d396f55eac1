"""A number of a description by its name: what it is now, and which values it may have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from .errors import ArmError
from .exact import Angle, exact
from .inertia import ENTRIES, Inertia
from .io.toml_table import nearest
from .placement import Placement, Step

AXES = "xyz"
Changes: TypeAlias = Mapping[str, Any]
"""New values by the last part of their names."""


@dataclass(frozen=True)
class DescriptionNumber:
    """One number: its name, unit and present value; ``least`` is the smallest value that it may have.

    It may not be below the numbers that ``not_below`` names. ``is_angle``: it enters by its sine and cosine;
    ``moves`` is False for one that no function of the motion depends on, such as a limit; ``of_real_body`` is an entry
    of an inertia that some real body must have.
    """

    name: str
    unit: str
    value: Fraction
    least: float = -math.inf
    nonzero: bool = False
    is_angle: bool = False
    moves: bool = True
    not_below: tuple[str, ...] = ()
    of_real_body: bool = False

    def fault(self, value: float) -> str:
        """Why the number cannot have this value, or an empty string."""
        if not math.isfinite(value):
            return f"{self.name} is no finite number"
        if value < self.least:
            return f"{self.name} is below {self.least:g} {self.unit}, the least that it can be"
        if self.nonzero and value == 0:
            return f"{self.name} is zero; what it drives would not move"
        return ""


Route: TypeAlias = tuple[str, str, str]
"""Kind of part, name of the part (which may have dots in it), and what of it: where a number is changed."""
Named: TypeAlias = Iterator[tuple[DescriptionNumber, Route]]


def body_numbers(prefix: str, inertia: Inertia, kind: str, part: str, key_prefix: str = "", real: bool = True) -> Named:
    """Mass, mass centre, and inertia about it in the axes of its frame; ``real``: what no body can have is refused."""
    yield DescriptionNumber(f"{prefix}.mass", "kg", inertia.mass, 0.0), (kind, part, f"{key_prefix}mass")
    for axis, value in zip(AXES, inertia.com, strict=True):
        yield DescriptionNumber(f"{prefix}.com.{axis}", "m", value), (kind, part, f"{key_prefix}com.{axis}")
    for name, i, j in ENTRIES:
        value = inertia.central[i][j]
        least = 0.0 if i == j and value >= 0 else -math.inf
        yield (
            DescriptionNumber(f"{prefix}.inertia.{name}", "kg m^2", value, least, of_real_body=real),
            (kind, part, f"{key_prefix}inertia.{name}"),
        )


def changed_body(inertia: Inertia, changes: Changes, key_prefix: str = "") -> tuple[Any, list[Any], list[list[Any]]]:
    """Mass, mass centre and inertia about it, with changes in."""
    centre = [changes.get(f"{key_prefix}com.{axis}", value) for axis, value in zip(AXES, inertia.com, strict=True)]
    tensor: list[list[Any]] = [list(row) for row in inertia.central]
    for name, i, j in ENTRIES:
        if f"{key_prefix}inertia.{name}" in changes:
            tensor[i][j] = tensor[j][i] = changes[f"{key_prefix}inertia.{name}"]
    return changes.get(f"{key_prefix}mass", inertia.mass), centre, tensor


def changed_vector(vector: Any, changes: Changes, key_prefix: str = "") -> tuple[Any, ...]:
    """Three numbers with changes in."""
    return tuple(changes.get(f"{key_prefix}{axis}", value) for axis, value in zip(AXES, vector, strict=True))


def vector_numbers(prefix: str, unit: str, vector: Any, kind: str, part: str, key_prefix: str = "") -> Named:
    """Three numbers along x, y, z."""
    for axis, value in zip(AXES, vector, strict=True):
        yield DescriptionNumber(f"{prefix}.{axis}", unit, value), (kind, part, f"{key_prefix}{axis}")


def placement_numbers(prefix: str, placement: Placement, kind: str, part: str, key_prefix: str = "") -> Named:
    """Origin of a frame, and a turn about its own axes, which is zero now."""
    yield from vector_numbers(prefix, "m", placement.position, kind, part, key_prefix)
    for axis in AXES:
        number = DescriptionNumber(f"{prefix}.r{axis}", "rad", exact(0), is_angle=True)
        yield number, (kind, part, f"{key_prefix}r{axis}")


def changed_placement(placement: Placement, changes: Changes, what: str, key_prefix: str = "") -> Placement:
    """The placement with another origin, in the frame that it stands in, and turned about its own axes."""
    shifts = [
        Step("translate", k, exact(changes[f"{key_prefix}{axis}"], what) - placement.position[k])
        for k, axis in enumerate(AXES)
        if f"{key_prefix}{axis}" in changes
    ]
    turns = [
        Step("rotate", k, Angle.of(changes[f"{key_prefix}r{axis}"], what))
        for k, axis in enumerate(AXES)
        if f"{key_prefix}r{axis}" in changes
    ]
    return Placement.of(*shifts) @ placement @ Placement.of(*turns)


def by_route(routes: Mapping[str, tuple[DescriptionNumber, Route]], values: Changes) -> dict[tuple[str, str], Any]:
    """New values gathered by the parts that they belong to."""
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in values.items():
        kind, part_name, key = routes[name][1]
        parts.setdefault((kind, part_name), {})[key] = value
    return parts


def refuse_unknown(who: str, name: str, known: Mapping[str, object], why: str, examples: str) -> None:
    """Refuse a name that no number has."""
    if name not in known:
        raise ArmError(
            f"{who}: there is no number {name!r:.80}{nearest(name, list(known))}{why}; they are named as {examples}"
        )
