"""A joint that moves no inertia: its acceleration is not determined, and nothing that divides by D can be had."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..formulations.system import SystemOverRing
from ..rings.real import REAL

_REGULAR = "_has_regular_poses"
"""Where a description keeps that its D was found regular."""


def refuse_undetermined(arm: ArmDescription, matrix: NDArray[np.float64]) -> None:
    """Refuse mass matrices ``(..., n, n)`` of which one is singular, and name the joint that moves nothing there."""
    values, vectors = np.linalg.eigh(matrix.reshape(-1, arm.n, arm.n))
    with np.errstate(invalid="ignore"):
        worst = int(np.argmin(np.nan_to_num(values[:, 0] / values[:, -1])))
    if values[worst, 0] > arm.n * np.finfo(float).eps * values[worst, -1]:
        return
    joint = arm.joint_names[int(np.argmax(np.abs(vectors[worst, :, 0])))]
    raise ArmError(
        f"{arm.where}{arm.name}: joint {joint!r} moves no inertia, so its acceleration is not determined; "
        f"give the links it moves mass and inertia, or lock it"
    )


def refuse_never_determined(arm: ArmDescription) -> None:
    """Refuse an arm whose D is singular in every pose, as the division by an exact zero has shown."""
    refuse_undetermined(arm, _anywhere(arm))


def refuse_dependent(arm: ArmDescription) -> None:
    """Refuse an arm whose D is singular in every pose without a pivot that is an exact zero: more joints than motions
    of what has inertia, as where a point mass hangs on three parallel axes.

    Rows and columns are scaled to a diagonal of ones, so that what is small is not what is singular.
    """
    if vars(arm).get(_REGULAR) or (arm.counts_drives and arm.drives.functions):  # which are not analytic everywhere
        return
    matrix = _anywhere(arm)
    sizes = np.diagonal(matrix)
    if (sizes > 0).all():  # else divisions tell, or no real body is like that
        scale = 1 / np.sqrt(sizes)
        values, vectors = np.linalg.eigh(matrix * scale * scale[:, None])
        least = int(np.argmin(np.abs(values)))
        if abs(values[least]) <= arm.n * np.finfo(float).eps:
            sizes = np.abs(vectors[:, least])
            names = [name for name, size in zip(arm.joint_names, sizes, strict=True) if size > 1e-6 * sizes.max()]
            raise ArmError(
                f"{arm.where}{arm.name}: joints {listed(names)} can move without anything that has inertia, so their "
                "accelerations are not determined; give the links between them mass and inertia, or lock one of them"
            )
    vars(arm)[_REGULAR] = True


def _anywhere(arm: ArmDescription) -> NDArray[np.float64]:
    """D in a pose with nothing special to it: det D is analytic, and vanishes there if it does in all poses."""
    q = [math.sin(1 + k * k) for k in range(arm.n)]
    rows = SystemOverRing(arm, REAL).mass_matrix(REAL, q)
    return np.array([[float(x) for x in row] for row in rows])
