"""How the angles of a file are read: as they were meant, or as written."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from ..description import listed
from ..errors import ArmError, RoundedWarning, TurnWarning, caller_level
from ..exact import Angle
from ..rounded import ACCURACY, departure, meant_degrees, meant_unit

AS_MEANT, AS_WRITTEN = "as meant", "as written"
ANGLES = (AS_MEANT, AS_WRITTEN)
MOST_NAMED = 6
TURN = 2 * math.pi + 1e-6


@dataclass
class AngleReading:
    """Reads the angles and directions of one file, and keeps account of those that were moved.

    ``mode`` is "as meant" (the rule of ``arm/rounded.py``) or "as written".
    """

    mode: str = AS_WRITTEN
    moved: dict[str, tuple[int, float]] = field(default_factory=dict)
    """What was read as what, with how often and by how many radians it moved."""
    turned: dict[str, float] = field(default_factory=dict)
    """Angles of more than a turn, by what they are."""

    def __post_init__(self) -> None:
        if self.mode not in ANGLES:
            raise ArmError(f"angles can be {listed(map(repr, ANGLES))}, not {self.mode!r}")

    def angle(self, written: Decimal | Fraction, what: str) -> Angle:
        """The angle of this many radians; a fraction has no digits to be rounded to."""
        self.judge(written, what)
        if self.mode == AS_MEANT and isinstance(written, Decimal):
            degrees = meant_degrees(written)
            if degrees is not None:
                self._note(f"{written} as {degrees} deg", departure(written, degrees))
                return Angle.degrees(degrees)
        return Angle.of(written, what)

    def judge(self, radians: Decimal | Fraction, what: str) -> None:
        """Take note of an angle of more than a turn, which looks like degrees."""
        if abs(float(radians)) > TURN:
            self.turned.setdefault(what, float(radians))

    def unit(self, written: Sequence[Decimal]) -> tuple[Fraction, ...]:
        """The components of a direction or a quaternion."""
        exact = tuple(map(Fraction, written))
        meant = meant_unit(written) if self.mode == AS_MEANT else None
        if meant is None:
            return exact
        length = math.hypot(*exact)
        distance = math.hypot(*(float(a) - float(b) / length for a, b in zip(meant, exact, strict=True)))
        self._note(f"({' '.join(map(str, written))}) as the unit vector it is rounded from", distance)
        return meant

    def _note(self, reading: str, distance: float) -> None:
        if distance > ACCURACY:
            count, largest = self.moved.get(reading, (0, 0.0))
            self.moved[reading] = count + 1, max(largest, distance)

    def tell(self, origin: str) -> None:
        """One warning that names what was moved, and by how much, and one about angles that look like degrees."""
        if self.turned:
            what, angle = next(iter(self.turned.items()))
            others = f", and {len(self.turned) - 1} more are" if len(self.turned) > 1 else ""
            warnings.warn(
                f"{origin}: {what.removeprefix(f'{origin}: ')}: {angle:g} rad is more than a turn{others}; used as "
                f"given, and where degrees are meant, {angle:g} deg are {math.radians(angle):.10g} rad",
                TurnWarning,
                caller_level(),
            )
        if not self.moved:
            return
        readings = [
            f"{reading} ({count} times)" if count > 1 else reading for reading, (count, _) in self.moved.items()
        ]
        largest = max(distance for _, distance in self.moved.values())
        warnings.warn(
            f"{origin}: rounded angles are read as they were meant, {listed(readings, MOST_NAMED)}; the largest moves "
            f'by {largest:.2g} rad, and angles="as written" (--angles as-written) keeps the digits',
            RoundedWarning,
            caller_level(),
        )
