"""Coupling of joints at a pose: projected inertias, radii of gyration and factors (Tourassis and Neuman 1985).

    J_ij = sum m_a (z_i x p_ia) . (z_j x p_ja) = (m_j + ... + m_N) K_ij                              (21)
    k_ij = |d_ij| / sqrt(d_ii d_jj) = LF KF,  LF = sqrt((m_j + ... + m_N) / (m_i + ... + m_N))  (32)-(34)

for joints i <= j. J_ij and K_ij have the sign of the turn of one axis against the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..systems.arm_system import ArmSystem
from .coupling import moved_mass

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PoseCoupling:
    """How the joints are coupled at positions ``q``; arrays ``(..., n, n)``, symmetric, joints counted from 0.

    ``mass`` (kg, ``(n,)``) is what each joint moves. ``inertia`` is J_ij (kg m^2), ``gyration`` K_ij (m^2), both with
    their sign and between revolute joints, nan elsewhere; its diagonal is the square of ``radius``, K_ii (m).
    ``coefficient`` is k_ij, ``loading`` LF (``(n, n)``) and ``kinematic`` KF = k_ij / LF. Rotors of drives that count
    are in all but the masses. KF may exceed one.
    """

    arm: str
    joints: tuple[str, ...]
    mass: Array
    inertia: Array
    gyration: Array
    radius: Array
    coefficient: Array
    loading: Array
    kinematic: Array

    def __repr__(self) -> str:
        poses = int(np.prod(self.coefficient.shape[:-2], dtype=int))
        return f"<PoseCoupling of {self.arm!r}: {len(self.joints)} joints, {poses} pose{'s' * (poses != 1)}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, note
        from .coupling_tables import pose_table

        if self.coefficient.ndim > 2:
            return framed(note(f"{self!r}: index its arrays for one pose"))
        return framed(pose_table(self))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of joints i < j."""
        n = len(self.joints)
        return [(i, j) for i in range(n) for j in range(i + 1, n)]


def pose_coupling(system: ArmSystem, q: ArrayLike) -> PoseCoupling:
    """Eqs (21) and (32)-(35) at positions ``q``, ``(..., n)``."""
    if not system.n:
        raise ArmError(
            f"{system.where}{system.name}: no joint moves, so none are coupled; name an arm with moving joints"
        )
    matrix = system.mass_matrix(q)
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    if not (diagonal > 0).all():
        joint = system.joint_names[int(np.argwhere(~(diagonal > 0))[0][-1])]
        raise ArmError(
            f"{system.where}{system.name}: joint {joint!r} moves no inertia, so its coupling is not determined; "
            "give the links it moves mass and inertia, or lock it"
        )
    mass = np.array(moved_mass(system))
    outer = np.array([[mass[max(i, j)] for j in range(system.n)] for i in range(system.n)])
    inner = np.array([[mass[min(i, j)] for j in range(system.n)] for i in range(system.n)])
    turns = np.array([joint.kind == "revolute" for joint in system.moving])
    inertia = np.where(turns[:, None] & turns[None, :], matrix, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        gyration = inertia / np.where(outer > 0, outer, np.nan)
        radius = np.sqrt(np.diagonal(gyration, axis1=-2, axis2=-1))
        coefficient = np.abs(matrix) / np.sqrt(diagonal[..., :, None] * diagonal[..., None, :])
        loading = np.sqrt(outer / np.where(inner > 0, inner, np.nan))
        kinematic = coefficient / np.where(loading > 0, loading, np.nan)
    return PoseCoupling(
        system.name, system.joint_names, mass, inertia, gyration, radius, coefficient, loading, kinematic
    )
