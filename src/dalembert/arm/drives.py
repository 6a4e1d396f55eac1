"""What the drives of an arm are: motors, transmission, drive-train elements, friction.

Data only, checked against an arm; what moves in them is in ``moving_parts.py``, their dynamics in the ``formulations``
and the package ``drives``.

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
from .exact import exact
from .moving_parts import NO_ROTOR, MovingBody, Rotor
from .own_joints import own_joints
from .shaft_friction import NO_FRICTION, Friction

if TYPE_CHECKING:
    from .description import ArmDescription

Turns = Callable[[Any, Sequence[Any]], list[Any]]
"""``turns(ring, q)``: positions of all motors, written with ``+ - *`` and ``ring.sincos``, so that it runs over any
ring and is differentiated exactly. Where a ring has them, also with ``ring.divide`` and ``ring.sqrt``."""
ElementTurn = Callable[[Any, Sequence[Any]], Any]
"""``turns(ring, q)`` of one element: its position, written in the same way."""
KINDS = ("rotary", "linear")
"""Motors that turn (rad, N m) and motors that slide (m, N)."""


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
        """Speed constant C_E (V s/rad); equal to the torque constant C_M where it is not specified."""
        return self.torque_constant if self.speed_constant is None else self.speed_constant

    @property
    def stall_torque(self) -> float:
        """The torque at standstill under full supply, or at the largest current if that is less (N m)."""
        current = self.supply / self.resistance if self.resistance else math.inf
        return self.torque_constant * min(current, self.largest_current)

    def check(self, where: str) -> None:
        """Refuse a torque constant that is not positive, and a negative resistance, inductance or limit."""
        if not math.isfinite(self.torque_constant) or self.torque_constant <= 0:
            raise ArmError(f"{where}: torque constant is {self.torque_constant:g}; give a value above zero")
        for name in ("resistance", "inductance", "back_emf", "supply", "largest_current"):
            value = getattr(self, name)
            if math.isnan(value) or value < 0:
                raise ArmError(f"{where}: {name.replace('_', ' ')} is {value:g}; give a value of at least zero")


DRIVE_MODELS = ("none", "exact", "szkodny", "diagonal", "paul")
"""Whether and how equations of motion count the drives; ``formulations/drive_train.py`` says what each leaves out."""


def check_drive_model(name: str) -> None:
    """Refuse what is no model of the drives."""
    if name not in DRIVE_MODELS:
        raise ArmError(f"no approximation {name!r} of the drives; there are {', '.join(DRIVE_MODELS)}")


@dataclass(frozen=True)
class Actuator:
    """One motor: its rotor, how far it turns for each joint (``ratios``), its friction, its electric side.

    ``ratios`` is a mapping, or pairs, of joint names and motor turns (rad) per joint turn (rad, or m). ``stall`` is the
    torque at standstill (N m) where a source gives it without the constants of the motor. ``body`` is an effector that
    is no round rotor: a piston, a slide. A motor of ``kind`` "linear" slides: its position is in m, its torque a force
    in N, its constants N/A and V s/m.
    """

    name: str
    ratios: tuple[tuple[str, Fraction], ...]
    rotor: Rotor = NO_ROTOR
    friction: Friction = NO_FRICTION
    motor: Motor | None = None
    stall: float | None = None
    body: MovingBody | None = None
    kind: str = "rotary"

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", _ratios(self.name, self.ratios))
        if self.kind not in KINDS:
            raise ArmError(f"motor {self.name!r} is {' or '.join(KINDS)}, not {self.kind!r}")

    @classmethod
    def of(
        cls,
        name: str,
        ratios: Mapping[str, object],
        rotor: Rotor | None = None,
        friction: Friction | None = None,
        motor: Motor | None = None,
        stall: float | None = None,
        body: MovingBody | None = None,
        kind: str = "rotary",
    ) -> Actuator:
        """Ratios by joint name, as motor turns (rad) per joint turn (rad, or m)."""
        rotor, friction = rotor or NO_ROTOR, friction or NO_FRICTION
        return cls(name, _ratios(name, ratios), rotor, friction, motor, stall, body, kind)

    @property
    def stall_torque(self) -> float | None:
        """Stall torque (N m), from the description or from the constants of the motor; None where it is not known."""
        if self.stall is not None or self.motor is None:
            return self.stall
        return self.motor.stall_torque if math.isfinite(self.motor.stall_torque) else None

    @property
    def is_limited(self) -> bool:
        """True if a stall torque, a largest current or a supply is known."""
        motor = self.motor
        electrically_limited = motor is not None and (
            math.isfinite(motor.largest_current) or math.isfinite(motor.supply)
        )
        return electrically_limited or self.stall_torque is not None


@dataclass(frozen=True)
class Element:
    """A part of the drive train between motor and link (Szkodny 1995, eqs 15a-c).

    A wheel, shaft or drum is a ``rotor`` that turns by its ``ratios``, or by ``turns(ring, q)`` where its ratio varies.
    A rod, nut or belt, or whatever else is not round or does not stay in its place, is a ``body``.
    """

    name: str
    ratios: tuple[tuple[str, Fraction], ...] = ()
    rotor: Rotor = NO_ROTOR
    body: MovingBody | None = None
    turns: ElementTurn | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", _ratios(self.name, self.ratios))
        if self.turns is not None and self.ratios:
            raise ArmError(f"element {self.name!r} has ratios and turns; give one of the two")

    @classmethod
    def of(cls, name: str, ratios: Mapping[str, object], rotor: Rotor) -> Element:
        """Ratios by joint name, as turns (rad) per joint turn (rad, or m)."""
        return cls(name, _ratios(name, ratios), rotor)


def _ratios(name: str, ratios: Mapping[str, object] | Sequence[tuple[str, object]]) -> tuple[tuple[str, Fraction], ...]:
    pairs = ratios.items() if isinstance(ratios, Mapping) else ratios
    return tuple((joint, exact(ratio, f"ratio of {name!r} to joint {joint!r}")) for joint, ratio in pairs)


Part = TypeVar("Part", Actuator, Element)


@dataclass(frozen=True)
class DriveTrain:
    """All drives of an arm: one actuator for each moving joint, elements between, friction at the joints.

    ``turns`` replaces the ratios of the actuators by a function of the joint positions.
    """

    actuators: tuple[Actuator, ...] = ()
    elements: tuple[Element, ...] = ()
    joint_friction: tuple[tuple[str, Friction], ...] = ()
    turns: Turns | None = field(default=None, compare=False)
    notes: str = ""
    sources: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("actuators", "elements", "joint_friction"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the motors."""
        return tuple(actuator.name for actuator in self.actuators)

    def on_base(self, base: str) -> DriveTrain:
        """The same with ``base`` named as the link of bodies that move on the base of the arm."""

        def named(part: Part) -> Part:
            return replace(part, body=replace(part.body, link=base)) if part.body and not part.body.link else part

        return replace(self, actuators=tuple(map(named, self.actuators)), elements=tuple(map(named, self.elements)))

    @property
    def parts(self) -> tuple[Actuator | Element, ...]:
        """Motors, then elements: all that has a rotor."""
        return (*self.actuators, *self.elements)

    def uncoupled(self, arm: ArmDescription) -> tuple[Actuator, ...]:
        """The motors, each turning with its own joint alone (``own_joints.py``)."""
        moving = {joint.name for joint in arm.all_moving}
        own = own_joints([motor.ratios for motor in self.actuators], moving)
        return tuple(
            replace(motor, ratios=tuple((name, ratio) for name, ratio in motor.ratios if name == joint))
            for motor, joint in zip(self.actuators, own, strict=True)
        )

    @property
    def stall_torques(self) -> tuple[float, ...]:
        """Stall torque of each motor (N m or N), infinite where it is not known."""
        known = (actuator.stall_torque for actuator in self.actuators)
        return tuple(math.inf if torque is None else torque for torque in known)

    def without_axis(self, model: str) -> tuple[str, ...]:
        """Motors and elements whose rotors have an inertia and, as drives count by ``model``, no axis in space."""
        return tuple(
            part.name for part in self.parts if part.rotor.inertia and (model != "exact" or not part.rotor.link)
        )

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """All functions of the joint positions in the drives: positions of motors and elements, places of bodies."""
        element_turns = (part.turns for part in self.elements)
        placements = (part.body.placement for part in self.parts if part.body is not None)
        return tuple(function for function in (self.turns, *element_turns, *placements) if function is not None)

    @property
    def written(self) -> bool:
        """True if all of ``functions`` are formulas of a file: text that can be compared and written."""
        return all(hasattr(function, "text") for function in self.functions)

    def turns_of(self, motor: int) -> str:
        """The function by which a motor turns, in words; empty where it has constant ratios."""
        if self.turns is None or self.actuators[motor].ratios:
            return ""
        formulas = getattr(self.turns, "each", None)
        return formulas[motor].text if formulas is not None else "a function in Python"

    @property
    def uncounted_rotors(self) -> tuple[Rotor, ...]:
        """Rotors on links whose numbers do not hold them yet."""
        return tuple(part.rotor for part in self.parts if part.rotor.link and not part.rotor.counted)

    def __bool__(self) -> bool:
        """True if the drives add anything to the links: rotors, ratios, friction, motors."""
        plain = all(
            part.rotor == NO_ROTOR and not part.friction and part.motor is None and part.stall is None
            and len(part.ratios) == 1 and part.ratios[0][1] == 1 and part.body is None
            for part in self.actuators
        )  # fmt: skip
        return not plain or bool(self.elements or self.joint_friction or self.turns)

    def without_friction(self) -> DriveTrain:
        """The same drives, frictionless."""
        actuators = tuple(replace(actuator, friction=NO_FRICTION) for actuator in self.actuators)
        return replace(self, actuators=actuators, joint_friction=())

    def rows(self, arm: ArmDescription, parts: Sequence[Actuator | Element] | None = None) -> list[list[Fraction]]:
        """The constant transmission matrix N, motors by coordinates; ratios to joints that are locked drop out.

        Where joints follow others it is N_J A: a motor turns with the coordinate by all joints that go with it.
        """
        couplings = dict(zip((joint.name for joint in arm.all_moving), arm.couplings, strict=True))
        rows = []
        for part in self.actuators if parts is None else parts:
            row = [Fraction(0)] * arm.n
            for joint, ratio in part.ratios:
                if joint in couplings:
                    row[couplings[joint].coordinate] += ratio * couplings[joint].multiplier
            rows.append(row)
        return rows

    def with_direct(self, joints: Sequence[str]) -> DriveTrain:
        """These drives with motors at further joints of which nothing is described: neither rotor nor friction."""
        return replace(
            self, actuators=(*self.actuators, *(Actuator.of(f"motor of {name}", {name: 1}) for name in joints))
        )

    def fitted(self, arm: ArmDescription) -> DriveTrain:
        """These drives for this arm: a direct drive at each joint where there is no motor at all, and of the drives of
        a larger arm what is left with some joints locked and some links gone.

        Motors and elements that nothing turns any more drop out, and so do ratios to joints that are gone; of those on
        a link whose numbers do not hold them the mass is still there, in an element that stands. A rotor whose link is
        gone counts as reflected inertia.
        """
        joints, links = {joint.name for joint in arm.joints}, set(arm.link_names)
        moving = {joint.name for joint in arm.all_moving}
        if not self.actuators and self.turns is None:
            direct = tuple(Actuator.of(f"motor of {name}", {name: 1}) for name in arm.joint_names)
            return replace(self, actuators=direct) if direct else self
        if self.functions or len(self.actuators) <= arm.n:
            return self

        def turns(part: Actuator | Element) -> bool:
            return any(joint in moving and ratio for joint, ratio in part.ratios)

        named = {joint for part in self.actuators for joint, _ in part.ratios}
        if not any(map(turns, self.actuators)) and not named <= joints:
            return self  # drives of another arm altogether, which ``check`` refuses

        def left(part: Part) -> Part:
            ratios = tuple((joint, ratio) for joint, ratio in part.ratios if joint in joints)
            rotor = part.rotor if part.rotor.link in links else replace(part.rotor, link="")
            return replace(part, ratios=ratios, rotor=rotor)

        standing = tuple(
            left(Element(part.name, part.ratios, part.rotor))
            for part in self.parts
            if not turns(part) and part.rotor.link in links and not part.rotor.counted
        )
        return replace(
            self,
            actuators=tuple(left(part) for part in self.actuators if turns(part)),
            elements=(*(left(part) for part in self.elements if turns(part)), *standing),
            joint_friction=tuple((joint, friction) for joint, friction in self.joint_friction if joint in moving),
        )

    def __repr__(self) -> str:
        names = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
        return f"<DriveTrain: {len(self.actuators)} motors ({names}), {len(self.elements)} elements>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .description_tables import drives_table

        table = drives_table(self)
        elements = f"{len(self.elements)} elements between motors and joints." if self.elements else ""
        remark = f"{elements} The transmission varies with the joint positions." if self.turns is not None else elements
        return framed(table or heading("No drives are known: each joint has a motor without inertia"), note(remark))

    def friction_of(self, joint: str) -> Friction:
        """Friction at the joint itself."""
        return dict(self.joint_friction).get(joint, NO_FRICTION)

    def check(self, arm: ArmDescription) -> None:
        """Refuse unknown names, joints without drive, and impossible numbers."""
        where = f"{self.origin}: " if self.origin else ""
        if self.functions and len(self.actuators) > arm.n:
            raise ArmError(
                f"{arm.where}{arm.name}: its drives have functions of the joint positions, and {len(self.actuators)} "
                f"motors where {arm.n} joints move; give one motor for each, and drives of its own to a part of an arm "
                f"or an arm with joints locked"
            )
        joints = {joint.name for joint in arm.joints}
        seen: set[str] = set()
        parts: tuple[Actuator | Element, ...] = (*self.actuators, *self.elements)
        for part in parts:
            part_label = f"{where}{'motor' if isinstance(part, Actuator) else 'element'} {part.name!r}"
            if part.name in seen:
                raise ArmError(f"{part_label}: another part of the drives has this name; names must differ")
            seen.add(part.name)
            for joint, _ in part.ratios:
                if joint not in joints:
                    raise ArmError(f"{part_label}: turns with joint {joint!r}, which is not there; the joints are "
                                   f"{', '.join(sorted(joints))}")  # fmt: skip
            part.rotor.check(arm, part_label)
            if part.body is not None:
                part.body.check(arm, part_label)
            if isinstance(part, Actuator):
                part.friction.check(part_label)
                if part.motor is not None:
                    part.motor.check(part_label)
        for joint, friction in self.joint_friction:
            if joint not in joints:
                raise ArmError(f"{where}friction at joint {joint!r}, which is not there")
            friction.check(f"{where}joint {joint!r}")
        if len(self.actuators) < arm.n:
            raise ArmError(
                f"{where}{len(self.actuators)} motors drive {arm.n} joints; give one motor for each joint that moves"
            )
        if self.turns is None:
            fault = undriven(self.rows(arm), arm.joint_names)
            if fault:
                raise ArmError(f"{where}the transmission matrix is singular: {fault}; give ratios that tell them apart")


def undriven(rows: Sequence[Sequence[Fraction]], names: Sequence[str]) -> str:
    """Message on a joint that no motor moves; empty for a matrix of full rank. Exact elimination."""
    n = len(names)
    pivots: list[tuple[int, list[Fraction]]] = []
    for motor_row in rows:
        row = [Fraction(ratio) for ratio in motor_row]  # of this design: a ratio that stays an input is no zero
        for pivot, pivot_row in pivots:
            if row[pivot]:
                factor = row[pivot] / pivot_row[pivot]
                row = [a - factor * b for a, b in zip(row, pivot_row, strict=True)]
        first = next((j for j in range(n) if row[j]), None)
        if first is not None:
            pivots.append((first, row))
    if len(pivots) == n:
        return ""
    joint = next(name for j, name in enumerate(names) if j not in [pivot for pivot, _ in pivots])
    return f"joint {joint!r} can move while all motors stand"
