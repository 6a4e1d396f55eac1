"""A joint that moves no inertia: its acceleration is not determined, and nothing that divides by D can be had."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..formulations.system import SystemOverRing
from ..rings.real import REAL


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
    """Refuse an arm whose D is singular in every pose, as the division by an exact zero has shown.

    det D is analytic in the positions: where it vanishes in all poses it does so in this one too.
    """
    q = [0.1 + 0.7 * k for k in range(arm.n)]
    rows = SystemOverRing(arm, REAL).mass_matrix(REAL, q)
    refuse_undetermined(arm, np.array([[float(x) for x in row] for row in rows]))
