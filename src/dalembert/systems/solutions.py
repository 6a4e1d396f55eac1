"""Solutions with D by LAPACK, for arms whose factors of D would be too long as code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..compile.undetermined import refuse_undetermined

Array = NDArray[np.float64]


def solved(arm: ArmDescription, matrix: Array, right: Array) -> Array:
    """X with D X = right, ``(..., n, m)``; refused where D is singular to working precision."""
    if _singular(matrix):
        refuse_undetermined(arm, matrix)
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def _singular(matrix: Array) -> bool:
    """Whether a pivot of the Cholesky factors is no more than rounding; where there are none, an eigenvalue."""
    least = matrix.shape[-1] * np.finfo(float).eps
    try:
        pivots = np.diagonal(np.linalg.cholesky(matrix), axis1=-2, axis2=-1) ** 2
        largest = np.diagonal(matrix, axis1=-2, axis2=-1)
    except np.linalg.LinAlgError:
        pivots = largest = np.abs(np.linalg.eigvalsh(matrix))
    return bool((pivots.min(-1) <= least * largest.max(-1)).any())
