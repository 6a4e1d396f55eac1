"""What the drives of an arm are: motors and their rotors, transmission, drive-train elements, friction.

Data only, checked against an arm; ``formulations/rotors.py`` and the room ``drives`` say what they do.

A motor a turns by q_a = sum_j N_aj q_j. The rows of N are written by joint name, so that a row survives when
other joints are locked. N may instead be a function of the joint positions, for linkages whose ratio varies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import ArmError
from .exact import exact, exact_vector
from .inertia import Inertia
from .placement import Vector

if TYPE_CHECKING:
    from .description import ArmDescription, Joint

Turns = Callable[[Any, Sequence[Any]], list[Any]]
"""``turns(ring, q)``: positions of all motors, written with ``+ - *`` and ``ring.sincos``, so that it runs over any
ring and is differentiated exactly."""

Z: Vector = (Fraction(0), Fraction(0), Fraction(1))
ORIGIN: Vector = (Fraction(0), Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Friction:
    """Friction on one shaft (Szkodny 1995, eqs 17 and 18): N m and N m s/rad, or N and N s/m.

    ``starting`` holds the shaft while it stands, ``moving`` (forward, backward) resists it while it moves, both as
    magnitudes; ``starting`` is the larger of the two where nothing else is known. ``viscous`` times the speed
    comes on top.
    """

    moving: tuple[float, float] = (0.0, 0.0)
    starting: float | None = None
    viscous: float = 0.0

    @classmethod
    def of(
        cls, coulomb: float | Sequence[float] = 0.0, starting: float | None = None, viscous: float = 0.0
    ) -> Friction:
        """The same Coulomb friction both ways, or (forward, backward)."""
        pair = (coulomb, coulomb) if isinstance(coulomb, int | float) else tuple(coulomb)
        if len(pair) != 2:
            raise ArmError(f"Coulomb friction is one number, or one forward and one backward; got {coulomb!r}")
        return cls((abs(float(pair[0])), abs(float(pair[1]))) if pair[1] < 0 <= pair[0] else pair, starting, viscous)

    @property
    def hold(self) -> float:
        """The load the shaft holds while it stands."""
        return max(self.moving) if self.starting is None else self.starting

    def __bool__(self) -> bool:
        return bool(self.hold or self.viscous)

    @property
    def coulomb(self) -> bool:
        """True if there is friction at rest or independent of speed."""
        return bool(self.hold or max(self.moving))

    def check(self, where: str) -> None:
        values = {"moving, forward": self.moving[0], "moving, backward": self.moving[1], "viscous": self.viscous}
        if self.starting is not None:
            values["starting"] = self.starting
        for name, value in values.items():
            if not math.isfinite(value) or value < 0:
                raise ArmError(f"{where}: friction ({name}) is {value:g}; give a magnitude of at least zero")
        if self.starting is not None and self.starting < max(self.moving):
            raise ArmError(
                f"{where}: starting friction {self.starting:g} is below moving friction {max(self.moving):g}; "
                f"a shaft that starts cannot be held by less than what brakes it"
            )


@dataclass(frozen=True)
class Motor:
    """A separately excited d-c motor (Freeman 1985, eq. 2-228): L di/dt + R i + C_E qd_a = V, torque C_M i.

    Torque constant in N m/A, speed constant in V s/rad (the same number in SI units, and the default), resistance
    in ohm, inductance in H, supply in V, largest current in A.
    """

    torque_constant: float
    resistance: float = 0.0
    inductance: float = 0.0
    speed_constant: float | None = None
    supply: float = math.inf
    largest_current: float = math.inf

    @property
    def back_emf(self) -> float:
        return self.torque_constant if self.speed_constant is None else self.speed_constant

    @property
    def stall_torque(self) -> float:
        """The torque at standstill under full supply, or at the largest current if that is less (N m)."""
        current = self.supply / self.resistance if self.resistance else math.inf
        return self.torque_constant * min(current, self.largest_current)

    def check(self, where: str) -> None:
        if not math.isfinite(self.torque_constant) or self.torque_constant <= 0:
            raise ArmError(f"{where}: torque constant is {self.torque_constant:g}; give a value above zero")
        for name in ("resistance", "inductance", "back_emf", "supply", "largest_current"):
            value = getattr(self, name)
            if math.isnan(value) or value < 0:
                raise ArmError(f"{where}: {name.replace('_', ' ')} is {value:g}; give a value of at least zero")


@dataclass(frozen=True)
class Rotor:
    """The turning part of a motor, or a wheel of the drive train: axisymmetric about its axis.

    It sits on ``link`` (the base included) at ``position`` with ``axis`` along its shaft, both in the link frame.
    ``inertia`` is about the shaft, ``across`` about any axis across it through the mass centre (kg m^2). With
    ``counted`` its mass and its inertia when locked are part of the link's numbers already, as in measured links;
    otherwise they are added. Without ``link`` the place is not known, and only the reflected inertia is counted.
    """

    inertia: Fraction
    link: str = ""
    axis: Vector = Z
    position: Vector = ORIGIN
    mass: Fraction = Fraction(0)
    across: Fraction = Fraction(0)
    counted: bool = True

    @classmethod
    def of(
        cls,
        inertia: object,
        link: str = "",
        axis: object = (0, 0, 1),
        position: object = (0, 0, 0),
        mass: object = 0,
        across: object = 0,
        counted: bool = True,
    ) -> Rotor:
        """The same from any numbers; the axis need not have unit length."""
        return cls(
            exact(inertia, "inertia of a rotor"), link, exact_vector(axis, "axis of a rotor"),
            exact_vector(position, "position of a rotor"), exact(mass, "mass of a rotor"),
            exact(across, "transverse inertia of a rotor"), counted,
        )  # fmt: skip

    def check(self, arm: ArmDescription, where: str) -> None:
        if self.link and self.link not in arm.link_names:
            raise ArmError(
                f"{where}: its rotor sits on link {self.link!r}, which is not there; the links are "
                f"{', '.join(arm.link_names)}"
            )
        for name in ("inertia", "mass", "across"):
            if getattr(self, name) < 0:
                raise ArmError(f"{where}: {name} of the rotor is negative; give a value of at least zero")
        if not any(self.axis):
            raise ArmError(f"{where}: the axis of the rotor has no direction; give three numbers that are not all zero")

    @property
    def unit_axis(self) -> tuple[Fraction, Fraction, Fraction]:
        """The axis with unit length: exact along a coordinate axis, otherwise to the last digit of a float."""
        x, y, z = self.axis
        square = x * x + y * y + z * z
        root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        length = root if root * root == square else exact(math.sqrt(square))
        return x / length, y / length, z / length

    @property
    def locked(self) -> Inertia:
        """The rotor as a part of its link while it does not turn, about the link frame."""
        u = self.unit_axis
        rows = tuple(
            tuple((self.inertia - self.across) * u[i] * u[j] + (self.across if i == j else 0) for j in range(3))
            for i in range(3)
        )
        return Inertia.of(self.mass, self.position, rows)


@dataclass(frozen=True)
class Actuator:
    """One motor: its rotor, how far it turns for each joint (``ratios``), its friction, its electric side."""

    name: str
    ratios: tuple[tuple[str, Fraction], ...]
    rotor: Rotor = Rotor(Fraction(0))
    friction: Friction = Friction()
    motor: Motor | None = None

    @classmethod
    def of(
        cls,
        name: str,
        ratios: Mapping[str, object],
        rotor: Rotor | None = None,
        friction: Friction | None = None,
        motor: Motor | None = None,
    ) -> Actuator:
        """Ratios by joint name, as motor turns (rad) per joint turn (rad, or m)."""
        rows = tuple((joint, exact(ratio, f"ratio of {name!r} to joint {joint!r}")) for joint, ratio in ratios.items())
        return cls(name, rows, rotor or Rotor(Fraction(0)), friction or Friction(), motor)


@dataclass(frozen=True)
class Element:
    """A part of the drive train between motor and link (Szkodny 1995, eqs 15a-c): a wheel, shaft, belt drum.

    A rotor with ratios of its own.
    """

    name: str
    ratios: tuple[tuple[str, Fraction], ...]
    rotor: Rotor

    @classmethod
    def of(cls, name: str, ratios: Mapping[str, object], rotor: Rotor) -> Element:
        return cls(name, tuple((j, exact(r, f"ratio of {name!r} to joint {j!r}")) for j, r in ratios.items()), rotor)


Part = TypeVar("Part", Actuator, Element)


@dataclass(frozen=True)
class DriveTrain:
    """All drives of an arm: one actuator for each moving joint, elements between, friction at the joints.

    ``turns`` replaces the ratios of the actuators by a function of the joint positions.
    """

    actuators: tuple[Actuator, ...]
    elements: tuple[Element, ...] = ()
    joint_friction: tuple[tuple[str, Friction], ...] = ()
    turns: Turns | None = field(default=None, compare=False)
    notes: str = ""
    sources: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(actuator.name for actuator in self.actuators)

    def rows(self, arm: ArmDescription, parts: Sequence[Actuator | Element] | None = None) -> list[list[Fraction]]:
        """The constant transmission matrix N, motors by joints; ratios to joints that are locked drop out."""
        places = {name: index for index, name in enumerate(arm.joint_names)}
        rows = []
        for part in self.actuators if parts is None else parts:
            row = [Fraction(0)] * arm.n
            for joint, ratio in part.ratios:
                if joint in places:
                    row[places[joint]] = ratio
            rows.append(row)
        return rows

    def reduced(self, arm: ArmDescription) -> DriveTrain:
        """The drives of a part of the arm: some joints locked, some links gone.

        Motors and elements that nothing turns any more drop out, and so do ratios to joints that are gone. A rotor
        whose link is gone counts as reflected inertia.
        """
        if self.turns is not None or len(self.actuators) == arm.n:
            return self
        joints, moving, links = {joint.name for joint in arm.joints}, set(arm.joint_names), set(arm.link_names)

        def left(part: Part) -> Part | None:
            if not any(joint in moving and ratio for joint, ratio in part.ratios):
                return None
            ratios = tuple((joint, ratio) for joint, ratio in part.ratios if joint in joints)
            rotor = part.rotor if part.rotor.link in links else replace(part.rotor, link="")
            return replace(part, ratios=ratios, rotor=rotor)

        return replace(
            self,
            actuators=tuple(part for part in map(left, self.actuators) if part is not None),
            elements=tuple(part for part in map(left, self.elements) if part is not None),
            joint_friction=tuple((joint, friction) for joint, friction in self.joint_friction if joint in joints),
        )

    def friction_of(self, joint: str) -> Friction:
        return dict(self.joint_friction).get(joint, Friction())

    def check(self, arm: ArmDescription) -> None:
        """Everything named is there, every joint is driven, no number is impossible."""
        where = f"{self.origin}: " if self.origin else ""
        joints = {joint.name for joint in arm.joints}
        seen: set[str] = set()
        parts: tuple[Actuator | Element, ...] = (*self.actuators, *self.elements)
        for part in parts:
            here = f"{where}{'motor' if isinstance(part, Actuator) else 'element'} {part.name!r}"
            if part.name in seen:
                raise ArmError(f"{here}: another part of the drives has this name; names must differ")
            seen.add(part.name)
            for joint, _ in part.ratios:
                if joint not in joints:
                    raise ArmError(f"{here}: turns with joint {joint!r}, which is not there; the joints are "
                                   f"{', '.join(sorted(joints))}")  # fmt: skip
            part.rotor.check(arm, here)
            if isinstance(part, Actuator):
                part.friction.check(here)
                if part.motor is not None:
                    part.motor.check(here)
        for joint, friction in self.joint_friction:
            if joint not in joints:
                raise ArmError(f"{where}friction at joint {joint!r}, which is not there")
            friction.check(f"{where}joint {joint!r}")
        if len(self.actuators) != arm.n:
            raise ArmError(
                f"{where}{len(self.actuators)} motors drive {arm.n} joints; give one motor for each joint that moves"
            )
        if self.turns is None:
            fault = undriven(self.rows(arm), arm.joint_names)
            if fault:
                raise ArmError(f"{where}the transmission matrix is singular: {fault}; give ratios that tell them apart")


def undriven(rows: Sequence[Sequence[Fraction]], names: Sequence[str]) -> str:
    """What no motor moves, in words; empty for a matrix that can be inverted. Exact elimination."""
    work = [list(row) for row in rows]
    n = len(names)
    pivots: list[int] = []
    for row in work:
        for pivot_row, pivot in zip(work, pivots, strict=False):
            if row[pivot]:
                factor = row[pivot] / pivot_row[pivot]
                row[:] = [a - factor * b for a, b in zip(row, pivot_row, strict=True)]
        first = next((j for j in range(n) if row[j]), None)
        if first is None:
            joint = next(name for j, name in enumerate(names) if j not in pivots)
            return f"joint {joint!r} can move while all motors stand"
        pivots.append(first)
    return ""


def with_locked_rotors(arm: ArmDescription, train: DriveTrain) -> ArmDescription:
    """The arm with rotors that its links do not count yet added to them, locked."""
    extra: dict[str, Inertia] = {}
    parts: tuple[Actuator | Element, ...] = (*train.actuators, *train.elements)
    for part in parts:
        rotor = part.rotor
        if rotor.link and not rotor.counted:
            extra[rotor.link] = extra.get(rotor.link, Inertia()) + rotor.locked
    if not extra:
        return arm
    links = tuple(
        replace(link, inertia=link.inertia + extra[link.name]) if link.name in extra else link for link in arm.links
    )
    return replace(arm, links=links)


def from_joints(arm: ArmDescription) -> DriveTrain:
    """The drives that the joints of the arm describe themselves: ``drive`` tables, armature, damping, friction.

    Where no rotor is placed, its inertia counts as reflected inertia only.
    """
    actuators, frictions = [], []
    for joint in arm.moving:
        ratio, rotor, friction, motor = _drive_of(joint)
        actuators.append(Actuator.of(f"motor of {joint.name}", {joint.name: ratio}, rotor, friction, motor))
        own = Friction.of(joint.friction, viscous=joint.damping)
        if own:
            frictions.append((joint.name, own))
    return DriveTrain(tuple(actuators), joint_friction=tuple(frictions), origin=arm.origin)


def _drive_of(joint: Joint) -> tuple[Fraction, Rotor, Friction, Motor | None]:
    drive = joint.drive
    ratio = exact(drive.gear_ratio) if drive is not None and drive.gear_ratio else Fraction(1)
    reflected = exact(joint.armature)
    inertia, friction = Fraction(0), Friction()
    if drive is not None:
        if drive.motor_inertia is not None:
            inertia = exact(drive.motor_inertia)
        elif drive.input_inertia is not None:
            reflected += exact(drive.input_inertia)
        friction = Friction.of(drive.coulomb_friction or 0.0, viscous=drive.viscous_friction or 0.0)
    return ratio, Rotor(inertia + reflected / ratio**2), friction, None
