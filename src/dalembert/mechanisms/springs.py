"""Springs and dampers of a mechanism, between two of its points or along a coordinate; data only.

What ties joints of different chains softly is a spring along a sum: an elastic belt over two wheels is
``Spring("belt", along="left.a - 2*right.b", stiffness=...)``; a rigid one is a gear (``gears.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.errors import ArmError
from ..arm.exact import exact
from .chain_frames import Carrier, ChainFrames, FrameOn
from .coordinates import Coordinate, CoordinateTerm


@dataclass(frozen=True)
class Spring:
    """A spring with a damper, between the origins of frames ``a`` and ``b`` or ``along`` a coordinate.

    Between frames it pulls with stiffness (length - rest) + damping d(length)/dt (N/m, m, N s/m); with ``rest`` zero it
    is the ideal spring of balancing mechanisms. Along a coordinate s, written as those of a mechanism ("left.a",
    "left.a - 2*right.b", "z(nut, screw)"), its load there is -stiffness (s - rest) - damping s' (N m/rad or N/m).
    """

    name: str
    a: FrameOn | str = ""
    b: FrameOn | str = ""
    along: str = ""
    stiffness: object = 0
    rest: object = 0
    damping: object = 0

    def __post_init__(self) -> None:
        if bool(self.along) == (self.a != "" or self.b != "") or (self.a == "") != (self.b == ""):
            raise ArmError(
                f"spring {self.name!r} is between two frames, a and b, or along a coordinate; give one of the two"
            )
        for field in ("stiffness", "rest", "damping"):
            value = exact(getattr(self, field), f"{field} of spring {self.name!r}")
            if value < 0 and (field != "rest" or not self.along):
                raise ArmError(f"{field} of spring {self.name!r} is negative ({float(value):g}); give at least zero")
            object.__setattr__(self, field, value)


@dataclass(frozen=True)
class LoadElement:
    """A spring, damper and flywheel on a quantity of the joints: a sum of terms, or the span between two frames.

    ``inertia`` (kg m^2 or kg) is that of a rotor which turns with the quantity; it stands along coordinates alone.
    """

    name: str
    terms: tuple[CoordinateTerm, ...] = ()
    ends: tuple[Carrier, ...] = ()
    stiffness: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)
    damping: Fraction = Fraction(0)
    inertia: Fraction = Fraction(0)
    is_drive: bool = False
    """True of a motor: its damping is friction of a drive, which ``frictionless`` takes off."""


def spring_elements(springs: Sequence[Spring], system: ChainFrames) -> list[LoadElement]:
    """The springs of a mechanism with the carriers of their frames and the terms of their coordinates."""
    elements = []
    for spring in springs:
        stiffness, rest, damping = (exact(x) for x in (spring.stiffness, spring.rest, spring.damping))
        try:
            if spring.along:
                coordinate = Coordinate(spring.along, system)
                if stiffness and not coordinate.has_position:
                    raise ArmError(
                        f"{spring.along!r} is a turn: it has a rate but no position to be stretched from; write the "
                        f"angle as a sum of joints, or take its damper alone"
                    )
                _ = coordinate.is_angle(system.revolute)
                elements.append(LoadElement(spring.name, coordinate.terms, (), stiffness, rest, damping))
                continue
            ends = tuple(system.carrier(frame) for frame in (spring.a, spring.b))
        except ArmError as fault:
            raise ArmError(f"spring {spring.name!r}: {fault}") from None
        if not any(len(end.joints) for end in ends) or (ends[0].chain, ends[0].body) == (ends[1].chain, ends[1].body):
            raise ArmError(f"spring {spring.name!r} is between two points of one body; name two that move apart")
        elements.append(LoadElement(spring.name, (), ends, stiffness, rest, damping))
    return elements
