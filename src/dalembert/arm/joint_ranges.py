"""Finite ranges of joints, some limits of which are not known: where positions are sampled and searched."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def finite_ranges(lower: ArrayLike, upper: ArrayLike, reach: ArrayLike, middle: ArrayLike = 0.0) -> tuple[Array, Array]:
    """The limits, with finite ones in place of those that are not known.

    Of one limit alone the other is 2 ``reach`` from it; without any they are ``reach`` to both sides of ``middle``.
    """
    low, high, half, centre = (np.asarray(x, dtype=float) for x in (lower, upper, reach, middle))
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    return (
        np.where(has_low, low, np.where(has_high, high - 2 * half, centre - half)),
        np.where(has_high, high, np.where(has_low, low + 2 * half, centre + half)),
    )
