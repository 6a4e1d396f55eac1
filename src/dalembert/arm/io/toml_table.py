"""A table of an arm file, read key by key; every error names the file, the table, the key and the remedy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction

from ..description import listed
from ..errors import ArmError
from ..exact import Angle
from ..placement import Placement, Step, Vector
from .angle_reading import AngleReading
from .expression import angle, quantity, shown

ZERO: Vector = (Fraction(0), Fraction(0), Fraction(0))


def nearest(word: str, words: Sequence[str]) -> str:
    """A hint at the most similar valid word, or an empty string."""
    # A long word is no typing error, and the comparison costs the square of its length.
    close = get_close_matches(word, words, n=1) if len(word) < 100 else []
    return f" (did you mean {close[0]!r}?)" if close else ""


@dataclass(frozen=True)
class TomlTable:
    """The values of a table and its name in error messages, for example ``arm.toml: joint 'elbow'``."""

    values: Mapping[str, object]
    where: str
    reading: AngleReading = field(default_factory=AngleReading)
    """How angles are read; shared by all tables of a file."""

    @classmethod
    def of(cls, value: object, where: str, keys: Sequence[str], reading: AngleReading | None = None) -> TomlTable:
        """The table ``value`` with no keys but ``keys``; angles as written unless ``reading`` says otherwise."""
        if not isinstance(value, Mapping):
            raise ArmError(f"{where} must be a table with keys such as {listed(keys[:3])}; got {shown(value)}")
        for key in value:
            if key not in keys:
                raise ArmError(f"{where}: unknown key {shown(key)}{nearest(key, keys)}; the keys are {listed(keys)}")
        return cls(value, where, reading or AngleReading())

    def called(self, where: str) -> TomlTable:
        """The same table with another name in error messages."""
        return replace(self, where=where)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def fault(self, sentence: str) -> ArmError:
        """The error for this table."""
        return ArmError(f"{self.where}: {sentence}")

    def needed(self, key: str) -> object:
        """The value of a required key."""
        if key not in self.values:
            raise self.fault(f"{key} is missing; give it")
        return self.values[key]

    def text(self, key: str, default: str | None = None) -> str:
        """A string; required and not empty if there is no default."""
        if default is not None and key not in self.values:
            return default
        value = self.needed(key)
        if not isinstance(value, str) or (default is None and not value):
            raise self.fault(f"{key} must be a string in quotes, got {shown(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings, empty where the key is absent."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fault(f"{key} must be a list of strings, got {shown(value)}")
        return tuple(value)

    def number(self, key: str, default: int | None = None) -> Fraction:
        """An exact number."""
        if default is not None and key not in self.values:
            return Fraction(default)
        return quantity(self.needed(key), f"{self.where}: {key}").rational

    def real(self, key: str, default: float, least: float = -math.inf) -> float:
        """A number that need not be exact, at least ``least``."""
        if key not in self.values:
            return default
        number = float(quantity(self.values[key], f"{self.where}: {key}"))
        if number < least:
            raise self.fault(f"{key} is {number:g}; give a value of at least {least:g}")
        return number

    def limit(self, key: str, default: float) -> float:
        """A number that may be infinite."""
        value = self.values.get(key)
        if isinstance(value, Decimal) and value.is_infinite():
            return float(value)
        return self.real(key, default)

    def angle(self, key: str) -> Angle:
        """An angle, zero where the key is absent."""
        return angle(self.values.get(key, 0), f"{self.where}: {key}", self.reading)

    def items(self, key: str, count: int, kind: str) -> list[object]:
        """A list of ``count`` items."""
        value = self.values[key]
        if not isinstance(value, list) or len(value) != count:
            raise self.fault(f"{key} must be a list of {kind}, got {shown(value)}")
        return value

    def vector(self, key: str, default: Vector = ZERO) -> Vector:
        """Three exact numbers."""
        if key not in self.values:
            return default
        x, y, z = (
            quantity(item, f"{self.where}: {key} {axis}").rational
            for axis, item in zip("xyz", self.items(key, 3, "three numbers"), strict=True)
        )
        return x, y, z

    def direction(self, key: str) -> Vector:
        """A direction, of any length."""
        items = self.items(key, 3, "three numbers")
        if not all(isinstance(item, Decimal | int) for item in items):
            return self.vector(key)
        self.vector(key)
        x, y, z = self.reading.unit([Decimal(item) for item in items])  # type: ignore[arg-type]
        return x, y, z

    def angles(self, key: str) -> tuple[Angle, ...]:
        """Three angles."""
        if key not in self.values:
            return (Angle.quarters(0),) * 3
        items = self.items(key, 3, "three angles")
        return tuple(angle(item, f"{self.where}: {key}[{i}]", self.reading) for i, item in enumerate(items))

    def table(self, key: str, keys: Sequence[str]) -> TomlTable | None:
        """The table at ``key``, or None where it is absent."""
        if key not in self.values:
            return None
        return TomlTable.of(self.values[key], f"{self.where}: {key}", keys, self.reading)

    def tables(self, key: str, keys: Sequence[str]) -> list[TomlTable]:
        """The list of tables at ``key``, empty where it is absent."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.fault(f"{key} must be a list of tables, each under [[{key}]]; got {shown(value)}")
        names = [item.get("name") if isinstance(item, dict) else None for item in value]
        labels = [f"{key}[{i}]" + (f" {shown(name)}" if isinstance(name, str) else "") for i, name in enumerate(names)]
        return [
            TomlTable.of(item, f"{self.where}: {label}", keys, self.reading)
            for item, label in zip(value, labels, strict=True)
        ]

    def steps(self, key: str) -> Placement:
        """The placement written step by step: ``[{translate = "z", by = 0.1}, {rotate = "x", by = "90 deg"}]``."""
        steps = []
        for table in self.tables(key, ("rotate", "translate", "by", "name")):
            if ("rotate" in table) == ("translate" in table):
                raise table.fault("a step has either rotate or translate; give one of them")
            rotates = "rotate" in table
            axis = table.text("rotate" if rotates else "translate")
            if axis not in ("x", "y", "z"):
                raise table.fault(f"the axis of a step is x, y or z, not {shown(axis)}")
            table.needed("by")
            amount = table.angle("by") if rotates else table.number("by")
            steps.append(Step("rotate" if rotates else "translate", "xyz".index(axis), amount, table.text("name", "")))
        return Placement(tuple(steps))

    def placement(self) -> Placement:
        """The placement given as xyz and rpy, or as steps."""
        if "steps" not in self:
            return Placement.from_xyz_rpy(self.vector("xyz"), self.angles("rpy"), self.where)
        if "xyz" in self or "rpy" in self:
            raise self.fault("steps stand in place of xyz and rpy; keep one of the two ways")
        return self.steps("steps")
