"""Fixed placements: the pose of one frame in another, as a product of elementary rotations and translations.

Denavit-Hartenberg rows, URDF origins and free matrices are all products of rotations about and
translations along coordinate axes. Keeping the steps (and the names of their amounts) rather than only
the matrix allows a length or a twist to become a symbol later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from .errors import ArmError
from .exact import Angle, exact, exact_vector

Vector: TypeAlias = tuple[Fraction, Fraction, Fraction]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]

IDENTITY: Matrix = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Step:
    """One elementary motion: a rotation about, or a translation along, axis 0, 1 or 2 (x, y, z)."""

    kind: Literal["rotate", "translate"]
    axis: int
    amount: Angle | Fraction
    name: str = ""

    def __bool__(self) -> bool:
        return bool(self.amount)

    @property
    def is_opposite(self) -> bool:
        """Whether the name has a minus sign: the amount is the opposite of what is named."""
        return self.name.startswith("-")

    @property
    def stem(self) -> str:
        """The name without its sign."""
        return self.name.removeprefix("-")

    def inverse(self) -> Step:
        """The opposite motion."""
        name = self.stem if self.is_opposite or not self.name else f"-{self.name}"
        return Step(self.kind, self.axis, -self.amount, name)


def rotate(axis: str, angle: object, name: str = "") -> Step:
    """Rotation by ``angle`` (radians or an Angle) about ``axis`` "x", "y" or "z"."""
    return Step("rotate", "xyz".index(axis), Angle.of(angle, name or f"rotation about {axis}"), name)


def translate(axis: str, length: object, name: str = "") -> Step:
    """Translation by ``length`` metres along ``axis`` "x", "y" or "z"."""
    return Step("translate", "xyz".index(axis), exact(length, name or f"translation along {axis}"), name)


def product(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product a b."""
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))  # type: ignore[return-value]


def transpose(a: Matrix) -> Matrix:
    """The transpose."""
    return tuple(zip(*a, strict=True))  # type: ignore[return-value]


def apply(a: Matrix, v: Vector) -> Vector:
    """The product a v."""
    return tuple(sum(a[i][k] * v[k] for k in range(3)) for i in range(3))  # type: ignore[return-value]


def step_rotation(axis: int, angle: Angle) -> Matrix:
    """Exact rotation matrix about a coordinate axis."""
    rows = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rows[j][j] = rows[k][k] = angle.cos
    rows[j][k], rows[k][j] = -angle.sin, angle.sin
    return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


@dataclass(frozen=True)
class Placement:
    """The pose of a frame in another: the steps applied in order, each in the current frame."""

    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, *steps: Step) -> Placement:
        """The placement of these steps. A named step is kept even when its amount is zero."""
        return cls(tuple(step for step in steps if step or step.name))

    @classmethod
    def from_xyz_rpy(cls, xyz: object = (0, 0, 0), rpy: object = (0, 0, 0), what: str = "origin") -> Placement:
        """URDF origin: translation, then roll, pitch, yaw about fixed x, y, z."""
        position = exact_vector(xyz, f"{what} xyz")
        try:
            roll, pitch, yaw = list(rpy)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            raise ArmError(f"{what} rpy must be three angles, got {rpy!r}") from None
        turns = (("z", yaw), ("y", pitch), ("x", roll))
        return cls.of(
            *(translate(axis, length) for axis, length in zip("xyz", position, strict=True)),
            *(Step("rotate", "xyz".index(axis), Angle.of(angle, f"{what} rpy")) for axis, angle in turns),
        )

    @classmethod
    def from_matrix(cls, rotation: object, position: object = (0, 0, 0), what: str = "placement") -> Placement:
        """The placement with this 3x3 rotation (orthogonal to 1e-9) and position."""
        rows = [[float(x) for x in row] for row in rotation]  # type: ignore[attr-defined]
        gram = max(abs(sum(rows[i][k] * rows[j][k] for k in range(3)) - (i == j)) for i in range(3) for j in range(3))
        determinant = sum(
            rows[0][i] * (rows[1][(i + 1) % 3] * rows[2][(i + 2) % 3] - rows[1][(i + 2) % 3] * rows[2][(i + 1) % 3])
            for i in range(3)
        )
        if not gram < 1e-9 or determinant < 0:
            raise ArmError(f"{what}: the rotation matrix is not a rotation (off by {gram:.2g})")
        pitch = math.atan2(-rows[2][0], math.hypot(rows[0][0], rows[1][0]))
        if math.hypot(rows[0][0], rows[1][0]) > 1e-12:
            roll, yaw = math.atan2(rows[2][1], rows[2][2]), math.atan2(rows[1][0], rows[0][0])
        else:
            roll, yaw = 0.0, math.atan2(-rows[0][1], rows[1][1])
        return cls.from_xyz_rpy(position, (roll, pitch, yaw), what)

    @cached_property
    def exact(self) -> tuple[Matrix, Vector]:
        """Rotation matrix and position, as exact rationals."""
        turn, position = IDENTITY, (Fraction(0), Fraction(0), Fraction(0))
        for step in self.steps:
            if isinstance(step.amount, Angle):
                turn = product(turn, step_rotation(step.axis, step.amount))
            else:
                position = tuple(p + row[step.axis] * step.amount for p, row in zip(position, turn, strict=True))  # type: ignore[assignment]
        return turn, position

    @property
    def rotation(self) -> Matrix:
        """The rotation matrix, exact."""
        return self.exact[0]

    @property
    def position(self) -> Vector:
        """The position of the origin (m), exact."""
        return self.exact[1]

    def __matmul__(self, other: Placement) -> Placement:
        return Placement(self.steps + other.steps)

    def inverse(self) -> Placement:
        """The inverse placement, step by step."""
        return Placement(tuple(step.inverse() for step in reversed(self.steps)))

    def is_identity(self) -> bool:
        """Whether the two frames coincide exactly."""
        return self.rotation == IDENTITY and not any(self.position)
