"""Inertia of a rigid body: mass, first moment and second moment about a frame, as exact rationals.

These ten numbers are what the equations of motion are linear in. The pseudo-inertia matrix of
Bejczy 1974, eq. (10), collects them in one 4x4 matrix; a body of positive mass density has a positive
semidefinite one, and that condition implies the triangle inequality (Wensing, Kim and Slotine 2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from .errors import ArmError
from .exact import exact, exact_vector
from .placement import Matrix, Placement, Vector

PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Names of the inertial parameters of a link, in order."""
ENTRIES = (("xx", 0, 0), ("xy", 0, 1), ("xz", 0, 2), ("yy", 1, 1), ("yz", 1, 2), ("zz", 2, 2))
ZERO = Fraction(0)


def symmetric(entries: Mapping[str, Fraction]) -> Matrix:
    """The symmetric matrix with these entries xx, xy, xz, yy, yz, zz; missing ones are zero."""
    rows = [[ZERO] * 3 for _ in range(3)]
    for key, i, j in ENTRIES:
        rows[i][j] = rows[j][i] = entries.get(key, ZERO)
    return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


def read_symmetric(value: object, what: str) -> Matrix:
    """A symmetric 3x3 matrix from {xx:, xy:, ...}, three diagonal entries, or nested rows."""
    if value is None:
        return symmetric({})
    if isinstance(value, Mapping):
        unknown = [str(key) for key in value if key not in {entry[0] for entry in ENTRIES}]
        if unknown:
            raise ArmError(f"{what}: unknown entry {unknown[0]!r}; the entries are xx, yy, zz, xy, xz, yz")
        return symmetric({str(key): exact(number, f"{what} {key}") for key, number in value.items()})
    try:
        rows = [list(row) if hasattr(row, "__len__") and not isinstance(row, str) else row for row in value]  # type: ignore[attr-defined]
    except TypeError:
        raise ArmError(f"{what} must be three moments, a 3x3 matrix or a table xx, yy, ..., got {value!r}") from None
    if len(rows) == 3 and not any(isinstance(row, list) for row in rows):
        return symmetric({f"{a}{a}": exact(number, f"{what} {a}{a}") for a, number in zip("xyz", rows, strict=True)})
    if len(rows) != 3 or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        raise ArmError(f"{what} must be three moments, a 3x3 matrix or a table xx, yy, ..., got {value!r}")
    full = [[exact(x, what) for x in row] for row in rows]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if full[i][j] != full[j][i]:
            raise ArmError(
                f"{what} is not symmetric: entries {'xyz'[i]}{'xyz'[j]} = {float(full[i][j]):g} and "
                f"{'xyz'[j]}{'xyz'[i]} = {float(full[j][i]):g} differ"
            )
    return tuple(tuple(row) for row in full)  # type: ignore[return-value]


def parallel_axes(mass: Fraction, com: Vector) -> Matrix:
    """Inertia about the frame of a point mass at ``com``: m (|c|^2 E - c c^T) (Steiner)."""
    square = sum(c * c for c in com)
    return tuple(tuple(mass * (square * (i == j) - com[i] * com[j]) for j in range(3)) for i in range(3))  # type: ignore[return-value]


def moved(mass: Any, moment: Any, tensor: Any, turn: Any, shift: Any) -> tuple[Any, Any, Any]:
    """Mass, first moment and tensor about a new frame, in which the old frame has rotation R and origin p.

    h' = R h + m p and I' = R I R^T + (2 p.Rh E - p (Rh)^T - (Rh) p^T) + m (p.p E - p p^T): the parallel-axis theorem
    and the rotation of axes in one formula without division, so that it holds over every ring.
    """
    h = tuple(_dot(turn[i], moment) for i in range(3))
    w = tuple(2 * h[i] + _times(mass, shift[i]) for i in range(3))
    square = _dot(shift, w)
    half = [[_dot(turn[i], [row[j] for row in tensor]) for j in range(3)] for i in range(3)]
    rows: list[list[Any]] = [[0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i, 3):
            product = _times(shift[i], h[j]) + _times(w[i] - h[i], shift[j])
            entry = _dot(half[i], turn[j]) - product
            rows[i][j] = rows[j][i] = entry + square if i == j else entry
    return mass, tuple(h[i] + _times(mass, shift[i]) for i in range(3)), tuple(tuple(row) for row in rows)


def _times(a: Any, b: Any) -> Any:
    """a b; a structural zero stays a plain 0, so that zeros of the geometry cost nothing over any ring."""
    return 0 if (type(a) is int and not a) or (type(b) is int and not b) else a * b


def _dot(u: Any, v: Any) -> Any:
    return sum(_times(a, b) for a, b in zip(u, v, strict=True))


def plus(a: Matrix, b: Matrix, factor: int = 1) -> Matrix:
    """a + factor b."""
    return tuple(tuple(x + factor * y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True)
class Inertia:
    """Mass (kg), first moment m c (kg m) and inertia tensor about the frame's origin (kg m^2)."""

    mass: Fraction = ZERO
    moment: Vector = (ZERO, ZERO, ZERO)
    tensor: Matrix = ((ZERO, ZERO, ZERO),) * 3

    @classmethod
    def of(
        cls,
        mass: object,
        com: object = (0, 0, 0),
        inertia: object = None,
        *,
        about: str = "com",
        what: str = "inertia",
    ) -> Self:
        """From mass, mass centre and the inertia tensor about the mass centre or about the frame.

        ``inertia`` is a 3x3 matrix, three principal moments, or a table of xx, yy, zz, xy, xz, yz (entries
        of the tensor: xy is minus the integral of x y dm). Its axes are the frame's axes.
        """
        if about not in ("com", "frame"):
            raise ArmError(f'{what}: inertia is given about "com" or about "frame", not {about!r}')
        kilograms = exact(mass, f"{what}: mass")
        centre = exact_vector(com, f"{what}: com")
        tensor = read_symmetric(inertia, f"{what}: inertia")
        if about == "com":
            tensor = plus(tensor, parallel_axes(kilograms, centre))
        elif inertia is None:
            raise ArmError(f"{what}: inertia about the frame is not given; give it, or leave out about = 'frame'")
        return cls(kilograms, tuple(kilograms * c for c in centre), tensor)  # type: ignore[arg-type]

    @classmethod
    def from_gyration(cls, mass: object, com: object, squares: object, what: str = "inertia") -> Self:
        """From squared radii of gyration about the frame (Bejczy 1974, eqs 10, 11).

        Diagonal entries are I_ii / m; off-diagonal entries are the integrals of x y dm over m, which stand
        in the pseudo-inertia matrix with a plus sign and in the inertia tensor with a minus sign.
        """
        kilograms = exact(mass, f"{what}: mass")
        k2 = read_symmetric(squares, f"{what}: gyration")
        tensor = tuple(tuple(kilograms * (k2[i][j] if i == j else -k2[i][j]) for j in range(3)) for i in range(3))
        return cls.of(kilograms, com, tensor, about="frame", what=what)

    @classmethod
    def box(cls, mass: object, size: object) -> Self:
        """Homogeneous box with edges ``size`` (m) along x, y, z, centred in the frame."""
        m, (x, y, z) = exact(mass, "mass"), exact_vector(size, "size")
        return cls.of(m, inertia=tuple(m * (a * a + b * b) / 12 for a, b in ((y, z), (x, z), (x, y))))

    @classmethod
    def cylinder(cls, mass: object, radius: object, length: object) -> Self:
        """Homogeneous cylinder about the z axis, centred in the frame."""
        m, r, h = exact(mass, "mass"), exact(radius, "radius"), exact(length, "length")
        transverse = m * (3 * r * r + h * h) / 12
        return cls.of(m, inertia=(transverse, transverse, m * r * r / 2))

    @classmethod
    def sphere(cls, mass: object, radius: object) -> Self:
        """Homogeneous ball, centred in the frame."""
        m, r = exact(mass, "mass"), exact(radius, "radius")
        return cls.of(m, inertia=(m * r * r * 2 / 5,) * 3)

    @property
    def com(self) -> Vector:
        """Mass centre in the frame; the origin for a body without mass."""
        if not self.mass:
            return ZERO, ZERO, ZERO
        x, y, z = self.moment
        return x / self.mass, y / self.mass, z / self.mass

    @property
    def central(self) -> Matrix:
        """Inertia tensor about the mass centre, in the frame's axes."""
        return plus(self.tensor, parallel_axes(self.mass, self.com), -1)

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The ten numbers the torques are linear in, in the order of ``PARAMETERS``."""
        return (self.mass, *self.moment, *(self.tensor[i][j] for _, i, j in ENTRIES))

    @property
    def pseudo(self) -> tuple[tuple[Fraction, ...], ...]:
        """Pseudo-inertia matrix, the integral of (r, 1)(r, 1)^T dm (Bejczy 1974, eq. 10)."""
        half = (self.tensor[0][0] + self.tensor[1][1] + self.tensor[2][2]) / 2
        rows = [(*((half if i == j else ZERO) - self.tensor[i][j] for j in range(3)), self.moment[i]) for i in range(3)]
        return (*rows, (*self.moment, self.mass))

    def placed(self, placement: Placement) -> Inertia:
        """The same body about the frame in which its own frame has this placement."""
        return Inertia(*moved(self.mass, self.moment, self.tensor, *placement.exact))

    def __add__(self, other: Inertia) -> Inertia:
        moment = tuple(a + b for a, b in zip(self.moment, other.moment, strict=True))
        return Inertia(self.mass + other.mass, moment, plus(self.tensor, other.tensor))  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return any(self.parameters)

    def violation(self) -> str | None:
        """Why no real body has this inertia, or None if one can (pseudo-inertia positive semidefinite)."""
        if self.mass < 0:
            return f"its mass is negative ({float(self.mass):g} kg)"
        if not self.mass and any(self.moment):
            return "it has a first moment but no mass"
        moments = [self.central[i][i] for i in range(3)]
        for i, moment in enumerate(moments):
            if moment < 0:
                axis = "xyz"[i]
                return (
                    f"its moment of inertia about the mass centre I{axis}{axis} is negative ({float(moment):g} kg m^2)"
                )
        for i in range(3):
            excess = sum(moments) - 2 * moments[i]
            if excess < 0:
                j, k, a = "xyz"[(i + 1) % 3], "xyz"[(i + 2) % 3], "xyz"[i]
                return (
                    f"its moments of inertia about the mass centre break the triangle inequality: "
                    f"I{j}{j} + I{k}{k} falls short of I{a}{a} by {float(-excess):g} kg m^2"
                )
        if not positive_semidefinite(self.pseudo):
            return "its products of inertia are too large for its moments (the pseudo-inertia matrix is indefinite)"
        return None


def positive_semidefinite(matrix: tuple[tuple[Fraction, ...], ...]) -> bool:
    """Whether a symmetric rational matrix is positive semidefinite, decided exactly by elimination."""
    # Plain rationals: a number that stays an input is never zero by itself, and is judged here as it stands now.
    rows = [[Fraction(x) for x in row] for row in matrix]
    while rows:
        pivot = next((i for i, row in enumerate(rows) if row[i]), None)
        if pivot is None:
            return not any(any(row) for row in rows)
        if rows[pivot][pivot] < 0:
            return False
        pivot_row = rows[pivot]
        rows = [
            [x - row[pivot] * pivot_row[j] / pivot_row[pivot] for j, x in enumerate(row) if j != pivot]
            for i, row in enumerate(rows)
            if i != pivot
        ]
    return True


@dataclass(frozen=True, eq=False)
class Load:
    """A payload: the inertia of a body held by the hand, in the tool frame.

    ``inertia`` is about the load's own mass centre, in axes parallel to the tool frame, as a 3x3 matrix,
    three moments, or a table of xx, yy, zz, xy, xz, yz. ``Load.of`` takes an Inertia instead. Loads are equal where
    their bodies are, however their numbers were written.
    """

    mass: object = 0
    com: object = (0, 0, 0)
    inertia: object = None

    def __post_init__(self) -> None:
        problem = self.body.violation()  # also refuses what is no number
        if problem:
            raise ArmError(f"the load cannot be: {problem}")

    def __eq__(self, other: object) -> bool:
        return self.body == other.body if isinstance(other, Load) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.body)

    @classmethod
    def of(cls, body: Inertia, com: object = None) -> Load:
        """The load with the inertia of this body, its mass centre moved to ``com`` in the tool frame if given."""
        return cls(body.mass, body.com if com is None else com, body.central)

    @property
    def body(self) -> Inertia:
        """The load as an inertia in the tool frame."""
        return Inertia.of(self.mass, self.com, self.inertia, what="load")

    def seen_from(self, frame: Placement) -> Load:
        """The same load in numbers of a frame that has this placement in the one of its numbers."""
        return self if frame.is_identity() else Load.of(self.body.placed(frame.inverse()))
