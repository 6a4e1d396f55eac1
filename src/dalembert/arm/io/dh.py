"""Denavit-Hartenberg rows, standard and modified, to an arm.

Standard (Bejczy 1974, eq. D.1; Paul 1981): T = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha), the joint moves
about z of the frame before it. Modified (Craig 1986): T = Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d), the
joint moves about z of its own frame.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Rational
from typing import Any

from ..description import EARTH, ArmDescription, Joint, Limits, Link, listed
from ..errors import ArmError
from ..exact import Angle, exact, exact_vector
from ..inertia import Inertia
from ..placement import Placement, rotate, translate
from ..plausible_sizes import tell_sizes
from .angle_reading import AS_MEANT, AngleReading
from .expression import angle, quantity
from .joint_drives import JointDrive, train_of_joints


@dataclass(frozen=True)
class DHRow:
    """One joint and the link after it. Angles in radians, lengths in metres; text as in files: "90 deg", "1/3".

    ``theta`` is the offset of a revolute joint (the angle at q = 0) and ``d`` that of a prismatic one.
    ``inertia`` is about ``about`` ("com" or "frame"), in the axes of the link frame; ``gyration`` gives squared
    radii of gyration about the frame instead; ``body`` gives an Inertia directly.
    """

    a: object = 0
    alpha: object = 0
    d: object = 0
    theta: object = 0
    type: str = "revolute"
    mass: object = 0
    com: object = (0, 0, 0)
    inertia: object = None
    about: str = "com"
    gyration: object = None
    body: Inertia | None = None
    name: str = ""
    link: str = ""
    lower: float = float("-inf")
    upper: float = float("inf")
    velocity: float = float("inf")
    effort: float = float("inf")
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


def placements(row: DHRow, number: int, convention: str) -> tuple[Placement, Placement]:
    """The fixed placements before and after the motion of joint ``number`` (counted from 1)."""
    along_z = translate("z", row.d, f"d{number}"), rotate("z", row.theta, f"theta{number}")
    if row.type == "prismatic":
        # d is the offset of q and adds to it, so only a non-zero offset gets a name.
        along_z = translate("z", row.d, f"d{number}" if row.d else ""), along_z[1]
    elif not along_z[1]:
        along_z = along_z[0], rotate("z", 0)
    along_x = translate("x", row.a, f"a{number}"), rotate("x", row.alpha, f"alpha{number}")
    if convention == "standard":
        return Placement(), Placement.of(*along_z, *along_x)
    return Placement.of(along_x[1], along_x[0]), Placement.of(*along_z)


def from_dh(
    rows: Sequence[DHRow | Mapping[str, object]],
    convention: str = "standard",
    *,
    name: str = "arm",
    gravity: object = EARTH,
    base: Placement | None = None,
    tool: Placement | None = None,
    physical: str = "warn",
    angles: str = AS_MEANT,
    **about: object,
) -> ArmDescription:
    """The serial arm of these rows; see DHRow for the entries of a row.

    ``angles`` says whether rounded angles (alpha = 1.5708) are read "as meant" or "as written".
    """
    reading = AngleReading(angles)
    if convention not in ("standard", "modified"):
        raise ArmError(f'the DH convention is "standard" or "modified", not {convention!r}')
    links, joints = [Link("base")], []
    drives: list[JointDrive] = []
    entries = [field.name for field in dataclasses.fields(DHRow)]
    for number, entry in enumerate(rows, start=1):
        if isinstance(entry, Mapping):
            unknown = [str(key) for key in entry if key not in entries]
            if unknown:
                raise ArmError(f"row {number}: unknown entry {unknown[0]!r}; a row may have {listed(entries)}")
            if {"com", "gyration"} & set(entry) and "mass" not in entry:
                raise ArmError(f"row {number}: a mass centre or gyration is given without mass; give the mass")
        elif not isinstance(entry, DHRow):
            raise ArmError(
                f"row {number} must be a DHRow or a table with entries such as a, alpha, d, mass; got {entry!r}"
            )
        row = entry if isinstance(entry, DHRow) else DHRow(**entry)  # type: ignore[arg-type]
        joint_name, link_name = row.name or f"joint{number}", row.link or f"link{number}"
        if row.type not in ("revolute", "prismatic"):
            raise ArmError(f"joint {joint_name!r}: a DH joint is revolute or prismatic, not {row.type!r}")
        alpha, theta = (_turn(getattr(row, key), f"row {number}: {key}", reading) for key in ("alpha", "theta"))
        a, d, lower, upper = (_read(getattr(row, key), f"row {number}: {key}") for key in ("a", "d", "lower", "upper"))
        row = dataclasses.replace(row, a=a, d=d, alpha=alpha, theta=theta)
        before, after = placements(row, number, convention)
        if number == 1 and base is not None:
            before = base @ before
        try:
            limits = Limits(float(lower), float(upper), float(row.velocity), float(row.effort))
        except ArmError as fault:
            raise ArmError(f"joint {joint_name!r}: {fault}") from None
        joints.append(
            Joint(joint_name, row.type, links[-1].name, link_name, before, after, limits)  # type: ignore[arg-type]
        )
        drives.append(JointDrive(joint_name, armature=row.armature, damping=row.damping, friction=row.friction))
        links.append(Link(link_name, body_of_row(row, link_name)))
    if not joints:
        raise ArmError("an arm needs at least one row")
    arm = ArmDescription(
        name,
        tuple(links),
        tuple(joints),
        exact_vector(gravity, "gravity"),
        tool or Placement(),
        **{"drives": train_of_joints(drives), **about},  # type: ignore[arg-type]
    )
    reading.tell(arm.origin or arm.name)
    tell_sizes(arm)
    return arm.checked(physical)


def _read(value: Any, what: str) -> Any:
    """A length or limit of a row; text as in a file."""
    if not isinstance(value, str):
        return value
    number = quantity(value, what)
    return float(number) if number.turns else number.rational


def _turn(value: object, what: str, reading: AngleReading) -> Angle:
    """An angle of a row; what is written with digits goes by ``reading``, text as in a file: "90 deg", "pi/2"."""
    if isinstance(value, Angle):
        return value
    if isinstance(value, str):
        return angle(value, what, reading)
    number = exact(value, what)
    if isinstance(value, Rational):
        return reading.angle(number, what)
    return reading.angle(Decimal(str(value)), what)


def body_of_row(row: DHRow, link: str) -> Inertia:
    """The inertia of a row, from ``body``, ``gyration`` or ``inertia``."""
    what = f"link {link!r}"
    if row.body is not None:
        return row.body
    if row.gyration is not None:
        if row.inertia is not None:
            raise ArmError(f"{what}: inertia and gyration are both given; keep one")
        return Inertia.from_gyration(row.mass, row.com, row.gyration, what)
    return Inertia.of(row.mass, row.com, row.inertia, about=row.about, what=what)
