"""Drives as files describe them, joint by joint, and the drive train that they make."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..drives import Actuator, DriveTrain, Element
from ..errors import ArmError
from ..exact import exact
from ..moving_parts import Rotor
from ..shaft_friction import Friction


@dataclass(frozen=True)
class JointDrive:
    """The drive of one joint as files describe it; ``train_of_joints`` converts it to a drive train.

    Rotor inertia at the motor (``motor_inertia``, kg m^2), or as the joint feels it (``input_inertia``, ``armature``),
    gear ratio as motor turns per joint turn, friction of the motor at the motor (``viscous``, ``coulomb``) and of the
    joint at the joint (``damping``, ``friction``), stall torque of the motor (N m).
    """

    joint: str
    gear_ratio: object = None
    motor_inertia: object = None
    input_inertia: object = None
    armature: object = 0
    viscous: float = 0.0
    coulomb: float | tuple[float, float] = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stall: float | None = None

    @property
    def has_motor(self) -> bool:
        """True if it describes a motor, not only friction at the joint."""
        numbers = (self.gear_ratio, self.motor_inertia, self.input_inertia, self.stall)
        return any(x is not None for x in numbers) or bool(self.armature or self.viscous or self.coulomb)

    def own_friction(self, with_shaft: bool = False) -> Friction:
        """Friction at the joint, with that of the motor shaft through the gear where no motor of its own has it."""
        if not with_shaft:
            return Friction.of(self.friction, viscous=self.damping)
        ratio = float(exact(self.gear_ratio)) if self.gear_ratio else 1.0
        forward, backward = (self.coulomb, self.coulomb) if isinstance(self.coulomb, float | int) else self.coulomb
        if ratio < 0:
            forward, backward = backward, forward
        pair = (self.friction + abs(ratio) * forward, self.friction + abs(ratio) * backward)
        return Friction.of(pair, viscous=self.damping + ratio**2 * self.viscous)

    def actuator(self, where: str = "") -> Actuator:
        """The motor of this joint. Its position is unknown, so its rotor counts as reflected inertia."""
        if self.motor_inertia is not None and self.input_inertia is not None:
            raise ArmError(
                f"{where}joint {self.joint!r}: motor_inertia and input_inertia are the same inertia before and after "
                "the gear; give one of them"
            )
        if self.gear_ratio is not None and not exact(self.gear_ratio):
            raise ArmError(
                f"{where}joint {self.joint!r}: gear_ratio is 0, and a motor that does not turn drives nothing; give "
                "motor turns per joint turn, or leave it out for 1"
            )
        ratio = Fraction(1) if self.gear_ratio is None else exact(self.gear_ratio)
        at_joint = exact(self.armature or 0) + exact(self.input_inertia or 0)
        rotor = Rotor(exact(self.motor_inertia or 0) + at_joint / ratio**2)
        friction = Friction.of(self.coulomb, viscous=self.viscous)
        return Actuator.of(f"motor of {self.joint}", {self.joint: ratio}, rotor, friction, stall=self.stall)


def train_of_joints(rows: Sequence[JointDrive], origin: str = "", followers: Collection[str] = ()) -> DriveTrain:
    """The drive train of an arm whose file describes drives joint by joint.

    A joint of ``followers`` is moved by the joint that it follows: what its entries say of inertia turns with it as an
    element of the drives, and friction of its shaft counts at the joint. With a stall torque it has a motor.
    """
    where = f"{origin}: " if origin else ""
    driven = [row for row in rows if row.joint not in followers or row.stall is not None]
    carried = [row for row in rows if row not in driven and row.has_motor]
    friction_at_joint = {row.joint: row.own_friction(row in carried) for row in rows}
    return DriveTrain(
        tuple(row.actuator(where) for row in driven) if any(row.has_motor for row in driven) else (),
        tuple(Element(f"rotor of {row.joint}", a.ratios, a.rotor) for row in carried for a in (row.actuator(where),)),
        joint_friction=tuple((joint, friction) for joint, friction in friction_at_joint.items() if friction),
        origin=origin,
    )


def with_joint_drives(
    train: DriveTrain, rows: Sequence[JointDrive], origin: str, followers: Collection[str] = ()
) -> DriveTrain:
    """The drives of a table of their own, with the friction that the joints give beside it.

    A joint whose drive is described both by a motor and at the joint is refused; one of ``followers`` has no drive.
    """
    where = f"{origin}: " if origin else ""
    for row in rows:
        if row.has_motor and train.actuators and (row.joint not in followers or row.stall is not None):
            raise ArmError(
                f"{where}joint {row.joint!r} describes its drive, and the motors of the drives do so too; keep one of "
                "the two descriptions"
            )
        if (row.damping or row.friction) and row.joint in dict(train.joint_friction):
            raise ArmError(f"{where}friction at joint {row.joint!r} is given twice, at the joint and in the drives")
    joint_train = train_of_joints(rows, origin, followers)
    return replace(
        train,
        elements=(*train.elements, *joint_train.elements),
        joint_friction=(*train.joint_friction, *joint_train.joint_friction),
    )
