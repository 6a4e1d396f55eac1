"""How well a frame can be moved from where it stands: manipulability, and the inertia that is felt there.

    w   = sqrt(det J J^T)                    Yoshikawa 1985, of velocities for unit joint velocities
    w_d = sqrt(det J (D^T D)^-1 J^T)         Yoshikawa 1985, of accelerations for unit joint torques
    Lambda = (J D^-1 J^T)^-1                 Khatib 1987, eq. 31: force over acceleration at the frame

D is that of the whole system, its load and the rotors of drives that count in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.arm_kinematics import MovingArm
from ..systems.frame_axes import AskedFrame

Array = NDArray[np.float64]
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
GROUPS = {"all": DIRECTIONS, "translation": DIRECTIONS[:3], "rotation": DIRECTIONS[3:]}
KINDS = ("velocity", "acceleration")
SINGULAR = 1e-12
"""The share of the largest singular value below which a direction counts as lost."""


@dataclass(frozen=True)
class Manipulability:
    """Semi-axes of the ellipsoid ``(..., k)``, largest first, their ``axes`` as columns, and what is made of them."""

    kind: str
    directions: tuple[str, ...]
    semi_axes: Array
    axes: Array

    @property
    def measure(self) -> Array:
        """Yoshikawa's w: the product of the semi-axes, zero where a direction is lost."""
        return np.asarray(np.prod(self.semi_axes, axis=-1))

    @property
    def condition(self) -> Array:
        """Largest over smallest semi-axis: 1 is isotropic, infinite is singular."""
        small = self.semi_axes[..., -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(small > 0, self.semi_axes[..., 0] / np.where(small > 0, small, 1.0), np.inf)
        return np.asarray(ratio)

    @property
    def smallest(self) -> Array:
        """The smallest semi-axis: what the worst direction still gets."""
        return self.semi_axes[..., -1]

    def __repr__(self) -> str:
        measure = f"{float(self.measure):.4g}" if self.measure.ndim == 0 else f"{self.measure.size} poses"
        return f"<Manipulability by {self.kind} in {' '.join(self.directions)}: {measure}>"


def rows_of(directions: str | Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
    """Rows of the Jacobian, and their names."""
    names = GROUPS[directions] if isinstance(directions, str) and directions in GROUPS else directions
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    wrong = [name for name in names if name not in DIRECTIONS]
    if wrong or not names or len(set(names)) != len(names):
        raise ArmError(f"directions are {listed(GROUPS)}, or some of {listed(DIRECTIONS)}; got {directions!r}")
    return [DIRECTIONS.index(name) for name in names], tuple(names)


def manipulability(
    arm: MovingArm, q: ArrayLike, frame: AskedFrame | None, directions: str | Sequence[str], kind: str
) -> Manipulability:
    """Singular values of J, or of J D^-1."""
    if kind not in KINDS:
        raise ArmError(f"manipulability is of {listed(KINDS)}, not {kind!r}")
    rows, names = rows_of(directions)
    table = arm.jacobian(q, frame)[..., rows, :]
    if kind == "acceleration":
        table = table @ arm.inverse_mass_matrix(q)
    axes, values, _ = np.linalg.svd(table, full_matrices=True)
    if values.shape[-1] < len(rows):  # fewer joints than directions: the rest is lost
        values = np.concatenate([values, np.zeros((*values.shape[:-1], len(rows) - values.shape[-1]))], axis=-1)
    return Manipulability(kind, names, values, axes)


def operational_inertia(
    arm: MovingArm, q: ArrayLike, frame: AskedFrame | None, directions: str | Sequence[str]
) -> Array:
    """Lambda ``(..., k, k)``."""
    rows, names = rows_of(directions)
    table = arm.jacobian(q, frame)[..., rows, :]
    mobility = table @ arm.inverse_mass_matrix(q) @ np.swapaxes(table, -1, -2)
    values = np.linalg.eigvalsh(mobility)
    lost = values[..., 0] <= SINGULAR * values[..., -1]
    if np.any(lost):
        where = f" of state {[int(i) for i in np.argwhere(lost)[0]]}" if np.ndim(lost) else ""
        raise ArmError(
            f"{arm.where}{arm.name}: the pose{where} is singular in {' '.join(names)}, so that the inertia felt there "
            "is endless; ask for the directions in which it moves"
        )
    return np.asarray(np.linalg.inv(mobility))
